//! Whether the list is unchanged. A service may report the version of the list with each page. As long as the version
//! stays the same, a page can begin right after the one before it, and no rows have to be compared to know that it
//! follows; even CSV, which shows no ids, can then be taken unchanged.

use crate::errors::{Error, Result};

/// How a list compares with itself when an interrupted export began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ListChange {
    #[default]
    Unchanged,
    Changed,
    /// One of the two has no version.
    Unknown,
}

impl ListChange {
    pub(crate) fn between(before: Option<&str>, now: Option<&str>) -> Self {
        match (before, now) {
            (Some(before), Some(now)) if before == now => Self::Unchanged,
            (Some(_), Some(_)) => Self::Changed,
            _ => Self::Unknown,
        }
    }

    const fn words(self) -> Option<&'static str> {
        match self {
            Self::Unchanged => None,
            Self::Changed => Some("The list has changed since the interrupted export began"),
            Self::Unknown => Some("Nothing shows whether the list has changed since the interrupted export began"),
        }
    }

    /// Fails unless the list is known to be unchanged.
    pub(crate) fn require_none(self) -> Result<()> {
        self.words().map_or(Ok(()), |words| Err(Error::usage(format!("{words}."))))
    }

    /// A warning about the rows of the interrupted export.
    pub(crate) fn warning(self) -> Option<String> {
        let words = self.words()?;
        Some(format!(
            "{words}: the file may lack new items and contain outdated or removed ones. For the current list: the same \
             command with --restart"
        ))
    }
}

/// Upper bound of `wanted`.
const MOST_WANTED: u32 = 64;

/// What the service has said of the list.
#[derive(Debug)]
pub(super) struct VersionTracker {
    version: Option<String>,
    /// Pages in a row that had it.
    pages: u32,
    /// So many are wanted: more each time that the list moved all the same, since that cost a page.
    wanted: u32,
}

impl Default for VersionTracker {
    fn default() -> Self {
        Self { version: None, pages: 0, wanted: 1 }
    }
}

impl VersionTracker {
    /// Whether the next page is expected to be of the same list.
    pub(super) const fn holds(&self) -> bool {
        self.version.is_some() && self.pages >= self.wanted
    }

    /// Whether a page is of the same list.
    pub(super) fn is(&self, version: Option<&str>) -> bool {
        version.is_some() && self.version.as_deref() == version
    }

    /// A page was taken that is known to follow.
    pub(super) fn seen(&mut self, version: Option<&str>) {
        self.pages = if self.is(version) { self.pages.saturating_add(1) } else { 1 };
        if !self.is(version) {
            self.version = version.map(str::to_owned);
        }
    }

    /// A page was taken that is not.
    pub(super) const fn unseen(&mut self) {
        self.pages = 0;
    }

    /// A page was asked for in vain.
    pub(super) fn moved(&mut self) {
        self.pages = 0;
        self.wanted = self.wanted.saturating_mul(2).min(MOST_WANTED);
    }
}
