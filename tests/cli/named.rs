//! `sync` and `orders sync` of connections that are named: one result with what was skipped, whatever was named and how.

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::support::{Home, Run};

/// A home with one retailer that is synced (1), one that waits for a code (2), one that is invalid (5).
fn mixed() -> Home {
    let home = Home::new();
    home.connect_retailer("1", "user_items_2", &[]).ends(0);
    home.connect_retailer("2", "user_mfa_enter", &[]).ends(7);
    home.connect_retailer("5", "user_bad", &[]).ends(9);
    home
}

/// What a result says of each connection that was skipped: why, and the command that helps, without what it is given.
fn skipped(run: &Run) -> Vec<String> {
    let document = run.json();
    let all = document["skipped"].as_array().unwrap_or_else(|| panic!("no list: {document}"));
    let told = all.iter().map(|one| {
        let keys: Vec<&str> = one.as_object().expect("an object").keys().map(String::as_str).collect();
        assert_eq!(keys, ["connectionId", "displayName", "reason", "command"], "{document}");
        let text = |field: &str| one[field].as_str().expect("text").to_owned();
        format!("{}: {}", text("reason"), text("command").split(' ').take(2).collect::<Vec<_>>().join(" "))
    });
    told.collect()
}

const WAITS: &str = "waiting_for_code: ordersync mfa";
const INVALID: &str = "invalid: ordersync fix";

#[test]
fn the_gravest_failure_decides_and_the_result_lists_what_was_skipped() {
    let home = mixed();
    for sync in [&["sync"][..], &["orders", "sync"]] {
        let run = |more: &[&str]| home.run(&[sync, more].concat());
        let one = run(&["1", "-o", "json"]).ends(0);
        assert_eq!(skipped(&one), Vec::<String>::new());
        let two = run(&["1", "5", "-o", "json"]).ends(9);
        assert_eq!(skipped(&two), [INVALID]);
        assert_eq!(two.error()["code"], "CONNECTIONS_SKIPPED");
        let three = run(&["5", "1", "2", "-o", "json"]).ends(7);
        assert_eq!(skipped(&three), [WAITS, INVALID]);
        assert_eq!(three.json()["retailerSyncSessions"].as_array().map(Vec::len), Some(1));
        // The gravest is the last, and says which code is wanted; the other is reported before it.
        assert_eq!(three.error()["code"], "MFA_NEEDED");
        let three = three.says("CONNECTIONS_SKIPPED").says("was skipped: it is invalid");
        assert!(three.error()["details"]["command"].as_str().is_some_and(|command| command.contains("mfa --batch")));
        // A table for people, too.
        run(&["1", "5"]).ends(9).prints("✓ Marrowby Market: 2 items, none new").says("ordersync fix conn_");
    }
}

#[test]
fn what_is_skipped_may_be_accepted_and_is_said_even_with_quiet() {
    let home = mixed();
    for sync in [&["sync"][..], &["orders", "sync"]] {
        let accepted =
            |more: &[&str]| home.run(&[sync, &["--allow-skipped", "-q", "-o", "json"], more].concat()).ends(0);
        let run = accepted(&["1", "2", "5"]).says("was skipped: it waits for a code: ordersync mfa --batch batch_");
        let run = run.says("was skipped: it is invalid (credentials refused): ordersync fix conn_");
        assert_eq!(run.err.lines().count(), 2, "{}", run.err);
        assert_eq!(skipped(&run), [WAITS, INVALID]);
        for (only, told) in [("2", WAITS), ("5", INVALID)] {
            let run = accepted(&[only]);
            assert_eq!(skipped(&run), [told]);
            let run = accepted(&[only, "--no-wait"]);
            assert_eq!(run.json()["started"].as_array().map(Vec::len), Some(usize::from(only == "2")), "{}", run.out);
        }
    }
    // What a retailer asks for during this sync is no earlier one that is skipped.
    let home = Home::new();
    let run = home.connect_retailer("2", "user_mfa_enter", &[]).ends(7);
    assert!(!run.err.contains("was skipped"), "{}", run.err);
    home.run(&["sync", "2", "--allow-skipped", "--mfa-command", "exit 3"]).ends(7).says("failed: exit status: 3");
    home.run(&["sync", "2", "--mfa-command", "echo 123456"]).ends(0).prints("Voltaquill Electronics: ");
}

#[test]
fn an_invalid_connection_ends_with_9_however_it_is_named() {
    let home = Home::new();
    home.connect_retailer("5", "user_bad", &[]).ends(9);
    let id = home.connection();
    for sync in [
        &["sync", "5"][..],
        &["sync", "-r", "5"],
        &["sync", "-c", &id],
        &["sync", "--full", &id],
        &["orders", "sync", "5"],
    ] {
        let run = home.run(&[sync, &["-o", "json"]].concat()).ends(9).says(&format!("ordersync fix {id}"));
        assert_eq!((&run.json()["status"], skipped(&run)), (&json!("no_retailers"), vec![INVALID.to_owned()]));
        assert_eq!(run.error()["details"]["skipped"][0]["connectionId"], id.as_str());
        home.run(&[sync, &["--no-wait"]].concat())
            .ends(9)
            .says("Nothing was started")
            .says(&format!("ordersync fix {id}"));
    }
}

#[test]
fn the_result_of_one_is_its_session_with_what_was_skipped() {
    let home = Home::new();
    home.connect_retailer("1", "user_items_2", &[]).ends(0);
    let mut document = home.run(&["sync", "1", "-o", "json"]).ends(0).json();
    let skipped = document.as_object_mut().expect("an object").shift_remove("skipped");
    assert_eq!(skipped, Some(json!([])));
    assert_eq!(document, home.run(&["sessions", "-o", "json"]).ends(0).json());
    let csv = home.run(&["sync", "1", "-o", "csv"]).ends(0).prints("retailerId,displayName,connectionId,syncStatus,");
    assert_eq!(csv.out.lines().count(), 2, "{}", csv.out);
    home.run(&["sync", "1", "--fields", "status,skipped"]).ends(0).prints("normal");
    assert_eq!(home.run(&["sync", "1", "--jq", ".skipped"]).ends(0).out, "[]\n");
    // What does not exist is no document.
    let unknown = home.run(&["sync", "conn_x", "-o", "json"]).ends(5);
    assert_eq!((unknown.out.as_str(), &unknown.error()["code"]), ("", &json!("NOT_FOUND")));
    let unknown = home.run(&["sync", "conn_x", "-o", "json", "--no-wait"]).ends(5);
    assert_eq!(unknown.out, "");
    // The others are synced all the same.
    home.run(&["sync", "conn_x", "1"]).ends(5).prints("✓ Marrowby Market: 2 items");
}

#[test]
fn one_that_runs_already_is_reported_beside_those_that_are_started() {
    let home = Home::new();
    home.connect_retailer("3", "user_items_2", &[]).ends(0);
    home.connect_in_time("1", "user_slow", &["--no-wait"]).ends(0);
    let run = home.run_in_time(&["sync", "1", "3", "--no-wait"]).ends(0).prints("✓ Started: session batch_");
    let run = run.prints("! A sync of Marrowby Market is already running: session batch_");
    assert_eq!(run.err.matches("Next: ordersync sessions watch batch_").count(), 2, "{}", run.err);
    let run = home.run_in_time(&["sync", "1", "3", "--no-wait", "-o", "json"]).ends(0).says("already running");
    let document = run.json();
    let started = document["started"].as_array().expect("a list");
    assert_eq!((started.len(), &document["skipped"]), (2, &json!([])), "{document}");
    assert!(started.iter().all(|one| one["batchId"].is_string() && one["connectionId"].is_string()), "{document}");
    assert_eq!(document["batchIds"], json!([started[0]["batchId"], started[1]["batchId"]]));
    let csv = home.run_in_time(&["sync", "1", "3", "--no-wait", "-o", "csv"]).ends(0);
    assert_eq!(csv.out.lines().count(), 3, "{}", csv.out);
    home.run(&["sync", "1", "3"]).ends(0).prints("Marrowby Market: ");
}

#[test]
fn beside_one_that_runs_what_waits_for_a_code_is_skipped_by_a_sync_of_everything() {
    let home = Home::new();
    home.connect_retailer("1", "user_slow", &[]).ends(0);
    home.connect_retailer("2", "user_mfa_enter", &[]).ends(7);
    home.run_in_time(&["sync", "1", "--no-wait"]).ends(0);
    let accepted =
        home.run(&["sync", "--allow-skipped", "-o", "json"]).ends(0).says("was skipped: it waits for a code");
    assert_eq!(skipped(&accepted), [WAITS]);
    let alone = Home::new();
    alone.connect_retailer("2", "user_mfa_enter", &[]).ends(7);
    assert_eq!(skipped(&alone.run(&["sync", "--allow-skipped", "-o", "json"]).ends(0)), [WAITS]);
    assert_eq!(skipped(&alone.run(&["sync", "-o", "json"]).ends(7)), [WAITS]);
}

/// A service with a connection that syncs and does not end (c1), one that is invalid (c2), and one that is synced (c3).
async fn peer() -> MockServer {
    let server = MockServer::start().await;
    let json = |status: u16, body: Value| ResponseTemplate::new(status).set_body_json(body);
    let connection = |id: u32, name: &str, status: &str, batch: &str| json!({ "connectionId": format!("c{id}"), "retailerId": id, "displayName": name, "status": status, "lastBatchId": batch });
    let connections = [
        connection(1, "Quay", "valid", "b1"),
        connection(2, "Harbor", "invalid", "b0"),
        connection(3, "Lagoon", "valid", "b3"),
    ];
    let session = |batch: &str, status: &str, id: u32, part: &str| {
        json!({ "batchId": batch, "status": status, "retailerSyncSessions":
            [{ "retailerId": id, "connectionId": format!("c{id}"), "syncStatus": part, "displayName": format!("Shop {id}") }] })
    };
    let answers = [
        ("GET", "/sync/connections".to_owned(), 200, json!(connections)),
        (
            "POST",
            "/sync/connections/c1/sync".to_owned(),
            409,
            json!({ "code": "SYNC_IN_PROGRESS", "message": "It runs.", "details": { "batchId": "b1" } }),
        ),
        (
            "POST",
            "/sync/connections/c2/sync".to_owned(),
            409,
            json!({ "code": "CONNECTION_INVALID", "message": "It is." }),
        ),
        ("POST", "/sync/connections/c3/sync".to_owned(), 200, json!({ "batchId": "b3", "status": "syncing" })),
        ("GET", "/sync/sessions/b1".to_owned(), 200, session("b1", "syncing", 1, "scanning")),
        ("GET", "/sync/sessions/b3".to_owned(), 200, session("b3", "normal", 3, "completed")),
    ];
    for (verb, place, status, body) in answers {
        Mock::given(method(verb)).and(path(place)).respond_with(json(status, body)).mount(&server).await;
    }
    for one in &connections {
        let place = format!("/sync/connections/{}", one["connectionId"].as_str().expect("an id"));
        Mock::given(method("GET")).and(path(place)).respond_with(json(200, one.clone())).mount(&server).await;
    }
    server
}

#[tokio::test]
async fn one_that_still_runs_ends_with_8_unless_something_is_graver() {
    let server = peer().await;
    let home = Home::new();
    let run = |arguments: &[&str]| home.run_at(&server.uri(), arguments);
    let timeout = ["--timeout", "2s"];
    let still = run(&[&["sync", "quay", "-o", "json"], &timeout[..]].concat()).ends(8);
    assert_eq!(still.error()["code"], "STILL_RUNNING");
    // The service's own words may name no reason; the connection does not either.
    let invalid = run(&["sync", "lagoon", "harbor", "-o", "json"]).ends(9).says("Harbor was skipped: it is invalid: ");
    assert_eq!(skipped(&invalid), [INVALID]);
    run(&[&["sync", "lagoon", "harbor", "quay"], &timeout[..]].concat())
        .ends(9)
        .says("is still running")
        .says("error: 1 connection was not synced: Harbor.")
        .says("A sync of Quay is already running: session b1.");
    let left = run(&["sync", "quay", "lagoon", "--no-wait", "-o", "json"]).ends(0);
    assert_eq!(left.json()["batchIds"], json!(["b1", "b3"]));
}

#[test]
fn a_part_of_a_name_means_a_connected_retailer_where_orders_are_read() {
    let home = Home::new();
    // "Hagenfels Baumarkt": the part is at the beginning of another retailer's name, which is not connected.
    home.connect_retailer("4", "user_good", &[]).ends(0);
    let list =
        |wanted: &str| home.run(&["orders", "list", "--retailer", wanted, "--fields", "retailerId", "-o", "csv"]);
    let found = list("mark").ends(0);
    assert!(found.out.lines().count() > 1 && found.out.lines().skip(1).all(|id| id == "4"), "{}", found.out);
    list("voltaq").ends(5).says("Voltaquill Electronics is not connected.").says("ordersync connect --retailer 2");
    list("hagenfelz").ends(5).says("Did you mean Hagenfels Baumarkt");
    // What is named in full is what is meant.
    assert_eq!(list("Marrowby Market").ends(0).out.lines().count(), 1);
}
