//! A home folder that version 974d485 left, in the hands of this one.
//!
//! `store_974d485/` was made with the binary of that commit: retailers 1, 3, 9 and 13 connected as `user_items_60`, synced
//! twice, and exported with `--since-last`. Then the fingerprints of the orders of retailers 1 and 3 were set to NULL, as those
//! of orders are that are still on their way, so that these are read again.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::Value;

use super::support::Home;

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/store_974d485");

fn old_home() -> Home {
    let home = Home::new();
    let data = home.path().join("data");
    let exports = data.join("exports/local");
    fs::create_dir_all(&exports).expect("folders");
    let mut store = Vec::new();
    let packed = File::open(format!("{KEPT}/service.sqlite3.gz")).expect("a store");
    GzDecoder::new(packed).read_to_end(&mut store).expect("unpacked");
    for (path, bytes) in [
        (data.join("service.sqlite3"), store),
        (data.join("service.key"), fs::read(format!("{KEPT}/service.key")).expect("a key")),
        (exports.join("default.known"), known(&home)),
    ] {
        fs::write(&path, bytes).expect("written");
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("private");
    }
    home
}

/// What was exported, from a store that is in this home folder: the first line says in which.
fn known(home: &Home) -> Vec<u8> {
    let bytes = fs::read(format!("{KEPT}/default.known")).expect("what was exported");
    let end = bytes.iter().position(|byte| *byte == b'\n').expect("a line");
    let (line, records) = bytes.split_at(end);
    let line = std::str::from_utf8(line).expect("text").replace("HOME", home.path().to_str().expect("text"));
    [line.as_bytes(), records].concat()
}

fn items(home: &Home) -> Vec<Value> {
    let items = home.run(&["orders", "export", "--format", "json"]).ends(0).json();
    items.as_array().expect("a list").clone()
}

#[test]
fn a_store_of_an_earlier_version_keeps_every_item_and_gains_line_totals_alone() {
    let home = old_home();
    let before = items(&home);
    assert_eq!(before.len(), 240);
    assert!(before.iter().all(|item| item.get("lineTotal").is_none()));

    home.run(&["sync"]).ends(0).says("nothing new");
    let after = items(&home);
    let mut without = after.clone();
    for item in &mut without {
        let item = item.as_object_mut().expect("an object");
        item.remove("lineTotal");
        item.remove("lineNumber");
    }
    // In the same order, with the same ids, and `updatedAt` as it was.
    assert_eq!(without, before);
    let mut filled = HashMap::<i64, usize>::new();
    for item in after.iter().filter(|item| item["lineTotal"].is_number()) {
        *filled.entry(item["retailerId"].as_i64().expect("a number")).or_default() += 1;
    }
    assert_eq!((filled.get(&1), filled.get(&3)), (Some(&60), Some(&60)));

    home.run(&["orders", "export", "--since-last", "--out", "new.csv"]).ends(0).says("Nothing is new or changed");
    let columns = home.run(&["orders", "export", "--retailer", "1", "--columns", "lineTotal"]).ends(0).out;
    assert!(columns.starts_with("lineTotal\n") && columns.lines().skip(1).all(|total| !total.is_empty()), "{columns}");
}
