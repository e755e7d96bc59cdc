//! Which root keys a store belongs to, so that a service with the wrong one is refused before it does harm: it would find
//! no user by phone number, make new ones, and fail every sync.

use chrono::{DateTime, Utc};

use super::dialect::sql;
use super::sessions::CREDENTIALS;
use super::{Store, StoreError, Write, micros};
use crate::keys::{Keys, Place};
use crate::store::db::{query, query_as, query_scalar};

/// The root keys of a service are not those of its store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongRootKey {
    /// Keys that the store was used with are not among those of the service.
    #[error("it was made with the root key {missing}, and the service was started with {given}")]
    Missing {
        /// The fingerprints of the keys that are needed.
        missing: String,
        /// The fingerprints of those that were given.
        given: String,
    },
    /// The store was written before fingerprints were kept, and its oldest credentials do not open.
    #[error("the credentials in it do not open under the root key {given}")]
    Unopened {
        /// The fingerprints of the keys that were given.
        given: String,
    },
}

impl Store {
    /// Makes sure that the service has every root key that the store was used with, and notes the one that seals from now
    /// on. A store that knows none yet is asked for a sealed value as a proof, if it has one. The store's environment has to be
    /// claimed before: its row is locked, so that of services that start at the same time each sees the keys of the one before.
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
            return Ok(Err(WrongRootKey::Missing { missing: missing.join(", "), given: given.join(", ") }));
        }
        if known.is_empty()
            && let Some(opener) = prove(&mut tx, keys).await?
        {
            let Some(opener) = opener else { return Ok(Err(WrongRootKey::Unopened { given: given.join(", ") })) };
            note(&mut tx, opener, now).await?;
        }
        match given.first() {
            Some(first) if known.first().map(String::as_str) != Some(first) => note(&mut tx, first, now).await?,
            _ => {}
        }
        tx.commit().await?;
        Ok(Ok(()))
    }
}

/// The key that opens the oldest credentials, if there are any.
async fn prove<'a>(tx: &mut Write, keys: &'a Keys) -> Result<Option<Option<&'a str>>, StoreError> {
    let oldest: Option<(String, Vec<u8>)> = query_as(
        "SELECT id, credentials FROM connections WHERE length(credentials) > 0 ORDER BY created_at, id LIMIT 1",
    )
    .fetch_optional(&mut *tx)
    .await?;
    Ok(oldest.map(|(id, sealed)| keys.opener(&Place { column: CREDENTIALS, row: &id }, &sealed)))
}

async fn note(tx: &mut Write, fingerprint: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    query(
        "INSERT INTO root_keys (fingerprint, since) VALUES ($1, $2)
         ON CONFLICT (fingerprint) DO UPDATE SET since = excluded.since",
    )
    .bind(fingerprint)
    .bind(micros(now))
    .execute(&mut *tx)
    .await?;
    Ok(())
}
