//! The static files of the pages, of every version that serves the store or did lately. While nodes are replaced one by one, a
//! page of one version may ask a node of another one for its files.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Clock;
use crate::store::db::{query, query_scalar};
use crate::store::{Store, StoreError, micros};

/// How long the files of a version are kept that no node serves any longer.
const KEPT: TimeDelta = TimeDelta::days(7);
/// How often a node says that it still serves its files.
const TOLD_EVERY: Duration = Duration::from_secs(24 * 3600);
/// A node that starts writes nothing if one of its version has said so within this time.
const TOLD_LATELY: TimeDelta = TimeDelta::hours(12);

impl Store {
    /// Makes the files of this version known to other nodes, and forgets those of versions that are gone. A name never gets
    /// another content.
    pub(crate) async fn keep_page_files(
        &self,
        files: impl Iterator<Item = (&str, &str)>,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        // All nodes that start at once write them in the same order.
        let mut files: Vec<_> = files.collect();
        files.sort_unstable();
        // They were written together, so that one stands for all.
        let told = query("SELECT 1 FROM page_files WHERE name = $1 AND used_at >= $2")
            .bind_all((files.first().map_or("", |(name, _)| name), micros(now - TOLD_LATELY)));
        if told.exists(&self.pool).await? {
            return Ok(());
        }
        let mut tx = self.write().await?;
        for (name, content) in files {
            query(
                "INSERT INTO page_files (name, content, used_at) VALUES ($1, $2, $3)
                 ON CONFLICT (name) DO UPDATE SET used_at = excluded.used_at",
            )
            .bind_all((name, content, micros(now)))
            .execute(&mut tx)
            .await?;
        }
        query("DELETE FROM page_files WHERE used_at < $1").bind(micros(now - KEPT)).execute(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// Does so every day.
    pub(crate) async fn keep_on_keeping_page_files<'a, F>(&self, files: impl Fn() -> F, clock: &dyn Clock)
    where
        F: Iterator<Item = (&'a str, &'a str)>,
    {
        loop {
            tokio::time::sleep(TOLD_EVERY).await;
            if let Err(error) = self.keep_page_files(files(), clock.now()).await {
                tracing::debug!(%error, "cannot keep the files of the pages");
            }
        }
    }

    /// What is served under a name.
    pub(crate) async fn page_file(&self, name: &str) -> Result<Option<String>, StoreError> {
        Ok(query_scalar("SELECT content FROM page_files WHERE name = $1").bind(name).fetch_optional(&self.pool).await?)
    }
}
