//! Progress of several things at once: on a terminal a spinner for each, elsewhere one line per change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use console::{Style, measure_text_width, pad_str, truncate_str};
use indicatif::{ProgressBar, ProgressState, ProgressStyle as BarStyle};

use super::sanitize::clean;
use super::screen::{self, Screen};
use super::terminal::{Held, Typing};
use super::{Mark, Output};
use crate::policy::ProgressStyle;

const TICKS: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const TICK: Duration = Duration::from_millis(100);
/// The least width to which names are cut on a narrow terminal. Below it, the count is cut.
const SHORTEST_NAME: usize = 12;

/// The state of one thing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProgressRow {
    pub name: String,
    /// The state in words. If lines do not update in place, a change of it prints a line.
    pub state: String,
    /// The progress so far, shown beside the state.
    pub count: String,
    /// The sign before it; `None` while it is in progress.
    pub mark: Option<Mark>,
}

/// A progress display. Live lines are removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    style: ProgressStyle,
    output: Output,
    states: HashMap<String, String>,
    board: Arc<Mutex<Board>>,
    live: Option<LiveBars>,
}

/// The things by their keys, in the order of their first appearance.
#[derive(Debug, Default)]
struct Board {
    rows: Vec<(String, ProgressRow)>,
    colour: bool,
}

/// The bars of the things, removed from the terminal when dropped.
#[derive(Debug)]
struct LiveBars {
    screen: Arc<Screen>,
    /// Each bar, and whether its spinner moves.
    bars: Vec<(ProgressBar, bool)>,
    _typing: Held,
}

impl Progress {
    pub(super) fn new(style: ProgressStyle, output: Output) -> Self {
        let board = Board { rows: Vec::new(), colour: output.colour_err };
        Self { style, output, states: HashMap::new(), board: Arc::new(Mutex::new(board)), live: None }
    }

    /// Shows the state of the thing called `name`.
    pub(crate) fn update(&mut self, name: &str, state: &str, count: &str, mark: Option<Mark>) {
        let row = ProgressRow { name: name.to_owned(), state: state.to_owned(), count: count.to_owned(), mark };
        self.row(name, row);
    }

    /// Shows the state of the thing that `key` identifies; two things may have the same name.
    pub(crate) fn row(&mut self, key: &str, row: ProgressRow) {
        let row = ProgressRow { name: clean(&row.name).into_owned(), state: clean(&row.state).into_owned(), ..row };
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
                let mut board = lock(&self.board);
                match board.rows.iter_mut().find(|(known, _)| known == key) {
                    Some((_, known)) => *known = row,
                    None => board.rows.push((key.to_owned(), row)),
                }
                drop(board);
                self.draw();
            }
        }
    }

    /// Shows the progress of a single thing. Prints nothing if lines do not update in place.
    pub(crate) fn count(&mut self, name: &str, count: &str) {
        if self.style == ProgressStyle::Live {
            self.update(name, count, "", None);
        }
    }

    fn draw(&mut self) {
        let live = self.live.get_or_insert_with(|| LiveBars {
            screen: self.output.screen(),
            bars: Vec::new(),
            _typing: Held::new(Typing::Hidden),
        });
        let going_on: Vec<bool> = lock(&self.board).rows.iter().map(|(_, row)| row.mark.is_none()).collect();
        for (index, goes_on) in going_on.into_iter().enumerate() {
            if live.bars.len() == index {
                let bar = ProgressBar::new_spinner().with_style(style(&self.board, index));
                live.bars.push((live.screen.add(bar), false));
            }
            if let Some((bar, moves)) = live.bars.get_mut(index) {
                match (goes_on, std::mem::replace(moves, goes_on)) {
                    (true, false) => bar.enable_steady_tick(TICK),
                    (false, true) => bar.disable_steady_tick(),
                    _ => {}
                }
                bar.tick();
            }
        }
    }

    /// Removes live lines from the terminal, so that the user can be asked something. The next update restores them.
    pub(crate) fn pause(&mut self) {
        self.live = None;
    }
}

impl Drop for LiveBars {
    fn drop(&mut self) {
        self.screen.remove(self.bars.drain(..).map(|(bar, _)| bar));
    }
}

fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The line of one thing, at the terminal's width when it is drawn.
fn style(board: &Arc<Mutex<Board>>, index: usize) -> BarStyle {
    let board = Arc::clone(board);
    let line = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        let (rows, columns) = screen::size();
        let tick = TICKS[(state.elapsed().as_millis() / TICK.as_millis()) as usize % TICKS.len()];
        // Writing into the bar's own buffer cannot fail.
        let _ = out.write_str(&lock(&board).line(index, tick, rows, columns).unwrap_or_default());
    };
    // The template is valid; the fallback would show the bar's position.
    BarStyle::with_template("{line}").unwrap_or_else(|_| BarStyle::default_spinner()).with_key("line", line)
}

impl Board {
    /// The line of a thing; `tick` is the spinner's sign. `None` if the terminal has too few rows for all things, and
    /// others take precedence: first those in progress or in need of attention.
    fn line(&self, index: usize, tick: &str, height: usize, width: usize) -> Option<String> {
        let room = height.saturating_sub(2).max(2);
        let (mut shown, mut hidden): (Vec<usize>, usize) = ((0..self.rows.len()).collect(), 0);
        if shown.len() > room {
            hidden = shown.len() - (room - 1);
            let has_ended = |index: &usize| self.rows[*index].1.mark.is_some_and(|mark| mark != Mark::Attention);
            shown.sort_by_key(has_ended);
            shown.truncate(room - 1);
            shown.sort_unstable();
        }
        if !shown.contains(&index) {
            return None;
        }
        let longest = |text: fn(&ProgressRow) -> &str| {
            shown.iter().map(|index| measure_text_width(text(&self.rows[*index].1))).max().unwrap_or(0)
        };
        let (state_width, count_width) = (longest(|row| &row.state), longest(|row| &row.count));
        // Room for the sign, the spaces between the columns, and the terminal's last column, which stays free.
        let taken = state_width + count_width + 7;
        let room = width.saturating_sub(taken);
        let (is_named, is_stated) = (room >= SHORTEST_NAME, width > taken);
        let name_width = longest(|row| &row.name).min(room);
        let row = &self.rows[index].1;
        let sign = match row.mark {
            Some(mark) => mark.sign(self.colour).to_string(),
            None => Style::new().force_styling(self.colour).cyan().apply_to(tick).to_string(),
        };
        let name = truncate_str(&row.name, name_width, "…");
        let name = pad_str(&name, name_width, console::Alignment::Left, None).into_owned();
        let state = pad_str(&row.state, state_width, console::Alignment::Left, None);
        // The count is never cut: the name goes first, then the state.
        let line = match (is_named, is_stated || row.count.is_empty()) {
            (true, _) => format!("{sign} {name}  {state}  {}", row.count),
            (false, true) => format!("{sign} {state}  {}", row.count),
            (false, false) => format!("{sign} {}", row.count),
        };
        let more = match hidden {
            1.. if shown.last() == Some(&index) => format!("\n  … and {hidden} more"),
            _ => String::new(),
        };
        Some(format!("{}{more}", line.trim_end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(names: &[&str]) -> Board {
        let row = |name: &&str| ProgressRow {
            name: (*name).to_owned(),
            state: "scanning".to_owned(),
            ..ProgressRow::default()
        };
        let rows = names.iter().enumerate().map(|(key, name)| (key.to_string(), row(name))).collect();
        Board { rows, colour: false }
    }

    fn lines(board: &Board, height: usize, width: usize) -> Vec<String> {
        let lines = (0..board.rows.len()).filter_map(|index| board.line(index, "⠋", height, width));
        lines.collect::<Vec<_>>().join("\n").lines().map(str::to_owned).collect()
    }

    #[test]
    fn things_of_the_same_name_have_a_line_each_below_each_other() {
        let mut board = board(&["Harbor", "Harbor", "Marrowby Market"]);
        board.rows[1].1 = ProgressRow { count: "12 items".into(), mark: Some(Mark::Good), ..board.rows[1].1.clone() };
        assert_eq!(
            lines(&board, 24, 80),
            ["⠋ Harbor           scanning", "✓ Harbor           scanning  12 items", "⠋ Marrowby Market  scanning"]
        );
    }

    #[test]
    fn more_things_than_rows_show_those_that_go_on() {
        let mut board = board(&["a", "b", "c", "d", "e"]);
        board.rows[0].1.mark = Some(Mark::Good);
        assert_eq!(lines(&board, 5, 80), ["⠋ b  scanning", "⠋ c  scanning", "  … and 3 more"]);
    }

    #[test]
    fn a_count_is_whole_however_narrow_the_terminal_is() {
        let mut board = board(&["Marrowby Market"]);
        board.rows[0].1.count = "1000 items".to_owned();
        for (width, line) in [
            (80, "⠋ Marrowby Market  scanning  1000 items"),
            (37, "⠋ Marrowby Ma…  scanning  1000 items"),
            (30, "⠋ scanning  1000 items"),
            (16, "⠋ 1000 items"),
        ] {
            assert_eq!(lines(&board, 24, width), [line], "{width}");
        }
    }

    #[test]
    fn a_long_name_leaves_room_for_the_state() {
        let lines = lines(&board(&["A retailer whose name is far longer than any name of a retailer"]), 24, 60);
        assert!(lines[0].contains('…') && lines[0].ends_with("scanning") && lines[0].chars().count() < 60, "{lines:?}");
    }
}
