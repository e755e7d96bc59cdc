//! On a real pseudo-terminal: prompts, what is shown of what is typed, Ctrl-C.

use std::process::Command;

use rexpect::process::WaitStatus;
use rexpect::reader::Options;
use rexpect::session::{PtySession, spawn_with_options};

use super::support::{Home, PASSWORD};

fn start(home: &Home, arguments: &[&str]) -> PtySession {
    start_command(home, home.command(arguments))
}

fn start_command(home: &Home, given: Command) -> PtySession {
    // A command of its own, whose streams are not set yet: the pseudo-terminal takes them.
    let mut command = Command::new(given.get_program());
    command.args(given.get_args()).env_clear().current_dir(home.path()).env("TERM", "xterm-256color");
    for (name, value) in given.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let options = Options::new().timeout_ms(Some(20_000));
    spawn_with_options(command, options).expect("it starts")
}

/// Reads up to `text` and gives what came before it.
#[track_caller]
fn expect(session: &mut PtySession, text: &str) -> String {
    session.exp_string(text).unwrap_or_else(|why| panic!("{text:?}: {why}"))
}

#[track_caller]
fn answer(session: &mut PtySession, question: &str, text: &str) -> String {
    let before = expect(session, question);
    session.send_line(text).expect("send");
    before
}

#[track_caller]
fn ends(mut session: PtySession, code: i32) -> String {
    let rest = session.exp_eof().expect("it ends");
    let status = session.process().wait().expect("it ends");
    assert!(matches!(status, WaitStatus::Exited(_, found) if found == code), "{status:?}: {rest}");
    rest
}

#[test]
fn a_retailer_is_connected_at_the_prompt_and_no_secret_is_shown() {
    let home = Home::new();
    let mut session = start(&home, &["connect", "--retailer", "1"]);
    let mut seen = answer(&mut session, "Username for Marrowby Market", "user_mfa_choose");
    seen += &answer(&mut session, "Password for Marrowby Market: ", PASSWORD);
    seen += &expect(&mut session, "Email");
    // The second of the methods: down, enter.
    session.send("\x1b[B\r").expect("send");
    session.flush().expect("flush");
    seen += &answer(&mut session, "Enter the code", "999999");
    seen += &expect(&mut session, "that code was wrong; 2 tries left");
    seen += &answer(&mut session, "Enter the code", "123456");
    seen += &ends(session, 0);
    assert!(seen.contains("Marrowby Market: ") && seen.contains(" new"), "{seen}");
    for secret in [PASSWORD, "999999", "123456"] {
        assert!(!seen.contains(secret), "{secret} was shown: {seen}");
    }
}

#[test]
fn ctrl_c_at_a_prompt_ends_with_130() {
    for at_password in [false, true] {
        let home = Home::new();
        let mut session = start(&home, &["connect", "--retailer", "1"]);
        if at_password {
            answer(&mut session, "Username for Marrowby Market", "user_good");
            expect(&mut session, "Password for Marrowby Market");
        } else {
            expect(&mut session, "Username for Marrowby Market");
        }
        session.send_control('c').expect("send");
        assert!(ends(session, 130).contains("Interrupted"));
    }
}

#[test]
fn ctrl_c_while_following_says_how_to_go_on() {
    let home = Home::new();
    let credentials = home.credentials("user_slow");
    let mut command = home.command(&["connect", "-r", "1", "--credentials-file", credentials.to_str().expect("text")]);
    command.env("ORDERSYNC_SANDBOX_SPEED", "1");
    let mut session = start_command(&home, command);
    expect(&mut session, "connecting");
    session.send_control('c').expect("send");
    assert!(ends(session, 130).contains("Go on with: ordersync sessions watch batch_"));
    home.run(&["sessions", "watch"]).ends(0);
}

#[test]
fn the_terminal_echoes_again_after_an_interruption_at_a_password() {
    let home = Home::new();
    let mut shell = home.command(&[]);
    shell.env("BIN", env!("CARGO_BIN_EXE_ordersync"));
    let script = "stty echo; trap : INT; \"$BIN\" connect -r 1; echo \"ended $?\"; stty -a";
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    for (name, value) in shell.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let mut session = start_command(&home, command);
    answer(&mut session, "Username for Marrowby Market", "user_good");
    expect(&mut session, "Password for Marrowby Market");
    session.send_control('c').expect("send");
    expect(&mut session, "ended 130");
    let settings = ends(session, 0);
    let words: Vec<&str> = settings.split_whitespace().collect();
    assert!(words.contains(&"echo") && words.contains(&"icanon") && words.contains(&"isig"), "{settings}");
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
    let credentials = home.credentials("user_good");
    let session = start(&home, &["connect", "-r", "1", "--credentials-file", credentials.to_str().expect("text")]);
    let text = ends(session, 0);
    assert!(text.contains("\u{1b}[2K") && text.contains("Marrowby Market: "), "{text}");
}
