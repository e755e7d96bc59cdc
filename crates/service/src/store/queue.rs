//! The queue of parts of sessions: claiming one with a lease, keeping the lease, giving it back.
//!
//! A claim raises the row's epoch; everything that is written under the claim names owner and epoch, so that a node which
//! lost its lease without noticing writes nothing (it is fenced).

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::SyncStatus;
use sqlx::FromRow;

use super::users::user_time;
use super::{Store, StoreError, count, micros};

/// How long a claim holds without being renewed. A node that dies gives its work back after that.
pub const LEASE: TimeDelta = TimeDelta::seconds(10);

/// A claimed part of a session.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The part.
    pub id: String,
    /// The session.
    pub batch_id: String,
    /// The connection.
    pub connection_id: String,
    /// The retailer's number.
    pub retailer_id: i64,
    /// The retailer's name.
    pub retailer_name: String,
    /// The user.
    pub user_id: String,
    /// Where it stands.
    pub status: SyncStatus,
    /// How often the present step failed before.
    pub attempt: u32,
    /// Whether settled and unchanged orders are read again.
    pub full: bool,
    /// How many MFA codes may still be tried.
    pub codes_left: u32,
    /// Until when the present phase may last, in the user's time.
    pub deadline_at: Option<DateTime<Utc>>,
    /// Sealed: what the connector left.
    pub state: Option<Vec<u8>>,
    /// Sealed: what the user answered.
    pub answer: Option<Vec<u8>>,
    /// Sealed: the user's credentials.
    pub credentials: Vec<u8>,
    /// Sealed: what the connector remembers from sync to sync.
    pub session: Option<Vec<u8>>,
    /// Whose claim it is.
    pub owner: String,
    /// Which claim it is.
    pub epoch: i64,
}

#[derive(FromRow)]
struct ClaimRow {
    batch_id: String,
    connection_id: String,
    retailer_id: i64,
    display_name: String,
    user_id: String,
    sync_status: String,
    attempt: i64,
    full: bool,
    codes_left: i64,
    deadline_at: Option<i64>,
    state: Option<Vec<u8>>,
    answer: Option<Vec<u8>>,
    credentials: Vec<u8>,
    session: Option<Vec<u8>>,
    epoch: i64,
}

/// Rows that somebody could claim at `?1` (the machine's time).
const DUE: &str = "SELECT r.id FROM retailer_sessions r JOIN users u ON u.id = r.user_id
     WHERE r.active = 1 AND r.due_at IS NOT NULL
       AND r.due_at <= COALESCE(u.clock_frozen_at, ?1 + u.clock_offset)
       AND (r.lease_until IS NULL OR r.lease_until <= ?1)
     ORDER BY r.due_at, r.id LIMIT 1";

impl Store {
    /// Claims a part that is due, if there is one.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn claim(&self, owner: &str, now: DateTime<Utc>) -> Result<Option<Claim>, StoreError> {
        // Looked up first without the write lock: mostly there is nothing.
        let due: Option<String> = sqlx::query_scalar(DUE).bind(micros(now)).fetch_optional(&self.pool).await?;
        if due.is_none() {
            return Ok(None);
        }
        let mut tx = self.write().await?;
        let id: Option<String> = sqlx::query_scalar(DUE).bind(micros(now)).fetch_optional(&mut *tx).await?;
        let Some(id) = id else { return Ok(None) };
        sqlx::query("UPDATE retailer_sessions SET lease_owner = ?, lease_until = ?, epoch = epoch + 1 WHERE id = ?")
            .bind(owner)
            .bind(micros(now + LEASE))
            .bind(&id)
            .execute(&mut *tx)
            .await?;
        let row: ClaimRow = sqlx::query_as(
            "SELECT r.*, c.retailer_id, c.display_name, c.credentials, c.session
             FROM retailer_sessions r JOIN connections c ON c.id = r.connection_id WHERE r.id = ?",
        )
        .bind(&id)
        .fetch_one(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(Some(Claim {
            id,
            batch_id: row.batch_id,
            connection_id: row.connection_id,
            retailer_id: row.retailer_id,
            retailer_name: row.display_name,
            user_id: row.user_id,
            status: row.sync_status.parse()?,
            attempt: u32::try_from(row.attempt).unwrap_or(u32::MAX),
            full: row.full,
            codes_left: u32::try_from(row.codes_left).unwrap_or(0),
            deadline_at: row.deadline_at.map(super::time).transpose()?,
            state: row.state,
            answer: row.answer,
            credentials: row.credentials,
            session: row.session,
            owner: owner.to_owned(),
            epoch: row.epoch,
        }))
    }

    /// Renews a claim; false where it was lost.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn renew(&self, claim: &Claim, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let renewed = sqlx::query(
            "UPDATE retailer_sessions SET lease_until = ? WHERE id = ? AND lease_owner = ? AND epoch = ? AND active = 1",
        )
        .bind(micros(now + LEASE))
        .bind(&claim.id)
        .bind(&claim.owner)
        .bind(claim.epoch)
        .execute(&self.writer)
        .await?;
        Ok(renewed.rows_affected() == 1)
    }

    /// Gives back everything that a node has claimed.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn release_all(&self, owner: &str) -> Result<u64, StoreError> {
        let held: i64 =
            sqlx::query_scalar("SELECT COUNT(*) FROM retailer_sessions WHERE active = 1 AND lease_owner = ?")
                .bind(owner)
                .fetch_one(&self.pool)
                .await?;
        if held > 0 {
            sqlx::query("UPDATE retailer_sessions SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = ?")
                .bind(owner)
                .execute(&self.writer)
                .await?;
        }
        Ok(count(held))
    }

    /// When there will next be something to do: in the machine's time; none where nothing waits for the time alone.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn next_due(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let next: Option<i64> = sqlx::query_scalar(
            "SELECT MIN(at) FROM (
                SELECT MAX(r.due_at - u.clock_offset, COALESCE(r.lease_until, 0)) AS at
                FROM retailer_sessions r JOIN users u ON u.id = r.user_id
                WHERE r.active = 1 AND r.due_at IS NOT NULL AND u.clock_frozen_at IS NULL
                UNION ALL
                SELECT r.deadline_at - u.clock_offset
                FROM retailer_sessions r JOIN users u ON u.id = r.user_id
                WHERE r.active = 1 AND r.deadline_at IS NOT NULL AND u.clock_frozen_at IS NULL)",
        )
        .fetch_one(&self.pool)
        .await?;
        next.map(super::time).transpose()
    }

    /// Whether anything of a user could be done at once: what a sandbox waits for after it moved the user's clock.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn has_due_work(&self, user_id: &str, now: DateTime<Utc>) -> Result<bool, StoreError> {
        let (offset, frozen_at): (i64, Option<i64>) =
            sqlx::query_as("SELECT clock_offset, clock_frozen_at FROM users WHERE id = ?")
                .bind(user_id)
                .fetch_one(&self.pool)
                .await?;
        let due: Option<i64> = sqlx::query_scalar(
            "SELECT 1 FROM retailer_sessions
             WHERE user_id = ?1 AND active = 1 AND (due_at <= ?2 OR deadline_at <= ?2) LIMIT 1",
        )
        .bind(user_id)
        .bind(micros(user_time(now, offset, frozen_at)?))
        .fetch_optional(&self.pool)
        .await?;
        Ok(due.is_some())
    }
}
