//! How an error is shown: what happened, what to do, which request it was. With `-o json`, as an object.

use super::Output;
use super::clean::clean;
use crate::error::Error;

impl Output {
    /// Shows an error.
    pub fn error(&self, error: &Error) {
        if error.is_silent() {
            return;
        }
        if self.shape.has_json_errors() {
            self.to_stderr(&error.to_json().to_string());
            return;
        }
        let style = console::Style::new().force_styling(self.colour_err);
        let message = self.lines(error.message(), "error: ");
        self.to_stderr(&format!("{} {message}", style.clone().red().bold().apply_to("error:")));
        if let Some(hint) = error.hint_text() {
            self.to_stderr(&format!("{} {}", style.clone().cyan().apply_to("hint:"), self.lines(hint, "hint: ")));
        }
        if let Some(request) = error.request_id() {
            self.to_stderr(&style.dim().apply_to(format!("request id: {}", clean(request))).to_string());
        }
    }

    /// Several lines, the later ones below the text of the first, which stands behind `label`.
    fn lines(&self, text: &str, label: &str) -> String {
        let lines: Vec<String> = text.lines().map(|line| self.paragraph(&clean(line), label.len())).collect();
        lines.join("\n").replace('\n', &format!("\n{:1$}", "", label.len()))
    }
}

/// Shows the help or the version that was asked for.
pub fn show_help(asked: &clap::Error) {
    // A reader that went away is no failure.
    let _ = asked.print();
}
