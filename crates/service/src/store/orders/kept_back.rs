//! Orders that failed a check: what is stored of them stays, and the session says that they were kept back.

use std::borrow::Cow;

use crate::domain::bounds::{shown, shown_reason};
use crate::store::db::dialect::sql;
use crate::store::db::json::texts;
use crate::store::db::{query, query_as};
use crate::store::orders::owner::Destination;
use crate::store::syncs::queue::Claim;
use crate::store::{Store, StoreError, Write, count};

/// The kind of the ids of imports, which stand in place of a session's.
pub(in crate::store) const IMPORT: &str = "import";
/// The ids of imports, as a pattern.
const OF_IMPORTS: &str = "import%";

/// An order that is not stored, and why.
pub(in crate::store) struct KeptBack<'a> {
    pub(in crate::store) order_id: Cow<'a, str>,
    reason: Cow<'a, str>,
}

impl<'a> KeptBack<'a> {
    pub(in crate::store) fn reason(&self) -> &str {
        &self.reason
    }

    pub(in crate::store) fn new(order_id: impl Into<Cow<'a, str>>, reason: impl Into<Cow<'a, str>>) -> Self {
        Self { order_id: order_id.into(), reason: reason.into() }
    }
}

impl Store {
    /// Why orders of this part were kept back, for a person; `None`: none were.
    pub(crate) async fn why_kept_back(&self, claim: &Claim) -> Result<Option<String>, StoreError> {
        let (orders, first, reason): (i64, Option<String>, Option<String>) = query_as(
            "SELECT COUNT(*), MIN(order_id), (SELECT reason FROM kept_back_orders
                WHERE user_id = $1 AND connection_id = $2 AND batch_id = $3 ORDER BY order_id LIMIT 1)
             FROM kept_back_orders WHERE user_id = $1 AND connection_id = $2 AND batch_id = $3",
        )
        .bind_all((&claim.user_id, &claim.connection_id, &claim.batch_id))
        .fetch_one(&self.pool)
        .await?;
        let Some(first) = first else { return Ok(None) };
        let reason = reason.as_deref().unwrap_or("a check of it failed").trim_end_matches('.');
        let number = match count(orders) {
            1 => format!("Order {first} was kept back: {reason}."),
            orders => format!("{orders} orders were kept back. The first is {first}: {reason}."),
        };
        let remedy = "What was stored before is unchanged. Sync again; if it fails again, tell the service's operator.";
        Ok(Some(format!("{number} {remedy}")))
    }
}

/// The sync has seen every order that the retailer lists: those that earlier syncs kept back, and this one did not, are gone.
pub(in crate::store) async fn forget_unlisted(tx: &mut Write, claim: &Claim) -> Result<(), StoreError> {
    query(
        "DELETE FROM kept_back_orders WHERE user_id = $1 AND connection_id = $2 AND batch_id <> $3
         AND batch_id NOT LIKE $4",
    )
    .bind_all((&claim.user_id, &claim.connection_id, &claim.batch_id, OF_IMPORTS))
    .run(tx)
    .await
}

/// For a sync that completed: an order that an earlier sync kept back was read now, or is gone from the retailer. One that an
/// import kept back stays until an import can store it.
pub(in crate::store) async fn forget_all(tx: &mut Write, user_id: &str, connection_id: &str) -> Result<(), StoreError> {
    query("DELETE FROM kept_back_orders WHERE user_id = $1 AND connection_id = $2 AND batch_id NOT LIKE $3")
        .bind_all((user_id, connection_id, OF_IMPORTS))
        .run(&mut *tx)
        .await
}

/// Notes which orders are kept back. What is stored of them stays; they are read again at the next sync, however they look
/// in the list. Returns how many this session had not kept back yet.
pub(in crate::store) async fn note(
    tx: &mut Write,
    to: Destination<'_>,
    kept_back: &[KeptBack<'_>],
) -> Result<i64, StoreError> {
    if kept_back.is_empty() {
        return Ok(0);
    }
    let ids: Vec<&str> = kept_back.iter().map(|kept| &*kept.order_id).collect();
    query(sql!([update listed orders], "last_batch_id = $4, fingerprint = NULL", [where listed], "TRUE"))
        .bind_owner(to.owner())
        .bind_all((texts(&ids)?, to.batch_id))
        .execute(&mut *tx)
        .await?;
    let mut noted = 0;
    for kept in kept_back {
        let done = query(
            "INSERT INTO kept_back_orders (user_id, connection_id, order_id, batch_id, reason) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (user_id, connection_id, order_id) DO UPDATE SET batch_id = excluded.batch_id, reason = excluded.reason
             WHERE kept_back_orders.batch_id <> excluded.batch_id",
        )
        .bind_all((to.user_id, to.connection_id, shown(&kept.order_id), to.batch_id, shown_reason(&kept.reason)))
        .execute(&mut *tx)
        .await?;
        noted += done;
    }
    Ok(i64::try_from(noted).unwrap_or(i64::MAX))
}
