//! The lines at the bottom of a terminal that are drawn again and again: progress, questions.
//!
//! What holds: whatever else is written to standard error while they are there appears above them; no line is wider than
//! the terminal; and where the terminal has become narrower, and has wrapped what was there, all of it is taken away.

use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use console::{Term, measure_text_width, truncate_str};

use super::wrap::wrap;

const HIDE_CURSOR: &str = "\x1b[?25l";
const SHOW_CURSOR: &str = "\x1b[?25h";

/// What is drawn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// The lines, without line breaks; too wide ones are cut.
    pub lines: Vec<String>,
    /// Where somebody types: how many columns before the end of the last line the cursor stands.
    pub cursor: Option<usize>,
}

/// The bottom of the terminal on standard error.
#[derive(Debug, Default)]
pub struct Screen(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    frame: Frame,
    status: Option<String>,
    /// The widths of the lines that are on the terminal.
    drawn: Vec<usize>,
    is_cursor_hidden: bool,
}

/// Rows and columns of the terminal.
#[must_use]
pub fn size() -> (usize, usize) {
    let (rows, columns) = Term::stderr().size_checked().unwrap_or((24, 80));
    // A terminal that does not know its size says zero.
    let or = |size: u16, default: usize| if size == 0 { default } else { size.into() };
    (or(rows, 24), or(columns, 80))
}

impl Screen {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws in place of what was drawn before.
    pub fn draw(&self, frame: Frame) {
        let mut state = self.state();
        let mut out = state.erased();
        state.frame = frame;
        out += &state.drawing();
        write(&out);
    }

    /// Shows a line below the others until another one or none is given.
    pub fn status(&self, status: Option<String>) {
        let mut state = self.state();
        if state.status == status {
            return;
        }
        let mut out = state.erased();
        state.status = status;
        out += &state.drawing();
        write(&out);
    }

    /// Writes a line above what is drawn.
    pub fn print(&self, line: &str) {
        let mut state = self.state();
        if state.drawn.is_empty() {
            write(&format!("{line}\n"));
            return;
        }
        let out = format!("{}{}\r\n{}", state.erased(), line.replace('\n', "\r\n"), state.drawing());
        write(&out);
    }

    /// Takes away what is drawn.
    pub fn clear(&self) {
        let mut state = self.state();
        state.frame = Frame::default();
        let mut out = state.erased();
        out += &state.drawing();
        write(&out);
    }

    /// Leaves what is drawn where it is, as lines like any other.
    pub fn leave(&self) {
        let mut state = self.state();
        state.frame = Frame::default();
        if std::mem::take(&mut state.drawn).is_empty() {
            return;
        }
        let show = if std::mem::take(&mut state.is_cursor_hidden) { SHOW_CURSOR } else { "" };
        write(&format!("\r\n{show}"));
    }
}

impl State {
    /// What takes away the lines on the terminal, as wide as it is now.
    fn erased(&mut self) -> String {
        let drawn = std::mem::take(&mut self.drawn);
        if drawn.is_empty() {
            return String::new();
        }
        match rows(&drawn, size().1) {
            0 | 1 => "\r\x1b[J".to_owned(),
            rows => format!("\r\x1b[{}A\x1b[J", rows - 1),
        }
    }

    fn drawing(&mut self) -> String {
        // The last column stays free: some terminals wrap when it is reached, others when it is passed.
        let width = size().1.saturating_sub(1).max(1);
        let frame = self.frame.lines.iter().map(|line| truncate_str(line, width, "…").into_owned());
        let status = self.status.iter().flat_map(|status| wrap(status, width));
        let lines: Vec<String> = frame.chain(status).collect();
        self.drawn = lines.iter().map(|line| measure_text_width(line)).collect();
        let mut out = String::new();
        let hides = !lines.is_empty() && self.frame.cursor.is_none();
        if hides != self.is_cursor_hidden {
            out += if hides { HIDE_CURSOR } else { SHOW_CURSOR };
            self.is_cursor_hidden = hides;
        }
        out += &lines.join("\r\n");
        if let Some(back @ 1..) = self.frame.cursor.filter(|_| self.status.is_none()) {
            out += &format!("\x1b[{back}D");
        }
        out
    }
}

/// How many rows lines of these widths take where the terminal has wrapped them.
fn rows(drawn: &[usize], columns: usize) -> usize {
    drawn.iter().map(|width| width.div_ceil(columns.max(1)).max(1)).sum()
}

fn write(text: &str) {
    #[cfg(windows)]
    // Asking is what switches the sequences on.
    let _ = crossterm::ansi_support::supports_ansi();
    let mut stderr = std::io::stderr().lock();
    // Nobody is left to be told that standard error is gone.
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_a_narrower_terminal_has_wrapped_are_counted() {
        assert_eq!(rows(&[79, 0, 12], 80), 3);
        assert_eq!(rows(&[79, 0, 12], 60), 4);
        assert_eq!(rows(&[79, 0, 12], 20), 6);
        assert_eq!(rows(&[20], 20), 1);
        assert_eq!(rows(&[20], 0), 20);
    }
}
