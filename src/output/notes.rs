//! Messages beside the result, on standard error: notes, warnings, next steps, traces.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::sanitize::clean;
use super::screen::Screen;
use super::wrap::hanging;
use super::{Mark, Output, stderr_width, wrap};
use crate::errors::Hint;
use crate::policy::ProgressStyle;

/// How often a count of seconds is redrawn.
const TICK: Duration = Duration::from_millis(250);
/// Work that finishes sooner is not mentioned.
const UNNOTICED: Duration = Duration::from_secs(2);

impl Output {
    /// Waits, and says so. If lines update in place, the message counts down; otherwise it is printed once. `text`
    /// builds the message from the seconds that are left.
    pub(crate) async fn wait(&self, wait: Duration, text: impl Fn(u64) -> String) {
        let seconds = |left: Duration| left.as_secs_f64().ceil() as u64;
        match self.progress {
            ProgressStyle::Live => {
                let over = Instant::now() + wait;
                // Removes the status even if the wait is interrupted.
                let _shown = StatusGuard(&self.screen);
                loop {
                    let left = over.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        break;
                    }
                    self.screen.status(Some(&text(seconds(left))));
                    tokio::time::sleep(left.min(TICK)).await;
                }
            }
            ProgressStyle::Lines | ProgressStyle::Silent => {
                self.note(text(seconds(wait)));
                tokio::time::sleep(wait).await;
            }
        }
    }

    /// Awaits work that may take long. If it does and lines update in place, `text` builds a message from the elapsed
    /// seconds.
    pub(crate) async fn while_waiting<T>(&self, work: impl Future<Output = T>, text: impl Fn(u64) -> String) -> T {
        if self.progress != ProgressStyle::Live {
            return work.await;
        }
        let begun = Instant::now();
        let mut work = std::pin::pin!(work);
        if let Ok(done) = tokio::time::timeout(UNNOTICED, &mut work).await {
            return done;
        }
        let _shown = StatusGuard(&self.screen);
        loop {
            self.screen.status(Some(&text(begun.elapsed().as_secs())));
            if let Ok(done) = tokio::time::timeout(TICK, &mut work).await {
                return done;
            }
        }
    }

    /// Prints information beside the result, unless `--quiet` is set.
    pub(crate) fn note(&self, said: impl Into<Hint>) {
        if !self.quiet {
            self.announce(said);
        }
    }

    /// A note with a sign before it.
    pub(crate) fn marked_note(&self, mark: Mark, said: impl Into<Hint>) {
        if !self.quiet {
            let sign = self.sign(mark, self.colour_err);
            self.to_stderr(&hanging(&sign, &said.into(), self.stderr_terminal.then(stderr_width)));
        }
    }

    /// Prints the next steps: commands to copy, one per line after the word "Next".
    pub(crate) fn next(&self, commands: &[String]) {
        for command in commands {
            self.note(Hint::run("Next", command.as_str()));
        }
    }

    /// Prints a line even with `--quiet`, such as the address of a running service.
    pub(crate) fn announce(&self, said: impl Into<Hint>) {
        self.to_stderr(&self.lines(&said.into(), 0).join("\n"));
    }

    /// Prints a line with a sign before it even with `--quiet`: for problems that a script must not miss.
    pub(crate) fn warn(&self, said: impl Into<Hint>) {
        let sign = self.sign(Mark::Attention, self.colour_err);
        self.to_stderr(&hanging(&sign, &said.into(), self.stderr_terminal.then(stderr_width)));
    }

    /// Prints a line to be copied as a whole. It is never wrapped.
    pub(crate) fn verbatim(&self, text: &str) {
        self.to_stderr(&clean(text));
    }

    /// Lines for standard error, wrapped if it is a terminal. `used` is the width of what precedes each line.
    pub(super) fn lines(&self, said: &Hint, used: usize) -> Vec<String> {
        let width = if self.stderr_terminal { stderr_width().saturating_sub(used) } else { usize::MAX };
        wrap::lines(said, width)
    }

    /// Prints a question. The answer is typed after it.
    pub(crate) fn ask(&self, text: &str) {
        let lines = self.lines(&Hint::say(text), 1).join("\n");
        let mut stderr = io::stderr().lock();
        // If standard error is gone, there is nowhere to report it.
        let _ = write!(stderr, "{lines} ").and_then(|()| stderr.flush());
    }

    /// Prints a step of a demonstration: the command as the user would type it.
    pub(crate) fn command_line(&self, text: &str) {
        let style = console::Style::new().force_styling(self.colour_err).bold();
        self.to_stderr(&style.apply_to(format!("$ {}", clean(text))).to_string());
    }

    /// A line of `-v` (level 1) or `-vv` (level 2).
    pub(crate) fn trace(&self, level: u8, text: &str) {
        if self.verbosity >= level {
            let style = console::Style::new().force_styling(self.colour_err).dim();
            for line in text.lines() {
                self.to_stderr(&style.apply_to(clean(line)).to_string());
            }
        }
    }

    pub(super) fn to_stderr(&self, line: &str) {
        self.streams.message(line, &self.screen);
    }
}

/// Removes the status from the screen when dropped.
struct StatusGuard<'a>(&'a Arc<Screen>);

impl Drop for StatusGuard<'_> {
    fn drop(&mut self) {
        self.0.status(None);
    }
}
