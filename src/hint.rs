//! What to do about an error: lines of words, each with or without a command to copy behind them. A command is never
//! broken between lines, and nothing else is a part of it.

use std::fmt;

/// A line of advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The words, `Sign in again`.
    pub text: String,
    /// The command to copy, `ordersync auth login`.
    pub command: Option<String>,
}

/// Programs that a command may begin with, besides a variable's assignment.
const PROGRAMS: [&str; 21] = [
    "chmod",
    "curl",
    "date",
    "df",
    "echo",
    "export",
    "getent",
    "head",
    "journalctl",
    "jq",
    "ls",
    "lsof",
    "mkdir",
    "openssl",
    "ordersync",
    "stty",
    "sudo",
    "systemctl",
    "ulimit",
    "unset",
    "cargo",
];

impl Hint {
    /// Words, and the command that they announce.
    #[must_use]
    pub fn run(text: impl Into<String>, command: impl Into<String>) -> Self {
        Self { text: text.into(), command: Some(command.into()) }
    }

    /// Reads the notation of the tables of errors: `words`, or `words: command`, the command up to the end of the line.
    #[must_use]
    pub fn read(line: &str) -> Self {
        let begins = |rest: &str| {
            let word = rest.split(' ').next().unwrap_or_default();
            PROGRAMS.contains(&word)
                || (word.contains('=') && word.bytes().next().is_some_and(|b| b.is_ascii_uppercase()))
        };
        let mut ends =
            line.match_indices([':', '?']).filter_map(|(at, _)| Some((at, line[at + 1..].strip_prefix(' ')?)));
        match ends.find(|(_, rest)| begins(rest)) {
            Some((at, command)) => Self { text: line[..=at].to_owned(), command: Some(command.to_owned()) },
            None => Self { text: line.to_owned(), command: None },
        }
    }

    /// The words before the command, as they are shown.
    #[must_use]
    pub fn words(&self) -> String {
        let is_announced = self.command.is_none() || self.text.is_empty() || self.text.ends_with([':', '?']);
        if is_announced { self.text.clone() } else { format!("{}:", self.text) }
    }

    /// Every line of an advice, of which one that begins with the program is a command as a whole.
    #[must_use]
    pub fn lines(text: &str) -> Vec<Self> {
        let bare = |line: &str| Self { text: String::new(), command: Some(line.to_owned()) };
        text.lines().map(|line| if line.starts_with("ordersync ") { bare(line) } else { Self::read(line) }).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_words_and_a_command_to_its_end() {
        for (line, text, command) in [
            ("Sign in again: ordersync auth login", "Sign in again:", Some("ordersync auth login")),
            ("Is this it? ordersync config list", "Is this it?", Some("ordersync config list")),
            ("Answer it: ordersync mfa --option 'a; b: c.'", "Answer it:", Some("ordersync mfa --option 'a; b: c.'")),
            ("ordersync 0.1.0 connects retailers", "ordersync 0.1.0 connects retailers", None),
            (
                "Take it: SSL_CERT_FILE=ca.pem ordersync doctor",
                "Take it:",
                Some("SSL_CERT_FILE=ca.pem ordersync doctor"),
            ),
            ("Or run the version of ordersync that it has.", "Or run the version of ordersync that it has.", None),
            ("For one command: --base-url URL", "For one command: --base-url URL", None),
        ] {
            let hint = Hint::read(line);
            assert_eq!((hint.text.as_str(), hint.command.as_deref()), (text, command));
            assert_eq!(hint.to_string(), line);
        }
        let alone = Hint::lines("ordersync fix conn_1");
        assert_eq!((alone[0].words().as_str(), alone[0].command.as_deref()), ("", Some("ordersync fix conn_1")));
        assert_eq!(alone[0].to_string(), "ordersync fix conn_1");
        assert_eq!(Hint::run("Fix it", "ordersync fix").to_string(), "Fix it: ordersync fix");
    }
}
