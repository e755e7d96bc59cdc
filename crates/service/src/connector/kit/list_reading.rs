//! Reading the list of orders: page after page to its end, then the filtered lists that prove it, and once the orders are
//! read, the head of the list again, for what was ordered meanwhile.
//!
//! There is no I/O in here. A scan asks which page is [`wanted`](ListReading::wanted), has it fetched and read, and gives
//! back what it was. An order that moves while the list is read is neither lost nor doubled: orders are distinguished by
//! their number, and the list is read again until it shows no more than is known.

use std::collections::{HashMap, HashSet};

use ordersync_api::SyncErrorCode;
use ordersync_values::zone::Tz;
use serde::{Deserialize, Serialize};
use url::Url;

use super::check::{Check, Failure};
use super::compared::Sample;
use super::list_proof::{DateRange, EndOfList, Evidence};
use super::listed::{ListedOrder, OrderList};
use crate::connector::ConnectorError;
use crate::connector::known::Compared;

/// How often a list that contradicts itself is read whole before that is an error: it may have changed meanwhile.
const MAX_PASSES: u8 = 3;
/// How many stored orders may be missing behind a last page that is full, beside one for each new order.
const MAX_DROPPED: usize = 3;

/// How a platform addresses the pages of its list.
pub(in crate::connector) trait Paging {
    /// The first page.
    fn first(&self) -> Url;

    /// Page `number`, if the one before came from `before`.
    fn page(&self, before: &Url, number: u32) -> Url;

    /// The list with the orders of these days only. Asked for only if a page [has a filter](OrderList::has_filter).
    fn filtered(&self, before: &Url, days: &DateRange) -> Url;

    /// The page before the first, which a shop has if its first page has another number than it is asked for by.
    fn before_first(&self) -> Option<Url> {
        None
    }

    fn rules(&self) -> PagingRules;
}

/// How the list is read.
#[derive(Debug, Clone, Copy)]
pub(in crate::connector) struct PagingRules {
    /// How many pages are read at most.
    pub(in crate::connector) max_pages: u32,
    /// What proves that the list was read to its end.
    pub(in crate::connector) end: EndOfList,
    /// What to do about a page after the last one that repeats orders.
    pub(in crate::connector) if_repeated: &'static str,
    /// The zone of the filter's days.
    pub(in crate::connector) time_zone: Tz,
}

/// The page that the reading needs next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::connector) struct Wanted {
    pub(in crate::connector) url: Url,
    /// From 1; 0 for a filtered list and for the page before the first.
    pub(in crate::connector) number: u32,
    /// Whether the list is not proven without it.
    pub(super) is_needed: bool,
}

/// What a page of the list was.
#[derive(Debug)]
pub(in crate::connector) enum ListPage {
    /// A page of the list, and the address that it came from in the end.
    Shown(OrderList, Url),
    /// There is no such page.
    Absent,
    /// A page that could not be read, however often it was asked for.
    Failed(Failure),
}

/// How far the reading of the list has come. Only a page at a time takes it further, and only the whole list proves it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ListReading {
    /// Every order that the list has shown, each once.
    orders: Vec<ListedOrder>,
    /// Those of which it shows no more than the number for certain, and why.
    unread: Vec<(String, Failure)>,
    /// The pass that is going on.
    pass: Option<Pass>,
    /// Filtered lists that have to show no order that is not known.
    probes: Vec<Url>,
    /// Pages before the first and after the last, which have to show no order that is not known. They are asked for when the head of
    /// the list was read again.
    beyond: Vec<Beyond>,
    /// How many orders the list showed when it was last read whole, repetitions counted.
    shown: usize,
    /// How often the list was read whole.
    passes: u8,
    /// Whether the head of the list showed nothing new when it was last read.
    head_is_known: bool,
    /// Why the list is not proven, although it was read again.
    failure: Option<Failure>,
    /// Whether a page said how many orders there are.
    has_count: bool,
    /// Whether too many stored orders are missing in a list that ends with a full page.
    is_end_doubtful: bool,
}

/// A page that the list does not have.
#[derive(Debug, Serialize, Deserialize)]
struct Beyond {
    url: Url,
    /// Its number; 0 before the first page.
    page: u32,
    /// Whether nothing else proves the end of the list.
    is_needed: bool,
}

/// A reading of the list from its first page on.
#[derive(Debug, Serialize, Deserialize)]
struct Pass {
    /// The page to read next.
    url: Url,
    /// Its number, from 1.
    page: u32,
    /// Orders among those shown that were not known before.
    added: usize,
    /// Whether to stop at the first page that shows nothing new.
    head_only: bool,
    /// The addresses of pages after the first that earlier pages named, if they do.
    #[serde(default)]
    followed: HashSet<Url>,
    evidence: Evidence,
}

impl ListReading {
    /// A reading that begins with the whole list.
    pub(super) fn new(first: Url) -> Self {
        Self { pass: Some(Pass::new(first, false)), ..Self::default() }
    }

    /// Every order that the list has shown so far, each once.
    pub(super) fn orders(&self) -> &[ListedOrder] {
        &self.orders
    }

    /// Every order that it has shown without showing it for certain, each once, and why it is kept back.
    pub(super) fn unread(&self) -> &[(String, Failure)] {
        &self.unread
    }

    /// The numbers of all orders that it has shown.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &str> {
        let read = self.orders.iter().map(|order| order.number.as_str());
        read.chain(self.unread.iter().map(|(number, _)| number.as_str()))
    }

    /// The page to fetch next; `None`: there is none, until [`ListReading::look_again`] says so.
    pub(super) fn wanted(&self) -> Option<Wanted> {
        let wanted = |url: &Url, number, is_needed| Some(Wanted { url: url.clone(), number, is_needed });
        match (&self.pass, self.probes.last(), self.beyond.last()) {
            (Some(pass), ..) => wanted(&pass.url, pass.page, true),
            (_, Some(url), _) => wanted(url, 0, false),
            (.., Some(beyond)) if self.head_is_known && self.failure.is_none() => {
                wanted(&beyond.url, beyond.page, beyond.is_needed)
            }
            _ => None,
        }
    }

    /// Why the list is not proven, although it was read again.
    pub(super) const fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Whether the list is not read on: nothing new was at its head, or it failed.
    pub(super) const fn is_over(&self) -> bool {
        self.head_is_known || self.failure.is_some()
    }

    /// Takes what the [`wanted`](Self::wanted) page was. The figures of orders before `dealt_with` stay as they are, because
    /// the orders were read by them.
    /// Fails with `retailer_misconfigured` if the list has more pages than the operator allows.
    pub(super) fn take(
        &mut self,
        page: ListPage,
        dealt_with: usize,
        paging: &impl Paging,
    ) -> Result<(), ConnectorError> {
        let Some(mut pass) = self.pass.take() else {
            self.take_probe(page, paging);
            return Ok(());
        };
        let (list, from) = match page {
            ListPage::Shown(list, from) => (list, from),
            ListPage::Absent if pass.page == 1 => {
                self.failure = Some(Failure::new(Check::ListPage, "the list has no first page."));
                return Ok(());
            }
            ListPage::Absent => {
                self.end(&pass, &pass.url, paging);
                return Ok(());
            }
            ListPage::Failed(failure) => {
                self.failure = Some(failure);
                return Ok(());
            }
        };
        let is_last = paging.rules().end.is_last(pass.page, &list);
        self.has_count |= list.stated_orders.is_some();
        if list.len() == 0 {
            pass.evidence.add_promises(&list);
            // A customer without orders has to be confirmed by the page after the first. If each page names the next, orders may follow
            // an empty one.
            if is_last || pass.page > 1 && !paging.rules().end.follows_cursors() {
                self.end(&pass, &from, paging);
                return Ok(());
            }
            return self.turn_page(pass, &from, paging);
        }
        if !pass.evidence.add(&list) {
            let rules = paging.rules();
            // A shop that shows its first or last page for any number above.
            if rules.end == EndOfList::NextLinkRepeats && !pass.evidence.links_on() {
                self.end(&pass, &from, paging);
                return Ok(());
            }
            let found = format!(
                "the page after the last one repeats orders that were shown before, so it does not prove that the list \
                 ends. {}",
                rules.if_repeated
            );
            self.read_again_or_fail(Failure::new(Check::EndOfList, found), paging);
            return Ok(());
        }
        let added = self.add(list, dealt_with);
        pass.added += added;
        if pass.head_only && added == 0 {
            self.head_is_known = pass.added == 0;
            Ok(())
        } else if is_last {
            self.end(&pass, &from, paging);
            Ok(())
        } else {
            self.turn_page(pass, &from, paging)
        }
    }

    /// For a trial: once the list has ended, or so many of its pages were read, keeps its first orders only. If those pages show too
    /// few of the orders that they promise, the list is read on as in a sync.
    pub(super) fn end_sample(&mut self, sample: &Sample, paging: &impl Paging) {
        self.probes.clear();
        if self.pass.is_none() && self.failure.is_none() {
            if !self.head_is_known {
                self.head_is_known = true;
                self.beyond.extend(paging.before_first().map(|url| Beyond { url, page: 0, is_needed: false }));
            }
            if !self.beyond.is_empty() {
                return;
            }
        }
        if !self.lacks_promised(sample) && self.pass.as_ref().is_none_or(|pass| pass.page > sample.list_pages) {
            self.cut_short(sample);
        }
    }

    /// For a trial: whether there are too few orders although the list promises more.
    pub(super) fn lacks_promised(&self, sample: &Sample) -> bool {
        self.numbers().count() < sample.orders && self.pass.as_ref().is_some_and(|pass| pass.evidence.promises_more())
    }

    /// For a trial: reads no further, and keeps the first orders only.
    pub(super) fn cut_short(&mut self, sample: &Sample) {
        let is_whole = self.pass.is_none() && self.failure.is_none();
        sample.end_list(self.numbers().count(), is_whole, self.has_count);
        (self.pass, self.head_is_known) = (None, true);
        self.beyond.clear();
        self.orders.truncate(sample.orders);
        self.shown = self.numbers().count();
    }

    /// Whether a page said how many orders there are.
    pub(super) const fn has_count(&self) -> bool {
        self.has_count
    }

    /// A filtered list, or a page that the list does not have. It proves something only if it shows an order that is not known.
    fn take_probe(&mut self, page: ListPage, paging: &impl Paging) {
        let beyond = if self.probes.pop().is_some() { None } else { self.beyond.pop() };
        let list = match page {
            ListPage::Shown(list, _) => list,
            ListPage::Failed(failure) if beyond.is_some_and(|beyond| beyond.is_needed) => {
                self.failure = Some(failure);
                return;
            }
            ListPage::Absent | ListPage::Failed(_) => return,
        };
        if list.numbers().all(|number| self.numbers().any(|known| known == number)) {
            return;
        }
        let failure = match beyond {
            None => {
                let found = "the list filtered by date shows an order that the whole list does not.";
                Failure::new(Check::HiddenOrders, found)
            }
            Some(Beyond { page: 0, .. }) => {
                let found = "the page before the first shows orders that the list does not. Correct `list.first_page`.";
                self.failure = Some(Failure::new(Check::HiddenOrders, found));
                return;
            }
            Some(Beyond { page, is_needed: true, .. }) => {
                Failure::new(Check::EndOfList, format!("page {page} showed no orders, and then showed some."))
            }
            Some(Beyond { page, .. }) => Failure::new(
                Check::EndOfList,
                format!("the list states {} orders, and page {page} shows others.", self.shown),
            ),
        };
        self.head_is_known = false;
        self.read_again_or_fail(failure, paging);
    }

    /// Takes up the orders that are missing, and the figures of those that are not dealt with yet; says how many are new.
    fn add(&mut self, list: OrderList, dealt_with: usize) -> usize {
        let mut known: HashMap<String, usize> =
            self.orders.iter().enumerate().map(|(index, row)| (row.number.clone(), index)).collect();
        let before = self.numbers().count();
        for (number, failure) in list.unread {
            if self.numbers().all(|known| known != number) {
                self.unread.push((number, failure));
            }
        }
        for row in list.rows {
            match known.get(&row.number) {
                None => {
                    known.insert(row.number.clone(), self.orders.len());
                    self.orders.push(row);
                }
                Some(index) if *index >= dealt_with => self.orders[*index] = row,
                Some(_) => {}
            }
        }
        self.numbers().count() - before
    }

    fn turn_page(&mut self, mut pass: Pass, from: &Url, paging: &impl Paging) -> Result<(), ConnectorError> {
        if pass.page > paging.rules().max_pages {
            return Err(ConnectorError::new(SyncErrorCode::RetailerMisconfigured)
                .with_message("The order list has more pages than `max_pages` allows."));
        }
        let (page, rules) = (pass.page + 1, paging.rules());
        let url = paging.page(from, page);
        if rules.end.follows_cursors() && !pass.followed.insert(url.clone()) {
            let found = format!(
                "page {} of the list leads back to a page before it, so that the list never ends. {}",
                pass.page, rules.if_repeated
            );
            self.failure = Some(Failure::new(Check::EndOfList, found));
            return Ok(());
        }
        self.pass = Some(Pass { url, page, ..pass });
        Ok(())
    }

    /// The list has come to its end: what its pages showed has to agree with that.
    fn end(&mut self, pass: &Pass, from: &Url, paging: &impl Paging) {
        if pass.head_only {
            self.head_is_known = pass.added == 0;
            return;
        }
        if let Some(failure) = pass.evidence.contradiction(paging.rules().end) {
            self.read_again_or_fail(failure, paging);
            return;
        }
        self.passes += 1;
        self.shown = pass.evidence.shown();
        let days = pass.evidence.days_to_probe(paging.rules().time_zone);
        self.probes = days.iter().map(|days| paging.filtered(&pass.url, days)).collect();
        self.beyond = pass.page_after(from, paging).into_iter().collect();
    }

    /// The list contradicts itself, which it may do because it changes: it is read once more, some times.
    fn read_again_or_fail(&mut self, failure: Failure, paging: &impl Paging) {
        self.probes.clear();
        self.beyond.clear();
        self.passes += 1;
        if self.passes >= MAX_PASSES {
            self.failure = Some(failure);
        } else {
            self.pass = Some(Pass::new(paging.first(), false));
        }
    }

    /// Every order that the list has shown is dealt with: whether the list has to be read on, because it may have changed
    /// meanwhile.
    pub(super) fn look_again(&mut self, paging: &impl Paging) -> bool {
        if self.failure.is_some() {
            return false;
        }
        if !self.head_is_known {
            self.pass = Some(Pass::new(paging.first(), true));
            return true;
        }
        if self.shows_every_order() {
            return false;
        }
        if self.passes < MAX_PASSES {
            self.head_is_known = false;
            self.pass = Some(Pass::new(paging.first(), false));
            return true;
        }
        let found = "The order list shows some orders twice, and others not at all.";
        self.failure = Some(Failure::new(Check::RepeatedOrders, found));
        false
    }

    /// Stored orders are missing in the list. If it says no number of orders, one may have moved meanwhile to a page that was read
    /// before, or the end may be a passing one. True: the list has to be read once more.
    pub(super) fn read_once_more(&mut self, stored: Compared, paging: &impl Paging) -> bool {
        let end = paging.rules().end;
        if stored.unlisted == 0 || self.failure.is_some() || self.has_count || end.proof(false).is_none() {
            return false;
        }
        if self.passes < 2 {
            self.pass = Some(Pass::new(paging.first(), false));
            return true;
        }
        // A shop that shows its newest orders only drops one for each new one. What two syncs find is so.
        let explained = (self.numbers().count().saturating_sub(stored.listed)).saturating_add(MAX_DROPPED);
        self.is_end_doubtful = end == EndOfList::PageAfter
            && !self.beyond.is_empty()
            && stored.unlisted > explained
            && !stored.was_not_proven;
        false
    }

    /// Whether too many stored orders are missing in a list that ends with a full page.
    pub(super) const fn is_end_doubtful(&self) -> bool {
        self.is_end_doubtful
    }

    fn shows_every_order(&self) -> bool {
        self.numbers().count() >= self.shown
    }

    /// Whether the list is proven: it was read to its end, and shows every order.
    pub(super) fn is_proven(&self) -> bool {
        self.failure.is_none() && self.head_is_known && self.wanted().is_none() && self.shows_every_order()
    }
}

impl Pass {
    /// The page after a last page that is as long as the first, so that the list may go on: `from` is the address of the last page that
    /// was read.
    fn page_after(&self, from: &Url, paging: &impl Paging) -> Option<Beyond> {
        let page = self.page + 1;
        match paging.rules().end {
            _ if !self.evidence.ends_with_a_full_page() => None,
            EndOfList::PageAfter => Some(Beyond { url: self.url.clone(), page: self.page, is_needed: true }),
            EndOfList::Stated => Some(Beyond { url: paging.page(from, page), page, is_needed: false }),
            _ => None,
        }
    }

    fn new(first: Url, head_only: bool) -> Self {
        Self { url: first, page: 1, added: 0, head_only, followed: HashSet::new(), evidence: Evidence::default() }
    }
}
