//! `--timeout` bounds everything that a command waits for, and what it has started ends with it. No secret of ours is in the
//! environment of another program.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::support::{Home, Run};

/// How much later than the deadline a command may end on a machine that is busy.
const GRACE: Duration = Duration::from_secs(20);

fn pipe(home: &Home) -> String {
    let path = home.path().join("pipe");
    if !path.exists() {
        assert!(Command::new("mkfifo").args(["-m", "600"]).arg(&path).status().expect("mkfifo").success());
    }
    path.to_str().expect("text").to_owned()
}

/// With standard input that is open and says nothing.
fn silent(home: &Home, arguments: &[&str]) -> Run {
    let (reader, _writer) = std::io::pipe().expect("pipe");
    let mut command = home.command(arguments);
    command.stdin(reader);
    let began = Instant::now();
    let run = Run::of(command);
    assert!(began.elapsed() < GRACE, "{arguments:?}: {:?}", began.elapsed());
    run
}

#[test]
fn a_file_or_standard_input_that_gives_nothing_is_not_waited_for() {
    let home = Home::new();
    let pipe = pipe(&home);
    let at = "http://127.0.0.1:1";
    for arguments in [
        &["connect", "-r", "1", "--credentials-file", &pipe][..],
        &["connect", "-r", "1", "--credentials-stdin"],
        &["api", "POST", "/sync/mfa", "--input", &pipe],
        &["api", "POST", "/sync/mfa", "--input", "-"],
        &["auth", "login", "--with-token", "--base-url", at],
        &["users", "share", "--link-token", "-", "--base-url", at],
        &["link-token", "create", "--external-user-id", "u", "--client-secret-file", &pipe, "--base-url", at],
    ] {
        silent(&home, &[arguments, &["--timeout", "1s"]].concat()).ends(2).says("Nothing came from");
    }
}

#[test]
fn a_code_that_does_not_come_leaves_the_sync_to_be_followed_later() {
    let home = Home::new();
    let means = ["--mfa-code-stdin", "--timeout", "3s"];
    let credentials = home.credentials("user_mfa_enter");
    let connect = ["connect", "-r", "1", "--credentials-file", credentials.to_str().expect("text")];
    silent(&home, &[&connect[..], &means].concat()).ends(8).says("ordersync sessions watch batch_");
}

#[test]
fn a_command_for_the_code_ends_with_all_that_it_has_started() {
    let home = Home::new();
    let started = home.path().join("started");
    let mfa = format!("sleep 1000 & echo $! > {}; wait", started.display());
    let run = home.connect("user_mfa_enter", &["--mfa-command", &mfa, "--timeout", "3s"]).ends(8);
    run.says("the command for the code did not end in time").says("ordersync sessions watch batch_");
    let id = std::fs::read_to_string(started).expect("it ran");
    let left = Command::new("kill").args(["-0", id.trim()]).stderr(Stdio::null()).status().expect("kill");
    // It is gone, or a process that has ended and that nobody has asked for yet.
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    assert!(!left.success() || stat.contains(") Z "), "{stat}");
}

#[test]
fn other_programs_get_no_secrets() {
    let home = Home::new();
    let seen = home.path().join("seen");
    let mfa = format!("env > {}; echo 123456", seen.display());
    let credentials = home.credentials("user_mfa_enter");
    let credentials = credentials.to_str().expect("text");
    let mut command = home.command(&["connect", "-r", "1", "--credentials-file", credentials, "--mfa-command", &mfa]);
    for name in ["TOKEN", "CLIENT_SECRET", "LINK_TOKEN", "SERVICE_KEY", "OTP_GATEWAY_SECRET"] {
        command.env(format!("ORDERSYNC_{name}"), "canary");
    }
    Run::of(command).ends(0);
    let seen = std::fs::read_to_string(seen).expect("it ran");
    assert!(seen.contains("ORDERSYNC_MFA_PROMPT=") && !seen.contains("canary"), "{seen}");
}
