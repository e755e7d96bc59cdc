//! The rate limit of a store that several nodes share: they count in the database, by its clock.

use std::time::Duration;

use crate::config::RateLimit;
use crate::store::db::Dialect;
use crate::store::db::{query, query_as};
use crate::store::{Store, StoreError, count, micros, span};

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) is_accepted: bool,
    /// How many more would be accepted now.
    pub(crate) remaining: usize,
    /// When there is room for one more.
    pub(crate) wait: Duration,
}

impl Store {
    /// Whether other nodes may serve the same store, so that limits have to be counted in it.
    pub(crate) const fn is_shared(&self) -> bool {
        matches!(self.writer.dialect(), Dialect::Postgres)
    }

    /// Counts a request of a caller on all nodes, unless the limit is reached.
    pub(crate) async fn count_request(&self, caller: &str, limit: RateLimit) -> Result<Counted, StoreError> {
        let (accepted, counted, wait): (i64, i64, i64) =
            query_as("SELECT accepted, counted, wait FROM count_request($1, $2, $3)")
                .bind_all((caller, i64::from(limit.requests.get()), span(limit.window)))
                .fetch_one(&self.writer)
                .await?;
        let remaining = i64::from(limit.requests.get()).saturating_sub(counted);
        Ok(Counted {
            is_accepted: accepted == 1,
            remaining: usize::try_from(remaining).unwrap_or(0),
            wait: Duration::from_micros(count(wait)),
        })
    }

    /// Forgets callers without a request for a day.
    pub(in crate::store) async fn forget_callers(
        &self,
        before: chrono::DateTime<chrono::Utc>,
    ) -> Result<(), StoreError> {
        if self.is_shared() {
            query("DELETE FROM rate_windows WHERE used_at < $1").bind(micros(before)).execute(&self.writer).await?;
        }
        Ok(())
    }
}
