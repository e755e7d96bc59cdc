//! Whether each page of a list continues where the previous one ended. Rows that are added or removed above shift all
//! others, so a page begins with the last row of the previous one, unless the service names the list's version with
//! each page (`X-List-Version`).

use super::Answer;
use crate::errors::{Error, Hint, codes};

/// What has been read of a list so far.
#[derive(Debug)]
pub(crate) struct Trail<T> {
    same: fn(&T, &T) -> bool,
    first: Vec<T>,
    previous: Vec<T>,
    version: Option<String>,
}

/// How a page relates to what was read before.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PageKind {
    /// The rows after the first `n` are new.
    More(usize),
    /// The list ends with the rows that were read.
    End,
    /// The list ends here if it still begins with the first page; otherwise it has changed.
    EndIfUnmoved,
    /// The list has changed, and it is unknown where to continue.
    Moved,
}

impl<T> Trail<T> {
    /// A trail before the first page; `same` says whether two rows are the same item.
    pub(crate) const fn new(same: fn(&T, &T) -> bool) -> Self {
        Self { same, first: Vec::new(), previous: Vec::new(), version: None }
    }

    /// How many rows before the first unread one the next page must begin.
    pub(crate) fn overlap(&self) -> usize {
        // If the service returns only one row at a time, a page that begins with a known row would never have a new
        // one.
        usize::from(self.version.is_none() && self.first.len() > 1)
    }

    /// Judges a page that was requested [that many](Self::overlap) rows early.
    pub(crate) fn judge(&self, rows: &[T], answer: &Answer) -> PageKind {
        let is_begun = !self.first.is_empty();
        match (&self.version, rows) {
            _ if !is_begun => {
                if rows.is_empty() {
                    PageKind::End
                } else {
                    PageKind::More(0)
                }
            }
            (Some(version), _) if answer.version() != Some(version) => PageKind::Moved,
            // Beyond the end, or whatever the offset, some services repeat the last page.
            (Some(_), _) => {
                if rows.is_empty() || self.are(rows, &self.previous) {
                    PageKind::End
                } else {
                    PageKind::More(0)
                }
            }
            (None, []) if self.first.len() == 1 => PageKind::EndIfUnmoved,
            // Either the service ignores the offset, or the list has grown by a page.
            (None, _) if self.is_first(rows) => PageKind::EndIfUnmoved,
            (None, [first, rest @ ..]) if self.first.len() > 1 && self.is_last(first) => {
                if rest.is_empty() {
                    PageKind::End
                } else {
                    PageKind::More(1)
                }
            }
            (None, _) => PageKind::Moved,
        }
    }

    /// Whether these are the rows of the first page.
    pub(crate) fn is_first(&self, rows: &[T]) -> bool {
        self.are(rows, &self.first)
    }

    fn are(&self, rows: &[T], known: &[T]) -> bool {
        rows.len() == known.len() && rows.iter().zip(known).all(|(row, known)| (self.same)(row, known))
    }

    fn is_last(&self, row: &T) -> bool {
        self.previous.last().is_some_and(|last| (self.same)(row, last))
    }

    /// The error for a list that has changed.
    pub(crate) fn moved(&self) -> Error {
        let message = match self.first.len() {
            1 => "The list changed while it was read, or the service gives one row at a time.",
            _ => "The list changed while it was read, so rows could be missing or doubled.",
        };
        Error::of(&codes::command::STILL_RUNNING, message)
            .hint(Hint::run("Wait for the sync to end, then try again", "ordersync sessions watch"))
    }
}

impl<T: Clone> Trail<T> {
    /// Records a page as read.
    pub(crate) fn take(&mut self, rows: Vec<T>, answer: &Answer) {
        if self.first.is_empty() {
            self.first.clone_from(&rows);
        }
        self.previous = rows;
        self.version = answer.version().map(str::to_owned);
    }
}
