//! What runs or waits elsewhere than in the newest session: found, told, and never left out in silence.

use super::support::{Home, Run};

impl Home {
    /// Connects a simulated customer at that retailer, as fast as life where it is to be caught on its way.
    fn connect_at(&self, retailer: &str, user: &str, more: &[&str]) -> Run {
        let credentials = self.credentials(user);
        let credentials = credentials.to_str().expect("text");
        let arguments = ["connect", "--retailer", retailer, "--credentials-file", credentials];
        self.run_in_time(&[&arguments, more].concat())
    }

    fn run_in_time(&self, arguments: &[&str]) -> Run {
        let mut command = self.command(arguments);
        command.env("ORDERSYNC_SANDBOX_SPEED", "1");
        Run::of(command)
    }
}

/// A home with one retailer that is synced, one that waits for a code in an older session, one that runs, one that is
/// invalid.
fn busy() -> Home {
    let home = Home::new();
    home.connect("user_good", &[]).ends(0);
    let credentials = |user: &str| home.credentials(user).to_str().expect("text").to_owned();
    home.run(&["connect", "-r", "5", "--credentials-file", &credentials("user_bad")]).ends(9);
    home.run(&["connect", "-r", "2", "--credentials-file", &credentials("user_mfa_enter")]).ends(7);
    home.connect_at("3", "user_slow", &["--no-wait"]).ends(0);
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
    let run = home.run_in_time(&["sync"]).ends(0);
    run.says(&format!("! {waiting} was left out: it waits for a code: ordersync mfa --batch batch_"))
        .says(&format!("! {running} was left out: it is syncing already: ordersync sessions watch batch_"))
        .says(&format!("! {invalid} was left out: it is invalid (credentials refused): ordersync fix conn_"))
        .prints("nothing new");
}

#[test]
fn a_sync_of_everything_has_nothing_to_add() {
    let home = Home::new();
    home.connect("user_good", &[]).ends(0);
    let run = home.run(&["sync"]).ends(0);
    assert!(!run.err.contains("left out"), "{}", run.err);
}

#[test]
fn alone_it_says_what_runs_and_what_waits() {
    let home = busy();
    let [_, waiting, running, _] = names(&home);
    let run = home.run_in_time(&[]).ends(0).prints(&format!("Running: {running}"));
    run.prints(&format!("Waiting for a code: {waiting} → ordersync mfa")).prints("Next:\n  ordersync mfa ");
    let document = home.run_in_time(&["-o", "json"]).ends(0).json();
    assert_eq!(document["unfinished"].as_array().map(Vec::len), Some(2), "{document}");
}

#[test]
fn an_open_request_of_an_older_session_is_found() {
    let home = Home::new();
    home.connect("user_mfa_enter", &[]).ends(7);
    home.connect_at("2", "user_good", &[]).ends(0);
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
    let run = home.run_in_time(&["orders", "export", "--out", "orders.csv"]).ends(0).says("✓ Wrote ");
    run.says(&format!("! {running} is still syncing; export again when it is done: ordersync sessions watch batch_"))
        .says(&format!("! {waiting} waits for a code"));
}

#[test]
fn reasons_are_words_in_tables_and_codes_in_json() {
    let home = Home::new();
    home.connect("user_bad", &[]).ends(9);
    home.run(&["connections"]).ends(0).prints("credentials refused");
    home.run(&["sessions"]).ends(0).prints("credentials refused");
    assert_eq!(home.run(&["connections", "-o", "json"]).json()[0]["statusReason"], "credentials_refused");
    let home = Home::new();
    home.connect("user_mfa_enter", &[]).ends(7);
    home.run(&["sandbox", "clock", "--advance", "301"]).ends(0);
    home.run(&["sessions", "watch"]).ends(9);
    home.run(&["connections"]).ends(0).prints("code expired");
}
