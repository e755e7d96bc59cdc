//! Moves the line items of a store from before version 4 of its form: they were kept field by field, and are written now
//! as they are served. In batches, each a transaction, so that a start that is cut short goes on at the next one, and
//! processes that start at once share the work.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ordersync_api::{Extra, Open, OrderItem, ShipmentStatus, Timestamp};
use rust_decimal::Decimal;

use super::counts::Counts;
use super::ingest::insert;
use super::lines::{NewLine, first_item};
use super::owner::Owner;
use super::positions::sort_key;
use super::{Store, StoreError, Write, stored, time};
use crate::domain::rendered::Renderer;
use crate::store::db::{query, query_as, query_scalar};
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
            let there = query(HAS_OLD_ITEMS).exists(&mut tx).await?;
            if !there {
                return Ok(());
            }
            let rows: Vec<OldRow> = query_as("SELECT rowid AS \"row\", * FROM order_items ORDER BY rowid LIMIT $1")
                .bind(BATCH)
                .fetch_all(&mut tx)
                .await?;
            let Some(last) = rows.last().map(|row| row.row) else {
                query("DROP TABLE order_items").execute(&mut tx).await?;
                tx.commit().await?;
                if moved > 0 {
                    tracing::info!(items = stored(moved), "brought line items to this version's form");
                }
                continue;
            };
            moved += rows.len();
            let mut connections: HashMap<String, Moving> = HashMap::new();
            for row in rows {
                let moving = match connections.entry(row.connection_id.clone()) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => {
                        let moving = Moving::of(&mut tx, &row.connection_id).await?;
                        entry.insert(moving)
                    }
                };
                moving.add(&mut tx, row).await?;
            }
            for moving in connections.into_values() {
                moving.store(&mut tx).await?;
            }
            query("DELETE FROM order_items WHERE rowid <= $1").bind(last).execute(&mut tx).await?;
            tx.commit().await?;
            if moved.is_multiple_of(TOLD_EVERY) {
                tracing::info!(items = stored(moved), "bringing line items to this version's form");
            }
        }
    }

    async fn has_old_items(&self) -> Result<bool, StoreError> {
        let there = query(HAS_OLD_ITEMS).exists(&self.pool).await?;
        Ok(there)
    }
}

/// Line items of one connection that are moved.
struct Moving {
    user_id: String,
    connection: i64,
    /// By their orders' numbers, the numbers of the next lines.
    next: HashMap<i64, i64>,
    lines: Vec<NewLine>,
    written: Vec<OrderItem>,
}

impl Moving {
    async fn of(tx: &mut Write, connection_id: &str) -> Result<Self, StoreError> {
        let (user_id, connection) = query_as("SELECT user_id, number FROM connections WHERE id = $1")
            .bind(connection_id)
            .fetch_one(&mut *tx)
            .await?;
        Ok(Self { user_id, connection, next: HashMap::new(), lines: Vec::new(), written: Vec::new() })
    }

    fn owner(&self) -> Owner<'_> {
        Owner { user_id: &self.user_id, connection: self.connection }
    }

    async fn add(&mut self, tx: &mut Write, row: OldRow) -> Result<(), StoreError> {
        let number = self.order_number(tx, &row).await?;
        let item = match self.next.get(&number) {
            Some(item) => *item,
            None => self.next_item(tx, number).await?,
        };
        self.next.insert(number, item + 1);
        let (line, written) = row.into_line(item)?;
        self.lines.push(line);
        self.written.push(written);
        Ok(())
    }

    /// The number of the row's order, which gets one where it has none. Then it looks different when it is read.
    async fn order_number(&self, tx: &mut Write, row: &OldRow) -> Result<i64, StoreError> {
        let known: Option<i64> =
            query_scalar("SELECT number FROM orders WHERE user_id = $1 AND connection = $2 AND order_id = $3")
                .bind(&self.user_id)
                .bind(self.connection)
                .bind(&row.order_id)
                .fetch_optional(&mut *tx)
                .await?;
        if let Some(known) = known {
            return Ok(known);
        }
        let number: i64 =
            query_scalar("UPDATE connections SET orders_made = orders_made + 1 WHERE id = $1 RETURNING orders_made")
                .bind(&row.connection_id)
                .fetch_one(&mut *tx)
                .await?;
        query(
            "INSERT INTO orders (user_id, connection, number, order_id, item_count, last_batch_id)
             VALUES ($1, $2, $3, $4, 0, '')",
        )
        .bind(&self.user_id)
        .bind(self.connection)
        .bind(number)
        .bind(&row.order_id)
        .execute(&mut *tx)
        .await?;
        Ok(number)
    }

    /// The number of the order's next line.
    async fn next_item(&self, tx: &mut Write, order_number: i64) -> Result<i64, StoreError> {
        let last: Option<i64> = query_scalar(
            "SELECT MAX(item) FROM line_items WHERE user_id = $1 AND connection = $2 AND item >= $3 AND item < $4",
        )
        .bind(&self.user_id)
        .bind(self.connection)
        .bind(first_item(order_number))
        .bind(first_item(order_number + 1))
        .fetch_one(&mut *tx)
        .await?;
        Ok(last.map_or(first_item(order_number), |last| last + 1))
    }

    async fn store(mut self, tx: &mut Write) -> Result<(), StoreError> {
        let lines = std::mem::take(&mut self.lines);
        let mut renderer = Renderer::default();
        let mut written = self.written.iter();
        let write = |_: &NewLine| {
            let item = written.next().ok_or(StoreError::Corrupt("line item"))?;
            renderer.render(item).map_err(|_| StoreError::Corrupt("line item"))
        };
        let uneven = Counts::of_added(self.owner(), &lines).apply(tx).await?;
        insert(tx, self.owner(), lines, write).await?;
        uneven.even_out(tx).await
    }
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
            order_date_precision: None,
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
            line_number: None,
            extra: Extra::new(),
        };
        let line =
            NewLine { item, id: self.id, line_key: None, sort_key: sort_key(placed_at), content: self.content_digest };
        Ok((line, written))
    }
}

fn decimal(text: Option<String>) -> Result<Option<Decimal>, StoreError> {
    text.map(|text| Decimal::from_str_exact(&text).map_err(|_| StoreError::Corrupt("decimal"))).transpose()
}
