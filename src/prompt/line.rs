//! A line that is typed, shown or not.

use std::time::Instant;

use console::measure_text_width;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use secrecy::SecretString;
use zeroize::Zeroizing;

use super::Question;
use super::keys::{Step, Widget};
use crate::output::screen::Frame;
use crate::output::wrap::wrap;

/// What is typed is never longer than this: nothing that is asked for is.
const LONGEST: usize = 4096;

/// A line that is being typed.
pub(super) struct Line {
    question: Question,
    is_secret: bool,
    /// As bytes for its whole length from the beginning, so that no copy of a secret is left behind by growing.
    typed: Zeroizing<String>,
    /// In bytes, between two letters.
    cursor: usize,
}

impl Line {
    pub(super) fn new(question: Question, is_secret: bool) -> Self {
        let mut typed = Zeroizing::new(String::with_capacity(LONGEST));
        typed.push_str(&question.initial);
        Self { question, is_secret, cursor: typed.len(), typed }
    }

    fn before(&self) -> usize {
        self.typed[..self.cursor].chars().next_back().map_or(self.cursor, |letter| self.cursor - letter.len_utf8())
    }

    fn after(&self) -> usize {
        self.typed[self.cursor..].chars().next().map_or(self.cursor, |letter| self.cursor + letter.len_utf8())
    }

    fn delete_from(&mut self, start: usize) {
        self.typed.replace_range(start..self.cursor, "");
        self.cursor = start;
    }
}

impl Widget for Line {
    type Answer = SecretString;

    fn key(&mut self, key: KeyEvent) -> Step<SecretString> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return Step::Done(SecretString::from(self.typed.as_str())),
            KeyCode::Backspace => self.delete_from(self.before()),
            KeyCode::Char('h') if control => self.delete_from(self.before()),
            KeyCode::Char('u') if control => self.delete_from(0),
            KeyCode::Char('w') if control => {
                let words = self.typed[..self.cursor].trim_end();
                let start = words.rfind(' ').map_or(0, |space| space + 1);
                self.delete_from(start);
            }
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.typed.len(),
            KeyCode::Delete => {
                let end = self.after();
                self.typed.replace_range(self.cursor..end, "");
            }
            KeyCode::Left => self.cursor = self.before(),
            KeyCode::Right => self.cursor = self.after(),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.typed.len(),
            KeyCode::Char(letter) if !control && !letter.is_control() && self.typed.len() + 4 <= LONGEST => {
                self.typed.insert(self.cursor, letter);
                self.cursor += letter.len_utf8();
            }
            _ => {}
        }
        Step::More
    }

    fn frame(&self, _: usize, columns: usize, now: Instant) -> Frame {
        let room = columns.saturating_sub(2).max(10);
        let mut lines = wrap(&self.question.shown(now), room);
        let last = lines.pop().unwrap_or_default();
        if self.is_secret {
            lines.push(format!("{last} "));
            return Frame { lines, cursor: Some(0) };
        }
        let mut beginning = format!("{last} ");
        if measure_text_width(&beginning) + 20 > room && measure_text_width(&self.typed) + 20 > room / 2 {
            lines.push(last);
            beginning = String::new();
        }
        // Where it is too long for the line, the part around the cursor is shown.
        let space = room.saturating_sub(measure_text_width(&beginning)).max(4);
        let mut start = 0;
        while measure_text_width(&self.typed[start..self.cursor]) > space {
            start += self.typed[start..].chars().next().map_or(1, char::len_utf8);
        }
        let mut end = self.typed.len();
        while measure_text_width(&self.typed[start..end]) > space && end > self.cursor {
            end -= self.typed[..end].chars().next_back().map_or(1, char::len_utf8);
        }
        lines.push(format!("{beginning}{}", &self.typed[start..end]));
        Frame { lines, cursor: Some(measure_text_width(&self.typed[self.cursor..end])) }
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn typed(line: &mut Line, keys: &[KeyCode]) -> Option<String> {
        for key in keys {
            if let Step::Done(answer) = line.key(KeyEvent::from(*key)) {
                return Some(answer.expose_secret().to_owned());
            }
        }
        None
    }

    #[test]
    fn a_line_is_edited_as_lines_are() {
        let mut line = Line::new(Question::new("Name", ""), false);
        let letters: Vec<KeyCode> = "añbc".chars().map(KeyCode::Char).collect();
        typed(&mut line, &letters);
        let keys =
            [KeyCode::Left, KeyCode::Left, KeyCode::Backspace, KeyCode::Delete, KeyCode::End, KeyCode::Char('d')];
        typed(&mut line, &keys);
        line.key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::CONTROL));
        assert_eq!(typed(&mut line, &[KeyCode::Enter]).as_deref(), Some("acd"));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_a_secret_leaves_no_trace() {
        let text = "Marrowby Market and Sons of the Old Harbour: Enter the code from the text message to ···42";
        for is_secret in [false, true] {
            let mut line = Line::new(Question::new(text, ""), is_secret);
            for letters in 0..150 {
                for columns in [20, 60, 80, 200] {
                    let frame = line.frame(24, columns, Instant::now());
                    let widest = frame.lines.iter().map(|line| measure_text_width(line)).max().unwrap_or(0);
                    assert!(widest < columns, "{widest} of {columns} after {letters}: {frame:?}");
                    assert!(!is_secret || !frame.lines.concat().contains('é'), "{frame:?}");
                }
                line.key(KeyEvent::from(KeyCode::Char('é')));
            }
        }
    }
}
