//! Every row of the table of errors, provoked for real: what the binary says, how it ends, what it says in JSON.

mod command;
mod network;
mod peer;
mod service;

use std::any::Any;
use std::process::Command;

use ordersync::codes::{self, ErrorEntry};

use super::serve::Sandbox;
use super::support::{Home, Run};

/// Nothing that a test can do brings these about.
const NOT_PROVOKED: [(&str, &str); 3] = [
    ("SERVICE_START", "this machine would have to have no free port on 127.0.0.1"),
    ("SYSTEM", "the system would have to give no threads, or no random numbers"),
    ("FAULT", "it would be a fault that is known"),
];

/// Codes of commands whose time has to be up at a certain stage. On a busy machine they need more to come that far.
const TIMED: [&str; 5] = ["INPUT_TIMEOUT", "INTERRUPTED", "LOCKED", "SIGN_IN_TIMEOUT", "STILL_RUNNING"];
/// In seconds, one after the other until one is enough.
const TIMES: [&str; 3] = ["5", "20", "80"];

/// A command that fails, and what has to be there for it.
struct Scene {
    command: Command,
    /// The service answered: the error has to show the status and the request id.
    is_answered: bool,
    _kept: Vec<Box<dyn Any>>,
}

impl Scene {
    fn new(command: Command) -> Self {
        Self { command, is_answered: false, _kept: Vec::new() }
    }

    /// Of a command at an address, in a home of its own.
    fn at(address: &str, arguments: &[&str]) -> Self {
        let home = Home::new();
        let command = home.command_at(address, arguments);
        Self::new(command).keeping(home)
    }

    fn env(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    fn keeping(mut self, kept: impl Any) -> Self {
        self._kept.push(Box::new(kept));
        self
    }

    fn answered(mut self) -> Self {
        self.is_answered = true;
        self
    }
}

/// Provokes it, and says whether the service answered. `time`: what the command gets if it is one of `TIMED`.
fn provoke(row: &ErrorEntry, sandbox: &Sandbox, time: &str, more: &[&str]) -> (Run, bool) {
    let scene = network::scene(row.code)
        .or_else(|| service::scene(row.code, sandbox))
        .or_else(|| command::scene(row.code, time))
        .unwrap_or_else(|| panic!("{}: no test provokes it", row.code));
    let Scene { mut command, is_answered, _kept } = scene;
    command.args(more);
    (Run::of(command), is_answered)
}

/// Plain, and with `-o json`, which any command takes.
fn check(row: &'static ErrorEntry, sandbox: &Sandbox) {
    let code = row.code;
    let exit = i32::from(row.exit.code());
    let times = if TIMED.contains(&code) { &TIMES[..] } else { &TIMES[..1] };
    let run = |more: &[&str]| {
        let mut last = provoke(row, sandbox, times[0], more);
        for time in &times[1..] {
            if last.0.code == exit {
                break;
            }
            last = provoke(row, sandbox, time, more);
        }
        last
    };
    let (plain, is_answered) = run(&[]);
    let plain = plain.ends(exit);
    assert!(plain.err.contains("error: ") && plain.err.contains("hint: "), "{code}: {}", plain.err);
    assert_eq!(plain.err.contains("request id: "), is_answered, "{code}: {}", plain.err);

    let (json, is_answered) = run(&["-o", "json"]);
    let json = json.ends(exit);
    let error = json.error();
    let told = error["code"].as_str().unwrap_or_default();
    match code.strip_suffix("nnn") {
        Some(family) => assert!(told.starts_with(family), "{error}"),
        None => assert_eq!(told, code, "{error}"),
    }
    let message = error["message"].as_str().unwrap_or_default();
    assert!(message.ends_with(['.', '!', '?']) && !message.contains("(os error"), "{error}");
    assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty() && !hint.contains(['{', '}'])), "{error}");
    assert_eq!(error["httpStatus"].is_u64(), is_answered, "{error}");
    assert_eq!(error["requestId"].is_string(), is_answered, "{error}");
    let known = ["code", "message", "hint", "httpStatus", "requestId", "details"];
    assert!(error.as_object().is_some_and(|error| error.keys().all(|key| known.contains(&key.as_str()))), "{error}");
}

#[test]
fn every_code_is_provoked_and_told_as_the_table_says() {
    let sandbox = Sandbox::start(&["--rate-limit", "off"]);
    let rows: Vec<&'static ErrorEntry> =
        codes::all().filter(|row| NOT_PROVOKED.iter().all(|(code, _)| *code != row.code)).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let failed = std::sync::Mutex::new(Vec::new());
    // Most of them wait for something: beside each other they take as long as the slowest.
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, std::sync::atomic::Ordering::SeqCst)) {
                    let checked = std::panic::AssertUnwindSafe(|| check(row, &sandbox));
                    if std::panic::catch_unwind(checked).is_err() {
                        failed.lock().expect("lock").push(row.code);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("lock");
    assert!(failed.is_empty(), "{failed:?}");
}

/// A command that is offered and does not exist would be worse than none.
#[test]
fn every_command_of_ours_in_the_table_is_one() {
    use clap::error::ErrorKind::{DisplayHelp, DisplayVersion};

    let mut wrong = Vec::new();
    for row in codes::all() {
        for hint in row.advice().hints() {
            let Some(command) = hint.command.as_deref().filter(|command| command.starts_with("ordersync ")) else {
                continue;
            };
            let words = shlex::split(command.trim_end_matches(" …")).expect("a command line");
            match ordersync::reference::command().try_get_matches_from(words) {
                Ok(_) => {}
                Err(why) if matches!(why.kind(), DisplayHelp | DisplayVersion) => {}
                Err(why) => wrong.push(format!("{}: {command}: {why}", row.code)),
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
