//! The signals that end a command.

/// Ctrl-C and SIGTERM. From here on neither ends the process by itself.
pub(crate) struct Stop {
    interrupt: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
}

impl Stop {
    /// Begins to listen for them; one that comes before [`Stop::wait`] is not lost.
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};

        // Without a handler the system's own ends the process.
        let [interrupt, terminate] = [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok());
        Self { interrupt, terminate }
    }

    /// Returns when one has come, or has come since the last time.
    pub(crate) async fn wait(&mut self) {
        async fn comes(signal: Option<&mut tokio::signal::unix::Signal>) {
            match signal {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
        }
        tokio::select! {
            () = comes(self.interrupt.as_mut()) => {}
            () = comes(self.terminate.as_mut()) => {}
        }
    }
}

/// Ends this process with its parent, however the parent ends: a hidden child is of no use without it. Linux only:
/// elsewhere this does nothing.
pub(crate) fn end_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}

/// Returns on Ctrl-C or SIGTERM.
pub(crate) async fn stop() {
    Stop::listen().wait().await;
}
