//! The only code that writes to standard output or standard error.
//!
//! Results go to standard output, everything else to standard error. A reader that went away (`| head`) ends the
//! command quietly. Whatever came from outside loses its control characters on the way to a terminal.

pub mod amount;
pub mod clean;
pub mod error;
mod live_term;
mod pager;
pub mod people;
pub mod progress;
pub mod screen;
pub mod shape;
pub mod table;
pub mod terminal;
mod terms;
pub mod visible;
pub mod wrap;

use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::cli::global::{Format, GlobalArgs};
use crate::codes;
use crate::env::{self, Environment};
use crate::error::{Error, Result};
use crate::policy::{self, Facts, ProgressStyle};
use clean::clean;
use screen::Screen;
use shape::Shape;
use shape::colour::Layout;
use shape::fields::Kind;
use table::{Column, Table};

/// The width of what stands before a labelled line.
const LABEL: usize = 12;

/// How a command speaks.
#[derive(Debug, Clone)]
pub struct Output {
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
    /// It was not done.
    Skipped,
}

impl Mark {
    /// What the sign means, in a word.
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
    /// What the flags and the surroundings make of it.
    #[must_use]
    pub fn new(flags: &GlobalArgs, environment: &Environment, facts: Facts) -> Self {
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
            // A deadline too far to be told is none.
            deadline: flags.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            screen: Arc::default(),
        }
    }

    /// The same for results of this kind.
    ///
    /// # Errors
    /// Where `-o`, `--fields` or `--jq` cannot be used, or not for this kind.
    pub fn for_kind(self, kind: Option<&'static Kind>, takes_jq: bool) -> Result<Self> {
        Ok(Self { shape: self.shape.check(kind, takes_jq)?, ..self })
    }

    /// Lists the fields, where that is all that `--fields` asks for. Says whether it was.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn fields_listed(&self) -> Result<bool> {
        let Some(kind) = self.shape.lists_fields() else { return Ok(false) };
        self.raw(format!("{}\n", kind.fields.join("\n")).as_bytes())?;
        Ok(true)
    }

    /// The form of results.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.shape.format()
    }

    /// Whether results are for people.
    #[must_use]
    pub fn is_table(&self) -> bool {
        self.shape.format() == Format::Table
    }

    /// Whether results are told to people in words of their own, and not as records of which fields are chosen.
    #[must_use]
    pub fn tells_people(&self) -> bool {
        self.is_table() && self.shape.table_fields().is_none()
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
                    self.screen.status(Some(&text(seconds(left))));
                    tokio::time::sleep(left.min(Duration::from_millis(250))).await;
                }
            }
            ProgressStyle::Lines | ProgressStyle::Silent => {
                self.note(&text(seconds(wait)));
                tokio::time::sleep(wait).await;
            }
        }
    }

    /// Whether each request is shown as a curl command.
    #[must_use]
    pub const fn curl(&self) -> bool {
        self.curl
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

    /// A result in the form that was asked for, where that is one for programs, or a table of some fields. Otherwise it
    /// is still to be shown to people. Says whether it is shown.
    ///
    /// # Errors
    /// Where it has no such form, or standard output cannot be written.
    pub fn shown<T: Serialize + ?Sized>(&self, result: &T) -> Result<bool> {
        let fields = self.shape.table_fields();
        if self.is_table() && fields.is_none() {
            return Ok(false);
        }
        let document = serde_json::to_value(result).map_err(|why| unwritable("JSON", &why))?;
        if let Some(fields) = fields {
            self.table(&Table::of_fields(shape::rows(&fields.select(document)), fields.names()))?;
            return Ok(true);
        }
        self.shape.document(document, self.layout(), self.deadline, &mut |bytes| self.raw(bytes))
    }

    /// A list in the form that was asked for; `table` makes the one for people.
    ///
    /// # Errors
    /// Where it has no such form, or standard output cannot be written.
    pub fn list<T: Serialize>(&self, rows: &[T], table: impl FnOnce(&[T]) -> Table) -> Result<()> {
        if self.shown(rows)? { Ok(()) } else { self.table(&table(rows)) }
    }

    /// A record in the form that was asked for; `fields` are its names and values for people, of which the empty are
    /// left out.
    ///
    /// # Errors
    /// Where it has no such form, or standard output cannot be written.
    pub fn record<T: Serialize, const N: usize>(
        &self,
        record: &T,
        fields: impl FnOnce(&T) -> [(&'static str, String); N],
    ) -> Result<()> {
        if self.shown(record)? {
            return Ok(());
        }
        let mut table = Table::new(&[Column::whole("FIELD"), Column::copied("VALUE")]);
        for (field, value) in fields(record) {
            if !value.is_empty() {
                table.row([field.to_owned(), value]);
            }
        }
        self.table(&table)
    }

    /// Whether a document of another's making is filtered or split into lines; else it is printed as it came.
    #[must_use]
    pub fn reshapes(&self) -> bool {
        self.shape.has_jq() || self.shape.format() == Format::Jsonl
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
        let sign = self.sign(mark, self.colour_out);
        let text = hanging(&sign, &clean(text), self.stdout_terminal.then(stdout_width));
        self.raw(format!("{text}\n").as_bytes())
    }

    /// A result as a table; nothing where it is empty, since a note says that better than a heading.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn table(&self, table: &Table) -> Result<()> {
        if table.is_empty() {
            return Ok(());
        }
        let size = self.stdout_terminal.then(|| console::Term::stdout().size());
        let text = table.render(size.map(|(_, width)| width), self.colour_out);
        let is_long = size.is_some_and(|(height, _)| text.lines().count() >= height.into());
        match &self.pager {
            Some(pager) if is_long && pager::show(pager, self.less_is_told, text.as_bytes()) => Ok(()),
            _ => self.raw(text.as_bytes()),
        }
    }

    /// The width for what is drawn beside a result; `None` where nothing is to be drawn: it goes to a program, or to
    /// somebody who has it read out.
    #[must_use]
    pub fn picture_width(&self) -> Option<u16> {
        (self.stdout_terminal && !self.accessible).then(|| console::Term::stdout().size().1)
    }

    /// How JSON looks on standard output.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        Layout { indented: self.stdout_terminal, coloured: self.colour_out, terminal: self.stdout_terminal }
    }

    /// A result of another's making as bytes: exact in a pipe, and on a terminal without what would drive it.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn foreign(&self, bytes: &[u8]) -> Result<()> {
        if self.stdout_terminal { self.raw(visible::text(bytes).as_bytes()) } else { self.raw(bytes) }
    }

    /// Standard output for what is written as it comes; on a terminal without what would drive it.
    #[must_use]
    pub fn stream(&self) -> Box<dyn Write + Send> {
        let stdout = io::BufWriter::new(io::stdout());
        if self.stdout_terminal { Box::new(visible::Visible::new(stdout)) } else { Box::new(stdout) }
    }

    /// A result of our own making as bytes.
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
            self.announce(text);
        }
    }

    /// The same with a sign before it.
    pub fn marked_note(&self, mark: Mark, text: &str) {
        if !self.quiet {
            let sign = self.sign(mark, self.colour_err);
            self.to_stderr(&hanging(&sign, &clean(text), self.stderr_terminal.then(stderr_width)));
        }
    }

    /// Words and what they mean, each on a line. On a terminal that leaves too little room beside the words, the meanings are
    /// below them.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn terms(&self, rows: &[(String, &str)]) -> Result<()> {
        self.raw(terms::lines(rows, self.stdout_terminal.then(stdout_width)).as_bytes())
    }

    /// A line of a result that says what one thing is; on a narrow terminal the later lines are below its text.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn labelled(&self, label: &str, text: &str) -> Result<()> {
        let text = hanging(&format!("{label:LABEL$}"), &clean(text), self.stdout_terminal.then(stdout_width));
        self.raw(format!("{text}\n").as_bytes())
    }

    /// What to do next: commands to copy, one to a line, after a word that says so.
    pub fn next(&self, commands: &[String]) {
        for command in commands {
            self.note(&format!("Next: {command}"));
        }
    }

    /// A line that is said even with `--quiet`: the address of a service that runs, say.
    pub fn announce(&self, text: &str) {
        self.to_stderr(&self.paragraph(&clean(text), 0));
    }

    /// A line with a sign before it that is printed even with `--quiet`: what a script must not miss.
    pub fn warn(&self, text: &str) {
        let sign = self.sign(Mark::Attention, self.colour_err);
        self.to_stderr(&hanging(&sign, &clean(text), self.stderr_terminal.then(stderr_width)));
    }

    /// A line to copy as a whole: it is never broken.
    pub fn verbatim(&self, text: &str) {
        self.to_stderr(&clean(text));
    }

    /// Prose in a result: a line, broken between its words on a terminal that is narrower.
    ///
    /// # Errors
    /// Where standard output cannot be written.
    pub fn prose(&self, text: &str) -> Result<()> {
        let text = clean(text);
        let lines = match self.stdout_terminal {
            true => wrap::paragraph(&text, stdout_width()).join("\n"),
            false => text.into_owned(),
        };
        self.raw(format!("{lines}\n").as_bytes())
    }

    /// Text for standard error, broken between its words where that is a terminal; `used`: columns before each line.
    fn paragraph(&self, text: &str, used: usize) -> String {
        if !self.stderr_terminal {
            return text.to_owned();
        }
        wrap::paragraph(text, stderr_width().saturating_sub(used)).join("\n")
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
        self.to_stderr(&style.apply_to(format!("$ {}", clean(text))).to_string());
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

/// Prose is broken at this width even where the terminal is wider: longer lines are hard to read.
const MEASURE: usize = 100;

fn stderr_width() -> usize {
    screen::size().1.min(MEASURE)
}

fn stdout_width() -> usize {
    let width = console::Term::stdout().size_checked().map_or(80, |(_, width)| usize::from(width));
    if width == 0 { 80 } else { width.min(MEASURE) }
}

/// A sign and a text, the later lines below the first one's text.
fn hanging(sign: &str, text: &str, width: Option<usize>) -> String {
    let Some(width) = width else { return format!("{sign} {text}") };
    let indent = console::measure_text_width(sign) + 1;
    let lines = wrap::paragraph(text, width.saturating_sub(indent));
    format!("{sign} {}", lines.join(&format!("\n{:indent$}", "")))
}

/// Takes the status off the screen.
struct StatusGuard<'a>(&'a Arc<Screen>);

impl Drop for StatusGuard<'_> {
    fn drop(&mut self) {
        self.0.status(None);
    }
}

/// Answers a shell that asks for completions; whether it still listens is its own matter.
pub fn answer_shell(answer: &str) {
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(answer.as_bytes()).and_then(|()| stdout.flush());
}

/// What the surroundings' streams are.
#[must_use]
pub fn terminals() -> (bool, bool, bool) {
    (io::stdin().is_terminal(), io::stdout().is_terminal(), io::stderr().is_terminal())
}

/// A result that has no such form.
fn unwritable(form: &str, why: &dyn std::fmt::Display) -> Error {
    Error::of(&codes::command::OUTPUT, format!("The result cannot be written as {form}: {why}."))
}

/// A failure to write a result.
#[must_use]
pub fn write_error(why: &io::Error) -> Error {
    if why.kind() == io::ErrorKind::BrokenPipe {
        return Error::reader_gone();
    }
    Error::io(&codes::command::OUTPUT, "Cannot write to standard output", why)
}
