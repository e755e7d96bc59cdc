//! Every code that an error can have: what it means, why it happens, what to do, how the process ends. One table, from
//! which errors take their exit code and their hint, and from which docs/errors.md is made.
//!
//! A code is stable: a script may depend on it. A hint may have placeholders `{name|default}`, which are filled with what
//! the answer says.

pub mod command;
pub mod network;
pub mod oauth;
pub mod service;

use crate::errors::{Advice, Exit, Hint};

/// What is known of a code.
#[derive(Debug, PartialEq, Eq)]
pub struct ErrorEntry {
    /// The code, as `-o json` gives it.
    pub code: &'static str,
    /// How the process ends.
    pub exit: Exit,
    /// What it means, in the user's terms.
    pub means: &'static str,
    /// Why it happens.
    pub why: &'static str,
    /// What to do, with commands to copy; what an error says where nothing better is known.
    pub hints: &'static [Hint],
}

/// The code of an answer that has none of its own, but for the number.
pub const HTTP_PREFIX: &str = "HTTP_";

macro_rules! rows {
    ($($constant:ident = $code:literal, $exit:ident, $means:literal, $why:literal, $hints:expr;)+) => {
        $(
            #[doc = $means]
            pub const $constant: crate::errors::codes::ErrorEntry = crate::errors::codes::ErrorEntry {
                code: $code,
                exit: crate::errors::Exit::$exit,
                means: $means,
                why: $why,
                hints: &$hints,
            };
        )+
        /// All of them, in the order of the documentation.
        pub const ALL: &[crate::errors::codes::ErrorEntry] = &[$($constant),+];
    };
}

pub(crate) use rows;

/// Every row, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static ErrorEntry> {
    [network::ALL, service::ALL, oauth::ALL, command::ALL].into_iter().flatten()
}

/// What is known of a code that came in an answer.
pub fn of_answer(code: &str) -> Option<&'static ErrorEntry> {
    service::ALL.iter().chain(oauth::ALL).find(|row| row.code == code)
}

impl ErrorEntry {
    /// What to do where nothing more is known.
    pub fn advice(&self) -> Advice {
        self.advice_with(|_| None)
    }

    /// What to do, the placeholders filled with what is known.
    pub fn advice_with(&self, known: impl Fn(&str) -> Option<String>) -> Advice {
        let hint = |hint: &Hint| Hint {
            text: filled(&hint.text, &known).into(),
            command: hint.command.as_deref().map(|command| filled(command, &known).into()),
        };
        self.hints.iter().map(hint).collect()
    }
}

fn filled(text: &str, known: &impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, (name, default, after))) =
        rest.split_once('{').and_then(|(before, inner)| Some((before, placeholder(inner)?)))
    {
        filled.push_str(before);
        filled.push_str(&known(name).unwrap_or_else(|| default.to_owned()));
        rest = after;
    }
    filled.push_str(rest);
    filled.truncate(filled.trim_end().len());
    filled
}

fn placeholder(inner: &str) -> Option<(&str, &str, &str)> {
    let (inner, after) = inner.split_once('}')?;
    let (name, default) = inner.split_once('|')?;
    Some((name, default, after))
}

#[cfg(test)]
mod tests {
    use ordersync_api::ErrorCode;

    use super::*;
    use crate::errors::{run, say};

    #[test]
    fn every_code_of_the_contract_has_a_row_and_no_code_has_two() {
        for code in ErrorCode::ALL {
            assert!(of_answer(code.as_str()).is_some(), "{code}");
        }
        let mut codes: Vec<&str> = all().map(|row| row.code).collect();
        codes.sort_unstable();
        assert!(codes.windows(2).all(|pair| pair[0] != pair[1]), "{codes:?}");
    }

    #[test]
    fn a_row_is_sentences_and_says_what_to_do() {
        for row in all() {
            for text in [row.means, row.why] {
                assert!(text.ends_with('.') && !text.contains('|'), "{}: {text}", row.code);
            }
            assert!(!row.hints.is_empty(), "{}", row.code);
            for hint in row.hints {
                assert!(
                    !hint.text.contains('\n') && hint.command.as_deref().is_none_or(|command| !command.contains('\n')),
                    "{hint:?}"
                );
            }
        }
    }

    #[test]
    fn placeholders_are_filled_or_take_their_default() {
        const HINTS: &[Hint] = &[say("Wait {wait|a minute}."), run("Fix", "ordersync fix {id|}")];
        let row = ErrorEntry { hints: HINTS, ..service::NOT_FOUND };
        assert_eq!(row.advice().to_string(), "Wait a minute.\nFix: ordersync fix");
        let known = |name: &str| (name == "id").then(|| "conn_1".to_owned());
        assert_eq!(row.advice_with(known).to_string(), "Wait a minute.\nFix: ordersync fix conn_1");
    }
}
