//! Storing a page of orders: few statements for a page, however many orders it has, and each line written once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use ordersync_api::{Extra, Open, OrderItem, ShipmentStatus, Timestamp};
use sqlx::QueryBuilder;

use super::positions::{count_added, sort_key, split_full};
use super::queue::Claim;
use super::{StoreError, Write, micros, stored, time};
use crate::connector::{LineItem, Page, RetailerOrder};
use crate::domain::line::{IdentifiedLine, identify};
use crate::domain::rendered::{Rendered, Renderer};

/// How many rows go into a statement: few sizes, so that the statements are prepared once and kept.
const ROWS: [usize; 4] = [256, 32, 4, 1];
/// How many bits of a line's number in the table say which of its order's lines it is; those above are the order's number.
/// The migration says the same.
pub(super) const LINE_BITS: u32 = 20;

/// What a page added.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StoredPage {
    /// Lines seen for the first time in this session.
    pub(super) found: i64,
    /// Lines stored for the first time ever.
    pub(super) new: i64,
}

/// A line that is to be stored, but for what is served of it.
pub(super) struct NewLine {
    /// Its number: see [`LINE_BITS`].
    pub(super) item: i64,
    pub(super) id: String,
    pub(super) connection_id: Arc<str>,
    pub(super) sort_key: i64,
    pub(super) content: Vec<u8>,
}

/// An order that is stored already.
struct StoredOrder {
    number: i64,
    /// The session that saw it last.
    last_batch_id: String,
    /// The number of its next line.
    next_item: i64,
}

/// A line that is stored already.
struct StoredLine {
    item: i64,
    content: Vec<u8>,
}

/// An order that was read.
struct ReadOrder<'a> {
    number: i64,
    order: &'a RetailerOrder,
    lines: i64,
}

/// A list for `json_each`.
pub(super) fn list<T: serde::Serialize>(items: &[T]) -> Result<String, StoreError> {
    serde_json::to_string(items).map_err(|_| StoreError::Corrupt("identifier"))
}

/// Stores a page under a claim that is known to hold.
pub(super) async fn store_page(
    tx: &mut Write,
    claim: &Claim,
    now: DateTime<Utc>,
    page: &Page,
) -> Result<StoredPage, StoreError> {
    let mut sum = StoredPage::default();
    let connection_id: Arc<str> = claim.connection_id.as_str().into();
    let orders = once_each(&page.orders);
    let mut known = stored_orders(tx, claim, &orders).await?;
    let mut earlier = stored_lines(tx, &mut known).await?;
    let mut next_number = next_order_number(tx).await?;
    let mut writer = LineWriter::new(claim, now);
    let (mut fresh, mut sources, mut changed) = (Vec::new(), Vec::new(), false);
    let mut read = Vec::with_capacity(orders.len());
    for order in orders {
        let lines = identify(&claim.connection_id, &claim.retailer_name, order);
        let (number, mut next_item) = match known.get(order.order_id.as_str()) {
            Some(stored) => (stored.number, stored.next_item),
            None => (next_number, first_item(next_number)),
        };
        next_number = next_number.max(number + 1);
        read.push(ReadOrder { number, order, lines: stored(lines.len()) });
        if known.get(order.order_id.as_str()).is_none_or(|stored| stored.last_batch_id != claim.batch_id) {
            sum.found += stored(lines.len());
        }
        for line in lines {
            match earlier.remove(&line.id) {
                Some(stored) if stored.content[..] == line.content => {}
                Some(stored) => {
                    let rendered = writer.write(&line.id, order, line.item)?;
                    update(tx, stored.item, order, &line, rendered).await?;
                    changed = true;
                }
                None if next_item < first_item(number + 1) => {
                    sources.push((order, line.item));
                    fresh.push(NewLine {
                        item: next_item,
                        id: line.id,
                        connection_id: Arc::clone(&connection_id),
                        sort_key: sort_key(order.placed_at),
                        content: line.content.to_vec(),
                    });
                    next_item += 1;
                }
                None => return Err(StoreError::TooManyLines),
            }
        }
    }
    for gone in earlier.values() {
        sqlx::query("DELETE FROM line_items WHERE item = ?").bind(gone.item).execute(&mut **tx).await?;
    }
    sum.new = stored(fresh.len());
    if changed || !fresh.is_empty() || !earlier.is_empty() {
        sqlx::query("UPDATE connections SET list_version = list_version + 1 WHERE id = ?")
            .bind(&claim.connection_id)
            .execute(&mut **tx)
            .await?;
    }
    let mut sources = sources.into_iter();
    let write = |line: &NewLine| {
        let (order, item) = sources.next().ok_or(StoreError::Corrupt("line item"))?;
        writer.write(&line.id, order, item)
    };
    insert(tx, fresh, write).await?;
    split_full(tx).await?;
    note_read(tx, claim, &read).await?;
    sum.found += note_unchanged(tx, claim, &page.unchanged).await?;
    Ok(sum)
}

/// The number of the first line of the order of this number.
pub(super) const fn first_item(order_number: i64) -> i64 {
    order_number << LINE_BITS
}

/// The orders of a page, each once: of one that comes twice, as it came last.
fn once_each(orders: &[RetailerOrder]) -> Vec<&RetailerOrder> {
    let mut seen = HashSet::with_capacity(orders.len());
    let mut once: Vec<_> = orders.iter().rev().filter(|order| seen.insert(order.order_id.as_str())).collect();
    once.reverse();
    once
}

/// Those of the orders that are stored.
async fn stored_orders(
    tx: &mut Write,
    claim: &Claim,
    orders: &[&RetailerOrder],
) -> Result<HashMap<String, StoredOrder>, StoreError> {
    let ids: Vec<&str> = orders.iter().map(|order| order.order_id.as_str()).collect();
    let rows: Vec<(String, i64, String)> = sqlx::query_as(
        "SELECT order_id, number, last_batch_id FROM orders
         WHERE connection_id = ? AND order_id IN (SELECT value FROM json_each(?))",
    )
    .bind(&claim.connection_id)
    .bind(list(&ids)?)
    .fetch_all(&mut **tx)
    .await?;
    let order = |number, last_batch_id| StoredOrder { number, last_batch_id, next_item: first_item(number) };
    Ok(rows.into_iter().map(|(id, number, last_batch_id)| (id, order(number, last_batch_id))).collect())
}

/// The lines of these orders that are stored, by their ids. Finds out which number each order's next line has.
async fn stored_lines(
    tx: &mut Write,
    known: &mut HashMap<String, StoredOrder>,
) -> Result<HashMap<String, StoredLine>, StoreError> {
    if known.is_empty() {
        return Ok(HashMap::new());
    }
    let numbers: Vec<i64> = known.values().map(|order| order.number).collect();
    let rows: Vec<(i64, String, Vec<u8>)> = sqlx::query_as(
        "SELECT i.item, i.id, i.content_digest FROM json_each(?) o
         CROSS JOIN line_items i ON i.item >= o.value << 20 AND i.item < (o.value + 1) << 20",
    )
    .bind(list(&numbers)?)
    .fetch_all(&mut **tx)
    .await?;
    let mut next = HashMap::<i64, i64>::new();
    for (item, ..) in &rows {
        let next = next.entry(item >> LINE_BITS).or_default();
        *next = (*next).max(item + 1);
    }
    for order in known.values_mut() {
        order.next_item = next.get(&order.number).copied().unwrap_or(order.next_item);
    }
    Ok(rows.into_iter().map(|(item, id, content)| (id, StoredLine { item, content })).collect())
}

/// The number of the next order that is stored for the first time.
pub(super) async fn next_order_number(tx: &mut Write) -> Result<i64, StoreError> {
    let last: Option<i64> = sqlx::query_scalar("SELECT MAX(number) FROM orders").fetch_one(&mut **tx).await?;
    Ok(last.unwrap_or(0) + 1)
}

/// Notes which orders were read, and how they looked.
async fn note_read(tx: &mut Write, claim: &Claim, read: &[ReadOrder<'_>]) -> Result<(), StoreError> {
    for rows in in_sizes(read) {
        let mut query = QueryBuilder::new(
            "INSERT INTO orders (number, connection_id, order_id, fingerprint, item_count, last_batch_id) ",
        );
        query.push_values(rows, |mut row, read| {
            row.push_bind(read.number)
                .push_bind(claim.connection_id.as_str())
                .push_bind(read.order.order_id.as_str())
                .push_bind(read.order.fingerprint.as_deref())
                .push_bind(read.lines)
                .push_bind(claim.batch_id.as_str());
        });
        query.push(
            " ON CONFLICT (number) DO UPDATE SET fingerprint = excluded.fingerprint,
                item_count = excluded.item_count, last_batch_id = excluded.last_batch_id",
        );
        query.build().execute(&mut **tx).await?;
    }
    Ok(())
}

/// Notes which orders were seen to be unchanged. Returns how many lines those have that this session had not seen yet.
async fn note_unchanged(tx: &mut Write, claim: &Claim, order_ids: &[String]) -> Result<i64, StoreError> {
    if order_ids.is_empty() {
        return Ok(0);
    }
    let lines: Vec<i64> = sqlx::query_scalar(
        "UPDATE orders SET last_batch_id = ?1
         WHERE connection_id = ?2 AND order_id IN (SELECT value FROM json_each(?3)) AND last_batch_id <> ?1
         RETURNING item_count",
    )
    .bind(&claim.batch_id)
    .bind(&claim.connection_id)
    .bind(list(order_ids)?)
    .fetch_all(&mut **tx)
    .await?;
    Ok(lines.into_iter().sum())
}

/// Writes the lines of a page.
struct LineWriter<'a> {
    renderer: Renderer,
    claim: &'a Claim,
    now: DateTime<Utc>,
}

impl<'a> LineWriter<'a> {
    fn new(claim: &'a Claim, now: DateTime<Utc>) -> Self {
        Self { renderer: Renderer::default(), claim, now }
    }

    fn write(&mut self, id: &str, order: &RetailerOrder, line: &LineItem) -> Result<Rendered, StoreError> {
        let known = |status: &Open<ShipmentStatus>| match status {
            Open::Known(status) => Open::Known(*status),
            Open::Other(word) => word.parse::<ShipmentStatus>().map_or_else(|_| status.clone(), Open::Known),
        };
        let item = OrderItem {
            id: id.into(),
            connection_id: Some(self.claim.connection_id.as_str().into()),
            retailer_id: Some(self.claim.retailer_id),
            retailer_name: Some(self.claim.retailer_name.clone()),
            order_id: Some(order.order_id.as_str().into()),
            order_date: order.placed_at.map(storable).transpose()?,
            item_name: line.title.clone(),
            brand_name: line.brand.clone(),
            department: line.department.clone(),
            category: line.category.clone(),
            sub_category: line.sub_category.clone(),
            retailer_sku: line.sku.clone(),
            quantity: line.quantity,
            price: line.unit_price,
            line_total: line.line_total,
            currency: order.currency.clone(),
            shipment_status: line.shipment_status.as_ref().map(known),
            shipment_text: line.shipment_text.clone(),
            order_total: order.total,
            mismatch: order.mismatch.clone(),
            missing_since: None,
            updated_at: Some(storable(self.now)?),
            extra: Extra::new(),
        };
        self.renderer.render(&item).map_err(|_| StoreError::Corrupt("line item"))
    }
}

/// A time as the store can hold it: in whole microseconds.
fn storable(at: DateTime<Utc>) -> Result<Open<Timestamp>, StoreError> {
    time(micros(at)).map(|at| Open::Known(Timestamp(at)))
}

/// Stores lines that are not stored yet, and counts them: no trigger counts what comes. `write` gives what is served of each,
/// in their order, for some while the database stores those before them.
pub(super) async fn insert(
    tx: &mut Write,
    lines: Vec<NewLine>,
    mut write: impl FnMut(&NewLine) -> Result<Rendered, StoreError>,
) -> Result<(), StoreError> {
    count_added(tx, &lines).await?;
    let mut left = lines.into_iter();
    let mut next_rows = || {
        let size = ROWS.into_iter().find(|size| *size <= left.len()).unwrap_or(0);
        let rows = left.by_ref().take(size);
        rows.map(|line| write(&line).map(|rendered| (line, rendered))).collect::<Result<Vec<_>, _>>()
    };
    let mut rows = next_rows()?;
    while !rows.is_empty() {
        let mut query = QueryBuilder::new(
            "INSERT INTO line_items (item, id, connection_id, sort_key, content_digest, document, csv) ",
        );
        query.push_values(rows, |mut row, (line, rendered)| {
            row.push_bind(line.item)
                .push_bind(line.id)
                .push_bind(line.connection_id)
                .push_bind(line.sort_key)
                .push_bind(line.content)
                .push_bind(rendered.document)
                .push_bind(rendered.csv);
        });
        let (stored, next) = tokio::join!(query.build().execute(&mut **tx), async { next_rows() });
        stored?;
        rows = next?;
    }
    Ok(())
}

async fn update(
    tx: &mut Write,
    item: i64,
    order: &RetailerOrder,
    line: &IdentifiedLine<'_>,
    rendered: Rendered,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE line_items SET sort_key = ?, content_digest = ?, document = ?, csv = ? WHERE item = ?")
        .bind(sort_key(order.placed_at))
        .bind(&line.content[..])
        .bind(rendered.document)
        .bind(rendered.csv)
        .bind(item)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// All rows, in pieces of the sizes of [`ROWS`].
fn in_sizes<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    std::iter::from_fn(move || {
        let size = ROWS.into_iter().find(|size| *size <= rest.len())?;
        let (piece, left) = rest.split_at(size);
        rest = left;
        Some(piece)
    })
}
