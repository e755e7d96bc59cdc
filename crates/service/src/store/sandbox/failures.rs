//! What a sandbox was asked to let go wrong, and the one-time passwords that were sent to the user's phone.

use chrono::{DateTime, Utc};

use crate::store::db::dialect::sql;
use crate::store::db::{query, query_as, query_scalar};
use crate::store::{Store, StoreError, micros, time};

/// How many failures may wait for the requests of one user or client.
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

/// Whose requests fail.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Failing<'a> {
    /// Those for a user.
    User(&'a str),
    /// Those of a client, for any user.
    Client(&'a str),
}

impl<'a> Failing<'a> {
    const fn id(self) -> &'a str {
        match self {
            Self::User(id) | Self::Client(id) => id,
        }
    }
}

impl Store {
    /// Lets the next `requests` fail as `failure` says. False: too many failures are waiting already.
    pub(crate) async fn add_failure(&self, of: Failing<'_>, requests: u32, failure: &str) -> Result<bool, StoreError> {
        let mut tx = self.write().await?;
        // So that requests at the same time do not count the same failures.
        let (lock, count, insert) = match of {
            Failing::User(_) => (
                sql!("SELECT 1 FROM users WHERE id = $1", [lock]),
                "SELECT COUNT(*) FROM sandbox_failures WHERE user_id = $1",
                "INSERT INTO sandbox_failures (user_id, requests_left, failure) VALUES ($1, $2, $3)",
            ),
            Failing::Client(_) => (
                sql!("SELECT 1 FROM clients WHERE id = $1", [lock]),
                "SELECT COUNT(*) FROM sandbox_client_failures WHERE client_id = $1",
                "INSERT INTO sandbox_client_failures (client_id, requests_left, failure) VALUES ($1, $2, $3)",
            ),
        };
        query(lock).bind(of.id()).execute(&mut tx).await?;
        let waiting: i64 = query_scalar(count).bind(of.id()).fetch_one(&mut tx).await?;
        if waiting >= FAILURES_AT_MOST {
            return Ok(false);
        }
        query(insert).bind_all((of.id(), requests, failure)).execute(&mut tx).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The failures that wait for a request for this user and of this client: the user's first, then the oldest, each with its number.
    pub(crate) async fn failures<'a>(
        &self,
        user_id: Option<&'a str>,
        client_id: Option<&'a str>,
    ) -> Result<Vec<(Failing<'a>, i64, String)>, StoreError> {
        let waiting: Vec<(bool, i64, String)> = query_as(
            "SELECT TRUE, id, failure FROM sandbox_failures WHERE user_id = $1
             UNION ALL SELECT FALSE, id, failure FROM sandbox_client_failures WHERE client_id = $2 ORDER BY 1 DESC, 2",
        )
        .bind_all((user_id, client_id))
        .fetch_all(&self.pool)
        .await?;
        let of = |is_users| if is_users { user_id.map(Failing::User) } else { client_id.map(Failing::Client) };
        let waiting =
            waiting.into_iter().filter_map(|(is_users, number, failure)| Some((of(is_users)?, number, failure)));
        Ok(waiting.collect())
    }

    /// Counts one request against a failure. False: another request was the last that it had.
    pub(crate) async fn take_failure(&self, of: Failing<'_>, number: i64) -> Result<bool, StoreError> {
        let (take, delete) = match of {
            Failing::User(_) => (
                "UPDATE sandbox_failures SET requests_left = requests_left - 1 WHERE id = $1 RETURNING requests_left",
                "DELETE FROM sandbox_failures WHERE id = $1",
            ),
            Failing::Client(_) => (
                "UPDATE sandbox_client_failures SET requests_left = requests_left - 1 WHERE id = $1 RETURNING requests_left",
                "DELETE FROM sandbox_client_failures WHERE id = $1",
            ),
        };
        let mut tx = self.write().await?;
        let left: Option<i64> = query_scalar(take).bind(number).fetch_optional(&mut tx).await?;
        if left.is_some_and(|left| left <= 0) {
            query(delete).bind(number).execute(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(left.is_some())
    }

    /// Forgets the failures that are waiting.
    pub(crate) async fn clear_failures(&self, of: Failing<'_>) -> Result<(), StoreError> {
        let delete = match of {
            Failing::User(_) => "DELETE FROM sandbox_failures WHERE user_id = $1",
            Failing::Client(_) => "DELETE FROM sandbox_client_failures WHERE client_id = $1",
        };
        query(delete).bind(of.id()).run(&self.writer).await
    }

    /// Keeps a one-time password that was sent to a phone, with the newest ones before it.
    pub(crate) async fn keep_sent(&self, phone_digest: &[u8; 32], sent: &SentPassword) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        query("INSERT INTO sandbox_passwords (phone_digest, password, sent_at, expires_at) VALUES ($1, $2, $3, $4)")
            .bind_all((&phone_digest[..], &sent.password, micros(sent.sent_at), micros(sent.expires_at)))
            .execute(&mut tx)
            .await?;
        query(
            "DELETE FROM sandbox_passwords WHERE phone_digest = $1 AND id <= (
                SELECT id FROM sandbox_passwords WHERE phone_digest = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
        )
        .bind_all((&phone_digest[..], PASSWORDS_KEPT))
        .execute(&mut tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// The one-time passwords that were sent to a user's phone, newest first; none if the phone is not the user's.
    pub(crate) async fn sent_passwords(
        &self,
        user_id: &str,
        phone_digest: &[u8; 32],
    ) -> Result<Option<Vec<SentPassword>>, StoreError> {
        let own = query("SELECT 1 FROM users WHERE id = $1 AND phone_digest = $2")
            .bind_all((user_id, &phone_digest[..]))
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
