//! CSV that is passed through as the service writes it, as long as the service says that its list stands still; and services
//! that say so and are wrong, or whose list moves.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use wiremock::ResponseTemplate;

use super::export::{Asked, ITEMS, page, run, serving};
use super::list_peer::item;
use super::spool::hand_over;
use super::support::Home;

const HEADER: &str = "Retailer,Retailer Order ID,Order Date,Item Name,Brand,Dept,Category,SubCategory,SKU,Quantity,Price,\
                      Currency,Shipment Status,Order Total\n";

fn line(id: usize) -> String {
    let date = item(id)["orderDate"].as_str().expect("a date").to_owned();
    format!(",,{date},\"\"\"{id}\"\", ü\n😀\",,,,,,,1.50,,,\n")
}

/// The page that was asked for, of a list of this version, in the form that was asked for.
fn versioned(asked: &Asked, ids: Range<usize>, version: usize) -> ResponseTemplate {
    let total = ids.len();
    let version = format!("v{version}");
    if !asked.is_csv {
        return page(asked, ids, total).insert_header("x-list-version", version);
    }
    let rows: Vec<usize> = ids.skip(asked.offset).take(asked.limit).collect();
    csv(&rows, total).insert_header("x-list-version", version)
}

fn csv(rows: &[usize], total: usize) -> ResponseTemplate {
    let text = HEADER.to_owned() + &rows.iter().map(|id| line(*id)).collect::<String>();
    let answer = ResponseTemplate::new(200).insert_header("x-total-count", total.to_string());
    let answer = answer.set_body_raw(text, "text/csv; charset=utf-8; header=present");
    let Some(last) = rows.last().map(|id| item(*id)) else { return answer };
    let text = |name: &str| last[name].as_str().expect("text").to_owned();
    answer.insert_header("x-last-id", text("id")).insert_header("x-last-order-date", text("orderDate"))
}

fn whole(ids: Range<usize>) -> String {
    HEADER.to_owned() + &ids.map(line).collect::<String>()
}

#[tokio::test]
async fn a_list_that_stands_still_is_passed_through_with_no_row_asked_for_twice() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let server = serving(move |asked| {
        noted.lock().expect("lock").push((asked.offset, asked.is_csv));
        versioned(asked, 0..ITEMS, 1)
    })
    .await;
    let export = |more: &[&str]| {
        let ran = run(&Home::new(), &server, &[&["orders", "export"], more].concat()).ends(0);
        let mut pages = std::mem::take(&mut *asked.lock().expect("lock"));
        pages.sort_unstable();
        (ran.out, pages)
    };
    let pages = |is_csv: bool| (0..5).map(|page| (page * 1000, is_csv && page > 0)).collect::<Vec<_>>();
    assert_eq!(export(&[]), (whole(0..ITEMS), pages(true)));
    // What needs more than the service's lines is read as JSON, and just as often.
    let all = "retailerName,orderId,orderDate,itemName,brandName,department,category,subCategory,retailerSku,quantity,\
               price,currency,shipmentStatus,orderTotal";
    assert_eq!(export(&["--columns", all]), (whole(0..ITEMS), pages(true)));
    assert_eq!(export(&["--excel-safe"]).1, pages(false));
    assert_eq!(export(&["--format", "jsonl"]).1, pages(false));
}

#[tokio::test]
async fn a_service_that_refuses_csv_is_read_as_json() {
    for status in [400, 500] {
        let server = serving(move |asked| match asked.is_csv {
            true => ResponseTemplate::new(status),
            false => versioned(asked, 0..ITEMS, 1),
        })
        .await;
        assert_eq!(run(&Home::new(), &server, &["orders", "export"]).ends(0).out, whole(0..ITEMS));
    }
}

#[tokio::test]
async fn csv_that_is_older_than_was_asked_for_is_noticed() {
    let server = serving(|asked| versioned(asked, 0..ITEMS, 1)).await;
    let ran = run(&Home::new(), &server, &["orders", "export", "--since", "2080-01-01", "--time-zone", "UTC"]);
    ran.ends(1).says("start_date=2080-01-01T00:00:00Z was requested: the service ignores this filter.");
}

#[tokio::test]
async fn a_list_that_moves_is_found_again() {
    // Before the request of this number items come in above, or go there; then it stands still, or moves on and on.
    for (at, moved) in (1..6).flat_map(|at| [600..600 + ITEMS, 1400..1000 + ITEMS].map(move |list| (at, list))) {
        for goes_on in [false, true] {
            let now = moved.clone();
            let server = serving(move |asked| match asked.number {
                number if number < at => versioned(asked, 1000..1000 + ITEMS, 0),
                number if goes_on => versioned(asked, now.start - number.min(500)..now.end, number),
                _ => versioned(asked, now.clone(), 1),
            })
            .await;
            let ran = run(&Home::new(), &server, &["orders", "export"]).ends(0);
            let rest = ran.out.strip_prefix(HEADER).expect("a header");
            let rows: Vec<&str> = rest.split_inclusive(",,,\n").collect();
            let expected: Vec<String> = (1400..600 + ITEMS).map(line).collect();
            let first = rows.iter().position(|row| *row == expected[0]).expect("the first that was always there");
            assert_eq!(rows[first..first + expected.len()], expected, "{at} {moved:?} {goes_on}");
            let mut unique = rows.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), rows.len(), "{at} {moved:?} {goes_on}");
        }
    }
}

#[tokio::test]
async fn lines_that_cannot_be_right_are_not_passed_through() {
    let rows = |asked: &Asked| (asked.offset..(asked.offset + asked.limit).min(ITEMS)).collect::<Vec<_>>();
    let bent = move |asked: &Asked, bend: usize| {
        let right = rows(asked);
        let text = HEADER.to_owned() + &right.iter().map(|id| line(*id)).collect::<String>();
        let raw = |text: String| csv(&right, ITEMS).set_body_raw(text, "text/csv");
        match bend {
            // A row is missing, at the end, in the middle, at the beginning; or is there twice.
            0 => raw(text[..text.len() - line(right[right.len() - 1]).len()].to_owned()),
            1 => raw(text.replacen(&line(right[7]), "", 1)),
            2 => csv(&right[1..], ITEMS),
            3 => raw(text.replacen(&line(right[7]), &line(right[7]).repeat(2), 1)),
            // It is cut within a row, has another header, is something else, or nothing.
            4 => raw(text[..text.len() - 5].to_owned()),
            5 => raw(text.replacen("Retailer,", "Shop,", 1)),
            6 => page(asked, 0..ITEMS, ITEMS),
            7 => raw(String::new()),
            // It does not say where it ends, or ends further up, or nowhere.
            8 => ResponseTemplate::new(200).insert_header("x-total-count", "4500").set_body_raw(text, "text/csv"),
            9 => raw(text).insert_header("x-last-id", "item_000001"),
            10 => raw(text).insert_header("x-last-order-date", "yesterday"),
            // There are fewer in all than it gives.
            _ => raw(text).insert_header("x-total-count", (asked.offset + 10).to_string()),
        }
    };
    for bend in 0..12 {
        let server = serving(move |asked| match asked.is_csv {
            true => bent(asked, bend).insert_header("x-list-version", "v1"),
            false => versioned(asked, 0..ITEMS, 1),
        })
        .await;
        let home = Home::new();
        run(&home, &server, &["orders", "export", "--out", "orders.csv"]).ends(0).says("Wrote 4500 items");
        let file = std::fs::read_to_string(home.path().join("orders.csv")).expect("file");
        assert!(file == whole(0..ITEMS), "{bend}");
    }
}

#[tokio::test]
async fn an_export_of_lines_that_broke_off_resumes_byte_identical() {
    let broken = serving(|asked| match asked.offset {
        0..3000 => versioned(asked, 0..ITEMS, 1),
        _ => ResponseTemplate::new(500),
    })
    .await;
    let home = Home::new();
    let export = ["orders", "export", "--out", "orders.csv", "--resume"];
    run(&home, &broken, &export).ends(1).says("Go on: ");
    let other = serving(|asked| versioned(asked, 0..ITEMS, 2)).await;
    hand_over(&home, "orders.csv", &broken, &other);
    run(&home, &other, &export).ends(0).says("Resuming after 3000 of 4500 items");
    assert!(std::fs::read_to_string(home.path().join("orders.csv")).expect("file") == whole(0..ITEMS));
}
