//! On a real pseudo-terminal: the picker, credentials, verification, what is shown of what is typed.

use serde_json::{Value, json};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::pty::{
    DOWN, answer, answer_unseen, cancelled, ends, ends_restored, expect, pick, send, start, start_command,
    start_in_shell,
};
use super::support::{Home, PASSWORD};

fn password(session: &mut rexpect::session::PtySession, user: &str) -> String {
    let mut seen = answer(session, "Username for Marrowby Market", user);
    seen += &answer_unseen(session, "Password for Marrowby Market:", PASSWORD);
    seen
}

#[test]
fn a_retailer_is_found_by_typing_and_connected_and_no_secret_is_shown() {
    let home = Home::new();
    let mut session = start(&home, &["connect"]);
    answer(&mut session, "Enter for all):", "zzz");
    expect(&mut session, "Nothing matches \"zzz\".");
    pick(&mut session, "marrow", "Marrowby Market (1)");
    let mut seen = expect(&mut session, "Retailer: Marrowby Market");
    seen += &password(&mut session, "user_mfa_choose");
    seen += &expect(&mut session, "Username: user_mfa_choose · Password: ••••••••");
    seen += &answer(&mut session, "Send? [Y/n]", "");
    seen += &expect(&mut session, "How do you want to get your verification code?");
    seen += &expect(&mut session, "Method (until ");
    seen += &expect(&mut session, "Authenticator");
    // The second of the methods: down, enter.
    send(&mut session, &format!("{DOWN}\r"));
    seen += &expect(&mut session, "Method: Email to");
    // A code may be seen while it is typed, in groups as phones show it, and is not left behind.
    answer(&mut session, "Code (until ", "999 999");
    seen += &expect(&mut session, "Code: ••••••••");
    let again = expect(&mut session, "(2 tries left)");
    assert_eq!(again.matches("code was").count(), 1, "{again}");
    answer(&mut session, "Code (until ", "123-456");
    seen += &ends(session, 0);
    assert!(seen.contains("Marrowby Market: ") && seen.contains(" new"), "{seen}");
    assert!(!seen.contains(PASSWORD), "the password was shown: {seen}");
}

#[test]
fn after_a_wrong_code_and_ctrl_c_the_next_question_says_how_many_tries_are_left() {
    let home = Home::connected("user_mfa_enter", 7);
    let mut session = start(&home, &["mfa"]);
    let first = answer(&mut session, "Code (until ", "999999");
    assert!(!first.contains("left"), "no try is lost yet: {first}");
    expect(&mut session, "(2 tries left)");
    expect(&mut session, "Code (until ");
    send(&mut session, "\x03");
    ends(session, 130);
    let mut session = start(&home, &["mfa"]);
    expect(&mut session, "(2 tries left)");
    answer(&mut session, "Code (until ", "123456");
    ends(session, 0);
}

#[test]
fn a_part_is_looked_at_before_it_is_taken_and_a_whole_name_or_id_is_not() {
    let home = Home::new();
    // "sho" are letters of Gletscherkorb, too; accents are folded.
    for part in ["sho", "shoten"] {
        let mut session = start(&home, &["connect"]);
        answer(&mut session, "Enter for all):", part);
        let shown = expect(&mut session, "> Komadori Shōten (");
        assert!(!shown.contains("Gletscherkorb"), "{shown}");
        send(&mut session, "\x1b");
        ends(session, 130);
    }
    let catalog = home.run(&["retailers", "-o", "json"]).json();
    let twelfth = catalog.as_array().expect("array").iter().find(|one| one["retailerId"] == 12).expect("retailer");
    let name = twelfth["displayName"].as_str().expect("name");
    for whole in ["12", &name.to_uppercase()] {
        let mut session = start(&home, &["connect"]);
        answer(&mut session, "Enter for all):", whole);
        expect(&mut session, &format!("Retailer: {name}"));
        expect(&mut session, &format!(" for {name}"));
        session.send_control('c').expect("send");
        ends(session, 130);
    }
}

#[test]
fn a_question_that_is_answered_elsewhere_ends() {
    let home = Home::connected("user_mfa_enter", 7);
    for accessible in ["0", "1"] {
        let mut session = start_in_shell(&home, &["mfa"], &[("ORDERSYNC_ACCESSIBLE", accessible)]);
        expect(&mut session, "Code");
        if accessible == "0" {
            home.run_with_input(&["mfa", "--code-stdin", "--no-wait"], "999 999\n").ends(0);
        } else {
            home.run_with_input(&["mfa", "--code-stdin"], "123 456\n").ends(0);
        }
        let said = expect(&mut session, "no answer is needed any more");
        assert!(!said.contains("Esc"), "{said}");
        if accessible == "0" {
            // The next question is that of the second try.
            expect(&mut session, "Code (until ");
            cancelled(session);
        } else {
            ends_restored(session, 0);
        }
    }
}

#[test]
fn a_question_that_is_answered_elsewhere_ends_at_an_address_too() {
    let sandbox = super::serve::Sandbox::start(&[]);
    sandbox.connect("1", "user_mfa_enter", &[]).ends(7);
    let environment = [("ORDERSYNC_BASE_URL", sandbox.address.as_str()), ("ORDERSYNC_TOKEN", sandbox.token.as_str())];
    let mut session = start_in_shell(&sandbox.home, &["mfa"], &environment);
    expect(&mut session, "Code (until ");
    let mut elsewhere = sandbox.command(&["mfa", "--mfa-command", "echo 123456", "--no-wait"]);
    assert!(elsewhere.output().expect("it runs").status.success());
    expect(&mut session, "no answer is needed any more");
    ends_restored(session, 0);
}

#[test]
fn what_is_pasted_in_one_go_answers_one_question_after_the_other() {
    let home = Home::new();
    let mut session = start_in_shell(&home, &["connect", "-y"], &[]);
    answer(&mut session, "Enter for all):", "mar\r\rnobody");
    let seen = expect(&mut session, "Username for Marrowby Market: nobody");
    expect(&mut session, "Password for Marrowby Market:");
    assert!(!seen.contains("^M"), "{seen:?}");
    cancelled(session);
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
    let home = Home::new();
    let environment = [("ORDERSYNC_BASE_URL", address.as_str()), ("ORDERSYNC_TOKEN", "t"), ("COLS", "60")];
    let mut session = start_in_shell(&home, &["connect"], &environment);
    // Too long for the terminal with what is typed after it: the question stands above a short one.
    expect(&mut session, "Enter for all):");
    super::pty::answer(&mut session, "Retailer:", "");
    let shown = expect(&mut session, "Shop[2J 12 ") + &expect(&mut session, "…");
    send(&mut session, "\x1b");
    ends_restored(session, 130);
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
    answer(&mut session, "Username for Marrowby Market: user_bad", "\x7f\x7f\x7fgood");
    answer_unseen(&mut session, "Password for Marrowby Market:", PASSWORD);
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

/// Why a question comes again.
const NOTHING: &str = "Nothing was typed: try again (Ctrl-C cancels).";

#[test]
fn a_key_too_many_is_no_answer() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1", "-y"]);
    answer(&mut session, "Username for Marrowby Market", "");
    expect(&mut session, NOTHING);
    answer(&mut session, "Username for Marrowby Market", "user_mfa_enter");
    answer_unseen(&mut session, "Password for Marrowby Market", "");
    let again = expect(&mut session, NOTHING);
    assert!(!again.contains('•'), "{again}");
    answer_unseen(&mut session, "Password for Marrowby Market", PASSWORD);
    answer(&mut session, "Code (until ", "");
    expect(&mut session, NOTHING);
    answer(&mut session, "Code (until ", "123456");
    ends(session, 0);
}

/// Why an answer with Esc, an arrow or Tab in it comes to nothing.
const NO_CHARACTER: &str = "The answer holds a key that is no character: type it again (Ctrl-C cancels).";

#[test]
fn a_key_that_is_no_character_never_becomes_part_of_an_answer() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1", "-y"]);
    // dialoguer ignores the keys in what is shown.
    answer(&mut session, "Username for Marrowby Market", &format!("user_good{DOWN}\t"));
    for key in ["\x1b", DOWN, "\t"] {
        answer_unseen(&mut session, "Password for Marrowby Market:", &format!("{key}{PASSWORD}"));
        let said = expect(&mut session, NO_CHARACTER);
        assert!(!said.contains('•') && !said.contains(PASSWORD), "{said}");
    }
    answer_unseen(&mut session, "Password for Marrowby Market:", PASSWORD);
    ends(session, 0);

    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1", "-y", "--accessible"]);
    for (question, typed) in [("Username for Marrowby Market:", "user_good"), ("is not shown)", PASSWORD)] {
        answer_unseen(&mut session, question, &format!("{typed}{DOWN}"));
        expect(&mut session, NO_CHARACTER);
        answer_unseen(&mut session, question, typed);
    }
    ends(session, 0);
}

#[test]
fn the_end_of_the_input_at_a_password_cancels() {
    let home = Home::new();
    let mut session = start_in_shell(&home, &["connect", "--retailer", "1"], &[]);
    answer(&mut session, "Username for Marrowby Market", "user_good");
    expect(&mut session, "Password for Marrowby Market:");
    session.send_control('d').expect("send");
    let said = ends_restored(session, 130);
    assert!(said.contains("Nothing was sent") && !said.contains("Nothing was typed"), "{said}");
}

#[test]
fn only_yes_no_and_enter_alone_answer_a_question_of_yes_or_no() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1"]);
    password(&mut session, "user_good");
    answer(&mut session, "Send? [Y/n]", "999999");
    answer(&mut session, "Send? Yes or no? [Y/n]", "");
    ends(session, 0);
}

#[test]
fn fix_offers_the_invalid_connections() {
    let home = Home::new();
    let text = ends(start(&home, &["fix"]), 0);
    assert!(text.contains("Nothing to fix"), "{text}");
    home.connect("user_good", &[]).ends(0);
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    // The only one needs no question: its name is in the first one. Ctrl-C ends it.
    let mut session = start(&home, &["fix"]);
    expect(&mut session, "Repairing Marrowby Market (");
    expect(&mut session, "Username for ");
    send(&mut session, "\x03");
    assert!(ends(session, 130).contains("the connection is as it was"));
    let mut session = start(&home, &["fix"]);
    password(&mut session, "user_good");
    answer(&mut session, "Send? [Y/n]", "");
    assert!(ends(session, 0).contains("none new"));

    home.connect_retailer("merribazaar", "user_good", &[]).ends(0);
    let connections = home.run(&["connections", "-o", "json"]).json();
    for connection in connections.as_array().expect("array") {
        home.run(&["sandbox", "break", connection["connectionId"].as_str().expect("id")]).ends(0);
    }
    let mut session = start(&home, &["fix", "-y"]);
    expect(&mut session, "Connection to fix");
    expect(&mut session, "> ");
    send(&mut session, &format!("{DOWN}\r"));
    expect(&mut session, "Username for ");
    send(&mut session, "\x03");
    assert!(ends(session, 130).contains("the connection is as it was"));
    home.run(&["fix"]).ends(2).says("ordersync fix conn_").says("--retailer");
}

#[test]
fn a_single_invalid_connection_is_named_or_taken_with_yes_in_a_script() {
    let home = Home::connected("user_good", 0);
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    let credentials = home.credentials("user_good");
    home.run(&["fix", "--credentials-file", &credentials]).ends(2).says("ordersync fix conn_").says("--yes");
    home.run(&["fix", "--yes", "--credentials-file", &credentials]).ends(0).prints("none new");
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
    let mut command = home.command(&["connect", "-r", "1", "--credentials-file", &home.credentials("user_slow")]);
    command.env("ORDERSYNC_SANDBOX_SPEED", "20");
    let text = ends(start_command(&home, command), 0);
    assert!(text.contains("scanning") && text.contains("\r\u{1b}[J"), "{text}");
    assert!(text.contains("Marrowby Market: 640 items, 640 new"), "{text}");
}

#[test]
fn messages_wrap_between_words_and_never_inside_a_command() {
    let home = Home::new();
    let session = start_in_shell(&home, &["sessions", "cancel"], &[("COLS", "60")]);
    let said = ends(session, 0);
    let said: Vec<&str> = said.lines().map(str::trim_end).take_while(|line| !line.starts_with("ended")).collect();
    let command = "ordersync sessions watch";
    assert!(said.iter().any(|line| line.ends_with(command)), "{said:#?}");
    let ends = ["the service has", "the service has no", "the service has no request"];
    assert!(said.iter().any(|line| ends.iter().any(|end| line.ends_with(end))), "{said:#?}");
    for line in said.iter().filter(|line| !line.contains("shell ")) {
        assert!(console::measure_text_width(line) <= 60, "{line}");
    }
}

#[test]
fn credentials_that_are_refused_are_typed_again_at_once() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1", "-y"]);
    password(&mut session, "user_bad");
    let mut seen = expect(&mut session, "(Ctrl-C cancels).");
    seen += &answer(&mut session, "Username for Marrowby Market: user_bad", "\x7f\x7f\x7fgood");
    answer_unseen(&mut session, "Password for Marrowby Market:", PASSWORD);
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
        expect(&mut session, "(Ctrl-C cancels).");
        answer(&mut session, "Username for Marrowby Market: user_bad", "");
        answer_unseen(&mut session, "Password for Marrowby Market:", PASSWORD);
    }
    let end = ends(session, 9);
    assert_eq!(end.matches("refused the user name").count(), 1, "{end}");
    assert!(end.contains("ordersync fix conn_"), "{end}");
}

#[test]
fn a_connected_retailer_that_is_picked_is_synced_or_fixed() {
    let home = Home::connected("user_good", 0);
    let pick = |arguments: &[&str]| {
        let mut session = start(&home, arguments);
        pick(&mut session, "marrowby", "Marrowby Market (1) · connected");
        expect(&mut session, "is connected already. What now?");
        expect(&mut session, "Give other credentials");
        session
    };
    let mut session = pick(&["connect"]);
    send(&mut session, "\r");
    assert!(ends(session, 0).contains("none new"));
    let mut session = pick(&["connect", "-y"]);
    send(&mut session, &format!("{DOWN}\r"));
    password(&mut session, "user_good");
    ends(session, 0);
    // By its name or id, too: the commands for scripts are those of `failures.rs`.
    for words in [&["connect", "marrow"][..], &["connect", "--retailer", "1"]] {
        let mut session = start(&home, words);
        expect(&mut session, "Marrowby Market is connected already. What now?");
        answer(&mut session, "Give other credentials", "");
        assert!(ends(session, 0).contains("none new"));
    }
    let mut session = start(&home, &["connect", "marrow"]);
    expect(&mut session, "Give other credentials");
    send(&mut session, "\x03");
    let said = ends(session, 130);
    assert!(said.contains("Nothing was sent.") && said.contains("ordersync sync --connection conn_"), "{said}");
    let said = ends(start(&home, &["connect", "marrow", "--no-input"]), 1);
    assert!(said.contains("ordersync sync --connection conn_") && said.contains("ordersync fix conn_"), "{said}");
    // One that is broken is repaired without a question.
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    let mut session = start(&home, &["connect", "-y"]);
    super::pty::pick(&mut session, "marrowby", "Marrowby Market (1) · connected");
    expect(&mut session, "has to be repaired");
    password(&mut session, "user_good");
    ends(session, 0);
    home.run(&["sandbox", "break", &home.connection()]).ends(0);
    let mut session = start(&home, &["connect", "marrow", "-y"]);
    expect(&mut session, "Marrowby Market is connected already, and has to be repaired");
    password(&mut session, "user_good");
    ends(session, 0);
}

#[test]
fn a_part_that_several_names_have_opens_the_picker_with_them() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "-r", "korb"]);
    let shown = expect(&mut session, "Lindenkorb");
    assert!(shown.contains("\"korb\" matches several"), "{shown}");
    send(&mut session, "\x1b");
    ends(session, 130);
    let run = home.run(&["connect", "-r", "e"]).ends(2).says(" matches ").says(" more: ordersync retailers --search e");
    assert_eq!(run.err.matches("--retailer ").count(), 8, "{}", run.err);
    // Words that begin with it come first.
    run.says("Choose one, best matches first:\n      Voltaquill Electronics (--retailer 2)\n");
}
