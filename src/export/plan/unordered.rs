//! A list without an order: its rows are distinguished by their ids, and it is read until one reading was undisturbed.

use super::{ListHeaders, PageRow, Plan, Seen, Step};
use crate::errors::Result;
use crate::export::digest::{digest, still_changing};

/// How often a list without an order is read until one reading was undisturbed.
const MOST_PASSES: u32 = 10;

/// One reading of a list without an order.
#[derive(Debug, Default)]
pub(super) struct Pass {
    last: Option<u128>,
    total: Option<u64>,
    disturbed: bool,
}

impl Plan {
    /// Takes a page. At its end, the list is read again unless nothing disturbed this reading.
    pub(super) fn take_unordered(
        &mut self,
        page: &[PageRow<'_>],
        told: ListHeaders<'_>,
        fresh: &mut Vec<bool>,
    ) -> Result<Step> {
        let Seen::Unordered { ids, pass, .. } = &mut self.seen else { return Ok(Step::End) };
        fresh.extend(page.iter().map(|entry| ids.insert(digest(entry.id))));
        let count = fresh.iter().filter(|fresh| **fresh).count() as u64;
        self.state.rows += count;
        let digest_of = |entry: Option<&PageRow<'_>>| entry.map(|entry| digest(entry.id));
        let (first, last, is_first) = (digest_of(page.first()), digest_of(page.last()), self.state.offset == 0);
        pass.disturbed |= !is_first && (first != pass.last || told.total != pass.total);
        let end = self.state.offset + page.len() as u64;
        (pass.total, pass.last) = (told.total, last);
        self.state.offset = end.saturating_sub(1);
        if page.is_empty() || self.is_last(page, count) { self.end_pass(end) } else { Ok(Step::Next) }
    }

    /// Nothing follows on the rows that were read.
    pub(super) fn end_pass(&mut self, end: u64) -> Result<Step> {
        let Seen::Unordered { pass, passes, listed, .. } = &mut self.seen else { return Ok(Step::End) };
        // With fewer rows than before, some were removed, or a page was empty that should not have been.
        let is_undisturbed = !pass.disturbed && end >= *listed;
        *listed = end;
        *pass = Pass::default();
        *passes += 1;
        let is_last_pass = *passes >= MOST_PASSES;
        (self.state.offset, self.previous, self.slow) = (0, None, (0, self.state.rows));
        match (is_undisturbed, self.at_end(end)?) {
            (true, step) => Ok(step),
            (false, _) if is_last_pass => Err(still_changing()),
            (false, _) => Ok(Step::Wait),
        }
    }
}
