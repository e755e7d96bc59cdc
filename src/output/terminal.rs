//! Temporary changes of the terminal's settings: input must not be echoed into lines that update in place, and a secret
//! must not be shown. However a change ends, the previous settings are restored.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::termios::{LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcgetpgrp, tcsetattr};

/// How the terminal handles input during a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typing {
    /// Line by line, edited by the terminal, without echo.
    Hidden,
    /// Key by key, without echo. Ctrl-C still interrupts.
    Keys,
}

struct Change {
    number: usize,
    before: Termios,
    during: Termios,
}

/// The number of the last change, and the changes in effect, oldest first.
static CHANGES: Mutex<(usize, Vec<Change>)> = Mutex::new((0, Vec::new()));

fn changes() -> MutexGuard<'static, (usize, Vec<Change>)> {
    CHANGES.lock().unwrap_or_else(PoisonError::into_inner)
}

// Failures do no harm: a terminal that cannot be changed echoes input, and a closed one needs no restoring.
fn set(termios: &Termios) {
    let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, termios);
}

/// Whether this process is in the foreground. From the background, changing the terminal would stop it.
fn is_ours() -> bool {
    tcgetpgrp(std::io::stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// Discards unread input: it was meant for a question that has ended.
pub(crate) fn forget_typed() {
    if is_ours() {
        let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
    }
}

fn hold(typing: Typing) -> Option<usize> {
    let before = tcgetattr(std::io::stdin()).ok().filter(|_| is_ours())?;
    let mut during = before.clone();
    during.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
    if typing == Typing::Keys {
        during.local_modes.remove(LocalModes::ICANON);
    }
    set(&during);
    let mut changes = changes();
    changes.0 += 1;
    let number = changes.0;
    changes.1.push(Change { number, before, during });
    Some(number)
}

fn release(number: usize) {
    let mut changes = changes();
    if let Some(place) = changes.1.iter().position(|change| change.number == number) {
        let change = changes.1.remove(place);
        match changes.1.get_mut(place) {
            // A later change is still in effect. When it ends, it must restore what this one would have restored.
            Some(later) => later.before = change.before,
            None => set(&change.before),
        }
    }
}

/// Restores the terminal's original settings while the command is stopped, or because it ends without unwinding.
pub(crate) fn give_back() {
    if let Some(first) = changes().1.first() {
        set(&first.before);
    }
}

/// Applies the latest change again when the command resumes.
pub(crate) fn take_again() {
    if let Some(last) = changes().1.last().filter(|_| is_ours()) {
        set(&last.during);
    }
}

/// A change of the settings, undone when dropped. Changes nothing if the terminal belongs to another process.
#[derive(Debug)]
pub(crate) struct Held {
    number: Option<usize>,
}

impl Held {
    pub(crate) fn new(typing: Typing) -> Self {
        Self { number: hold(typing) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            release(number);
        }
    }
}

/// Waits for the command to resume after Ctrl-Z.
pub(crate) struct Continued {
    signal: Option<tokio::signal::unix::Signal>,
}

impl Continued {
    /// Starts to listen for the signal.
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};

        Self { signal: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw())).ok() }
    }

    /// Returns each time the command has resumed in the foreground. By then it has applied its settings again: the
    /// shell has restored its own, which would show a password.
    pub(crate) async fn comes(&mut self) {
        if let Some(signal) = &mut self.signal {
            while signal.recv().await.is_some() {
                if is_ours() {
                    return take_again();
                }
            }
        }
        std::future::pending().await
    }
}
