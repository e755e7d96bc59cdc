//! Orders that the retailer no longer lists: their lines stay, and say since when.
//!
//! They are looked for when a sync has seen the whole list, in transactions of a few hundred orders. If a sync is interrupted
//! meanwhile, it continues with the orders that it has not compared yet.

use chrono::{DateTime, Utc};
use ordersync_api::OrderItem;

use crate::clock::Clock;
use crate::store::db::dialect::sql;
use crate::store::db::json::{list, texts};
use crate::store::db::{query, query_as, query_scalar};
use crate::store::orders::lines::{parse, raise_list_version, storable};
use crate::store::orders::owner::{Destination, Owner};
use crate::store::syncs::lease::{Guarded, Held};
use crate::store::syncs::queue::Claim;
use crate::store::{Store, StoreError, Write, micros, stored};

/// Orders in a transaction.
const BATCH: usize = 256;

impl Store {
    /// The sync has seen every order that the retailer lists. Orders of the connection that it has not seen are marked as
    /// missing, but for those that have another number now: these take it.
    pub(crate) async fn mark_missing(&self, claim: &Claim, clock: &dyn Clock) -> Result<Held, StoreError> {
        let now = self.now_for(&claim.user_id, clock.now()).await?;
        let unseen: Vec<(i64, bool)> = query_as(
            "SELECT number, missing_since IS NOT NULL FROM orders
             WHERE user_id = $1 AND connection = $2 AND last_batch_id <> $3
                AND (sources IS NULL OR sources LIKE '_\"account\"%')",
        )
        .bind_owner(claim.orders())
        .bind(&claim.batch_id)
        .fetch_all(&self.pool)
        .await?;
        if unseen.is_empty() {
            return Ok(Held::Yes);
        }
        let all: Vec<i64> = unseen.iter().map(|(number, _)| *number).collect();
        let Some(renumbered) = self.join_renumbered(claim, clock, now, &all).await? else { return Ok(Held::Fenced) };
        let unmarked = unseen.into_iter().filter(|(number, is_missing)| !is_missing && !renumbered.contains(number));
        let unmarked: Vec<i64> = unmarked.map(|(number, _)| number).collect();
        let since = storable(now)?;
        for numbers in unmarked.chunks(BATCH) {
            let Some(Guarded { mut tx, .. }) = self.guarded(claim, clock).await? else { return Ok(Held::Fenced) };
            serve_again(&mut tx, claim.orders(), numbers, |item| {
                item.missing_since = Some(since.clone());
                item.updated_at = Some(since.clone());
            })
            .await?;
            set_missing_since(&mut tx, claim.orders(), numbers, Some(now)).await?;
            query("UPDATE retailer_sessions SET orders_missing = orders_missing + $1 WHERE id = $2")
                .bind_all((stored(numbers.len()), &claim.id))
                .execute(&mut tx)
                .await?;
            raise_list_version(&mut tx, &claim.connection_id).await?;
            tx.commit().await?;
        }
        Ok(Held::Yes)
    }
}

/// Takes the mark from those of these orders that have it: the retailer lists them again. Returns whether there were any.
pub(in crate::store) async fn unmark(
    tx: &mut Write,
    to: Destination<'_>,
    now: DateTime<Utc>,
    order_ids: &[&str],
) -> Result<bool, StoreError> {
    if order_ids.is_empty() {
        return Ok(false);
    }
    let numbers: Vec<i64> = query_scalar(sql!("SELECT number FROM ", [listed "orders"], "missing_since IS NOT NULL"))
        .bind_owner(to.owner())
        .bind(texts(order_ids)?)
        .fetch_all(&mut *tx)
        .await?;
    if numbers.is_empty() {
        return Ok(false);
    }
    let at = storable(now)?;
    serve_again(tx, to.owner(), &numbers, |item| {
        item.missing_since = None;
        item.updated_at = Some(at.clone());
    })
    .await?;
    set_missing_since(tx, to.owner(), &numbers, None).await?;
    Ok(true)
}

async fn set_missing_since(
    tx: &mut Write,
    owner: Owner<'_>,
    numbers: &[i64],
    since: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    query(sql!(
        "UPDATE orders SET missing_since = $1 WHERE user_id = $2 AND connection = $3 AND number IN (",
        [numbers "$4"],
        ")"
    ))
    .bind(since.map(micros))
    .bind_owner(owner)
    .bind(list(numbers)?)
    .run(&mut *tx)
    .await
}

/// Changes what is served of the lines of these orders, but for their CSV.
async fn serve_again(
    tx: &mut Write,
    owner: Owner<'_>,
    numbers: &[i64],
    change: impl Fn(&mut OrderItem),
) -> Result<(), StoreError> {
    let rows: Vec<(i64, String)> = query_as(sql!("SELECT i.item, i.document FROM ", [lines of orders]))
        .bind_owner(owner)
        .bind(list(numbers)?)
        .fetch_all(&mut *tx)
        .await?;
    for (number, document) in rows {
        let mut item = parse(&document)?;
        change(&mut item);
        let document = serde_json::to_string(&item).map_err(|_| StoreError::Corrupt("line item"))?;
        query("UPDATE line_items SET document = $1 WHERE user_id = $2 AND connection = $3 AND item = $4")
            .bind(document)
            .bind_owner(owner)
            .bind(number)
            .execute(&mut *tx)
            .await?;
    }
    Ok(())
}
