//! The end of a list: what proves it, and what keeps a list that grows from being read forever.

use super::{ListHeaders, PageRow, Plan, Step, gone, unsound};
use crate::errors::{Error, Hint, Result, codes};
use crate::export::digest::{digest, still_changing};
use crate::export::sort_order::Key;

/// Consecutive short pages without a new row after which the list counts as ended: it grows above them. The export says that
/// nothing proves it.
const QUIET: u32 = 3;
/// How often the end is read again, with growing pauses, if the service counts more rows.
const DOUBTS: u32 = 6;
/// Consecutive pages with few new rows after which the list counts as growing as fast as it is read: so many, and one for each
/// row that was read before, since as many may have come in above.
const SLOW: u64 = 100;
/// A page has few new rows if they are less than this fraction of the largest page.
const FEW: u64 = 10;
/// How often the pages below the first one must be empty, though its last row is one of theirs, to tell of page numbers.
const NOTHING: u32 = 5;
/// How often the page below the last row, or the whole list, must be empty to be believed: one may be of a server that lags.
const LOOKS: u32 = 2;

/// The state of the search for the end of the list.
#[derive(Debug, Default)]
pub(super) struct Bottom {
    /// The last row of the newest page.
    row: Option<u128>,
    /// Short pages in a row that ended there without a new row.
    quiet: u32,
    /// Whether nothing was found below it.
    is_bare: bool,
    /// How often nothing was found there, without a row in between.
    looks: u32,
    /// Whether a row was found that is further down than the last one that was written.
    is_followed: bool,
    /// Whether it is the end only because page after page ended there, while rows came in above.
    is_assumed: bool,
    /// The next page is asked for to see that nothing follows: it begins so many rows below the last one.
    depth: Option<u64>,
}

impl Bottom {
    pub(super) const fn is_assumed(&self) -> bool {
        self.is_assumed
    }

    /// How many rows below the last one the next page begins, if it is asked for to see that nothing follows.
    pub(super) const fn depth(&self) -> Option<u64> {
        self.depth
    }

    /// Takes an empty page where the list should end; whether it is believed. One may be of a server that lags behind or
    /// fails; if the service's count says the same, it is believed at once.
    pub(super) const fn finds_nothing(&mut self, is_counted: bool) -> bool {
        self.looks += 1;
        is_counted || self.looks >= LOOKS
    }

    /// The depth, once, for a page that was taken: `after` that row, or at it.
    pub(super) fn take_depth(&mut self, after: bool) -> Option<u64> {
        self.depth.take().map(|depth| depth - u64::from(!after)).filter(|depth| *depth > 0)
    }
}

impl Plan {
    /// Whether a page holds fewer rows than the service can give.
    pub(super) const fn is_short(&self, page: &[PageRow<'_>]) -> bool {
        (page.len() as u64) < self.largest
    }

    /// Notices a service that takes the offset as the number of a page, and so has nothing where its last row was.
    pub(super) fn notice_page_numbers(&mut self, page: &[PageRow<'_>]) -> Result<()> {
        let offset = self.state.offset;
        if offset > 0 && !self.unmet {
            self.has_below |= !page.is_empty();
            self.nothing_below += u32::from(page.is_empty());
        }
        if self.nothing_below < NOTHING || self.has_below {
            return Ok(());
        }
        let what = format!(
            "The service lists nothing from offset {offset} on, where it listed an item before: it seems to take offset as \
             the number of a page."
        );
        Err(unsound(&what))
    }

    /// Notices a service that gives the same rows whatever the offset.
    pub(super) fn notice_repetition(&mut self, page: &[PageRow<'_>]) -> Result<()> {
        let (offset, first) = (self.state.offset, page.first().map(|entry| digest(entry.id)));
        if let (Some((before, same)), Some(first)) = (self.previous, first)
            && before != offset
            && first == same
            && page.len() > 1
            // A short one is the end of a list that grows above it.
            && !self.is_short(page)
        {
            self.same += 1;
        } else {
            self.same = 0;
        }
        // Once may be chance: as many rows came in above as a page holds.
        if self.same > 2 {
            return Err(unsound("The service gives the same items again, whichever page is asked for."));
        }
        self.previous = first.map(|first| (offset, first));
        Ok(())
    }

    /// Whether the service ignores `offset`: the same page came at three offsets, its count equals the page, and no other row
    /// was ever read. One repetition may be chance: as many rows came in above as a page holds, and some services count the
    /// rows of the page.
    pub(super) fn is_whole_again(&self, page: &[PageRow<'_>], told: ListHeaders<'_>) -> bool {
        let frontier = self.state.frontier.as_ref().map(Key::place);
        self.same > 1
            && told.total == Some(page.len() as u64)
            && self.state.rows == page.len() as u64
            && (!self.is_resumable() || page.last().and_then(|entry| entry.place) == frontier)
    }

    /// Whether the service proves that a page is the last one: its count belongs to the version of the list.
    pub(super) fn vouches(&self, page: &[PageRow<'_>], end: u64, told: ListHeaders<'_>) -> bool {
        // A count that by chance is that of a full first page proves nothing yet.
        let is_confirmed = (page.len() as u64) < told.asked || self.version.is(told.version);
        // A page that came at another offset, too, does not show its place.
        told.version.is_some() && told.total == Some(end) && is_confirmed && self.same == 0
    }

    /// Whether a page with so many new rows is the last one: it has none, and ends where the one before it ended, or at the
    /// last row that was written. It may have been cut there by chance, so nothing must have been found below it.
    pub(super) fn is_last(&mut self, page: &[PageRow<'_>], count: u64) -> bool {
        let frontier = self.state.frontier.as_ref().filter(|_| self.is_resumable()).map(Key::place);
        let row = page.last().map(|entry| digest(entry.id));
        let is_known = row == self.bottom.row || page.last().is_some_and(|entry| entry.place == frontier);
        let ends_again = count == 0 && is_known && (self.is_short(page) || self.largest == 1);
        let is_bare = self.bottom.is_bare && row == self.bottom.row;
        let is_last = ends_again && is_bare;
        // After the only row, the next page would be the same.
        let is_probed = !is_last && (ends_again || (page.len() == 1 && self.largest == 1));
        let (quiet, depth) = (u32::from(ends_again), is_probed.then_some(1));
        let is_followed = self.bottom.is_followed && count == 0;
        let looks = if page.is_empty() { self.bottom.looks } else { 0 };
        self.bottom = Bottom { row, quiet, is_bare, looks, is_followed, depth, ..self.bottom };
        is_last
    }

    /// The list was read to its end. If the service counts more rows, the end is read again, a few times.
    pub(super) fn at_end(&mut self, end: u64) -> Result<Step> {
        match self.state.total {
            Some(total) if total > end && self.doubts < DOUBTS => {
                self.doubts += 1;
                Ok(Step::Wait)
            }
            Some(total) if total > end => Err(uncounted(total, end)),
            _ => Ok(Step::End),
        }
    }

    /// Notices a list to which rows are added as fast as they are read.
    pub(super) fn notice_growth(&mut self, fresh: &[bool]) -> Result<()> {
        let count = fresh.iter().filter(|fresh| **fresh).count() as u64;
        if count > 0 {
            self.doubts = 0;
        }
        let (pages, before) = self.slow;
        self.slow = if count * FEW < self.largest { (pages + 1, before) } else { (0, self.state.rows) };
        if pages > SLOW + before { Err(still_changing()) } else { Ok(()) }
    }

    /// Takes the page that begins `depth` rows below the last one.
    pub(super) fn take_probe(
        &mut self,
        page: &[PageRow<'_>],
        depth: u64,
        told: ListHeaders<'_>,
        fresh: &mut Vec<bool>,
    ) -> Result<Step> {
        fresh.resize(page.len(), false);
        let end = self.state.offset + depth + page.len() as u64;
        let (is_short, is_followed) = (self.is_short(page), page.iter().any(|entry| self.is_below(entry)));
        // It ignores the offset and counts one row, and no other was ever read.
        let is_only = self.largest == 1 && self.state.rows == 1 && told.total == Some(1);
        let bottom = &mut self.bottom;
        bottom.is_followed |= is_followed;
        let ends_again = (is_short || is_only) && page.last().is_some_and(|entry| Some(digest(entry.id)) == bottom.row);
        bottom.quiet += u32::from(ends_again);
        if bottom.quiet >= QUIET {
            bottom.is_assumed = !is_only;
            self.state.total = told.total;
            return self.end_below(page, end, fresh);
        }
        if page.is_empty() {
            // Rows may have gone above, or fewer than before came in: then some stand in between.
            let is_below = depth == 1 && !bottom.is_followed;
            bottom.is_bare = is_below && bottom.finds_nothing(told.total == Some(self.state.offset + 1));
            let looks_again = depth > 1 || (is_below && !bottom.is_bare);
            bottom.depth = looks_again.then_some(1);
        } else if ends_again {
            // Rows came in above. If as many come in again, nothing is there further down.
            bottom.depth = Some(end - self.state.offset);
            self.state.offset = end - 1;
        } else {
            bottom.quiet = 0;
        }
        Ok(Step::Next)
    }

    /// Whether a row is further down than the last one that was written.
    fn is_below(&self, entry: &PageRow<'_>) -> bool {
        let frontier = self.state.frontier.as_ref().filter(|_| self.is_resumable()).map(Key::place);
        let places = frontier.zip(entry.place);
        places.is_some_and(|(frontier, place)| self.state.order.compare(place, frontier).is_gt())
    }

    /// Nothing follows on the rows that were read, if they are of this list.
    pub(super) fn end_below(&mut self, page: &[PageRow<'_>], end: u64, fresh: &mut Vec<bool>) -> Result<Step> {
        if self.unmet {
            return Err(gone());
        }
        if !self.is_resumable() {
            return self.end_pass(end);
        }
        if self.link.is_broken() { Ok(self.cannot_follow(page, fresh)) } else { self.at_end(end) }
    }
}

fn uncounted(counted: u64, listed: u64) -> Error {
    let message = format!("The service counts {counted} items, but lists {listed}: the export is not whole.");
    Error::of(&codes::command::STILL_RUNNING, message).hint([
        Hint::run("Wait for the sync to end, then export again", "ordersync sessions watch"),
        Hint::say("If the service's count (X-Total-Count) is of something else: the same command with --ignore-count"),
    ])
}
