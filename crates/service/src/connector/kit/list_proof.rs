//! What a reading of the order list proves: that its last page is the last, and that its pages show every order.
//!
//! A missing pager proves nothing. The page after the last one is asked for, and has to be empty or absent; every page but
//! the last has to be as long as the first; the pager must not promise more; and if the list can be filtered by date, the
//! filtered list must show no order that the whole list has hidden.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use chrono::{DateTime, Days, NaiveDate};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use super::check::{Check, Failure};
use super::listed::{ListedOrder, OrderList};

/// Days, the first and the last included; one of them may be open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::connector) struct DateRange {
    pub(in crate::connector) from: Option<NaiveDate>,
    pub(in crate::connector) to: Option<NaiveDate>,
}

/// What the pages of one reading have shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Evidence {
    /// Rows in all, repetitions counted.
    shown: usize,
    /// Pages that had rows.
    pages: u32,
    first_size: usize,
    last_size: usize,
    /// A page in the middle is not as long as the first.
    is_irregular: bool,
    /// The orders of the first and of the last page, as digests.
    first: u64,
    last: u64,
    /// The highest page number that was linked to or stated.
    promised_pages: u32,
    promised_orders: Option<u32>,
    has_filter: bool,
    newest: Option<i64>,
    oldest: Option<i64>,
    /// The last date of the page before.
    edge: Option<i64>,
    /// The widest gap between the dates of two pages, and between any two rows.
    page_gap: Option<(i64, i64)>,
    row_gap: Option<(i64, i64)>,
}

impl Evidence {
    /// Takes up a page with rows. False: it repeats the first or the last page, and so proves nothing.
    pub(super) fn add(&mut self, list: &OrderList) -> bool {
        let digest = digest(&list.rows);
        if self.pages > 0 && (digest == self.first || digest == self.last) {
            return false;
        }
        let size = list.rows.len();
        if self.pages == 0 {
            (self.first, self.first_size) = (digest, size);
        } else {
            self.is_irregular |= self.last_size != self.first_size || size > self.first_size;
        }
        (self.last, self.last_size) = (digest, size);
        self.pages += 1;
        self.shown += size;
        self.add_promises(list);
        self.take_dates(&list.rows);
        true
    }

    /// Takes up what a page says of the whole list.
    pub(super) fn add_promises(&mut self, list: &OrderList) {
        self.promised_pages = self.promised_pages.max(list.pages);
        self.promised_orders = self.promised_orders.max(list.stated_orders);
        self.has_filter |= list.has_filter;
    }

    fn take_dates(&mut self, rows: &[ListedOrder]) {
        for (index, row) in rows.iter().enumerate() {
            let at = row.placed_at;
            self.newest = self.newest.max(Some(at));
            self.oldest = Some(self.oldest.map_or(at, |oldest| oldest.min(at)));
            if let Some(edge) = self.edge {
                let gap = (edge.min(at), edge.max(at));
                let widest = if index == 0 { &mut self.page_gap } else { &mut self.row_gap };
                if widest.is_none_or(|(from, to)| gap.1 - gap.0 > to - from) {
                    *widest = Some(gap);
                }
            }
            self.edge = Some(at);
        }
    }

    /// What contradicts the end of the list, which was reached.
    pub(super) fn contradiction(&self) -> Option<Failure> {
        if self.is_irregular {
            return Some(Failure::new(
                Check::PageSizes,
                "a page in the middle of the list is not as long as the others.",
            ));
        }
        if self.promised_pages > self.pages.max(1) {
            let (promised, pages) = (self.promised_pages, self.pages);
            let found = format!("the list promises {promised} pages, and shows orders on {pages}.");
            return Some(Failure::new(Check::NumberOfPages, found));
        }
        let promised = self.promised_orders.and_then(|orders| usize::try_from(orders).ok());
        promised.filter(|promised| *promised > self.shown).map(|promised| {
            let found = format!("the list promises {promised} orders, and shows {}.", self.shown);
            Failure::new(Check::EndOfList, found)
        })
    }

    /// Rows in all, repetitions counted.
    pub(super) const fn shown(&self) -> usize {
        self.shown
    }

    /// Days on which a filtered list would show an order that the whole list has hidden: those before the oldest order, after
    /// the newest, and between two that are far apart.
    pub(super) fn days_to_probe(&self, zone: Tz) -> Vec<DateRange> {
        let (Some(newest), Some(oldest), true) = (self.newest, self.oldest, self.has_filter) else { return Vec::new() };
        let day = |at: i64| Some(DateTime::from_timestamp(at, 0)?.with_timezone(&zone).date_naive());
        let after = |at: i64| day(at)?.checked_add_days(Days::new(1));
        let before = |at: i64| day(at)?.checked_sub_days(Days::new(1));
        let mut ranges = vec![(None, before(oldest)), (after(newest), None)];
        for (from, to) in [self.page_gap, self.row_gap].into_iter().flatten() {
            // A filter knows whole days only.
            if let (Some(from), Some(to)) = (after(from), before(to))
                && from <= to
            {
                ranges.push((Some(from), Some(to)));
            }
        }
        let is_bounded = |(from, to): &(Option<NaiveDate>, Option<NaiveDate>)| from.is_some() || to.is_some();
        ranges.into_iter().filter(is_bounded).map(|(from, to)| DateRange { from, to }).collect()
    }
}

/// The orders of a page, in their order.
fn digest(rows: &[ListedOrder]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for row in rows {
        row.number.hash(&mut hasher);
    }
    hasher.finish()
}
