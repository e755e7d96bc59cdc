//! The terminal below indicatif's bars. It also draws if colour is off, and keeps every line narrower than the
//! terminal. If the terminal has become narrower and has wrapped the lines, it still erases all of them; indicatif
//! alone counts the rows at the old width.

use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use console::{measure_text_width, truncate_str};
use indicatif::TermLike;

/// The lines that are drawn.
#[derive(Debug, Default, Clone)]
pub(super) struct LiveTerm(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// The lines of the next drawing.
    next: Vec<String>,
    /// The widths of the lines on the terminal.
    drawn: Vec<usize>,
    is_stopped: bool,
}

impl LiveTerm {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Erases the lines.
    pub(super) fn clear(&self) {
        let mut state = self.state();
        let erased = state.erased();
        write(&erased);
    }

    /// Erases the lines, and draws none until [`Self::go_on`].
    pub(super) fn stop(&self) {
        let mut state = self.state();
        state.is_stopped = true;
        let erased = state.erased();
        write(&erased);
    }

    /// Allows drawing again.
    pub(super) fn go_on(&self) {
        self.state().is_stopped = false;
    }
}

impl TermLike for LiveTerm {
    fn width(&self) -> u16 {
        // The last column stays free: some terminals wrap when it is reached, others when it is passed.
        u16::try_from(size().1.saturating_sub(1).max(1)).unwrap_or(u16::MAX)
    }

    fn height(&self) -> u16 {
        u16::try_from(size().0).unwrap_or(u16::MAX)
    }

    // The next drawing erases the previous one as a whole, so the cursor commands do nothing.
    fn move_cursor_up(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_down(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_right(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn move_cursor_left(&self, _: usize) -> io::Result<()> {
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        Ok(())
    }

    fn write_line(&self, text: &str) -> io::Result<()> {
        self.write_str(text)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        // Ignores the return to the start of a line and the spaces that fill it.
        if !text.trim_matches([' ', '\r']).is_empty() {
            self.state().next.push(text.to_owned());
        }
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let mut state = self.state();
        let width = size().1.saturating_sub(1).max(1);
        let lines: Vec<String> =
            std::mem::take(&mut state.next).iter().map(|line| truncate_str(line, width, "…").into_owned()).collect();
        if !state.is_stopped {
            // The lines are overwritten, and only the rest is erased: a terminal that is cleared from its first row
            // keeps the whole screen in its history (tmux), once per drawing. Wrapped rows are erased first.
            let is_wrapped = rows(&state.drawn, width + 1) > state.drawn.len();
            let before = if is_wrapped || lines.is_empty() { state.erased() } else { state.rewind() };
            state.drawn = lines.iter().map(|line| measure_text_width(line)).collect();
            let rest = if lines.is_empty() { "" } else { "\x1b[J" };
            write(&format!("{before}{}{rest}", lines.join("\x1b[K\r\n")));
        }
        Ok(())
    }
}

impl State {
    /// The sequence that erases the lines at the terminal's current width.
    fn erased(&mut self) -> String {
        if self.drawn.is_empty() { String::new() } else { self.rewind() + "\x1b[J" }
    }

    /// The sequence that returns to the first line at the terminal's current width.
    fn rewind(&mut self) -> String {
        match rows(&std::mem::take(&mut self.drawn), size().1) {
            0 => String::new(),
            1 => "\r".to_owned(),
            rows => format!("\r\x1b[{}A", rows - 1),
        }
    }
}

/// How many rows lines of these widths occupy when the terminal wraps them.
pub(crate) fn rows(drawn: &[usize], columns: usize) -> usize {
    drawn.iter().map(|width| width.div_ceil(columns.max(1)).max(1)).sum()
}

/// Rows and columns of the terminal.
pub(crate) fn size() -> (usize, usize) {
    let (rows, columns) = console::Term::stderr().size_checked().unwrap_or((24, 80));
    // A terminal that does not know its size reports zero.
    let or = |size: u16, default: usize| if size == 0 { default } else { size.into() };
    (or(rows, 24), or(columns, 80))
}

/// Writes to standard error.
pub(super) fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    // If standard error is gone, there is nowhere to report it.
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
