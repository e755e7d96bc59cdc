//! Moves the line items of a store from before version 4 of its form: they were kept field by field, and are written now
//! as they are served. In batches, each a transaction, so that a start that is cut short goes on at the next one, and
//! processes that start at once share the work.

use std::collections::HashMap;

use ordersync_api::{Extra, Open, OrderItem, ShipmentStatus, Timestamp};
use rust_decimal::Decimal;

use super::counts::Counts;
use super::ingest::insert;
use super::lines::{NewLine, first_item};
use super::positions::sort_key;
use super::{Store, StoreError, Write, stored, time};
use crate::domain::rendered::Renderer;
use crate::store::row::row;

/// Rows in a transaction.
const BATCH: i64 = 2_000;
/// After how many rows the log says so: a multiple of [`BATCH`].
const TOLD_EVERY: usize = 100_000;

row! {
    struct OldRow {
        row: i64,
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
        content_digest: Vec<u8>,
        updated_at: i64,
    }
}

impl Store {
    /// Moves what is left of the old table, and drops it.
    pub(super) async fn move_old_items(&self) -> Result<(), StoreError> {
        let mut moved = 0_usize;
        loop {
            if !self.has_old_items().await? {
                return Ok(());
            }
            let mut tx = self.write().await?;
            let there: Option<i64> = sqlx::query_scalar(HAS_OLD_ITEMS).fetch_optional(&mut *tx).await?;
            if there.is_none() {
                return Ok(());
            }
            let rows: Vec<OldRow> =
                sqlx::query_as("SELECT rowid AS \"row\", * FROM order_items ORDER BY rowid LIMIT ?")
                    .bind(BATCH)
                    .fetch_all(&mut *tx)
                    .await?;
            let Some(last) = rows.last().map(|row| row.row) else {
                sqlx::query("DROP TABLE order_items").execute(&mut *tx).await?;
                tx.commit().await?;
                if moved > 0 {
                    tracing::info!(items = stored(moved), "brought line items to this version's form");
                }
                continue;
            };
            moved += rows.len();
            let mut renderer = Renderer::default();
            let mut next = HashMap::new();
            let (mut lines, mut written) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
            for row in rows {
                let number = order_number(&mut tx, &row).await?;
                let item = match next.get(&number) {
                    Some(item) => *item,
                    None => next_item(&mut tx, number).await?,
                };
                next.insert(number, item + 1);
                let (line, item) = row.into_line(item)?;
                lines.push(line);
                written.push(item);
            }
            let mut written = written.iter();
            let write = |_: &NewLine| {
                let item = written.next().ok_or(StoreError::Corrupt("line item"))?;
                renderer.render(item).map_err(|_| StoreError::Corrupt("line item"))
            };
            let uneven = Counts::of_added(&lines).apply(&mut tx).await?;
            insert(&mut tx, lines, write).await?;
            uneven.even_out(&mut tx).await?;
            sqlx::query("DELETE FROM order_items WHERE rowid <= ?").bind(last).execute(&mut *tx).await?;
            tx.commit().await?;
            if moved.is_multiple_of(TOLD_EVERY) {
                tracing::info!(items = stored(moved), "bringing line items to this version's form");
            }
        }
    }

    async fn has_old_items(&self) -> Result<bool, StoreError> {
        let there: Option<i64> = sqlx::query_scalar(HAS_OLD_ITEMS).fetch_optional(&self.pool).await?;
        Ok(there.is_some())
    }
}

/// The number of the row's order, which gets one where it has none. Then it looks different when it is read.
async fn order_number(tx: &mut Write, row: &OldRow) -> Result<i64, StoreError> {
    let number = sqlx::query_scalar(
        "INSERT INTO orders (connection_id, order_id, item_count, last_batch_id) VALUES (?, ?, 0, '')
         ON CONFLICT DO UPDATE SET item_count = item_count RETURNING number",
    );
    Ok(number.bind(&row.connection_id).bind(&row.order_id).fetch_one(&mut **tx).await?)
}

/// The number of the order's next line.
async fn next_item(tx: &mut Write, order_number: i64) -> Result<i64, StoreError> {
    let last: Option<i64> = sqlx::query_scalar("SELECT MAX(item) FROM line_items WHERE item >= ? AND item < ?")
        .bind(first_item(order_number))
        .bind(first_item(order_number + 1))
        .fetch_one(&mut **tx)
        .await?;
    Ok(last.map_or(first_item(order_number), |last| last + 1))
}

const HAS_OLD_ITEMS: &str = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'order_items'";

impl OldRow {
    fn into_line(self, item: i64) -> Result<(NewLine, OrderItem), StoreError> {
        let placed_at = self.order_date.map(time).transpose()?;
        let written = OrderItem {
            id: self.id.as_str().into(),
            connection_id: Some(self.connection_id.as_str().into()),
            retailer_id: Some(self.retailer_id),
            retailer_name: Some(self.retailer_name),
            order_id: Some(self.order_id.as_str().into()),
            order_date: placed_at.map(|at| Timestamp(at).into()),
            item_name: self.item_name,
            brand_name: self.brand_name,
            department: self.department,
            category: self.category,
            sub_category: self.sub_category,
            retailer_sku: self.retailer_sku,
            quantity: decimal(self.quantity)?,
            price: decimal(self.price)?,
            line_total: None,
            currency: self.currency,
            shipment_status: self
                .shipment_status
                .map(|word| word.parse::<ShipmentStatus>().map_or(Open::Other(word), Open::Known)),
            shipment_text: self.shipment_text,
            order_total: decimal(self.order_total)?,
            mismatch: Vec::new(),
            missing_since: None,
            updated_at: Some(Timestamp(time(self.updated_at)?).into()),
            extra: Extra::new(),
        };
        let line = NewLine {
            item,
            id: self.id,
            line_key: None,
            connection_id: self.connection_id.into(),
            sort_key: sort_key(placed_at),
            content: self.content_digest,
        };
        Ok((line, written))
    }
}

fn decimal(text: Option<String>) -> Result<Option<Decimal>, StoreError> {
    text.map(|text| Decimal::from_str_exact(&text).map_err(|_| StoreError::Corrupt("decimal"))).transpose()
}
