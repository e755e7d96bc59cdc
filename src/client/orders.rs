//! Line items.

use chrono::{DateTime, Utc};
use ordersync_api::{List, OrderItem, SyncStarted, Timestamp};
use serde_json::Value;

use super::endpoints::Operation;
use super::request::Call;
use super::{Answer, Client};
use crate::error::Result;
use crate::export::row::{self, Row};

/// Which line items.
#[derive(Debug, Clone, Default)]
pub struct OrderFilter {
    /// Of one retailer.
    pub retailer_id: Option<i64>,
    /// Ordered at or after this.
    pub since: Option<DateTime<Utc>>,
    /// Ordered before this.
    pub until: Option<DateTime<Utc>>,
}

/// A page of line items.
#[derive(Debug)]
pub struct OrderPage {
    /// The items as they came.
    pub rows: Vec<Value>,
    /// How many match in all, where the service says so.
    pub total: Option<u64>,
}

/// A page of line items as it came over the wire.
#[derive(Debug)]
pub struct WirePage {
    answer: Answer,
    /// How many match in all, where the service says so.
    pub total: Option<u64>,
}

impl WirePage {
    /// The items, borrowed from the page.
    ///
    /// # Errors
    /// Where it is no page of line items.
    pub fn rows(&self) -> Result<Vec<Row<'_>>> {
        let unreadable = |why: serde_json::Error| self.answer.unreadable(&why);
        let items = row::rows(self.answer.body()).map_err(unreadable)?;
        items.into_iter().map(|item| Row::read(item.get()).map_err(unreadable)).collect()
    }
}

impl Client {
    /// A page of line items, newest first.
    ///
    /// # Errors
    /// Where the service cannot be reached or refuses.
    pub async fn orders(&self, filter: &OrderFilter, limit: u32, offset: u64) -> Result<OrderPage> {
        let page = self.orders_page(filter, limit, offset).await?;
        Ok(OrderPage { rows: page.answer.json::<List<Value>>()?.0, total: page.total })
    }

    /// The same as it came over the wire.
    ///
    /// # Errors
    /// Where the service cannot be reached or refuses.
    pub async fn orders_page(&self, filter: &OrderFilter, limit: u32, offset: u64) -> Result<WirePage> {
        let call = Call::new(Operation::OrdersList)?
            .query("retailer_id", filter.retailer_id)
            .query("start_date", filter.since.map(Timestamp))
            .query("end_date", filter.until.map(Timestamp))
            .query("limit", Some(limit))
            .query("offset", Some(offset));
        let answer = self.send(call).await?;
        let total = answer.header("x-total-count").and_then(|text| text.trim().parse().ok());
        Ok(WirePage { answer, total })
    }

    /// One line item.
    ///
    /// # Errors
    /// Where there is none, or the service cannot be reached or refuses.
    pub async fn order(&self, id: &str) -> Result<OrderItem> {
        self.get(Call::new(Operation::OrdersGet)?.parameter("id", id))
            .await
            .map_err(|error| error.where_unknown("See your line items: ordersync orders list --fields id,itemName"))
    }

    /// Starts a sync that fetches the latest orders, of one retailer or of all.
    ///
    /// # Errors
    /// Where the service cannot be reached or refuses.
    pub async fn sync_orders(&self, retailer_id: Option<i64>) -> Result<SyncStarted> {
        self.get(Call::new(Operation::OrdersSync)?.query("retailer", retailer_id)).await
    }
}
