//! What a seed file leaves in a sandbox's store, and which one was applied.

use chrono::{DateTime, Utc};

use crate::store::db::{query, query_as};
use crate::store::{Store, StoreError, micros};

/// Longer than all waits of a sync, so that seeded syncs do not wait.
const HURRY: i64 = 1_000_000_000_000;

/// The seed file of a store.
#[derive(Debug)]
pub(crate) struct Seeded {
    /// SHA-256 of its text.
    pub digest: [u8; 32],
    /// Whether it was applied to the end.
    pub is_done: bool,
}

impl Store {
    /// The file that was applied, or was about to be.
    pub(crate) async fn seeded(&self) -> Result<Option<Seeded>, StoreError> {
        let row: Option<(Vec<u8>, i64)> =
            query_as("SELECT digest, applied_at FROM sandbox_seed").fetch_optional(&self.pool).await?;
        row.map(|(digest, applied_at)| {
            let digest = digest.try_into().map_err(|_| StoreError::Corrupt("digest of a seed"))?;
            Ok(Seeded { digest, is_done: applied_at > 0 })
        })
        .transpose()
    }

    /// Whether anybody uses the store.
    pub(crate) async fn has_users(&self) -> Result<bool, StoreError> {
        Ok(query("SELECT 1 FROM users LIMIT 1").exists(&self.pool).await?)
    }

    pub(crate) async fn begin_seed(&self, digest: &[u8; 32]) -> Result<(), StoreError> {
        query("INSERT INTO sandbox_seed (id, digest, applied_at) VALUES (1, $1, 0)")
            .bind(&digest[..])
            .run(&self.writer)
            .await
    }

    pub(crate) async fn finish_seed(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        query("UPDATE sandbox_seed SET applied_at = $1").bind(micros(now)).run(&self.writer).await
    }

    /// Deletes everything that a seed which did not come to its end has left, but for these clients, which every sandbox has.
    /// Nobody else used the store.
    pub(crate) async fn undo_seed(&self, but_for: [&str; 2]) -> Result<(), StoreError> {
        self.reset(None).await?;
        let mut tx = self.write().await?;
        for statement in ["DELETE FROM user_bindings", "DELETE FROM users", "DELETE FROM sandbox_accounts"] {
            query(statement).execute(&mut tx).await?;
        }
        query("DELETE FROM clients WHERE id NOT IN ($1, $2)")
            .bind_all((but_for[0], but_for[1]))
            .execute(&mut tx)
            .await?;
        query("DELETE FROM sandbox_seed").execute(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    pub(crate) async fn add_own_orders(
        &self,
        retailer_id: i64,
        username: &str,
        orders: &str,
    ) -> Result<(), StoreError> {
        query("INSERT INTO sandbox_accounts (retailer_id, username, orders) VALUES ($1, $2, $3)")
            .bind_all((retailer_id, username, orders))
            .run(&self.writer)
            .await
    }

    pub(crate) async fn set_name(&self, user_id: &str, name: Option<&str>) -> Result<(), StoreError> {
        query("UPDATE users SET name = $1 WHERE id = $2").bind_all((name, user_id)).run(&self.writer).await
    }

    /// Sets a user's clock: by how many microseconds it differs from the machine's, or the moment at which it stands still.
    pub(crate) async fn set_clock(
        &self,
        user_id: &str,
        offset: i64,
        frozen_at: Option<DateTime<Utc>>,
    ) -> Result<(), StoreError> {
        query("UPDATE users SET clock_offset = $1, clock_frozen_at = $2 WHERE id = $3")
            .bind_all((offset, frozen_at.map(micros), user_id))
            .run(&self.writer)
            .await
    }

    /// A user's syncs that have not begun wait for nothing, not even where they would by the clock.
    pub(crate) async fn skip_waits(&self, user_id: &str) -> Result<(), StoreError> {
        query("UPDATE retailer_sessions SET behind = $1 WHERE user_id = $2 AND active = 1")
            .bind_all((HURRY, user_id))
            .run(&self.writer)
            .await
    }
}
