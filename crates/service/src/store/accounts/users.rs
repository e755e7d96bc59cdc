//! Users, their profiles and their time.

use chrono::{DateTime, Utc};
use ordersync_api::{Extra, Profile, Scope, Timestamp};

use crate::ids::{derived_id, new_id};
use crate::store::db::row::row;
use crate::store::db::{On, query, query_as, query_scalar};
use crate::store::{Store, StoreError, micros, time};

/// The caller: a client, acting for a user, with what it may do.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    pub user_id: String,
    pub client_id: String,
    /// What the token allows.
    pub scopes: Vec<Scope>,
    /// The user's time: the machine's, but where a sandbox moved it.
    pub now: DateTime<Utc>,
    /// Whether it is the widget that asks, in the client's name: its requests count for themselves.
    pub widget: bool,
}

row! {
    struct ProfileRow {
        id: String,
        name: Option<String>,
        email: Option<String>,
        phone_last4: String,
        created_at: i64,
    }
}

impl Store {
    /// The user with that phone number, created if there is none. One number is one user, whatever the client.
    pub(crate) async fn user_by_phone(
        &self,
        phone_digest: &[u8; 32],
        last4: &str,
        now: DateTime<Utc>,
    ) -> Result<String, StoreError> {
        self.user_known_as(None, phone_digest, last4, now).await
    }

    /// In a sandbox, users have the same ids everywhere, made from the phone number.
    pub(crate) async fn sandbox_user(
        &self,
        phone: &str,
        phone_digest: &[u8; 32],
        last4: &str,
        now: DateTime<Utc>,
    ) -> Result<String, StoreError> {
        self.user_known_as(Some(derived_id("user", &[phone])), phone_digest, last4, now).await
    }

    async fn user_known_as(
        &self,
        id: Option<String>,
        phone_digest: &[u8; 32],
        last4: &str,
        now: DateTime<Utc>,
    ) -> Result<String, StoreError> {
        let find = "SELECT id FROM users WHERE phone_digest = $1";
        if let Some(id) = query_scalar(find).bind(&phone_digest[..]).fetch_optional(&self.pool).await? {
            return Ok(id);
        }
        let mut tx = self.write().await?;
        // The number's digest changes with the root key: a user of an earlier one may have the id. Then it is a random one.
        let ids = id.into_iter().chain([new_id("user")?]);
        for id in ids {
            query(
                "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ($1, $2, $3, $4)
                 ON CONFLICT DO NOTHING",
            )
            .bind_all((id, &phone_digest[..], last4, micros(now)))
            .execute(&mut tx)
            .await?;
            if let Some(id) = query_scalar(find).bind(&phone_digest[..]).fetch_optional(&mut tx).await? {
                tx.commit().await?;
                return Ok(id);
            }
        }
        Err(StoreError::Corrupt("user"))
    }

    /// Stores the user of a phone number, known under one of the `earlier` digests, under another one. Nothing happens if a
    /// user has that one already.
    pub(crate) async fn move_phone(&self, earlier: &[[u8; 32]], digest: &[u8; 32]) -> Result<(), StoreError> {
        for old in earlier {
            let known = query("SELECT 1 FROM users WHERE phone_digest = $1").bind(&old[..]).exists(&self.pool).await?;
            if !known {
                continue;
            }
            let mut tx = self.write().await?;
            let moved = query("UPDATE users SET phone_digest = $1 WHERE phone_digest = $2")
                .bind_all((&digest[..], &old[..]))
                .execute(&mut tx)
                .await;
            match moved {
                Ok(_) => tx.commit().await?,
                Err(sqlx::Error::Database(error)) if error.is_unique_violation() => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Makes sure that there is the one local user.
    pub(crate) async fn ensure_local_user(
        &self,
        id: &str,
        digest: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let known = query("SELECT 1 FROM users WHERE id = $1").bind(id).exists(&self.pool).await?;
        if !known {
            query(
                "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ($1, $2, '', $3) ON CONFLICT DO NOTHING",
            )
            .bind_all((id, &digest[..], micros(now)))
            .execute(&self.writer)
            .await?;
        }
        Ok(())
    }

    /// The profile of a user.
    pub(crate) async fn profile(&self, user_id: &str) -> Result<Option<Profile>, StoreError> {
        let row: Option<ProfileRow> =
            query_as("SELECT id, name, email, phone_last4, created_at FROM users WHERE id = $1")
                .bind(user_id)
                .fetch_optional(&self.pool)
                .await?;
        row.map(|row| {
            Ok(Profile {
                user_id: row.id.into(),
                name: row.name,
                email: row.email,
                phone_last4: Some(row.phone_last4).filter(|digits| !digits.is_empty()),
                created_at: Some(Timestamp(time(row.created_at)?).into()),
                extra: Extra::new(),
            })
        })
        .transpose()
    }

    pub(crate) async fn now_for(&self, user_id: &str, now: DateTime<Utc>) -> Result<DateTime<Utc>, StoreError> {
        self.clock_of(user_id, &self.pool).await?.time(now)
    }

    /// The user's clock; the machine's if there is no such user, and in a live service, where nobody moves one.
    pub(in crate::store) async fn clock_of(
        &self,
        user_id: &str,
        on: impl Into<On<'_>>,
    ) -> Result<UserClock, StoreError> {
        if self.is_live() {
            return Ok(UserClock::default());
        }
        let clock = query_as("SELECT clock_offset, clock_frozen_at FROM users WHERE id = $1").bind(user_id);
        Ok(clock.fetch_optional(on).await?.unwrap_or_default())
    }

    /// The clock of the user of a row that may have none.
    pub(in crate::store) async fn clock_of_any(
        &self,
        user_id: Option<&str>,
        on: impl Into<On<'_>>,
    ) -> Result<UserClock, StoreError> {
        match user_id {
            Some(user_id) => self.clock_of(user_id, on).await,
            None => Ok(UserClock::default()),
        }
    }

    /// The time of the user with that phone number, or the machine's where there is no such user yet.
    pub(crate) async fn now_for_phone(
        &self,
        phone_digest: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<DateTime<Utc>, StoreError> {
        if self.is_live() {
            return Ok(now);
        }
        let clock: Option<UserClock> =
            query_as("SELECT clock_offset, clock_frozen_at FROM users WHERE phone_digest = $1")
                .bind(&phone_digest[..])
                .fetch_optional(&self.pool)
                .await?;
        clock.map_or(Ok(now), |clock| clock.time(now))
    }
}

row! {
    /// The time of a user, from the machine's.
    #[derive(Debug, Clone, Copy, Default)]
    pub(crate) struct UserClock {
        pub(in crate::store) clock_offset: i64,
        pub(in crate::store) clock_frozen_at: Option<i64>,
    }
}

impl UserClock {
    pub(crate) fn time(self, now: DateTime<Utc>) -> Result<DateTime<Utc>, StoreError> {
        user_time(now, self.clock_offset, self.clock_frozen_at)
    }

    pub(crate) const fn is_frozen(self) -> bool {
        self.clock_frozen_at.is_some()
    }
}

/// The user's time, from the machine's.
pub(crate) fn user_time(now: DateTime<Utc>, offset: i64, frozen_at: Option<i64>) -> Result<DateTime<Utc>, StoreError> {
    time(frozen_at.unwrap_or_else(|| micros(now).saturating_add(offset)))
}
