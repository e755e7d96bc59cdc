//! A user's data as a whole: found, counted, and deleted.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::AssertSqlSafe;

use super::super::{Store, StoreError, count, time};
use crate::clock::Clock;
use crate::store::accounts::audit;
use crate::store::accounts::audit::{Action, Actor, Entry, Outcome};
use crate::store::db::row::row;
use crate::store::db::{Pool, query, query_as, query_scalar};
use crate::store::operator::user_tables::{BY_OTHER_COLUMNS, condition, user_tables};
use crate::store::schema::open::LOCK_WAIT;

row! {
    struct UserRow {
        id: String,
        phone_last4: String,
        created_at: i64,
        connections: i64,
        orders: i64,
        items: i64,
        unfinished: i64,
    }
}

/// A user, as the operator sees them.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OperatedUser {
    /// Identifier.
    pub user_id: String,
    /// The end of the phone number, which the store does not have as a whole.
    pub phone_last4: String,
    /// When they signed in first.
    pub created_at: DateTime<Utc>,
    /// Retailers that they connected.
    pub connections: u64,
    /// Stored orders.
    pub orders: u64,
    /// Stored line items.
    pub items: u64,
    /// Syncs that are not over.
    pub unfinished_syncs: u64,
    /// Clients that they share something with, by id and name, each with its own identifier of the user.
    pub clients: Vec<UserOfClient>,
}

/// A client that a user uses.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserOfClient {
    /// The client.
    pub client_id: String,
    /// Its name.
    pub name: String,
    /// Its own identifier of the user, if it linked one.
    pub external_user_id: Option<String>,
}

/// What is deleted, or left, of a user: rows by table.
pub type RowCounts = Vec<(String, u64)>;

impl Store {
    /// A user by id.
    pub(crate) async fn operated_user(&self, user_id: &str) -> Result<Option<OperatedUser>, StoreError> {
        let row: Option<UserRow> = query_as(
            "SELECT u.id, u.phone_last4, u.created_at,
                (SELECT COUNT(*) FROM connections c WHERE c.user_id = u.id) AS connections,
                (SELECT COUNT(*) FROM orders o WHERE o.user_id = u.id) AS orders,
                (SELECT COUNT(*) FROM line_items i WHERE i.user_id = u.id) AS items,
                (SELECT COUNT(*) FROM retailer_sessions r WHERE r.user_id = u.id AND r.active = 1) AS unfinished
             FROM users u WHERE u.id = $1",
        )
        .bind(user_id)
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let clients: Vec<(String, String, Option<String>)> = query_as(
            "SELECT c.id, c.name, b.external_user_id FROM clients c
             LEFT JOIN user_bindings b ON b.client_id = c.id AND b.user_id = $1
             WHERE b.user_id IS NOT NULL OR EXISTS (SELECT 1 FROM grants g WHERE g.client_id = c.id AND g.user_id = $1)
                OR EXISTS (SELECT 1 FROM connection_shares s WHERE s.client_id = c.id AND s.user_id = $1)
             ORDER BY c.created_at, c.id, b.external_user_id",
        )
        .bind(user_id)
        .fetch_all(&self.pool)
        .await?;
        let clients = clients.into_iter().map(|(client_id, name, external_user_id)| UserOfClient {
            client_id,
            name,
            external_user_id,
        });
        Ok(Some(OperatedUser {
            user_id: row.id,
            phone_last4: row.phone_last4,
            created_at: time(row.created_at)?,
            connections: count(row.connections),
            orders: count(row.orders),
            items: count(row.items),
            unfinished_syncs: count(row.unfinished),
            clients: clients.collect(),
        }))
    }

    /// The ids of users whose phone number has one of these digests.
    pub(crate) async fn users_by_phone(&self, digests: &[[u8; 32]]) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::new();
        for digest in digests {
            let id: Option<String> = query_scalar("SELECT id FROM users WHERE phone_digest = $1")
                .bind(&digest[..])
                .fetch_optional(&self.pool)
                .await?;
            found.extend(id);
        }
        Ok(found)
    }

    /// How many rows each table has of a user.
    pub(crate) async fn rows_of_user(&self, user_id: &str, phone_digest: &[u8]) -> Result<RowCounts, StoreError> {
        let mut tx = self.pool.begin().await?;
        let mut counts = Vec::new();
        for table in user_tables(&mut tx).await? {
            let sql = AssertSqlSafe(format!("SELECT COUNT(*) FROM {} WHERE {}", table.name, table.condition()));
            let rows: i64 = query_scalar(sql).bind_all((user_id, phone_digest)).fetch_one(&mut tx).await?;
            if rows > 0 {
                counts.push((table.name, count(rows)));
            }
        }
        Ok(counts)
    }

    pub(crate) async fn phone_digest_of(&self, user_id: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let find = "SELECT phone_digest FROM users WHERE id = $1";
        Ok(query_scalar(find).bind(user_id).fetch_optional(&self.pool).await?)
    }

    /// Deletes a user with everything that belongs to them. A sync of theirs that runs meanwhile stores nothing more.
    pub(crate) async fn delete_user(
        &self,
        user_id: &str,
        phone_digest: &[u8],
        by: Actor<'_>,
        clock: &dyn Clock,
    ) -> Result<(), StoreError> {
        let (actor, action, user) = (by, Action::UserDelete, Some(user_id));
        let entry = |outcome| Entry { at: clock.now(), actor, action, outcome, user, target: None };
        let mut tx = self.write().await?;
        audit::bare(&mut tx, user_id).await?;
        entry(Outcome::Begun).write(&mut tx).await?;
        // Should this process end before all is deleted, the service deletes the rest.
        query("INSERT INTO removed_connections (user_id, connection) SELECT user_id, number FROM connections WHERE user_id = $1")
            .bind(user_id)
            .execute(&mut tx)
            .await?;
        for (table, which) in BY_OTHER_COLUMNS.iter().rev() {
            let sql = AssertSqlSafe(format!("DELETE FROM {table} WHERE {}", condition(which)));
            query(sql).bind_all((user_id, phone_digest)).execute(&mut tx).await?;
        }
        tx.commit().await?;
        self.finish_removals(Some(user_id)).await?;
        let mut tx = self.write().await?;
        entry(Outcome::Done).write(&mut tx).await?;
        tx.commit().await?;
        self.note_deletion();
        Ok(())
    }

    /// Copies the write-ahead log into the database and empties it, for which it waits for those who read from it, and all
    /// other writes wait. False: somebody still reads, so that it goes later. PostgreSQL recycles its log by itself.
    pub(crate) async fn empty_log(&self, wait: Duration) -> Result<bool, StoreError> {
        let Pool::Sqlite(writer, _) = &self.writer else { return Ok(true) };
        let mut writer = writer.acquire().await?;
        let waiting = |wait: Duration| AssertSqlSafe(format!("PRAGMA busy_timeout = {}", wait.as_millis()));
        sqlx::query(waiting(wait)).execute(&mut *writer).await?;
        let emptied = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut *writer).await;
        sqlx::query(waiting(LOCK_WAIT)).execute(&mut *writer).await?;
        let (busy, _, _): (i64, i64, i64) = emptied?;
        Ok(busy == 0)
    }
}
