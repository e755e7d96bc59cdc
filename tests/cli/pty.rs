//! The binary on a real pseudo-terminal.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;

use rexpect::process::WaitStatus;
use rexpect::reader::Options;
use rexpect::session::{PtySession, spawn_with_options};

use super::support::Home;

thread_local! {
    /// Where the newest command of the thread's test runs.
    static FOLDER: RefCell<PathBuf> = RefCell::default();
}

/// Down, as a terminal sends it.
pub(crate) const DOWN: &str = "\x1b[B";

pub(crate) fn start(home: &Home, arguments: &[&str]) -> PtySession {
    start_command(home, home.command(arguments))
}

pub(crate) fn start_command(home: &Home, given: Command) -> PtySession {
    FOLDER.set(home.path().to_owned());
    // A command of its own, whose streams are not set yet: the pseudo-terminal takes them.
    let mut command = Command::new(given.get_program());
    command.args(given.get_args()).env_clear().current_dir(home.path()).env("TERM", "xterm-256color");
    for (name, value) in given.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let options = Options::new().timeout_ms(Some(300_000));
    spawn_with_options(command, options).expect("it starts")
}

/// The command under a shell that says afterwards how it ended and how the terminal is.
pub(crate) fn start_in_shell(home: &Home, arguments: &[&str], environment: &[(&str, &str)]) -> PtySession {
    let inner = home.command(arguments);
    let mut command = home.command(&[]);
    command.env("BIN", env!("CARGO_BIN_EXE_ordersync"));
    let mut shell = Command::new("sh");
    let script = "stty sane rows 24 cols ${COLS:-80}; trap : INT; echo \"shell $$.\"; \"$BIN\" \"$@\"; echo \"ended $?\"; stty -a; echo over";
    shell.args(["-c", script, "sh"]).args(inner.get_args());
    for (name, value) in command.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    shell.envs(environment.iter().copied());
    start_command(home, shell)
}

/// Reads up to `text` and returns the text before it.
#[track_caller]
pub(crate) fn expect(session: &mut PtySession, text: &str) -> String {
    // The library takes every byte for a letter.
    let wire: String = text.bytes().map(char::from).collect();
    as_text(&session.exp_string(&wire).unwrap_or_else(|why| panic!("{text:?}: {}", as_text(&why.to_string()))))
}

fn as_text(wire: &str) -> String {
    let bytes: Vec<u8> = wire.chars().filter_map(|letter| u8::try_from(letter).ok()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[track_caller]
pub(crate) fn send(session: &mut PtySession, keys: &str) {
    session.send(keys).expect("send");
    session.flush().expect("flush");
}

#[track_caller]
pub(crate) fn answer(session: &mut PtySession, question: &str, text: &str) -> String {
    let before = expect(session, question);
    send(session, &format!("{text}\r"));
    before
}

/// Types what is not shown. The system throws away what was typed before the terminal's echo was off, so this waits until
/// it is read.
#[track_caller]
pub(crate) fn answer_unseen(session: &mut PtySession, question: &str, text: &str) -> String {
    let before = expect(session, question);
    let began = std::time::Instant::now();
    while !is_read() {
        assert!(began.elapsed().as_secs() < 300, "nobody reads the answer");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    send(session, &format!("{text}\r"));
    before
}

/// Whether a process that asks sleeps: its question is shown, so it reads.
fn is_read() -> bool {
    if cfg!(not(target_os = "linux")) {
        // Nothing tells what a process does: a person's pause has to do.
        std::thread::sleep(std::time::Duration::from_millis(400));
        return true;
    }
    let folder = FOLDER.with_borrow(Clone::clone);
    askers(&folder).iter().any(|process| {
        let stat = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|fields| fields.trim_start().starts_with('S'))
    })
}

/// The processes that ask for a command in this folder, as their folders in /proc.
pub(crate) fn askers(folder: &Path) -> Vec<PathBuf> {
    let folder = folder.canonicalize().expect("a folder");
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|process| process.path());
    processes
        .filter(|process| std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder))
        .filter(|process| {
            let words = std::fs::read(process.join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&words).split('\0').any(|word| word == "__ask")
        })
        .collect()
}

/// Picks a retailer by a part of its name, and takes the first of what is left.
#[track_caller]
pub(crate) fn pick(session: &mut PtySession, part: &str, first: &str) -> String {
    let mut before = answer(session, "Enter for all):", part);
    before += &expect(session, &format!("> {first}"));
    send(session, "\r");
    before
}

/// All that a command says that asks nothing.
pub(crate) fn all(mut session: PtySession) -> String {
    as_text(&session.exp_eof().expect("it ends"))
}

#[track_caller]
pub(crate) fn ends(mut session: PtySession, code: i32) -> String {
    let rest = as_text(&session.exp_eof().expect("it ends"));
    let status = session.process().wait().expect("it ends");
    assert!(matches!(status, WaitStatus::Exited(_, found) if found == code), "{status:?}: {rest}");
    rest
}

/// What was said last, and that the command ended with this code and left the terminal as it was.
#[track_caller]
pub(crate) fn ends_restored(mut session: PtySession, code: i32) -> String {
    let said = expect(&mut session, &format!("ended {code}"));
    let settings = expect(&mut session, "over");
    let words: Vec<&str> = settings.split([' ', ';', '\r', '\n']).collect();
    for word in ["echo", "icanon", "isig", "icrnl", "opost", "onlcr", "iexten"] {
        assert!(words.contains(&word), "no {word}: {settings}");
    }
    let hidden = said.rfind("\x1b[?25l");
    assert!(hidden.is_none() || said.rfind("\x1b[?25h") > hidden, "the cursor stays hidden: {said:?}");
    said
}

/// Ctrl-C ends the command, which leaves the terminal as it was.
#[track_caller]
pub(crate) fn cancelled(mut session: PtySession) -> String {
    session.send_control('c').expect("send");
    ends_restored(session, 130)
}
