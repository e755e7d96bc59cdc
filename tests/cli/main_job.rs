//! The main job: connect, follow, export, sync again.

use std::collections::BTreeSet;
use std::process::Command;

use super::support::{Home, Run};

const HEADER: &str = "Retailer,Retailer Order ID,Order Date,Item Name,Brand,Dept,Category,SubCategory,SKU,Quantity,Price,\
                      Currency,Shipment Status,Order Total";

#[test]
fn a_connect_with_mfa_ends_with_every_item_exported_once() {
    let home = Home::new();
    let mfa = ["--mfa-option", "sms", "--mfa-command", "echo 123456"];
    home.connect("user_mfa_choose", &mfa).ends(0).prints("✓ Marrowby Market: ").says("waiting for verification");
    let csv = home.run(&["orders", "export", "--format", "csv"]).ends(0);
    assert!(csv.err.is_empty(), "a pipe hears nothing else: {}", csv.err);
    assert_eq!(csv.out.lines().next(), Some(HEADER));
    let json = home.run(&["orders", "export", "--format", "json"]).ends(0).json();
    let items = json.as_array().expect("an array");
    let ids: BTreeSet<&str> = items.iter().filter_map(|item| item["id"].as_str()).collect();
    assert!(!items.is_empty());
    assert_eq!(ids.len(), items.len());
    assert_eq!(csv.out.lines().count(), items.len() + 1);
}

#[test]
fn a_second_sync_adds_nothing_and_changes_nothing() {
    let home = Home::connected("user_good", 0);
    let before = home.run(&["orders", "export", "-o", "json"]).ends(0);
    let again = home.run(&["sync"]).ends(0).prints("none new");
    assert!(!again.out.contains("changed"), "{}", again.out);
    home.run(&["orders", "sync", "--retailer", "marrowby"]).ends(0).prints("none new");
    assert_eq!(home.run(&["orders", "export", "-o", "json"]).ends(0).out, before.out);
}

#[test]
fn an_export_of_several_pages_is_whole() {
    let home = Home::new();
    home.connect("user_items_2500", &[]).ends(0).prints("2500 items, 2500 new");
    let out = home.path().join("orders.csv");
    home.run(&["orders", "export", "--out", out.to_str().expect("text")]).ends(0).says("✓ Wrote 2500 items");
    assert_eq!(std::fs::read_to_string(out).expect("file").lines().count(), 2501);
    let leftovers = std::fs::read_dir(home.path()).expect("folder").flatten();
    assert!(!leftovers.into_iter().any(|entry| entry.file_name().to_string_lossy().contains(".part")));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let home = Home::connected("user_items_2500", 0);
    let mut shell = Command::new("sh");
    shell.args(["-c", "(\"$BIN\" orders export; echo \"exit $?\" >&2) | head -n 1"]);
    shell.env("BIN", env!("CARGO_BIN_EXE_ordersync")).env("ORDERSYNC_HOME", home.path());
    let run = Run::of(shell);
    assert_eq!((run.out.trim_end(), run.err.trim_end()), (HEADER, "exit 0"));
}

#[test]
fn filters_choose_by_retailer_and_date() {
    let home = Home::connected("user_good", 0);
    let count = |arguments: &[&str]| {
        let run = home.run(&[&["orders", "export", "--format", "json"], arguments].concat()).ends(0);
        run.json().as_array().expect("array").len()
    };
    let all = count(&[]);
    assert_eq!(count(&["--retailer", "Marrowby Market"]), all);
    assert_eq!(count(&["--retailer", "2"]), 0);
    let newest = home.run(&["orders", "list", "--limit", "1", "-o", "json"]).ends(0).json();
    let date = newest[0]["orderDate"].as_str().expect("date").to_owned();
    assert_eq!(count(&["--until", &date]) + count(&["--since", &date]), all);
    let id = newest[0]["id"].as_str().expect("id");
    assert_eq!(home.run(&["orders", "get", id, "-o", "json"]).ends(0).json(), newest[0]);
}

#[test]
fn a_sync_that_was_left_running_goes_on_with_the_next_command() {
    let home = Home::new();
    home.connect("user_good", &["--no-wait"]).ends(0).prints("✓ Started: session ").says("ordersync sessions watch");
    home.run(&["sessions", "watch"]).ends(0).prints("✓ Marrowby Market: ");
}

#[test]
fn a_sync_that_runs_already_is_followed() {
    let home = Home::new();
    let started = home.connect("user_mfa_enter", &["--no-wait", "-o", "json"]).ends(0).json();
    let batch = started["batchId"].as_str().expect("batch");
    let connection = home.connection();
    let code = ["--mfa-command", "echo 123456"];
    let run = home.run(&[&["sync", "--connection", &connection], &code[..]].concat()).ends(0);
    run.says(batch).says("already running").prints("✓ Marrowby Market: ");
}

#[test]
fn a_broken_connection_is_fixed() {
    let home = Home::connected("user_good", 0);
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    home.run(&["connections", "--status", "invalid"]).ends(0).prints("invalid");
    home.run(&["sync", "--connection", &home.connection()]).ends(9).says("ordersync fix conn_");
    home.run(&["fix", "--yes", "--credentials-file", &home.credentials("user_good")]).ends(0).prints("none new");
    home.run(&["fix"]).ends(0).says("Nothing to fix");
    assert_eq!(home.run(&["connections", "-o", "json"]).json()[0]["status"], "valid");
}

#[test]
fn json_is_the_session_and_nothing_else() {
    let home = Home::new();
    let session = home.connect("user_good", &["-o", "json"]).ends(0).json();
    assert_eq!(session["status"], "normal");
    assert_eq!(home.run(&["sessions", "-o", "json"]).json()["batchId"], session["batchId"]);
}

#[test]
fn credentials_come_from_standard_input_too() {
    let home = Home::new();
    let input = r#"{"username":"user_mfa_enter","password":"pass_good"}"#;
    let arguments = ["connect", "-r", "1", "--credentials-stdin", "--mfa-command", "echo 123456"];
    home.run_with_input(&arguments, input).ends(0).prints("✓ Marrowby Market: ");
}

#[test]
fn the_demonstration_does_the_whole_job_and_can_be_repeated() {
    let home = Home::new();
    for _ in 0..2 {
        let run = home.run(&["demo"]).ends(0).says("$ ordersync connect --retailer 12").prints("none new");
        assert!(!run.err.contains("error"), "{}", run.err);
        let csv = std::fs::read_to_string(home.path().join("orders.csv")).expect("orders.csv");
        assert!(csv.starts_with(HEADER) && csv.lines().count() > 1);
    }
    let data = std::fs::read_dir(home.path().join("data")).expect("folder").count();
    assert_eq!(data, 0, "the demonstration leaves nothing but the export");
}

#[test]
fn the_demonstration_needs_no_home_that_can_be_written() {
    let home = Home::new();
    // A file where the folder is to be.
    std::fs::write(home.path().join("data"), "").expect("write");
    home.run(&["demo"]).ends(0).prints("none new");
}

#[test]
fn the_demonstration_overwrites_no_file_of_the_users() {
    let home = Home::new();
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).expect(name);
    home.connect("user_good", &[]).ends(0);
    home.run(&["orders", "export", "--out", "orders.csv"]).ends(0);
    let export = read("orders.csv");
    // Twice: what the first one left is what the second one would write.
    for _ in 0..2 {
        home.run(&["demo"]).ends(0).says("orders.csv already exists").says("orders-demo.csv");
        assert_eq!(read("orders.csv"), export, "a real export is not lost");
    }
    assert!(read("orders-demo.csv").starts_with(HEADER));
    std::fs::write(home.path().join("orders-demo.csv"), "my own notes").expect("write");
    home.run(&["demo"]).ends(0).says("orders-demo-2.csv");
    assert_eq!(read("orders-demo.csv"), "my own notes");
}
