//! Progress of several things at once: lines that update in place on a terminal, one line per change elsewhere.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use console::{Style, measure_text_width, pad_str, truncate_str};

use super::clean::clean;
use super::echo::NoEcho;
use super::screen::{self, Frame, Screen};
use super::{Mark, Output};
use crate::policy::ProgressStyle;

const TICKS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const TICK: Duration = Duration::from_millis(100);
/// Names are cut to no less where the terminal is narrow; what is cut then is the count.
const SHORTEST_NAME: usize = 12;

/// Where one thing stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// What it is called.
    pub name: String,
    /// Its state; a change of it is worth a line where lines do not update in place.
    pub state: String,
    /// How far it has come, shown beside the state.
    pub count: String,
    /// The sign before it; none while it goes on.
    pub mark: Option<Mark>,
}

/// A display of progress; what is live is gone when it is dropped.
#[derive(Debug)]
pub struct Progress {
    style: ProgressStyle,
    output: Output,
    states: HashMap<String, String>,
    board: Arc<Mutex<Board>>,
    live: Option<Live>,
}

/// The things by their keys, in the order in which they came.
#[derive(Debug, Default)]
struct Board {
    rows: Vec<(String, Row)>,
    tick: usize,
    is_shown: bool,
}

/// What keeps the lines moving, and off when it is dropped.
#[derive(Debug)]
struct Live {
    screen: Arc<Screen>,
    board: Arc<Mutex<Board>>,
    ticking: Option<tokio::task::JoinHandle<()>>,
    _echo: NoEcho,
}

impl Progress {
    pub(super) fn new(style: ProgressStyle, output: Output) -> Self {
        Self { style, output, states: HashMap::new(), board: Arc::default(), live: None }
    }

    /// Says where the thing called `name` stands.
    pub fn update(&mut self, name: &str, state: &str, count: &str, mark: Option<Mark>) {
        let row = Row { name: name.to_owned(), state: state.to_owned(), count: count.to_owned(), mark };
        self.row(name, row);
    }

    /// Says where the thing that `key` identifies stands; two things may have the same name.
    pub fn row(&mut self, key: &str, row: Row) {
        let row = Row { name: clean(&row.name).into_owned(), state: clean(&row.state).into_owned(), ..row };
        match self.style {
            ProgressStyle::Silent => {}
            ProgressStyle::Lines => {
                if self.states.get(key).is_some_and(|state| *state == row.state) {
                    return;
                }
                let count = if row.count.is_empty() { String::new() } else { format!(" ({})", row.count) };
                self.output.to_stderr(&format!("{}: {}{count}", row.name, row.state));
                self.states.insert(key.to_owned(), row.state);
            }
            ProgressStyle::Live => {
                let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
                match board.rows.iter_mut().find(|(known, _)| known == key) {
                    Some((_, known)) => *known = row,
                    None => board.rows.push((key.to_owned(), row)),
                }
                drop(board);
                self.go_live();
            }
        }
    }

    /// Says how far a single thing has come; worth no line of its own where lines do not update in place.
    pub fn count(&mut self, name: &str, count: &str) {
        if self.style == ProgressStyle::Live {
            self.update(name, count, "", None);
        }
    }

    fn go_live(&mut self) {
        if self.live.is_some() {
            return;
        }
        let (screen, board, colour) = (self.output.screen(), Arc::clone(&self.board), self.output.colour_err);
        let echo = NoEcho::hold();
        let drawn = Arc::clone(&screen);
        board.lock().unwrap_or_else(PoisonError::into_inner).is_shown = true;
        let ticking = tokio::runtime::Handle::try_current().ok().map(|runtime| {
            runtime.spawn(async move {
                let mut clock = tokio::time::interval(TICK);
                loop {
                    clock.tick().await;
                    let mut board = board.lock().unwrap_or_else(PoisonError::into_inner);
                    if !board.is_shown {
                        return;
                    }
                    board.tick += 1;
                    let (rows, columns) = screen::size();
                    drawn.draw(Frame { lines: board.lines(rows, columns, colour), cursor: None });
                }
            })
        });
        self.live = Some(Live { screen, board: Arc::clone(&self.board), ticking, _echo: echo });
    }

    /// Takes live lines off the terminal, so that somebody can be asked something; the next update brings them back.
    pub fn pause(&mut self) {
        self.live = None;
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(ticking) = self.ticking.take() {
            ticking.abort();
        }
        // Under the same lock as the drawing: nothing is drawn after this.
        let mut board = self.board.lock().unwrap_or_else(PoisonError::into_inner);
        board.is_shown = false;
        self.screen.clear();
    }
}

impl Board {
    /// The lines for a terminal of that size; where there are more things than it has rows, those that go on.
    fn lines(&self, height: usize, width: usize, colour: bool) -> Vec<String> {
        let room = height.saturating_sub(2).max(2);
        let mut rows: Vec<&Row> = self.rows.iter().map(|(_, row)| row).collect();
        let hidden = if rows.len() > room { rows.len() - (room - 1) } else { 0 };
        if hidden > 0 {
            rows.sort_by_key(|row| row.mark.is_some_and(|mark| mark != Mark::Attention));
            rows.truncate(room - 1);
        }
        let longest = |text: fn(&Row) -> &str| rows.iter().map(|row| measure_text_width(text(row))).max().unwrap_or(0);
        let (state_width, count_width) = (longest(|row| &row.state), longest(|row| &row.count));
        // The sign, the spaces between the columns, and the last column of the terminal, which stays free.
        let room = width.saturating_sub(state_width + count_width + 7).max(SHORTEST_NAME);
        let name_width = longest(|row| &row.name).min(room);
        let spinner = Style::new().force_styling(colour).cyan();
        let mut lines: Vec<String> = rows
            .iter()
            .map(|row| {
                let sign = match row.mark {
                    Some(mark) => mark.sign(colour).to_string(),
                    None => spinner.apply_to(TICKS[self.tick % TICKS.len()]).to_string(),
                };
                let name = truncate_str(&row.name, name_width, "…");
                let name = pad_str(&name, name_width, console::Alignment::Left, None).into_owned();
                let state = pad_str(&row.state, state_width, console::Alignment::Left, None);
                format!("{sign} {name}  {state}  {}", row.count).trim_end().to_owned()
            })
            .collect();
        if hidden > 0 {
            lines.push(format!("  … and {hidden} more"));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(names: &[&str]) -> Board {
        let row = |name: &&str| Row { name: (*name).to_owned(), state: "scanning".to_owned(), ..Row::default() };
        let rows = names.iter().enumerate().map(|(key, name)| (key.to_string(), row(name))).collect();
        Board { rows, tick: 0, is_shown: false }
    }

    #[test]
    fn things_of_the_same_name_have_a_line_each_below_each_other() {
        let mut board = board(&["Harbor", "Harbor", "Marrowby Market"]);
        board.rows[1].1 = Row { count: "12 items".into(), mark: Some(Mark::Good), ..board.rows[1].1.clone() };
        assert_eq!(
            board.lines(24, 80, false),
            ["⠋ Harbor           scanning", "✓ Harbor           scanning  12 items", "⠋ Marrowby Market  scanning"]
        );
    }

    #[test]
    fn more_things_than_rows_show_those_that_go_on() {
        let mut board = board(&["a", "b", "c", "d", "e"]);
        board.rows[0].1.mark = Some(Mark::Good);
        assert_eq!(board.lines(5, 80, false), ["⠋ b  scanning", "⠋ c  scanning", "  … and 3 more"]);
    }

    #[test]
    fn a_long_name_leaves_room_for_the_state() {
        let lines = board(&["A retailer whose name is far longer than any name of a retailer"]).lines(24, 60, false);
        assert!(lines[0].contains('…') && lines[0].ends_with("scanning") && lines[0].chars().count() < 60, "{lines:?}");
    }
}
