//! First answers to requests with an `Idempotency-Key`, kept for 24 hours. An answer is written in the transaction of its change:
//! either both happened or neither did.

use chrono::{DateTime, TimeDelta, Utc};

use crate::store::db::{query, query_as};
use crate::store::{Store, StoreError, Write, micros};

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
    /// This request was answered already, with this.
    Answered(Answer),
    /// Another request used the key.
    Conflict,
}

impl Store {
    /// What was answered to this key before.
    pub(crate) async fn earlier_answer(&self, key: &IdempotencyKey, now: DateTime<Utc>) -> Result<Earlier, StoreError> {
        let row: Option<(Vec<u8>, i64, Vec<u8>)> = query_as(
            "SELECT request_digest, status, body FROM idempotency
             WHERE client_id = $1 AND user_id = $2 AND key = $3 AND created_at > $4",
        )
        .bind_all((&key.client_id, &key.user_id, &key.key, micros(now - KEPT)))
        .fetch_optional(&self.pool)
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

    /// A transaction for a change that happens once per key; none if the key was used meanwhile. Requests with the key that
    /// come at the same time wait until it ends.
    pub(in crate::store) async fn write_once<'a>(
        &self,
        key: Option<&'a IdempotencyKey>,
        now: DateTime<Utc>,
    ) -> Result<Option<Once<'a>>, StoreError> {
        let mut tx = self.write().await?;
        let placeholder = Answer { status: 0, body: Vec::new() };
        let is_first = match key {
            Some(key) => insert(&mut tx, key, &placeholder, now).await?,
            None => true,
        };
        Ok(is_first.then_some(Once { tx, key }))
    }
}

/// A transaction of a change that happens once per key. Its first statement inserts the row that will hold the answer: that
/// row locks the key. If the transaction fails, or its process dies, the row was never there.
pub(in crate::store) struct Once<'a> {
    pub(in crate::store) tx: Write,
    key: Option<&'a IdempotencyKey>,
}

impl Once<'_> {
    /// Keeps the answer under the key, and commits: there is no other way to commit.
    pub(in crate::store) async fn commit(mut self, answer: &Answer) -> Result<(), StoreError> {
        if let Some(key) = self.key {
            query("UPDATE idempotency SET status = $1, body = $2 WHERE client_id = $3 AND user_id = $4 AND key = $5")
                .bind_all((i64::from(answer.status), &answer.body[..], &key.client_id, &key.user_id, &key.key))
                .execute(&mut self.tx)
                .await?;
        }
        Ok(self.tx.commit().await?)
    }
}

/// Inserts the row of a key, in place of one whose day is over. False: the key is in use.
async fn insert(tx: &mut Write, key: &IdempotencyKey, answer: &Answer, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let inserted = query(
        "INSERT INTO idempotency (client_id, user_id, key, request_digest, status, body, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (user_id, client_id, key) DO UPDATE SET
            request_digest = excluded.request_digest, status = excluded.status, body = excluded.body,
            created_at = excluded.created_at
         WHERE idempotency.created_at <= $8",
    )
    .bind_all((
        &key.client_id,
        &key.user_id,
        &key.key,
        &key.request_digest[..],
        i64::from(answer.status),
        &answer.body[..],
        micros(now),
        micros(now - KEPT),
    ))
    .execute(&mut *tx)
    .await?;
    Ok(inserted == 1)
}
