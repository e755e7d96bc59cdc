//! What Oscar brings to a scan: its pages, and what they mean.

use std::sync::Arc;

use async_trait::async_trait;
use ordersync_api::{Open, ShipmentStatus};

use super::products::Products;
use super::{Oscar, order_page};
use crate::connector::ConnectorError;
use crate::connector::kit::checked_order::ProductFacts;
use crate::connector::kit::due::Reread;
use crate::connector::kit::list_reading::{ListPage, Wanted};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::order_proof::{ProvenLine, ProvenOrder};
use crate::connector::kit::page::PageKind;
use crate::connector::kit::scan::{OrderPage, Shop};
use crate::connector::kit::settings::Settings;
use crate::connector::kit::shows::Shows;
use crate::connector::kit::site::{Fetched, HtmlShop, Site};
use crate::connector::kit::source;
use crate::connector::kit::turn::Turn;

impl HtmlShop for Oscar {
    fn site(&self) -> &Site {
        &self.site
    }
}

#[async_trait]
impl Shop for Oscar {
    type Kept = Products;

    fn shows(&self) -> Shows {
        order_page::SHOWS
    }

    fn reread(&self) -> Reread {
        let Settings { reread_newest: newest, reread_oldest: oldest, .. } = *self.site.settings;
        Reread { newest, oldest }
    }

    fn status(&self, text: &str) -> Open<ShipmentStatus> {
        self.site.settings.status(text)
    }

    async fn list_page(&self, turn: &mut Turn<'_, '_>, wanted: &Wanted) -> Result<Option<ListPage>, ConnectorError> {
        self.get_list_page(turn, wanted).await
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
        let list = url.join("..").map_err(|_| PageKind::Order.unreadable("an address"))?;
        let is_whole = source::is_whole(&response.body);
        let source = order_page::Source { url: response.url, is_whole, list, row: listed.clone() };
        let settings = Arc::clone(&self.site.settings);
        let read = self
            .site
            .egress
            .pages
            .read(response.body, move |document| Ok(order_page::read(document, &source, &settings)))
            .await?;
        match read {
            Ok(shown) => Ok(Some(OrderPage::Shown(shown))),
            Err(unread) => unread.or_failed(PageKind::Order, OrderPage::Failed),
        }
    }

    async fn read_products(
        &self,
        turn: &mut Turn<'_, '_>,
        products: &mut Products,
        order: &ProvenOrder,
    ) -> Result<Option<()>, ConnectorError> {
        self.products(turn, products, order).await
    }

    fn product<'k>(&self, products: &'k Products, line: &ProvenLine, _: usize) -> ProductFacts<'k> {
        products.facts(line.product())
    }
}
