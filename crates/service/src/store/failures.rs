//! What a sandbox's user asked to go wrong, and the one-time passwords that were sent to the user's phone.

use chrono::{DateTime, Utc};

use super::dialect::sql;
use super::{Store, StoreError, micros, time};
use crate::store::db::{query, query_as, query_scalar};

/// How many failures may wait for one user's requests.
const FAILURES_AT_MOST: i64 = 100;
/// How many one-time passwords are kept for a phone.
const PASSWORDS_KEPT: u32 = 20;

/// A one-time password that was sent.
#[derive(Debug)]
pub(crate) struct SentPassword {
    pub password: String,
    /// When it was sent, in the user's time.
    pub sent_at: DateTime<Utc>,
    /// Until when it is good, in the user's time.
    pub expires_at: DateTime<Utc>,
}

impl Store {
    /// Lets a user's next `requests` fail as `failure` says. False: too many failures are waiting already.
    pub(crate) async fn add_failure(&self, user_id: &str, requests: u32, failure: &str) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        // So that requests at the same time do not count the same failures.
        query(sql!("SELECT 1 FROM users WHERE id = $1", [lock])).bind(user_id).execute(&mut tx).await?;
        let waiting: i64 = query_scalar("SELECT COUNT(*) FROM sandbox_failures WHERE user_id = $1")
            .bind(user_id)
            .fetch_one(&mut tx)
            .await?;
        if waiting >= FAILURES_AT_MOST {
            return Ok(false);
        }
        query("INSERT INTO sandbox_failures (user_id, requests_left, failure) VALUES ($1, $2, $3)")
            .bind(user_id)
            .bind(requests)
            .bind(failure)
            .execute(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The failures that wait for a user's requests, oldest first, each with its number.
    pub(crate) async fn failures(&self, user_id: &str) -> Result<Vec<(i64, String)>, StoreError> {
        Ok(query_as("SELECT id, failure FROM sandbox_failures WHERE user_id = $1 ORDER BY id")
            .bind(user_id)
            .fetch_all(&self.pool)
            .await?)
    }

    /// Counts one request against a failure. False: another request was the last that it had.
    pub(crate) async fn take_failure(&self, number: i64) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        let left: Option<i64> = query_scalar(
            "UPDATE sandbox_failures SET requests_left = requests_left - 1 WHERE id = $1 RETURNING requests_left",
        )
        .bind(number)
        .fetch_optional(&mut tx)
        .await?;
        if left.is_some_and(|left| left <= 0) {
            query("DELETE FROM sandbox_failures WHERE id = $1").bind(number).execute(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(left.is_some())
    }

    /// Forgets the failures that wait for a user's requests.
    pub(crate) async fn clear_failures(&self, user_id: &str) -> Result<(), StoreError> {
        query("DELETE FROM sandbox_failures WHERE user_id = $1").bind(user_id).execute(&self.writer).await?;
        Ok(())
    }

    /// Keeps a one-time password that was sent to a phone, with the newest ones before it.
    pub(crate) async fn keep_sent(&self, phone_digest: &[u8; 32], sent: &SentPassword) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        query("INSERT INTO sandbox_passwords (phone_digest, password, sent_at, expires_at) VALUES ($1, $2, $3, $4)")
            .bind(&phone_digest[..])
            .bind(&sent.password)
            .bind(micros(sent.sent_at))
            .bind(micros(sent.expires_at))
            .execute(&mut tx)
            .await?;
        query(
            "DELETE FROM sandbox_passwords WHERE phone_digest = $1 AND id <= (
                SELECT id FROM sandbox_passwords WHERE phone_digest = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
        )
        .bind(&phone_digest[..])
        .bind(PASSWORDS_KEPT)
        .execute(&mut tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// The one-time passwords that were sent to a user's phone, newest first; none if the phone is not the user's.
    pub(crate) async fn sent_passwords(
        &self,
        user_id: &str,
        phone_digest: &[u8; 32],
    ) -> Result<Option<Vec<SentPassword>>, StoreError> {
        let own = query("SELECT 1 FROM users WHERE id = $1 AND phone_digest = $2")
            .bind(user_id)
            .bind(&phone_digest[..])
            .exists(&self.pool)
            .await?;
        if !own {
            return Ok(None);
        }
        let rows: Vec<(String, i64, i64)> = query_as(
            "SELECT password, sent_at, expires_at FROM sandbox_passwords WHERE phone_digest = $1 ORDER BY id DESC",
        )
        .bind(&phone_digest[..])
        .fetch_all(&self.pool)
        .await?;
        let sent = rows.into_iter().map(|(password, sent_at, expires_at)| {
            Ok(SentPassword { password, sent_at: time(sent_at)?, expires_at: time(expires_at)? })
        });
        sent.collect::<Result<_, StoreError>>().map(Some)
    }
}
