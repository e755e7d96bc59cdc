//! Which environment a store belongs to.

use std::sync::atomic::Ordering;

use chrono::{DateTime, Utc};

use crate::environment::Environment;
use crate::store::db::{ByEnvironment, Sql, query, query_scalar};
use crate::store::schema::half_copied;
use crate::store::{Store, StoreError, micros};

const FIND: &str = "SELECT name FROM environment";

impl Store {
    /// The environment that the store belongs to; none where no service has started on it yet.
    pub(crate) async fn environment(&self) -> Result<Option<String>, StoreError> {
        Ok(query_scalar(FIND).fetch_optional(&self.pool).await?)
    }

    /// Claims the store for an environment, for good. Returns the environment that it belongs to: this one, unless it was
    /// another's before.
    pub(crate) async fn claim_environment(
        &self,
        environment: Environment,
        now: DateTime<Utc>,
    ) -> Result<String, StoreError> {
        let claimed = self.claimed_environment(environment, now).await?;
        self.is_live.store(claimed == Environment::Live.as_str(), Ordering::Relaxed);
        Ok(claimed)
    }

    /// Whether the service is known to be a live one: its users' clocks are the machine's.
    pub(in crate::store) fn is_live(&self) -> bool {
        self.is_live.load(Ordering::Relaxed)
    }

    pub(in crate::store) fn sql(&self, query: ByEnvironment) -> Sql {
        if self.is_live() { query.live } else { query.sandbox }
    }

    async fn claimed_environment(&self, environment: Environment, now: DateTime<Utc>) -> Result<String, StoreError> {
        let mut tx = self.write().await?;
        // The table holds one row at most: of services that start at the same time, one is first.
        query("INSERT INTO environment (id, name, since) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING")
            .bind_all((environment.as_str(), micros(now)))
            .execute(&mut tx)
            .await?;
        // A copy into it may have begun since the store was opened, and have come as far as this table. It locked the table before
        // it made its mark.
        if self.is_shared() && query(half_copied::FOUND).exists(&mut tx).await? {
            return Err(StoreError::HalfCopied);
        }
        let claimed = query_scalar(FIND).fetch_one(&mut tx).await?;
        tx.commit().await?;
        Ok(claimed)
    }
}
