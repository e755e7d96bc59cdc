//! `orders export --format xlsx`, as far as no other program is needed to read it; `tests/judges/formats.py` has those.

use std::io::Read as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use wiremock::{MockServer, ResponseTemplate};

use super::export::{ITEMS, leftovers, page, run, serving};
use super::support::Home;

async fn listing(items: Value) -> MockServer {
    serving(move |_| {
        let count = items.as_array().map(Vec::len).unwrap_or_default();
        ResponseTemplate::new(200).insert_header("x-total-count", count.to_string()).set_body_json(&items)
    })
    .await
}

/// The text of a file in a workbook.
fn part(bytes: &[u8], path: &str) -> String {
    let archive = rawzip::ZipArchive::from_slice(bytes).expect("zip");
    let mut entries = archive.entries();
    let entry = std::iter::from_fn(|| entries.next_entry().expect("entry"))
        .find(|entry| entry.file_path().as_ref() == path.as_bytes());
    let entry = archive.get_entry(entry.expect("a part").wayfinder()).expect("entry");
    let mut text = String::new();
    flate2::read::DeflateDecoder::new(entry.data()).read_to_string(&mut text).expect("text");
    text
}

fn sheet(home: &Home, name: &str) -> String {
    part(&std::fs::read(home.path().join(name)).expect("file"), "xl/worksheets/sheet1.xml")
}

#[tokio::test]
async fn the_name_of_the_file_makes_a_workbook_with_the_columns_of_a_csv() {
    let (home, server) = (Home::new(), serving(|asked| page(asked, 0..ITEMS, ITEMS)).await);
    run(&home, &server, &["orders", "export", "--out", "orders.xlsx"]).ends(0).says("Wrote 4500 items");
    let text = sheet(&home, "orders.xlsx");
    assert_eq!(text.matches("<row ").count(), ITEMS + 1);
    assert!(text.contains("state=\"frozen\"") && !text.contains("<f>"), "the header stays, and no text is a formula");
    let csv = run(&home, &server, &["orders", "export"]).ends(0).out;
    let header = text.split("</row>").next().expect("a header");
    let titles: Vec<&str> = header.split("<t>").skip(1).filter_map(|cell| cell.split('<').next()).collect();
    let header = csv.lines().next().expect("a header").replace("Order Date", "Order Date (UTC)");
    assert_eq!(titles.join(","), format!("{header},Line Total"));

    let piped = ["orders", "export", "--format", "xlsx", "--columns", "price,id"];
    let piped = home.command_at(&server.uri(), &piped).output().expect("it runs");
    run(&home, &server, &["orders", "export", "--out", "two.xlsx", "--columns", "price,id"]).ends(0);
    assert_eq!(part(&piped.stdout, "xl/worksheets/sheet1.xml"), sheet(&home, "two.xlsx"));
    assert!(sheet(&home, "two.xlsx").contains(
        "<row r=\"2\"><c r=\"A2\"><v>1.50</v></c><c r=\"B2\" s=\"4\" t=\"inlineStr\"><is><t>item_000000</t></is></c></row>"
    ));
    assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_text_that_no_cell_holds_ends_the_export_and_names_the_item() {
    let long = "ü".repeat(32_768);
    let server = listing(json!([{"id": "item_1", "itemName": "short"}, {"id": "item_2", "itemName": long}])).await;
    let home = Home::new();
    let refused = run(&home, &server, &["orders", "export", "--out", "orders.xlsx"]).ends(1);
    refused.says("Excel cannot hold itemName of item item_2: it has 32768 characters").says("--format csv");
    assert!(!home.path().join("orders.xlsx").exists());
    assert_eq!(leftovers(&home), Vec::<PathBuf>::new(), "nothing to resume");
    run(&home, &server, &["orders", "export", "--out", "orders.xlsx", "--columns", "id"]).ends(0);
}
