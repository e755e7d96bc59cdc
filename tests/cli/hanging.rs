//! Without a terminal, no command waits for anybody: the whole command tree, run with standard input closed and with a pipe
//! that nobody ever writes to.

use std::io::Read as _;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, Command};

use super::support::Home;

/// The longest that a command may take here, however busy the machine is. What waits for a person waits forever.
const DEADLINE: Duration = Duration::from_secs(300);

/// A command line for every command that can be run: its path, and plausible values for what it cannot do without.
fn leaves(command: &Command, path: &[String], out: &mut Vec<Vec<String>>) {
    if !command.is_subcommand_required_set() {
        let line = [path, &needed(command)].concat();
        // With a retailer, a command gets as far as the credentials, which it would ask for.
        if command.get_arguments().any(|argument| argument.get_id() == "retailer") {
            out.push([line.as_slice(), &["--retailer".to_owned(), "12".to_owned()]].concat());
        }
        out.push(line);
    }
    for inner in command.get_subcommands() {
        leaves(inner, &[path, &[inner.get_name().to_owned()]].concat(), out);
    }
}

fn needed(command: &Command) -> Vec<String> {
    let required = command.get_arguments().filter(|argument| argument.is_required_set());
    let mut arguments: Vec<String> = required.flat_map(plausible).collect();
    // Of a group, one is enough.
    for group in command.get_groups().filter(|group| group.is_required_set()) {
        let member = group.get_args().find_map(|id| command.get_arguments().find(|argument| argument.get_id() == id));
        arguments.extend(member.into_iter().flat_map(plausible));
    }
    arguments
}

fn plausible(argument: &Arg) -> Vec<String> {
    let possible = argument.get_possible_values();
    let value = match (possible.first(), argument.get_id().as_str()) {
        (Some(value), _) => value.get_name().to_owned(),
        (None, "method") => "GET".to_owned(),
        (None, "path") => "/sync/retailers".to_owned(),
        (None, "advance") => "1".to_owned(),
        (None, _) => "x".to_owned(),
    };
    match argument.get_long() {
        Some(long) if matches!(argument.get_action(), ArgAction::SetTrue) => vec![format!("--{long}")],
        Some(long) => vec![format!("--{long}"), value],
        None => vec![value],
    }
}

/// Ends by itself before the deadline, or is stopped and told.
fn ends(mut child: Child, deadline: Duration) -> Result<(), String> {
    let began = Instant::now();
    // What it writes has to go somewhere, or it would wait for us.
    let mut stderr = child.stderr.take().expect("stderr");
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = stderr.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    while began.elapsed() < deadline {
        if child.try_wait().expect("wait").is_some() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("kill");
    child.wait().expect("wait");
    Err(reader.join().expect("thread"))
}

fn run(arguments: &[String], stdin: impl Into<Stdio>, deadline: Duration) -> Result<(), String> {
    let home = Home::new();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = home.command(&arguments);
    command.stdin(stdin).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("it runs");
    ends(child, deadline)
}

#[test]
fn a_command_that_reads_what_nobody_writes_would_be_seen() {
    let (reader, _writer) = std::io::pipe().expect("pipe");
    let arguments = ["connect", "--retailer", "12", "--credentials-stdin"].map(str::to_owned);
    assert!(run(&arguments, reader, Duration::from_millis(500)).is_err());
}

#[test]
fn no_command_waits_for_somebody_who_is_not_there() {
    let mut tree = ordersync::reference::command();
    tree.build();
    let mut all = Vec::new();
    leaves(&tree, &[], &mut all);
    // They run until they are stopped: tests/cli/serve.rs and open.rs start and stop them.
    all.retain(|arguments| arguments.first().is_none_or(|command| command != "serve" && command != "open"));
    assert!(all.len() > 35, "{all:?}");
    let queue = Mutex::new(all.into_iter());
    let waiting = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(arguments) = queue.lock().expect("lock").next() else { return };
                    // Open for as long as the command runs, and silent.
                    let (reader, _writer) = std::io::pipe().expect("pipe");
                    let outcomes = [
                        ("closed", run(&arguments, Stdio::null(), DEADLINE)),
                        ("silent", run(&arguments, reader, DEADLINE)),
                    ];
                    for (stdin, outcome) in outcomes {
                        if let Err(said) = outcome {
                            waiting.lock().expect("lock").push(format!(
                                "with standard input {stdin}: ordersync {}\n{said}",
                                arguments.join(" ")
                            ));
                        }
                    }
                }
            });
        }
    });
    let waiting = waiting.into_inner().expect("lock");
    assert!(waiting.is_empty(), "still running after {DEADLINE:?}:\n{}", waiting.join("\n"));
}
