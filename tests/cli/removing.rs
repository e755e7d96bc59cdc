//! `connections remove`: only what is named in full, and only after a question.

use super::admin::files;
use super::support::Home;

#[test]
fn a_connection_is_removed_only_if_it_is_named_in_full_and_the_user_agrees() {
    let home = Home::connected("user_items_3", 0);
    let id = home.connection();
    // Without a terminal, nobody can agree.
    home.run(&["connections", "remove", "Marrowby Market"]).ends(2).says(&format!("connections remove {id} --yes"));
    home.run(&["connections", "remove", "marrowby", "--yes"]).ends(2).says("not the whole name").says(&id);
    home.run(&["connections", "remove", "Threadmoor", "--yes"]).ends(5).says("There is no connection \"Threadmoor\".");
    home.run(&["orders", "list", "--jq", "length"]).ends(0).prints("3");
    let run =
        home.run(&["connections", "remove", "marrowby market", "-y"]).ends(0).says("✓ Removed Marrowby Market (conn_");
    assert_eq!(run.out, "");
    home.run(&["connections", "-o", "json"]).ends(0).prints("[]");
    home.run(&["orders", "list", "-o", "json"]).ends(0).prints("[]");
    home.run(&["connections", "remove", &id, "-y"]).ends(5);
    home.connect("user_items_2", &[]).ends(0).prints("2 items, 2 new");
}

/// The service ends with the command, so that nobody deletes the rest later.
#[test]
fn when_the_command_ends_nothing_of_the_orders_is_left_in_a_file() {
    let home = Home::connected("user_items_1500", 0);
    let all = home.run(&["orders", "list", "--all", "-o", "json"]).ends(0).json();
    let ids: Vec<String> = all.as_array().expect("a list").iter().map(|item| item["id"].to_string()).collect();
    let left = || {
        let files = files(home.path());
        let is_in = |id: &&String| files.values().any(|file| file.windows(id.len()).any(|at| at == id.as_bytes()));
        ids.iter().step_by(500).filter(is_in).count()
    };
    assert_eq!((ids.len(), left()), (1_500, 3));
    home.run(&["connections", "remove", "Marrowby Market", "--yes"]).ends(0);
    assert_eq!(left(), 0);
}

#[test]
fn during_a_sync_a_connection_stays_and_the_command_says_what_to_wait_for() {
    let home = Home::new();
    // As fast as life: it is still running when the last of these commands looks.
    home.connect_in_time("1", "user_slow", &["--no-wait"]).ends(0);
    for yes in [&["--yes"][..], &[]] {
        let run = home.run_in_time(&[&["connections", "remove", "1"], yes].concat()).ends(1);
        let run =
            run.says("A sync of Marrowby Market is running; until it has ended, the connection cannot be removed.");
        let run = run.says("ordersync sessions watch batch_").says("ordersync connections remove conn_");
        assert_eq!(run.err.to_lowercase().matches("follow").count(), 1, "{}", run.err);
    }
    home.run_in_time(&["connections", "--jq", "length"]).ends(0).prints("1");
}

#[test]
fn at_a_terminal_the_command_says_what_goes_and_asks() {
    use super::pty::{answer, ends, expect, send, start};

    let home = Home::connected("user_items_3", 0);
    let mut session = start(&home, &["connections", "remove", "1"]);
    let shown = expect(&mut session, "yes or no");
    assert!(shown.contains("This deletes Marrowby Market and its 3 items"), "{shown}");
    send(&mut session, "no\r");
    let said = ends(session, 130);
    assert!(said.contains("Marrowby Market was not removed.") && !said.contains("--yes"), "{said}");
    let mut session = start(&home, &["connections", "remove", "1"]);
    answer(&mut session, "yes or no", "maybe");
    answer(&mut session, "Please type yes or no", "yes");
    ends(session, 0);
    home.run(&["connections", "-o", "json"]).ends(0).prints("[]");
}

#[test]
fn during_a_sync_nobody_agrees_in_vain() {
    use super::pty::{ends, start};

    let home = Home::connected("user_mfa_enter", 7);
    let said = ends(start(&home, &["connections", "remove", "1"]), 1);
    assert!(said.contains("waits for a code") && said.contains("ordersync mfa --batch batch_"), "{said}");
    assert!(!said.contains("yes or no") && !said.contains("This deletes"), "{said}");
}

/// A service that answers 404 may have removed the connection before, or have no such request at all.
#[tokio::test]
async fn a_service_without_the_request_is_not_taken_for_one_that_removed_the_connection() {
    use serde_json::json;
    use wiremock::matchers::{method, path};
    use wiremock::{Mock, MockServer, ResponseTemplate};

    let connection = json!({"connectionId": "c_1", "retailerId": 7, "displayName": "Far Away", "status": "valid"});
    for (is_there, code, text) in [(true, 5, "no request that removes it"), (false, 0, "Far Away is removed already")] {
        let server = MockServer::start().await;
        let list = ResponseTemplate::new(200).set_body_json(json!([connection]));
        Mock::given(method("GET")).and(path("/sync/connections")).respond_with(list).mount(&server).await;
        if is_there {
            let one = ResponseTemplate::new(200).set_body_json(&connection);
            Mock::given(method("GET")).and(path("/sync/connections/c_1")).respond_with(one).mount(&server).await;
        }
        Home::new().run_at(&server.uri(), &["connections", "remove", "Far Away", "--yes"]).ends(code).says(text);
    }
}
