//! What PostgreSQL knows of the tables that grow with a user's history.
//!
//! Without statistics it believes that a user has a single order, so that any index which begins with the user is as good as the
//! one that finds an order: then it reads all of a user's orders for each. It gathers statistics by itself, but only after a
//! minute, in which the first large history would be stored many times as slowly.

use std::sync::atomic::Ordering;

use crate::store::db::{query, query_scalar};
use crate::store::{Store, StoreError};

/// With fewer orders, reading all of them takes no longer.
const ENOUGH: i64 = 300;

impl Store {
    /// Has the database gather statistics of the tables as soon as there is something in them, unless it has some. A failure
    /// does no harm: they come later.
    pub(in crate::store) async fn look_at_what_grows(&self) {
        if !self.is_shared() || self.is_looked_at.load(Ordering::Relaxed) {
            return;
        }
        match self.gather_statistics().await {
            Ok(is_looked_at) => self.is_looked_at.store(is_looked_at, Ordering::Relaxed),
            Err(error) => tracing::debug!(%error, "the database's statistics could not be gathered"),
        }
    }

    /// Whether there are statistics now.
    async fn gather_statistics(&self) -> Result<bool, StoreError> {
        let orders: i64 = query_scalar("SELECT COUNT(*) FROM (SELECT 1 FROM orders LIMIT $1) counted")
            .bind(ENOUGH)
            .fetch_one(&self.writer)
            .await?;
        if orders < ENOUGH {
            return Ok(false);
        }
        let known: i64 = query_scalar(
            "SELECT COUNT(*) FROM pg_stats WHERE schemaname = current_schema() AND attname = 'user_id'
                AND tablename IN ('orders', 'line_items', 'line_nodes')",
        )
        .fetch_one(&self.writer)
        .await?;
        if known < 3 {
            query("ANALYZE (SKIP_LOCKED) orders, line_items, line_nodes").execute(&self.writer).await?;
        }
        Ok(true)
    }
}
