//! What shows that a page belongs to the part of the list that was written.

use std::cell::OnceCell;
use std::collections::{HashSet, VecDeque};

use super::PageRow;
use crate::export::digest::digest;

/// Rows written last that are remembered: among them is one of a page that begins a few pages too far up.
const RECENT: usize = 4_000;

/// The rows that were written last, and the last page.
#[derive(Debug, Default)]
pub(super) struct Link {
    recent: VecDeque<u128>,
    /// The ids of `recent`, as soon as one was looked for: in a list that does not move, none is.
    ids: OnceCell<HashSet<u128>>,
    /// The last row of the last page, if that page was linked.
    tail: Option<u128>,
}

impl Link {
    pub(super) fn wrote(&mut self, id: u128) {
        self.recent.push_back(id);
        let oldest = if self.recent.len() > RECENT { self.recent.pop_front() } else { None };
        if let Some(ids) = self.ids.get_mut() {
            ids.insert(id);
            oldest.map(|oldest| ids.remove(&oldest));
        }
    }

    pub(super) fn has(&self, id: &str) -> bool {
        self.ids.get_or_init(|| self.recent.iter().copied().collect()).contains(&digest(id))
    }

    /// Whether a page begins with the last row of a linked one.
    pub(super) fn follows(&self, page: &[PageRow<'_>]) -> bool {
        self.tail.is_some() && self.tail == page.first().map(|entry| digest(entry.id))
    }

    /// Whether the last page was not linked.
    pub(super) const fn is_broken(&self) -> bool {
        self.tail.is_none()
    }

    pub(super) fn read(&mut self, page: &[PageRow<'_>], is_linked: bool) {
        self.tail = page.last().filter(|_| is_linked).map(|entry| digest(entry.id));
    }
}
