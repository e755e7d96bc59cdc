//! Removing connections. A removal deletes the connection at once, its credentials and sessions included. Its orders and line
//! items, of which there may be millions, are deleted afterwards in batches, so that no other write waits for long.

use std::sync::atomic::Ordering;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::Id;
use tokio::time::Instant;

use crate::store::accounts::audit::{Action, Actor, Entry, Outcome};
use crate::store::accounts::connections::{Access, access_to_change, owns};
use crate::store::accounts::users::Caller;
use crate::store::db::{query, query_as};
use crate::store::syncs::start::running;
use crate::store::{Store, StoreError, Write};

/// How many rows are deleted in one transaction: some tens of milliseconds.
const BATCH: u32 = 1_000;
/// The pause after a batch, in which others write.
const PAUSE: Duration = Duration::from_millis(5);
/// How often a node looks for what other nodes left behind.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// How often the write-ahead log is emptied of what was deleted, at most, and how long other writes wait for it if somebody reads.
const EMPTY_EVERY: Duration = Duration::from_secs(5);
pub(crate) const READERS_WAIT: Duration = Duration::from_millis(200);

/// The outcome of an attempt to remove a connection.
#[derive(Debug)]
pub(crate) enum Removal {
    /// The client no longer sees it; if it was the last to do so, the connection is gone.
    Done,
    /// It is syncing.
    InProgress(Id),
    /// The user has not shared it with the client.
    NotShared,
    /// The user has no such connection.
    Absent,
}

impl Store {
    /// Withdraws the client's share of a connection, and removes the connection with its last share. `at` is the machine's time.
    pub(crate) async fn withdraw(
        &self,
        caller: &Caller,
        connection_id: &str,
        at: DateTime<Utc>,
    ) -> Result<Removal, StoreError> {
        let mut tx = self.write().await?;
        match access_to_change(&mut tx, caller, connection_id).await? {
            Access::Granted(_) => {}
            Access::NotShared => return Ok(Removal::NotShared),
            Access::Absent => return Ok(Removal::Absent),
        }
        if let Some(batch_id) = running(&mut tx, &caller.user_id, connection_id).await? {
            return Ok(Removal::InProgress(batch_id));
        }
        query("DELETE FROM connection_shares WHERE user_id = $1 AND connection_id = $2 AND client_id = $3")
            .bind_all((&caller.user_id, connection_id, &caller.client_id))
            .execute(&mut tx)
            .await?;
        let still_shared = query("SELECT 1 FROM connection_shares WHERE user_id = $1 AND connection_id = $2 LIMIT 1")
            .bind_all((&caller.user_id, connection_id))
            .exists(&mut tx)
            .await?;
        if !still_shared {
            let by = Actor::Client(&caller.client_id);
            delete(&mut tx, &caller.user_id, connection_id, by, at).await?;
        }
        tx.commit().await?;
        self.note_deletion();
        Ok(Removal::Done)
    }

    /// Removes a user's connection, no matter which clients it is shared with.
    pub(crate) async fn remove_connection(
        &self,
        user_id: &str,
        connection_id: &str,
        by: Actor<'_>,
        at: DateTime<Utc>,
    ) -> Result<Removal, StoreError> {
        let mut tx = self.write().await?;
        if !owns(&mut tx, user_id, connection_id).await? {
            return Ok(Removal::Absent);
        }
        if let Some(batch_id) = running(&mut tx, user_id, connection_id).await? {
            return Ok(Removal::InProgress(batch_id));
        }
        delete(&mut tx, user_id, connection_id, by, at).await?;
        tx.commit().await?;
        self.note_deletion();
        Ok(Removal::Done)
    }

    /// Something was deleted, and has to leave the log as well.
    pub(crate) fn note_deletion(&self) {
        self.is_logged.store(true, Ordering::Relaxed);
        self.removed.notify_one();
    }

    /// Deletes what is left of removed connections, for as long as the store is open, and empties the log of what was deleted.
    pub(crate) async fn delete_removed_connections(self) {
        let mut emptied = None;
        loop {
            match self.delete_removed_batch(None).await {
                Ok(true) => {
                    self.is_logged.store(true, Ordering::Relaxed);
                    tokio::time::sleep(PAUSE).await;
                }
                Ok(false) => {
                    let next = self.forget_in_log(&mut emptied).await;
                    drop(tokio::time::timeout(next, self.removed.notified()).await);
                }
                Err(_) if self.writer.is_closed() => return,
                Err(error) => {
                    tracing::warn!(%error, "cannot delete the rows of a removed connection; trying again in a minute");
                    tokio::time::sleep(LOOK_EVERY).await;
                }
            }
        }
    }

    /// Empties the log if there is anything in it that was deleted. When to look again: soon, if others used it.
    async fn forget_in_log(&self, emptied: &mut Option<Instant>) -> Duration {
        if let Some(rest) = emptied.and_then(|at: Instant| EMPTY_EVERY.checked_sub(at.elapsed())) {
            return if self.is_logged.load(Ordering::Relaxed) { rest } else { LOOK_EVERY };
        }
        if !self.is_logged.swap(false, Ordering::Relaxed) {
            return LOOK_EVERY;
        }
        let is_empty = self.empty_log(READERS_WAIT).await.unwrap_or(false);
        *emptied = Some(Instant::now());
        if is_empty {
            return LOOK_EVERY;
        }
        self.is_logged.store(true, Ordering::Relaxed);
        EMPTY_EVERY
    }

    /// Deletes all that is left of removed connections, of this user or of anybody.
    pub(crate) async fn finish_removals(&self, of_user: Option<&str>) -> Result<(), StoreError> {
        while self.delete_removed_batch(of_user).await? {}
        Ok(())
    }

    /// Deletes a batch of the rows of a removed connection, of this user or of anybody. False: there was nothing to delete.
    pub(in crate::store) async fn delete_removed_batch(&self, of_user: Option<&str>) -> Result<bool, StoreError> {
        let removed = match of_user {
            Some(user_id) => {
                query_as("SELECT user_id, connection FROM removed_connections WHERE user_id = $1 LIMIT 1").bind(user_id)
            }
            None => query_as("SELECT user_id, connection FROM removed_connections LIMIT 1"),
        };
        let removed: Option<(String, i64)> = removed.fetch_optional(&self.pool).await?;
        let Some((user_id, connection)) = removed else { return Ok(false) };
        let mut tx = self.write().await?;
        for statement in [
            // A block is as long as many rows.
            "DELETE FROM document_blocks WHERE (user_id, document_id, block) IN (
                SELECT b.user_id, b.document_id, b.block FROM order_documents d
                JOIN document_blocks b ON b.user_id = d.user_id AND b.document_id = d.id
                WHERE d.user_id = $1 AND d.connection = $2 LIMIT $3 / 20)",
            "DELETE FROM order_documents WHERE (user_id, id) IN (
                SELECT user_id, id FROM order_documents WHERE user_id = $1 AND connection = $2 LIMIT $3)",
            "DELETE FROM line_nodes WHERE (user_id, connection, level, start_key, start_id) IN (
                SELECT user_id, connection, level, start_key, start_id FROM line_nodes
                WHERE user_id = $1 AND connection = $2 LIMIT $3)",
            "DELETE FROM line_items WHERE (user_id, connection, item) IN (
                SELECT user_id, connection, item FROM line_items WHERE user_id = $1 AND connection = $2 LIMIT $3)",
            "DELETE FROM orders WHERE (user_id, connection, number) IN (
                SELECT user_id, connection, number FROM orders WHERE user_id = $1 AND connection = $2 LIMIT $3)",
            "DELETE FROM former_order_ids WHERE (user_id, connection, order_id) IN (
                SELECT user_id, connection, order_id FROM former_order_ids WHERE user_id = $1 AND connection = $2 LIMIT $3)",
        ] {
            let batch = query(statement).bind_all((&user_id, connection, BATCH)).execute(&mut tx).await?;
            if batch > 0 {
                tx.commit().await?;
                return Ok(true);
            }
        }
        query("DELETE FROM removed_connections WHERE user_id = $1 AND connection = $2")
            .bind_all((user_id, connection))
            .execute(&mut tx)
            .await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Deletes a user's connection with its shares and sessions, and notes that its orders and line items are to be deleted.
async fn delete(
    tx: &mut Write,
    user_id: &str,
    connection_id: &str,
    by: Actor<'_>,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    for statement in [
        "INSERT INTO removed_connections (user_id, connection)
            SELECT user_id, number FROM connections WHERE user_id = $1 AND id = $2",
        "DELETE FROM sessions
         WHERE user_id = $1 AND id IN (SELECT batch_id FROM retailer_sessions WHERE connection_id = $2)
            AND NOT EXISTS (SELECT 1 FROM retailer_sessions r WHERE r.batch_id = sessions.id AND r.connection_id <> $2)",
        "DELETE FROM events WHERE user_id = $1 AND connection_id = $2
            AND batch_id IN (SELECT batch_id FROM retailer_sessions WHERE connection_id = $2)",
        "DELETE FROM connections WHERE user_id = $1 AND id = $2",
    ] {
        query(statement).bind_all((user_id, connection_id)).execute(&mut *tx).await?;
    }
    let (action, outcome) = (Action::ConnectionDelete, Outcome::Done);
    Entry { at, actor: by, action, outcome, user: Some(user_id), target: Some(connection_id) }.write(tx).await
}
