//! First answers to requests with an `Idempotency-Key`, kept for 24 hours. An answer to a change is written in the
//! transaction of the change: either both happened or neither did.

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::SqliteConnection;

use super::{Store, StoreError, Write, micros};

/// How long a first answer is given again.
pub(crate) const KEPT: TimeDelta = TimeDelta::hours(24);

/// What identifies a request that may be repeated.
#[derive(Debug, Clone)]
pub(crate) struct IdempotencyKey {
    pub client_id: String,
    pub user_id: String,
    /// The header's value.
    pub key: String,
    /// SHA-256 of method, path and body: what has to be the same.
    pub request_digest: [u8; 32],
}

/// An answer that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// HTTP status.
    pub status: u16,
    /// JSON.
    pub body: Vec<u8>,
}

/// What is known of a key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// Nothing: go on.
    None,
    /// The same request was answered so.
    Answered(Answer),
    /// Another request used the key.
    Conflict,
}

impl Store {
    /// What was answered to this key before.
    pub(crate) async fn earlier_answer(&self, key: &IdempotencyKey, now: DateTime<Utc>) -> Result<Earlier, StoreError> {
        earlier(&mut *self.pool.acquire().await?, key, now).await
    }

    /// A transaction for a change that happens once per key; none where the request was answered meanwhile. Nobody else
    /// writes until it ends, so that of requests made at the same time one changes something.
    pub(super) async fn write_once(
        &self,
        key: Option<&IdempotencyKey>,
        now: DateTime<Utc>,
    ) -> Result<Option<Write>, StoreError> {
        let mut tx = self.write().await?;
        let Some(key) = key else { return Ok(Some(tx)) };
        let answered: Option<i64> = sqlx::query_scalar(
            "SELECT 1 FROM idempotency WHERE client_id = ? AND user_id = ? AND key = ? AND created_at > ?",
        )
        .bind(&key.client_id)
        .bind(&key.user_id)
        .bind(&key.key)
        .bind(micros(now - KEPT))
        .fetch_optional(&mut *tx)
        .await?;
        Ok(answered.is_none().then_some(tx))
    }

    /// Keeps an answer that changed nothing, unless the key was used meanwhile: then that use is returned.
    pub(crate) async fn keep_answer(
        &self,
        key: &IdempotencyKey,
        answer: &Answer,
        now: DateTime<Utc>,
    ) -> Result<Earlier, StoreError> {
        let mut tx = self.write().await?;
        let earlier = earlier(&mut tx, key, now).await?;
        if earlier == Earlier::None {
            keep(&mut tx, Some(key), answer, now).await?;
            tx.commit().await?;
        }
        Ok(earlier)
    }
}

async fn earlier(
    connection: &mut SqliteConnection,
    key: &IdempotencyKey,
    now: DateTime<Utc>,
) -> Result<Earlier, StoreError> {
    let row: Option<(Vec<u8>, i64, Vec<u8>)> = sqlx::query_as(
        "SELECT request_digest, status, body FROM idempotency
         WHERE client_id = ? AND user_id = ? AND key = ? AND created_at > ?",
    )
    .bind(&key.client_id)
    .bind(&key.user_id)
    .bind(&key.key)
    .bind(micros(now - KEPT))
    .fetch_optional(connection)
    .await?;
    Ok(match row {
        None => Earlier::None,
        Some((digest, _, _)) if digest != key.request_digest => Earlier::Conflict,
        Some((_, status, body)) => {
            let status = u16::try_from(status).map_err(|_| StoreError::Corrupt("HTTP status"))?;
            Earlier::Answered(Answer { status, body })
        }
    })
}

/// Keeps an answer as part of the change that it tells of. An answer that is kept already stays.
pub(super) async fn keep(
    tx: &mut Write,
    key: Option<&IdempotencyKey>,
    answer: &Answer,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let Some(key) = key else { return Ok(()) };
    sqlx::query(
        "INSERT INTO idempotency (client_id, user_id, key, request_digest, status, body, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (client_id, user_id, key) DO UPDATE SET
            request_digest = excluded.request_digest, status = excluded.status, body = excluded.body,
            created_at = excluded.created_at
         WHERE idempotency.created_at <= ?8",
    )
    .bind(&key.client_id)
    .bind(&key.user_id)
    .bind(&key.key)
    .bind(&key.request_digest[..])
    .bind(i64::from(answer.status))
    .bind(&answer.body)
    .bind(micros(now))
    .bind(micros(now - KEPT))
    .execute(&mut **tx)
    .await?;
    Ok(())
}
