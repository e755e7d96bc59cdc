//! Pages that add to orders and may be broken: the first that fails is asked for again, and after several in a row most are not asked
//! for.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::connector::ConnectorError;

/// Once so many pages in a row have failed, only one in [`STILL_ASKED`] is asked for, until one is read.
const MAX_FAILED: u8 = 3;
/// Which one that is changes from sync to sync: pages that stay broken must not hide all others for good.
const STILL_ASKED: u64 = 8;

/// How many pages in a row have failed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::connector) struct Breaker(u8);

impl Breaker {
    /// Whether the page at `path` is to be asked for.
    pub(in crate::connector) fn asks(self, path: &str, now: DateTime<Utc>) -> bool {
        let mut hasher = DefaultHasher::new();
        (path, now).hash(&mut hasher);
        self.0 < MAX_FAILED || hasher.finish().is_multiple_of(STILL_ASKED)
    }

    /// Returns whether the step ends with this error, and the page is asked for again: without a wait if the step has read anything, and
    /// then once after the wait before a repetition. Otherwise, the data of the page is missing until the next sync.
    pub(in crate::connector) fn ends_step(self, error: &ConnectorError, attempt: u32) -> bool {
        error.is_rest() || error.transient && attempt == 0 && self.0 == 0
    }

    pub(in crate::connector) const fn count(&mut self, has_failed: bool) {
        self.0 = if has_failed { self.0.saturating_add(1) } else { 0 };
    }
}
