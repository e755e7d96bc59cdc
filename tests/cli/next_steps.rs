//! What is said to do next can be done: the command in the message is run.

use serde_json::Value;

use super::support::{Home, Run};

/// The words of the first command of ours in a text that begins like this.
#[track_caller]
fn command(said: &str, beginning: &str) -> Vec<String> {
    let wanted = format!("ordersync {beginning}");
    let line = said.lines().find_map(|line| line.find(&wanted).map(|start| &line[start..]));
    let line = line.unwrap_or_else(|| panic!("{wanted:?} is not in: {said}"));
    line.split_whitespace().skip(1).map(str::to_owned).collect()
}

#[track_caller]
fn next(home: &Home, said: &str, beginning: &str) -> Run {
    let words = command(said, beginning);
    home.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn after_a_first_connect_in_an_outage() {
    let home = Home::new();
    let run = home.connect("error_retailer_unavailable", &[]).ends(9);
    // The retailer is still away, which the command says; it is not refused.
    let again = next(&home, &run.err, "sync --connection").ends(9);
    again.says("Marrowby Market");
    let run = home.run(&["sync"]).ends(9).says("Marrowby Market is pending");
    next(&home, &run.err, "sync --connection").ends(9);
    let run = home.connect("user_good", &[]).ends(1).says("is connected already");
    next(&home, &run.err, "sync --connection").ends(9);
    let mut fix = command(&run.err, "fix");
    fix.extend(["--credentials-file".to_owned(), home.credentials("user_good")]);
    home.run(&fix.iter().map(String::as_str).collect::<Vec<_>>()).ends(0);
    home.run(&["sync"]).ends(0);
}

#[test]
fn beside_a_sync_that_is_interrupted() {
    let home = Home::new();
    let credentials = home.credentials("user_slow");
    let started = home.connect_in_time("1", "user_slow", &["--no-wait"]).ends(0);
    let refused = home.run_in_time(&["sandbox", "break", &home.connection()]).ends(1);
    // New credentials are not taken during a sync, which is said before they are sent.
    let fixed = home.run_in_time(&["fix", "--retailer", "1", "--credentials-file", &credentials]).ends(1);
    let fixed = fixed.says("until it has ended, no other credentials are taken");
    next(&home, &fixed.err, "sessions watch").ends(0);
    let mut again = command(&fixed.err, "fix conn_");
    again.extend(["--credentials-file".to_owned(), credentials]);
    home.run(&again.iter().map(String::as_str).collect::<Vec<_>>()).ends(0);
    next(&home, &started.err, "sessions watch").ends(0);
    next(&home, &refused.err, "sessions watch").ends(0);
}

#[test]
fn after_a_question_that_was_answered_elsewhere() {
    let home = Home::new();
    let asked = home.connect("user_mfa_enter", &[]).ends(7);
    let mfa = command(&asked.err, "mfa --batch");
    let mfa: Vec<&str> = mfa.iter().map(String::as_str).collect();
    home.run_with_input(&mfa, "123456").ends(0);
    let late = home.run_with_input(&mfa, "123456").ends(1).says("Nothing waits for verification");
    next(&home, &late.err, "sessions get").ends(0).prints("completed");
}

#[test]
fn after_empty_lists() {
    let home = Home::new();
    let run = home.run(&["sessions", "list"]).ends(0).says("There has been no sync yet.");
    // Nobody can be asked here, so that it names what to give.
    next(&home, &run.err, "connect").ends(2).says("--retailer");
    let run = home.run(&["sync"]).ends(0).says("no retailer is connected");
    next(&home, &run.err, "connect").ends(2);
    // A sync would bring nothing: no command suggests it before a retailer is connected.
    for empty in [&["sessions"][..], &["mfa"], &["orders", "list"], &["orders", "summary"]] {
        let run = home.run(empty);
        assert!(!run.err.contains("ordersync sync"), "{}", run.err);
        assert!(run.err.matches("Next:").count() <= 1, "{}", run.err);
        next(&home, &run.err, "connect").ends(2);
    }
    let nothing: Value = home.run(&["connections", "-o", "json"]).ends(0).json();
    assert_eq!(nothing, serde_json::json!([]));
}

#[test]
fn before_and_after_a_repair() {
    let home = Home::connected("user_bad", 9);
    // Neither a sync nor an export would bring anything.
    assert_eq!(home.run(&["--jq", ".next"]).ends(0).json(), serde_json::json!(["ordersync fix"]));
    let fix = ["fix", "--yes", "--credentials-file"];
    home.run(&[&fix[..], &[&home.credentials("user_items_1")]].concat()).ends(0);
    home.run(&["sandbox", "reset", "--yes"]).ends(0);
    home.run(&["fix"]).ends(0).says("Nothing to fix: no retailer is connected.").says("Next: ordersync connect");
    home.run(&["orders", "list"]).ends(0).says("Next: ordersync connect");
}
