//! The terminal's settings, changed for a while: what is typed while lines update in place would tear them, and a secret
//! is not shown. However the change ends, the earlier settings are restored.

/// How the terminal takes what is typed meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typing {
    /// As lines, edited by the terminal, and not shown.
    Hidden,
    /// Key by key, and not shown. Ctrl-C still interrupts.
    Keys,
}

#[cfg(unix)]
mod unix {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use rustix::termios::{
        LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcgetpgrp, tcsetattr,
    };

    use super::Typing;

    struct Change {
        number: usize,
        before: Termios,
        during: Termios,
    }

    /// The changes that hold, in their order.
    static CHANGES: Mutex<(usize, Vec<Change>)> = Mutex::new((0, Vec::new()));

    fn changes() -> MutexGuard<'static, (usize, Vec<Change>)> {
        CHANGES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // A terminal that cannot be changed shows what is typed, and one that has gone needs no restoring.
    fn set(termios: &Termios) {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, termios);
    }

    /// Changing the terminal of another process from the background would stop this one.
    pub(super) fn is_ours() -> bool {
        tcgetpgrp(std::io::stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
    }

    pub(super) fn forget_typed() {
        if is_ours() {
            let _ = tcflush(std::io::stdin(), QueueSelector::IFlush);
        }
    }

    pub(super) fn hold(typing: Typing) -> Option<usize> {
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

    pub(super) fn release(number: usize) {
        let mut changes = changes();
        if let Some(place) = changes.1.iter().position(|change| change.number == number) {
            let change = changes.1.remove(place);
            match changes.1.get_mut(place) {
                // A later change still holds; it is what ends now that it began with.
                Some(later) => later.before = change.before,
                None => set(&change.before),
            }
        }
    }

    pub(super) fn give_back() {
        if let Some(first) = changes().1.first() {
            set(&first.before);
        }
    }

    pub(super) fn take_again() {
        if let Some(last) = changes().1.last().filter(|_| is_ours()) {
            set(&last.during);
        }
    }
}

/// A change of the settings, undone when it is dropped. Changes nothing if the terminal belongs to another process.
#[derive(Debug)]
pub(crate) struct Held {
    #[cfg(unix)]
    number: Option<usize>,
}

#[cfg(unix)]
impl Held {
    /// Makes the change.
    #[must_use]
    pub(crate) fn new(typing: Typing) -> Self {
        Self { number: unix::hold(typing) }
    }
}

#[cfg(unix)]
impl Drop for Held {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            unix::release(number);
        }
    }
}

#[cfg(not(unix))]
impl Held {
    /// Makes the change, if the system has a way.
    #[must_use]
    pub const fn new(_: Typing) -> Self {
        Self {}
    }
}

/// Throws away what was typed and not read: it was meant for a question that has ended.
pub(crate) fn forget_typed() {
    #[cfg(unix)]
    unix::forget_typed();
}

/// Gives the terminal its settings back for the time that the command is stopped, or because it ends without unwinding.
pub(crate) fn give_back() {
    #[cfg(unix)]
    unix::give_back();
}

/// Changes the settings again once the command goes on.
pub(crate) fn take_again() {
    #[cfg(unix)]
    unix::take_again();
}

/// Tells when the command goes on after Ctrl-Z.
pub(crate) struct Continued {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Continued {
    /// Begins to listen.
    #[must_use]
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};

        Self { signal: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw())).ok() }
    }

    /// Returns whenever the command resumes with the terminal, and has changed its settings again: the shell has put back its
    /// own, with which a password would be shown.
    pub(crate) async fn comes(&mut self) {
        if let Some(signal) = &mut self.signal {
            while signal.recv().await.is_some() {
                if unix::is_ours() {
                    return take_again();
                }
            }
        }
        std::future::pending().await
    }
}

#[cfg(not(unix))]
impl Continued {
    /// Nothing stops a command here.
    #[must_use]
    pub const fn listen() -> Self {
        Self {}
    }

    /// Never returns.
    pub async fn comes(&mut self) {
        std::future::pending().await
    }
}
