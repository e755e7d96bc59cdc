//! Reading one order: its page, and the pages of its products, which say no more than SKU and category.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use ordersync_api::order::Mismatch;
use ordersync_api::{Open, ShipmentStatus};

use super::order_page;
use super::product_page::{self, Product};
use super::settings::Settings;
use super::state::{Products, Scan, Seen};
use super::{Fetched, Oscar, Turn, page_kind};
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::order_proof::{ProvenLine, ProvenOrder};
use crate::connector::kit::page::PageKind;
use crate::connector::kit::source;
use crate::connector::{ConnectorError, LineItem, RetailerOrder, html};

/// Once so many pages of products in a row have failed, only one in [`STILL_ASKED`] is asked for, until one is read.
const MAX_BROKEN_PRODUCTS: u8 = 3;
/// Which one that is changes from sync to sync: pages that stay broken must not hide all others for good.
const STILL_ASKED: u64 = 8;

/// The outcome of reading one order.
pub(super) enum Read {
    Order(Box<RetailerOrder>),
    /// A check failed: the order is kept back.
    Failed(Failure),
    SignedOut,
}

impl Oscar {
    /// Reads an order whole, or continues to: its page stays in the state until its products are read.
    pub(super) async fn order(
        &self,
        turn: &mut Turn<'_, '_>,
        scan: &mut Scan,
        row: &ListedOrder,
    ) -> Result<Read, ConnectorError> {
        if scan.open.is_none() {
            match self.order_page(turn, row).await? {
                Ok(page) => scan.open = Some(page),
                Err(read) => return Ok(read),
            }
        }
        let Some(page) = &scan.open else { return Ok(Read::SignedOut) };
        let paths: Vec<String> = page.lines().iter().filter_map(|line| line.product().map(str::to_owned)).collect();
        for path in paths {
            if scan.products.get(&path).is_none() {
                let Some(seen) = self.product(turn, &path, scan.broken_products).await? else {
                    return Ok(Read::SignedOut);
                };
                scan.broken_products = match seen {
                    Seen::Broken => scan.broken_products.saturating_add(1),
                    Seen::Read(_) | Seen::Gone => 0,
                };
                scan.products.insert(path, seen);
            }
        }
        let Some(page) = scan.open.take() else { return Ok(Read::SignedOut) };
        if let Some(line) = page.lines().iter().find(|line| line.is_doubtful() && !is_confirmed(line, &scan.products)) {
            let what =
                if line.product().is_some() { "the page of the product does not confirm" } else { "nothing confirms" };
            return Ok(Read::Failed(Failure::new(Check::Lines, format!("{what} the title of a line."))));
        }
        Ok(Read::Order(Box::new(assemble(row, page, &scan.products, &self.settings))))
    }

    async fn order_page(
        &self,
        turn: &mut Turn<'_, '_>,
        row: &ListedOrder,
    ) -> Result<Result<ProvenOrder, Read>, ConnectorError> {
        let url = self.orders.join(&row.path).map_err(|_| PageKind::Order.unreadable("an address"))?;
        let response = match self.fetch(turn, &url, PageKind::Order).await? {
            Fetched::Page(response) => response,
            Fetched::SignedOut => return Ok(Err(Read::SignedOut)),
            Fetched::Missing => {
                let found = "the order is listed, but has no page (status 404 or 410).";
                return Ok(Err(Read::Failed(Failure::new(Check::OrderPage, found))));
            }
        };
        let list = url.join("..").map_err(|_| PageKind::Order.unreadable("an address"))?;
        let is_whole = source::is_whole(&response.body);
        let source = order_page::Source { url: response.url, is_whole, list, row: row.clone() };
        let settings = Arc::clone(&self.settings);
        let read =
            html::read(response.body, move |document| Ok(order_page::read(document, &source, &settings))).await?;
        match read {
            Ok(page) => {
                turn.read_on();
                Ok(Ok(page))
            }
            Err(Unread::Failed(failure)) => {
                turn.renewals.read_on();
                Ok(Err(Read::Failed(failure)))
            }
            Err(Unread::SignedOut) => Ok(Err(Read::SignedOut)),
            Err(Unread::Other(error)) => Err(error),
        }
    }

    /// Reads the page of a product. What is wrong with it costs its own data only. `None`: the sign-in has ended.
    async fn product(&self, turn: &mut Turn<'_, '_>, path: &str, broken: u8) -> Result<Option<Seen>, ConnectorError> {
        let is_asked = hash(path, turn.context.now).is_multiple_of(STILL_ASKED);
        if broken >= MAX_BROKEN_PRODUCTS && !is_asked {
            return Ok(Some(Seen::Broken));
        }
        let seen = match self.fetch_product(turn, path).await {
            Ok(Some(Ok(product))) => Seen::Read(product),
            Ok(Some(Err(seen))) => seen,
            // This customer may not see it, if the sign-in was just renewed.
            Ok(None) if turn.renewals.is_idle() => Seen::Broken,
            Ok(None) => return Ok(None),
            Err(error) if error.paced || error.code == ordersync_api::SyncErrorCode::RetailerRateLimited => {
                return Err(error);
            }
            Err(_) => Seen::Broken,
        };
        turn.read_on();
        Ok(Some(seen))
    }

    async fn fetch_product(
        &self,
        turn: &mut Turn<'_, '_>,
        path: &str,
    ) -> Result<Option<Result<Product, Seen>>, ConnectorError> {
        let url = self.orders.join(path).map_err(|_| PageKind::Product.unreadable("an address"))?;
        let response = match self.fetch(turn, &url, PageKind::Product).await? {
            Fetched::Page(response) => response,
            Fetched::Missing => return Ok(Some(Err(Seen::Gone))),
            Fetched::SignedOut => return Ok(None),
        };
        if !source::is_whole(&response.body) {
            return Ok(Some(Err(Seen::Broken)));
        }
        let read = html::read(response.body, |document| {
            Ok(product_page::read(document).map_err(|_| page_kind::instead_of(PageKind::Product, document)))
        });
        match read.await? {
            Ok(product) => Ok(Some(Ok(product))),
            Err(Unread::SignedOut) => Ok(None),
            Err(_) => Ok(Some(Err(Seen::Broken))),
        }
    }
}

fn hash(path: &str, now: DateTime<Utc>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (path, now).hash(&mut hasher);
    hasher.finish()
}

fn is_confirmed(line: &ProvenLine, products: &Products) -> bool {
    let seen = line.product().and_then(|path| products.get(path));
    matches!(seen, Some(Seen::Read(product)) if product.title.as_deref() == Some(line.title()))
}

/// Puts together what the three kinds of page show of an order.
fn assemble(row: &ListedOrder, page: ProvenOrder, products: &Products, settings: &Settings) -> RetailerOrder {
    let status = page.status().map(|text| settings.status(text));
    let settled = status.as_ref().and_then(Open::known).is_some_and(|status| status.is_settled());
    let seen = |line: &ProvenLine| line.product().and_then(|path| products.get(path));
    // An order whose secondary data could not be read is read again by the next sync.
    let is_whole = !page.lines().iter().any(|line| seen(line) == Some(&Seen::Broken));
    let mut occurrences: HashMap<String, u32> = HashMap::new();
    let items = page
        .lines()
        .iter()
        .map(|line| {
            let occurrence = occurrences.entry(line.title().to_owned()).or_default();
            *occurrence += 1;
            item(line, *occurrence, seen(line), status.as_ref(), page.status())
        })
        .collect();
    let mut mismatch = page.mismatch().to_vec();
    let is_renamed = |line: &ProvenLine| match seen(line) {
        Some(Seen::Read(product)) => product.title.as_ref().is_some_and(|title| title != line.title()),
        _ => false,
    };
    if page.lines().iter().any(is_renamed) {
        mismatch.push(Mismatch { check: "title".to_owned(), shown: None, computed: None });
    }
    RetailerOrder {
        order_id: row.number.clone(),
        fingerprint: (settled && is_whole).then(|| row.fingerprint()),
        placed_at: DateTime::from_timestamp(row.placed_at, 0),
        total: Some(row.total.amount()),
        currency: Some(row.total.currency().code().to_owned()),
        mismatch,
        items,
    }
}

fn item(
    line: &ProvenLine,
    occurrence: u32,
    seen: Option<&Seen>,
    status: Option<&Open<ShipmentStatus>>,
    status_text: Option<&str>,
) -> LineItem {
    let product = match seen {
        Some(Seen::Read(product)) => Some(product),
        _ => None,
    };
    let category = |level: usize| product.and_then(|product| product.categories.get(level)).cloned();
    LineItem {
        // The page shows its own id of a line, and the UPC, only as long as the product is in the catalogue: neither
        // may tell lines apart. The title of a line is a copy made when it was ordered.
        line_id: Some(format!("{}#{occurrence}", line.title())),
        title: Some(line.title().to_owned()),
        brand: None,
        department: category(0),
        category: category(1),
        sub_category: category(2),
        sku: product.and_then(|product| product.upc.clone()),
        secondary_unknown: matches!(seen, Some(Seen::Gone | Seen::Broken)),
        status_unknown: status_text.is_none(),
        quantity: Some(line.quantity()),
        unit_price: line.unit_price(),
        line_total: Some(line.total()),
        shipment_status: status.cloned(),
        shipment_text: status_text.map(str::to_owned),
    }
}
