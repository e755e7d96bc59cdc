//! The forms of an export: columns, compression, CSV for Excel, Parquet, and what the name of a file says.

use std::process::Command;

use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use super::export::{breaking_off, run, serving};
use super::support::Home;

const EXPORT: [&str; 2] = ["orders", "export"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&EXPORT[..], more].concat()
}

fn connected() -> Home {
    Home::connected("user_good", 0)
}

fn read(home: &Home, name: &str) -> Vec<u8> {
    std::fs::read(home.path().join(name)).expect("file")
}

fn gunzip(home: &Home, name: &str) -> std::process::Output {
    Command::new("gzip").args(["-dc", name]).current_dir(home.path()).output().expect("gzip")
}

#[test]
fn the_name_of_a_file_tells_its_form_and_flags_come_first() {
    let home = connected();
    for form in ["csv", "json", "jsonl"] {
        let plain = home.run(&with(&["--format", form])).ends(0).out.into_bytes();
        let (name, other) = (format!("orders.{form}"), format!("{form}.txt"));
        home.run(&with(&["--out", &name])).ends(0);
        assert!(read(&home, &name) == plain, "{name}");
        home.run(&with(&["--out", &other, "--format", form])).ends(0);
        assert!(read(&home, &other) == plain, "{other}");

        let packed = format!("{name}.gz");
        home.run(&with(&["--out", &packed])).ends(0);
        let unpacked = gunzip(&home, &packed);
        assert!(unpacked.status.success() && unpacked.stdout == plain, "{packed}");
    }
    let csv = home.run(&EXPORT).ends(0).out.into_bytes();
    home.run(&with(&["--out", "orders.2026"])).ends(0);
    assert!(read(&home, "orders.2026") == csv, "a name that says nothing: CSV");
    home.run(&with(&["--out", "flag.json", "--format", "csv"])).ends(0);
    assert!(read(&home, "flag.json") == csv);
    home.run(&with(&["--out", "o.csv", "-o", "jsonl"])).ends(0);
    assert_eq!(read(&home, "o.csv").first(), Some(&b'{'));
    home.run(&with(&["--out", "packed.csv", "--compress", "gzip"])).ends(0);
    std::fs::rename(home.path().join("packed.csv"), home.path().join("packed.gz")).expect("rename");
    assert!(gunzip(&home, "packed.gz").stdout == csv);

    let piped = home.command(&with(&["--compress", "gzip"])).output().expect("it runs");
    std::fs::write(home.path().join("piped.gz"), piped.stdout).expect("write");
    assert!(gunzip(&home, "piped.gz").stdout == csv);
}

#[cfg(feature = "zstd")]
#[test]
fn zstd_unpacks_to_the_same_bytes() {
    let home = connected();
    let plain = home.run(&EXPORT).ends(0).out.into_bytes();
    home.run(&with(&["--out", "orders.csv.zst"])).ends(0);
    let packed = read(&home, "orders.csv.zst");
    assert!(packed.len() < plain.len());
    assert!(zstd::decode_all(packed.as_slice()).expect("zstd") == plain);
    let piped = home.command(&with(&["--compress", "zstd"])).output().expect("it runs");
    assert!(zstd::decode_all(piped.stdout.as_slice()).expect("zstd") == plain);
}

#[test]
fn an_export_has_the_columns_that_were_asked_for() {
    let home = connected();
    let whole = home.run(&with(&["--format", "json"])).ends(0).json();
    let whole = whole.as_array().expect("array");
    assert!(!whole.is_empty());

    let csv = home.run(&with(&["--columns", "Price, id,updatedAt"])).ends(0).out;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let lines = whole.iter().map(|item| ["price", "id", "updatedAt"].map(|name| text(&item[name])).join(","));
    let expected: Vec<String> = std::iter::once("Price,id,updatedAt".to_owned()).chain(lines).collect();
    assert_eq!(csv.lines().collect::<Vec<_>>(), expected);

    let lines = home.run(&with(&["--format", "jsonl", "--columns", "price,itemName"])).ends(0).out;
    assert!(lines.starts_with("{\"price\":"), "{lines}");
    let chosen: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let expected: Vec<Value> =
        whole.iter().map(|item| json!({"price": item["price"], "itemName": item["itemName"]})).collect();
    assert_eq!(chosen, expected);
    assert_eq!(home.run(&with(&["--format", "json", "--columns", "price,itemName"])).ends(0).json(), json!(expected));
}

#[tokio::test]
async fn cells_reach_excel_as_they_are() {
    let titles = ["=1+1", "+49 screws", "@SUM(A1)", "007", "Mar 1", "Kabel \"ü\", 2\n😀", "Screws"];
    let server = serving(move |asked| {
        let items = titles.iter().enumerate().map(|(id, title)| {
            json!({"id": format!("item_{id}"), "orderId": "00123", "retailerSku": "12345678901234567890",
                   "orderDate": "2025-10-16T13:50:00Z", "itemName": title, "price": "-1.50"})
        });
        let items: Vec<Value> = items.skip(asked.offset).take(asked.limit).collect();
        ResponseTemplate::new(200).insert_header("x-total-count", titles.len().to_string()).set_body_json(items)
    })
    .await;
    let columns = "orderId,retailerSku,orderDate,price,itemName";
    let out = run(&Home::new(), &server, &with(&["--excel-safe", "--columns", columns])).ends(0).out;
    let same = "\"=\"\"00123\"\"\",\"=\"\"12345678901234567890\"\"\",2025-10-16 13:50:00,-1.50,";
    let cells = [
        "'=1+1",
        "'+49 screws",
        "'@SUM(A1)",
        "\"=\"\"007\"\"\"",
        "\"=\"\"Mar 1\"\"\"",
        "\"Kabel \"\"ü\"\", 2\n😀\"",
        "Screws",
    ];
    let lines: String = cells.iter().map(|cell| format!("{same}{cell}\r\n")).collect();
    assert_eq!(out, format!("\u{feff}Retailer Order ID,SKU,Order Date (UTC),Price,Item Name\r\n{lines}"));
}

/// Items as odd as spreadsheets meet them.
async fn odd_items() -> wiremock::MockServer {
    serving(|asked| {
        let mut items = vec![
            json!({"id": "a", "orderDate": "2026-01-01T04:30:00Z", "itemName": "A\u{0}B; C", "brandName": null, "quantity": 3,
                "price": null, "lineTotal": "1430.71", "lineNumber": 2, "currency": "EUR",
                "mismatch": [{"check": "order_total", "shown": 83.12, "computed": 166.24}]}),
            json!({"id": "b", "orderDate": "2025-12-31T00:00:00Z", "itemName": "3. Mai", "brandName": "", "quantity": "1.5",
                "price": 2, "lineTotal": 3, "currency": "EUR"}),
        ];
        items.retain(|item| item["orderDate"].as_str().and_then(|date| date.parse().ok()) >= asked.since);
        let count = items.len().to_string();
        let items: Vec<Value> = items.into_iter().skip(asked.offset).take(asked.limit).collect();
        ResponseTemplate::new(200).insert_header("x-total-count", count).set_body_json(items)
    })
    .await
}

#[tokio::test]
async fn an_empty_only_column_is_no_empty_line_and_a_nul_is_seen() {
    let server = odd_items().await;
    let out = run(&Home::new(), &server, &with(&["--columns", "brandName"])).ends(0).out;
    assert_eq!(out, "Brand\n\"\"\n\"\"\n");
    let out = run(&Home::new(), &server, &with(&["--columns", "brandName", "--excel-safe"])).ends(0).out;
    assert_eq!(out, "\u{feff}Brand\r\n\"\"\r\n\"\"\r\n");
    for csv in [with(&["--columns", "itemName"]), vec!["orders", "list", "-o", "csv", "--fields", "itemName"]] {
        let out = run(&Home::new(), &server, &csv).ends(0).out;
        assert!(out.contains("A␀B; C") && !out.contains('\0'), "{out:?}");
    }
}

#[tokio::test]
async fn the_usual_columns_and_more() {
    let server = odd_items().await;
    let more = "+lineTotal,+mismatch,+lineNumber";
    let out = run(&Home::new(), &server, &with(&["--columns", more])).ends(0).out;
    assert!(
        out.starts_with("Retailer,Retailer Order ID,") && out.contains("Order Total,lineTotal,mismatch,lineNumber\n")
    );
    assert!(out.contains(",1430.71,\"order_total: shown 83.12, computed 166.24\",2\n"), "{out}");
    let json = run(&Home::new(), &server, &with(&["--format", "json", "--columns", more])).ends(0).json();
    assert_eq!(json[0]["mismatch"][0]["computed"], 166.24);
    run(&Home::new(), &server, &with(&["--columns", "+lineTotal,price"])).ends(2).says("with a + before each name");
    let listed = run(&Home::new(), &server, &with(&["--columns"])).ends(0).out;
    assert!(listed.contains("mismatch") && listed.contains("lineNumber"), "{listed}");
}

#[tokio::test]
async fn a_spreadsheet_of_another_language_gets_its_own_signs() {
    let server = odd_items().await;
    let signs = ["--delimiter", ";", "--decimal", ",", "--columns", "itemName,quantity,lineTotal"];
    let out = run(&Home::new(), &server, &with(&signs)).ends(0).out;
    assert_eq!(out, "Item Name;Quantity;lineTotal\n\"A␀B; C\";3;1430,71\n3. Mai;1,5;3\n");
    let excel = [&["--excel-safe"][..], &signs].concat();
    let out = run(&Home::new(), &server, &with(&excel)).ends(0).out;
    assert!(out.contains("\"=\"\"3. Mai\"\"\";1,5;3\r\n"), "{out}");
    let home = Home::new();
    run(&home, &server, &with(&["--decimal", ","])).ends(2).says("--delimiter ';'");
    run(&home, &server, &with(&["--delimiter", "x"])).ends(2).says("tab");
    run(&home, &server, &with(&["--delimiter", ";", "--out", "o.xlsx"])).ends(2).says("for CSV");
}

/// One purchase at half past four in the morning in UTC on New Year's day, which is the old year in New York, and one on
/// the last day of the year without a time.
#[tokio::test]
async fn a_purchase_is_in_one_year_for_every_command() {
    let home = Home::new();
    let server = odd_items().await;
    let zone = ["--time-zone", "America/New_York"];
    let there = |words: &[&'static str]| [words, &zone].concat();
    let list = run(&home, &server, &there(&["orders", "list"])).ends(0).out;
    assert!(
        list.contains("DATE (America/New_York)") && list.contains("2025-12-31") && !list.contains("2026-01-01"),
        "{list}"
    );
    let months = run(&home, &server, &there(&["orders", "summary", "--jq", "[.[].group]"])).ends(0).json();
    assert_eq!(months, json!(["2025-12"]));
    let table = run(&home, &server, &there(&["orders", "summary"])).ends(0).out;
    assert!(table.contains("MONTH (America/New_York)"), "{table}");
    let excel = there(&["orders", "export", "--excel-safe", "--columns", "orderDate"]);
    let excel = run(&home, &server, &excel).ends(0).out;
    assert_eq!(excel, "\u{feff}Order Date (America/New_York)\r\n2025-12-31 23:30:00\r\n2025-12-31 00:00:00\r\n");
    run(&home, &server, &there(&["orders", "export", "--out", "ny.csv", "--split-by", "month"])).ends(0);
    assert!(home.path().join("ny-2025-12.csv").exists() && !home.path().join("ny-2026-01.csv").exists());
    run(&home, &server, &there(&["orders", "export", "--out", "ny.xlsx"])).ends(0);
    let plain = run(&home, &server, &there(&["orders", "export", "--columns", "orderDate"])).ends(0).out;
    assert_eq!(plain, "Order Date\n2026-01-01T04:30:00Z\n2025-12-31T00:00:00Z\n");
}

/// What the service is asked for, and what of its answer is taken: west of UTC it has purchases of the day before.
#[tokio::test]
async fn a_filter_takes_the_days_of_the_zone() {
    let home = Home::new();
    let server = odd_items().await;
    for (since, ids) in [("2025-12-31", "a,b"), ("2026-01-01", "")] {
        let asked = ["orders", "export", "--columns", "id", "--since", since, "--time-zone", "America/New_York"];
        let out = run(&home, &server, &asked).ends(0).out;
        assert_eq!(out.lines().skip(1).collect::<Vec<_>>().join(","), ids, "{since}");
        let listed = ["orders", "list", "--since", since, "--time-zone", "America/New_York", "--jq", ".[].id"];
        let out = run(&home, &server, &listed).ends(0).out;
        assert_eq!(out.lines().collect::<Vec<_>>().join(","), ids, "{since}");
    }
    let requests = server.received_requests().await.expect("requests");
    let query = |request: &wiremock::Request| request.url.query().unwrap_or_default().to_owned();
    // A page of one item counts those without a date.
    let asked = requests.iter().map(query).rfind(|query| !query.contains("limit=1&")).expect("a request");
    assert!(asked.contains("start_date=2026-01-01T00"), "{asked}");
}

#[tokio::test]
async fn a_zone_that_does_not_exist_is_an_error_and_never_utc() {
    let home = Home::new();
    let server = odd_items().await;
    for words in [&["orders", "list"][..], &["orders", "export"], &["orders", "summary"]] {
        let wrong = [words, &["--time-zone", "Nowhere/Bad"]].concat();
        run(&home, &server, &wrong).ends(2).says("\"Nowhere/Bad\" is not a time zone");
        let mut command = home.command(words);
        command.env("TZ", "Nowhere/Bad");
        crate::support::Run::of(command).ends(2).says("TZ: \"Nowhere/Bad\" is not a time zone");
    }
    let mut command = home.command(&["config", "list"]);
    command.env("TZ", "Nowhere/Bad");
    crate::support::Run::of(command).ends(0).says("Times are shown in UTC");
}

#[tokio::test]
async fn a_compressed_export_that_broke_off_is_never_taken_for_a_whole_one() {
    let broken = breaking_off().await;
    let home = Home::new();
    let output = home.command_at(&broken.uri(), &with(&["--compress", "gzip"])).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    std::fs::write(home.path().join("piped.gz"), output.stdout).expect("write");
    assert!(!gunzip(&home, "piped.gz").status.success(), "gzip finds no end");
}

#[cfg(feature = "parquet")]
mod parquet {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::json;
    use wiremock::ResponseTemplate;

    use super::super::export::{ITEMS, page, run, serving};
    use super::{Home, with};

    fn rows(home: &Home, name: &str) -> Vec<Vec<(String, Field)>> {
        let file = std::fs::File::open(home.path().join(name)).expect("file");
        let reader = SerializedFileReader::new(file).expect("Parquet");
        let rows = reader.get_row_iter(None).expect("rows");
        rows.map(|row| row.expect("a row").into_columns()).collect()
    }

    #[tokio::test]
    async fn every_row_and_column_is_read_back() {
        let server = serving(|asked| page(asked, 0..ITEMS, ITEMS)).await;
        let home = Home::new();
        run(&home, &server, &with(&["--out", "orders.parquet"])).ends(0);
        let rows = rows(&home, "orders.parquet");
        assert_eq!(rows.len(), ITEMS);
        for (id, row) in rows.iter().enumerate() {
            let field = |name: &str| row.iter().find(|(known, _)| known == name).map(|(_, field)| field);
            assert_eq!(row.len(), 21);
            assert_eq!(field("id"), Some(&Field::Str(format!("item_{id:06}"))));
            assert_eq!(field("itemName"), Some(&Field::Str(format!("\"{id}\", ü\n😀"))));
            assert_eq!(field("price").map(ToString::to_string).as_deref(), Some("1.5000000000"));
            assert!(matches!(field("orderDate"), Some(Field::TimestampMicros(_))));
            assert_eq!(field("brandName"), Some(&Field::Null));
        }
        run(&home, &server, &with(&["--out", "two.parquet", "--columns", "price,id"])).ends(0);
        let names: Vec<String> = self::rows(&home, "two.parquet")[0].iter().map(|(name, _)| name.clone()).collect();
        assert_eq!(names, ["price", "id"]);
    }

    #[tokio::test]
    async fn what_does_not_fit_is_refused_and_leaves_no_file() {
        let server = serving(|_| {
            let items = json!([{"id": "item_1", "price": "0.12345678901"}]);
            ResponseTemplate::new(200).insert_header("x-total-count", "1").set_body_json(items)
        })
        .await;
        let home = Home::new();
        let refused = run(&home, &server, &with(&["--out", "orders.parquet"]));
        assert_ne!(refused.code, 0);
        refused.says("Parquet cannot hold price of item item_1 exactly: 0.12345678901");
        assert!(!home.path().join("orders.parquet").exists());
    }
}
