//! The end of a list: what proves it, and what keeps a list that grows from being read forever.

use super::{Entry, Plan, Step, Told, gone, unexpected};
use crate::codes;
use crate::error::{Error, Result};
use crate::export::digest::{digest, still_changing};
use crate::export::order::Key;
use crate::hint::Hint;

/// So many short pages in a row without a new row are the end of a list that grows above them.
const QUIET: u32 = 3;
/// How often the end is read again if the service counts more rows.
const DOUBTS: u32 = 6;
/// So many pages in a row that bring few rows: the list grows below as fast as it is read.
const TRICKLE: u32 = 100;
/// Few rows are less than this part of the largest page.
const FEW: u64 = 10;
/// How often the row after a single one may be asked for.
const PROBES: u32 = 3;

impl Plan {
    /// Whether a page holds fewer rows than the service can give.
    pub(super) const fn is_short(&self, page: &[Entry<'_>]) -> bool {
        (page.len() as u64) < self.largest
    }

    /// Notices a service that gives the same rows whatever the offset.
    pub(super) fn notice_repetition(&mut self, page: &[Entry<'_>]) -> Result<()> {
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
            return Err(unexpected("The service gives the same items again, whichever page is asked for."));
        }
        self.previous = first.map(|first| (offset, first));
        Ok(())
    }

    /// Whether this is the same page as at two other offsets, the service counts what it holds, and no other row was ever
    /// read: it ignores the offset, and there is nothing else. One repetition may be chance: as many rows came in above as a
    /// page holds, and some services count the rows of the page.
    pub(super) fn is_whole_again(&self, page: &[Entry<'_>], told: Told<'_>) -> bool {
        let frontier = self.state.frontier.as_ref().map(Key::place);
        self.same > 1
            && told.total == Some(page.len() as u64)
            && self.state.rows == page.len() as u64
            && (!self.is_resumable() || page.last().and_then(|entry| entry.place) == frontier)
    }

    /// Whether the service proves that a page is the last one: its count belongs to the version of the list.
    pub(super) fn vouches(&self, page: &[Entry<'_>], end: u64, told: Told<'_>) -> bool {
        // A count that by chance is that of a full first page proves nothing yet.
        let is_confirmed = (page.len() as u64) < told.asked || self.still.is(told.version);
        told.version.is_some() && told.total == Some(end) && is_confirmed
    }

    /// Whether a page without a new row shows that there are none.
    pub(super) fn is_at_end(&mut self, page: &[Entry<'_>]) -> bool {
        if page.is_empty() {
            // Below an offset, rows may have gone above; then an earlier page is read.
            return self.state.offset == 0;
        }
        self.quiet = if self.is_short(page) { self.quiet + 1 } else { 0 };
        (page.len() == 1 && self.largest > 1) || self.quiet >= QUIET
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

    /// Notices a list to which rows are added below as fast as they are read.
    pub(super) fn notice_growth(&mut self, count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        (self.returns, self.quiet, self.doubts, self.probes) = (0, 0, 0, 0);
        self.trickle = if count * FEW < self.largest { self.trickle + 1 } else { 0 };
        if self.trickle > TRICKLE { Err(still_changing()) } else { Ok(()) }
    }

    /// Takes the page after the only row of a page.
    pub(super) fn take_probe(&mut self, page: &[Entry<'_>], told: Told<'_>, fresh: &mut Vec<bool>) -> Result<Step> {
        fresh.resize(page.len(), false);
        let frontier = self.state.frontier.as_ref().map(Key::place);
        // The same row again: the service ignores the offset, or a row came in above.
        if page.is_empty() || (page.len() == 1 && page.iter().all(|entry| entry.place == frontier)) {
            if self.unmet {
                return Err(gone());
            }
            self.state.total = told.total;
            return self.at_end(self.state.offset + 1);
        }
        self.probes += 1;
        if self.probes > PROBES {
            return Err(unexpected("The service gives one item at a time, whatever is asked for."));
        }
        Ok(Step::Next)
    }
}

fn uncounted(counted: u64, listed: u64) -> Error {
    let message = format!("The service counts {counted} items, but lists {listed}: the export is not whole.");
    Error::of(&codes::command::STILL_RUNNING, message).hint([
        Hint::run("Wait for the sync to end, then export again", "ordersync sessions watch"),
        Hint::say("If the service's count (X-Total-Count) is of something else: the same command with --ignore-count"),
    ])
}
