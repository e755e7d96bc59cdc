//! Browsers that are signed in.

use chrono::{DateTime, TimeDelta, Utc};

use crate::store::accounts::audit::{Action, Actor, Entry, Outcome};
use crate::store::db::dialect::sql;
use crate::store::db::row::row;
use crate::store::db::{query, query_as, query_scalar};
use crate::store::{Store, StoreError, micros};

row! {
    struct SessionRow {
        user_id: String,
        clients: String,
        expires_at: i64,
    }
}

/// A browser that is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrowserSession {
    pub user_id: String,
    /// The clients that the user agreed to in it.
    pub clients: Vec<String>,
    /// The user's time.
    pub now: DateTime<Utc>,
}

fn clients(stored: &str) -> Result<Vec<String>, StoreError> {
    serde_json::from_str(stored).map_err(|_| StoreError::Corrupt("list of clients"))
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
            .bind_all((&digest[..], user_id, micros(now), micros(now + life)))
            .execute(&mut tx)
            .await?;
        let (actor, action, outcome, user) = (Actor::User, Action::SignIn, Outcome::Done, Some(user_id));
        Entry { at, actor, action, outcome, user, target: None }.write(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Notes that the user agreed to a client in that browser. Nothing happens if the browser is not signed in.
    pub(crate) async fn agree_in_browser(&self, digest: &[u8; 32], client_id: &str) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        let stored: Option<String> =
            query_scalar(sql!("SELECT clients FROM browser_sessions WHERE digest = $1", [lock]))
                .bind(&digest[..])
                .fetch_optional(&mut tx)
                .await?;
        let Some(stored) = stored else { return Ok(()) };
        let mut agreed = clients(&stored)?;
        if agreed.iter().any(|known| known == client_id) {
            return Ok(());
        }
        agreed.push(client_id.to_owned());
        let agreed = serde_json::to_string(&agreed).map_err(|_| StoreError::Corrupt("list of clients"))?;
        query("UPDATE browser_sessions SET clients = $1 WHERE digest = $2")
            .bind_all((agreed, &digest[..]))
            .execute(&mut tx)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Who is signed in with that cookie; none if it is unknown or expired.
    pub(crate) async fn browser_user(
        &self,
        digest: &[u8; 32],
        now: DateTime<Utc>,
    ) -> Result<Option<BrowserSession>, StoreError> {
        let row: Option<SessionRow> =
            query_as("SELECT user_id, clients, expires_at FROM browser_sessions WHERE digest = $1")
                .bind(&digest[..])
                .fetch_optional(&self.pool)
                .await?;
        let Some(row) = row else { return Ok(None) };
        let now = self.clock_of(&row.user_id, &self.pool).await?.time(now)?;
        if row.expires_at <= micros(now) {
            return Ok(None);
        }
        Ok(Some(BrowserSession { user_id: row.user_id, clients: clients(&row.clients)?, now }))
    }

    /// Signs a browser out.
    pub(crate) async fn remove_browser_session(&self, digest: &[u8; 32]) -> Result<(), StoreError> {
        query("DELETE FROM browser_sessions WHERE digest = $1").bind(&digest[..]).run(&self.writer).await
    }
}
