//! Questions that are answered key by key, drawn at the bottom of the terminal.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use super::End;
use crate::error::{Error, Result};
use crate::output::screen::{self, Frame, Screen};

/// How long a key is waited for before the time left is drawn anew.
const LOOK: Duration = Duration::from_millis(100);

/// What a key does to a question.
pub(super) enum Step<T> {
    More,
    Done(T),
}

/// A question on the terminal.
pub(super) trait Widget: Send + 'static {
    type Answer: Send + 'static;

    /// Takes a key; Esc, Ctrl-C and Enter's other names are dealt with already.
    fn key(&mut self, key: KeyEvent) -> Step<Self::Answer>;

    /// What to draw on a terminal of that many rows and columns.
    fn frame(&self, rows: usize, columns: usize, now: Instant) -> Frame;
}

/// Asks on a thread of its own; the terminal is as it was afterwards, also where the waiting for the answer is given up:
/// the question stays where it is then.
pub(super) async fn ask<W: Widget>(screen: Arc<Screen>, until: Option<Instant>, widget: W) -> Result<End<W::Answer>> {
    enable_raw_mode().map_err(|why| unreadable(&why))?;
    let mut guard = Guard { screen: Arc::clone(&screen), given_up: Arc::default(), is_cleared: false };
    let given_up = Arc::clone(&guard.given_up);
    let end = tokio::task::spawn_blocking(move || drive(&screen, until, widget, &given_up)).await;
    let end = match end {
        Ok(end) => end.map_err(|why| unreadable(&why))?,
        Err(_) => return Err(Error::usage("The terminal cannot be read.")),
    };
    guard.is_cleared = true;
    Ok(end)
}

fn unreadable(why: &io::Error) -> Error {
    Error::usage(format!("The terminal cannot be read: {why}.")).hint("Without a terminal: --no-input")
}

fn drive<W: Widget>(
    screen: &Screen,
    until: Option<Instant>,
    mut widget: W,
    given_up: &AtomicBool,
) -> io::Result<End<W::Answer>> {
    let mut drawn = None;
    loop {
        let now = Instant::now();
        if given_up.load(Ordering::SeqCst) {
            return Ok(End::BrokenOff);
        }
        if until.is_some_and(|until| until <= now) {
            return Ok(End::Expired);
        }
        let (rows, columns) = screen::size();
        let next = (widget.frame(rows, columns, now), rows, columns);
        if drawn.as_ref() != Some(&next) {
            screen.draw(next.0.clone());
            drawn = Some(next);
        }
        let mut wait = until.map_or(LOOK, |until| LOOK.min(until - now));
        // All the keys that are there at once: a paste is not drawn letter by letter.
        while event::poll(wait)? {
            wait = Duration::ZERO;
            let Event::Key(mut key) = event::read()? else { continue };
            if key.kind == KeyEventKind::Release {
                continue;
            }
            if key.modifiers.contains(KeyModifiers::CONTROL) {
                match key.code {
                    KeyCode::Char('c' | 'd') => return Ok(End::BrokenOff),
                    // A line feed, as a paste and some terminals send it.
                    KeyCode::Char('j' | 'm') => key = KeyEvent::from(KeyCode::Enter),
                    _ => {}
                }
            }
            if key.code == KeyCode::Esc {
                return Ok(End::BrokenOff);
            }
            if let Step::Done(answer) = widget.key(key) {
                return Ok(End::Answered(answer));
            }
        }
    }
}

/// Puts the terminal back as it was, when dropped.
struct Guard {
    screen: Arc<Screen>,
    given_up: Arc<AtomicBool>,
    /// Whether the question goes: it ended, and what is to stay of it is written in its place.
    is_cleared: bool,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.given_up.store(true, Ordering::SeqCst);
        if self.is_cleared {
            self.screen.clear();
        } else {
            self.screen.leave();
        }
        // A terminal that has gone needs no restoring.
        let _ = disable_raw_mode();
    }
}
