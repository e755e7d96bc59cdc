//! One of several, chosen with the arrow keys; of many, by typing a part of it.

use std::time::Instant;

use console::{Style, truncate_str};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Question;
use super::keys::{Step, Widget};
use crate::output::screen::Frame;
use crate::output::wrap::wrap;

/// From so many options on, typing searches; with fewer, a digit chooses.
const MANY: usize = 10;
/// No more are shown at once.
const PAGE: usize = 12;

/// A list that is being chosen from.
pub(super) struct Menu {
    question: Question,
    options: Vec<String>,
    search: String,
    /// The options that fit the search, the best first.
    fitting: Vec<usize>,
    /// In `fitting`.
    current: usize,
    colour: bool,
}

impl Menu {
    pub(super) fn new(question: Question, options: Vec<String>, colour: bool) -> Self {
        let fitting = (0..options.len()).collect();
        Self { question, options, search: String::new(), fitting, current: 0, colour }
    }

    const fn is_searched(&self) -> bool {
        self.options.len() >= MANY
    }

    fn searched(&mut self) {
        self.fitting = fitting(&self.options, &self.search);
        self.current = 0;
    }

    fn go(&mut self, by: isize) {
        let last = self.fitting.len().saturating_sub(1);
        self.current = match self.current.checked_add_signed(by) {
            // Round the end by single steps, to the end by pages.
            None if by == -1 => last,
            Some(beyond) if beyond > last && by == 1 => 0,
            None => 0,
            Some(there) => there.min(last),
        };
    }
}

/// The options that have every word of the search, those that begin with it first; where none has, those that have its
/// letters in that order.
pub(super) fn fitting(options: &[String], search: &str) -> Vec<usize> {
    let search = search.trim().to_lowercase();
    let rank = |option: &String| {
        let option = option.to_lowercase();
        let has_all = search.split_whitespace().all(|word| option.contains(word));
        let at_word = option.split_whitespace().any(|word| word.starts_with(&search));
        match (has_all, option.starts_with(&search), at_word) {
            (true, true, _) => Some(0),
            (true, _, true) => Some(1),
            (true, ..) => Some(2),
            _ => None,
        }
    };
    let mut found: Vec<(i32, usize)> =
        options.iter().enumerate().filter_map(|(index, option)| Some((rank(option)?, index))).collect();
    if found.is_empty() {
        let has_letters = |option: &String| {
            let mut letters = option.to_lowercase().chars().collect::<Vec<_>>().into_iter();
            search.chars().filter(|letter| *letter != ' ').all(|wanted| letters.any(|letter| letter == wanted))
        };
        found = options.iter().enumerate().filter(|(_, option)| has_letters(option)).map(|(i, _)| (0, i)).collect();
    }
    found.sort_unstable();
    found.into_iter().map(|(_, index)| index).collect()
}

impl Widget for Menu {
    type Answer = usize;

    fn key(&mut self, key: KeyEvent) -> Step<usize> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => {
                if let Some(chosen) = self.fitting.get(self.current) {
                    return Step::Done(*chosen);
                }
            }
            KeyCode::Up => self.go(-1),
            KeyCode::Down | KeyCode::Tab => self.go(1),
            KeyCode::BackTab => self.go(-1),
            KeyCode::Char('p') if control => self.go(-1),
            KeyCode::Char('n') if control => self.go(1),
            KeyCode::PageUp => self.go(-(PAGE as isize)),
            KeyCode::PageDown => self.go(PAGE as isize),
            KeyCode::Home => self.current = 0,
            KeyCode::End => self.current = self.fitting.len().saturating_sub(1),
            KeyCode::Backspace => {
                self.search.pop();
                self.searched();
            }
            KeyCode::Char('u') if control => {
                self.search.clear();
                self.searched();
            }
            KeyCode::Char(letter) if !control && self.is_searched() && !letter.is_control() => {
                self.search.push(letter);
                self.searched();
            }
            KeyCode::Char(digit) if !control && !self.is_searched() => {
                let number = digit.to_digit(10).and_then(|digit| (digit as usize).checked_sub(1));
                if let Some(index) = number.filter(|index| *index < self.options.len()) {
                    self.current = index;
                }
            }
            _ => {}
        }
        Step::More
    }

    fn frame(&self, rows: usize, columns: usize, now: Instant) -> Frame {
        let room = columns.saturating_sub(2).max(10);
        let style = Style::new().force_styling(self.colour);
        let mut lines = wrap(&self.question.shown(now), room);
        if self.is_searched()
            && let Some(last) = lines.last_mut()
        {
            *last = format!("{last} {}▏", self.search);
        }
        let page = rows.saturating_sub(lines.len() + 2).clamp(1, PAGE).min(self.fitting.len().max(1));
        let first = self.current / page * page;
        for (place, index) in self.fitting.iter().enumerate().skip(first).take(page) {
            let option = self.options.get(*index).map(String::as_str).unwrap_or_default();
            let number = if self.is_searched() { String::new() } else { format!("{}. ", index + 1) };
            let line = truncate_str(&format!("{number}{option}"), room.saturating_sub(2), "…").into_owned();
            lines.push(if place == self.current {
                style.clone().cyan().bold().apply_to(format!("> {line}")).to_string()
            } else {
                format!("  {line}")
            });
        }
        let keys = match (self.fitting.len(), self.is_searched()) {
            (0, _) => "Nothing matches; Backspace deletes a letter".to_owned(),
            (fitting, true) => {
                let last = (first + page).min(fitting);
                format!("{}–{last} of {fitting} · type to search · ↑↓ Enter · Esc cancels", first + 1)
            }
            (_, false) => "↑↓ or a digit, then Enter · Esc cancels".to_owned(),
        };
        lines.push(style.dim().apply_to(truncate_str(&format!("  {keys}"), room, "…")).to_string());
        Frame { lines, cursor: None }
    }
}

#[cfg(test)]
mod tests {
    use console::measure_text_width;

    use super::*;

    fn shops(count: usize) -> Vec<String> {
        (1..=count).map(|number| format!("Shop {number}")).collect()
    }

    fn after(menu: &mut Menu, keys: &[KeyCode]) -> Option<usize> {
        keys.iter().find_map(|key| match menu.key(KeyEvent::from(*key)) {
            Step::Done(chosen) => Some(chosen),
            Step::More => None,
        })
    }

    #[test]
    fn typing_finds_beginnings_then_words_then_parts_then_letters_in_order() {
        let options: Vec<String> =
            ["Overmarket", "Green Market", "Market Hall", "Bookshop"].map(str::to_owned).to_vec();
        assert_eq!(fitting(&options, "MARKET"), [2, 1, 0]);
        assert_eq!(fitting(&options, "mar gre"), [1]);
        assert_eq!(fitting(&options, "bksp"), [3]);
        assert!(fitting(&options, "xyz").is_empty());
        assert_eq!(fitting(&options, " ").len(), 4);
    }

    #[test]
    fn arrows_digits_and_letters_choose() {
        let mut few = Menu::new(Question::new("Method", ""), shops(3), false);
        assert_eq!(after(&mut few, &[KeyCode::Down, KeyCode::Enter]), Some(1));
        assert_eq!(after(&mut few, &[KeyCode::Char('3'), KeyCode::Enter]), Some(2));
        assert_eq!(after(&mut few, &[KeyCode::Down, KeyCode::Enter]), Some(0));
        assert_eq!(after(&mut few, &[KeyCode::Char('9'), KeyCode::Up, KeyCode::Enter]), Some(2));
        let mut many = Menu::new(Question::new("Retailer", ""), shops(40), false);
        assert_eq!(after(&mut many, &[KeyCode::Char('4'), KeyCode::Char('0'), KeyCode::Enter]), Some(39));
        assert_eq!(after(&mut many, &[KeyCode::Char('x'), KeyCode::Enter]), None, "nothing fits");
        assert_eq!(after(&mut many, &[KeyCode::Backspace; 3]), None);
        assert_eq!(after(&mut many, &[KeyCode::PageDown, KeyCode::Enter]), Some(PAGE));
        assert_eq!(after(&mut many, &[KeyCode::End, KeyCode::Enter]), Some(39));
    }

    #[test]
    fn every_page_fits_the_terminal() {
        let mut options = shops(40);
        options.push("A shop whose name is much longer than any terminal that anybody has ".repeat(4));
        let mut menu = Menu::new(Question::new("Retailer", ""), options, true);
        for _ in 0..41 {
            for (rows, columns) in [(5, 20), (24, 60), (24, 80), (50, 200)] {
                let frame = menu.frame(rows, columns, Instant::now());
                assert!(frame.lines.len() < rows, "{frame:?}");
                assert!(frame.lines.iter().all(|line| measure_text_width(line) < columns), "{columns}: {frame:?}");
                assert!(frame.lines.iter().any(|line| line.contains('>')), "{frame:?}");
            }
            menu.go(1);
        }
    }
}
