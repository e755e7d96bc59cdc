//! What every command prints, as a table, as JSON, as CSV: snapshots that are read by people, and what holds of the forms.
//! Identifiers and times are masked; everything else is as it is printed.

use serde_json::Value;

use crate::support::Home;

/// Snapshots with what differs from run to run masked.
fn shown(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    for (what, mask) in [
        (r"(conn|batch|item|usr|user|req|client|order)_[0-9a-z]{20,}", "${1}_…"),
        (r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
        (r"20\d\d-\d\d-\d\d \d\d:\d\d(:\d\d \+00:00)?", "DAY AND TIME"),
        (r"20\d\d-\d\d-\d\d", "DAY"),
        (r"/[^ \n]*/\.tmp[A-Za-z0-9]+", "HOME"),
        // As wide as the identifiers that are masked.
        (r"(\S) {3,}", "$1  "),
    ] {
        settings.add_filter(what, mask);
    }
    settings.bind(|| insta::assert_snapshot!(name.to_owned(), text));
}

/// What each command prints in a home with one connection, one sync and its items.
#[test]
fn every_command_has_a_table_and_a_document() {
    let home = Home::new();
    // One item: items of one order are listed by their identifiers, which are unknown beforehand.
    home.connect("user_items_1", &[]).ends(0);
    let connection = home.connection();
    let item = home.run(&["orders", "list", "-L", "1", "--jq", ".[0].id"]).ends(0).out;
    let batch = home.run(&["sessions", "--jq", ".batchId"]).ends(0).out;
    for command in [
        "retailers --search mar",
        "connections",
        "connections get CONNECTION",
        "sessions",
        "sessions get BATCH",
        "sessions list",
        "sessions watch BATCH",
        "sync",
        "orders sync",
        "orders list --limit 3",
        "orders get ITEM",
        "auth status",
        "profile",
        "config list",
        "config get profile",
        "profiles",
        "sandbox clock --unfreeze",
    ] {
        let words: Vec<&str> = command
            .split(' ')
            .map(|word| match word {
                "CONNECTION" => connection.trim(),
                "BATCH" => batch.trim(),
                "ITEM" => item.trim(),
                word => word,
            })
            .collect();
        let name = command.replace(' ', "_");
        let mut text = String::new();
        for form in ["table", "json", "csv"] {
            let run = home.run(&[&words[..], &["-o", form]].concat()).ends(0);
            text.push_str(&format!("$ ordersync {command} -o {form}\n{}", run.out));
        }
        shown(&name, &text);
        // The forms hold the same: jq's `.` is the document, JSON lines are its records.
        let document = home.run(&[&words[..], &["-o", "json"]].concat()).ends(0);
        if words.first() != Some(&"sync") && !words.contains(&"clock") && words.get(1) != Some(&"sync") {
            let filtered: Value = home.run(&[&words[..], &["--jq", "."]].concat()).ends(0).json();
            assert_eq!(filtered, document.json(), "{command}");
            let lines = home.run(&[&words[..], &["-o", "jsonl"]].concat()).ends(0).out;
            let records: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("json")).collect();
            match document.json() {
                Value::Array(rows) => assert_eq!(records, rows, "{command}"),
                record => assert_eq!(records, [record], "{command}"),
            }
        }
    }
}

#[test]
fn the_fields_that_are_listed_are_those_of_the_records() {
    let home = Home::connected("user_good", 0);
    for command in
        [&["connections"][..], &["retailers"], &["sessions"], &["orders", "list"], &["profile"], &["config", "list"]]
    {
        let listed = home.run(&[command, &["--fields"]].concat()).ends(0).out;
        let known: Vec<&str> = listed.lines().collect();
        let document = home.run(&[command, &["-o", "json"]].concat()).ends(0).json();
        let rows = document.as_array().cloned().unwrap_or_else(|| vec![document]);
        assert!(!rows.is_empty(), "{command:?}");
        for key in rows.iter().flat_map(|row| row.as_object().expect("an object").keys()) {
            assert!(known.contains(&key.as_str()), "{command:?} has {key}, which --fields does not list");
        }
    }
}

#[test]
fn line_items_as_csv_are_what_the_export_writes() {
    let home = Home::connected("user_good", 0);
    let listed = home.run(&["orders", "list", "--limit", "1000", "-o", "csv"]).ends(0).out;
    let exported = home.run(&["orders", "export"]).ends(0).out;
    assert_eq!(listed, exported);
}

#[test]
fn selected_fields_come_in_the_order_given_in_every_form() {
    let home = Home::connected("user_good", 0);
    let form = |form: &str| home.run(&["connections", "--fields", "status,retailerId", "-o", form]).ends(0).out;
    assert_eq!(form("csv"), "status,retailerId\nvalid,1\n");
    assert_eq!(form("jsonl"), "{\"status\":\"valid\",\"retailerId\":1}\n");
    assert_eq!(form("table"), "STATUS  RETAILER ID\nvalid             1\n");
    // Nothing to show is a header for a program, and a word for a person.
    let empty = Home::new();
    empty.run(&["connections", "-o", "csv", "--fields", "status"]).ends(0).prints("status\n");
    let table = empty.run(&["connections"]).ends(0).says("No retailer is connected");
    assert_eq!(table.out, "");
}

#[test]
fn colour_follows_the_flag_then_the_environment() {
    let home = Home::connected("user_good", 0);
    let coloured = |flag: &str, environment: &[(&str, &str)]| {
        let mut command = home.command(&["connections", "--color", flag]);
        command.envs(environment.iter().copied());
        crate::support::Run::of(command).ends(0).out.contains("\u{1b}[")
    };
    assert!(!coloured("auto", &[]));
    assert!(coloured("always", &[("NO_COLOR", "1")]));
    assert!(coloured("auto", &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured("auto", &[("CLICOLOR_FORCE", "0")]));
    assert!(!coloured("auto", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!coloured("never", &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn times_in_tables_are_local_and_exact_elsewhere() {
    let home = Home::connected("user_good", 0);
    let in_zone = |zone: &str| {
        let mut command = home.command(&["connections", "--fields", "lastSyncAt"]);
        command.env("TZ", zone);
        crate::support::Run::of(command).ends(0).out
    };
    let hour =
        |text: &str| text.lines().nth(1).and_then(|line| line.get(11..13)?.parse::<i32>().ok()).expect("an hour");
    assert_eq!((hour(&in_zone("UTC+0")) + 24 - hour(&in_zone("XXX+5"))) % 24, 5);
    let exact = home.run(&["connections", "--jq", ".[0].lastSyncAt"]).ends(0).out;
    assert!(exact.trim_end().ends_with('Z') && exact.len() > 20, "{exact}");
}

#[test]
fn what_a_service_answers_is_not_turned_into_csv() {
    let home = Home::new();
    home.run(&["api", "GET", "/sync/orders", "-o", "csv"]).ends(2).says("-f format=csv");
    home.run(&["api", "GET", "/sync/orders", "-f", "format=csv"]).ends(0).prints("Retailer,Retailer Order ID");
}

/// No snapshot: each session has an id of its own.
#[test]
fn a_sync_that_is_left_to_itself_names_its_session_in_every_form() {
    let home = Home::connected("user_items_1", 0);
    let started = home.run(&["sync", "--no-wait", "-o", "json"]).ends(0).json();
    assert!(started["batchId"].as_str().is_some_and(|id| id.starts_with("batch_")), "{started}");
    home.run(&["sessions", "watch"]).ends(0);
    home.run(&["sync", "--no-wait", "-o", "csv"]).ends(0).prints("batchId,status,connectionId\nbatch_");
    home.run(&["sessions", "watch"]).ends(0);
    home.run(&["sync", "--no-wait"]).ends(0).prints("✓ Started: ");
}
