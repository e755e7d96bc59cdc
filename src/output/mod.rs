//! The only code that writes to standard output or standard error.
//!
//! Results go to standard output, everything else to standard error. A reader that went away (`| head`) ends the
//! command quietly. Whatever came from outside loses its control characters on the way to a terminal.

pub mod clean;
pub mod echo;
pub mod error;
pub mod progress;
pub mod screen;
pub mod table;

use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::cli::global::{Format, GlobalArgs};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::policy::{self, Facts, ProgressStyle};
use clean::clean;
use screen::Screen;
use table::Table;

/// How a command speaks.
#[derive(Debug, Clone)]
pub struct Output {
    format: Format,
    quiet: bool,
    verbosity: u8,
    colour_out: bool,
    colour_err: bool,
    stdout_terminal: bool,
    progress: ProgressStyle,
    accessible: bool,
    /// What is drawn at the bottom of the terminal; every clone draws on the same one.
    screen: Arc<Screen>,
}

/// The sign before a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It worked.
    Good,
    /// It failed.
    Bad,
    /// It needs attention.
    Attention,
}

impl Mark {
    /// What the sign means, in a word.
    const fn word(self) -> &'static str {
        match self {
            Self::Good => "Done:",
            Self::Bad => "Failed:",
            Self::Attention => "Note:",
        }
    }

    fn sign(self, colour: bool) -> console::StyledObject<&'static str> {
        let style = console::Style::new().force_styling(colour);
        match self {
            Self::Good => style.green().apply_to("✓"),
            Self::Bad => style.red().apply_to("✗"),
            Self::Attention => style.yellow().apply_to("!"),
        }
    }
}

impl Output {
    /// What the flags and the surroundings make of it.
    #[must_use]
    pub fn new(flags: &GlobalArgs, facts: Facts) -> Self {
        Self {
            format: flags.output,
            quiet: flags.quiet,
            verbosity: flags.verbose,
            colour_out: policy::colour(flags.color, facts, facts.stdout_terminal),
            colour_err: policy::colour(flags.color, facts, facts.stderr_terminal),
            stdout_terminal: facts.stdout_terminal,
            progress: policy::progress_style(
                Facts { accessible: facts.accessible || flags.accessible, ..facts },
                flags.quiet,
                flags.verbose,
            ),
            accessible: facts.accessible || flags.accessible,
            screen: Arc::default(),
        }
    }

    /// Whether results are JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// How many times `-v` was given.
    #[must_use]
    pub const fn verbosity(&self) -> u8 {
        self.verbosity
    }

    /// The same without anything that moves, and with words in place of signs.
    #[must_use]
    pub fn made_accessible(mut self) -> Self {
        self.accessible = true;
        if self.progress == ProgressStyle::Live {
            self.progress = ProgressStyle::Lines;
        }
        self
    }

    /// Whether nothing may move and words stand in place of signs.
    #[must_use]
    pub const fn is_accessible(&self) -> bool {
        self.accessible
    }

    /// The bottom of the terminal.
    #[must_use]
    pub fn screen(&self) -> Arc<Screen> {
        Arc::clone(&self.screen)
    }

    /// Whether standard error gets colour.
    #[must_use]
    pub const fn colours_stderr(&self) -> bool {
        self.colour_err
    }

    fn sign(&self, mark: Mark, colour: bool) -> String {
        if self.accessible { mark.word().to_owned() } else { mark.sign(colour).to_string() }
    }

    /// Waits, and says so; where lines update in place, with the seconds counting down. `text` makes the message for the
    /// seconds that are left.
    pub async fn wait(&self, wait: Duration, text: impl Fn(u64) -> String) {
        let seconds = |left: Duration| left.as_secs_f64().ceil() as u64;
        match self.progress {
            ProgressStyle::Live => {
                let over = Instant::now() + wait;
                // Also where the waiting is broken off.
                let _shown = StatusGuard(&self.screen);
                loop {
                    let left = over.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        break;
                    }
                    self.screen.status(Some(text(seconds(left))));
                    tokio::time::sleep(left.min(Duration::from_millis(250))).await;
                }
            }
            ProgressStyle::Lines | ProgressStyle::Silent => {
                self.note(&text(seconds(wait)));
                tokio::time::sleep(wait).await;
            }
        }
    }

    /// A display of progress.
    #[must_use]
    pub fn progress(&self) -> progress::Progress {
        progress::Progress::new(self.progress, self.clone())
    }

    /// A display of progress beside a result that is written meanwhile: on a terminal that shows both, live lines would
    /// tear the result apart.
    #[must_use]
    pub fn progress_beside_result(&self) -> progress::Progress {
        let style = match self.progress {
            ProgressStyle::Live if self.stdout_terminal => ProgressStyle::Lines,
            style => style,
        };
        progress::Progress::new(style, self.clone())
    }

    /// A result as JSON, pretty, with a newline: the same on a terminal and in a pipe.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn json<T: Serialize>(&self, value: &T) -> Result<()> {
        let mut text = serde_json::to_vec_pretty(value).map_err(|why| {
            Error::new(Exit::Failed, "OUTPUT", format!("The result cannot be written as JSON: {why}."))
        })?;
        text.push(b'\n');
        self.raw(&text)
    }

    /// A result as a line of text.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn line(&self, text: &str) -> Result<()> {
        self.raw(format!("{}\n", clean(text)).as_bytes())
    }

    /// A result as a line of text with a sign before it.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn marked(&self, mark: Mark, text: &str) -> Result<()> {
        self.raw(format!("{} {}\n", self.sign(mark, self.colour_out), clean(text)).as_bytes())
    }

    /// A result as a table.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn table(&self, table: &Table) -> Result<()> {
        let width = self.stdout_terminal.then(|| console::Term::stdout().size().1);
        self.raw(table.render(width, self.colour_out).as_bytes())
    }

    /// A result as bytes.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn raw(&self, bytes: &[u8]) -> Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|why| write_error(&why))
    }

    /// Something worth knowing beside the result.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.to_stderr(&clean(text));
        }
    }

    /// The same with a sign before it.
    pub fn marked_note(&self, mark: Mark, text: &str) {
        if !self.quiet {
            self.to_stderr(&format!("{} {}", self.sign(mark, self.colour_err), clean(text)));
        }
    }

    /// What to do next: commands to copy, one to a line, after a word that says so.
    pub fn next(&self, commands: &[String]) {
        for command in commands {
            self.note(&format!("Next: {command}"));
        }
    }

    /// A line that is said even with `--quiet`: the address of a service that runs, say.
    pub fn announce(&self, text: &str) {
        self.to_stderr(&clean(text));
    }

    /// A question whose answer is typed behind it.
    pub fn ask(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        // Nobody is left to be told that standard error is gone.
        let _ = write!(stderr, "{} ", clean(text)).and_then(|()| stderr.flush());
    }

    /// A step of a demonstration: the command as it would be typed.
    pub fn command_line(&self, text: &str) {
        let style = console::Style::new().force_styling(self.colour_err).bold();
        self.to_stderr(&format!("\n{}", style.apply_to(format!("$ {}", clean(text)))));
    }

    /// A line of `-v` (level 1) or `-vv` (level 2).
    pub fn trace(&self, level: u8, text: &str) {
        if self.verbosity >= level {
            let style = console::Style::new().force_styling(self.colour_err).dim();
            for line in text.lines() {
                self.to_stderr(&style.apply_to(clean(line)).to_string());
            }
        }
    }

    fn to_stderr(&self, line: &str) {
        self.screen.print(line);
    }
}

/// Takes the status off the screen.
struct StatusGuard<'a>(&'a Screen);

impl Drop for StatusGuard<'_> {
    fn drop(&mut self) {
        self.0.status(None);
    }
}

/// What the surroundings' streams are.
#[must_use]
pub fn terminals() -> (bool, bool, bool) {
    (io::stdin().is_terminal(), io::stdout().is_terminal(), io::stderr().is_terminal())
}

/// A failure to write a result.
#[must_use]
pub fn write_error(why: &io::Error) -> Error {
    if why.kind() == io::ErrorKind::BrokenPipe {
        return Error::reader_gone();
    }
    Error::new(Exit::Failed, "OUTPUT", format!("Cannot write to standard output: {why}."))
}
