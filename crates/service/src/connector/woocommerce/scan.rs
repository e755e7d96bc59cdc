//! What WooCommerce brings to a scan: its pages, and what they mean.

use std::sync::Arc;

use async_trait::async_trait;
use ordersync_api::{Open, ShipmentStatus};
use url::Url;

use super::{WooCommerce, order_list, order_page, words};
use crate::connector::kit::check::Unread;
use crate::connector::kit::checked_order::ProductFacts;
use crate::connector::kit::due::Reread;
use crate::connector::kit::list_proof::{DateRange, EndOfList};
use crate::connector::kit::list_reading::{ListPage, Paging, PagingRules, Wanted};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::order_proof::{ProvenLine, ProvenOrder};
use crate::connector::kit::page::PageKind;
use crate::connector::kit::scan::{OrderPage, Shop};
use crate::connector::kit::settings::Settings;
use crate::connector::kit::shows::Shows;
use crate::connector::kit::site::{Fetched, HtmlShop, Site};
use crate::connector::kit::source;
use crate::connector::kit::turn::Turn;
use crate::connector::{ConnectorError, html};

impl Paging for WooCommerce {
    fn first(&self) -> Url {
        self.site.orders.clone()
    }

    fn page(&self, before: &Url, number: u32) -> Url {
        self.site.orders.join(&format!("{number}/")).unwrap_or_else(|_| before.clone())
    }

    /// The list cannot be filtered, so that this is never asked for.
    fn filtered(&self, before: &Url, _: &DateRange) -> Url {
        before.clone()
    }

    fn rules(&self) -> PagingRules {
        let Settings { max_pages, time_zone, .. } = *self.site.settings;
        PagingRules { max_pages, end: EndOfList::NextLink, time_zone }
    }
}

impl HtmlShop for WooCommerce {
    fn site(&self) -> &Site {
        &self.site
    }
}

#[async_trait]
impl Shop for WooCommerce {
    type Kept = ();

    fn shows(&self) -> Shows {
        order_page::SHOWS
    }

    fn reread(&self) -> Reread {
        let Settings { reread_newest: newest, reread_oldest: oldest, .. } = *self.site.settings;
        Reread { newest, oldest }
    }

    fn status(&self, text: &str) -> Open<ShipmentStatus> {
        match self.site.settings.status(text) {
            Open::Other(text) => words::status(&text).map_or(Open::Other(text), Open::Known),
            known => known,
        }
    }

    async fn list_page(&self, turn: &mut Turn<'_, '_>, wanted: &Wanted) -> Result<Option<ListPage>, ConnectorError> {
        let number = wanted.number;
        let response = match self.site.fetch(turn, &wanted.url, PageKind::OrderList).await? {
            Fetched::Page(response) => response,
            Fetched::SignedOut => return Ok(None),
            Fetched::Missing if number == 1 => return Err(PageKind::OrderList.answered(404)),
            Fetched::Missing => return Ok(Some(ListPage::Absent)),
        };
        let view = self.site.sign_in.join("view-order/").map_err(|_| PageKind::OrderList.unreadable("an address"))?;
        let source = order_list::Source {
            url: response.url.clone(),
            number,
            is_whole: source::is_whole(&response.body),
            mentioned: source::mentioned_orders(&view, &response.body),
            view,
        };
        let settings = Arc::clone(&self.site.settings);
        let read =
            html::read(response.body, move |document| Ok(order_list::read(document, &source, &settings))).await?;
        match read {
            Ok(list) => Ok(Some(ListPage::Shown(list, response.url))),
            Err(Unread::Failed(failure)) => Ok(Some(ListPage::Failed(failure))),
            Err(Unread::SignedOut) => Ok(None),
            Err(Unread::Instead(other)) => Err(other.error(PageKind::OrderList)),
            Err(Unread::Other(error)) => Err(error),
        }
    }

    async fn order_page(
        &self,
        turn: &mut Turn<'_, '_>,
        listed: &ListedOrder,
    ) -> Result<Option<OrderPage>, ConnectorError> {
        let url = self.site.orders.join(&listed.path).map_err(|_| PageKind::Order.unreadable("an address"))?;
        let response = match self.site.fetch(turn, &url, PageKind::Order).await? {
            Fetched::Page(response) => response,
            Fetched::SignedOut => return Ok(None),
            Fetched::Missing => return Ok(Some(OrderPage::Absent)),
        };
        let is_whole = source::is_whole(&response.body);
        let source = order_page::Source { url: response.url, is_whole, row: listed.clone() };
        let settings = Arc::clone(&self.site.settings);
        let read =
            html::read(response.body, move |document| Ok(order_page::read(document, &source, &settings))).await?;
        match read {
            Ok(shown) => Ok(Some(OrderPage::Shown(shown))),
            Err(Unread::Failed(failure)) => Ok(Some(OrderPage::Failed(failure))),
            Err(Unread::SignedOut) => Ok(None),
            Err(Unread::Instead(other)) => Err(other.error(PageKind::Order)),
            Err(Unread::Other(error)) => Err(error),
        }
    }

    /// No other page is read of a product: an order may hold a product that was changed since.
    async fn read_products(
        &self,
        _: &mut Turn<'_, '_>,
        (): &mut (),
        _: &ProvenOrder,
    ) -> Result<Option<()>, ConnectorError> {
        Ok(Some(()))
    }

    fn product<'k>(&self, (): &'k (), _: &ProvenLine) -> ProductFacts<'k> {
        ProductFacts::Unlinked
    }
}
