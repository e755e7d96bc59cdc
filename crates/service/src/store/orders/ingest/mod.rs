//! Storing a page of orders: few statements for a page, however many orders it has, and each line written once.

mod changes;
mod known;
mod write;

use std::borrow::Cow;
use std::collections::HashSet;

use chrono::{DateTime, Utc};

use self::changes::{Changes, Outcome};
use self::known::Known;
#[cfg(test)]
pub(in crate::store) use self::write::insert;
use self::write::rows_at_once;
pub(in crate::store) use self::write::update;
use crate::connector::{CheckedOrder, Page, RetailerOrder};
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
use crate::store::syncs::queue::Claim;
use crate::store::{StoreError, Write, micros, stored};

/// What a page added.
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
    /// Orders that are kept back, beyond those that were before. Negative if some of these passed now.
    pub(in crate::store) kept_back: i64,
}

/// An order that was read.
struct ReadOrder<'a> {
    number: i64,
    order: &'a RetailerOrder,
}

/// Stores a page under a claim that is known to hold.
pub(in crate::store) async fn store_page(
    tx: &mut Write,
    claim: &Claim,
    now: DateTime<Utc>,
    page: &Page,
) -> Result<StoredPage, StoreError> {
    let mut sum = StoredPage::default();
    let mut kept_back: Vec<KeptBack<'_>> =
        page.kept_back.iter().map(|kept| KeptBack::new(&kept.order_id, &kept.reason)).collect();
    let orders = within_bounds(&page.orders, &mut kept_back);
    let orders = once_each(&orders);
    let mut known = Known::of(tx, claim, &orders).await?;
    let identified: Vec<_> =
        orders.iter().map(|order| identify(&claim.connection_id, &claim.retailer_name, order)).collect();
    let pages = orders.into_iter().zip(&identified);
    known.read_documents(tx, claim, pages.clone()).await?;
    let mut changes = Changes::new(claim, now);
    let mut read = Vec::with_capacity(identified.len());
    for (order, lines) in pages {
        let outcome = match known.order(&order.order_id) {
            Some(stored) => changes.compare(order, lines, stored)?,
            None => changes.add(order, lines, known.take_number(), known.is_former(&order.order_id)),
        };
        let number = match outcome {
            Outcome::Taken(number) => number,
            Outcome::NoRoom => {
                kept_back.push(KeptBack::new(&order.order_id, OutOfBounds::Lines.to_string()));
                continue;
            }
        };
        read.push(ReadOrder { number, order });
        if known.is_first_sight(claim, &order.order_id) {
            sum.found += stored(lines.len());
            sum.empty += i64::from(lines.is_empty());
            sum.marked += if order.mismatch.is_empty() { 0 } else { stored(lines.len()) };
        }
    }
    sum.new = changes.new_lines();
    sum.renamed = changes.renamed_lines();
    let mut is_changed = changes.apply(tx, claim.orders()).await?;
    note_read(tx, claim, now, &read).await?;
    sum.kept_back -= known.passed();
    let unchanged = note_unchanged(tx, claim, &page.unchanged).await?;
    sum.found += unchanged.found;
    sum.marked += unchanged.marked;
    sum.empty += unchanged.empty;
    sum.kept_back += kept_back::note(tx, claim, &kept_back).await?;
    let listed = page.unchanged.iter().map(String::as_str).chain(kept_back.iter().map(|kept| kept.order_id));
    is_changed |= missing::unmark(tx, claim, now, &listed.collect::<Vec<_>>()).await?;
    if is_changed {
        raise_list_version(tx, claim).await?;
    }
    Ok(sum)
}

/// The orders as they may be stored. Those that may not are added to `kept_back`.
fn within_bounds<'a>(orders: &'a [CheckedOrder], kept_back: &mut Vec<KeptBack<'a>>) -> Vec<Cow<'a, RetailerOrder>> {
    let mut within = Vec::with_capacity(orders.len());
    for order in orders {
        match bounded(order) {
            Ok(order) => within.push(order),
            Err(reason) => {
                tracing::warn!(order_id = shown(&order.order_id), %reason, "an order cannot be stored");
                kept_back.push(KeptBack::new(&order.order_id, reason.to_string()));
            }
        }
    }
    within
}

/// The orders of a page, each once: if one comes twice, its last version.
fn once_each<'a>(orders: &'a [Cow<'_, RetailerOrder>]) -> Vec<&'a RetailerOrder> {
    let mut seen = HashSet::with_capacity(orders.len());
    let mut once: Vec<_> =
        orders.iter().rev().map(AsRef::as_ref).filter(|order| seen.insert(order.order_id.as_str())).collect();
    once.reverse();
    once
}

/// Notes which orders were read, when, and how they looked.
async fn note_read(
    tx: &mut Write,
    claim: &Claim,
    now: DateTime<Utc>,
    read: &[ReadOrder<'_>],
) -> Result<(), StoreError> {
    let mut left = read;
    while !left.is_empty() {
        let (rows, rest) = left.split_at(rows_at_once(tx.dialect(), left.len()));
        left = rest;
        let row = |read: &ReadOrder<'_>| {
            Ok([
                Argument::from(&claim.user_id),
                claim.connection.into(),
                read.number.into(),
                (&read.order.order_id).into(),
                read.order.fingerprint.as_deref().into(),
                stored(read.order.items.len()).into(),
                (&claim.batch_id).into(),
                (&claim.batch_id).into(),
                micros(now).into(),
                (!read.order.mismatch.is_empty()).into(),
                of_order(read.order)?.into(),
            ])
        };
        insert_rows(
            tx,
            "INSERT INTO orders (user_id, connection, number, order_id, fingerprint, item_count, last_batch_id,
                first_batch_id, read_at, marked, adjustments)",
            rows.iter().map(row).collect::<Result<_, StoreError>>()?,
            "ON CONFLICT (user_id, connection, number) DO UPDATE SET fingerprint = excluded.fingerprint,
                item_count = excluded.item_count, last_batch_id = excluded.last_batch_id, read_at = excluded.read_at,
                missing_since = NULL, marked = excluded.marked,
                adjustments = COALESCE(excluded.adjustments, orders.adjustments)",
        )
        .await?;
    }
    Ok(())
}

/// Notes which orders were seen to be unchanged, and counts those that this session had not seen yet.
async fn note_unchanged(tx: &mut Write, claim: &Claim, order_ids: &[String]) -> Result<StoredPage, StoreError> {
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
    .bind(&claim.user_id)
    .bind(claim.connection)
    .bind(texts(order_ids)?)
    .bind(&claim.batch_id)
    .fetch_all(&mut *tx)
    .await?;
    sum.found = lines.iter().map(|(lines, _)| lines).sum();
    sum.empty = stored(lines.iter().filter(|(lines, _)| *lines == 0).count());
    sum.marked = lines.iter().filter(|(_, marked)| *marked).map(|(lines, _)| lines).sum();
    Ok(sum)
}
