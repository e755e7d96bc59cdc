//! A real write and a real read, to learn whether the store works.

use chrono::{DateTime, Utc};

use super::{Store, StoreError, StoreTrouble, micros};

/// About what a usual transaction writes: a full disk may still have room for a few bytes.
const FILLER_BYTES: i64 = 16 * 1024;

impl Store {
    /// Writes to the store through its writer, and reads from it.
    pub(crate) async fn probe(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let tried = self.write_and_read(now).await;
        if let Err(error) = &tried {
            self.make_room(error).await;
        }
        tried
    }

    /// Copies the write-ahead log back into the database file if the disk is full: SQLite then begins the log anew, and
    /// the room that the log takes serves the next writes. A write that succeeds would do so at some time, but on a full
    /// disk none does. It waits for no reader.
    pub(crate) async fn make_room(&self, error: &StoreError) {
        if error.trouble() != Some(StoreTrouble::Full) {
            return;
        }
        if let Err(error) = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&self.writer).await {
            tracing::debug!(%error, "the write-ahead log cannot be copied back yet");
        }
    }

    async fn write_and_read(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        sqlx::query(
            "INSERT INTO store_probe (id, at, filler) VALUES (1, ?, zeroblob(?))
             ON CONFLICT (id) DO UPDATE SET at = excluded.at, filler = excluded.filler",
        )
        .bind(micros(now))
        .bind(FILLER_BYTES)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        let _at: i64 = sqlx::query_scalar("SELECT at FROM store_probe").fetch_one(&self.pool).await?;
        Ok(())
    }
}
