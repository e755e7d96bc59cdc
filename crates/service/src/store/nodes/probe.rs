//! A real write and a real read, to learn whether the store works.

use chrono::{DateTime, Utc};

use crate::store::db::{query, query_scalar};
use crate::store::{Store, StoreError, micros};

/// About what a usual transaction writes: a full disk may still have room for a few bytes.
const FILLER_BYTES: usize = 16 * 1024;

impl Store {
    /// Writes to the store through its writer, and reads from it.
    pub(crate) async fn probe(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut tx = self.write().await?;
        query(
            "INSERT INTO store_probe (id, at, filler) VALUES (1, $1, $2)
             ON CONFLICT (id) DO UPDATE SET at = excluded.at, filler = excluded.filler",
        )
        .bind_all((micros(now), vec![0; FILLER_BYTES]))
        .execute(&mut tx)
        .await?;
        tx.commit().await?;
        let _at: i64 = query_scalar("SELECT at FROM store_probe").fetch_one(&self.pool).await?;
        Ok(())
    }
}
