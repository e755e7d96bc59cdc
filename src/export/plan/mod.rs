//! The plan of pages: which rows of a page are new, and which page is next.
//!
//! The list has an order that does not change ([`super::sort_order`]), so what was written ends at one row, the frontier, and
//! what stands after it was not written. A page can be used if it begins at the frontier or above it; where rows were
//! removed above, it begins below, and an earlier page is read. If the service says that the list has not changed since
//! ([`super::list_version`]), the next page begins right after the frontier. If the list turns out to have no such order, ids
//! are remembered instead, and it is read until one reading was undisturbed.
//!
//! The end of the list is read, too: a page that begins at the frontier and holds nothing after it. Neither a short page nor
//! a count ends the list, since a service may cap its pages and count something else; only a count that belongs to a list
//! version saves that request.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::digest::digest;
use super::list_version::{ListChange, VersionTracker};
use super::sort_order::{Key, Order, Place};
use crate::client::Incomplete;
pub(crate) use crate::client::page::ListHeaders;
use crate::errors::{Error, Result, codes};
use end::Bottom;
use link::Link;
use unordered::Pass;

/// Ids remembered while the list looks sorted; an unsorted one shows within that many rows. A set of them takes a megabyte.
const KEPT: usize = 28_000;

/// A row, as far as the plan needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageRow<'a> {
    pub id: &'a str,
    /// Its place; `None`: its date cannot be read.
    pub place: Option<Place<'a>>,
}

/// Where the next page may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Next {
    /// At this row, the last that was read.
    pub offset: u64,
    /// Or at the row after it.
    pub after: bool,
}

/// How far an export has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlanState {
    /// Rows that were read.
    pub rows: u64,
    /// Those of them that were left out, since they are of other days.
    #[serde(default)]
    pub omitted: u64,
    /// The position of the last row that was read.
    pub offset: u64,
    /// The last row that was written.
    pub frontier: Option<Key>,
    /// The order of the list, as far as it is known.
    pub order: Order,
    /// How many rows match, if the service says so.
    pub total: Option<u64>,
    /// What the pages said of the connections behind the list.
    #[serde(default)]
    pub incomplete: Incomplete,
    /// The version of the list when the export began, if the service reports one.
    #[serde(default)]
    pub version: Option<String>,
}

impl PlanState {
    /// Rows that were written.
    pub(crate) const fn written(&self) -> u64 {
        self.rows.saturating_sub(self.omitted)
    }
}

/// What follows on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Another page.
    Next,
    /// The page does not fit its count, or the list changed while it was read: later again.
    Wait,
    /// Nothing: the list is read.
    End,
}

/// The plan of one export.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    state: PlanState,
    seen: Seen,
    version: VersionTracker,
    /// How the list compares with that of an earlier command; `None`: no page has come yet.
    change: Option<ListChange>,
    /// Whether the frontier of an earlier command must still be met: without it, this may be another list.
    unmet: bool,
    /// Whether the rows read now are known to be before the frontier.
    link: Link,
    /// Rows by which the reader stepped back last, since its place was lost; none if it is not.
    back: u64,
    previous: Option<(u64, u128)>,
    /// How often the same page came at another place.
    same: u32,
    /// Rows of the largest page: what the service gives at once.
    largest: u64,
    bottom: Bottom,
    /// Consecutive pages with few new rows, and how many rows were read before them.
    slow: (u64, u64),
    /// How often the end was read though the service counts more rows.
    doubts: u32,
    /// Empty pages below the first one, as long as no other came from there.
    nothing_below: u32,
    /// Whether a page below the first one had rows.
    has_below: bool,
    /// The service's count is of something else, as the user says.
    ignores_count: bool,
}

#[derive(Debug)]
enum Seen {
    /// Rows are distinguished by their order; the ids of the first ones are kept.
    Ordered(HashSet<u128>),
    /// Rows are distinguished by their order, after so many that no ids are kept any more.
    Long,
    /// Rows are distinguished by their ids.
    Unordered {
        ids: HashSet<u128>,
        pass: Pass,
        passes: u32,
        /// How many rows the reading before had.
        listed: u64,
    },
}

impl PlanState {
    /// "41000 of 200000 items".
    pub(crate) fn come(&self) -> String {
        match self.total {
            Some(total) => format!("{} of {total} items", self.rows),
            None => format!("{} items", self.rows),
        }
    }
}

impl Default for Seen {
    fn default() -> Self {
        Self::Ordered(HashSet::new())
    }
}

impl Plan {
    /// A plan that resumes where an earlier one was interrupted.
    pub(crate) fn resumed(state: PlanState) -> Self {
        let unmet = state.frontier.is_some();
        let seen = if unmet { Seen::Long } else { Seen::default() };
        Self { state, seen, unmet, ..Self::default() }
    }

    /// If so, the service counts something other than rows.
    pub(crate) fn ignoring_count(self, ignores_count: bool) -> Self {
        Self { ignores_count, ..self }
    }

    /// So many of the rows that were read last are not to be written.
    pub(crate) const fn omit(&mut self, rows: u64) {
        self.state.omitted += rows;
    }

    /// Takes what a page says of the connections behind the list.
    pub(crate) fn note_incomplete(&mut self, page: Incomplete) {
        self.state.incomplete = self.state.incomplete.and(page);
    }

    /// Takes the version of the list that a page reports, and compares it with the version when the export began.
    pub(crate) fn note_version(&mut self, version: Option<&str>) -> ListChange {
        let state = &mut self.state;
        *self.change.get_or_insert_with(|| {
            if state.rows > 0 {
                return ListChange::between(state.version.as_deref(), version);
            }
            state.version = version.map(str::to_owned);
            ListChange::Unchanged
        })
    }

    /// How far it has come.
    pub(crate) const fn state(&self) -> &PlanState {
        &self.state
    }

    /// Whether the service's count is of something other than rows.
    pub(crate) const fn is_ignoring_count(&self) -> bool {
        self.ignores_count
    }

    /// How many rows the service gives at once, if that is known.
    pub(crate) const fn largest(&self) -> u64 {
        self.largest
    }

    /// Whether the next page is asked for only to see that there is none.
    pub(crate) const fn is_probing(&self) -> bool {
        self.bottom.depth().is_some()
    }

    /// Whether the end of the list is not proven: rows came in above all the while, and page after page ended there.
    pub(crate) const fn is_end_assumed(&self) -> bool {
        self.bottom.is_assumed()
    }

    /// Whether another plan can go on from [`Plan::state`].
    pub(crate) const fn is_resumable(&self) -> bool {
        !matches!(self.seen, Seen::Unordered { .. })
    }

    /// Where the next page may begin.
    pub(crate) const fn next(&self) -> Next {
        if let Some(depth) = self.bottom.depth() {
            return Next { offset: self.state.offset + depth - 1, after: true };
        }
        let after = self.version.holds() && self.state.frontier.is_some() && self.is_resumable();
        Next { offset: self.state.offset, after }
    }

    /// Takes a page that begins where [`Plan::next`] says: with `after`, at the row after the last. `fresh` learns of
    /// each row whether it is to be written. Fails if the list cannot be read without losing or duplicating rows.
    pub(crate) fn take(
        &mut self,
        page: &[PageRow<'_>],
        after: bool,
        told: ListHeaders<'_>,
        fresh: &mut Vec<bool>,
    ) -> Result<Step> {
        let step = self.take_page(page, after, told, fresh)?;
        if step != Step::End {
            self.notice_growth(fresh)?;
        }
        Ok(step)
    }

    fn take_page(
        &mut self,
        page: &[PageRow<'_>],
        after: bool,
        told: ListHeaders<'_>,
        fresh: &mut Vec<bool>,
    ) -> Result<Step> {
        fresh.clear();
        let told = if self.ignores_count { ListHeaders { total: None, ..told } } else { told };
        self.largest = self.largest.max(page.len() as u64);
        if let Some(depth) = self.bottom.take_depth(after) {
            return self.take_probe(page, depth, told, fresh);
        }
        if after {
            return Ok(self.take_after(page, told, fresh));
        }
        self.notice_page_numbers(page)?;
        self.notice_repetition(page)?;
        if self.is_whole_again(page, told) {
            fresh.resize(page.len(), false);
            return Ok(Step::End);
        }
        self.state.total = told.total;
        if !matches!(self.seen, Seen::Unordered { .. }) && !self.learn(page) {
            let Seen::Ordered(ids) = std::mem::replace(&mut self.seen, Seen::Long) else {
                return Err(unsound("The service does not list line items newest first, as it did before."));
            };
            return Ok(self.read_by_ids(ids, page, fresh));
        }
        if matches!(self.seen, Seen::Unordered { .. }) {
            return self.take_unordered(page, told, fresh);
        }
        self.take_ordered(page, told, fresh)
    }

    /// Whether the rows of a page follow each other in an order.
    fn learn(&mut self, page: &[PageRow<'_>]) -> bool {
        let order = &mut self.state.order;
        page.iter().all(|entry| entry.place.is_some())
            && page.windows(2).all(|pair| match (pair[0].place, pair[1].place) {
                // A row that comes twice is left out the second time.
                (Some(one), Some(next)) => one == next || order.learn(one, next),
                _ => false,
            })
    }

    /// The list has no order: reads it again from its beginning, by ids.
    fn read_by_ids(&mut self, ids: HashSet<u128>, page: &[PageRow<'_>], fresh: &mut Vec<bool>) -> Step {
        let listed = ids.len().max(page.len()) as u64;
        self.seen = Seen::Unordered { ids, pass: Pass::default(), passes: 0, listed };
        (self.state.offset, self.previous) = (0, None);
        fresh.clear();
        fresh.resize(page.len(), false);
        Step::Next
    }

    /// Begins the next page above: by a page, then by twice as many rows each time.
    fn step_back(&mut self) {
        self.back = self.back.saturating_mul(2).max(self.largest).max(1);
        self.state.offset = self.state.offset.saturating_sub(self.back);
    }

    /// What is read now stands above the last row that was written, if the list has the order that it seems to have; but
    /// nothing shows that it does.
    fn cannot_follow(&mut self, page: &[PageRow<'_>], fresh: &mut Vec<bool>) -> Step {
        match std::mem::replace(&mut self.seen, Seen::Long) {
            Seen::Ordered(ids) => self.read_by_ids(ids, page, fresh),
            seen => {
                self.seen = seen;
                self.version.unseen();
                self.step_back();
                fresh.clear();
                fresh.resize(page.len(), false);
                Step::Wait
            }
        }
    }

    fn take_ordered(&mut self, page: &[PageRow<'_>], told: ListHeaders<'_>, fresh: &mut Vec<bool>) -> Result<Step> {
        let frontier = self.state.frontier.as_ref().map(Key::place);
        let is_above =
            |place: Place<'_>| frontier.is_some_and(|frontier| self.state.order.compare(place, frontier).is_le());
        let met = frontier.and_then(|frontier| page.iter().rposition(|entry| entry.place == Some(frontier)));
        let begins_above = page.first().and_then(|entry| entry.place).is_some_and(is_above);
        let is_empty_list = page.is_empty() && self.state.offset == 0;
        let is_nothing = is_empty_list && self.bottom.finds_nothing(told.total == Some(0));
        if is_empty_list && frontier.is_some() && !is_nothing {
            // It had rows before.
            self.version.unseen();
            return Ok(Step::Wait);
        }
        if frontier.is_some() && met.is_none() && !begins_above && self.state.offset > 0 {
            // Rows were removed above: those after the frontier have slipped up.
            self.version.unseen();
            // A service may end its list before its count says so, whatever is asked for: not all at once, then.
            let step = if self.back == 0 { Step::Wait } else { Step::Next };
            self.step_back();
            fresh.resize(page.len(), false);
            return Ok(step);
        }
        let is_linked = self.is_linked(page, met.is_some() || frontier.is_none());
        self.link.read(page, is_linked);
        if is_linked {
            self.back = 0;
        }
        let mut last = None;
        for (index, entry) in page.iter().enumerate() {
            let is_new = match (met, entry.place) {
                (Some(met), _) => index > met,
                (None, Some(place)) => !is_above(place),
                (None, None) => true,
            } && last != entry.place;
            last = entry.place;
            fresh.push(is_new);
        }
        let count = fresh.iter().filter(|fresh| **fresh).count() as u64;
        let end = self.state.offset + page.len() as u64;
        let is_vouched = self.vouches(page, end, told);
        let is_end = is_vouched || is_nothing;
        self.unmet &= met.is_none();
        if self.unmet && (count > 0 || is_end) {
            return Err(gone());
        }
        if !is_linked && (count > 0 || is_end) {
            return Ok(self.cannot_follow(page, fresh));
        }
        if count > 0 || met.is_some() {
            self.version.seen(told.version);
        } else {
            // All of it is above the frontier, and the next may be, too.
            self.version.unseen();
        }
        if let Some(place) = fresh.iter().rposition(|fresh| *fresh).and_then(|last| page[last].place) {
            self.state.frontier = Some(place.to_key());
        }
        self.state.rows += count;
        self.keep(page, fresh);
        if is_end {
            return if is_vouched { Ok(Step::End) } else { self.at_end(end) };
        }
        self.state.offset = end.saturating_sub(1);
        if self.is_last(page, count) {
            return self.end_below(page, end, fresh);
        }
        Ok(Step::Next)
    }

    /// Whether a page is known to be part of the list before or at the frontier: it has a row that was written, or follows
    /// on a page that was. A list in groups, each with an order of its own, looks like rows that came in above.
    fn is_linked(&self, page: &[PageRow<'_>], is_met: bool) -> bool {
        let is_seen = |entry: &PageRow<'_>| match &self.seen {
            Seen::Ordered(ids) => ids.contains(&digest(entry.id)),
            _ => self.link.has(entry.id),
        };
        is_met || page.is_empty() || self.link.follows(page) || page.iter().any(is_seen)
    }

    fn keep(&mut self, page: &[PageRow<'_>], fresh: &[bool]) {
        if matches!(&self.seen, Seen::Ordered(ids) if ids.len() + page.len() > KEPT) {
            self.seen = Seen::Long;
        }
        for (entry, _) in page.iter().zip(fresh).filter(|(_, fresh)| **fresh) {
            let id = digest(entry.id);
            self.link.wrote(id);
            if let Seen::Ordered(ids) = &mut self.seen {
                ids.insert(id);
            }
        }
    }
}

fn unsound(what: &str) -> Error {
    Error::of(&codes::network::UNSOUND_LIST, format!("{what} No export of it would be whole."))
}

fn gone() -> Error {
    Error::of(&codes::command::USAGE, "The last item that was exported is not in the list any more.")
        .hint("It was removed, or you are signed in as somebody else. Start anew: the same command with --restart")
}

mod after;
mod end;
mod link;
#[cfg(test)]
mod tests;
mod unordered;
