//! What is asked, and until when.

use std::time::{Duration, Instant};

use chrono::Local;

use crate::clock;
use crate::errors::Advice;
use crate::output::sanitize::clean;

/// With less time than this, seconds matter.
const SOON: Duration = Duration::from_secs(120);

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(super) text: String,
    pub(super) short: String,
    pub(super) instead: Advice,
    pub(super) until: Option<Instant>,
    pub(super) initial: String,
    pub(super) is_masked: bool,
    /// Another question follows, whose answer counts: this one leaves no line.
    pub(super) is_step: bool,
}

impl Question {
    /// A question. `instead` are the flags to give if the user may not be asked.
    pub(crate) fn new(text: &str, instead: impl Into<Advice>) -> Self {
        let text = clean(text).trim_end_matches([':', ' ', '.']).to_owned();
        let short = "Answer".to_owned();
        Self {
            text,
            short,
            instead: instead.into(),
            until: None,
            initial: String::new(),
            is_masked: false,
            is_step: false,
        }
    }

    /// The question in a word, asked on a terminal that is too narrow for the question, which is printed above it.
    pub(crate) fn short(mut self, short: &str) -> Self {
        self.short = clean(short).into_owned();
        self
    }

    /// Sets the time after which no answer is wanted.
    pub(crate) const fn until(mut self, until: Option<Instant>) -> Self {
        self.until = until;
        self
    }

    /// Sets an answer to edit.
    pub(crate) fn initial(mut self, initial: &str) -> Self {
        self.initial = clean(initial).into_owned();
        self
    }

    /// Shows the answer while it is typed, and not afterwards.
    pub(crate) const fn masked(mut self) -> Self {
        self.is_masked = true;
        self
    }

    /// The question with the time at which it ends, and a colon if it does not end in another sign.
    pub(super) fn shown(&self) -> String {
        let until = self.until.map(|until| format!(" (until {})", at(until))).unwrap_or_default();
        format!("{}{until}{}", self.text, self.sign())
    }

    /// The question once it is answered.
    pub(super) fn settled(&self) -> String {
        format!("{}{}", self.text, self.sign())
    }

    fn sign(&self) -> &'static str {
        if self.text.ends_with(['?', '!', ']']) { "" } else { ":" }
    }
}

/// "14:32", the local time; with seconds if it is soon.
fn at(until: Instant) -> String {
    let left = until.saturating_duration_since(Instant::now());
    let at = clock::now().with_timezone(&Local) + left;
    at.format(if left < SOON { "%H:%M:%S" } else { "%H:%M" }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_ends_in_one_sign_and_says_until_when() {
        let until = Some(Instant::now() + Duration::from_secs(245));
        for (text, plain, before, after) in [
            ("Username", "Username:", "Username (until ", "):"),
            ("Enter the code.", "Enter the code:", "Enter the code (until ", "):"),
            ("Your verification code?:", "Your verification code?", "Your verification code? (until ", ")"),
            ("Code: ", "Code:", "Code (until ", "):"),
        ] {
            assert_eq!(Question::new(text, "").shown(), plain);
            let shown = Question::new(text, "").until(until).shown();
            let time = shown.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)).expect(&shown);
            assert!(time.len() == 5 && time.as_bytes()[2] == b':', "{shown}");
        }
        let soon = Question::new("Code", "").until(Some(Instant::now() + Duration::from_secs(5))).shown();
        assert_eq!(soon.matches(':').count(), 3, "with seconds: {soon}");
    }
}
