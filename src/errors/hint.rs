//! What to do about something: lines of words, each with or without a command to copy behind them. Words and command are
//! apart from where they are written to where they are shown, so that no command is ever broken between lines.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};

/// A line of advice. In the table of codes, words and command may have placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The words, `Sign in again`.
    pub text: Cow<'static, str>,
    /// The command to copy, `ordersync auth login`.
    pub command: Option<Cow<'static, str>>,
}

/// A constant: words alone.
pub(crate) const fn say(text: &'static str) -> Hint {
    Hint { text: Cow::Borrowed(text), command: None }
}

/// A constant: words, and the command that they announce.
pub(crate) const fn run(text: &'static str, command: &'static str) -> Hint {
    Hint { text: Cow::Borrowed(text), command: Some(Cow::Borrowed(command)) }
}

impl Hint {
    /// Words alone.
    pub fn say(text: impl Into<String>) -> Self {
        Self { text: text.into().into(), command: None }
    }

    /// Words, and the command that they announce. A colon between them is added unless they end with another sign.
    pub fn run(text: impl Into<String>, command: impl Into<String>) -> Self {
        Self { text: text.into().into(), command: Some(command.into().into()) }
    }

    /// A command that the line before announces.
    pub fn command(command: impl Into<String>) -> Self {
        Self::run("", command)
    }

    /// The words before the command, as they are shown.
    pub fn words(&self) -> String {
        let is_announced = self.command.is_none() || self.text.is_empty() || self.text.ends_with([':', '?', '→']);
        if is_announced { self.text.clone().into_owned() } else { format!("{}:", self.text) }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.command, self.words()) {
            (None, words) => f.write_str(&words),
            (Some(command), words) if words.is_empty() => f.write_str(command),
            (Some(command), words) => write!(f, "{words} {command}"),
        }
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::say(text)
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::say(text)
    }
}

impl From<&String> for Hint {
    fn from(text: &String) -> Self {
        Self::say(text)
    }
}

/// Lines of advice. Words alone, one [`Hint`] and several of them become it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Advice(Vec<Hint>);

impl Advice {
    /// Its lines.
    pub fn hints(&self) -> &[Hint] {
        &self.0
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends advice.
    pub fn and(mut self, more: impl Into<Self>) -> Self {
        self.0.extend(more.into().0);
        self
    }
}

impl<H: Into<Hint>> From<H> for Advice {
    fn from(hint: H) -> Self {
        Self(vec![hint.into()])
    }
}

impl From<&Self> for Advice {
    fn from(advice: &Self) -> Self {
        advice.clone()
    }
}

impl<const N: usize> From<[Hint; N]> for Advice {
    fn from(hints: [Hint; N]) -> Self {
        Self(hints.into())
    }
}

impl From<Vec<Hint>> for Advice {
    fn from(hints: Vec<Hint>) -> Self {
        Self(hints)
    }
}

impl FromIterator<Hint> for Advice {
    fn from_iter<I: IntoIterator<Item = Hint>>(hints: I) -> Self {
        Self(hints.into_iter().collect())
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, hint) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            hint.fmt(f)?;
        }
        Ok(())
    }
}

/// One text, as `-o json` has it.
impl Serialize for Advice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_words_and_a_command_behind_a_colon_or_a_question() {
        for (hint, shown) in [
            (Hint::run("Sign in again", "ordersync auth login"), "Sign in again: ordersync auth login"),
            (Hint::run("Is this it?", "ordersync config list"), "Is this it? ordersync config list"),
            (Hint::say("For one command: --base-url URL"), "For one command: --base-url URL"),
            (Hint::command("ordersync fix conn_1"), "ordersync fix conn_1"),
        ] {
            assert_eq!(hint.to_string(), shown);
        }
        let advice = Advice::from("Nothing was sent.").and(Hint::run("Start again", "ordersync fix"));
        assert_eq!(advice.to_string(), "Nothing was sent.\nStart again: ordersync fix");
        assert_eq!(serde_json::json!(advice), "Nothing was sent.\nStart again: ordersync fix");
    }
}
