//! The lines at the bottom of a terminal that are redrawn continually: indicatif's progress bars.
//!
//! What holds: any other line on standard error appears above them, or after the answer while a question is open.
//! Ctrl-Z erases them and restores the cursor, and `fg` draws them again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::live_term::{LiveTerm, write};
pub(crate) use super::live_term::{rows, size};
use super::wrap::wrap;
use crate::errors::Error;

/// The most drawings per second.
const RATE: u8 = 15;
const HIDE_CURSOR: &str = "\x1b[?25l";
const SHOW_CURSOR: &str = "\x1b[?25h";

/// The bottom of the terminal on standard error.
#[derive(Debug)]
pub(crate) struct Screen {
    bars: MultiProgress,
    term: LiveTerm,
    /// The number of bars, including the status.
    count: AtomicUsize,
    /// The status line below the bars: what the command waits for.
    waiting: Mutex<Option<ProgressBar>>,
    /// The lines that were written while a question is open; `None` if there is no question.
    kept: Mutex<Option<Vec<String>>>,
    stops: std::sync::Once,
    beside_log: OnceLock<BesideLog>,
}

/// What writes the lines of a process that logs to standard error: in one order with the log, and without waiting for its
/// reader.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BesideLog {
    pub(crate) line: fn(&str),
    /// Logs an error, if the log is for programs.
    pub(crate) error: Option<fn(&Error)>,
    /// Waits, for a limited time, until everything is written.
    pub(crate) flush: fn(),
}

/// Keeps a question open until it is dropped. Then the lines that were written meanwhile appear.
#[derive(Debug)]
pub(crate) struct Asking<'a>(&'a Screen);

impl Default for Screen {
    fn default() -> Self {
        let term = LiveTerm::default();
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(term.clone()), RATE);
        Self {
            bars: MultiProgress::with_draw_target(target),
            term,
            count: AtomicUsize::new(0),
            waiting: Mutex::default(),
            kept: Mutex::default(),
            stops: std::sync::Once::new(),
            beside_log: OnceLock::new(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Screen {
    /// Adds a bar above the status.
    pub(super) fn add(self: &Arc<Self>, bar: ProgressBar) -> ProgressBar {
        self.begin();
        self.bars.insert_from_back(usize::from(lock(&self.waiting).is_some()), bar)
    }

    pub(super) fn remove(&self, bars: impl IntoIterator<Item = ProgressBar>) {
        for bar in bars {
            self.bars.remove(&bar);
            if self.count.fetch_sub(1, Ordering::SeqCst) == 1 {
                // Erasing the last line cannot fail, since the terminal below reports no errors.
                let _ = self.bars.clear();
                self.term.clear();
                write(SHOW_CURSOR);
            }
        }
    }

    fn begin(self: &Arc<Self>) {
        self.stops.call_once(|| stop_on_ctrl_z(self));
        if self.count.fetch_add(1, Ordering::SeqCst) == 0 {
            write(HIDE_CURSOR);
        }
    }

    /// Shows the status below the bars. `None` removes it, and so does an open question.
    pub(super) fn status(self: &Arc<Self>, text: Option<&str>) {
        let is_asking = lock(&self.kept).is_some();
        let mut waiting = lock(&self.waiting);
        let Some(text) = text.filter(|_| !is_asking) else {
            self.remove(waiting.take());
            return;
        };
        let bar = waiting.get_or_insert_with(|| {
            self.begin();
            // The template is valid; the fallback would show a spinner before the text.
            let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
            self.bars.add(ProgressBar::new_spinner().with_style(style))
        });
        bar.set_message(wrap(text, size().1.saturating_sub(1).max(1)).join("\n"));
    }

    /// Writes a line above the bars.
    pub(super) fn print(&self, line: &str) {
        if let Some(log) = self.beside_log.get() {
            return (log.line)(line);
        }
        if let Some(kept) = &mut *lock(&self.kept) {
            kept.push(line.to_owned());
            return;
        }
        let print = || write(&format!("{line}\n"));
        if self.count.load(Ordering::SeqCst) > 0 { self.bars.suspend(print) } else { print() }
    }

    /// Writes all further lines beside a log.
    pub(crate) fn print_beside(&self, log: BesideLog) {
        // The first one stays.
        let _ = self.beside_log.set(log);
    }

    /// Logs an error, if there is a log for programs; whether it did.
    pub(super) fn logs(&self, error: &Error) -> bool {
        let log = self.beside_log.get().and_then(|log| log.error);
        log.inspect(|log| log(error)).is_some()
    }

    /// Waits for lines beside a log.
    pub(crate) fn flush(&self) {
        if let Some(log) = self.beside_log.get() {
            (log.flush)();
        }
    }

    /// Keeps lines back until the question that is about to be asked is answered.
    pub(crate) fn asking(&self) -> Asking<'_> {
        lock(&self.kept).get_or_insert_default();
        Asking(self)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let kept = lock(&self.0.kept).take();
        for line in kept.into_iter().flatten() {
            self.0.print(&line);
        }
    }
}

/// On Ctrl-Z, erases the lines and stops the command. The handler is never removed, so it also applies while a question
/// is open.
fn stop_on_ctrl_z(screen: &Arc<Screen>) {
    use rustix::process::{Signal, getpid, kill_process};
    use tokio::signal::unix::{SignalKind, signal};

    if tokio::runtime::Handle::try_current().is_err() {
        return;
    }
    let Ok(mut stops) = signal(SignalKind::from_raw(Signal::TSTP.as_raw())) else { return };
    let screen = Arc::downgrade(screen);
    tokio::spawn(async move {
        while stops.recv().await.is_some() {
            let Some(screen) = screen.upgrade() else { return };
            let is_live = screen.count.load(Ordering::SeqCst) > 0;
            screen.term.stop();
            if is_live {
                write(SHOW_CURSOR);
            }
            super::terminal::give_back();
            // The threads stop one after another, so only the signal to continue proves that the command was stopped.
            let Ok(mut goes_on) = signal(SignalKind::from_raw(Signal::CONT.as_raw())) else { return };
            if kill_process(getpid(), Signal::STOP).is_ok() {
                goes_on.recv().await;
            }
            super::terminal::take_again();
            if is_live {
                write(HIDE_CURSOR);
            }
            screen.term.go_on();
        }
    });
}
