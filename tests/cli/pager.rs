//! A pager for tables that are longer than the terminal, in a real one.

use rexpect::session::{PtySession, spawn_command};

use crate::support::Home;

/// Runs in a terminal, with a pager that marks what it is given.
fn in_terminal(home: &Home, arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let mut command = home.command(arguments);
    command.env("TERM", "xterm").env("ORDERSYNC_PAGER", "sed 's/^/paged: /'").envs(environment.iter().copied());
    let mut session: PtySession = spawn_command(command, Some(20_000)).expect("a terminal");
    session.exp_eof().expect("it ends")
}

#[test]
fn a_table_that_is_longer_than_the_terminal_goes_through_the_pager_and_no_other_does() {
    let home = Home::connected("user_good", 0);
    let long = ["orders", "list", "--limit", "60"];
    let shown = in_terminal(&home, &long, &[]);
    assert_eq!(shown.matches("paged: ").count(), 61, "{shown}");
    assert!(!in_terminal(&home, &["connections"], &[]).contains("paged: "));
    assert!(!in_terminal(&home, &long, &[("ORDERSYNC_PAGER", "cat")]).contains("paged: "));
    assert!(!in_terminal(&home, &long, &[("CI", "1")]).contains("paged: "));
    assert!(!in_terminal(&home, &[&long[..], &["-o", "jsonl"]].concat(), &[]).contains("paged: "));
}

#[test]
fn a_pager_is_read_for_as_long_as_it_takes() {
    let home = Home::connected("user_good", 0);
    // A pager that takes no notice of Ctrl-C, as `less` does not, and of the time.
    let slow = "trap '' INT; sleep 8; sed 's/^/paged: /'";
    let long = ["orders", "list", "--limit", "60", "--timeout", "3s"];
    let mut command = home.command(&long);
    command.env("TERM", "xterm").env("ORDERSYNC_PAGER", slow);
    let mut session = spawn_command(command, Some(30_000)).expect("a terminal");
    let shown = session.exp_eof().expect("it ends");
    assert_eq!(shown.matches("paged: ").count(), 61, "{shown}");
    assert!(!shown.contains("error"), "{shown}");
}

#[test]
fn a_pager_that_is_not_there_loses_nothing() {
    let home = Home::connected("user_good", 0);
    let shown = in_terminal(&home, &["orders", "list", "--limit", "60"], &[("ORDERSYNC_PAGER", "no-such-pager")]);
    assert!(shown.lines().filter(|line| line.contains("USD")).count() == 60, "{shown}");
}
