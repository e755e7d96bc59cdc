//! The only code that writes to standard output or standard error.
//!
//! Results go to standard output, everything else to standard error. If the reader is gone (`| head`), the command ends
//! quietly. Control characters in text from outside are removed or shown as escapes on the way to a terminal.

pub(crate) mod amount;
mod column;
pub(crate) mod error;
pub(crate) mod human;
mod live_term;
mod notes;
mod pager;
pub(crate) mod progress;
mod results;
pub(crate) mod sanitize;
pub(crate) mod screen;
pub(crate) mod shape;
mod streams;
pub(crate) mod table;
pub(crate) mod terminal;
pub(crate) mod terms;
mod unwritable;
pub(crate) mod visible;
pub(crate) mod wrap;

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::time::Instant;

use crate::env::{self, Environment};
use crate::errors::{Error, Result, codes};
use crate::flags::{Format, GlobalArgs};
use crate::policy::{self, Facts, ProgressStyle};
use screen::Screen;
use shape::Shape;
use shape::fields::RecordKind;
#[cfg(test)]
pub(crate) use streams::Memory;
pub(crate) use streams::Streams;

/// How a command prints.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    shape: Shape,
    pager: Option<String>,
    less_is_told: bool,
    quiet: bool,
    verbosity: u8,
    curl: bool,
    colour_out: bool,
    colour_err: bool,
    stdout_terminal: bool,
    stderr_terminal: bool,
    progress: ProgressStyle,
    accessible: bool,
    /// When waiting ends.
    deadline: Option<Instant>,
    streams: Streams,
    /// The lines at the bottom of the terminal. All clones share them.
    screen: Arc<Screen>,
}

/// The sign before a line, by its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It worked.
    Good,
    /// It failed.
    Bad,
    /// It needs attention.
    Attention,
    /// It was not done.
    Skipped,
}

impl Mark {
    /// The word in place of the sign.
    const fn word(self) -> &'static str {
        match self {
            Self::Good => "Done:",
            Self::Bad => "Failed:",
            Self::Attention => "Note:",
            Self::Skipped => "Skipped:",
        }
    }

    fn sign(self, colour: bool) -> console::StyledObject<&'static str> {
        let style = console::Style::new().force_styling(colour);
        match self {
            Self::Good => style.green().apply_to("✓"),
            Self::Bad => style.red().apply_to("✗"),
            Self::Attention => style.yellow().apply_to("!"),
            Self::Skipped => style.dim().apply_to("-"),
        }
    }
}

impl Output {
    /// The output that follows from the flags and the environment.
    pub(crate) fn new(flags: &GlobalArgs, environment: &Environment, facts: Facts) -> Self {
        Self {
            shape: Shape::new(flags),
            pager: policy::pager(facts, environment.get(&env::ORDERSYNC_PAGER), environment.get(&env::PAGER)),
            quiet: flags.quiet,
            verbosity: flags.verbose,
            curl: flags.curl,
            colour_out: policy::colour(flags.color, facts, facts.stdout_terminal),
            colour_err: policy::colour(flags.color, facts, facts.stderr_terminal),
            stdout_terminal: facts.stdout_terminal,
            stderr_terminal: facts.stderr_terminal,
            less_is_told: environment.get(&env::LESS).is_some(),
            progress: policy::progress_style(
                Facts { accessible: facts.accessible || flags.accessible, ..facts },
                flags.quiet,
                flags.verbose,
            ),
            accessible: facts.accessible || flags.accessible,
            // A deadline too far in the future to represent counts as none.
            deadline: flags.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            streams: Streams::Process,
            screen: Arc::default(),
        }
    }

    /// The output to other streams than those of the process.
    pub(crate) fn with_streams(self, streams: Streams) -> Self {
        Self { streams, ..self }
    }

    /// Checks the output flags for results of this kind.
    pub(crate) fn for_kind(self, kind: Option<&'static RecordKind>, takes_jq: bool) -> Result<Self> {
        Ok(Self { shape: self.shape.check(kind, takes_jq)?, ..self })
    }

    /// The format of results.
    pub(crate) const fn format(&self) -> Format {
        self.shape.format()
    }

    /// Whether results are for people.
    pub(crate) fn is_table(&self) -> bool {
        self.shape.format() == Format::Table
    }

    /// Whether results are messages for people rather than records with chosen fields.
    pub(crate) fn tells_people(&self) -> bool {
        self.is_table() && self.shape.table_fields().is_none()
    }

    /// How many times `-v` was given.
    pub(crate) const fn verbosity(&self) -> u8 {
        self.verbosity
    }

    /// Output without motion, and with words in place of signs.
    pub(crate) fn made_accessible(mut self) -> Self {
        self.accessible = true;
        if self.progress == ProgressStyle::Live {
            self.progress = ProgressStyle::Lines;
        }
        self
    }

    /// Whether motion is off and words replace signs.
    pub(crate) const fn is_accessible(&self) -> bool {
        self.accessible
    }

    /// The lines at the bottom of the terminal.
    pub(crate) fn screen(&self) -> Arc<Screen> {
        Arc::clone(&self.screen)
    }

    /// Whether standard error gets colour.
    pub(crate) const fn colours_stderr(&self) -> bool {
        self.colour_err
    }

    fn sign(&self, mark: Mark, colour: bool) -> String {
        if self.accessible { mark.word().to_owned() } else { mark.sign(colour).to_string() }
    }

    /// Whether requests are shown as curl commands.
    pub(crate) const fn curl(&self) -> bool {
        self.curl
    }

    /// A display of progress.
    pub(crate) fn progress(&self) -> progress::Progress {
        progress::Progress::new(self.progress, self.clone())
    }

    /// A progress display beside a result that is written at the same time. If a terminal shows both, live lines would
    /// tear the result apart.
    pub(crate) fn progress_beside_result(&self) -> progress::Progress {
        let style = match self.progress {
            ProgressStyle::Live if self.stdout_terminal => ProgressStyle::Lines,
            style => style,
        };
        progress::Progress::new(style, self.clone())
    }
}

/// Prose is wrapped at this width even if the terminal is wider, since longer lines are hard to read.
const MEASURE: usize = 100;

fn stderr_width() -> usize {
    screen::size().1.min(MEASURE)
}

fn stdout_width() -> usize {
    let width = console::Term::stdout().size_checked().map_or(80, |(_, width)| usize::from(width));
    if width == 0 { 80 } else { width.min(MEASURE) }
}

/// Standard output. In a process that was started without it, /dev/null is in its place, and takes everything and loses
/// it. Fails if the process was started without it.
pub(crate) fn stdout() -> Result<io::Stdout> {
    if ordersync_streams::is_stdout_closed() {
        return Err(Error::of(&codes::command::OUTPUT, "Cannot write to standard output: it is closed."));
    }
    Ok(io::stdout())
}

/// Answers a shell that requests completions. A failure is ignored, since the shell may have stopped listening.
pub(crate) fn answer_shell(answer: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(answer.as_bytes()).and_then(|()| stdout.flush());
}

/// Whether the command waits for a pager in which the user reads the result.
pub(crate) fn is_paging() -> bool {
    pager::is_open()
}

/// Whether standard input, output and error are terminals.
pub(crate) fn terminals() -> (bool, bool, bool) {
    (io::stdin().is_terminal(), io::stdout().is_terminal(), io::stderr().is_terminal())
}

/// The error of a failed write of a result.
pub(crate) fn write_error(why: &io::Error) -> Error {
    if why.kind() == io::ErrorKind::BrokenPipe {
        return Error::reader_gone();
    }
    Error::io(&codes::command::OUTPUT, "Cannot write to standard output", why)
}
