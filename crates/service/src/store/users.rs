//! Users, clients, and the tokens with which a client acts for a user.

use chrono::{DateTime, Utc};
use ordersync_api::Scope;
use ordersync_api::scope::{join_scopes, parse_scopes};
use sqlx::FromRow;

use super::{Store, StoreError, micros, time};
use crate::ids::new_id;

/// Who asks: a client, acting for a user, with what it may do.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The user.
    pub user_id: String,
    /// The client.
    pub client_id: String,
    /// What the token allows.
    pub scopes: Vec<Scope>,
    /// The user's time: the machine's, but where a sandbox moved it.
    pub now: DateTime<Utc>,
}

/// A token to be stored. Only its digest is.
#[derive(Debug)]
pub struct NewToken<'a> {
    /// SHA-256 of the token.
    pub digest: [u8; 32],
    /// Whose data.
    pub user_id: &'a str,
    /// Who asks for it.
    pub client_id: &'a str,
    /// What it allows.
    pub scopes: &'a [Scope],
    /// Until when.
    pub expires_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct TokenRow {
    user_id: String,
    client_id: String,
    scopes: String,
    clock_offset: i64,
    clock_frozen_at: Option<i64>,
}

impl Store {
    /// The user with that phone number, made where there is none. One number is one user, whatever the client.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn user_by_phone(
        &self,
        phone_digest: &[u8; 32],
        last4: &str,
        now: DateTime<Utc>,
    ) -> Result<String, StoreError> {
        let find = "SELECT id FROM users WHERE phone_digest = ?";
        if let Some(id) = sqlx::query_scalar(find).bind(&phone_digest[..]).fetch_optional(&self.pool).await? {
            return Ok(id);
        }
        let mut tx = self.write().await?;
        sqlx::query(
            "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES (?, ?, ?, ?)
             ON CONFLICT (phone_digest) DO NOTHING",
        )
        .bind(new_id("user")?)
        .bind(&phone_digest[..])
        .bind(last4)
        .bind(micros(now))
        .execute(&mut *tx)
        .await?;
        let id = sqlx::query_scalar(find).bind(&phone_digest[..]).fetch_one(&mut *tx).await?;
        tx.commit().await?;
        Ok(id)
    }

    /// Makes sure that there is the one local user, and the client of the same name.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn ensure_local(&self, id: &str, digest: &[u8; 32], now: DateTime<Utc>) -> Result<(), StoreError> {
        self.ensure_client(id, id, now).await?;
        let known: Option<i64> =
            sqlx::query_scalar("SELECT 1 FROM users WHERE id = ?").bind(id).fetch_optional(&self.pool).await?;
        if known.is_none() {
            sqlx::query(
                "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES (?, ?, '', ?) ON CONFLICT DO NOTHING",
            )
            .bind(id)
            .bind(&digest[..])
            .bind(micros(now))
            .execute(&self.pool)
            .await?;
        }
        Ok(())
    }

    /// Makes sure that there is a client of that id.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn ensure_client(&self, id: &str, name: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
        let known: Option<i64> =
            sqlx::query_scalar("SELECT 1 FROM clients WHERE id = ?").bind(id).fetch_optional(&self.pool).await?;
        if known.is_none() {
            sqlx::query("INSERT INTO clients (id, name, created_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING")
                .bind(id)
                .bind(name)
                .bind(micros(now))
                .execute(&self.pool)
                .await?;
        }
        Ok(())
    }

    /// Stores an access token.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn add_token(&self, token: &NewToken<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        sqlx::query(
            "INSERT INTO access_tokens (digest, user_id, client_id, scopes, created_at, expires_at)
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(&token.digest[..])
        .bind(token.user_id)
        .bind(token.client_id)
        .bind(join_scopes(token.scopes))
        .bind(micros(now))
        .bind(micros(token.expires_at))
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Who a token stands for, unless it is unknown or expired. `now` is the machine's time.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn caller(&self, digest: &[u8; 32], now: DateTime<Utc>) -> Result<Option<Caller>, StoreError> {
        let row: Option<TokenRow> = sqlx::query_as(
            "SELECT t.user_id, t.client_id, t.scopes, u.clock_offset, u.clock_frozen_at
             FROM access_tokens t JOIN users u ON u.id = t.user_id
             WHERE t.digest = ? AND t.expires_at > ?",
        )
        .bind(&digest[..])
        .bind(micros(now))
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| {
            Ok(Caller {
                now: user_time(now, row.clock_offset, row.clock_frozen_at)?,
                scopes: parse_scopes(&row.scopes)?,
                user_id: row.user_id,
                client_id: row.client_id,
            })
        })
        .transpose()
    }

    /// A user's time.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn now_for(&self, user_id: &str, now: DateTime<Utc>) -> Result<DateTime<Utc>, StoreError> {
        let row: Option<(i64, Option<i64>)> =
            sqlx::query_as("SELECT clock_offset, clock_frozen_at FROM users WHERE id = ?")
                .bind(user_id)
                .fetch_optional(&self.pool)
                .await?;
        row.map_or(Ok(now), |(offset, frozen_at)| user_time(now, offset, frozen_at))
    }
}

/// The user's time, from the machine's.
pub(crate) fn user_time(now: DateTime<Utc>, offset: i64, frozen_at: Option<i64>) -> Result<DateTime<Utc>, StoreError> {
    time(frozen_at.unwrap_or_else(|| micros(now).saturating_add(offset)))
}
