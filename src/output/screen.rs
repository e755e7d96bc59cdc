//! The lines at the bottom of a terminal that are drawn again and again: the progress bars of indicatif.
//!
//! What holds: whatever else is written to standard error while they are there appears above them, and after the answer
//! while a question is open; Ctrl-Z takes them away and gives the cursor back, and `fg` draws them again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::live_term::{LiveTerm, write};
pub(crate) use super::live_term::{rows, size};
use super::wrap::wrap;

/// How often a second the lines are drawn at most.
const RATE: u8 = 15;
const HIDE_CURSOR: &str = "\x1b[?25l";
const SHOW_CURSOR: &str = "\x1b[?25h";

/// The bottom of the terminal on standard error.
#[derive(Debug)]
pub(crate) struct Screen {
    bars: MultiProgress,
    term: LiveTerm,
    /// How many bars there are.
    count: AtomicUsize,
    /// What is waited for, below the others.
    waiting: Mutex<Option<ProgressBar>>,
    /// What was written while a question was open; none while there is none.
    kept: Mutex<Option<Vec<String>>>,
    #[cfg(unix)]
    stops: std::sync::Once,
}

/// A question is open until this is dropped; then what was written meanwhile appears.
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
            #[cfg(unix)]
            stops: std::sync::Once::new(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Screen {
    /// Adds a bar above what is waited for.
    pub(super) fn add(self: &Arc<Self>, bar: ProgressBar) -> ProgressBar {
        self.begin();
        self.bars.insert_from_back(usize::from(lock(&self.waiting).is_some()), bar)
    }

    /// Takes bars away.
    pub(super) fn remove(&self, bars: impl IntoIterator<Item = ProgressBar>) {
        for bar in bars {
            self.bars.remove(&bar);
            if self.count.fetch_sub(1, Ordering::SeqCst) == 1 {
                // The drawing that takes the last line away cannot fail: the terminal below reports no error.
                let _ = self.bars.clear();
                self.term.clear();
                write(SHOW_CURSOR);
            }
        }
    }

    fn begin(self: &Arc<Self>) {
        #[cfg(unix)]
        self.stops.call_once(|| stop_on_ctrl_z(self));
        if self.count.fetch_add(1, Ordering::SeqCst) == 0 {
            write(HIDE_CURSOR);
        }
    }

    /// Shows what is waited for below the others, until another text or none is given.
    pub(super) fn status(self: &Arc<Self>, text: Option<&str>) {
        let is_asking = lock(&self.kept).is_some();
        let mut waiting = lock(&self.waiting);
        let Some(text) = text.filter(|_| !is_asking) else {
            self.remove(waiting.take());
            return;
        };
        let bar = waiting.get_or_insert_with(|| {
            self.begin();
            // The template is right; without it a spinner would stand before the text.
            let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
            self.bars.add(ProgressBar::new_spinner().with_style(style))
        });
        bar.set_message(wrap(text, size().1.saturating_sub(1).max(1)).join("\n"));
    }

    /// Writes a line above what is drawn.
    pub(super) fn print(&self, line: &str) {
        if let Some(kept) = &mut *lock(&self.kept) {
            kept.push(line.to_owned());
            return;
        }
        let print = || write(&format!("{line}\n"));
        if self.count.load(Ordering::SeqCst) > 0 { self.bars.suspend(print) } else { print() }
    }

    /// Keeps what is written until the question that is about to be asked has ended.
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

/// Stops the command as the terminal asks, with the lines off the terminal. The handler stays for good, so a question is
/// stopped in the same way.
#[cfg(unix)]
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
            // The threads stop one after the other: only what tells that the command goes on says that it was stopped.
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
