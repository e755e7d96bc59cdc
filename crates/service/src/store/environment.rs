//! Which environment a store belongs to.

use chrono::{DateTime, Utc};

use super::{Store, StoreError, micros};
use crate::environment::Environment;

const FIND: &str = "SELECT name FROM environment ORDER BY since LIMIT 1";

impl Store {
    /// The environment that the store belongs to; none where no service has started on it yet.
    pub(crate) async fn environment(&self) -> Result<Option<String>, StoreError> {
        Ok(sqlx::query_scalar(FIND).fetch_optional(&self.pool).await?)
    }

    /// Claims the store for an environment, for good. Returns the environment that it belongs to: this one, unless it was
    /// another's before.
    pub(crate) async fn claim_environment(
        &self,
        environment: Environment,
        now: DateTime<Utc>,
    ) -> Result<String, StoreError> {
        if let Some(known) = self.environment().await? {
            return Ok(known);
        }
        let mut tx = self.write().await?;
        let known: Option<String> = sqlx::query_scalar(FIND).fetch_optional(&mut *tx).await?;
        if let Some(known) = known {
            return Ok(known);
        }
        sqlx::query("INSERT INTO environment (name, since) VALUES (?, ?)")
            .bind(environment.as_str())
            .bind(micros(now))
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(environment.as_str().to_owned())
    }
}
