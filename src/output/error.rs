//! How an error is shown: what happened, what to do, which request it was. With `-o json`, as an object.

use std::io::Write as _;

use super::Output;
use super::clean::clean;
use super::{visible, wrap};
use crate::error::{Error, Result};
use crate::hint::Hint;

impl Output {
    /// Shows an error.
    pub fn error(&self, error: &Error) {
        if error.is_silent() {
            return;
        }
        if self.shape.has_json_errors() {
            let json = error.to_json().to_string();
            // In JSON, an escape is the same letter.
            self.to_stderr(&if self.stderr_terminal { visible::text(json.as_bytes()) } else { json });
            return;
        }
        let style = console::Style::new().force_styling(self.colour_err);
        let message = self.lines(error.message(), "error: ");
        self.to_stderr(&format!("{} {message}", style.clone().red().bold().apply_to("error:")));
        if !error.advice().is_empty() {
            let hint = self.advice(error.advice(), "hint: ");
            self.to_stderr(&format!("{} {hint}", style.clone().cyan().apply_to("hint:")));
        }
        if let Some(request) = error.request_id() {
            self.to_stderr(&style.dim().apply_to(format!("request id: {}", clean(request))).to_string());
        }
    }

    /// Several lines, the later ones below the text of the first, which stands behind `label`.
    fn lines(&self, text: &str, label: &str) -> String {
        let lines: Vec<String> = text.lines().map(|line| self.paragraph(&clean(line), label.len())).collect();
        below(&lines.join("\n"), label)
    }

    /// The same of advice, of which no command is broken.
    fn advice(&self, hints: &[Hint], label: &str) -> String {
        let width = if self.stderr_terminal { super::stderr_width().saturating_sub(label.len()) } else { usize::MAX };
        let lines: Vec<String> = hints.iter().flat_map(|hint| wrap::advice(hint, width)).collect();
        below(&lines.join("\n"), label)
    }
}

fn below(text: &str, label: &str) -> String {
    text.replace('\n', &format!("\n{:1$}", "", label.len()))
}

/// Shows the help or the version that was asked for.
///
/// # Errors
/// Where it cannot be written.
pub fn show_help(asked: &clap::Error) -> Result<()> {
    asked.print().and_then(|()| std::io::stdout().flush()).map_err(|why| super::write_error(&why))
}
