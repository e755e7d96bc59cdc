//! Storing a page of orders: few statements for a page, however many orders it has, and each line written once.

mod changes;
mod known;
mod write;

use std::borrow::Cow;
use std::collections::HashSet;

use chrono::{DateTime, Utc};
use ordersync_api::Contradiction;

use self::changes::{Changes, Outcome};
use self::known::Known;
#[cfg(test)]
pub(in crate::store) use self::write::insert;
use self::write::rows_at_once;
pub(in crate::store) use self::write::update;
use crate::connector::{Page, RetailerOrder};
use crate::domain::bounds::{OutOfBounds, bounded, shown};
use crate::domain::line::identify;
use crate::store::db::dialect::sql;
use crate::store::db::json::texts;
use crate::store::db::{Argument, insert_rows, query_as};
use crate::store::orders::adjustments::of_order;
use crate::store::orders::kept_back;
use crate::store::orders::kept_back::KeptBack;
use crate::store::orders::lines::raise_list_version;
use crate::store::orders::missing;
use crate::store::orders::owner::Destination;
use crate::store::{StoreError, Write, micros, stored};

/// The counts of a page that was stored.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::store) struct StoredPage {
    /// Lines seen for the first time in this session.
    pub(in crate::store) found: i64,
    /// Lines stored for the first time ever.
    pub(in crate::store) new: i64,
    /// Lines seen for the first time in this session whose order shows figures that do not agree.
    pub(in crate::store) marked: i64,
    /// Orders without a line seen for the first time in this session.
    pub(in crate::store) empty: i64,
    /// Lines that are stored under another name now.
    pub(in crate::store) renamed: i64,
    /// Orders stored for the first time ever.
    pub(in crate::store) orders_new: i64,
    /// Stored orders that are different now.
    pub(in crate::store) orders_changed: i64,
    /// Orders that are kept back, beyond those that were before. Negative if some of these passed now.
    pub(in crate::store) kept_back: i64,
}

/// An order that was read.
struct ReadOrder<'a> {
    number: i64,
    order: &'a RetailerOrder,
}

/// Stores a page of a sync, whose claim is known to hold.
pub(in crate::store) async fn store_page(
    tx: &mut Write,
    to: Destination<'_>,
    now: DateTime<Utc>,
    page: &Page,
) -> Result<StoredPage, StoreError> {
    let mut kept_back: Vec<KeptBack<'_>> =
        page.kept_back.iter().map(|kept| KeptBack::new(kept.order_id.as_str(), &kept.reason)).collect();
    let orders: Vec<&RetailerOrder> = page.orders.iter().map(|order| &**order).collect();
    let mut sum = store_orders(tx, to, now, &orders, &mut kept_back, &mut Vec::new()).await?;
    let unchanged = note_unchanged(tx, to, &page.unchanged).await?;
    sum.found += unchanged.found;
    sum.marked += unchanged.marked;
    sum.empty += unchanged.empty;
    sum.kept_back += kept_back::note(tx, to, &kept_back).await?;
    let listed = page.unchanged.iter().map(String::as_str).chain(kept_back.iter().map(|kept| &*kept.order_id));
    if missing::unmark(tx, to, now, &listed.collect::<Vec<_>>()).await? {
        raise_list_version(tx, to.connection_id).await?;
    }
    Ok(sum)
}

/// Stores orders. Those that cannot be stored are added to `kept_back`.
pub(in crate::store) async fn store_orders<'a>(
    tx: &mut Write,
    to: Destination<'_>,
    now: DateTime<Utc>,
    orders: &[&'a RetailerOrder],
    kept_back: &mut Vec<KeptBack<'a>>,
    contradictions: &mut Vec<Contradiction>,
) -> Result<StoredPage, StoreError> {
    let mut sum = StoredPage::default();
    let orders = once_each(within_bounds(orders, kept_back));
    let mut known = Known::of(tx, to, &orders).await?;
    let orders = known.merged(tx, to, orders, contradictions).await?;
    let identified: Vec<_> = orders.iter().map(|order| identify(to.connection_id, to.retailer_name, order)).collect();
    let pages = orders.iter().map(|order| &**order).zip(&identified);
    known.read_documents(tx, to, pages.clone()).await?;
    let mut changes = Changes::new(to, now);
    let mut read = Vec::with_capacity(identified.len());
    for (order, lines) in pages {
        let outcome = match known.order(&order.order_id) {
            Some(stored) => changes.compare(order, lines, stored)?,
            None => changes.add(order, lines, known.take_number(), known.is_former(&order.order_id)),
        };
        let number = match outcome {
            Outcome::Taken(number) => number,
            Outcome::NoRoom => {
                kept_back.push(KeptBack::new(order.order_id.clone(), OutOfBounds::Lines.to_string()));
                continue;
            }
        };
        read.push(ReadOrder { number, order });
        if known.is_first_sight(to, &order.order_id) {
            sum.found += stored(lines.len());
            sum.empty += i64::from(lines.is_empty());
            sum.marked += if order.mismatch.is_empty() { 0 } else { stored(lines.len()) };
        }
    }
    sum.orders_new = stored(read.len()) - known.count();
    sum.orders_changed = changes.changed_orders();
    sum.new = changes.new_lines();
    sum.renamed = changes.renamed_lines();
    let is_changed = changes.apply(tx, to.owner()).await?;
    note_read(tx, to, now, &read).await?;
    sum.kept_back -= known.passed();
    if is_changed {
        raise_list_version(tx, to.connection_id).await?;
    }
    Ok(sum)
}

/// The orders as they may be stored. Those that may not are added to `kept_back`.
fn within_bounds<'a>(orders: &[&'a RetailerOrder], kept_back: &mut Vec<KeptBack<'a>>) -> Vec<Cow<'a, RetailerOrder>> {
    let mut within = Vec::with_capacity(orders.len());
    for order in orders {
        match bounded(order) {
            Ok(order) => within.push(order),
            Err(reason) => {
                tracing::warn!(order_id = shown(&order.order_id), %reason, "an order cannot be stored");
                kept_back.push(KeptBack::new(order.order_id.as_str(), reason.to_string()));
            }
        }
    }
    within
}

/// The orders of a page, each once: if one comes twice, its last version.
fn once_each(orders: Vec<Cow<'_, RetailerOrder>>) -> Vec<Cow<'_, RetailerOrder>> {
    let mut seen = HashSet::with_capacity(orders.len());
    let mut once: Vec<_> = orders.into_iter().rev().filter(|order| seen.insert(order.order_id.clone())).collect();
    once.reverse();
    once
}

/// Notes which orders were read, when, and how they looked.
async fn note_read(
    tx: &mut Write,
    to: Destination<'_>,
    now: DateTime<Utc>,
    read: &[ReadOrder<'_>],
) -> Result<(), StoreError> {
    let mut left = read;
    while !left.is_empty() {
        let (rows, rest) = left.split_at(rows_at_once(tx.dialect(), left.len()));
        left = rest;
        let row = |read: &ReadOrder<'_>| {
            Ok([
                Argument::from(to.user_id),
                to.connection.into(),
                read.number.into(),
                (&read.order.order_id).into(),
                read.order.fingerprint.as_deref().into(),
                stored(read.order.items.len()).into(),
                (to.batch_id).into(),
                (to.batch_id).into(),
                micros(now).into(),
                (!read.order.mismatch.is_empty()).into(),
                of_order(read.order)?.into(),
                sources(read.order)?.into(),
                read.order.stated_at.map(micros).into(),
            ])
        };
        insert_rows(
            tx,
            "INSERT INTO orders (user_id, connection, number, order_id, fingerprint, item_count, last_batch_id,
                first_batch_id, read_at, marked, adjustments, sources, stated_at)",
            rows.iter().map(row).collect::<Result<_, StoreError>>()?,
            "ON CONFLICT (user_id, connection, number) DO UPDATE SET fingerprint = excluded.fingerprint,
                item_count = excluded.item_count, last_batch_id = excluded.last_batch_id, read_at = excluded.read_at,
                missing_since = NULL, marked = excluded.marked,
                adjustments = COALESCE(excluded.adjustments, orders.adjustments), sources = excluded.sources,
                stated_at = excluded.stated_at",
        )
        .await?;
    }
    Ok(())
}

/// Where an order comes from, as it is stored.
fn sources(order: &RetailerOrder) -> Result<Option<String>, StoreError> {
    let written = || serde_json::to_string(&order.sources).map_err(|_| StoreError::Corrupt("order"));
    (!order.sources.is_empty()).then(written).transpose()
}

/// Notes which orders were seen to be unchanged, and counts those that this session had not seen yet.
async fn note_unchanged(tx: &mut Write, to: Destination<'_>, order_ids: &[String]) -> Result<StoredPage, StoreError> {
    let mut sum = StoredPage::default();
    if order_ids.is_empty() {
        return Ok(sum);
    }
    let lines: Vec<(i64, bool)> = query_as(sql!(
        [update listed orders],
        "last_batch_id = $4",
        [where listed],
        "orders.last_batch_id <> $4 RETURNING item_count, marked <> 0",
    ))
    .bind_owner(to.owner())
    .bind_all((texts(order_ids)?, to.batch_id))
    .fetch_all(&mut *tx)
    .await?;
    sum.found = lines.iter().map(|(lines, _)| lines).sum();
    sum.empty = stored(lines.iter().filter(|(lines, _)| *lines == 0).count());
    sum.marked = lines.iter().filter(|(_, marked)| *marked).map(|(lines, _)| lines).sum();
    Ok(sum)
}
