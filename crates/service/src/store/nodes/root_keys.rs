//! Which root keys a store belongs to, so that a service with the wrong one is refused before it does harm: it would find
//! no user by phone number, make new ones, and fail every sync.

use chrono::{DateTime, Utc};

use crate::keys::Keys;
use crate::store::db::dialect::sql;
use crate::store::db::{query, query_scalar};
use crate::store::{Store, StoreError, Write, micros};

/// Keys that the store was used with are not among those of the service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it was made with the root key {missing}, and the service was started with {given}")]
pub struct WrongRootKey {
    /// The fingerprints of the keys that are needed.
    pub(in crate::store) missing: String,
    /// The fingerprints of those that were given.
    pub(in crate::store) given: String,
}

impl Store {
    /// Makes sure that the service has every root key that the store was used with, and notes the one that seals from now
    /// on. The store's environment has to be claimed before: its row is locked, so that of services that start at the same time
    /// each sees the keys of the one before.
    pub(crate) async fn claim_root_keys(
        &self,
        keys: &Keys,
        now: DateTime<Utc>,
    ) -> Result<Result<(), WrongRootKey>, StoreError> {
        let given: Vec<&str> = keys.fingerprints().collect();
        let mut tx = self.write().await?;
        let _environment: String =
            query_scalar(sql!("SELECT name FROM environment", [lock])).fetch_one(&mut tx).await?;
        let known: Vec<String> = query_scalar("SELECT fingerprint FROM root_keys ORDER BY since DESC, fingerprint")
            .fetch_all(&mut tx)
            .await?;
        let missing: Vec<&str> = known.iter().map(String::as_str).filter(|known| !given.contains(known)).collect();
        if !missing.is_empty() {
            return Ok(Err(WrongRootKey { missing: missing.join(", "), given: given.join(", ") }));
        }
        match given.first() {
            Some(first) if known.first().map(String::as_str) != Some(first) => note(&mut tx, first, now).await?,
            _ => {}
        }
        tx.commit().await?;
        Ok(Ok(()))
    }
}

async fn note(tx: &mut Write, fingerprint: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    query(
        "INSERT INTO root_keys (fingerprint, since) VALUES ($1, $2)
         ON CONFLICT (fingerprint) DO UPDATE SET since = excluded.since",
    )
    .bind_all((fingerprint, micros(now)))
    .run(&mut *tx)
    .await
}
