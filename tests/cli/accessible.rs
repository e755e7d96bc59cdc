//! The accessible mode on a real pseudo-terminal: lines, numbers, words; nothing moves.

use rexpect::session::PtySession;

use super::pty::{answer, cancelled, ends, ends_restored, expect, start, start_command, start_in_shell};
use super::support::{Home, PASSWORD};

fn connects(mut session: PtySession) -> String {
    let mut seen = answer(&mut session, "or a part of it):", "marrow");
    // A part is confirmed; the whole name or id is taken at once.
    seen += &answer(&mut session, "Marrowby Market (1)? [Y/n]", "");
    seen += &answer(&mut session, "Username for Marrowby Market:", "user_mfa_choose");
    seen += &answer(&mut session, "(what you type is not shown)", PASSWORD);
    seen += &answer(&mut session, "Send? [Y/n]", "y");
    seen += &answer(&mut session, "Choose 1-3, or type a part of it (until ", "2");
    answer(&mut session, "Code (until ", "999999");
    seen += &expect(&mut session, "Note: Marrowby Market: That code was wrong.");
    seen += &expect(&mut session, "(2 tries left)");
    answer(&mut session, "Code (until ", "123 456");
    seen += &ends(session, 0);
    seen
}

#[test]
fn everything_is_asked_by_line_and_nothing_moves() {
    let home = Home::new();
    let seen = connects(start(&home, &["connect", "--accessible"]));
    assert!(!seen.contains('\x1b') || !seen.contains("\x1b[J"), "{seen:?}");
    assert!(!seen.contains("\x1b[?25l") && !seen.contains('⠋') && !seen.contains('✓'), "{seen:?}");
    assert!(
        seen.contains("Done: Marrowby Market: ") && seen.contains("1. ") && seen.contains("Marrowby Market (1)"),
        "{seen}"
    );
    assert!(!seen.contains(PASSWORD), "the password was shown: {seen}");
}

#[test]
fn the_environment_or_the_configuration_switches_it_on() {
    let home = Home::new();
    let mut command = home.command(&["connect"]);
    command.env("ORDERSYNC_ACCESSIBLE", "1");
    connects(start_command(&home, command));
    let home = Home::new();
    home.run(&["config", "set", "accessible", "maybe"]).ends(2).says("true or false");
    home.run(&["config", "set", "accessible", "true"]).ends(0);
    home.run(&["config", "get", "accessible"]).ends(0).prints("true");
    connects(start(&home, &["connect"]));
    home.run(&["config", "unset", "accessible"]).ends(0);
    home.run(&["config", "get", "accessible"]).ends(0).prints("false");
}

#[test]
fn an_interruption_restores_the_terminal() {
    for question in ["or a part of it):", "Username for", "(what you type is not shown)"] {
        let home = Home::new();
        let mut session = start_in_shell(&home, &["connect", "--accessible"], &[]);
        if question != "or a part of it):" {
            answer(&mut session, "or a part of it):", "1");
        }
        if question.starts_with('(') {
            answer(&mut session, "Username for Marrowby Market:", "user_good");
        }
        expect(&mut session, question);
        let said = cancelled(session);
        assert!(said.contains("Nothing was sent"), "{question}: {said}");
    }
}

#[test]
fn the_end_of_the_input_is_no_answer() {
    let home = Home::new();
    let mut session = start_in_shell(&home, &["connect", "--accessible"], &[]);
    expect(&mut session, "or a part of it):");
    session.send_control('d').expect("send");
    ends_restored(session, 130);
}

#[test]
fn only_what_is_listed_is_taken() {
    let home = Home::new();
    let mut session = start_in_shell(&home, &["connect", "--accessible"], &[]);
    answer(&mut session, "or a part of it):", "korb");
    let listed = answer(&mut session, "or a part of it):", "2");
    assert!(listed.contains("Lindenkorb (14)") && listed.contains("Gletscherkorb (18)"), "{listed}");
    // 2 is the id of a retailer that was not listed, and may have been meant as the second one.
    let refused = answer(&mut session, "or a part of it):", "Voltaquill Electronics");
    assert!(refused.contains("2 is not in the list. Enter alone lists all."), "{refused}");
    // A name is nothing else's place, but is confirmed.
    answer(&mut session, "Voltaquill Electronics (2)? [Y/n]", "n");
    answer(&mut session, "or a part of it):", "");
    answer(&mut session, "or a part of it):", "korb");
    answer(&mut session, "or a part of it):", "14");
    expect(&mut session, " for Lindenkorb:");
    cancelled(session);
}

#[test]
fn of_numbered_options_only_those_listed_last_are_taken() {
    let home = Home::connected("user_mfa_choose", 7);
    let mut session = start_in_shell(&home, &["mfa", "--accessible"], &[]);
    let shown = answer(&mut session, "Choose 1-3, or type a part of it (until ", "zzz");
    assert!(shown.contains("1. ") && shown.contains("3. "), "{shown}");
    let refused = answer(&mut session, "Choose 1-3, or type a part of it (until ", "4");
    assert!(refused.contains("Nothing in the list matches. Enter alone lists all."), "{refused}");
    let refused = answer(&mut session, "Choose 1-3, or type a part of it (until ", "2");
    assert!(refused.contains("There is no 4 in the list."), "{refused}");
    expect(&mut session, "Code (until ");
    cancelled(session);
}

#[test]
fn a_number_that_is_not_in_a_shorter_list_is_not_taken() {
    let home = Home::connected("user_mfa_choose", 7);
    let mut session = start_in_shell(&home, &["mfa", "--accessible"], &[]);
    let choose = "Choose 1-3, or type a part of it (until ";
    // The text message and the email have an "x" in them, the app has none.
    answer(&mut session, choose, "x");
    let listed = answer(&mut session, choose, "3");
    assert!(listed.contains("1. Text message") && listed.contains("2. Email"), "{listed}");
    let refused = answer(&mut session, choose, "2");
    assert!(refused.contains("There is no 3 in the list."), "{refused}");
    expect(&mut session, "Code (until ");
    cancelled(session);
}
