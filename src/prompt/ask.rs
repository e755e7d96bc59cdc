//! The hidden child process that asks: `ordersync __ask`, with the question in an environment variable and the answer on
//! standard output, both as JSON. dialoguer reads a terminal without end, so what has to end at a deadline is the
//! process: the system then ends its reading, and nothing is left that waits for keys.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write as _};

use console::{Style, Term, measure_text_width, truncate_str};
use dialoguer::theme::Theme;
use dialoguer::{Input, Select};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::FOR_PAGE;
use crate::env;
use crate::errors::Exit;
use crate::output::screen;
use crate::output::terminal::{self, Held, Typing};
use crate::signals;

/// The hidden argument.
pub(super) const COMMAND: &str = "__ask";
/// The entries of a page of a list.
const PAGE: usize = 12;

/// A question for the child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asked {
    pub(super) form: QuestionKind,
    /// The question, with its sign at the end.
    pub(super) text: String,
    pub(super) colour: bool,
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum QuestionKind {
    /// A line that is shown while it is typed.
    Text { initial: String },
    /// A line that is not shown.
    Secret,
    /// Yes or no; Enter alone is yes.
    Confirm,
    /// One of several.
    Select { options: Vec<String> },
    /// A plain line; the parent prints the question.
    Line { is_secret: bool },
}

/// An answer of the child. Nothing at all: the question was cancelled.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Given {
    Text(String),
    Yes(bool),
    Chosen(usize),
    /// The terminal cannot be read.
    Unreadable(String),
}

/// Asks, if the command line is for that.
pub(crate) fn child(arguments: &[OsString]) -> Option<Exit> {
    let [_, command] = arguments else { return None };
    if command != COMMAND {
        return None;
    }
    // Not even a parent that was killed leaves a reader on the terminal.
    signals::end_with_parent();
    // Only the parent starts it; a user who types the word gets nothing.
    let Some(asked) = env::asked().and_then(|asked| serde_json::from_str(&asked).ok()) else {
        return Some(Exit::Usage);
    };
    let given = asked_on_terminal(&asked).unwrap_or_else(|why| Some(Given::Unreadable(why.to_string())));
    let Some(given) = given else { return Some(Exit::Interrupted) };
    let written = serde_json::to_vec(&given).map(Zeroizing::new).map_err(io::Error::other);
    let mut stdout = io::stdout().lock();
    match written.and_then(|written| stdout.write_all(&written)).and_then(|()| stdout.flush()) {
        Ok(()) => Some(Exit::Done),
        Err(_) => Some(Exit::Failed),
    }
}

fn asked_on_terminal(asked: &Asked) -> io::Result<Option<Given>> {
    console::set_colors_enabled_stderr(asked.colour);
    let drawn = match &asked.form {
        QuestionKind::Select { options } if has_pages(options.len()) => Some(RefCell::default()),
        _ => None,
    };
    let theme = Plain { colour: asked.colour, drawn };
    let text = asked.text.as_str();
    Ok(match &asked.form {
        QuestionKind::Text { initial } => Some(Given::Text(text_line(&theme, text, initial)?)),
        QuestionKind::Secret => {
            // dialoguer's Password takes the end of the input for an empty line.
            let (term, _hidden) = (Term::stderr(), Held::new(Typing::Hidden));
            terminal::forget_typed();
            term.write_str(&format!("\r{text} "))?;
            let typed = line()?;
            if typed.is_some() {
                term.clear_line()?;
            }
            typed.map(Given::Text)
        }
        QuestionKind::Confirm => {
            // dialoguer's Confirm takes Enter behind anything else for yes.
            let mut asked = format!("{text} [Y/n]");
            loop {
                match super::agreed(&text_line(&theme, &asked, "")?) {
                    Some(is_yes) => break Some(Given::Yes(is_yes)),
                    None => asked = format!("{text} Yes or no? [Y/n]"),
                }
            }
        }
        QuestionKind::Select { options } => {
            let select = Select::with_theme(&theme).with_prompt(text).items(options).default(0);
            let chosen = select.max_length(PAGE).report(false).interact_opt().map_err(plain)?;
            Term::stderr().write_str(&theme.rest(text, options))?;
            chosen.map(Given::Chosen)
        }
        QuestionKind::Line { .. } => line()?.map(Given::Text),
    })
}

/// A line that is shown while it is typed.
fn text_line(theme: &Plain, text: &str, initial: &str) -> io::Result<String> {
    let input = Input::<String>::with_theme(theme).with_prompt(text).with_initial_text(initial);
    let typed = input.allow_empty(true).report(false).interact_text().map_err(plain)?;
    // dialoguer takes away the last row of what was typed.
    Term::stderr().write_str(&wrapped(&[measure_text_width(text) + 1 + measure_text_width(&typed)]))?;
    Ok(typed)
}

/// A line that the terminal edits; none at the end of the input, which Ctrl-D is on an empty line.
fn line() -> io::Result<Option<String>> {
    let mut line = String::new();
    let length = io::stdin().read_line(&mut line)?;
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok((length > 0).then_some(line))
}

fn plain(error: dialoguer::Error) -> io::Error {
    let dialoguer::Error::IO(why) = error;
    why
}

/// Whether a list has pages: dialoguer keeps two rows free.
pub(super) fn has_pages(entries: usize) -> bool {
    entries > PAGE.clamp(3, screen::size().0.max(3)) - 2
}

/// What takes away so many rows above the cursor, and what is below them.
fn erasing(rows: usize) -> String {
    if rows == 0 { String::new() } else { format!("\r\x1b[{rows}A\x1b[J") }
}

/// What takes away the rows of these lines that a narrower terminal has added, above those that dialoguer takes away.
fn wrapped(drawn: &[usize]) -> String {
    erasing(screen::rows(drawn, screen::size().1) - drawn.len())
}

/// Questions as they are printed elsewhere: no sign before them, and the sign at their end is their own.
struct Plain {
    colour: bool,
    /// The widths of the lines of a list with pages that are on the terminal. dialoguer draws all of them again at each key,
    /// but counts the rows of the width that the terminal had: what a narrower one has wrapped would be left.
    drawn: Option<RefCell<Vec<usize>>>,
}

impl Plain {
    /// A line of a list with pages as it is drawn now.
    fn line(&self, line: &str, for_page: usize) -> String {
        let Some(drawn) = &self.drawn else { return line.to_owned() };
        let line = truncate_str(line, screen::size().1.saturating_sub(1 + for_page), "…");
        drawn.borrow_mut().push(measure_text_width(&line) + for_page);
        line.into_owned()
    }

    /// What takes away the rest of a list that has ended.
    fn rest(&self, text: &str, options: &[String]) -> String {
        match &self.drawn {
            Some(drawn) => wrapped(&drawn.take()),
            None => {
                let entries = options.iter().map(|option| measure_text_width(option) + 2);
                wrapped(&std::iter::once(measure_text_width(text)).chain(entries).collect::<Vec<_>>())
            }
        }
    }
}

impl Theme for Plain {
    fn format_select_prompt(&self, out: &mut dyn fmt::Write, text: &str) -> fmt::Result {
        if let Some(drawn) = &self.drawn {
            out.write_str(&wrapped(&drawn.take()))?;
        }
        out.write_str(&self.line(text, FOR_PAGE))
    }

    fn format_prompt(&self, out: &mut dyn fmt::Write, text: &str) -> fmt::Result {
        out.write_str(text)
    }

    fn format_input_prompt(&self, out: &mut dyn fmt::Write, text: &str, _: Option<&str>) -> fmt::Result {
        write!(out, "{text} ")
    }

    fn format_select_prompt_item(&self, out: &mut dyn fmt::Write, text: &str, is_active: bool) -> fmt::Result {
        let sign = if is_active { ">" } else { " " };
        let line = self.line(&format!("{sign} {text}"), 0);
        if !is_active {
            return out.write_str(&line);
        }
        write!(out, "{}", Style::new().force_styling(self.colour).cyan().bold().apply_to(line))
    }
}
