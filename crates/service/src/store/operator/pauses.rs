//! Retailers that the operator has paused: their syncs wait in the queue, and lose no time by that.

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::super::{Store, StoreError, count, micros, time};
use crate::store::accounts::audit::{Action, Entry, Operator};
use crate::store::db::row::row;
use crate::store::db::{query, query_as, query_scalar};

row! {
    struct RetailerRow {
        retailer_id: i64,
        display_name: String,
        connections: i64,
        unfinished: i64,
        paused_since: Option<i64>,
        reason: Option<String>,
    }
}

/// A retailer that somebody has connected, or that is paused.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperatedRetailer {
    /// Its number.
    pub retailer_id: i64,
    /// Its name when it was connected last; empty if nobody has connected it.
    pub display_name: String,
    /// Connections of all users.
    pub connections: u64,
    /// Syncs that are not over.
    pub unfinished_syncs: u64,
    /// Since when it is paused.
    pub paused_since: Option<DateTime<Utc>>,
    /// Why, in the operator's words.
    pub reason: Option<String>,
}

/// The outcome of pausing a retailer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paused {
    /// Its syncs wait from now on.
    Now,
    /// They did already; the reason is another one.
    ForAnotherReason,
    /// They did already, and nothing changed.
    Already,
}

impl Store {
    /// Retailers that somebody has connected, or that are paused.
    pub(crate) async fn operated_retailers(&self) -> Result<Vec<OperatedRetailer>, StoreError> {
        let rows: Vec<RetailerRow> = query_as(
            "SELECT k.retailer_id,
                COALESCE((SELECT c.display_name FROM connections c WHERE c.retailer_id = k.retailer_id
                    ORDER BY c.created_at DESC, c.id LIMIT 1), '') AS display_name,
                (SELECT COUNT(*) FROM connections c WHERE c.retailer_id = k.retailer_id) AS connections,
                (SELECT COUNT(*) FROM retailer_sessions r WHERE r.retailer_id = k.retailer_id AND r.active = 1) AS unfinished,
                p.since AS paused_since, p.reason
             FROM (SELECT retailer_id FROM connections UNION SELECT retailer_id FROM paused_retailers) k
             LEFT JOIN paused_retailers p ON p.retailer_id = k.retailer_id
             ORDER BY k.retailer_id",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|row| {
                Ok(OperatedRetailer {
                    retailer_id: row.retailer_id,
                    display_name: row.display_name,
                    connections: count(row.connections),
                    unfinished_syncs: count(row.unfinished),
                    paused_since: row.paused_since.map(time).transpose()?,
                    reason: row.reason.filter(|reason| !reason.is_empty()),
                })
            })
            .collect()
    }

    /// Lets the syncs of a retailer wait. A reason replaces that of an earlier pause; an empty one does not.
    pub(crate) async fn pause_retailer(
        &self,
        retailer_id: i64,
        reason: &str,
        by: Operator<'_>,
    ) -> Result<Paused, StoreError> {
        let mut tx = self.write().await?;
        let now = micros(by.now());
        let since: Option<i64> = query_scalar(
            "INSERT INTO paused_retailers (retailer_id, since, reason) VALUES ($1, $2, $3)
             ON CONFLICT (retailer_id) DO UPDATE SET reason = excluded.reason
                WHERE excluded.reason <> '' AND excluded.reason <> paused_retailers.reason
             RETURNING since",
        )
        .bind_all((retailer_id, now, reason))
        .fetch_optional(&mut tx)
        .await?;
        if since.is_some() {
            Entry { target: Some(&retailer_id.to_string()), ..by.did(Action::RetailerPause) }.write(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(match since {
            Some(since) if since == now => Paused::Now,
            Some(_) => Paused::ForAnotherReason,
            None => Paused::Already,
        })
    }

    /// Lets the syncs of a retailer go on. False: it is not paused.
    pub(crate) async fn resume_retailer(&self, retailer_id: i64, by: Operator<'_>) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let resumed =
            query("DELETE FROM paused_retailers WHERE retailer_id = $1").bind(retailer_id).execute(&mut tx).await?;
        Entry { target: Some(&retailer_id.to_string()), ..by.did(Action::RetailerResume) }.commit(tx, resumed).await
    }
}
