//! The terminal's echo, switched off for a while: what is typed while lines update in place would tear them, and a secret
//! is not shown.

/// While it lives, what is typed is not shown. Does nothing where the terminal belongs to another process: changing it
/// from the background would stop this one.
#[derive(Debug)]
pub struct NoEcho {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl NoEcho {
    /// Switches it off.
    #[must_use]
    pub fn hold() -> Self {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr};

        let stdin = std::io::stdin();
        let is_ours = tcgetpgrp(&stdin).is_ok_and(|group| group == rustix::process::getpgrp());
        let before = tcgetattr(&stdin).ok().filter(|_| is_ours);
        if let Some(before) = &before {
            let mut silent = before.clone();
            silent.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
            // A terminal that cannot be changed shows what is typed; nothing else depends on it.
            let _ = tcsetattr(&stdin, OptionalActions::Now, &silent);
        }
        Self { before }
    }
}

#[cfg(unix)]
impl Drop for NoEcho {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // A terminal that has gone needs no restoring.
            let _ = rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Now, before);
        }
    }
}

#[cfg(not(unix))]
impl NoEcho {
    /// Switches it off, where the system has a way.
    #[must_use]
    pub const fn hold() -> Self {
        Self {}
    }
}
