//! `orders get --adjustments`, and adjustments in an export; what is not known is never shown as none.

use serde_json::{Value, json};

use super::list_peer::{Answer, Peer, http, items};
use super::support::{Home, Run};

const COLUMNS: &str = "id,orderId,itemName,lineAdjustments,orderAdjustments";

/// A home with one retailer whose orders have adjustments of every type.
fn adjusted() -> Home {
    Home::connected("user_adjustments", 0)
}

fn export(home: &Home, more: &[&str]) -> Run {
    home.run(&[&["orders", "export"], more].concat())
}

/// Every item with its adjustments, as JSON.
fn exported(home: &Home) -> Vec<Value> {
    let run = export(home, &["--format", "json", "--columns", COLUMNS]).ends(0);
    run.json().as_array().expect("an array").clone()
}

/// What `orders get --adjustments` lists of items of one order.
fn listed(items: &[&Value]) -> Value {
    let shown = |of: &str, item: &Value, adjustment: &Value| {
        let (id, name) = if of == "line" { (&item["id"], &item["itemName"]) } else { (&Value::Null, &Value::Null) };
        let mut shown = json!({"of": of, "orderId": item["orderId"], "itemId": id, "itemName": name});
        shown.as_object_mut().expect("an object").extend(adjustment.as_object().expect("an object").clone());
        shown
    };
    let list = |item: &Value, field: &str| item[field].as_array().expect("a list").clone();
    let of_order = list(items[0], "orderAdjustments").into_iter().map(|one| shown("order", items[0], &one));
    let of_lines =
        items.iter().flat_map(|item| list(item, "lineAdjustments").into_iter().map(|one| shown("line", item, &one)));
    of_order.chain(of_lines).collect()
}

#[test]
fn an_order_lists_its_adjustments_and_those_of_its_lines() {
    let home = adjusted();
    let all = exported(&home);
    let of = |order: &Value| all.iter().filter(|item| item["orderId"] == *order).collect::<Vec<_>>();
    let get = |wanted: &Value, more: &[&str]| {
        let wanted = wanted.as_str().expect("text");
        home.run(&[&["orders", "get", wanted, "--adjustments"], more].concat()).ends(0)
    };
    let with = |field: &str, kind: &str| {
        let has = |item: &&Value| item[field].as_array().expect("a list").iter().any(|one| one["type"] == kind);
        all.iter().find(has).expect("such an item")
    };
    for (field, kind, said) in [
        ("orderAdjustments", "discount", "Coupon WELCOME10"),
        ("orderAdjustments", "refund", "-"),
        ("orderAdjustments", "tax", "Tax (included)"),
        ("lineAdjustments", "return", "Return"),
    ] {
        let item = with(field, kind);
        let order = of(&item["orderId"]);
        assert_eq!(get(&item["orderId"], &["-o", "json"]).json(), listed(&order));
        assert_eq!(get(&item["id"], &["-o", "json"]).json(), listed(&[item]));
        let id = item["id"].as_str().expect("text");
        assert_eq!(get(&json!(id[..id.len() - 6]), &["-o", "json"]).json(), listed(&[item]));
        get(&item["orderId"], &[]).prints("AMOUNT").prints(kind).prints(said);
    }
    let csv = get(&with("orderAdjustments", "shipping")["id"], &["-o", "csv"]).out;
    assert!(csv.starts_with("of,orderId,itemId,itemName,type,amount,currency,date,text,included\norder,"), "{csv}");

    let none = all.iter().find(|item| listed(&of(&item["orderId"])) == json!([])).expect("such an order");
    assert_eq!(get(&none["orderId"], &["-o", "json"]).says("There are no adjustments").json(), json!([]));
    // The item itself is shown without them, however it is found.
    let item = home.run(&["orders", "get", none["id"].as_str().expect("text"), "-o", "json"]).ends(0).json();
    assert!(item.get("orderAdjustments").is_none() && item.get("lineAdjustments").is_none(), "{item}");
}

#[test]
fn what_is_not_known_is_an_error_and_never_an_empty_list() {
    let home = Home::connected("user_good", 0);
    let item = &home.run(&["orders", "list", "--limit", "1", "-o", "json"]).ends(0).json()[0];
    for wanted in ["id", "orderId"].map(|field| item[field].as_str().expect("text")) {
        let run = home.run(&["orders", "get", wanted, "--adjustments", "-o", "json"]).ends(1);
        let run = run.says("are not known").says("ordersync sync --full");
        assert_eq!((run.error()["code"].as_str(), run.out.as_str()), (Some("ADJUSTMENTS_UNKNOWN"), ""));
    }
    let csv = export(&home, &["--columns", "orderAdjustments,lineAdjustments"]).ends(0).out;
    assert!(csv.lines().skip(1).all(|line| line == ","), "unknown is empty: {csv}");
    let nested = export(&home, &["--columns", "orderAdjustments", "--format", "jsonl"]).ends(0).out;
    assert!(nested.lines().all(|line| line == r#"{"orderAdjustments":null}"#), "{nested}");
}

/// It ignores what it is asked to include, and has nothing at the address of an item.
#[test]
fn a_service_that_knows_the_specification_alone_is_said_not_to_report_them() {
    let (home, peer) = (Home::new(), Peer::start(items(0..1500), |_, _| Answer::Page));
    let run = peer.run(&home, &["orders", "get", "item_000007", "--adjustments", "-o", "json"]).ends(1);
    let run = run.says("This service does not report adjustments.");
    assert_eq!((run.error()["code"].as_str(), run.out.as_str()), (Some("ADJUSTMENTS_UNKNOWN"), ""));
    peer.run(&home, &["orders", "get", "item_000007"]).ends(0).prints("Price");
    for out in ["orders.csv", "orders.json.gz"] {
        let arguments = ["orders", "export", "--columns", "id,orderAdjustments", "--out", out];
        peer.run(&home, &arguments).ends(1).says("does not report adjustments").says("leave lineAdjustments");
        assert!(!home.path().join(out).exists());
    }
    peer.run(&home, &["orders", "export", "--columns", "id,price"]).ends(0);
}

#[test]
fn an_export_has_them_on_request_in_every_form() {
    let home = adjusted();
    let all = exported(&home);
    let plain = export(&home, &["--format", "json"]).ends(0).json();
    assert!(plain.as_array().expect("an array").iter().all(|item| item.get("orderAdjustments").is_none()));
    assert!(!export(&home, &[]).ends(0).out.contains("WELCOME10"));

    let csv = export(&home, &["--columns", COLUMNS]).ends(0).out;
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    for (row, item) in rows.records().zip(&all) {
        let row = row.expect("a row");
        for (index, field) in [(3, "lineAdjustments"), (4, "orderAdjustments")] {
            // Compact, and digit by digit.
            assert_eq!(&row[index], item[field].to_string());
        }
    }
    assert_eq!(csv.lines().count(), all.len() + 1);
    let lines: String = all.iter().map(|item| format!("{item}\n")).collect();
    export(&home, &["--columns", COLUMNS, "--out", "o.jsonl.gz"]).ends(0);
    let unpacked = std::process::Command::new("gzip").args(["-dc", "o.jsonl.gz"]).current_dir(home.path()).output();
    assert_eq!(String::from_utf8(unpacked.expect("gzip").stdout).expect("text"), lines);
    export(&home, &["--columns", COLUMNS, "--out", "o.xlsx"]).ends(0);
    export(&home, &["--columns"]).ends(0).prints("orderAdjustments");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_them_as_text_on_request() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    let home = adjusted();
    let all = exported(&home);
    export(&home, &["--columns", "id,orderAdjustments", "--out", "o.parquet"]).ends(0);
    let file = std::fs::File::open(home.path().join("o.parquet")).expect("file");
    let reader = SerializedFileReader::new(file).expect("parquet");
    let texts: Vec<Field> = reader
        .get_row_iter(None)
        .expect("rows")
        .map(|row| row.expect("a row").get_column_iter().nth(1).expect("a column").1.clone())
        .collect();
    let expected: Vec<Field> = all.iter().map(|item| Field::Str(item["orderAdjustments"].to_string())).collect();
    assert_eq!(texts, expected);
    export(&home, &["--out", "usual.parquet"]).ends(0);
    let file = std::fs::File::open(home.path().join("usual.parquet")).expect("file");
    let columns =
        SerializedFileReader::new(file).expect("parquet").metadata().file_metadata().schema().get_fields().len();
    assert_eq!(columns, 21);
}

#[test]
fn an_export_of_changes_notices_adjustments_if_it_has_them() {
    let home = adjusted();
    let named = |more: &[&str]| export(&home, &[&["--since-last", "--out", "c.jsonl"], more].concat()).ends(0);
    named(&[]).says("new and 0 changed");
    named(&[]).says("Nothing is new or changed");
    // Their columns are others now.
    named(&["--columns", COLUMNS, "--replace"]).says("0 new and");
    named(&["--columns", COLUMNS]).says("Nothing is new or changed");
}

/// The rows of an interrupted export have no adjustments: one that needs them cannot continue it.
#[test]
fn an_interrupted_export_is_not_resumed_with_other_columns() {
    let mut list = items(0..2500);
    for item in &mut list {
        item["orderAdjustments"] = json!([{"type": "fee", "amount": 1, "currency": null, "text": null}]);
        item["lineAdjustments"] = json!([]);
    }
    let home = Home::new();
    let peer = Peer::start(list, |asked, _| match asked.offset {
        0..900 => Answer::Page,
        _ => Answer::Bytes(http(400, "content-type: application/json\r\n", br#"{"code":"X","message":"No more."}"#)),
    });
    let export = |more: &[&str]| peer.run(&home, &[&["orders", "export", "--out", "o.csv"], more].concat());
    export(&["--columns", "id"]).ends(1);
    assert!(home.path().join("o.csv.part").exists());
    export(&["--columns", "id,orderAdjustments", "--resume"]).ends(2).says("--columns");
    assert!(!home.path().join("o.csv").exists());
}
