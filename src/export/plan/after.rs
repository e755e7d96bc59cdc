//! Pages that begin right after the last row, because the service says that the list has not changed.

use super::{ListHeaders, PageRow, Plan, Seen, Step};
use crate::export::digest::digest;
use crate::export::sort_order::{Key, Order, Place};

impl Plan {
    /// Takes rows of which only the last one's place is known, and which begin after the last row that was read; so many
    /// were asked for. `None`: they cannot be used.
    pub(crate) fn take_unseen(
        &mut self,
        asked: u64,
        rows: u64,
        last: Place<'_>,
        told: ListHeaders<'_>,
    ) -> Option<Step> {
        if self.ignores_count {
            return None;
        }
        let follows = |order: &Order, frontier: &Key| order.compare(frontier.place(), last).is_lt();
        let end = (self.state.offset + 1).saturating_add(rows);
        let is_good = rows > 0
            && self.version.is(told.version)
            && told.total == self.state.total
            // With fewer than there have to be, it is unknown which are missing.
            && told.total.is_some_and(|total| end == total || (end < total && rows == asked))
            && self.state.frontier.as_ref().is_some_and(|frontier| follows(&self.state.order, frontier));
        if !is_good {
            return None;
        }
        self.seen = Seen::Long;
        self.link.wrote(digest(last.id));
        self.largest = self.largest.max(rows);
        self.version.seen(told.version);
        self.state.total = told.total;
        self.state.rows += rows;
        self.state.frontier = Some(last.to_key());
        self.state.offset = end - 1;
        Some(if told.total == Some(end) { Step::End } else { Step::Next })
    }

    /// A page that began after the last row cannot be used: the list moved.
    pub(crate) fn in_vain(&mut self) -> Step {
        self.version.moved();
        Step::Next
    }

    /// A page that follows by the service's word, unless its rows say otherwise.
    pub(super) fn take_after(&mut self, page: &[PageRow<'_>], told: ListHeaders<'_>, fresh: &mut Vec<bool>) -> Step {
        let frontier = self.state.frontier.as_ref().map(Key::place);
        let places: Option<Vec<Place<'_>>> =
            std::iter::once(frontier).chain(page.iter().map(|entry| entry.place)).collect();
        let mut order = self.state.order.clone();
        let follows = places.is_some_and(|places| places.windows(2).all(|pair| order.learn(pair[0], pair[1])));
        let end = self.state.offset + 1 + page.len() as u64;
        let Some(last) = page
            .last()
            .and_then(|entry| entry.place)
            .filter(|_| follows && self.version.is(told.version) && told.total == self.state.total)
        else {
            fresh.resize(page.len(), false);
            return self.in_vain();
        };
        fresh.resize(page.len(), true);
        self.version.seen(told.version);
        (self.state.order, self.state.total) = (order, told.total);
        self.state.frontier = Some(last.to_key());
        self.state.rows += page.len() as u64;
        self.state.offset = end - 1;
        self.keep(page, fresh);
        if told.total == Some(end) { Step::End } else { Step::Next }
    }
}
