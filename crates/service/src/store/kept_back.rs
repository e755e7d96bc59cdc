//! Orders that failed a check: what is stored of them stays, and the session says that they were kept back.

use std::borrow::Cow;

use super::dialect::sql;
use super::json::texts;
use super::queue::Claim;
use super::{Store, StoreError, Write, count};
use crate::domain::bounds::{OutOfBounds, shown};
use crate::store::db::{query, query_as};

/// An order that is not stored, and why if the connector does not know.
pub(super) struct KeptBack<'a> {
    pub(super) order_id: Cow<'a, str>,
    pub(super) reason: Option<OutOfBounds>,
}

impl Store {
    /// Why orders of this part were kept back, for a person; `None`: none were.
    pub(crate) async fn why_kept_back(&self, claim: &Claim) -> Result<Option<String>, StoreError> {
        let (orders, first, reason): (i64, Option<String>, Option<String>) = query_as(
            "SELECT COUNT(*), MIN(order_id), (SELECT reason FROM kept_back_orders
                WHERE user_id = $1 AND retailer_session_id = $2 ORDER BY order_id LIMIT 1)
             FROM kept_back_orders WHERE user_id = $1 AND retailer_session_id = $2",
        )
        .bind(&claim.user_id)
        .bind(&claim.id)
        .fetch_one(&self.pool)
        .await?;
        let Some(first) = first else { return Ok(None) };
        let reason = reason.as_deref().unwrap_or("a check of it failed");
        let number = match count(orders) {
            1 => format!("Order {first} was kept back: {reason}."),
            orders => format!("{orders} orders were kept back. The first is {first}: {reason}."),
        };
        let remedy = "What was stored before is unchanged. Sync again; if it fails again, tell the service's operator.";
        Ok(Some(format!("{number} {remedy}")))
    }
}

/// Notes which orders are kept back. What is stored of them stays; they are read again at the next sync, however they look
/// in the list. Returns how many this session had not kept back yet.
pub(super) async fn note(tx: &mut Write, claim: &Claim, kept_back: &[KeptBack<'_>]) -> Result<i64, StoreError> {
    if kept_back.is_empty() {
        return Ok(0);
    }
    let ids: Vec<&str> = kept_back.iter().map(|kept| &*kept.order_id).collect();
    query(sql!([update listed orders], "last_batch_id = $4, fingerprint = NULL", [where listed], "TRUE"))
        .bind(&claim.user_id)
        .bind(claim.connection)
        .bind(texts(&ids)?)
        .bind(&claim.batch_id)
        .execute(&mut *tx)
        .await?;
    let mut noted = 0;
    for kept in kept_back {
        let done = query(
            "INSERT INTO kept_back_orders (user_id, retailer_session_id, order_id, reason) VALUES ($1, $2, $3, $4)
             ON CONFLICT DO NOTHING",
        )
        .bind(&claim.user_id)
        .bind(&claim.id)
        .bind(shown(&kept.order_id))
        .bind(kept.reason.map(|reason| reason.to_string()))
        .execute(&mut *tx)
        .await?;
        noted += done;
    }
    Ok(i64::try_from(noted).unwrap_or(i64::MAX))
}
