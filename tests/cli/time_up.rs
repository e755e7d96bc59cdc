//! `--timeout` bounds everything that a command waits for, and what it has started ends with it. No secret of ours is in the
//! environment of another program.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::support::{Home, Run};

/// How much later than the deadline a command may end on a machine that is busy.
const GRACE: Duration = Duration::from_secs(300);

/// So much later than its time is up a command is killed.
const KILL: &str = "30";

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

/// Of a file whose reader never reads: opened for reading, too, a pipe has a reader.
fn unread(home: &Home) -> std::fs::File {
    std::fs::File::options().read(true).write(true).open(pipe(home)).expect("open")
}

#[test]
fn a_pipe_that_nobody_reads_is_not_written_to_for_ever() {
    let home = Home::new();
    let pipe = pipe(&home);
    for arguments in [&["orders", "export", "--out", &pipe][..], &["orders", "summary", "--html", &pipe]] {
        silent(&home, &[arguments, &["--timeout", "1s"]].concat()).ends(8).says("Nothing reads from");
    }
    home.connect("user_items_3000", &[]).ends(0);
    let _reader = unread(&home);
    silent(&home, &["orders", "export", "--out", &pipe, "--timeout", "4s"])
        .ends(8)
        .says("The time of --timeout is up.");
    // Standard output is a pipe, too.
    for arguments in [&["orders", "export"][..], &["orders", "list", "--limit", "1000", "--jq", "."]] {
        let (_stdout, writer) = std::io::pipe().expect("pipe");
        let mut command = home.command(&[arguments, &["--timeout", "4s"]].concat());
        command.stdout(writer);
        Run::of(command).ends(8).says("The time of --timeout is up.");
    }
}

#[test]
fn ctrl_c_ends_an_export_to_a_pipe_that_nobody_reads() {
    let home = Home::new();
    let pipe = pipe(&home);
    let interrupted = |seconds: &str| {
        let export = home.command(&["orders", "export", "--out", &pipe]);
        let mut command = Command::new("timeout");
        command.args(["--preserve-status", "-k", KILL, "-s", "INT", seconds]).arg(export.get_program());
        command.args(export.get_args()).env_clear().current_dir(home.path());
        command.envs(export.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Run::of(command).ends(130).says("Interrupted")
    };
    interrupted("2");
    home.connect("user_items_3000", &[]).ends(0);
    let _reader = unread(&home);
    interrupted("4");
}

#[test]
fn a_pipe_gets_the_whole_export_once_somebody_reads() {
    let home = Home::connected("user_items_3000", 0);
    let pipe = pipe(&home);
    let export = home.command(&["orders", "export", "--out", &pipe]).spawn().expect("it starts");
    let text = std::fs::read_to_string(&pipe).expect("read");
    assert_eq!(text.lines().count(), 3001);
    assert!(export.wait_with_output().expect("it ends").status.success());
}

#[test]
fn a_code_that_does_not_come_leaves_the_sync_to_be_followed_later() {
    let home = Home::new();
    let means = ["--mfa-code-stdin", "--timeout", "3s"];
    let connect = ["connect", "-r", "1", "--credentials-file", &home.credentials("user_mfa_enter")];
    let run = silent(&home, &[&connect[..], &means].concat()).ends(8);
    run.says("still asks for verification")
        .says("ordersync mfa --batch batch_")
        .says("ordersync sessions watch batch_");
}

#[test]
fn a_command_for_the_code_ends_with_all_that_it_has_started() {
    // A machine on which the time is up before a code is asked for gets more of it.
    let (_home, started, run) = ["3s", "30s", "300s"]
        .into_iter()
        .map(|time| {
            let home = Home::new();
            let started = home.path().join("started");
            let mfa = format!("sleep 1000 & echo $! > {}; wait", started.display());
            let run = home.connect("user_mfa_enter", &["--mfa-command", &mfa, "--timeout", time]).ends(8);
            (home, started, run)
        })
        .find(|(_, started, _)| started.exists())
        .expect("it ran");
    run.says("the command for the code did not finish in time").says("ordersync sessions watch batch_");
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
    let mut command = home.command(&["connect", "-r", "1", "--credentials-file", &credentials, "--mfa-command", &mfa]);
    for name in ["TOKEN", "CLIENT_SECRET", "LINK_TOKEN", "SERVICE_KEY", "OTP_GATEWAY_SECRET"] {
        command.env(format!("ORDERSYNC_{name}"), "canary");
    }
    Run::of(command).ends(0);
    let seen = std::fs::read_to_string(seen).expect("it ran");
    assert!(seen.contains("ORDERSYNC_MFA_PROMPT=") && !seen.contains("canary"), "{seen}");
}
