//! Names wherever ids are taken: exact, then a unique beginning, then a unique part, accents and case folded.

use super::support::{Home, Run};

/// Connects a simulated customer with these words in place of `--retailer 1`.
fn connect(home: &Home, user: &str, retailer: &[&str]) -> Run {
    home.run(&[&["connect"], retailer, &["--credentials-file", &home.credentials(user)]].concat())
}

#[test]
fn connect_takes_a_name_and_says_which_retailer_it_chose() {
    let home = Home::new();
    let run = connect(&home, "user_items_3", &["shoten"]).ends(0);
    assert!(run.err.starts_with("Connecting Komadori Shōten (retailer 9)."), "{}", run.err);
    // The whole name, or the id, needs no word.
    let run = connect(&home, "user_items_3", &["merribazaar", "-r", "12"]).ends(0);
    assert!(!run.err.contains("Connecting"), "{}", run.err);
    connect(&home, "user_items_3", &["threadmoor", "-r", "12"])
        .ends(2)
        .says("Threadmoor and Merribazaar are two retailers");
    // Scattered letters are no part of a name.
    connect(&home, "user_items_3", &["tmr"]).ends(5).says("There is no retailer called");
    connect(&home, "user_items_3", &["korb"])
        .ends(2)
        .says("Lindenkorb (--retailer ")
        .says("Gletscherkorb (--retailer ");
    home.run(&["retailers", "--search", "SHOTEN", "--jq", "length"]).ends(0).prints("1");
    home.run(&["orders", "export", "--retailer", "shoten", "--format", "json"]).ends(0).prints("Komadori Shōten");
}

#[test]
fn sync_takes_several_names_and_options_that_mean_the_same() {
    let home = Home::new();
    for retailer in ["merribazaar", "threadmoor", "tidewick"] {
        connect(&home, "user_items_2", &[retailer]).ends(0);
    }
    home.run(&["sync", "merri"]).ends(0).prints("Merribazaar: 2 items");
    for sync in [&["sync"][..], &["orders", "sync"]] {
        let session = home.run(&[sync, &["merri", "thread", "12", "-o", "json"]].concat()).ends(0).json();
        let parts = session["retailerSyncSessions"].as_array().expect("parts");
        let names: Vec<&str> = parts.iter().filter_map(|part| part["displayName"].as_str()).collect();
        assert_eq!(names, ["Merribazaar", "Threadmoor"]);
        assert!(parts[1]["batchId"].is_string() && session["skipped"] == serde_json::json!([]), "{session}");
    }
    home.run(&["sync", "merri", "thread"]).ends(0).prints("Merribazaar: 2 items").prints("Threadmoor: 2 items");
    home.run(&["sync", "merri", "thread", "--no-wait"]).ends(0).says("ordersync sessions watch batch_");
    home.run(&["sessions", "watch", "threadmoor"]).ends(0).prints("Threadmoor: 2 items");
    home.run(&["sessions", "watch", "merri"]).ends(0).prints("Merribazaar: 2 items");
    home.run(&["sync", "-r", "merri", "-c", "merribazaar"]).ends(0).prints("Merribazaar");
    home.run(&["sync", "merri", "-r", "thread"]).ends(2).says("different connections");
    home.run(&["sync", "t"]).ends(2).says("\"t\" matches 2 connections.").says("Threadmoor").says("Tidewick Home");
    home.run(&["sync", "merri", "marrowby"]).ends(5).says("Marrowby Market is not connected.");
    home.run(&["orders", "sync", "-r", "merri", "tidewick"]).ends(2).says("different connections");
    home.run(&["sync", "tidwick"]).ends(5).says("Did you mean Tidewick Home?");
}

#[test]
fn connections_fix_and_sessions_take_names_and_short_ids() {
    let home = Home::new();
    connect(&home, "user_items_2", &["merribazaar"]).ends(0);
    let id = home.connection();
    let short = &id[..id.len() - 8];
    for name in ["merri", "MERRIBAZAAR", "12", id.as_str(), short, &short["conn_".len()..]] {
        home.run(&["connections", name, "--jq", ".connectionId"]).ends(0).prints(&id);
        home.run(&["connections", "get", name, "--jq", ".connectionId"]).ends(0).prints(&id);
    }
    home.run(&["connections", "zebra"]).ends(5).says("There is no retailer called \"zebra\"");
    let batch = home.run(&["sessions", "--jq", ".batchId"]).ends(0).out;
    let batch = batch.trim();
    for name in [batch, &batch[..batch.len() - 8], "merri"] {
        home.run(&["sessions", "get", name, "--jq", ".batchId"]).ends(0).prints(batch);
        home.run(&["sessions", "watch", name]).ends(0).prints("Merribazaar: 2 items");
    }
    home.run(&["sessions", "get", "zebra"]).ends(5).says("request id: req_");
    for verb in ["get", "watch"] {
        let run = home.run(&["sessions", verb, "marrow"]).ends(5).says("Marrowby Market is not connected");
        run.says("ordersync connect 'Marrowby Market'");
    }
    let fix = ["--credentials-file", &home.credentials("user_items_2")];
    let run = home.run(&[&["fix", "bazaar"][..], &fix].concat()).ends(0);
    assert!(run.err.starts_with(&format!("Repairing Merribazaar ({id}).")), "{}", run.err);
    home.run(&[&["fix", "merri", "-r", "12"][..], &fix].concat()).ends(0);
    connect(&home, "user_items_2", &["threadmoor"]).ends(0);
    home.run(&[&["fix", "merri", "-r", "threadmoor"][..], &fix].concat()).ends(2).says("different connections");
}

#[test]
fn a_code_is_given_to_the_session_of_a_retailer_that_is_named() {
    let home = Home::connected("user_mfa_enter", 7);
    home.run(&["mfa", "--batch", "threadmoor", "--mfa-code-stdin"]).ends(5);
    // The flag as the other commands call it.
    home.run_with_input(&["mfa", "--batch", "marrow", "--mfa-code-stdin"], "123456\n")
        .ends(0)
        .prints("Marrowby Market");
}
