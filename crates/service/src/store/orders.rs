//! Line items: stored once each, listed newest first.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use ordersync_api::{Extra, Open, OrderItem, ShipmentStatus, Timestamp};
use rust_decimal::Decimal;
use sqlx::{FromRow, QueryBuilder, Sqlite};

use super::connections::{Access, Window};
use super::queue::Claim;
use super::{Store, StoreError, Write, count, micros, stored, time};
use crate::connector::{Page, RetailerOrder};
use crate::domain::line::{IdentifiedLine, identify};
use crate::store::users::Caller;

/// SQLite takes at most 32,766 parameters in a statement; a line has 20.
const LINES_PER_STATEMENT: usize = 500;

/// Which line items to list.
#[derive(Debug, Clone, Copy, Default)]
pub struct OrderFilter {
    /// Of this retailer.
    pub retailer_id: Option<i64>,
    /// Ordered at this time or later.
    pub start: Option<DateTime<Utc>>,
    /// Ordered before this time.
    pub end: Option<DateTime<Utc>>,
}

/// What a page added.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StoredPage {
    /// Lines seen for the first time in this session.
    pub(super) found: i64,
    /// Lines stored for the first time ever.
    pub(super) new: i64,
}

#[derive(FromRow)]
struct ItemRow {
    id: String,
    connection_id: String,
    retailer_id: i64,
    retailer_name: String,
    order_id: String,
    order_date: Option<i64>,
    item_name: Option<String>,
    brand_name: Option<String>,
    department: Option<String>,
    category: Option<String>,
    sub_category: Option<String>,
    retailer_sku: Option<String>,
    quantity: Option<String>,
    price: Option<String>,
    currency: Option<String>,
    shipment_status: Option<String>,
    shipment_text: Option<String>,
    order_total: Option<String>,
    updated_at: i64,
}

impl ItemRow {
    fn into_item(self) -> Result<OrderItem, StoreError> {
        Ok(OrderItem {
            id: self.id.into(),
            connection_id: Some(self.connection_id.into()),
            retailer_id: Some(self.retailer_id),
            retailer_name: Some(self.retailer_name),
            order_id: Some(self.order_id.into()),
            order_date: self.order_date.map(|at| time(at).map(|at| Timestamp(at).into())).transpose()?,
            item_name: self.item_name,
            brand_name: self.brand_name,
            department: self.department,
            category: self.category,
            sub_category: self.sub_category,
            retailer_sku: self.retailer_sku,
            quantity: decimal(self.quantity)?,
            price: decimal(self.price)?,
            currency: self.currency,
            shipment_status: self
                .shipment_status
                .map(|word| word.parse::<ShipmentStatus>().map_or(Open::Other(word), Open::Known)),
            shipment_text: self.shipment_text,
            order_total: decimal(self.order_total)?,
            updated_at: Some(Timestamp(time(self.updated_at)?).into()),
            extra: Extra::new(),
        })
    }
}

fn decimal(text: Option<String>) -> Result<Option<Decimal>, StoreError> {
    text.map(|text| Decimal::from_str_exact(&text).map_err(|_| StoreError::Corrupt("decimal"))).transpose()
}

impl Store {
    /// A page of the line items that match, newest first (order date, then id; those without a date last).
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn order_items(
        &self,
        caller: &Caller,
        filter: &OrderFilter,
        window: Window,
    ) -> Result<Vec<OrderItem>, StoreError> {
        let mut query = matching("SELECT i.*", caller, filter);
        query.push(" ORDER BY i.order_date DESC, i.id LIMIT ").push_bind(i64::from(window.limit));
        query.push(" OFFSET ").push_bind(i64::try_from(window.offset).unwrap_or(i64::MAX));
        let rows: Vec<ItemRow> = query.build_query_as().fetch_all(&self.pool).await?;
        rows.into_iter().map(ItemRow::into_item).collect()
    }

    /// How many line items match.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn count_order_items(&self, caller: &Caller, filter: &OrderFilter) -> Result<u64, StoreError> {
        let total: i64 = matching("SELECT COUNT(*)", caller, filter).build_query_scalar().fetch_one(&self.pool).await?;
        Ok(count(total))
    }

    /// One line item.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn order_item(&self, caller: &Caller, id: &str) -> Result<Access<OrderItem>, StoreError> {
        let row: Option<ItemRow> =
            sqlx::query_as("SELECT * FROM order_items WHERE id = ?").bind(id).fetch_optional(&self.pool).await?;
        let Some(row) = row else { return Ok(Access::Absent) };
        if !self.may_see(caller, &row.connection_id).await? {
            return Ok(Access::NotShared);
        }
        row.into_item().map(Access::Granted)
    }

    /// The fingerprints of those of the orders that are stored.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn fingerprints(
        &self,
        connection_id: &str,
        order_ids: &[String],
    ) -> Result<HashMap<String, String>, StoreError> {
        let mut known = HashMap::with_capacity(order_ids.len());
        for chunk in order_ids.chunks(LINES_PER_STATEMENT) {
            let mut query = QueryBuilder::new("SELECT order_id, fingerprint FROM orders WHERE connection_id = ");
            query.push_bind(connection_id).push(" AND fingerprint IS NOT NULL AND order_id IN (");
            let mut ids = query.separated(", ");
            for id in chunk {
                ids.push_bind(id);
            }
            query.push(")");
            let rows: Vec<(String, String)> = query.build_query_as().fetch_all(&self.pool).await?;
            known.extend(rows);
        }
        Ok(known)
    }
}

fn matching(select: &'static str, caller: &Caller, filter: &OrderFilter) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(select);
    query.push(" FROM order_items i WHERE i.user_id = ").push_bind(caller.user_id.clone());
    query.push(" AND i.connection_id IN (SELECT connection_id FROM connection_shares WHERE client_id = ");
    query.push_bind(caller.client_id.clone()).push(")");
    if let Some(retailer_id) = filter.retailer_id {
        query.push(" AND i.retailer_id = ").push_bind(retailer_id);
    }
    if let Some(start) = filter.start {
        query.push(" AND i.order_date >= ").push_bind(micros(start));
    }
    if let Some(end) = filter.end {
        query.push(" AND i.order_date < ").push_bind(micros(end));
    }
    query
}

/// Stores a page under a claim that is known to hold.
pub(super) async fn store_page(
    tx: &mut Write,
    claim: &Claim,
    now: DateTime<Utc>,
    page: &Page,
) -> Result<StoredPage, StoreError> {
    let mut sum = StoredPage::default();
    let mut fresh = Vec::new();
    for order in &page.orders {
        let lines = identify(&claim.connection_id, &claim.retailer_name, order);
        let earlier = earlier_lines(tx, claim, &order.order_id).await?;
        if seen(tx, claim, order, lines.len()).await? {
            sum.found += stored(lines.len());
        }
        for line in &lines {
            match earlier.get(&line.id) {
                Some(content) if content[..] == line.content => {}
                Some(_) => update(tx, claim, now, order, line).await?,
                None => sum.new += 1,
            }
        }
        for gone in earlier.keys().filter(|id| !lines.iter().any(|line| line.id == **id)) {
            sqlx::query("DELETE FROM order_items WHERE id = ?").bind(gone).execute(&mut **tx).await?;
        }
        fresh.extend(lines.into_iter().filter(|line| !earlier.contains_key(&line.id)).map(|line| (order, line)));
    }
    for chunk in fresh.chunks(LINES_PER_STATEMENT) {
        insert(tx, claim, now, chunk).await?;
    }
    for order_id in &page.unchanged {
        let items: Option<i64> = sqlx::query_scalar(
            "UPDATE orders SET last_batch_id = ?1 WHERE connection_id = ?2 AND order_id = ?3 AND last_batch_id <> ?1
             RETURNING item_count",
        )
        .bind(&claim.batch_id)
        .bind(&claim.connection_id)
        .bind(order_id)
        .fetch_optional(&mut **tx)
        .await?;
        sum.found += items.unwrap_or(0);
    }
    Ok(sum)
}

async fn earlier_lines(tx: &mut Write, claim: &Claim, order_id: &str) -> Result<HashMap<String, Vec<u8>>, StoreError> {
    let rows: Vec<(String, Vec<u8>)> =
        sqlx::query_as("SELECT id, content_digest FROM order_items WHERE connection_id = ? AND order_id = ?")
            .bind(&claim.connection_id)
            .bind(order_id)
            .fetch_all(&mut **tx)
            .await?;
    Ok(rows.into_iter().collect())
}

/// Notes that the order was read; true where this session sees it for the first time.
async fn seen(tx: &mut Write, claim: &Claim, order: &RetailerOrder, lines: usize) -> Result<bool, StoreError> {
    let before: Option<String> =
        sqlx::query_scalar("SELECT last_batch_id FROM orders WHERE connection_id = ? AND order_id = ?")
            .bind(&claim.connection_id)
            .bind(&order.order_id)
            .fetch_optional(&mut **tx)
            .await?;
    sqlx::query(
        "INSERT INTO orders (connection_id, order_id, fingerprint, item_count, last_batch_id) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (connection_id, order_id) DO UPDATE SET fingerprint = excluded.fingerprint,
            item_count = excluded.item_count, last_batch_id = excluded.last_batch_id",
    )
    .bind(&claim.connection_id)
    .bind(&order.order_id)
    .bind(&order.fingerprint)
    .bind(stored(lines))
    .bind(&claim.batch_id)
    .execute(&mut **tx)
    .await?;
    Ok(before.as_deref() != Some(claim.batch_id.as_str()))
}

async fn insert(
    tx: &mut Write,
    claim: &Claim,
    now: DateTime<Utc>,
    lines: &[(&RetailerOrder, IdentifiedLine<'_>)],
) -> Result<(), StoreError> {
    let mut query = QueryBuilder::new(
        "INSERT INTO order_items (id, user_id, connection_id, retailer_id, retailer_name, order_id, order_date,
            item_name, brand_name, department, category, sub_category, retailer_sku, quantity, price, currency,
            shipment_status, shipment_text, order_total, content_digest, updated_at) ",
    );
    query.push_values(lines, |mut row, (order, line)| {
        let item = line.item;
        row.push_bind(line.id.as_str())
            .push_bind(claim.user_id.as_str())
            .push_bind(claim.connection_id.as_str())
            .push_bind(claim.retailer_id)
            .push_bind(claim.retailer_name.as_str())
            .push_bind(order.order_id.as_str())
            .push_bind(order.placed_at.map(micros))
            .push_bind(item.title.as_deref())
            .push_bind(item.brand.as_deref())
            .push_bind(item.department.as_deref())
            .push_bind(item.category.as_deref())
            .push_bind(item.sub_category.as_deref())
            .push_bind(item.sku.as_deref())
            .push_bind(item.quantity.map(|value| value.to_string()))
            .push_bind(item.unit_price.map(|value| value.to_string()))
            .push_bind(order.currency.as_deref())
            .push_bind(item.shipment_status.as_ref().map(Open::to_string))
            .push_bind(item.shipment_text.as_deref())
            .push_bind(order.total.map(|value| value.to_string()))
            .push_bind(&line.content[..])
            .push_bind(micros(now));
    });
    query.build().execute(&mut **tx).await?;
    Ok(())
}

async fn update(
    tx: &mut Write,
    claim: &Claim,
    now: DateTime<Utc>,
    order: &RetailerOrder,
    line: &IdentifiedLine<'_>,
) -> Result<(), StoreError> {
    let item = line.item;
    sqlx::query(
        "UPDATE order_items SET retailer_name = ?, order_date = ?, item_name = ?, brand_name = ?, department = ?,
            category = ?, sub_category = ?, retailer_sku = ?, quantity = ?, price = ?, currency = ?,
            shipment_status = ?, shipment_text = ?, order_total = ?, content_digest = ?, updated_at = ?
         WHERE id = ?",
    )
    .bind(claim.retailer_name.as_str())
    .bind(order.placed_at.map(micros))
    .bind(item.title.as_deref())
    .bind(item.brand.as_deref())
    .bind(item.department.as_deref())
    .bind(item.category.as_deref())
    .bind(item.sub_category.as_deref())
    .bind(item.sku.as_deref())
    .bind(item.quantity.map(|value| value.to_string()))
    .bind(item.unit_price.map(|value| value.to_string()))
    .bind(order.currency.as_deref())
    .bind(item.shipment_status.as_ref().map(Open::to_string))
    .bind(item.shipment_text.as_deref())
    .bind(order.total.map(|value| value.to_string()))
    .bind(&line.content[..])
    .bind(micros(now))
    .bind(line.id.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The orders of one connection, as its connector may ask for them.
pub(crate) struct StoredOrders<'a> {
    pub(crate) store: &'a Store,
    pub(crate) connection_id: &'a str,
}

#[async_trait::async_trait]
impl crate::connector::KnownOrders for StoredOrders<'_> {
    async fn fingerprints(
        &self,
        order_ids: &[String],
    ) -> Result<HashMap<String, String>, crate::connector::ConnectorError> {
        self.store.fingerprints(self.connection_id, order_ids).await.map_err(|error| {
            tracing::error!(%error, "cannot look up stored orders");
            crate::connector::ConnectorError::new(ordersync_api::SyncErrorCode::InternalError).transient()
        })
    }
}
