//! What a reading of the order list proves: that its last page is the last, and that its pages show every order.
//!
//! A missing pager proves nothing. What proves the end is declared ([`EndOfList`]). In addition, every page but the last has to
//! be as long as the first; the pager must not promise more; and if the list can be filtered by date, the filtered list must
//! show no order that the whole list has hidden.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use chrono::{DateTime, Days, NaiveDate};
use ordersync_values::zone::Tz;
use serde::{Deserialize, Serialize};

use super::check::{Check, Failure};
use super::listed::{ListedOrder, OrderList};

/// What proves that the last page of a list is the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) enum EndOfList {
    /// The page after it, which is empty or absent.
    PageAfter,
    /// Every other page links to the next one, it does not, and the page after it is empty or absent.
    NextLink,
    /// The same, but the page after it may be the first or the last page once more.
    NextLinkRepeats,
    /// Each page states how many pages and orders there are, and they are so many. The page after the last is asked for only if the
    /// last is full, because the number may be that of the page.
    Stated,
    /// Each page says whether another follows, and where it begins. No page after the last is asked for.
    LastSays,
    /// Each page but the last says where the next begins. No page after the last is asked for, so that nothing proves its end but a
    /// number of orders.
    LastIsSilent {
        /// Whether the operator accepts that.
        is_accepted: bool,
    },
    /// The list has one page, as the recipe or the operator says. No other page is asked for, so that nothing proves its end but a
    /// number of orders.
    OnePage {
        /// Whether the operator accepts that.
        is_accepted: bool,
    },
}

impl EndOfList {
    /// Whether no page is asked for after this one, which is page `number`.
    pub(super) const fn is_last(self, number: u32, list: &OrderList) -> bool {
        match self {
            Self::PageAfter | Self::NextLink | Self::NextLinkRepeats => false,
            Self::Stated => number >= list.pages,
            Self::LastSays | Self::LastIsSilent { .. } => matches!(list.has_next, Some(false)),
            // That there are no orders has to be confirmed.
            Self::OnePage { .. } => !list.rows.is_empty(),
        }
    }

    /// True if each page names the one after it.
    pub(super) const fn follows_cursors(self) -> bool {
        matches!(self, Self::LastSays | Self::LastIsSilent { .. })
    }

    /// Whether the operator accepts that nothing proves it.
    pub(super) const fn is_accepted(self) -> bool {
        matches!(self, Self::OnePage { is_accepted: true } | Self::LastIsSilent { is_accepted: true })
    }

    /// The proof in words; `None`: there is none. `has_count`: whether the list says how many orders there are.
    pub(super) const fn proof(self, has_count: bool) -> Option<&'static str> {
        match self {
            Self::PageAfter => Some("the page after the last shows no orders"),
            Self::NextLink => Some("the last page has no link to a next one, and the page after it shows no orders"),
            Self::NextLinkRepeats => {
                Some("the last page has no link to a next one, and the page after it shows nothing new")
            }
            Self::LastSays => Some("the last page says that no other follows"),
            Self::OnePage { .. } | Self::LastIsSilent { .. } if !has_count => None,
            Self::Stated | Self::OnePage { .. } | Self::LastIsSilent { .. } => {
                Some("it shows as many orders as it says that there are")
            }
        }
    }
}

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
    /// The last page that had rows links to a next one.
    links_on: bool,
    /// A page does not say whether there is a next one, or one without a link to it was followed by another.
    is_unlinked: bool,
    /// How many pages and orders there are, as the first page states it.
    stated: Option<(u32, u32)>,
    /// A page does not state it, or states something else.
    is_unstated: bool,
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
        let digest = digest(list);
        if self.pages > 0 && (digest == self.first || digest == self.last) {
            return false;
        }
        let size = list.len();
        if self.pages == 0 {
            (self.first, self.first_size) = (digest, size);
        } else {
            self.is_irregular |= self.last_size != self.first_size || size > self.first_size;
        }
        (self.last, self.last_size) = (digest, size);
        self.is_unlinked |= list.has_next.is_none() || self.pages > 0 && !self.links_on;
        self.links_on = list.has_next == Some(true);
        self.pages += 1;
        self.shown += size;
        self.add_promises(list);
        self.take_dates(&list.rows);
        true
    }

    /// Takes up what a page says of the whole list.
    pub(super) fn add_promises(&mut self, list: &OrderList) {
        let stated = list.stated_orders.map(|orders| (list.pages, orders));
        self.is_unstated |= stated.is_none() || self.stated.is_some() && self.stated != stated;
        self.stated = self.stated.or(stated);
        // A list without orders leads nowhere.
        self.links_on |= self.pages == 0 && list.has_next == Some(true);
        self.promised_pages = self.promised_pages.max(list.pages);
        self.promised_orders = self.promised_orders.max(list.stated_orders);
        self.has_filter |= list.has_filter;
    }

    /// Whether the list has more orders than were shown, as its pages say.
    pub(super) fn promises_more(&self) -> bool {
        self.promised_orders.and_then(|orders| usize::try_from(orders).ok()).is_some_and(|orders| orders > self.shown)
    }

    fn take_dates(&mut self, rows: &[ListedOrder]) {
        for (index, row) in rows.iter().enumerate() {
            let at = row.placed_at.seconds();
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
    pub(super) fn contradiction(&self, end: EndOfList) -> Option<Failure> {
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
        let failed = |found: String| Some(Failure::new(Check::EndOfList, found));
        let promised = self.promised_orders.and_then(|orders| usize::try_from(orders).ok());
        if let Some(promised) = promised.filter(|promised| *promised > self.shown) {
            return failed(format!("the list promises {promised} orders, and shows {}.", self.shown));
        }
        match end {
            EndOfList::NextLink | EndOfList::NextLinkRepeats if self.links_on => {
                failed("the last page of the list leads to a page without orders.".to_owned())
            }
            EndOfList::NextLink | EndOfList::NextLinkRepeats if self.is_unlinked => {
                failed("a page of the list does not lead to the next one.".to_owned())
            }
            EndOfList::Stated if self.is_unstated => {
                failed("the pages of the list do not state the same number of orders and pages.".to_owned())
            }
            EndOfList::Stated if promised != Some(self.shown) => {
                failed(format!("the list states fewer orders than the {} that it shows.", self.shown))
            }
            EndOfList::LastSays | EndOfList::LastIsSilent { .. } | EndOfList::OnePage { .. }
                if promised.is_some_and(|promised| promised != self.shown) =>
            {
                failed(format!("the list states fewer orders than the {} that it shows.", self.shown))
            }
            EndOfList::PageAfter
            | EndOfList::LastSays
            | EndOfList::LastIsSilent { .. }
            | EndOfList::NextLink
            | EndOfList::NextLinkRepeats
            | EndOfList::Stated
            | EndOfList::OnePage { .. } => None,
        }
    }

    /// Whether the last page that had rows is as long as the first.
    pub(super) const fn ends_with_a_full_page(&self) -> bool {
        self.pages > 0 && self.last_size >= self.first_size
    }

    /// Whether the last page that had rows links to a next one.
    pub(super) const fn links_on(&self) -> bool {
        self.links_on
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
fn digest(list: &OrderList) -> u64 {
    let mut hasher = DefaultHasher::new();
    for number in list.numbers() {
        number.hash(&mut hasher);
    }
    hasher.finish()
}
