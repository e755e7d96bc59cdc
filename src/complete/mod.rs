//! The candidates that a shell shows when the user presses Tab. The scripts that `ordersync completions` prints request
//! them with `ordersync __complete SHELL INDEX -- WORD…`.
//!
//! What holds: the whole answer arrives within [`BOUND`], or there is none; nothing is printed on standard error, and
//! the exit code is 0, since a shell would show a failure in the middle of the command line.

mod attach;
pub(crate) mod cache;
mod candidates;
mod command_line;
pub(crate) mod scripts;
mod shell;
mod tree;

use std::ffi::OsString;
use std::sync::mpsc;
use std::time::Duration;

pub(crate) use self::command_line::Shell;
use self::command_line::Words;
pub(crate) use self::tree::Tree;

/// The hidden first argument.
const COMMAND: &str = "__complete";
/// The longest wait after pressing Tab.
const BOUND: Duration = Duration::from_millis(150);

/// The answer to a shell, if the command line asks for completions.
pub(crate) fn answer(arguments: &[OsString], tree: Tree) -> Option<String> {
    let [_, command, rest @ ..] = arguments else { return None };
    if command != COMMAND {
        return None;
    }
    // Not even a panic message may appear in the middle of the command line.
    std::panic::set_hook(Box::new(|_| {}));
    Some(asked(rest, tree).unwrap_or_default())
}

fn asked(arguments: &[OsString], tree: Tree) -> Option<String> {
    let [shell, index, rest @ ..] = arguments else { return None };
    let (shell, index) = (Shell::named(shell)?, index.to_str()?.parse().ok()?);
    let words = match rest {
        [dashes, words @ ..] if dashes == "--" => words.to_vec(),
        words => words.to_vec(),
    };
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(complete(shell, index, words, tree)));
    receiver.recv_timeout(BOUND).ok()
}

fn complete(shell: Shell, index: usize, words: Vec<OsString>, tree: Tree) -> String {
    let words = Words::new(shell, index, words);
    let mut command = attach::command(&words, tree);
    let mut typed = words.all.clone();
    if words.current() == "-" {
        // For a single dash, the engine offers one name per flag, the short one.
        typed[words.index] = "--".into();
    }
    let found = clap_complete::engine::complete(&mut command, typed, words.index, None);
    shell.render(&words, found.unwrap_or_default())
}
