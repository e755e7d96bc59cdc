//! Storing a page of orders: few statements for a page, however many orders it has, and each line written once.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use ordersync_api::{Extra, Open, OrderItem, ShipmentStatus, Timestamp};
use sqlx::QueryBuilder;

use super::positions::{sort_key, split_full};
use super::queue::Claim;
use super::{StoreError, Write, micros, stored, time};
use crate::connector::{Page, RetailerOrder};
use crate::domain::line::{IdentifiedLine, identify};
use crate::domain::rendered::{Rendered, Renderer};

/// How many rows go into a statement: few sizes, so that the statements are prepared once and kept.
const ROWS: [usize; 3] = [64, 8, 1];

/// What a page added.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StoredPage {
    /// Lines seen for the first time in this session.
    pub(super) found: i64,
    /// Lines stored for the first time ever.
    pub(super) new: i64,
}

/// A line as it is stored.
pub(super) struct NewLine {
    pub(super) id: String,
    pub(super) connection_id: String,
    pub(super) order_id: String,
    pub(super) sort_key: i64,
    pub(super) content: Vec<u8>,
    pub(super) rendered: Rendered,
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
    let orders = once_each(&page.orders);
    let seen_in = seen_in(tx, claim, &orders).await?;
    let mut earlier = earlier_lines(tx, claim, &seen_in).await?;
    let mut renderer = Renderer::default();
    let (mut fresh, mut changed) = (Vec::new(), false);
    let mut read = Vec::with_capacity(orders.len());
    for order in orders {
        let lines = identify(&claim.connection_id, &claim.retailer_name, order);
        read.push((order, stored(lines.len())));
        if seen_in.get(order.order_id.as_str()) != Some(&claim.batch_id) {
            sum.found += stored(lines.len());
        }
        for line in lines {
            match earlier.remove(&line.id) {
                Some(content) if content[..] == line.content => {}
                Some(_) => {
                    update(tx, &new_line(&mut renderer, claim, now, order, line)?).await?;
                    changed = true;
                }
                None => fresh.push(new_line(&mut renderer, claim, now, order, line)?),
            }
        }
    }
    for gone in earlier.keys() {
        sqlx::query("DELETE FROM line_items WHERE id = ?").bind(gone).execute(&mut **tx).await?;
    }
    sum.new = stored(fresh.len());
    if changed || !fresh.is_empty() || !earlier.is_empty() {
        sqlx::query("UPDATE connections SET list_version = list_version + 1 WHERE id = ?")
            .bind(&claim.connection_id)
            .execute(&mut **tx)
            .await?;
    }
    insert(tx, &fresh).await?;
    split_full(tx).await?;
    note_read(tx, claim, &read).await?;
    sum.found += note_unchanged(tx, claim, &page.unchanged).await?;
    Ok(sum)
}

/// The orders of a page, each once: of one that comes twice, as it came last.
fn once_each(orders: &[RetailerOrder]) -> Vec<&RetailerOrder> {
    let mut seen = HashSet::with_capacity(orders.len());
    let mut once: Vec<_> = orders.iter().rev().filter(|order| seen.insert(order.order_id.as_str())).collect();
    once.reverse();
    once
}

/// Those of the orders that are stored, with the session that saw each last.
async fn seen_in(
    tx: &mut Write,
    claim: &Claim,
    orders: &[&RetailerOrder],
) -> Result<HashMap<String, String>, StoreError> {
    let ids: Vec<&str> = orders.iter().map(|order| order.order_id.as_str()).collect();
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT order_id, last_batch_id FROM orders
         WHERE connection_id = ? AND order_id IN (SELECT value FROM json_each(?))",
    )
    .bind(&claim.connection_id)
    .bind(list(&ids)?)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().collect())
}

/// The lines of these orders that are stored, each with the digest of its content.
async fn earlier_lines(
    tx: &mut Write,
    claim: &Claim,
    known: &HashMap<String, String>,
) -> Result<HashMap<String, Vec<u8>>, StoreError> {
    if known.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<&str> = known.keys().map(String::as_str).collect();
    let rows: Vec<(String, Vec<u8>)> = sqlx::query_as(
        "SELECT id, content_digest FROM line_items
         WHERE connection_id = ? AND order_id IN (SELECT value FROM json_each(?))",
    )
    .bind(&claim.connection_id)
    .bind(list(&ids)?)
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().collect())
}

/// Notes which orders were read, and how they looked.
async fn note_read(tx: &mut Write, claim: &Claim, read: &[(&RetailerOrder, i64)]) -> Result<(), StoreError> {
    for rows in in_sizes(read) {
        let mut query =
            QueryBuilder::new("INSERT INTO orders (connection_id, order_id, fingerprint, item_count, last_batch_id) ");
        query.push_values(rows, |mut row, (order, lines)| {
            row.push_bind(claim.connection_id.as_str())
                .push_bind(order.order_id.as_str())
                .push_bind(order.fingerprint.as_deref())
                .push_bind(*lines)
                .push_bind(claim.batch_id.as_str());
        });
        query.push(
            " ON CONFLICT (connection_id, order_id) DO UPDATE SET fingerprint = excluded.fingerprint,
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

/// A line, written. Times are those that the store can hold: whole microseconds.
fn new_line(
    renderer: &mut Renderer,
    claim: &Claim,
    now: DateTime<Utc>,
    order: &RetailerOrder,
    line: IdentifiedLine<'_>,
) -> Result<NewLine, StoreError> {
    let at = |at: DateTime<Utc>| time(micros(at)).map(|at| Open::Known(Timestamp(at)));
    let known = |status: &Open<ShipmentStatus>| {
        let word = status.to_string();
        word.parse::<ShipmentStatus>().map_or(Open::Other(word), Open::Known)
    };
    let item = OrderItem {
        id: line.id.as_str().into(),
        connection_id: Some(claim.connection_id.as_str().into()),
        retailer_id: Some(claim.retailer_id),
        retailer_name: Some(claim.retailer_name.clone()),
        order_id: Some(order.order_id.as_str().into()),
        order_date: order.placed_at.map(at).transpose()?,
        item_name: line.item.title.clone(),
        brand_name: line.item.brand.clone(),
        department: line.item.department.clone(),
        category: line.item.category.clone(),
        sub_category: line.item.sub_category.clone(),
        retailer_sku: line.item.sku.clone(),
        quantity: line.item.quantity,
        price: line.item.unit_price,
        currency: order.currency.clone(),
        shipment_status: line.item.shipment_status.as_ref().map(known),
        shipment_text: line.item.shipment_text.clone(),
        order_total: order.total,
        updated_at: Some(at(now)?),
        extra: Extra::new(),
    };
    Ok(NewLine {
        rendered: renderer.render(&item).map_err(|_| StoreError::Corrupt("line item"))?,
        id: line.id,
        connection_id: claim.connection_id.clone(),
        order_id: order.order_id.clone(),
        sort_key: sort_key(order.placed_at),
        content: line.content.to_vec(),
    })
}

/// Stores lines that are not stored yet.
pub(super) async fn insert(tx: &mut Write, lines: &[NewLine]) -> Result<(), StoreError> {
    for rows in in_sizes(lines) {
        let mut query = QueryBuilder::new(
            "INSERT INTO line_items (id, connection_id, order_id, sort_key, content_digest, document, csv) ",
        );
        query.push_values(rows, |mut row, line| {
            row.push_bind(line.id.as_str())
                .push_bind(line.connection_id.as_str())
                .push_bind(line.order_id.as_str())
                .push_bind(line.sort_key)
                .push_bind(line.content.as_slice())
                .push_bind(line.rendered.document.as_str())
                .push_bind(line.rendered.csv.as_str());
        });
        query.build().execute(&mut **tx).await?;
    }
    Ok(())
}

async fn update(tx: &mut Write, line: &NewLine) -> Result<(), StoreError> {
    sqlx::query("UPDATE line_items SET sort_key = ?, content_digest = ?, document = ?, csv = ? WHERE id = ?")
        .bind(line.sort_key)
        .bind(&line.content)
        .bind(&line.rendered.document)
        .bind(&line.rendered.csv)
        .bind(&line.id)
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
