//! `orders export --split-by`: a file for each month or retailer, each whole, all of them at once.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};
use wiremock::{MockServer, ResponseTemplate};

use super::export::{Asked, leftovers, run, serving};
use super::spool::hand_over;
use super::support::{Home, Run};

const ITEMS: usize = 2600;

/// Newest first; retailers take turns, and the last ones have no date.
fn item(id: usize) -> Value {
    let (year, month) = (2026 - id / 1200, 12 - id / 100 % 12);
    let date = (id < 2500).then(|| format!("{year}-{month:02}-{:02}T00:00:00Z", 28 - id % 100 / 4));
    let retailer = id % 3 + 1;
    let name = ["MerriBazaar", "Café Müßig", "Harbor & Sons"][retailer - 1];
    json!({"id": format!("item_{id:06}"), "orderDate": date, "retailerId": retailer, "retailerName": name,
           "itemName": format!("\"{id}\", ü"), "price": "1.50"})
}

fn page(asked: &Asked) -> ResponseTemplate {
    let items: Vec<Value> = (0..ITEMS).skip(asked.offset).take(asked.limit).map(item).collect();
    ResponseTemplate::new(200).insert_header("x-total-count", ITEMS.to_string()).set_body_json(items)
}

fn export<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["orders", "export"], more].concat()
}

/// The files of an export, by their names.
pub(super) fn files(home: &Home, prefix: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(home.path()).expect("folder").flatten();
    let named = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let named = named.filter(|(name, _)| name.starts_with(prefix));
    named.map(|(name, path)| (name, std::fs::read(path).expect("file"))).collect()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

fn whole(home: &Home, server: &MockServer, more: &[&str]) -> Run {
    run(home, server, &export(more)).ends(0)
}

#[tokio::test]
async fn each_month_is_a_file_with_the_rows_of_the_whole() {
    let (home, server) = (Home::new(), serving(page).await);
    std::fs::write(home.path().join("orders-2020-01.csv"), "of an earlier run").expect("write");
    let all = whole(&home, &server, &[]).out;
    let told = whole(&home, &server, &["--out", "orders.csv", "--split-by", "month"]);
    told.says("Wrote 2600 items to 26 files, orders-*.csv");
    let mut files = files(&home, "orders");
    assert_eq!(files.remove("orders-2020-01.csv").as_deref(), Some(&b"of an earlier run"[..]), "left alone");
    assert_eq!(files.len(), 26, "{:?}", files.keys());
    let (header, rows) = all.split_once('\n').expect("a header");
    for (name, file) in &files {
        let month = name.strip_prefix("orders-").and_then(|name| name.strip_suffix(".csv")).expect("a month");
        let is_of_it = |row: &&str| row.contains(&format!(",{month}-")) || month == "undated" && !row.contains(",202");
        let expected: String = rows.lines().filter(is_of_it).map(|row| format!("{row}\n")).collect();
        assert!(expected.lines().count() == 100 && text(file) == format!("{header}\n{expected}"), "{name}");
    }
}

#[tokio::test]
async fn each_retailer_is_a_file_in_every_form() {
    let (home, server) = (Home::new(), serving(page).await);
    for name in ["orders.json", "orders.jsonl", "orders.csv"] {
        whole(&home, &server, &["--out", name, "--split-by", "retailer", "--columns", "id,price"]);
        let ending = name.strip_prefix("orders").expect("a name");
        let names = ["cafe-mussig", "harbor-sons", "merribazaar"].map(|name| format!("orders-{name}{ending}"));
        let plain = files(&home, "orders-");
        assert_eq!(plain.keys().cloned().collect::<Vec<_>>(), names);

        let packed = format!("{name}.gz");
        whole(&home, &server, &["--out", &packed, "--split-by", "retailer", "--columns", "id,price"]);
        for (name, bytes) in &plain {
            let packed = format!("{name}.gz");
            let unpacked = std::process::Command::new("gzip").args(["-dc", &packed]).current_dir(home.path()).output();
            assert!(unpacked.expect("gzip").stdout == *bytes, "{packed}");
            std::fs::remove_file(home.path().join(packed)).expect("remove");
            std::fs::remove_file(home.path().join(name)).expect("remove");
        }
        if ending == ".json" {
            let items: Value = serde_json::from_slice(&plain[&names[2]]).expect("JSON");
            assert_eq!(items.as_array().map(Vec::len), Some(867));
            assert_eq!(items[1], json!({"id": "item_000003", "price": "1.50"}));
        }
    }
    let safe = ["--out", "orders.csv", "--split-by", "retailer", "--excel-safe"];
    whole(&home, &server, &safe);
    assert!(files(&home, "orders-").values().all(|file| text(file).starts_with("\u{feff}Retailer,")));
}

#[tokio::test]
async fn a_split_export_that_broke_off_resumes_byte_identical_and_shows_no_file_before() {
    let server = serving(page).await;
    let broken = serving(|asked| if asked.offset < 1000 { page(asked) } else { ResponseTemplate::new(500) }).await;
    for form in [["orders.csv", "month"], ["orders.csv.gz", "retailer"], ["orders.xlsx", "month"]] {
        let arguments = ["--out", form[0], "--split-by", form[1]];
        let (home, undisturbed) = (Home::new(), Home::new());
        whole(&undisturbed, &server, &arguments);
        let stopped = run(&home, &broken, &export(&arguments)).ends(1);
        stopped.says(&format!("--split-by {} --resume", form[1]));
        assert!(files(&home, "orders-").is_empty(), "no file before all are whole");
        hand_over(&home, form[0], &broken, &server);
        let other = export(&["--out", form[0], "--split-by", if form[1] == "month" { "retailer" } else { "month" }]);
        run(&home, &server, &[&other[..], &["--resume"]].concat()).ends(2).says("another form");
        // The last file cannot be put there: the others are missing, too.
        let last = files(&undisturbed, "orders-").into_keys().next_back().expect("files");
        std::fs::create_dir(home.path().join(&last)).expect("folder");
        let resume = export(&[&arguments[..], &["--resume"]].concat());
        run(&home, &server, &resume).ends(2).says("is a folder");
        assert_eq!(files_only(&home), Vec::<String>::new());
        std::fs::remove_dir(home.path().join(&last)).expect("remove");
        run(&home, &server, &resume).ends(0).says("Resuming after 2600 of 2600 items");
        assert!(files(&home, "orders-") == files(&undisturbed, "orders-"), "{form:?}");
        assert_eq!(leftovers(&home), Vec::<PathBuf>::new());
    }
}

fn files_only(home: &Home) -> Vec<String> {
    let entries = std::fs::read_dir(home.path()).expect("folder").flatten();
    let entries = entries.filter(|entry| entry.path().is_file());
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("orders-")).collect()
}

#[tokio::test]
async fn a_list_in_another_order_is_split_as_well() {
    let shuffled = serving(|asked| {
        let items: Vec<Value> =
            (0..ITEMS).map(|id| id * 7 % ITEMS).map(item).skip(asked.offset).take(asked.limit).collect();
        ResponseTemplate::new(200).insert_header("x-total-count", ITEMS.to_string()).set_body_json(items)
    })
    .await;
    let home = Home::new();
    whole(&home, &shuffled, &["--out", "orders.jsonl", "--split-by", "month"]).says("26 files");
    for (name, file) in files(&home, "orders-") {
        let mut ids: Vec<Value> =
            text(&file).lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].take()).collect();
        ids.sort_by_key(|id| id.as_str().map(str::to_owned));
        let is_of_it = |item: &Value| {
            let month = item["orderDate"].as_str().and_then(|date| date.get(..7)).unwrap_or("undated");
            name == format!("orders-{month}.jsonl")
        };
        let expected: Vec<Value> = (0..ITEMS).map(item).filter(is_of_it).map(|mut item| item["id"].take()).collect();
        assert!(ids == expected && ids.len() == 100, "{name}");
    }
}

#[tokio::test]
async fn no_items_make_no_file() {
    let empty =
        serving(|_| ResponseTemplate::new(200).insert_header("x-total-count", "0").set_body_json(json!([]))).await;
    let home = Home::new();
    whole(&home, &empty, &["--out", "orders.csv", "--split-by", "month"]).says("No line item fits");
    assert!(files(&home, "orders").is_empty());
}

/// As `--out` does: what a link leads to is replaced and not the link, and a pipe or device is written into.
#[tokio::test]
async fn a_piece_follows_links_and_is_written_into_pipes_and_devices() {
    use std::os::unix::fs::symlink;

    let (home, server) = (Home::new(), serving(page).await);
    let arguments = ["--out", "orders.csv", "--split-by", "retailer"];
    whole(&home, &server, &arguments);
    let expected = files(&home, "orders-");
    let at = |name: &str| home.path().join(name);
    let [linked, piped] = ["orders-merribazaar.csv", "orders-cafe-mussig.csv"];
    // A link to a file that does not exist yet: it is made.
    std::fs::create_dir(at("elsewhere")).expect("folder");
    std::fs::remove_file(at(linked)).expect("remove");
    symlink("next.csv", at("elsewhere/link.csv")).expect("link");
    symlink("elsewhere/link.csv", at(linked)).expect("link");
    whole(&home, &server, &arguments);
    assert!(at(linked).is_symlink() && std::fs::read(at("elsewhere/next.csv")).expect("read") == expected[linked]);
    assert!(at("elsewhere/link.csv").is_symlink());
    // Links that lead round are kept.
    symlink("round.csv", at("round.csv")).expect("link");
    for more in [&[][..], &["--format", "xlsx"]] {
        symlink(format!("elsewhere/whole{}", more.len()), at("whole")).expect("link");
        let export = |name| run(&home, &server, &[&["orders", "export", "--out", name, "-q"], more].concat());
        export("whole").ends(0);
        assert!(at("whole").is_symlink() && at(&format!("elsewhere/whole{}", more.len())).is_file());
        export("round.csv").ends(1).says("Too many levels of symbolic links");
        std::fs::remove_file(at("whole")).expect("remove");
    }
    std::fs::remove_file(at("round.csv")).expect("remove");
    for name in [linked, piped] {
        std::fs::remove_file(at(name)).expect("remove");
    }
    std::fs::write(at("elsewhere/own.csv"), "old").expect("write");
    symlink("elsewhere/own.csv", at(linked)).expect("link");
    let made = std::process::Command::new("mkfifo").arg(at(piped)).status().expect("mkfifo");
    assert!(made.success());
    let reader = std::thread::spawn({
        let pipe = at(piped);
        move || std::fs::read(pipe).expect("read")
    });
    whole(&home, &server, &arguments);
    assert!(reader.join().expect("read") == expected[piped]);
    assert!(at(linked).is_symlink() && std::fs::read(at("elsewhere/own.csv")).expect("read") == expected[linked]);
    assert_eq!(leftovers(&home), Vec::<PathBuf>::new());

    // A device that takes nothing: no file is replaced.
    std::fs::remove_file(at(piped)).expect("remove");
    symlink("/dev/full", at(piped)).expect("link");
    std::fs::write(at("elsewhere/own.csv"), "mine").expect("write");
    run(&home, &server, &export(&arguments)).ends(1).says("No space left");
    assert!(at(piped).is_symlink() && std::fs::read(at("elsewhere/own.csv")).expect("read") == b"mine");
}
