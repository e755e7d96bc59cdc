//! The hidden child process that asks: `ordersync __ask`, with the question in an environment variable and the answer on
//! standard output, both as JSON. dialoguer reads a terminal without end, so what has to end at a deadline is the
//! process: the system then ends its reading, and nothing is left that waits for keys.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write as _};

use console::Style;
use dialoguer::theme::Theme;
use dialoguer::{Confirm, Input, Password, Select};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::env;
use crate::exit::Exit;
use crate::signals;

/// The hidden argument.
pub(super) const COMMAND: &str = "__ask";
/// The entries of a page of a list.
const PAGE: usize = 12;

/// A question for the child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asked {
    pub(super) form: Form,
    /// The question, with its sign at the end.
    pub(super) text: String,
    pub(super) colour: bool,
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Form {
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

/// Asks, if that is what the command line is for.
#[must_use]
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
    let theme = Plain { colour: asked.colour };
    let text = asked.text.as_str();
    Ok(match &asked.form {
        Form::Text { initial } => {
            let input = Input::<String>::with_theme(&theme).with_prompt(text).with_initial_text(initial.as_str());
            Some(Given::Text(input.allow_empty(true).report(false).interact_text().map_err(plain)?))
        }
        Form::Secret => {
            let password = Password::with_theme(&theme).with_prompt(text).allow_empty_password(true).report(false);
            Some(Given::Text(password.interact().map_err(plain)?))
        }
        Form::Confirm => {
            // Enter ends it: a letter alone would leave the Enter after it to the next question.
            let confirm = Confirm::with_theme(&theme).with_prompt(text).default(true).wait_for_newline(true);
            Some(Given::Yes(confirm.report(false).interact().map_err(plain)?))
        }
        Form::Select { options } => {
            let select = Select::with_theme(&theme).with_prompt(text).items(options).default(0);
            select.max_length(PAGE).report(false).interact_opt().map_err(plain)?.map(Given::Chosen)
        }
        Form::Line { .. } => {
            let mut line = String::new();
            let length = io::stdin().read_line(&mut line)?;
            line.truncate(line.trim_end_matches(['\r', '\n']).len());
            (length > 0).then_some(Given::Text(line))
        }
    })
}

fn plain(error: dialoguer::Error) -> io::Error {
    let dialoguer::Error::IO(why) = error;
    why
}

/// Questions as they are printed elsewhere: no sign before them, and the sign at their end is their own.
struct Plain {
    colour: bool,
}

impl Theme for Plain {
    fn format_prompt(&self, out: &mut dyn fmt::Write, text: &str) -> fmt::Result {
        out.write_str(text)
    }

    fn format_input_prompt(&self, out: &mut dyn fmt::Write, text: &str, _: Option<&str>) -> fmt::Result {
        write!(out, "{text} ")
    }

    fn format_select_prompt_item(&self, out: &mut dyn fmt::Write, text: &str, is_active: bool) -> fmt::Result {
        if is_active {
            let style = Style::new().force_styling(self.colour).cyan().bold();
            write!(out, "{}", style.apply_to(format!("> {text}")))
        } else {
            write!(out, "  {text}")
        }
    }
}
