//! The text of a recipe, with what a person has to decide.

use std::fmt::Write as _;

/// Marks what a person has to decide.
pub(in crate::connector) const DECIDE: &str = "# DECIDE";

/// A recipe that is being written.
#[derive(Default)]
pub(super) struct Writer {
    text: String,
    decide: Vec<String>,
    needs_zone: bool,
}

/// A recipe that was begun.
pub(super) struct Written {
    pub(super) recipe: String,
    pub(super) decide: Vec<String>,
    /// Whether dates have a time without its zone.
    pub(super) needs_zone: bool,
}

impl Writer {
    pub(super) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    pub(super) fn table(&mut self, name: &str) {
        let _ = writeln!(self.text, "\n[{name}]");
    }

    /// A key with a text.
    pub(super) fn text(&mut self, key: &str, value: &str) {
        self.raw(key, &quoted(value));
    }

    /// A key with a value in TOML.
    pub(super) fn raw(&mut self, key: &str, value: &str) {
        let _ = writeln!(self.text, "{key} = {value}");
    }

    /// Says above the next key what was not certain.
    pub(super) fn decide(&mut self, what: &str) {
        let _ = writeln!(self.text, "{DECIDE}: {what}");
        self.decide.push(what.to_owned());
    }

    /// Dates have a time, and do not say in which zone.
    pub(super) fn needs_zone(&mut self) {
        self.needs_zone = true;
    }

    pub(super) fn finish(self) -> Written {
        Written { recipe: self.text, decide: self.decide, needs_zone: self.needs_zone }
    }
}

/// A text in TOML.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Texts in TOML, in lower case as words are compared.
pub(super) fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| quoted(&word.to_lowercase())).collect();
    format!("[{}]", words.join(", "))
}
