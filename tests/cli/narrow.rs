//! Questions, lists and lines on a terminal that is narrow, or becomes so.

use super::pty::{DOWN, answer, answer_unseen, cancelled, ends_restored, expect, send, start_in_shell};
use super::support::{Home, PASSWORD};

const NARROW: (&str, &str) = ("COLS", "50");

#[test]
fn the_keys_of_a_list_are_named_as_far_as_there_is_room() {
    let home = Home::connected("user_mfa_choose", 7);
    let mut session = start_in_shell(&home, &["mfa"], &[NARROW]);
    expect(&mut session, "Method (until ");
    let keys = expect(&mut session, "> Text message");
    assert!(keys.contains(" ↑↓ ") && keys.contains("Esc") && !keys.contains('…'), "{keys}");
    send(&mut session, "\x1b");
    ends_restored(session, 130);
    let home = Home::connected("user_items_3", 0);
    let mut session = start_in_shell(&home, &["connect", "1"], &[]);
    expect(&mut session, "Marrowby Market is connected already. What now? ↑↓ and Enter, Esc cancels");
    send(&mut session, "\x1b");
    ends_restored(session, 130);
}

#[test]
fn an_answer_that_takes_two_rows_is_shown_once() {
    let home = Home::new();
    let mut session = start_in_shell(&home, &["connect", "-r", "1"], &[NARROW]);
    answer(&mut session, "\nUsername: ", "somebody.with.a.long.name@some.example.com");
    // The first row, which dialoguer leaves, is taken away; then the question is a line like any other.
    expect(&mut session, "\r\x1b[1A\x1b[JUsername:");
    answer_unseen(&mut session, "\rPassword: ", PASSWORD);
    expect(&mut session, "Send? [Y/n]");
    cancelled(session);
}

#[test]
fn lines_break_between_words() {
    let home = Home::new();
    let mut session = start_in_shell(&home, &["connect", "-r", "1", "--accessible"], &[NARROW]);
    answer(&mut session, "Username for Marrowby Market:", "user_items_3");
    expect(&mut session, "(what you type is\r\nnot shown)");
    cancelled(session);
    home.connect("user_items_3", &[]).ends(0);
    let said = ends_restored(start_in_shell(&home, &["sessions", "get", "marrow"], &[NARROW]), 0);
    assert!(said.contains(": ended,\r\nstarted "), "{said}");
    let said = ends_restored(start_in_shell(&home, &["--help"], &[NARROW]), 0);
    assert!(said.contains("fetch its\r\n               orders\r\n"), "{said}");
}

/// Makes the terminal narrower while a question is open.
#[cfg(target_os = "linux")]
fn narrow_to(home: &Home, columns: &str) {
    let [asker] = super::pty::askers(home.path()).try_into().expect("one question");
    let narrowed =
        std::process::Command::new("stty").arg("-F").arg(asker.join("fd/0")).args(["cols", columns]).status();
    assert!(narrowed.expect("stty").success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_whose_window_becomes_narrower_leaves_nothing_behind() {
    let home = Home::connected("user_items_3", 0);
    let mut session = start_in_shell(&home, &["connect", "1"], &[]);
    expect(&mut session, "Give other credentials");
    narrow_to(&home, "40");
    send(&mut session, "\r");
    expect(&mut session, "\r\x1b[1A\x1b[JMarrowby Market is connected already.");
    ends_restored(session, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_whose_window_becomes_narrower_is_not_doubled() {
    let home = Home::new();
    let mut session = start_in_shell(&home, &["connect"], &[]);
    answer(&mut session, "Enter for all):", "");
    expect(&mut session, "Esc cancels [Page 1/2]");
    expect(&mut session, "Merribazaar (12)");
    narrow_to(&home, "40");
    send(&mut session, DOWN);
    // The question took two rows of the narrower window.
    expect(&mut session, "\r\x1b[1A\x1b[JRetailer: ");
    let again = expect(&mut session, "[Page 1/2]");
    assert!(again.contains('…'), "it is as long as a line: {again}");
    expect(&mut session, "> Voltaquill Electronics (2)");
    expect(&mut session, "Merribazaar (12)");
    // What is drawn now fits.
    send(&mut session, DOWN);
    let third = expect(&mut session, "> Inkwell & Otter Books (3)");
    assert!(!third.contains("\x1b[1A\x1b[J"), "{third:?}");
    send(&mut session, "\x1b");
    ends_restored(session, 130);
}
