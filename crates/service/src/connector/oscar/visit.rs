//! Reading one order: its page, and the pages of its products, which say no more than SKU and category.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::order_page;
use super::product_page::{self, Product};
use super::state::{Scan, Seen};
use super::{Fetched, Oscar, Turn, sign_in_page};
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::checked_order::{CheckedOrder, ProductFacts};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::order_proof::ProvenOrder;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::source;
use crate::connector::{ConnectorError, html};

/// Once so many pages of products in a row have failed, only one in [`STILL_ASKED`] is asked for, until one is read.
const MAX_BROKEN_PRODUCTS: u8 = 3;
/// Which one that is changes from sync to sync: pages that stay broken must not hide all others for good.
const STILL_ASKED: u64 = 8;

/// The outcome of reading one order.
pub(super) enum Read {
    Order(Box<CheckedOrder>),
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
        let checked = CheckedOrder::new(
            &page,
            |text| self.settings.status(text),
            |line| facts(line.product().and_then(|path| scan.products.get(path))),
        );
        Ok(match checked {
            Ok(order) => Read::Order(Box::new(order)),
            Err(failure) => Read::Failed(failure),
        })
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
            Err(Unread::Instead(other)) => Err(other.error(PageKind::Order)),
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
            Ok(product_page::read(document).map_err(|_| sign_in_page::instead(document)))
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

/// What the page of a product told, if it was asked for.
fn facts(seen: Option<&Seen>) -> ProductFacts<'_> {
    match seen {
        None => ProductFacts::Unlinked,
        Some(Seen::Read(Product { upc, categories, title })) => {
            ProductFacts::Read { title: title.as_deref(), sku: upc.as_deref(), categories }
        }
        Some(Seen::Gone) => ProductFacts::Gone,
        Some(Seen::Broken) => ProductFacts::Broken,
    }
}
