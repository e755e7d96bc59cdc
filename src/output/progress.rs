//! Progress of several things at once: lines that update in place on a terminal, one line per change elsewhere.

use std::collections::HashMap;
use std::io::Write as _;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};

use super::Mark;
use super::clean::clean;
use crate::policy::ProgressStyle;

/// A display of progress; what is live is gone when it is dropped.
#[derive(Debug)]
pub struct Progress {
    style: ProgressStyle,
    colour: bool,
    shown: HashMap<String, Shown>,
    live: Option<MultiProgress>,
}

#[derive(Debug)]
struct Shown {
    state: String,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(super) fn new(style: ProgressStyle, colour: bool) -> Self {
        Self { style, colour, shown: HashMap::new(), live: None }
    }

    /// Says where the thing called `name` stands. `state` makes the change that is worth a line; `count` is live only.
    pub fn update(&mut self, name: &str, state: &str, count: &str, end: Option<Mark>) {
        let (name, state) = (clean(name), clean(state));
        match self.style {
            ProgressStyle::Silent => {}
            ProgressStyle::Lines => {
                if self.shown.get(&*name).is_some_and(|shown| shown.state == state) {
                    return;
                }
                let count = if count.is_empty() { String::new() } else { format!(" ({count})") };
                let _ = writeln!(std::io::stderr().lock(), "{name}: {state}{count}");
                self.shown.insert(name.into_owned(), Shown { state: state.into_owned(), bar: None });
            }
            ProgressStyle::Live => self.update_live(&name, &state, count, end),
        }
    }

    /// Says how far a single thing has come; worth no line of its own where lines do not update in place.
    pub fn count(&mut self, name: &str, count: &str) {
        if self.style == ProgressStyle::Live {
            self.update_live(&clean(name), count, "", None);
        }
    }

    fn update_live(&mut self, name: &str, state: &str, count: &str, end: Option<Mark>) {
        let live = self.live.get_or_insert_with(|| MultiProgress::with_draw_target(ProgressDrawTarget::stderr()));
        let shown = self.shown.entry(name.to_owned()).or_insert_with(|| Shown { state: String::new(), bar: None });
        let bar = shown.bar.get_or_insert_with(|| {
            let bar = live.add(ProgressBar::new_spinner());
            // The template is a constant and is correct; without it the default would be shown.
            if let Ok(style) = BarStyle::with_template("{spinner} {prefix}  {msg}") {
                bar.set_style(style.tick_strings(&["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏", " "]));
            }
            bar.set_prefix(name.to_owned());
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        let message = if count.is_empty() { state.to_owned() } else { format!("{state}, {count}") };
        match end {
            None => bar.set_message(message),
            Some(mark) => {
                bar.set_message(message);
                if let Ok(style) = BarStyle::with_template("{prefix}  {msg}") {
                    bar.set_style(style);
                }
                bar.set_prefix(format!("{} {name}", mark.sign(self.colour)));
                bar.abandon();
            }
        }
        state.clone_into(&mut shown.state);
    }

    /// Takes live lines off the terminal, so that somebody can be asked something; the next update brings them back.
    pub fn pause(&mut self) {
        if let Some(live) = self.live.take() {
            // A terminal that cannot be cleared is no reason to stop.
            let _ = live.clear();
        }
        for shown in self.shown.values_mut() {
            if let Some(bar) = shown.bar.take() {
                bar.finish_and_clear();
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.pause();
    }
}
