//! A pager for what is longer than the terminal, as git and man have it: `less`, unless the environment names another.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::env::without_secrets;

/// The options of `less` if the user has set none: stay only if there is more than a screen, take colour, leave
/// the screen as it is.
const LESS: &str = "FRX";

/// Whether a pager is open. It has the terminal, and the command waits for it.
static IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Whether the command waits for a pager.
pub(super) fn is_open() -> bool {
    IS_OPEN.load(Ordering::SeqCst)
}

/// Shows a text in a pager. Says whether that could be done; otherwise the text is still to be shown.
#[must_use]
pub(super) fn show(pager: &str, less_is_told: bool, text: &[u8]) -> bool {
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut command = Command::new(shell);
    command.args([flag, pager]).stdin(Stdio::piped());
    if !less_is_told {
        command.env("LESS", LESS);
    }
    let Ok(mut child) = without_secrets(&mut command).spawn() else { return false };
    IS_OPEN.store(true, Ordering::SeqCst);
    if let Some(mut stdin) = child.stdin.take() {
        // A user who quits the pager has seen enough.
        let _ = stdin.write_all(text);
    }
    // 127 and 126 are a shell's for a program that is missing, or is none; cmd has 9009.
    let ended = child.wait();
    IS_OPEN.store(false, Ordering::SeqCst);
    ended.is_ok_and(|status| !matches!(status.code(), Some(126 | 127 | 9009)))
}
