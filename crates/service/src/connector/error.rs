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
}

impl ConnectorError {
    /// A failure that repetition does not cure, with the code's own message.
    #[must_use]
    pub fn new(code: SyncErrorCode) -> Self {
        Self { code, message: code.message().to_owned(), transient: false, retry_after: None, paced: false }
    }

    /// The same with a message of its own.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }

    /// Not now: the retailer's pace allows the next request after `wait`.
    #[must_use]
    pub fn paced(wait: Duration) -> Self {
        Self { transient: true, retry_after: Some(wait), paced: true, ..Self::new(SyncErrorCode::RetailerRateLimited) }
    }

    /// The same, but worth a repetition.
    #[must_use]
    pub const fn transient(mut self) -> Self {
        self.transient = true;
        self
    }
}
