//! What WooCommerce brings to a scan: its pages, and what they mean.

use std::sync::Arc;

use async_trait::async_trait;
use ordersync_api::{Open, ShipmentStatus};
use url::Url;

use super::store_api::StoreApi;
use super::{Fetched, WooCommerce, order_list, order_page, words};
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
use crate::connector::kit::source;
use crate::connector::kit::turn::Turn;
use crate::connector::{ConnectorError, html};

impl Paging for WooCommerce {
    fn first(&self) -> Url {
        self.orders.clone()
    }

    fn page(&self, before: &Url, number: u32) -> Url {
        self.orders.join(&format!("{number}/")).unwrap_or_else(|_| before.clone())
    }

    /// The list cannot be filtered, so that this is never asked for.
    fn filtered(&self, before: &Url, _: &DateRange) -> Url {
        before.clone()
    }

    fn rules(&self) -> PagingRules {
        let Settings { max_pages, time_zone, .. } = *self.settings;
        PagingRules { max_pages, end: EndOfList::NextLink, time_zone }
    }
}

#[async_trait]
impl Shop for WooCommerce {
    type Kept = StoreApi;

    fn shows(&self) -> Shows {
        order_page::SHOWS
    }

    fn reread(&self) -> Reread {
        let Settings { reread_newest: newest, reread_oldest: oldest, .. } = *self.settings;
        Reread { newest, oldest }
    }

    fn status(&self, text: &str) -> Open<ShipmentStatus> {
        match self.settings.status(text) {
            Open::Other(text) => words::status(&text).map_or(Open::Other(text), Open::Known),
            known => known,
        }
    }

    async fn list_page(&self, turn: &mut Turn<'_, '_>, wanted: &Wanted) -> Result<Option<ListPage>, ConnectorError> {
        let number = wanted.number;
        let response = match self.fetch(turn, &wanted.url, PageKind::OrderList).await? {
            Fetched::Page(response) => response,
            Fetched::SignedOut => return Ok(None),
            Fetched::Missing if number == 1 => return Err(PageKind::OrderList.answered(404)),
            Fetched::Missing => return Ok(Some(ListPage::Absent)),
        };
        let view = self.account.join("view-order/").map_err(|_| PageKind::OrderList.unreadable("an address"))?;
        let source = order_list::Source {
            url: response.url.clone(),
            number,
            is_whole: source::is_whole(&response.body),
            mentioned: source::mentioned_orders(&view, &response.body),
            view,
        };
        let settings = Arc::clone(&self.settings);
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
        let url = self.orders.join(&listed.path).map_err(|_| PageKind::Order.unreadable("an address"))?;
        let response = match self.fetch(turn, &url, PageKind::Order).await? {
            Fetched::Page(response) => response,
            Fetched::SignedOut => return Ok(None),
            Fetched::Missing => return Ok(Some(OrderPage::Absent)),
        };
        let is_whole = source::is_whole(&response.body);
        let source = order_page::Source { url: response.url, is_whole, row: listed.clone() };
        let settings = Arc::clone(&self.settings);
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

    async fn read_products(
        &self,
        turn: &mut Turn<'_, '_>,
        kept: &mut StoreApi,
        order: &ProvenOrder,
    ) -> Result<Option<()>, ConnectorError> {
        self.ask_store_api(turn, kept, order).await.map(Some)
    }

    fn product<'k>(&self, kept: &'k StoreApi, line: &ProvenLine) -> ProductFacts<'k> {
        kept.facts(line)
    }
}
