//! Whether the list is unchanged. A service may report the version of the list with each page. As long as the version
//! stays the same, a page can begin right after the one before it, and no rows have to be compared to know that it
//! follows; even CSV, which shows no ids, can then be taken unchanged.

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
