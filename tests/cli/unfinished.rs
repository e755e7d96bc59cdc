//! What runs or waits elsewhere than in the newest session: found, told, and never left out in silence.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::support::{Home, Run};

/// A home with one retailer that is synced, one that waits for a code in an older session, one that runs, one that is
/// invalid.
fn busy() -> Home {
    let home = Home::connected("user_good", 0);
    home.connect_retailer("5", "user_bad", &[]).ends(9);
    home.connect_retailer("2", "user_mfa_enter", &[]).ends(7);
    home.connect_in_time("3", "user_slow", &["--no-wait"]).ends(0);
    home
}

fn names(home: &Home) -> [String; 4] {
    let catalog = home.run(&["retailers", "-o", "json"]).json();
    let name = |id: u32| {
        let retailers = catalog.as_array().expect("array");
        let one = retailers.iter().find(|retailer| retailer["retailerId"] == id).expect("retailer");
        one["displayName"].as_str().expect("name").to_owned()
    };
    [name(1), name(2), name(3), name(5)]
}

#[test]
fn a_sync_names_what_it_leaves_out_and_why() {
    let home = busy();
    let [_, waiting, running, invalid] = names(&home);
    let run = home.run(&["sync"]).ends(7);
    run.says(&format!("! {waiting} was skipped: it waits for a code: ordersync mfa --batch batch_"))
        .says(&format!("! {invalid} was skipped: it is invalid (credentials refused): ordersync fix conn_"))
        .says(&format!("error: 2 connections were not synced: {waiting}, {invalid}."))
        .prints("none new")
        .prints(&format!("✓ {running}: "));
}

#[test]
fn what_is_skipped_is_said_with_quiet_and_in_json_and_counts_unless_it_is_accepted() {
    let home = busy();
    let [good, waiting, running, invalid] = names(&home);
    let run = home.run(&["sync", "-q", "-o", "json"]).ends(7).says(&format!("! {waiting} was skipped"));
    let document = run.json();
    let parts = document["retailerSyncSessions"].as_array().expect("parts");
    let synced: Vec<&str> = parts.iter().filter_map(|part| part["displayName"].as_str()).collect();
    assert_eq!(synced, [good.as_str(), &running], "the interrupted one is resumed, in the same result");
    assert!(parts[1]["batchId"].as_str().is_some_and(|batch| batch.starts_with("batch_")), "{document}");
    let skipped = document["skipped"].as_array().expect("skipped");
    let told: Vec<(&str, &str)> = skipped
        .iter()
        .map(|one| (one["displayName"].as_str().expect("name"), one["reason"].as_str().expect("reason")))
        .collect();
    assert_eq!(told, [(waiting.as_str(), "waiting_for_code"), (&invalid, "invalid")]);
    assert_eq!(run.error()["details"]["skipped"], document["skipped"]);
    let fix = skipped[1]["command"].as_str().expect("command");
    assert_eq!(fix, format!("ordersync fix {}", skipped[1]["connectionId"].as_str().expect("id")));
    let run = home.run(&["sync", "--allow-skipped"]).ends(0).says(&format!("! {invalid} was skipped"));
    assert!(!run.err.contains("error"), "{}", run.err);
    let run = home.run(&["orders", "sync", "-q", "--allow-skipped", "-o", "json"]).ends(0);
    assert_eq!(run.json()["skipped"].as_array().map(Vec::len), Some(2));
    let run = run.says(&format!("! {waiting} was skipped")).says(&format!("! {invalid} was skipped"));
    assert_eq!(run.err.lines().count(), 2, "{}", run.err);
    // The command that is suggested works.
    let mfa = skipped[0]["command"].as_str().expect("command").strip_prefix("ordersync ").expect("ours").to_owned();
    let words: Vec<&str> = mfa.split(' ').chain(["--code-stdin"]).collect();
    home.run_with_input(&words, "123456").ends(0).prints(&waiting);
    home.run(&["sync"]).ends(9).says(&format!("error: 1 connection was not synced: {invalid}."));
}

#[test]
fn a_code_that_is_waited_for_is_answered_by_a_sync_that_can() {
    let home = Home::connected("user_good", 0);
    home.connect_in_time("2", "user_mfa_enter", &[]).ends(7);
    home.run(&["sync", "--mfa-command", "echo 123456"]).ends(0);
    assert_eq!(home.run(&["connections", "--jq", ".[].status"]).out, "valid\nvalid\n");
}

#[test]
fn a_code_that_was_given_elsewhere_is_not_waited_for() {
    for by_command in [true, false] {
        let home = Home::connected("user_mfa_enter", 7);
        let started = home.path().join("started");
        let command = format!("touch {}; sleep 1000", started.display());
        let means = if by_command { vec!["--mfa-command", &command] } else { vec!["--mfa-code-stdin"] };
        let mut watch = home.command(&[&["sessions", "watch"], &means[..]].concat());
        watch.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut watch = watch.spawn().expect("it starts");
        // Neither a line nor the end of its input comes.
        let _stdin = watch.stdin.take();
        while by_command && !started.exists() {
            std::thread::sleep(Duration::from_millis(10));
        }
        home.run_with_input(&["mfa", "--code-stdin"], "123456").ends(0);
        let output = watch.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert!(!by_command || said.contains("no answer is needed any more"), "{said}");
    }
}

#[test]
fn the_codes_that_several_sessions_wait_for_are_asked_for_before_the_first_ends() {
    let home = Home::new();
    for retailer in ["2", "3"] {
        home.connect_in_time(retailer, "user_mfa_enter", &[]).ends(7);
    }
    let run = home.run(&["sync", "--mfa-command", "echo 123456"]).ends(0);
    let [_, second, third, _] = names(&home);
    let at = |text: &str| run.err.find(text).unwrap_or_else(|| panic!("{text}: {}", run.err));
    for waiting in [&second, &third] {
        for completed in [&second, &third] {
            let (waiting, completed) = (format!("{waiting}: waiting"), format!("{completed}: completed"));
            assert!(at(&waiting) < at(&completed), "{}", run.err);
        }
    }
    // One sum, of everything that was followed.
    let new: u64 = run.out.lines().map(new_items).sum();
    assert_eq!(run.out.lines().count(), 2, "{}", run.out);
    assert!(new > 0 && run.err.contains(&format!("2 retailers in all: {new} new.")), "{}{}", run.out, run.err);
}

/// How many new items a line of the outcome says.
fn new_items(line: &str) -> u64 {
    let words: Vec<&str> = line.split([' ', ',']).collect();
    words.windows(2).find(|pair| pair[1] == "new").map_or(0, |pair| pair[0].parse().expect("a number"))
}

#[test]
fn a_sync_whose_sessions_fail_and_skip_has_one_sum_and_one_error() {
    let home = Home::connected("user_good", 0);
    home.connect_in_time("2", "user_mfa_enter", &[]).ends(7);
    home.connect_in_time("5", "user_bad", &[]).ends(9);
    let [good, _, _, invalid] = names(&home);
    // The code is wrong: the retailer gives up.
    let run = home.run(&["sync", "--mfa-command", "echo 999999"]).ends(9);
    run.prints(&format!("✓ {good}: "))
        .says("2 retailers in all: no new items, 1 failed.")
        .says("error: 1 of 2 retailers failed.")
        .says(&format!("error: 1 connection was not synced: {invalid}."));
    let home = Home::connected("user_good", 0);
    home.connect_in_time("2", "user_mfa_enter", &[]).ends(7);
    home.connect_in_time("5", "user_bad", &[]).ends(9);
    let run = home.run(&["sync", "-q", "-o", "json", "--mfa-command", "echo 999999"]).ends(9);
    assert_eq!(run.err.lines().filter(|line| line.starts_with('{')).count(), 1, "{}", run.err);
    let error = run.error();
    let mut codes = [&error["code"], &error["others"][0]["code"]].map(|code| code.as_str().expect("a code").to_owned());
    codes.sort();
    assert_eq!(codes, ["CONNECTIONS_SKIPPED", "SYNC_FAILED"], "{error}");
}

#[test]
fn a_sync_of_nothing_valid_says_so_in_every_form() {
    let home = Home::new();
    home.run(&["sync", "-o", "json"]).ends(0);
    let nothing = home.run(&["sync", "-o", "json"]).ends(0).json();
    assert_eq!(nothing, json!({ "status": "no_retailers", "skipped": [] }));
    home.run(&["sync"]).ends(0).says("no retailer is connected").says("Next: ordersync connect");
    home.connect("user_bad", &[]).ends(9);
    let run = home.run(&["sync", "-q", "-o", "json"]).ends(9).says("! Marrowby Market was skipped");
    assert_eq!(
        (&run.json()["status"], &run.json()["skipped"][0]["reason"]),
        (&"no_retailers".into(), &"invalid".into())
    );
    home.run(&["orders", "sync"]).ends(9).says("ordersync fix conn_");
    home.run(&["sync", "--no-wait"]).ends(9).says("Nothing was started");
}

fn answer(status: u16, body: &Value) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(body)
}

/// A service that starts a session of this id, and what it says of the connections and of each session.
async fn service(batch: Value, connections: ResponseTemplate, sessions: &[Value]) -> MockServer {
    let server = MockServer::start().await;
    let started = json!({ "batchId": batch, "status": "syncing" });
    Mock::given(method("POST")).respond_with(answer(200, &started)).mount(&server).await;
    Mock::given(path("/sync/connections")).respond_with(connections).mount(&server).await;
    for session in sessions {
        let place = format!("/sync/sessions/{}", session["batchId"].to_string().trim_matches('"'));
        Mock::given(path(place)).respond_with(answer(200, session)).mount(&server).await;
    }
    server
}

/// Of these two connections, one is synced; the other was last in this session.
fn quay_and_harbor(batch: &str) -> ResponseTemplate {
    let connections = json!([
        { "connectionId": "c1", "retailerId": 1, "status": "valid", "lastBatchId": "b1", "displayName": "Quay" },
        { "connectionId": "c2", "retailerId": 2, "status": "valid", "lastBatchId": batch, "displayName": "Harbor" },
    ]);
    answer(200, &connections)
}

#[tokio::test]
async fn at_an_address_a_sync_that_still_runs_ends_the_next_one_with_8() {
    let session = |batch: &str, status: &str, retailer: u32, part: &str| {
        json!({ "batchId": batch, "status": status, "retailerSyncSessions":
            [{ "retailerId": retailer, "connectionId": format!("c{retailer}"), "syncStatus": part }] })
    };
    let sessions = [session("b1", "normal", 1, "completed"), session("b2", "syncing", 2, "scanning")];
    let server = service(json!("b1"), quay_and_harbor("b2"), &sessions).await;
    let home = Home::new();
    let ended = home.run_at(&server.uri(), &["sync", "-o", "json"]).ends(8);
    let ended = ended.says("! Harbor was skipped: it is still syncing: ordersync sessions watch b2");
    assert_eq!(ended.json()["skipped"][0]["reason"], "syncing");
    // What is not waited for may run.
    home.run_at(&server.uri(), &["sync", "--no-wait"]).ends(0).says("! Harbor was skipped");
}

#[tokio::test]
async fn a_connection_that_the_service_passed_over_is_skipped_unless_it_was_synced_meanwhile() {
    let session = |batch: &str, retailer: u32, began: &str, ended: &str| {
        json!({ "batchId": batch, "status": "normal", "createdAt": began, "completedAt": ended, "retailerSyncSessions":
            [{ "retailerId": retailer, "connectionId": format!("c{retailer}"), "syncStatus": "completed" }] })
    };
    for (ended, code) in [("2026-01-01T00:00:00Z", 9), ("2026-01-02T00:00:01Z", 0)] {
        let sessions = [
            session("b1", 1, "2026-01-02T00:00:00Z", "2026-01-02T00:00:09Z"),
            session("b0", 2, "2025-12-31T00:00:00Z", ended),
        ];
        let server = service(json!("b1"), quay_and_harbor("b0"), &sessions).await;
        let run = Home::new().run_at(&server.uri(), &["sync"]).ends(code);
        assert_eq!(run.err.contains("Harbor was skipped: the service did not sync it"), code == 9, "{}", run.err);
    }
}

/// The nightly job of the documentation.
fn nightly(home: &Home, environment: &[(&str, &str)]) -> Run {
    let mut shell = std::process::Command::new("sh");
    let _ = std::fs::remove_file(home.path().join("orders.csv"));
    shell.args(["-c", "\"$BIN\" sync -q && \"$BIN\" orders export -q --out orders.csv"]).current_dir(home.path());
    shell.env("BIN", env!("CARGO_BIN_EXE_ordersync")).env("ORDERSYNC_HOME", home.path()).env("CI", "true");
    shell.env("ORDERSYNC_SANDBOX_SPEED", "50").envs(environment.iter().copied());
    Run::of(shell)
}

#[test]
fn a_nightly_job_exports_nothing_stale() {
    let home = Home::new();
    let is_exported = || home.path().join("orders.csv").exists();
    home.connect("user_good", &[]).ends(0);
    nightly(&home, &[]).ends(0);
    assert!(is_exported());
    // An interrupted sync is resumed, and its items are in the export.
    home.connect_in_time("2", "user_items_300", &["--no-wait"]).ends(0);
    nightly(&home, &[]).ends(0);
    let lines = std::fs::read_to_string(home.path().join("orders.csv")).expect("file").lines().count();
    assert!(lines > 300, "{lines}");
    // A broken connection stops it, tonight and every night after.
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    for _ in 0..2 {
        nightly(&home, &[]).ends(9).says("was skipped: it is invalid");
        assert!(!is_exported());
    }
    // So does a service that cannot be reached.
    let away = [("ORDERSYNC_BASE_URL", "http://127.0.0.1:1"), ("ORDERSYNC_TOKEN", "t")];
    nightly(&home, &away).ends(3).says("127.0.0.1:1");
    assert!(!is_exported());
}

#[tokio::test]
async fn a_service_that_does_not_say_which_session_a_connection_is_in_has_nothing_skipped() {
    let session = |retailer: u32| {
        json!({ "batchId": 7, "status": "normal",
            "retailerSyncSessions": [{ "retailerId": retailer, "syncStatus": "completed" }] })
    };
    let connections = json!([{ "connectionId": 1, "retailerId": 3, "status": "valid" }]);
    let server = service(json!(7), answer(200, &connections), &[session(4)]).await;
    let first = Mock::given(path("/sync/sessions/7")).respond_with(answer(200, &session(3)));
    first.up_to_n_times(1).with_priority(1).mount(&server).await;
    let home = Home::new();
    let run = |arguments: &[&str]| home.run_at(&server.uri(), arguments);
    run(&["sync"]).ends(0);
    run(&["sync"]).ends(9).says("the service did not sync it: ordersync sync --connection 1");
    run(&["sync", "--no-wait"]).ends(0);
}

#[test]
fn a_sync_of_everything_has_nothing_to_add() {
    let home = Home::connected("user_good", 0);
    let run = home.run(&["sync"]).ends(0);
    assert!(!run.err.contains("left out"), "{}", run.err);
}

#[test]
fn alone_it_says_what_runs_and_what_waits() {
    let home = busy();
    let [_, waiting, running, _] = names(&home);
    let run = home.run_in_time(&[]).ends(0).prints(&format!("Sync not finished: {running}"));
    run.prints(&format!("Waiting for a code: {waiting} → ordersync mfa")).prints("Next:\n  ordersync mfa ");
    let document = home.run_in_time(&["-o", "json"]).ends(0).json();
    assert_eq!(document["unfinished"].as_array().map(Vec::len), Some(2), "{document}");
}

#[test]
fn of_several_sessions_that_wait_for_a_code_each_is_named_with_its_command() {
    let home = Home::new();
    for retailer in ["1", "2"] {
        home.connect_retailer(retailer, "user_mfa_enter", &[]).ends(7);
    }
    let [first, second, ..] = names(&home);
    let listed = home.run(&["connections"]).ends(0);
    let overview = home.run(&[]).ends(0);
    for name in [first, second] {
        let next = format!("Next for {name}: ordersync mfa --batch batch_");
        assert!(listed.err.contains(&next), "{}", listed.err);
        let waits = format!("Waiting for a code: {name} → ordersync mfa --batch batch_");
        assert!(overview.out.contains(&waits), "{}", overview.out);
    }
    assert!(!overview.out.contains("Next:"), "{}", overview.out);
}

#[test]
fn a_connection_that_waits_for_a_code_says_so_with_the_command_that_answers() {
    let home = busy();
    let [_, waiting, _, _] = names(&home);
    let run = home.run_in_time(&["connections"]).ends(0).says("Next: ordersync mfa --batch batch_");
    let line = run.out.lines().find(|line| line.contains(&waiting)).expect("its line");
    assert!(line.ends_with("waits for a code"), "{}", run.out);
    let session = home.run_in_time(&["sessions", "get", &waiting]).ends(0).prints("waiting for verification");
    assert!(!session.out.contains("userintervention"), "{}", session.out);
    assert_eq!(run.out.matches("waits for a code").count(), 1, "{}", run.out);
    let run = home.run_in_time(&["connections", "2"]).ends(0).prints("waits for a code");
    let mfa = run.err.split("Next: ordersync ").nth(1).expect("a command").trim().to_owned();
    let words: Vec<&str> = mfa.split(' ').chain(["--code-stdin"]).collect();
    home.run_with_input(&words, "123456").ends(0);
    let run = home.run(&["connections", "2"]).ends(0);
    assert!(!run.out.contains("waits") && !run.err.contains("Next"), "{}{}", run.out, run.err);
}

#[test]
fn an_open_request_of_an_older_session_is_found() {
    let home = Home::connected("user_mfa_enter", 7);
    home.connect_in_time("2", "user_good", &[]).ends(0);
    home.run_with_input(&["mfa", "--code-stdin"], "123456").ends(0).prints("✓ Marrowby Market: ");
    home.run(&["mfa"]).ends(1).says("Nothing waits for verification");
}

#[test]
fn older_sessions_are_listed() {
    let home = busy();
    let [synced, waiting, running, invalid] = names(&home);
    let run = home.run_in_time(&["sessions", "list"]).ends(0);
    let rows: Vec<&str> = run.out.lines().skip(1).collect();
    for (row, (name, state)) in
        rows.iter().zip([(running, "running"), (waiting, "waiting"), (invalid, "ended"), (synced, "ended")])
    {
        assert!(row.starts_with("batch_") && row.contains(&name) && row.contains(state), "{name} {state}: {}", run.out);
    }
    assert_eq!(rows.len(), 4, "{}", run.out);
    let batch = home.run_in_time(&["sessions", "list", "--jq", ".[3].batchId"]).ends(0).out;
    home.run(&["sessions", "get", batch.trim()]).ends(0).prints("Marrowby Market");
    Home::new().run(&["sessions", "list"]).ends(0).says("There has been no sync yet.");
}

#[test]
fn an_export_says_whose_items_may_be_missing() {
    let home = busy();
    let [_, waiting, running, _] = names(&home);
    let run = home.run_in_time(&["orders", "export", "--out", "orders.csv"]).ends(0).says("! Wrote ");
    let line = |name: &str| run.err.lines().find(|line| line.starts_with(&format!("! {name} is not complete since ")));
    assert!(line(&running).is_some_and(|line| line.contains(": ordersync sessions watch batch_")), "{}", run.err);
    assert!(
        line(&waiting).is_some_and(|line| line.contains("it waits for a code: ordersync mfa --batch")),
        "{}",
        run.err
    );
}

/// The last sync that ended was complete, but the one that runs may have stored a part of what it found.
#[test]
fn what_an_open_sync_may_have_changed_in_part_is_not_proven_to_be_complete() {
    let home = Home::connected("user_good", 0);
    home.connect_retailer("2", "user_good", &[]).ends(0);
    let required = |verb: &str| home.run_in_time(&["orders", verb, "--require-complete"]);
    required("list").ends(0);
    home.run_in_time(&["sync", "--connection", &home.connection(), "--no-wait"]).ends(0);
    for verb in ["list", "export", "summary"] {
        let run = required(verb).ends(10).says("Orders may be missing: a sync has not ended (Marrowby Market).");
        assert_eq!(run.says("Marrowby Market: ordersync sessions watch batch_").out, "");
    }
    home.run_in_time(&["orders", "list", "--retailer", "2", "--require-complete"]).ends(0);
    home.run(&["sync"]).ends(0);
    required("list").ends(0);
}

#[test]
fn reasons_are_words_in_tables_and_codes_in_json() {
    let home = Home::connected("user_bad", 9);
    home.run(&["connections"]).ends(0).prints("credentials refused");
    home.run(&["sessions"]).ends(0).prints("credentials refused");
    assert_eq!(home.run(&["connections", "-o", "json"]).json()[0]["statusReason"], "credentials_refused");
    let home = Home::connected("user_mfa_enter", 7);
    home.run(&["sandbox", "clock", "--advance", "301"]).ends(0);
    home.run(&["sessions", "watch"]).ends(9);
    home.run(&["connections"]).ends(0).prints("code expired");
}

#[tokio::test]
async fn a_sync_of_which_nobody_knows_what_it_skipped_is_no_success() {
    let ended = json!({ "batchId": 7, "status": "normal",
        "retailerSyncSessions": [{ "retailerId": 3, "syncStatus": "completed" }] });
    let refused = json!({ "code": "INSUFFICIENT_SCOPE", "message": "It may not read connections." });
    let server = service(json!(7), answer(403, &refused), &[ended]).await;
    let home = Home::new();
    for (arguments, code) in [(&["sync"][..], 4), (&["sync", "--allow-skipped"], 0)] {
        let run = home.run_at(&server.uri(), arguments);
        run.ends(code).says("Cannot find out whether connections were skipped");
    }
}

/// `sessions watch` of a service whose session is this.
pub(super) async fn watched(session: impl wiremock::Respond + 'static, more: &[&str]) -> (Run, usize) {
    use wiremock::matchers::{method, path};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    let server = MockServer::start().await;
    let taken = ResponseTemplate::new(200).set_body_json(serde_json::json!({}));
    Mock::given(method("POST")).and(path("/sync/mfa")).respond_with(taken).mount(&server).await;
    Mock::given(path("/sync/sessions/b1")).respond_with(session).mount(&server).await;
    let home = Home::new();
    let mut command = home.command(&[&["sessions", "watch", "b1"], more].concat());
    command.env("ORDERSYNC_BASE_URL", server.uri()).env("ORDERSYNC_TOKEN", "t");
    let run = tokio::task::spawn_blocking(move || Run::of(command)).await.expect("it ends");
    let requests = server.received_requests().await.unwrap_or_default();
    (run, requests.iter().filter(|request| request.url.path() == "/sync/mfa").count())
}

#[tokio::test]
async fn a_part_that_is_not_completed_is_no_success_whatever_the_session_says() {
    let session = |parts: serde_json::Value| {
        let body = serde_json::json!({ "batchId": "b1", "status": "normal", "retailerSyncSessions": parts });
        wiremock::ResponseTemplate::new(200).set_body_json(body)
    };
    for status in ["failed", "scanning", "queued"] {
        let part = serde_json::json!([{ "retailerId": 3, "syncStatus": status, "itemsFound": 5, "itemsNew": 5 }]);
        watched(session(part), &[]).await.0.ends(9).says(&format!("its status is \"{status}\""));
    }
    let run = watched(session(serde_json::json!([])), &[]).await.0.ends(0);
    run.says("nothing shows that anything was synced");
}

#[tokio::test]
async fn a_command_for_codes_is_not_asked_for_ever() {
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let session = move |_: &wiremock::Request| {
        let number = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let part = serde_json::json!([{ "retailerId": 3, "connectionId": "c1", "syncStatus": "userintervention" }]);
        let mfa = serde_json::json!({ "eventType": "enter", "prompt": "Code", "expiresAt": "2099-01-01T00:00:00Z" });
        let event = serde_json::json!({ "seq": 1, "type": "mfa", "connectionId": "c1", "reqId": format!("r{number}"), "mfa": mfa });
        let body = serde_json::json!({ "batchId": "b1", "status": "syncing", "retailerSyncSessions": part, "events": [event] });
        wiremock::ResponseTemplate::new(200).set_body_json(body)
    };
    let (run, codes) = watched(session, &["--mfa-command", "echo 123456"]).await;
    run.ends(7);
    assert_eq!(codes, 5);
}
