//! Why a step of a connector fails: a code of the interface, words for a person, and whether a repetition may help.

use std::time::Duration;

use ordersync_api::SyncErrorCode;

/// Why a step failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct ConnectorError {
    /// What the sync ends in, unless a repetition works.
    pub code: SyncErrorCode,
    /// What happened, for a person; holds no secret and nothing that the retailer's page said in its own words.
    pub message: String,
    /// Whether the same step may work if it is repeated soon.
    pub transient: bool,
    /// How long the retailer asked to be left alone.
    pub retry_after: Option<Duration>,
    /// Not a failure: the retailer's pace allows the request only after `retry_after`. The step is repeated then, and the
    /// repetition does not count as an attempt.
    pub paced: bool,
    cause: Cause,
}

/// Further knowledge of a failed step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Other,
    /// No answer came.
    Unreachable,
    /// The page is none of the saved ones.
    NotSaved,
}

impl ConnectorError {
    /// A failure that repetition does not cure, with the code's own message.
    pub fn new(code: SyncErrorCode) -> Self {
        let message = code.message().to_owned();
        Self { code, message, transient: false, retry_after: None, paced: false, cause: Cause::Other }
    }

    /// The same with a message of its own.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// The retailer did not answer: it cannot be reached, it answers too slowly, or the connection broke.
    pub(crate) fn unreachable(code: SyncErrorCode) -> Self {
        Self { cause: Cause::Unreachable, ..Self::new(code) }
    }

    /// The page at this path was not saved, so that saved pages cannot answer with it.
    pub(crate) fn not_saved(path: &str) -> Self {
        let error =
            Self::new(SyncErrorCode::RetailerChanged).with_message(format!("{path} is not among the saved pages."));
        Self { cause: Cause::NotSaved, ..error }
    }

    /// Whether the retailer did not answer. One that answers with a failure of its own can be reached.
    pub fn is_unreachable(&self) -> bool {
        self.cause == Cause::Unreachable
    }

    /// Whether the page was not saved.
    pub(crate) fn is_not_saved(&self) -> bool {
        self.cause == Cause::NotSaved
    }

    /// Not now: the retailer's pace allows the next request after `wait`.
    pub fn paced(wait: Duration) -> Self {
        Self { transient: true, retry_after: Some(wait), paced: true, ..Self::new(SyncErrorCode::RetailerRateLimited) }
    }

    /// Whether the retailer, or its pace, asks to be left alone for a while: it says nothing of what was asked for.
    pub(crate) fn is_rest(&self) -> bool {
        self.paced || self.code == SyncErrorCode::RetailerRateLimited
    }

    /// Not worth a repetition, whatever it was before.
    #[must_use]
    pub(crate) const fn lasting(mut self) -> Self {
        self.transient = false;
        self
    }

    /// The same, but worth a repetition.
    #[must_use]
    pub const fn transient(mut self) -> Self {
        self.transient = true;
        self
    }
}
