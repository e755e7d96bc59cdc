//! How an error is shown: what happened, what to do, which request it was. With `-o json`, as an object.

use std::io::Write as _;

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
        self.to_stderr(&format!("{} {}", style.clone().red().bold().apply_to("error:"), lines(error.message())));
        if let Some(hint) = error.hint_text() {
            self.to_stderr(&format!("{} {}", style.clone().cyan().apply_to("hint:"), lines(hint)));
        }
        if let Some(request) = error.request_id() {
            self.to_stderr(&style.dim().apply_to(format!("request id: {}", clean(request))).to_string());
        }
    }
}

/// Several lines, the later ones below the first one's text.
fn lines(text: &str) -> String {
    text.lines().map(|line| clean(line).into_owned()).collect::<Vec<_>>().join("\n      ")
}

/// Shows what is wrong with a command line, or the help or version that was asked for.
pub fn show_clap(error: &clap::Error, json: bool) {
    if json && error.use_stderr() {
        let rendered = error.render().to_string();
        let message = rendered.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ").trim();
        let hint = "See the command's --help.";
        let _ = writeln!(std::io::stderr(), "{}", Error::usage(clean(message)).hint(hint).to_json());
        return;
    }
    // A reader that went away is no failure.
    let _ = error.print();
}
