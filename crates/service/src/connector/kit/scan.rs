//! Reading a customer's orders: the whole list, then each order that is new, not settled or due to be read again, then the
//! head of the list once more.
//!
//! A platform fetches and reads pages ([`Shop`]). In which order, what is repeated, what is kept back and when the scan is over
//! is decided here, each step a bounded piece. Nothing else makes a [`CheckedOrder`] or a [`ScanReport`] of what was read, so
//! that no connector can leave out a check.

use std::collections::HashMap;

use async_trait::async_trait;
use ordersync_api::{Open, ShipmentStatus, SyncErrorCode};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use url::Url;

use super::check::{Check, Failure};
use super::checked_order::{CheckedOrder, ProductFacts, Record};
use super::due::{DueOrders, Reread};
use super::figures::ShownOrder;
use super::list_reading::{ListPage, ListReading, Paging, Wanted};
use super::listed::ListedOrder;
use super::order_proof::{ProvenLine, ProvenOrder, prove};
use super::report::{KeptBack, ScanReport};
use super::shows::Shows;
use super::turn::Turn;
use crate::connector::{ConnectorError, KeptBackOrder, Page as Orders};

/// Orders that one step deals with: they are stored in one transaction.
const ORDERS_PER_STEP: usize = 20;
/// How often a page that cannot be read is asked for again.
const REPETITIONS: u32 = 2;
/// Orders that failed a check and are looked at once more.
const MAX_AGAIN: usize = 20;
/// Once so many orders have failed, and none has passed, the others are kept back unread.
const HOPELESS: usize = 40;
/// Order pages in a row that cannot be fetched before the retailer counts as out of order.
const MAX_UNREACHABLE_IN_ROW: u8 = 2;
/// Once so many order pages could not be fetched, a further one is not asked for again.
const MANY_UNREACHABLE: u8 = 5;

/// What a platform brings. `None` in place of a page: the shop has ended the sign-in.
#[async_trait]
pub(in crate::connector) trait Shop: Paging + Sync {
    /// What the platform remembers in the course of a scan, of the products of orders for example. It is a part of the state.
    type Kept: Default + Serialize + DeserializeOwned + Send + Sync;

    /// What the platform shows of its orders.
    fn shows(&self) -> Shows;

    /// Whether order dates have no time.
    fn says_days_alone(&self) -> bool {
        false
    }

    /// How many settled orders are read again.
    fn reread(&self) -> Reread;

    /// What the shop's word for a status means.
    fn status(&self, text: &str) -> Open<ShipmentStatus>;

    /// Fetches and reads a page of the list.
    async fn list_page(&self, turn: &mut Turn<'_, '_>, wanted: &Wanted) -> Result<Option<ListPage>, ConnectorError>;

    /// Fetches and reads the page of an order.
    async fn order_page(
        &self,
        turn: &mut Turn<'_, '_>,
        kept: &mut Self::Kept,
        listed: &ListedOrder,
    ) -> Result<Option<OrderPage>, ConnectorError>;

    /// Reads what other pages show of an order's products, and keeps it. Not asked of an order that is stored with it. A step that ends before all of them are read is
    /// repeated with what was kept.
    async fn read_products(
        &self,
        _turn: &mut Turn<'_, '_>,
        _kept: &mut Self::Kept,
        _order: &ProvenOrder,
    ) -> Result<Option<()>, ConnectorError> {
        Ok(Some(()))
    }

    /// The facts about the product of a line. `place`: the line's index in the order.
    fn product<'k>(&self, _kept: &'k Self::Kept, _line: &ProvenLine, _place: usize) -> ProductFacts<'k> {
        ProductFacts::Unlinked
    }

    /// What the shop's own record says of the order that was read last; `None`: there is none.
    fn record<'k>(&self, _: &'k Self::Kept) -> Option<&'k Record> {
        None
    }
}

/// What the page of an order was.
pub(in crate::connector) enum OrderPage {
    Shown(ShownOrder),
    /// There is no such page (any more).
    Absent,
    /// A page that cannot be read for certain.
    Failed(Failure),
}

/// What a step of a scan came to.
pub(in crate::connector) enum Scanned {
    /// A part of the list, or nothing yet.
    List,
    Orders(Orders),
    /// Every order of the list was dealt with.
    Whole(ScanReport),
}

/// How far the reading of orders has come. The list is read first, whole, and proven; then the orders; then the head of the
/// list once more, for what was ordered meanwhile. `K` is the platform's [`Shop::Kept`].
#[derive(Default, Serialize, Deserialize)]
pub(in crate::connector) struct Scan<K> {
    list: ListReading,
    /// The first order that is not dealt with.
    next: usize,
    /// How many of those that the list does not show for certain were kept back.
    unread_done: usize,
    /// The orders to read in this sync; absent until they are chosen.
    due: Option<DueOrders>,
    /// The next order, as long as its products are to be read.
    open: Option<ProvenOrder>,
    /// Orders that failed a check and are looked at once more, and how many of them were.
    again: Vec<usize>,
    again_done: usize,
    kept_back: KeptBack,
    /// Order pages in a row that could not be fetched, and all of them.
    unreachable_in_row: u8,
    unreachable: u8,
    /// Whether any order passed its checks.
    any_passed: bool,
    pub(in crate::connector) kept: K,
}

impl<K: Default + Send + Sync> Scan<K> {
    /// A scan that begins with the whole list, whose first page is `first`.
    pub(in crate::connector) fn new(first: Url) -> Self {
        Self { list: ListReading::new(first), ..Self::default() }
    }

    /// Continues the scan, as far as one step goes. `None`: the shop has ended the sign-in.
    /// Fails if the list may be another customer's, or if the platform cannot read it at all.
    pub(in crate::connector) async fn step<S: Shop<Kept = K>>(
        &mut self,
        shop: &S,
        turn: &mut Turn<'_, '_>,
    ) -> Result<Option<Scanned>, ConnectorError> {
        if self.list.wanted().is_some() {
            return Ok(self.read_list(shop, turn).await?.then_some(Scanned::List));
        }
        let context = turn.context;
        if self.due.is_none() {
            if context.sample.is_none() {
                let numbers: Vec<String> = self.list.numbers().map(str::to_owned).collect();
                if self.list.read_once_more(context.known.compared(&numbers).await?, shop) {
                    return Ok(Some(Scanned::List));
                }
            }
            let reread = (!context.full).then(|| shop.reread());
            self.due = Some(DueOrders::choose(context.known, &self.list, reread, context.other_account).await?);
        }
        let is_read = self.next >= self.list.orders().len() && self.unread_done >= self.list.unread().len();
        if !is_read || self.list.is_over() && self.again_done < self.again.len() {
            return Ok(self.read_orders(shop, turn).await?.map(Scanned::Orders));
        }
        Ok(Some(match &self.due {
            Some(due) if !self.list.look_again(shop) => {
                let end = shop.rules().end;
                if let Some(sample) = context.sample {
                    sample.end(end, self.kept_back.first());
                }
                Scanned::Whole(ScanReport::new(&self.list, end, due, &self.kept_back))
            }
            _ => Scanned::List,
        }))
    }

    /// Reads on in the list, until it is read and proven or the step's time is over. False: the shop has ended the sign-in.
    async fn read_list<S: Shop<Kept = K>>(
        &mut self,
        shop: &S,
        turn: &mut Turn<'_, '_>,
    ) -> Result<bool, ConnectorError> {
        // However little time there is, each step comes further.
        let mut has_read = false;
        while !has_read || Instant::now() < turn.context.until {
            has_read = true;
            let Some(wanted) = self.list.wanted() else { break };
            let is_last_attempt = !*turn.has_read && turn.context.attempt >= REPETITIONS;
            let page = match shop.list_page(turn, &wanted).await {
                // A filtered list that is not available proves nothing, and is not needed.
                Err(error)
                    if !wanted.is_needed
                        && !error.paced
                        && (!error.transient || turn.context.attempt >= REPETITIONS) =>
                {
                    ListPage::Absent
                }
                Err(error) => match turn.context.sample {
                    Some(sample) if wanted.number > 1 && error.is_not_saved() && !self.list.lacks_promised(sample) => {
                        self.list.cut_short(sample);
                        break;
                    }
                    _ => return Err(error),
                },
                Ok(None) => return Ok(false),
                // What was read before is kept; the page is asked for again.
                Ok(Some(ListPage::Failed(failure))) if wanted.is_needed && !is_last_attempt => {
                    return Err(failure.error().transient());
                }
                Ok(Some(page)) => page,
            };
            turn.read_on();
            self.list.take(page, self.dealt_with(), shop)?;
            if let Some(sample) = turn.context.sample {
                self.list.end_sample(sample, shop);
            }
        }
        Ok(true)
    }

    /// How many orders of the list are dealt with, that whose page is open included.
    fn dealt_with(&self) -> usize {
        self.next + usize::from(self.open.is_some())
    }

    /// Reads the next orders. `None`: the shop has ended the sign-in.
    async fn read_orders<S: Shop<Kept = K>>(
        &mut self,
        shop: &S,
        turn: &mut Turn<'_, '_>,
    ) -> Result<Option<Orders>, ConnectorError> {
        let end = self.list.orders().len().min(self.next + ORDERS_PER_STEP);
        let stored = self.stored(turn, end).await?;
        let mut page = Orders::default();
        for (number, failure) in self.list.unread().iter().skip(self.unread_done) {
            page.kept_back.push(kept_back(number, failure));
            self.kept_back.add(number.clone(), failure.clone());
        }
        self.unread_done = self.list.unread().len();
        let mut done = usize::from(!page.kept_back.is_empty());
        while done < ORDERS_PER_STEP && (done == 0 || Instant::now() < turn.context.until) {
            let again = self.next >= end;
            if again && (self.next < self.list.orders().len() || !self.list.is_over()) {
                break;
            }
            let index = if again { self.again.get(self.again_done).copied() } else { Some(self.next) };
            let Some(order) = index.and_then(|index| self.list.orders().get(index)).cloned() else { break };
            let due = self.due.as_ref();
            if !again && !due.is_some_and(|due| due.includes(&order, &stored)) {
                page.unchanged.push(order.number);
            } else {
                let with_products = due.is_none_or(|due| due.includes_products(&order, &stored));
                match self.visit(shop, turn, &order, with_products).await {
                    Ok(Some(read)) => self.take(&mut page, read, order.number, again),
                    // What was read before is stored first; the next step meets the same and has nothing to lose.
                    Ok(None) if done == 0 => return Ok(None),
                    Ok(None) => break,
                    Err(error) if done > 0 && (error.paced || error.transient) => break,
                    Err(error) => return Err(error),
                }
            }
            if again {
                self.again_done += 1;
            } else {
                self.next += 1;
            }
            done += 1;
        }
        Ok(Some(page))
    }

    /// The fingerprints under which the orders before `end` are stored.
    async fn stored(&self, turn: &Turn<'_, '_>, end: usize) -> Result<HashMap<String, String>, ConnectorError> {
        let numbers: Vec<String> =
            self.list.orders()[self.next..end].iter().map(|order| order.number.clone()).collect();
        if numbers.is_empty() { Ok(HashMap::new()) } else { turn.context.known.fingerprints(&numbers).await }
    }

    /// Reads one order, or finds that it has to be kept back. `None`: the shop has ended the sign-in.
    async fn visit<S: Shop<Kept = K>>(
        &mut self,
        shop: &S,
        turn: &mut Turn<'_, '_>,
        listed: &ListedOrder,
        with_products: bool,
    ) -> Result<Option<Result<CheckedOrder, Failure>>, ConnectorError> {
        if !self.any_passed && self.kept_back.count() >= HOPELESS {
            let found = "it was not read, as all orders before it failed.";
            return Ok(Some(Err(Failure::new(Check::OrderPage, found))));
        }
        let error = match self.order(shop, turn, listed, with_products).await {
            Ok(read) => {
                if read.is_some() {
                    self.unreachable_in_row = 0;
                }
                return Ok(read);
            }
            Err(error) => error,
        };
        let ends_the_sync = matches!(
            error.code,
            SyncErrorCode::RetailerRateLimited
                | SyncErrorCode::ActionRequired
                | SyncErrorCode::RetailerMisconfigured
                | SyncErrorCode::InternalError
        );
        if error.paced || ends_the_sync {
            return Err(error);
        }
        let repetitions = if self.unreachable >= MANY_UNREACHABLE { 0 } else { REPETITIONS };
        if error.transient {
            let is_out_of_order = self.unreachable_in_row >= MAX_UNREACHABLE_IN_ROW;
            if *turn.has_read || turn.context.attempt < repetitions || is_out_of_order {
                return Err(error);
            }
            self.unreachable_in_row += 1;
            self.unreachable = self.unreachable.saturating_add(1);
        }
        Ok(Some(Err(Failure::new(Check::OrderPage, error.message))))
    }

    /// Reads an order whole, or continues to: its page stays in the state until its products are read.
    async fn order<S: Shop<Kept = K>>(
        &mut self,
        shop: &S,
        turn: &mut Turn<'_, '_>,
        listed: &ListedOrder,
        with_products: bool,
    ) -> Result<Option<Result<CheckedOrder, Failure>>, ConnectorError> {
        let order = match self.open.take() {
            Some(open) => open,
            None => {
                let context = turn.context;
                let proven = match shop.order_page(turn, &mut self.kept, listed).await? {
                    None => return Ok(None),
                    Some(OrderPage::Absent) => {
                        let found = "the order is listed, but has no page (status 404 or 410).";
                        return Ok(Some(Err(Failure::new(Check::OrderPage, found))));
                    }
                    Some(OrderPage::Failed(failure)) => Err(failure),
                    Some(OrderPage::Shown(shown)) => {
                        if let Some(sample) = context.sample {
                            sample.compare(listed, &shown);
                        }
                        prove(listed, shown, &shop.shows())
                    }
                };
                match proven {
                    Ok(order) => {
                        turn.read_on();
                        order
                    }
                    Err(failure) => {
                        turn.renewals.read_on();
                        return Ok(Some(Err(failure)));
                    }
                }
            }
        };
        let order = self.open.insert(order);
        // What only other pages say needs them.
        let with_products = with_products || order.needs_more();
        if with_products && shop.read_products(turn, &mut self.kept, order).await?.is_none() {
            return Ok(None);
        }
        let product = |line: &ProvenLine, place: usize| {
            if with_products { shop.product(&self.kept, line, place) } else { ProductFacts::Stored }
        };
        let record = with_products.then(|| shop.record(&self.kept)).flatten();
        let checked = CheckedOrder::new(order, |text| shop.status(text), product, record);
        self.open = None;
        Ok(Some(if shop.says_days_alone() { checked.map(CheckedOrder::of_a_day) } else { checked }))
    }

    /// Takes up the outcome of an order. One that failed is looked at once more, as its page may have been a passing one.
    fn take(&mut self, page: &mut Orders, read: Result<CheckedOrder, Failure>, number: String, again: bool) {
        match read {
            Ok(order) => {
                self.any_passed = true;
                page.orders.push(order);
            }
            Err(_) if !again && self.again.len() < MAX_AGAIN => self.again.push(self.next),
            Err(failure) => {
                page.kept_back.push(kept_back(&number, &failure));
                self.kept_back.add(number, failure);
            }
        }
    }
}

fn kept_back(number: &str, failure: &Failure) -> KeptBackOrder {
    KeptBackOrder { order_id: number.to_owned(), reason: failure.to_string() }
}
