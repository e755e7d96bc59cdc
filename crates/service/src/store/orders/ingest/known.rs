//! What is stored of the orders of a page.

use std::collections::{HashMap, HashSet};

use ordersync_api::OrderItem;

use crate::connector::{LineItem, RetailerOrder};
use crate::domain::line::{Comparison, IdentifiedLine};
use crate::store::db::dialect::sql;
use crate::store::db::json::{list, texts};
use crate::store::db::{query_as, query_scalar};
use crate::store::orders::adjustments::{of_line, of_order};
use crate::store::orders::lines::{LINE_BITS, first_item, parse};
use crate::store::syncs::queue::Claim;
use crate::store::{StoreError, Write, stored};

/// An order that is stored already.
#[derive(Debug)]
pub(super) struct StoredOrder {
    pub(super) number: i64,
    /// The session that saw it last.
    last_batch_id: String,
    pub(super) is_missing: bool,
    /// Its adjustments, written; `None`: not known.
    adjustments: Option<String>,
    /// In the order of their numbers.
    pub(super) lines: Vec<StoredLine>,
}

/// A line that is stored already.
#[derive(Debug)]
pub(super) struct StoredLine {
    pub(super) item: i64,
    pub(super) id: String,
    /// What it was known by when it was read last.
    pub(super) key: String,
    pub(super) sort_key: i64,
    pub(super) content: Vec<u8>,
    /// Its adjustments, written, if it has any.
    pub(super) adjustments: Option<String>,
    /// What is served of it, if the order has changed.
    pub(super) document: Option<Box<OrderItem>>,
}

/// The orders of a page, as far as they are stored.
#[derive(Debug)]
pub(super) struct Known {
    orders: HashMap<String, StoredOrder>,
    /// Numbers that orders had which have another one now.
    former: HashSet<String>,
    /// Those that this session had kept back, and which have passed now.
    passed: HashSet<String>,
    next_number: i64,
}

impl Known {
    pub(super) async fn of(tx: &mut Write, claim: &Claim, orders: &[&RetailerOrder]) -> Result<Self, StoreError> {
        let ids: Vec<&str> = orders.iter().map(|order| order.order_id.as_str()).collect();
        let ids = texts(&ids)?;
        let mut known = Self {
            orders: stored_orders(tx, claim, &ids).await?,
            former: HashSet::new(),
            passed: passed(tx, claim, &ids).await?,
            next_number: 0,
        };
        let new = orders.len().saturating_sub(known.orders.len());
        if new > 0 {
            known.next_number = first_of_new_orders(tx, claim, new).await?;
            known.former = former(tx, claim, &ids).await?;
        }
        stored_lines(tx, claim, &mut known.orders).await?;
        Ok(known)
    }

    pub(super) fn order(&self, order_id: &str) -> Option<&StoredOrder> {
        self.orders.get(order_id)
    }

    pub(super) fn is_former(&self, order_id: &str) -> bool {
        self.former.contains(order_id)
    }

    /// How many had been kept back in this session and have passed now.
    pub(super) fn passed(&self) -> i64 {
        stored(self.passed.len())
    }

    /// Whether the session has not counted the order's lines yet.
    pub(super) fn is_first_sight(&self, claim: &Claim, order_id: &str) -> bool {
        self.order(order_id).is_none_or(|order| order.last_batch_id != claim.batch_id) || self.passed.contains(order_id)
    }

    /// The number of another order that is stored for the first time.
    pub(super) fn take_number(&mut self) -> i64 {
        self.next_number += 1;
        self.next_number - 1
    }

    /// Reads what is served of the lines of the orders that changed.
    pub(super) async fn read_documents<'a>(
        &mut self,
        tx: &mut Write,
        claim: &Claim,
        pages: impl Iterator<Item = (&'a RetailerOrder, &'a Vec<IdentifiedLine<'a>>)>,
    ) -> Result<(), StoreError> {
        let mut changed: HashSet<&str> = HashSet::new();
        for (order, lines) in pages {
            if let Some(stored) = self.orders.get(&order.order_id)
                && !is_same(stored, order, lines)?
            {
                changed.insert(&order.order_id);
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let changed = self.orders.iter_mut().filter(|(id, _)| changed.contains(id.as_str())).map(|(_, order)| order);
        let changed: Vec<&mut StoredOrder> = changed.collect();
        let numbers: Vec<i64> = changed.iter().map(|order| order.number).collect();
        let mut documents: HashMap<i64, String> = query_as::<(i64, String)>(sql!(
            "SELECT i.item, i.document FROM ",
            [lines of orders]
        ))
        .bind(&claim.user_id)
        .bind(claim.connection)
        .bind(list(&numbers)?)
        .fetch_all(&mut *tx)
        .await?
        .into_iter()
        .collect();
        for line in changed.into_iter().flat_map(|order| &mut order.lines) {
            let document = documents.remove(&line.item).ok_or(StoreError::Corrupt("line item"))?;
            line.document = Some(Box::new(parse(&document)?));
        }
        Ok(())
    }
}

/// Whether nothing has changed that is served of the order.
fn is_same(stored: &StoredOrder, order: &RetailerOrder, lines: &[IdentifiedLine<'_>]) -> Result<bool, StoreError> {
    let adjustments = stored.adjustments_as_read(order)?;
    if stored.is_missing || stored.lines.len() != lines.len() || adjustments != Adjusted::Same {
        return Ok(false);
    }
    let by_key: HashMap<&str, &StoredLine> = stored.lines.iter().map(|line| (line.key.as_str(), line)).collect();
    for line in lines {
        let Some(stored) = by_key.get(line.id.as_str()) else { return Ok(false) };
        let is_same = line.content.compare(&stored.content) == Comparison::Same;
        if !is_same || stored.adjustments_as_read(order, line.item)? != stored.adjustments {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn stored_orders(tx: &mut Write, claim: &Claim, ids: &str) -> Result<HashMap<String, StoredOrder>, StoreError> {
    let rows: Vec<(String, i64, String, bool, Option<String>)> = query_as(sql!(
        "SELECT order_id, number, last_batch_id, missing_since IS NOT NULL, adjustments FROM ",
        [listed "orders"],
        "TRUE"
    ))
    .bind(&claim.user_id)
    .bind(claim.connection)
    .bind(ids)
    .fetch_all(&mut *tx)
    .await?;
    let order = |(id, number, last_batch_id, is_missing, adjustments)| {
        (id, StoredOrder { number, last_batch_id, is_missing, adjustments, lines: Vec::new() })
    };
    Ok(rows.into_iter().map(order).collect())
}

async fn stored_lines(
    tx: &mut Write,
    claim: &Claim,
    orders: &mut HashMap<String, StoredOrder>,
) -> Result<(), StoreError> {
    type Line = (i64, String, Option<String>, i64, Vec<u8>, Option<String>);
    if orders.is_empty() {
        return Ok(());
    }
    let mut by_number: HashMap<i64, &mut StoredOrder> =
        orders.values_mut().map(|order| (order.number, order)).collect();
    let numbers: Vec<i64> = by_number.keys().copied().collect();
    let rows: Vec<Line> = query_as(sql!(
        "SELECT i.item, i.id, i.line_key, i.sort_key, i.content_digest, i.adjustments FROM ",
        [lines of orders]
    ))
    .bind(&claim.user_id)
    .bind(claim.connection)
    .bind(list(&numbers)?)
    .fetch_all(&mut *tx)
    .await?;
    for (item, id, key, sort_key, content, adjustments) in rows {
        let order = by_number.get_mut(&(item >> LINE_BITS)).ok_or(StoreError::Corrupt("line item"))?;
        let key = key.unwrap_or_else(|| id.clone());
        order.lines.push(StoredLine { item, id, key, sort_key, content, adjustments, document: None });
    }
    for order in by_number.into_values() {
        order.lines.sort_unstable_by_key(|line| line.item);
    }
    Ok(())
}

/// Takes those that have passed now out of those that were kept back. Returns those that this session had kept back.
async fn passed(tx: &mut Write, claim: &Claim, ids: &str) -> Result<HashSet<String>, StoreError> {
    let passed: Vec<(String, String)> = query_as(sql!(
        "DELETE FROM kept_back_orders WHERE user_id = $1 AND connection_id = $2 AND order_id IN (",
        [texts "$3"],
        ") RETURNING order_id, batch_id"
    ))
    .bind(&claim.user_id)
    .bind(&claim.connection_id)
    .bind(ids)
    .fetch_all(&mut *tx)
    .await?;
    Ok(passed.into_iter().filter(|(_, batch_id)| *batch_id == claim.batch_id).map(|(order_id, _)| order_id).collect())
}

async fn former(tx: &mut Write, claim: &Claim, ids: &str) -> Result<HashSet<String>, StoreError> {
    let former: Vec<String> = query_scalar(sql!("SELECT order_id FROM ", [listed "former_order_ids"], "TRUE"))
        .bind(&claim.user_id)
        .bind(claim.connection)
        .bind(ids)
        .fetch_all(&mut *tx)
        .await?;
    Ok(former.into_iter().collect())
}

/// Takes numbers for so many orders that are stored for the first time. Returns the first of them.
async fn first_of_new_orders(tx: &mut Write, claim: &Claim, orders: usize) -> Result<i64, StoreError> {
    let first = query_scalar(
        "UPDATE connections SET orders_made = orders_made + $1 WHERE id = $2 RETURNING orders_made - $1 + 1",
    );
    Ok(first.bind(stored(orders)).bind(&claim.connection_id).fetch_one(&mut *tx).await?)
}

impl StoredOrder {
    /// The number of the order's next line.
    pub(super) fn next_item(&self) -> i64 {
        self.lines.last().map_or(first_item(self.number), |line| line.item + 1)
    }

    /// What was read of the adjustments of the order as a whole, beside what is stored of them.
    pub(super) fn adjustments_as_read(&self, order: &RetailerOrder) -> Result<Adjusted, StoreError> {
        let read = of_order(order)?;
        Ok(match (&self.adjustments, read) {
            (_, None) => Adjusted::Same,
            (None, Some(_)) => Adjusted::First,
            (Some(stored), Some(read)) if *stored == read => Adjusted::Same,
            (Some(_), Some(_)) => Adjusted::Changed,
        })
    }
}

impl StoredLine {
    /// The line's adjustments as they are from now on: what was read of them, or what is stored if the order shows none.
    pub(super) fn adjustments_as_read(
        &self,
        order: &RetailerOrder,
        line: &LineItem,
    ) -> Result<Option<String>, StoreError> {
        match order.adjustments {
            Some(_) => of_line(line),
            None => Ok(self.adjustments.clone()),
        }
    }
}

/// How the adjustments of an order compare with those that are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Adjusted {
    /// They are the same, or it does not show them.
    Same,
    /// They are known for the first time.
    First,
    /// They are others.
    Changed,
}
