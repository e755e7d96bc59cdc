//! What is stored of the orders of a page.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ordersync_api::order::Mismatch;
use ordersync_api::{Adjustment, AdjustmentType, Contradiction, OrderItem};
use rust_decimal::Decimal;
use serde::de::DeserializeOwned;

use crate::connector::{LineItem, RetailerOrder};
use crate::domain::line::{Comparison, IdentifiedLine};
use crate::domain::merge::{self, is_unclear};
use crate::domain::order::ACCOUNT;
use crate::store::db::dialect::sql;
use crate::store::db::json::{list, texts};
use crate::store::db::{query_as, query_scalar};
use crate::store::orders::adjustments::{of_line, of_order};
use crate::store::orders::lines::{LINE_BITS, first_item, parse};
use crate::store::orders::owner::Destination;
use crate::store::{StoreError, Write, stored, time};

/// An order that is stored already.
#[derive(Debug)]
pub(super) struct StoredOrder {
    pub(super) number: i64,
    /// The session that saw it last.
    last_batch_id: String,
    pub(super) is_missing: bool,
    /// Its adjustments, written; `None`: not known.
    adjustments: Option<String>,
    /// Where it comes from, written; `None`: the account alone.
    sources: Option<String>,
    /// When a file stated its status.
    stated_at: Option<i64>,
    fingerprint: Option<String>,
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
    /// The retailer's own id of it, if that is stored.
    pub(super) line_id: Option<String>,
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
    pub(super) async fn of(
        tx: &mut Write,
        to: Destination<'_>,
        orders: &[Cow<'_, RetailerOrder>],
    ) -> Result<Self, StoreError> {
        let ids: Vec<&str> = orders.iter().map(|order| order.order_id.as_str()).collect();
        let ids = texts(&ids)?;
        let mut known = Self {
            orders: stored_orders(tx, to, &ids).await?,
            former: HashSet::new(),
            passed: passed(tx, to, &ids).await?,
            next_number: 0,
        };
        let new = orders.len().saturating_sub(known.orders.len());
        if new > 0 {
            known.next_number = first_of_new_orders(tx, to, new).await?;
            known.former = former(tx, to, &ids).await?;
        }
        stored_lines(tx, to, &mut known.orders).await?;
        Ok(known)
    }

    pub(super) fn order(&self, order_id: &str) -> Option<&StoredOrder> {
        self.orders.get(order_id)
    }

    pub(super) fn is_former(&self, order_id: &str) -> bool {
        self.former.contains(order_id)
    }

    /// How many are stored already.
    pub(super) fn count(&self) -> i64 {
        stored(self.orders.len())
    }

    /// How many had been kept back in this session and have passed now.
    pub(super) fn passed(&self) -> i64 {
        stored(self.passed.len())
    }

    /// Whether the session has not counted the order's lines yet.
    pub(super) fn is_first_sight(&self, to: Destination<'_>, order_id: &str) -> bool {
        self.order(order_id).is_none_or(|order| order.last_batch_id != to.batch_id) || self.passed.contains(order_id)
    }

    /// The number of another order that is stored for the first time.
    pub(super) fn take_number(&mut self) -> i64 {
        self.next_number += 1;
        self.next_number - 1
    }

    /// The orders as they are to be stored: those that a file has, too, with what each source knows; those that show less
    /// refunds than before, with all; and with the status of lines that were undone, until the shop shows another that is understood.
    /// Facts on which its sources disagree are added to `contradictions`.
    pub(super) async fn merged<'a>(
        &mut self,
        tx: &mut Write,
        to: Destination<'_>,
        orders: Vec<Cow<'a, RetailerOrder>>,
        contradictions: &mut Vec<Contradiction>,
    ) -> Result<Vec<Cow<'a, RetailerOrder>>, StoreError> {
        let from_files: HashSet<String> =
            orders.iter().filter(|order| !order.sources.is_empty()).map(|order| order.order_id.clone()).collect();
        let has_two = |id: &str, stored: &StoredOrder| stored.sources.is_some() || from_files.contains(id);
        let unclear: HashSet<String> = orders
            .iter()
            .filter(|order| order.items.iter().any(is_unclear))
            .map(|order| order.order_id.clone())
            .collect();
        self.load_documents(tx, to, |id, stored| has_two(id, stored) || unclear.contains(id)).await?;
        let mut merged = Vec::with_capacity(orders.len());
        for order in orders {
            merged.push(match self.orders.get(&order.order_id) {
                Some(stored) if has_two(&order.order_id, stored) => Cow::Owned(stored.merged(&order, contradictions)?),
                Some(stored) if unclear.contains(&order.order_id) => {
                    let order = merge::with_undone(&stored.facts(&order.order_id)?, &order).into_owned();
                    stored.with_refunds(Cow::Owned(order))?
                }
                Some(stored) => stored.with_refunds(order)?,
                None => order,
            });
        }
        Ok(merged)
    }

    /// Reads what is served of the lines of the orders that changed.
    pub(super) async fn read_documents<'a>(
        &mut self,
        tx: &mut Write,
        to: Destination<'_>,
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
        self.load_documents(tx, to, |id, _| changed.contains(id)).await
    }

    /// Reads what is served of the lines of some orders, if that is not known yet.
    async fn load_documents(
        &mut self,
        tx: &mut Write,
        to: Destination<'_>,
        which: impl Fn(&str, &StoredOrder) -> bool,
    ) -> Result<(), StoreError> {
        let is_unread = |order: &StoredOrder| order.lines.iter().any(|line| line.document.is_none());
        let wanted = self.orders.iter_mut().filter(|(id, order)| which(id, order) && is_unread(order));
        let changed: Vec<&mut StoredOrder> = wanted.map(|(_, order)| order).collect();
        if changed.is_empty() {
            return Ok(());
        }
        let numbers: Vec<i64> = changed.iter().map(|order| order.number).collect();
        let mut documents: HashMap<i64, String> = query_as::<(i64, String)>(sql!(
            "SELECT i.item, i.document FROM ",
            [lines of orders]
        ))
        .bind_owner(to.owner())
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

async fn stored_orders(
    tx: &mut Write,
    to: Destination<'_>,
    ids: &str,
) -> Result<HashMap<String, StoredOrder>, StoreError> {
    type Order = (String, i64, String, bool, Option<String>, Option<String>, Option<i64>, Option<String>);
    let rows: Vec<Order> = query_as(sql!(
        "SELECT order_id, number, last_batch_id, missing_since IS NOT NULL, adjustments, sources, stated_at,
            fingerprint FROM ",
        [listed "orders"],
        "TRUE"
    ))
    .bind_owner(to.owner())
    .bind(ids)
    .fetch_all(&mut *tx)
    .await?;
    let order = |(id, number, last_batch_id, is_missing, adjustments, sources, stated_at, fingerprint)| {
        let lines = Vec::new();
        let order =
            StoredOrder { number, last_batch_id, is_missing, adjustments, sources, stated_at, fingerprint, lines };
        (id, order)
    };
    Ok(rows.into_iter().map(order).collect())
}

async fn stored_lines(
    tx: &mut Write,
    to: Destination<'_>,
    orders: &mut HashMap<String, StoredOrder>,
) -> Result<(), StoreError> {
    type Line = (i64, String, Option<String>, Option<String>, i64, Vec<u8>, Option<String>);
    if orders.is_empty() {
        return Ok(());
    }
    let mut by_number: HashMap<i64, &mut StoredOrder> =
        orders.values_mut().map(|order| (order.number, order)).collect();
    let numbers: Vec<i64> = by_number.keys().copied().collect();
    let rows: Vec<Line> = query_as(sql!(
        "SELECT i.item, i.id, i.line_key, i.line_id, i.sort_key, i.content_digest, i.adjustments FROM ",
        [lines of orders]
    ))
    .bind_owner(to.owner())
    .bind(list(&numbers)?)
    .fetch_all(&mut *tx)
    .await?;
    for (item, id, key, line_id, sort_key, content, adjustments) in rows {
        let order = by_number.get_mut(&(item >> LINE_BITS)).ok_or(StoreError::Corrupt("line item"))?;
        let key = key.unwrap_or_else(|| id.clone());
        order.lines.push(StoredLine { item, id, key, line_id, sort_key, content, adjustments, document: None });
    }
    for order in by_number.into_values() {
        order.lines.sort_unstable_by_key(|line| line.item);
    }
    Ok(())
}

/// Takes those that have passed now out of those that were kept back. Returns those that this session had kept back.
async fn passed(tx: &mut Write, to: Destination<'_>, ids: &str) -> Result<HashSet<String>, StoreError> {
    let passed: Vec<(String, String)> = query_as(sql!(
        "DELETE FROM kept_back_orders WHERE user_id = $1 AND connection_id = $2 AND order_id IN (",
        [texts "$3"],
        ") RETURNING order_id, batch_id"
    ))
    .bind_all((to.user_id, to.connection_id, ids))
    .fetch_all(&mut *tx)
    .await?;
    Ok(passed.into_iter().filter(|(_, batch_id)| *batch_id == to.batch_id).map(|(order_id, _)| order_id).collect())
}

async fn former(tx: &mut Write, to: Destination<'_>, ids: &str) -> Result<HashSet<String>, StoreError> {
    let former: Vec<String> = query_scalar(sql!("SELECT order_id FROM ", [listed "former_order_ids"], "TRUE"))
        .bind_owner(to.owner())
        .bind(ids)
        .fetch_all(&mut *tx)
        .await?;
    Ok(former.into_iter().collect())
}

/// Takes numbers for so many orders that are stored for the first time. Returns the first of them.
async fn first_of_new_orders(tx: &mut Write, to: Destination<'_>, orders: usize) -> Result<i64, StoreError> {
    let first = query_scalar(
        "UPDATE connections SET orders_made = orders_made + $1 WHERE id = $2 RETURNING orders_made - $1 + 1",
    );
    Ok(first.bind_all((stored(orders), to.connection_id)).fetch_one(&mut *tx).await?)
}

fn written<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|_| StoreError::Corrupt("order"))
}

impl StoredOrder {
    /// The order with the refunds that are stored, and a mark, if it shows less of them: money that was paid back stays paid back, and
    /// the shop may have another name for it now.
    fn with_refunds<'a>(&self, order: Cow<'a, RetailerOrder>) -> Result<Cow<'a, RetailerOrder>, StoreError> {
        let (Some(stored), Some(read)) = (&self.adjustments, &order.adjustments) else { return Ok(order) };
        if !stored.contains(AdjustmentType::Refund.as_str()) {
            return Ok(order);
        }
        let is_refund = |one: &Adjustment| one.kind.is(&AdjustmentType::Refund);
        let stored: Vec<Adjustment> = written(stored)?;
        let stored: Vec<Adjustment> = stored.into_iter().filter(is_refund).collect();
        let sum = |all: &mut dyn Iterator<Item = &Adjustment>| -> Decimal {
            all.filter(|one| is_refund(one)).map(|one| one.amount.abs()).sum()
        };
        let of_lines = order.items.iter().flat_map(|line| &line.adjustments);
        let [before, now] = [sum(&mut stored.iter()), sum(&mut read.iter().chain(of_lines))];
        if now >= before {
            return Ok(order);
        }
        let mut order = order.into_owned();
        let adjustments = order.adjustments.get_or_insert_default();
        adjustments.retain(|one| !is_refund(one));
        adjustments.extend(stored);
        order.mismatch.retain(|mark| mark.check != "refund");
        order.mismatch.push(Mismatch { check: "refund".to_owned(), shown: Some(now), computed: Some(before) });
        Ok(Cow::Owned(order))
    }

    fn merged(
        &self,
        read: &RetailerOrder,
        contradictions: &mut Vec<Contradiction>,
    ) -> Result<RetailerOrder, StoreError> {
        let stored = self.facts(&read.order_id)?;
        let is_of_account = stored.sources.first().is_none_or(|source| source == ACCOUNT);
        let (account, file) = match (read.sources.is_empty(), is_of_account) {
            (true, _) => (read, &stored),
            (false, true) => (&stored, read),
            (false, false) => return Ok(merge::files(&stored, read)),
        };
        let (order, differently) = merge::account_and_file(account, file);
        contradictions.extend(differently);
        Ok(order)
    }

    /// The order as it is stored. The documents of its lines have to be read.
    fn facts(&self, order_id: &str) -> Result<RetailerOrder, StoreError> {
        let mut lines: Vec<(&StoredLine, &OrderItem)> =
            self.lines.iter().filter_map(|line| Some((line, line.document.as_deref()?))).collect();
        lines.sort_by_key(|(_, item)| item.line_number);
        let first = lines.first().map(|(_, item)| *item);
        let mut items = Vec::with_capacity(lines.len());
        for (line, item) in &lines {
            let adjustments = line.adjustments.as_deref().map_or_else(|| Ok(Vec::new()), written)?;
            items.push(LineItem { line_id: line.line_id.clone(), ..line_item(item, adjustments) });
        }
        let placed_at = first.and_then(|item| item.order_date.as_ref()?.known()).map(|at| at.0);
        Ok(RetailerOrder {
            order_id: order_id.to_owned(),
            fingerprint: self.fingerprint.clone(),
            placed_at,
            is_day_alone: first.is_some_and(|item| item.order_date_precision.is_some()),
            total: first.and_then(|item| item.order_total),
            currency: first.and_then(|item| item.currency.clone()),
            mismatch: first.map(|item| item.mismatch.clone()).unwrap_or_default(),
            adjustments: self.adjustments.as_deref().map(written).transpose()?,
            sources: self.sources.as_deref().map_or_else(|| Ok(Vec::new()), written)?,
            stated_at: self.stated_at.map(time).transpose()?,
            items,
        })
    }

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

/// A line from what is served of it.
fn line_item(item: &OrderItem, adjustments: Vec<Adjustment>) -> LineItem {
    LineItem {
        title: item.item_name.clone(),
        brand: item.brand_name.clone(),
        department: item.department.clone(),
        category: item.category.clone(),
        sub_category: item.sub_category.clone(),
        sku: item.retailer_sku.clone(),
        seller: item.seller.clone(),
        quantity: item.quantity,
        unit_price: item.price,
        line_total: item.line_total,
        adjustments,
        shipment_status: item.shipment_status.clone(),
        shipment_text: item.shipment_text.clone(),
        shipments: item.shipments.clone(),
        ..LineItem::default()
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
