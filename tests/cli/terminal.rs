//! On a real pseudo-terminal: the picker, credentials, verification, what is shown of what is typed.

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::pty::{DOWN, answer, ends, ends_restored, expect, send, start, start_command, start_in_shell};
use super::support::{Home, PASSWORD};

fn password(session: &mut rexpect::session::PtySession, user: &str) -> String {
    let mut seen = answer(session, "Username for Marrowby Market", user);
    seen += &answer(session, "Password for Marrowby Market:", PASSWORD);
    seen
}

#[test]
fn a_retailer_is_found_by_typing_and_connected_and_no_secret_is_shown() {
    let home = Home::new();
    let mut session = start(&home, &["connect"]);
    expect(&mut session, "type to search");
    send(&mut session, "zzz");
    expect(&mut session, "Nothing matches");
    send(&mut session, "\x15marrow");
    expect(&mut session, "1–1 of 1");
    send(&mut session, "\r");
    let mut seen = expect(&mut session, "Retailer: Marrowby Market");
    seen += &password(&mut session, "user_mfa_choose");
    seen += &expect(&mut session, "Username: user_mfa_choose · Password: ••••••••");
    seen += &answer(&mut session, "Send? [Y/n]", "");
    seen += &expect(&mut session, "3. Authenticator");
    // The second of the methods: down, enter.
    send(&mut session, &format!("{DOWN}\r"));
    seen += &expect(&mut session, "code? Email to");
    seen += &answer(&mut session, " left):", "999999");
    seen += &expect(&mut session, "that code was wrong; 2 tries left");
    seen += &answer(&mut session, " left):", "123456");
    seen += &ends(session, 0);
    assert!(seen.contains("Marrowby Market: ") && seen.contains(" new"), "{seen}");
    for secret in [PASSWORD, "999999", "123456"] {
        assert!(!seen.contains(secret), "{secret} was shown: {seen}");
    }
}

#[tokio::test]
async fn names_from_outside_cannot_drive_the_terminal_and_fit_it() {
    let server = MockServer::start().await;
    let retailer =
        |id: u32| json!({"retailerId": id, "displayName": format!("Shop\u{1b}[2J\u{7} {id} {}", "x".repeat(90))});
    let catalog: Vec<Value> = (1..=30).map(retailer).collect();
    let answer = |path_: &'static str, body: Value| {
        Mock::given(path(path_)).respond_with(ResponseTemplate::new(200).set_body_json(body))
    };
    answer("/sync/retailers", json!(catalog)).mount(&server).await;
    answer("/sync/connections", json!([])).mount(&server).await;
    let address = server.uri();
    let shown = tokio::task::spawn_blocking(move || {
        let home = Home::new();
        let environment = [("ORDERSYNC_BASE_URL", address.as_str()), ("ORDERSYNC_TOKEN", "t"), ("COLS", "60")];
        let mut session = start_in_shell(&home, &["connect"], &environment);
        let shown = expect(&mut session, "1–12 of 30");
        send(&mut session, "\x1b");
        ends_restored(session, 130);
        shown
    });
    let shown = shown.await.expect("it ends");
    assert!(shown.contains("Shop[2J 1 x") && !shown.contains("\x1b[2J") && !shown.contains('\u{7}'), "{shown:?}");
    for line in shown.split(['\r', '\n']) {
        assert!(console::measure_text_width(line) < 60, "{line:?}");
    }
}

#[test]
fn what_was_typed_can_be_changed_before_it_is_sent() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1"]);
    password(&mut session, "user_bad");
    answer(&mut session, "Send? [Y/n]", "n");
    expect(&mut session, "Nothing was sent");
    // What is no secret is there to be changed; the secret is not.
    expect(&mut session, "Username for Marrowby Market: user_bad");
    send(&mut session, "\x7f\x7f\x7fgood\r");
    answer(&mut session, "Password for Marrowby Market:", PASSWORD);
    answer(&mut session, "Send? [Y/n]", "yes");
    let seen = ends(session, 0);
    assert!(seen.contains("Marrowby Market: ") && seen.contains(" new"), "{seen}");
}

#[test]
fn with_yes_nothing_is_asked_before_it_is_sent() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1", "-y"]);
    password(&mut session, "user_good");
    assert!(!ends(session, 0).contains("Send?"));
}

#[test]
fn a_key_too_many_is_no_answer() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1", "-y"]);
    answer(&mut session, "Username for Marrowby Market", "");
    password(&mut session, "user_mfa_enter");
    answer(&mut session, " left):", "");
    answer(&mut session, " left):", "123456");
    ends(session, 0);
}

#[test]
fn fix_offers_the_invalid_connections() {
    let home = Home::new();
    let text = ends(start(&home, &["fix"]), 0);
    assert!(text.contains("Nothing to fix"), "{text}");
    home.connect("user_good", &[]).ends(0);
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    // The only one needs no question: its name is in the first one. Esc ends it.
    let mut session = start(&home, &["fix"]);
    expect(&mut session, "Repairing Marrowby Market (");
    expect(&mut session, "Username for ");
    send(&mut session, "\x1b");
    assert!(ends(session, 130).contains("the connection is as it was"));
    let mut session = start(&home, &["fix"]);
    password(&mut session, "user_good");
    answer(&mut session, "Send? [Y/n]", "");
    assert!(ends(session, 0).contains("nothing new"));

    let credentials = home.credentials("user_good");
    let credentials = credentials.to_str().expect("text");
    home.run(&["connect", "-r", "merribazaar", "--credentials-file", credentials]).ends(0);
    let connections = home.run(&["connections", "-o", "json"]).json();
    for connection in connections.as_array().expect("array") {
        home.run(&["sandbox", "break", connection["connectionId"].as_str().expect("id")]).ends(0);
    }
    let mut session = start(&home, &["fix", "-y"]);
    expect(&mut session, "Connection to fix");
    expect(&mut session, "2. ");
    send(&mut session, "2\r");
    expect(&mut session, "Username for ");
    send(&mut session, "\x1b");
    assert!(ends(session, 130).contains("the connection is as it was"));
    home.run(&["fix"]).ends(2).says("ordersync fix conn_").says("--retailer");
}

#[test]
fn a_single_invalid_connection_is_named_or_taken_with_yes_in_a_script() {
    let home = Home::new();
    home.connect("user_good", &[]).ends(0);
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    let credentials = home.credentials("user_good");
    let credentials = credentials.to_str().expect("text");
    home.run(&["fix", "--credentials-file", credentials]).ends(2).says("ordersync fix conn_").says("--yes");
    home.run(&["fix", "--yes", "--credentials-file", credentials]).ends(0).prints("nothing new");
}

#[test]
fn no_input_never_prompts_even_on_a_terminal() {
    let home = Home::new();
    let text = ends(start(&home, &["connect", "--no-input"]), 2);
    assert!(text.contains("prompts are off") && text.contains("--retailer"), "{text}");
}

#[test]
fn live_lines_end_in_the_summary() {
    let home = Home::new();
    let credentials = home.credentials("user_slow");
    let mut command = home.command(&["connect", "-r", "1", "--credentials-file", credentials.to_str().expect("text")]);
    command.env("ORDERSYNC_SANDBOX_SPEED", "20");
    let text = ends(start_command(&home, command), 0);
    assert!(text.contains("scanning") && text.contains("\r\u{1b}[J"), "{text}");
    assert!(text.contains("Marrowby Market: 640 items, 640 new"), "{text}");
}

#[test]
fn messages_wrap_between_words_and_never_inside_a_command() {
    let home = Home::new();
    let session = start_in_shell(&home, &["connections", "remove", "conn_1"], &[("COLS", "60")]);
    let said = ends(session, 0);
    let said: Vec<&str> = said.lines().map(str::trim_end).take_while(|line| !line.starts_with("ended")).collect();
    let command = "ordersync link-token create --external-user-id ID";
    assert!(said.iter().any(|line| line.ends_with(command)), "{said:#?}");
    assert!(
        said.iter().any(|line| line.ends_with("the service has no") || line.ends_with("the service has")),
        "{said:#?}"
    );
    for line in said.iter().filter(|line| !line.contains("shell ")) {
        assert!(console::measure_text_width(line) <= 60, "{line}");
    }
}

#[test]
fn credentials_that_are_refused_are_typed_again_at_once() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1", "-y"]);
    password(&mut session, "user_bad");
    let mut seen = expect(&mut session, "(Esc cancels).");
    seen += &expect(&mut session, "Username for Marrowby Market: user_bad");
    send(&mut session, "\x7f\x7f\x7fgood\r");
    answer(&mut session, "Password for Marrowby Market:", PASSWORD);
    let end = ends(session, 0);
    assert!(end.contains("Marrowby Market: ") && end.contains(" new"), "{end}");
    assert_eq!(seen.matches("refused the user name").count(), 1, "{seen}");
    assert_eq!(home.run(&["connections", "-o", "json"]).json()[0]["status"], "valid");
}

#[test]
fn credentials_that_are_refused_three_times_end_it() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1", "-y"]);
    password(&mut session, "user_bad");
    for _ in 0..2 {
        expect(&mut session, "(Esc cancels).");
        expect(&mut session, "Username for Marrowby Market: user_bad");
        send(&mut session, "\r");
        answer(&mut session, "Password for Marrowby Market:", PASSWORD);
    }
    let end = ends(session, 9);
    assert_eq!(end.matches("refused the user name").count(), 1, "{end}");
    assert!(end.contains("ordersync fix conn_"), "{end}");
}

#[test]
fn a_connected_retailer_that_is_picked_is_synced_or_fixed() {
    let home = Home::new();
    home.connect("user_good", &[]).ends(0);
    let pick = |arguments: &[&str]| {
        let mut session = start(&home, arguments);
        expect(&mut session, "type to search");
        send(&mut session, "marrowby\r");
        expect(&mut session, "is connected already. What now?");
        expect(&mut session, "Give other credentials");
        session
    };
    let mut session = pick(&["connect"]);
    send(&mut session, "\r");
    assert!(ends(session, 0).contains("nothing new"));
    let mut session = pick(&["connect", "-y"]);
    send(&mut session, "2\r");
    password(&mut session, "user_good");
    ends(session, 0);
    // One that is broken is repaired without a question.
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    let mut session = start(&home, &["connect", "-y"]);
    expect(&mut session, "type to search");
    send(&mut session, "marrowby\r");
    expect(&mut session, "has to be repaired");
    password(&mut session, "user_good");
    ends(session, 0);
}

#[test]
fn a_part_that_several_names_have_opens_the_picker_with_them() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "-r", "korb"]);
    let shown = expect(&mut session, "Lindenkorb");
    assert!(shown.contains("\"korb\" fits several"), "{shown}");
    send(&mut session, "\x1b");
    ends(session, 130);
    let run =
        home.run(&["connect", "-r", "e"]).ends(2).says(" matches ").says(" more: ordersync retailers --search 'e'");
    assert_eq!(run.err.matches("--retailer ").count(), 8, "{}", run.err);
}
