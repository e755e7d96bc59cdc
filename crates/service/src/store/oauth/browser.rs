//! Browsers that are signed in.

use chrono::{DateTime, TimeDelta, Utc};

use super::super::audit::{Action, Actor, Entry, Outcome};
use super::super::users::UserClock;
use super::super::{Store, StoreError, micros};
use crate::store::db::{query, query_as};
use crate::store::row::row;

row! {
    struct SessionRow {
        user_id: String,
        expires_at: i64,
    }
    flatten clock: UserClock
}

impl Store {
    /// Signs a browser in for so long. Only the cookie's digest is stored.
    pub(crate) async fn add_browser_session(
        &self,
        digest: &[u8; 32],
        user_id: &str,
        life: TimeDelta,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let (at, now) = (now, self.now_for(user_id, now).await?);
        let mut tx = self.write().await?;
        query("INSERT INTO browser_sessions (digest, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)")
            .bind(&digest[..])
            .bind(user_id)
            .bind(micros(now))
            .bind(micros(now + life))
            .execute(&mut tx)
            .await?;
        let (actor, action, outcome, user) = (Actor::User, Action::SignIn, Outcome::Done, Some(user_id));
        Entry { at, actor, action, outcome, user, target: None }.write(&mut tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Who is signed in with that cookie, and the user's time; none where it is unknown or expired.
    pub(crate) async fn browser_user(
        &self,
        digest: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<(String, DateTime<Utc>)>, StoreError> {
        let row: Option<SessionRow> = query_as(
            "SELECT b.user_id, b.expires_at, u.clock_offset, u.clock_frozen_at
             FROM browser_sessions b JOIN users u ON u.id = b.user_id WHERE b.digest = $1",
        )
        .bind(&digest[..])
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let now = row.clock.time(now)?;
        Ok((row.expires_at > micros(now)).then_some((row.user_id, now)))
    }

    /// Signs a browser out.
    pub(crate) async fn remove_browser_session(&self, digest: &[u8; 32]) -> Result<(), StoreError> {
        query("DELETE FROM browser_sessions WHERE digest = $1").bind(&digest[..]).execute(&self.writer).await?;
        Ok(())
    }
}
