//! A pager for output longer than the terminal, as in git and man: `less`, unless the environment names another.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::env::without_secrets;

/// The options of `less` if the user has set none: exit if everything fits on one screen, accept colour, do not clear
/// the screen.
const LESS: &str = "FRX";

/// Whether a pager is open. It then owns the terminal, and the command waits for it.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

pub(super) fn is_open() -> bool {
    IS_OPEN.load(Ordering::SeqCst)
}

/// Shows a text in a pager. Returns false if that failed; the caller must then show the text.
pub(super) fn show(pager: &str, less_is_told: bool, text: &[u8]) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", pager]).stdin(Stdio::piped());
    if !less_is_told {
        command.env("LESS", LESS);
    }
    let Ok(mut child) = without_secrets(&mut command).spawn() else { return false };
    IS_OPEN.store(true, Ordering::SeqCst);
    if let Some(mut stdin) = child.stdin.take() {
        // If the write fails, the user has quit the pager.
        let _ = stdin.write_all(text);
    }
    // A shell returns 127 for a missing program and 126 for one that cannot be run.
    let ended = child.wait();
    IS_OPEN.store(false, Ordering::SeqCst);
    ended.is_ok_and(|status| !matches!(status.code(), Some(126 | 127)))
}
