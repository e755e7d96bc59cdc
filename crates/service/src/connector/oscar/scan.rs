//! Reading the orders: the whole list, then each order that is new or not settled, then the head of the list again.
//!
//! Each step does a bounded piece. A row that moves while the list is read (something was ordered) is neither lost nor
//! doubled: rows are told apart by their number, and the list is read again until it shows no more than is known.

use std::collections::HashMap;

use chrono::DateTime;
use ordersync_api::{Open, ShipmentStatus, SyncErrorCode};
use rust_decimal::Decimal;

use super::html::Page;
use super::order_list::{self, Row};
use super::order_page::{self, Line, OrderPage};
use super::product_page::{self, Product};
use super::settings::Settings;
use super::state::{Products, Reading, Scan, State, internal};
use super::{Fetched, Oscar};
use crate::connector::egress::CookieJar;
use crate::connector::{ConnectorError, LineItem, Outcome, Page as Orders, RetailerOrder, ScanReport, StepContext};

/// Pages of the list that one step reads.
const LIST_PAGES_PER_STEP: u32 = 10;
/// Rows that one step deals with.
const ROWS_PER_STEP: usize = 20;
/// Once a step has made so many requests, it begins no further order.
const REQUESTS_PER_STEP: u32 = 40;
/// How often the list is read whole before a list that shows orders twice, and others not at all, is an error.
const MAX_PASSES: u8 = 3;

/// What came of reading one order.
enum Read {
    Order(Box<RetailerOrder>),
    /// It is in the list, but has no page (any more).
    Gone,
    SignedOut,
}

impl Oscar {
    /// A step of the scan.
    pub(super) async fn scan(&self, context: &StepContext<'_>, state: &mut State) -> Result<Outcome, ConnectorError> {
        let State { cookies, signed_in_again, scan: Some(scan), .. } = &mut *state else {
            return Err(internal("There is no scan to go on with."));
        };
        let outcome = if scan.reading.is_some() {
            self.read_list(context, cookies, scan).await?
        } else {
            self.read_orders(context, cookies, scan, !*signed_in_again).await?
        };
        match outcome {
            Some(outcome) => Ok(outcome),
            None => self.sign_in_again(context, state).await,
        }
    }

    /// Reads on in the list. `None`: the shop has ended the sign-in.
    async fn read_list(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
        scan: &mut Scan,
    ) -> Result<Option<Outcome>, ConnectorError> {
        for _ in 0..LIST_PAGES_PER_STEP {
            let Some(reading) = scan.reading.take() else { break };
            let page = match self.fetch(context, cookies, &reading.url, Page::OrderList).await? {
                Fetched::Page(page) => page,
                Fetched::SignedOut => {
                    scan.reading = Some(reading);
                    return Ok(None);
                }
                // The list became shorter while it was read: what was its last page is none any more.
                Fetched::Missing if reading.page > 1 => {
                    scan.finish_reading(&reading);
                    break;
                }
                Fetched::Missing => return Err(Page::OrderList.answered(404)),
            };
            let list = order_list::read(&page.body, &page.url, reading.page, &self.settings)?;
            let (shown, added) = (list.rows.len(), scan.add(list.rows));
            let reading = Reading { shown: reading.shown + shown, added: reading.added + added, ..reading };
            match list.next {
                Some(_) if reading.head_only && added == 0 => scan.finish_reading(&reading),
                Some(_) if reading.page >= self.settings.max_pages => {
                    return Err(ConnectorError::new(SyncErrorCode::RetailerMisconfigured)
                        .with_message("The order list has more pages than `max_pages` allows."));
                }
                Some(url) => scan.reading = Some(Reading { url, page: reading.page + 1, ..reading }),
                None => scan.finish_reading(&reading),
            }
        }
        Ok(Some(Outcome::Working))
    }

    /// Reads the next orders, or what is to be done when there are none. `None`: the shop has ended the sign-in.
    async fn read_orders(
        &self,
        context: &StepContext<'_>,
        cookies: &mut CookieJar,
        scan: &mut Scan,
        may_renew: bool,
    ) -> Result<Option<Outcome>, ConnectorError> {
        if scan.next >= scan.rows.len() {
            return self.look_again_or_finish(context, cookies, scan).map(Some);
        }
        let end = scan.rows.len().min(scan.next + ROWS_PER_STEP);
        let numbers: Vec<String> = scan.rows[scan.next..end].iter().map(|row| row.number.clone()).collect();
        let known = context.known.fingerprints(&numbers).await?;
        let mut page = Orders::default();
        let mut visit = Visit { oscar: self, context, cookies, may_renew, requests: 0 };
        while scan.next < end && visit.requests < REQUESTS_PER_STEP {
            let row = &scan.rows[scan.next];
            if is_unchanged(row, &known) {
                page.unchanged.push(row.number.clone());
                scan.next += 1;
                continue;
            }
            match visit.order(row, &mut scan.products).await {
                Ok(Read::Order(order)) => page.orders.push(*order),
                Ok(Read::Gone) => {}
                // What was read before is kept; the next step meets the same and has nothing to lose.
                _ if !(page.orders.is_empty() && page.unchanged.is_empty()) => break,
                Ok(Read::SignedOut) => return Ok(None),
                Err(error) => return Err(error),
            }
            scan.next += 1;
        }
        Ok(Some(Outcome::Page(page)))
    }

    /// Every order is dealt with that the list has shown so far.
    fn look_again_or_finish(
        &self,
        context: &StepContext<'_>,
        cookies: &CookieJar,
        scan: &mut Scan,
    ) -> Result<Outcome, ConnectorError> {
        let complete = scan.rows.len() >= scan.shown;
        if scan.head_is_known && complete {
            let report = ScanReport { listed_all: true, incomplete: None };
            return Ok(Outcome::Done { session: Self::remember(context, cookies), report });
        }
        if scan.head_is_known && scan.passes >= MAX_PASSES {
            return Err(ConnectorError::new(SyncErrorCode::RetailerChanged)
                .with_message("The order list shows some orders twice, and others not at all."));
        }
        scan.reading = Some(Reading::new(self.orders.clone(), !scan.head_is_known));
        scan.head_is_known = false;
        Ok(Outcome::Working)
    }
}

/// One step's way through the pages of orders and products.
struct Visit<'a, 'c> {
    oscar: &'a Oscar,
    context: &'a StepContext<'c>,
    cookies: &'a mut CookieJar,
    /// Whether the sign-in may still be renewed in this sync.
    may_renew: bool,
    requests: u32,
}

impl Visit<'_, '_> {
    async fn fetch(&mut self, path: &str, page: Page) -> Result<Fetched, ConnectorError> {
        let url = self.oscar.orders.join(path).map_err(|_| page.unreadable("an address"))?;
        self.requests += 1;
        self.oscar.fetch(self.context, self.cookies, &url, page).await
    }

    async fn order(&mut self, row: &Row, products: &mut Products) -> Result<Read, ConnectorError> {
        let response = match self.fetch(&row.path, Page::Order).await? {
            Fetched::Page(response) => response,
            Fetched::Missing => return Ok(Read::Gone),
            Fetched::SignedOut => return Ok(Read::SignedOut),
        };
        let page = order_page::read(&response.body, &response.url, &self.oscar.settings)?;
        if page.lines.is_empty() && !row.items.is_zero() {
            return Err(Page::Order.lacks("the lines of the order"));
        }
        for path in page.lines.iter().filter_map(|line| line.product.as_deref()) {
            if products.get(path).is_some() {
                continue;
            }
            let product = match self.fetch(path, Page::Product).await? {
                Fetched::Page(response) => product_page::read(&response.body)?,
                Fetched::SignedOut if self.may_renew => return Ok(Read::SignedOut),
                // It left the catalogue since the order's page was read; or this customer may not see it.
                Fetched::Missing | Fetched::SignedOut => Product::default(),
            };
            products.insert(path.to_owned(), product);
        }
        Ok(Read::Order(Box::new(assemble(row, page, products, &self.oscar.settings))))
    }
}

/// Whether the store has the order as it is now. Only orders that were settled are stored with a fingerprint.
fn is_unchanged(row: &Row, known: &HashMap<String, String>) -> bool {
    known.get(&row.number).is_some_and(|fingerprint| *fingerprint == row.fingerprint())
}

/// Puts together what the three kinds of page show of an order.
fn assemble(row: &Row, page: OrderPage, products: &Products, settings: &Settings) -> RetailerOrder {
    let status = page.status.as_deref().map(|text| settings.status(text));
    let settled = status.as_ref().and_then(Open::known).is_some_and(|status| status.is_settled());
    // Where list and page do not fit together, the order was changed between the two: the next sync reads it again.
    let fits = page.lines.iter().map(|line| line.quantity).sum::<Decimal>() == row.items;
    let mut occurrences: HashMap<String, u32> = HashMap::new();
    let items = page
        .lines
        .into_iter()
        .map(|line| {
            let occurrence = occurrences.entry(line.title.clone()).or_default();
            *occurrence += 1;
            let product = line.product.as_deref().and_then(|path| products.get(path));
            item(&line, *occurrence, product, status.as_ref(), page.status.as_deref())
        })
        .collect();
    RetailerOrder {
        order_id: row.number.clone(),
        fingerprint: (settled && fits).then(|| row.fingerprint()),
        placed_at: DateTime::from_timestamp(row.placed_at, 0),
        total: Some(row.total),
        currency: Some(row.currency.clone()),
        mismatch: Vec::new(),
        items,
    }
}

fn item(
    line: &Line,
    occurrence: u32,
    product: Option<&Product>,
    status: Option<&Open<ShipmentStatus>>,
    status_text: Option<&str>,
) -> LineItem {
    let category = |level: usize| product.and_then(|product| product.categories.get(level)).cloned();
    LineItem {
        // The page shows its own id of a line, and the UPC, only as long as the product is in the catalogue: neither
        // may tell lines apart. The title of a line is a copy made when it was ordered.
        line_id: Some(format!("{}#{occurrence}", line.title)),
        title: Some(line.title.clone()),
        brand: None,
        department: category(0),
        category: category(1),
        sub_category: category(2),
        sku: product.and_then(|product| product.upc.clone()),
        quantity: Some(line.quantity),
        unit_price: line.total.per_unit(line.quantity),
        line_total: Some(line.total.amount),
        shipment_status: status.cloned(),
        shipment_text: status_text.map(str::to_owned),
        secondary_unknown: false,
    }
}
