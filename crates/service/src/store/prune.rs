//! Removing what has expired: in batches, each a short transaction of its own, so that nobody waits long for the writer.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::AssertSqlSafe;

use super::idempotency::KEPT;
use super::{Store, StoreError, count, micros};
use crate::store::db::{query, query_as};

/// Rows in one transaction.
const BATCH: i64 = 500;
/// Sync sessions in one transaction: each has parts, events and requests of its own.
const SESSIONS_BATCH: i64 = 50;

/// Rows that mean nothing any more at `$1`: the table, its key, and which they are.
pub(super) const EXPIRED: &[(&str, &str, &str)] = &[
    ("access_tokens", "digest", "expires_at < $1"),
    ("used_stamps", "user_id, client_id, stamp", "expires_at < $1"),
    ("idempotency", "user_id, client_id, key", "created_at < $1"),
    ("refresh_tokens", "digest", "expires_at < $1"),
    ("authorization_codes", "digest", "expires_at < $1"),
    ("device_codes", "digest", "expires_at < $1"),
    ("one_time_passwords", "phone_digest, browser", "expires_at < $1"),
    // Another 89 days: a place is known for 90.
    ("known_places", "phone_digest, place", "used_at < $1 - 7689600000000"),
    ("unused_passwords", "phone_digest", "at < $1 - 7689600000000"),
    ("otp_sends", "sent_to, at", "at < $1"),
    ("otp_places", "sent_to", "at < $1"),
    ("browser_sessions", "digest", "expires_at < $1"),
    ("link_tokens", "digest", "expires_at < $1"),
    // 400 days: all but the one that has passed.
    ("audit_log", "id", "at < $1 - 34473600000000"),
    // Grants that have no token any more; until a moment ago they may have been about to get one.
    (
        "grants",
        "id",
        "created_at < $1
         AND NOT EXISTS (SELECT 1 FROM access_tokens t WHERE t.grant_id = grants.id)
         AND NOT EXISTS (SELECT 1 FROM refresh_tokens r WHERE r.grant_id = grants.id)",
    ),
];

/// Successors of refresh tokens are given again for a moment only.
const SPENT_SUCCESSORS: &str = "rotated_at < $1 AND successor IS NOT NULL";

/// Sync sessions that ended before `$1`, of which no connection has it as its latest; from a position on.
pub(super) const OLD_SESSIONS: &str = "SELECT s.updated_at, s.id FROM sessions s
     WHERE (s.updated_at, s.id) > ($2, $3) AND s.updated_at < $1
       AND NOT EXISTS (SELECT 1 FROM connections c WHERE c.last_batch_id = s.id)
       AND NOT EXISTS (SELECT 1 FROM retailer_sessions r WHERE r.batch_id = s.id AND r.active = 1)
     ORDER BY s.updated_at, s.id LIMIT $4";

impl Store {
    /// Removes tokens, codes, stamps and first answers that mean nothing any more, and sync sessions that ended longer ago
    /// than `history`. Returns how many rows and sessions it removed.
    ///
    /// # Errors
    /// If the store fails. What was removed until then stays removed.
    pub(crate) async fn prune(&self, now: DateTime<Utc>, history: TimeDelta) -> Result<u64, StoreError> {
        let long_ago = micros(now - KEPT);
        let mut removed = 0;
        for (table, key, which) in EXPIRED {
            let delete =
                format!("DELETE FROM {table} WHERE ({key}) IN (SELECT {key} FROM {table} WHERE {which} LIMIT {BATCH})");
            removed += self.in_batches(table, which, &delete, long_ago).await?;
        }
        let forget = format!(
            "UPDATE refresh_tokens SET successor = NULL
             WHERE digest IN (SELECT digest FROM refresh_tokens WHERE {SPENT_SUCCESSORS} LIMIT {BATCH})"
        );
        self.in_batches("refresh_tokens", SPENT_SUCCESSORS, &forget, long_ago).await?;
        self.forget_callers(now - KEPT).await?;
        Ok(removed + self.prune_sessions(micros(now - history)).await?)
    }

    /// Repeats a change until it finds nothing more. It is not begun at all if a reader finds nothing: mostly so.
    async fn in_batches(&self, table: &str, which: &str, change: &str, before: i64) -> Result<u64, StoreError> {
        let any = format!("SELECT 1 FROM {table} WHERE {which} LIMIT 1");
        if !query(AssertSqlSafe(any)).bind(before).exists(&self.pool).await? {
            return Ok(0);
        }
        let mut changed = 0;
        loop {
            let batch = query(AssertSqlSafe(change.to_owned())).bind(before).execute(&self.writer).await?;
            changed += batch;
            if batch < count(BATCH) {
                return Ok(changed);
            }
        }
    }

    /// Removes sync sessions, with their parts, events and MFA requests.
    async fn prune_sessions(&self, before: i64) -> Result<u64, StoreError> {
        let (mut after, mut removed) = ((i64::MIN, String::new()), 0);
        loop {
            let old: Vec<(i64, String)> = query_as(OLD_SESSIONS)
                .bind(before)
                .bind(after.0)
                .bind(&after.1)
                .bind(SESSIONS_BATCH)
                .fetch_all(&self.pool)
                .await?;
            let Some(last) = old.last().cloned() else { return Ok(removed) };
            let mut tx = self.write().await?;
            for (_, id) in &old {
                // A session that ended does not begin again, and is not made a connection's latest again.
                removed += query("DELETE FROM sessions WHERE id = $1").bind(id).execute(&mut tx).await?;
            }
            tx.commit().await?;
            after = last;
        }
    }
}
