//! A command whose program is replaced while it waits for an answer, as package managers and `cargo install` do.

use std::process::Command;

use super::pty::{answer, answer_unseen, ends, expect, send, start_command};
use super::support::{Home, PASSWORD};

#[test]
fn a_command_goes_on_asking_after_its_program_was_replaced() {
    let home = Home::new();
    let given = home.command(&["connect", "-r", "1"]);
    let program = home.path().join("ordersync");
    std::fs::copy(given.get_program(), &program).expect("copy");
    let mut command = Command::new(&program);
    command.args(given.get_args());
    for (name, value) in given.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let mut session = start_command(&home, command);
    expect(&mut session, "Username");
    // Another program, which knows no question.
    let new = home.path().join("new");
    std::fs::copy("/bin/false", &new).expect("copy");
    std::fs::rename(new, &program).expect("rename");
    send(&mut session, "user_items_3\r");
    answer_unseen(&mut session, "Password", PASSWORD);
    answer(&mut session, "Send? [Y/n]", "");
    let said = ends(session, 0);
    assert!(said.contains("3 items"), "{said}");
}
