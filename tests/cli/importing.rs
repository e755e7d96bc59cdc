//! Orders from the files that retailers hand out: what a person types, and what is stored then.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use rust_decimal::Decimal;
use serde_json::{Value, json};
use wiremock::matchers::path as url;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::support::{Home, Run};

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/own_history/cases")
}

fn case(name: &str) -> String {
    cases().join(name).join("in").display().to_string()
}

fn sum(result: &Value, field: &str) -> u64 {
    result["results"].as_array().expect("results").iter().map(|one| one[field].as_u64().expect("a count")).sum()
}

#[test]
fn a_history_is_checked_imported_listed_and_imported_again() {
    let home = Home::new();
    let file = case("refund-repeated");
    let tried = home.run(&["import", &file, "--dry-run"]).ends(0);
    assert!(tried.err.contains("Order History.csv: amazon-order-history, 2 rows"), "{}", tried.err);
    assert!(tried.err.contains("Refund Details.csv, row 3, order 111-0000031-0000031"), "{}", tried.err);
    assert!(tried.err.contains("Nothing was stored (--dry-run)."), "{}", tried.err);
    assert_eq!(home.run(&["connections", "-o", "json"]).json(), json!([]));

    let run = home.run(&["import", &file]).ends(0);
    assert!(run.out.contains("amazon.com           1        0          0          2"), "{}", run.out);
    let connections = home.run(&["connections", "-o", "json"]).json();
    assert_eq!((&connections[0]["status"], &connections[0]["statusReason"]), (&json!("valid"), &json!("import_only")));
    let listed = home.run(&["orders", "list", "-r", "amazon.com", "-o", "json"]).ends(0);
    assert!(!listed.err.contains("not complete"), "{}", listed.err);
    assert_eq!(listed.json().as_array().map(Vec::len), Some(2));

    let again = home.run(&["import", &file, "-o", "json"]).ends(0);
    let again = again.json();
    assert_eq!(["ordersNew", "ordersChanged", "ordersUnchanged"].map(|field| sum(&again, field)), [0, 0, 1]);
    // No sync fetches them, and none is missing.
    let sync = home.run(&["sync"]).ends(0);
    assert!(sync.err.contains("nothing to sync"), "{}", sync.err);
    let overview = home.run(&[]).ends(0).prints("Connections  1 valid").prints("ordersync orders list");
    assert!(!overview.out.contains("ordersync sync"), "{}", overview.out);
    for command in [["sync", "amazon.com"], ["fix", "amazon.com"]] {
        home.run(&command).ends(1).says("its orders come from files").says("ordersync import FILE");
    }
    home.run(&["orders", "export", "--require-complete", "--out", "all.csv"]).ends(0);
    home.run(&["doctor"]).ends(0);
}

/// An Amazon history of so many orders of each of these websites, a line each.
fn history(of: &[(&str, usize)]) -> String {
    let table = std::fs::read_to_string(cases().join("a28-plain/in/Your Orders/Your Amazon Orders/Order History.csv"))
        .expect("text");
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let headers = reader.headers().expect("a header").clone();
    let column = |name: &str| headers.iter().position(|header| header == name).expect("a column");
    let (website, number) = (column("Website"), column("Order ID"));
    let row = reader.records().next().expect("a row").expect("a row");
    writer.write_record(&headers).expect("written");
    for (shop, (name, count)) in of.iter().enumerate() {
        for order in 0..*count {
            let id = format!("{}-{order:07}-0000001", 100 + shop);
            let cells = row.iter().enumerate().map(|(place, cell)| match place {
                _ if place == website => *name,
                _ if place == number => id.as_str(),
                _ => cell,
            });
            writer.write_record(cells).expect("written");
        }
    }
    String::from_utf8(writer.into_inner().expect("written")).expect("text")
}

#[test]
fn an_import_that_is_killed_leaves_no_store_that_counts_as_complete() {
    let home = Home::new();
    let file = home.path().join("history.csv");
    std::fs::write(&file, history(&[("Amazon.com", 6_000), ("Amazon.de", 600)])).expect("written");
    let file = file.display().to_string();
    let mut import = home.command(&["import", &file]).spawn().expect("it starts");
    let stored = || home.run(&["orders", "list", "-L", "1", "-o", "json"]).json() != json!([]);
    while !stored() {
        assert!(import.try_wait().expect("its state").is_none(), "it ended before anything was listed");
    }
    import.kill().expect("killed");
    import.wait().expect("its end");

    let known = |home: &Home| {
        let connections = home.run(&["connections", "-o", "json"]).json();
        let of_each = connections.as_array().expect("a list").iter();
        of_each.map(|one| one["completeness"]["complete"].as_bool().expect("known")).collect::<Vec<_>>()
    };
    assert_eq!(known(&home), [false, false], "a shop of which nothing is stored yet is one of them");
    home.run(&["connections"]).ends(0).prints("not complete: an import was not finished");
    let export = ["orders", "export", "--require-complete", "--out", "all.csv"];
    let refused = home.run(&export).ends(10).err;
    for said in ["amazon.de (an import was not finished)", "amazon.de: ordersync import FILE"] {
        assert!(refused.contains(said), "{refused}");
    }

    home.run(&["import", &file]).ends(0);
    assert_eq!(known(&home), [true, true]);
    home.run(&export).ends(0);
    assert_eq!(std::fs::read_to_string(home.path().join("all.csv")).expect("text").lines().count(), 6_601);
}

#[test]
fn an_order_that_two_retailers_seem_to_have_is_told() {
    let home = Home::new();
    let file = home.path().join("history.csv");
    let one_number = history(&[("Amazon.com", 1), ("Amazon.de", 1)]).replace("101-", "100-");
    std::fs::write(&file, one_number).expect("written");
    let told = home.run(&["import", &file.display().to_string()]).ends(0).err;
    let said = "1 order of amazon.de seems to be at amazon.com, too, by number, day and amount: 100-0000000-0000001. If so, they count twice.";
    assert!(told.contains(said), "{told}");
}

/// Among many findings, what was not read at all is not lost.
#[test]
fn a_file_that_is_left_out_is_said_before_what_rows_say() {
    let home = Home::new();
    let folder = home.path().join("in");
    std::fs::create_dir(&folder).expect("a folder");
    let table = std::fs::read_to_string(
        cases().join("a28-quantity-0-with-money/in/Your Orders/Your Amazon Orders/Order History.csv"),
    )
    .expect("text");
    let (header, row) = table.trim_end().split_once('\n').expect("a header");
    let row = row.lines().next().expect("a row");
    let rows: String = (10..40)
        .map(|count| format!("{}\n", row.replace("0000007-0000007", &format!("00000{count}-0000007"))))
        .collect();
    std::fs::write(folder.join("a.csv"), format!("{header}\n{rows}")).expect("written");
    std::fs::write(folder.join("z.json"), "{\"places\": }").expect("written");
    let run = home.run(&["import", &folder.display().to_string(), "--dry-run"]).ends(0);
    let first = run.err.lines().find(|line| line.starts_with('!')).unwrap_or_default();
    assert!(first.contains("z.json") && run.err.contains("… and "), "{}", run.err);
}

#[test]
fn saved_pages_are_imported_with_their_flag() {
    let home = Home::new();
    let folder = case("pages-history-and-details");
    let tried = home.run(&["import", "--pages", &folder, "--dry-run"]).ends(0).err;
    for said in [
        "details.html: amazon-order-details-pages, 1 order",
        "sign-in.html: This is a sign-in page",
        "order 111-0000001-0000002: ",
    ] {
        assert!(tried.contains(said), "{said}: {tried}");
    }
    let known = |known: &[u64]| {
        let result = home.run(&["import", "--pages", &folder, "-o", "json"]).ends(0).json();
        assert_eq!(["ordersNew", "ordersChanged", "ordersUnchanged"].map(|field| sum(&result, field)), known);
    };
    known(&[2, 0, 0]);
    known(&[0, 0, 2]);
    assert!(home.run(&["import", &folder]).ends(2).err.contains("details.html"));
}

#[test]
fn a_sync_of_accounts_passes_over_what_comes_from_files() {
    let home = Home::connected("user_items_5", 0);
    home.run(&["import", &case("a28-plain")]).ends(0);
    home.run(&["sync", "--full"]).ends(0);
    let rows = home.run(&["orders", "list", "--all", "-o", "json"]).json();
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows.len(), 8);
    assert!(rows.iter().all(|row| row.get("missingSince").is_none()));
}

#[test]
fn a_file_that_cannot_be_imported_stores_nothing_and_says_what_it_lacks() {
    let home = Home::new();
    for (name, said) in [
        ("unknown-file", ["statement.csv", "--explain"]),
        ("a28-no-order-id-column", ["Order ID", "Order History.csv"]),
    ] {
        let run = home.run(&["import", &case(name)]).ends(2);
        assert!(said.iter().all(|text| run.err.contains(text)), "{}", run.err);
        let json = home.run(&["import", &case(name), "-o", "json"]);
        assert_eq!(json.error()["code"], "IMPORT_REFUSED");
    }
    assert_eq!(home.run(&["connections", "-o", "json"]).json(), json!([]));
}

#[test]
fn a_mapping_that_leaves_a_status_open_or_fits_no_file_is_told_of() {
    let home = Home::new();
    let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).expect("written");
    write(
        "shop.csv",
        "Order number,Title,Status,Price\n1,Tea,versendet,2.00\n2,Cup,storniert,3.00\n3,Pot,storniert,4.00\n",
    );
    let proposed = home.run(&["import", "shop.csv", "--explain"]).ends(0).out;
    assert!(proposed.contains("[statuses]\n# \"storniert\" = \"\" # shipped"), "{proposed}");
    assert!(!proposed.contains("# Not used"), "{proposed}");
    let columns = "currency = \"EUR\"\n[columns]\norderId = \"Order number\"\nitemName = \"Title\"\nprice = \"Price\"\n\
                   shipmentStatus = \"Status\"\n[statuses]\nversendet = \"shipped\"\n";
    write("mapping.toml", columns);
    let import = ["import", "shop.csv", "--map", "mapping.toml", "--retailer", "Shop", "--dry-run"];
    let run = home.run(&import).ends(0).says("The status \"storniert\" is not known: its lines count as bought.");
    assert_eq!(run.err.matches("storniert").count(), 1, "{}", run.err);
    write("mapping.toml", &format!("{columns}storniert = \"cancelled\"\n"));
    assert!(!home.run(&import).ends(0).err.contains("storniert"));
    write("mapping.toml", &columns.replace("Order number", "Number"));
    let run = home.run(&import).ends(2);
    assert!(run.err.contains("Number") && run.err.contains("hint: Correct the mapping"), "{}", run.err);
    write(
        "mapping.toml",
        "records = \"$.orders[*]\"\nlines = \"$.items[*]\"\n[columns]\norderId = \"order:$.number\"\nitemName = \"$.name\"\n",
    );
    write("shop.json", "{\"purchases\": [{\"number\": \"1\", \"items\": [{\"name\": \"Tea\"}]}]}");
    let run = home.run(&["import", "shop.json", "--map", "mapping.toml", "--retailer", "Shop"]).ends(2);
    assert!(
        run.err.contains("`records` select no order") && run.err.contains("hint: Correct the mapping"),
        "{}",
        run.err
    );
}

/// Two mails of one order, one day apart, each imported on its own.
#[test]
fn an_older_mail_that_is_imported_later_sets_no_status_back() {
    let amount = "<span class=\"woocommerce-Price-amount amount\">€3.00</span>";
    let mail = |day: u32, says: &str| {
        format!(
            "From: Shop <a@shop.example>\nDate: {day} Jan 2024 10:00:05 +0000\nSubject: Your order\n\
             Content-Type: text/html; charset=utf-8\n\n<p>{says}.</p>\n<h2>[Order #7] (<time \
             datetime=\"2024-01-01T10:00:00+00:00\">x</time>)</h2>\n<table><tr class=\"order_item\"><td>Mug</td><td>1</td>\
             <td>{amount}</td></tr></table>\n<table><tr><th scope=\"row\">Total:</th><td>{amount}</td></tr></table>\n"
        )
    };
    let ends = ["1.eml 2.eml", "2.eml 1.eml"].map(|files| {
        let home = Home::new();
        let write = |name: &str, text: String| std::fs::write(home.path().join(name), text).expect("written");
        write("1.eml", mail(1, "It is now being processed"));
        write("2.eml", mail(2, "We have finished processing your order"));
        let counts: Vec<[u64; 3]> = files
            .split(' ')
            .map(|file| {
                let result = home.run(&["import", file, "-o", "json"]).ends(0).json();
                ["ordersNew", "ordersChanged", "ordersUnchanged"].map(|field| sum(&result, field))
            })
            .collect();
        let listed = home.run(&["orders", "list", "-o", "json"]).ends(0).json();
        (counts, listed[0]["shipmentStatus"].clone(), listed.as_array().map(Vec::len))
    });
    let end = |second: [u64; 3]| (vec![[1, 0, 0], second], json!("completed"), Some(1));
    assert_eq!(ends, [end([0, 1, 0]), end([0, 0, 1])]);
}

#[test]
fn refunds_that_are_imported_later_join_their_orders() {
    let home = Home::new();
    let alone = home.run(&["import", &case("refund-file-alone")]).ends(0);
    assert!(alone.err.contains("1 refund not stored"), "{}", alone.err);
    assert_eq!(alone.out, "");
    home.run(&["import", &case("refund-partial-not-allocated")]).ends(0);
    let joined = home.run(&["import", &case("refund-file-alone"), "-o", "json"]).ends(0).json();
    assert_eq!(["ordersNew", "ordersChanged"].map(|field| sum(&joined, field)), [0, 1]);
    let order = home.run(&["orders", "get", "111-0000031-0000031", "--adjustments", "-o", "json"]).ends(0).out;
    assert!(order.contains("-13.00") && order.contains("-45.00"), "{order}");
}

#[test]
fn documents_are_kept_with_their_orders_and_written_to_files_again() {
    let home = Home::new();
    let (file, folder) = (case("refund-repeated"), home.path().join("Invoices"));
    std::fs::create_dir(&folder).expect("a folder");
    let invoice = b"%PDF-1.7 the invoice";
    std::fs::write(folder.join("111-0000031-0000031.pdf"), invoice).expect("written");
    std::fs::write(folder.join("terms.pdf"), b"%PDF-1.7 terms").expect("written");
    let arguments = ["import", file.as_str(), "Invoices", "--keep-documents"];
    let tried = home.run(&[&arguments[..], &["--dry-run"]].concat()).ends(0).says("1 document found beside the orders");
    assert!(tried.err.contains("terms.pdf: The name of the document does not say which order"), "{}", tried.err);
    assert_eq!(home.run(&["orders", "documents", "-o", "json"]).json(), json!([]));
    home.run(&["orders", "documents"]).ends(0).says("No documents are kept.");

    home.run(&arguments[..3]).ends(0).says("terms.pdf: What a PDF says is not read").says("--keep-documents keeps it");

    home.run(&arguments).ends(0).says("1 document kept with their orders").says("ordersync orders documents");
    home.run(&arguments).ends(0).says("0 documents kept with their orders; 1 was there already");
    home.run(&["orders", "documents"]).ends(0).prints("111-0000031-0000031.pdf").prints("amazon.com");
    let listed = home.run(&["orders", "documents", "111-0000031-0000031", "-o", "json"]).ends(0).json();
    assert_eq!(listed[0]["size"], invoice.len());
    assert_eq!(home.run(&["orders", "documents", "999", "-o", "json"]).ends(0).json(), json!([]));

    let path = "out/amazon.com/111-0000031-0000031/111-0000031-0000031.pdf";
    home.run(&["orders", "documents", "-r", "amazon", "--out", "out"]).ends(0).prints(path);
    assert_eq!(std::fs::read(home.path().join(path)).expect("the file"), invoice);
    home.run(&["orders", "documents", "--out", "out"]).ends(0).says("0 documents written to out; 1 was there already");
}

/// Writes 4,000 orders, always as many bytes.
fn write_orders(path: &Path, title: &str) {
    let is_csv = path.extension().is_some_and(|ending| ending == "csv");
    let row = |number: u32| match is_csv {
        true => format!("{number:07},{title},2.00"),
        false => json!({"Order": format!("{number:07}"), "Title": title, "Total": 2}).to_string(),
    };
    let rows: Vec<String> = (0..4_000).map(row).collect();
    let text = match is_csv {
        true => format!("Order,Title,Total\n{}\n", rows.join("\n")),
        false => format!("[{}]", rows.join(",\n")),
    };
    std::fs::write(path, text).expect("written");
}

/// The service changes the file when it gets the first orders: what is sent has to be what was checked.
#[tokio::test]
async fn a_file_that_changes_while_it_is_sent_ends_the_import() {
    for name in ["orders.csv", "orders.json"] {
        let home = Home::new();
        let path = home.path().join(name);
        write_orders(&path, "Teapot");
        let mapping = "retailer = \"shop.example\"\ndecimal = \".\"\n[columns]\norderId = \"Order\"\nitemName = \"Title\"\n\
                       lineTotal = \"Total\"\ncurrency = { value = \"USD\" }\n";
        std::fs::write(home.path().join("mapping.toml"), mapping).expect("written");
        let server = MockServer::start().await;
        let answer = move |_: &Request| {
            write_orders(&path, "Kettle");
            ResponseTemplate::new(200).set_body_json(json!({"ordersNew": 500}))
        };
        Mock::given(url("/sync/imports")).respond_with(answer).mount(&server).await;
        let run = home.run_at(&server.uri(), &["import", name, "--map", "mapping.toml"]);
        run.ends(1).says("The file was changed while it was read. Import it again.");
        let sent = server.received_requests().await.expect("requests");
        assert!(!sent.is_empty() && sent.len() < 8, "{}", sent.len());
        let is_checked = |request: &Request| !String::from_utf8_lossy(&request.body).contains("Kettle");
        assert!(sent.iter().all(is_checked), "what was sent was not checked");
    }
}

/// What the reading of the files cannot show: the cases that are about the store.
#[test]
fn every_case_ends_in_the_store_as_it_should_and_a_second_import_changes_nothing() {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(cases()).expect("cases").map(|entry| entry.expect("one").path()).collect();
    folders.sort();
    assert!(folders.len() > 40);
    let (mut wrong, mut summed) = (Vec::new(), 0);
    for folder in folders {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let expected: Value =
            serde_json::from_str(&std::fs::read_to_string(folder.join("expected.json")).expect("text")).expect("JSON");
        let home = Home::new();
        let mut options: Vec<String> = vec!["-o".to_owned(), "json".to_owned()];
        if let Some(text) = expected["currencyFrom"].as_str().filter(|text| text.starts_with("--currency ")) {
            options.extend(text.split(' ').map(str::to_owned));
        }
        let mapping = folder.join("in/mapping.toml");
        if mapping.is_file() {
            options.extend(["--map".to_owned(), mapping.display().to_string()]);
        }
        let import = |part: &str| {
            let file = folder.join("in").join(part).display().to_string();
            let pages = (expected["pages"] == true).then_some("--pages");
            let arguments: Vec<&str> =
                ["import"].into_iter().chain(pages).chain([&*file]).chain(options.iter().map(String::as_str)).collect();
            home.run(&arguments)
        };
        let parts: Vec<&str> = match expected["importOrder"].as_array() {
            Some(parts) => parts.iter().map(|part| part.as_str().expect("text")).collect(),
            None => vec![""],
        };
        let runs: Vec<Run> = parts.iter().map(|part| import(part)).collect();
        let last = runs.last().expect("an import");
        let is_accepted = expected["accepted"] == true;
        let rows = home.run(&["orders", "export", "--format", "jsonl", "-q"]).out.lines().count();
        let lines = |order: &Value| order["lines"].as_array().map_or(0, Vec::len);
        let all: usize = expected["orders"].as_array().expect("orders").iter().map(lines).sum();
        let mut check = |what: &str, is_right: bool| {
            if !is_right {
                wrong.push(format!("{name}: {what}"));
            }
        };
        check("its exit code", (last.code == 0) == is_accepted);
        check("its lines", rows == if is_accepted { all } else { 0 });
        let connections = home.run(&["connections", "-o", "json"]).json();
        let missing = connections.as_array().expect("a list").iter().flat_map(|connection| {
            let orders = connection["completeness"]["reasons"][0]["orders"].as_array().cloned().unwrap_or_default();
            let name = connection["displayName"].clone();
            orders
                .into_iter()
                .map(move |order| json!({ "retailer": name, "orderId": order["orderId"], "reason": order["reason"] }))
        });
        check(
            "what is missing",
            missing.collect::<Vec<_>>() == expected["missing"].as_array().cloned().unwrap_or_default(),
        );
        if let Some(changes) = expected["changes"].as_object() {
            let last = last.json();
            check("what is new", changes["new"] == sum(&last, "ordersNew"));
            check("what changed", changes["modified"] == sum(&last, "ordersChanged"));
        }
        for (expected, field) in [(&expected["spend"], "amount"), (&expected["net"], "net")] {
            let Some(sums) = expected.as_object() else { continue };
            summed += 1;
            for (currency, amount) in sums {
                let groups = home.run(&["orders", "summary", "--net", "-o", "json"]).json();
                let groups = groups.as_array().expect("groups").iter().filter(|group| group["currency"] == **currency);
                let total: Decimal =
                    groups.map(|group| Decimal::from_str(&group[field].to_string()).expect("a sum")).sum();
                check(field, total == Decimal::from_str(amount.as_str().expect("text")).expect("a sum"));
            }
        }
        if is_accepted {
            let again = import(parts.last().expect("a part")).json();
            check("its second import", sum(&again, "ordersNew") + sum(&again, "ordersChanged") == 0);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(summed > 35);
}

#[test]
fn a_folder_without_a_file_in_a_known_format_says_how_many_it_has() {
    let home = Home::new();
    let folder = home.path().join("files");
    std::fs::create_dir(&folder).expect("folder");
    for number in 1..=7 {
        std::fs::write(folder.join(format!("{number}.csv")), "a,b\n1,2\n").expect("write");
    }
    home.run(&["import", folder.to_str().expect("text")]).ends(2).says("5.csv and 2 more.");
}
