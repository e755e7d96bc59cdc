//! A retailer's request for verification, in words and as a question.

use std::time::{Duration, Instant};

use ordersync_api::{MfaEventType, MfaRequest, RetailerSyncSession};

use crate::context::Context;
use crate::prompt::Question;

/// A deadline further away than this is no help to anybody, and most likely a clock that is wrong.
pub(super) const FARTHEST: Duration = Duration::from_secs(3600);

/// A request that waits for an answer.
#[derive(Debug, Clone)]
pub(crate) struct PendingRequest<'a> {
    /// What the retailer is called.
    pub name: String,
    /// The retailer that asks.
    pub retailer: &'a RetailerSyncSession,
    /// What identifies the request.
    pub req_id: &'a str,
    /// What is asked.
    pub mfa: &'a MfaRequest,
    /// The session that it belongs to.
    pub batch: &'a str,
}

impl PendingRequest<'_> {
    /// What is asked, as a sentence.
    pub(super) fn text(&self) -> String {
        let default = match self.kind() {
            Some(MfaEventType::Choose) => "Choose how to get the code.",
            Some(MfaEventType::Enter) => "Enter the code.",
            None => "It does not say how.",
        };
        let text = self.mfa.prompt.as_deref().unwrap_or(default).trim_end_matches([':', ' ']);
        let stop = if text.ends_with(['.', '?', '!']) { "" } else { "." };
        let options: Vec<&str> = self.mfa.options.iter().map(|option| option.id.as_str()).collect();
        if options.is_empty() {
            format!("{text}{stop}")
        } else {
            format!("{text}{stop} Methods: {}.", options.join(", "))
        }
    }

    /// The retailer and its question; `default` if the retailer gives none.
    pub(super) fn said(&self, default: &str) -> String {
        let text = self.mfa.prompt.as_deref().unwrap_or(default).trim_end_matches([':', ' ', '.']);
        let stop = if text.ends_with(['?', '!']) { "" } else { "." };
        format!("{}: {text}{stop}", self.name)
    }

    /// The flag of `ordersync mfa` that answers it.
    pub(super) fn flag(&self) -> Vec<String> {
        match self.mfa.options.first() {
            Some(first) if self.is_choice() => vec!["--option".to_owned(), first.id.to_string()],
            _ => vec!["--code-stdin".to_owned()],
        }
    }

    /// How long an answer is accepted; none if that is unknown or past, or the clocks differ too much to know.
    fn left(&self) -> Option<Duration> {
        let until = self.mfa.expires_at.as_ref()?.known()?;
        (until.0 - crate::clock::now()).to_std().ok().filter(|left| !left.is_zero() && *left <= FARTHEST)
    }

    /// Whether the time for an answer is over, or is about to be.
    pub(super) fn is_over(&self) -> bool {
        let until = self.mfa.expires_at.as_ref().and_then(|until| until.known());
        until.is_some_and(|until| (until.0 - crate::clock::now()) < chrono::Duration::seconds(1))
    }

    /// " for 4 more minutes", or nothing if that is unknown.
    pub(super) fn minutes_left(&self) -> String {
        match self.left().map(|left| left.as_secs().div_ceil(60)) {
            None => String::new(),
            Some(0 | 1) => " for one more minute".to_owned(),
            Some(minutes) => format!(" for {minutes} more minutes"),
        }
    }

    /// The question, until the answer is not taken any more or the time to wait for anything is over. What the retailer
    /// says is printed before it.
    pub(super) fn question(&self, context: &Context, text: &str, instead: &str) -> Question {
        Question::new(text, instead).until(self.until(context))
    }

    /// Until when an answer is waited for.
    pub(super) fn until(&self, context: &Context) -> Option<Instant> {
        let taken_until = self.left().and_then(|left| Instant::now().checked_add(left));
        taken_until.into_iter().chain(context.deadline).min()
    }

    pub(super) fn is_choice(&self) -> bool {
        self.kind() == Some(MfaEventType::Choose)
    }

    /// The kind of the answer; `None` if this version does not know it. With a number of tries, a code is wanted.
    pub(super) fn kind(&self) -> Option<MfaEventType> {
        let kind = self.mfa.event_type.to_string().to_lowercase().parse().ok();
        kind.or(self.mfa.attempts_left.map(|_| MfaEventType::Enter))
    }
}
