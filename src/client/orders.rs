//! Line items.

use chrono::{DateTime, Utc};
use ordersync_api::{List, OrderItem, SyncStarted, Timestamp};
use serde_json::Value;

use super::Client;
use super::endpoints::Operation;
use super::request::Call;
use crate::error::Result;

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

impl Client {
    /// A page of line items, newest first.
    ///
    /// # Errors
    /// Where the service cannot be reached or refuses.
    pub async fn orders(&self, filter: &OrderFilter, limit: u32, offset: u64) -> Result<OrderPage> {
        let call = Call::new(Operation::OrdersList)?
            .query("retailer_id", filter.retailer_id)
            .query("start_date", filter.since.map(Timestamp))
            .query("end_date", filter.until.map(Timestamp))
            .query("limit", Some(limit))
            .query("offset", Some(offset));
        let answer = self.send(call).await?;
        let total = answer.header("x-total-count").and_then(|text| text.trim().parse().ok());
        Ok(OrderPage { rows: answer.json::<List<Value>>()?.0, total })
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
