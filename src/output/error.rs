//! How an error is shown: what happened, what to do, and the request id. With `-o json`, as an object.

use std::io::Write as _;

use super::Output;
use super::sanitize::clean;
use super::visible;
use crate::errors::{Error, Hint, Result};

const ERROR: &str = "error:";
const HINT: &str = "hint:";

impl Output {
    /// Shows an error, after other errors that occurred with it; in JSON, as one object.
    pub(crate) fn error(&self, error: &Error) {
        if error.is_silent() || self.screen.logs(error) {
            return;
        }
        if self.shape.has_json_errors() {
            let json = error.to_json().to_string();
            // In JSON, an escape sequence means the same character.
            self.to_stderr(&if self.stderr_terminal { visible::text(json.as_bytes()) } else { json });
            return;
        }
        for other in error.others() {
            self.error(other);
        }
        let style = console::Style::new().force_styling(self.colour_err);
        let message: Vec<String> =
            error.message().lines().flat_map(|line| self.lines(&Hint::say(line), ERROR.len() + 1)).collect();
        self.to_stderr(&labelled(ERROR, style.clone().red().bold(), &message));
        if !error.advice().is_empty() {
            let hints = error.advice().hints();
            let hints: Vec<String> = hints.iter().flat_map(|hint| self.lines(hint, HINT.len() + 1)).collect();
            self.to_stderr(&labelled(HINT, style.clone().cyan(), &hints));
        }
        if let Some(request) = error.request_id() {
            self.to_stderr(&style.dim().apply_to(format!("request id: {}", clean(request))).to_string());
        }
    }
}

/// Lines after a label, aligned with the first one.
fn labelled(label: &str, style: console::Style, lines: &[String]) -> String {
    let below = format!("\n{:1$}", "", label.len() + 1);
    format!("{} {}", style.apply_to(label), lines.join(&below))
}

/// Prints the help or the version that was requested.
pub(crate) fn show_help(asked: &clap::Error) -> Result<()> {
    if !asked.use_stderr() {
        super::stdout()?;
    }
    asked.print().and_then(|()| std::io::stdout().flush()).map_err(|why| super::write_error(&why))
}
