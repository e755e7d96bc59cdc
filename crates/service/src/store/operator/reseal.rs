//! Sealing again what was sealed under an earlier root key, so that the key can be retired.
//!
//! A value is replaced only if it is still the one that was read, and batch by batch: after a kill at any moment each value is
//! sealed under the old key or the new one, and the ring opens both. What is left to do is seen from the values themselves.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use ordersync_api::hex;
use serde::Serialize;
use sqlx::AssertSqlSafe;

use crate::keys::{Keys, PhoneKey, Place, head_of};
use crate::store::accounts::audit::{Action, Entry, Operator};
use crate::store::accounts::links::LINK_TOKEN;
use crate::store::db::{Argument, Row, Tx, query, query_as};
use crate::store::orders::documents::{ABOUT, DOCUMENT_BLOCK};
use crate::store::syncs::mfa::ANSWER;
use crate::store::syncs::sessions::{CONNECTOR_SESSION, CREDENTIALS};
use crate::store::syncs::state::{STATE, STATE_BLOCK};
use crate::store::{Store, StoreError, count, time};

/// Values that are sealed again in one transaction.
const BATCH: u32 = 200;
/// The place of a key by which phone numbers are looked up.
const PHONE_KEY: &str = "phone_keys.sealed";
/// The place of the answer to a refresh token that was used a moment ago.
pub(crate) const SUCCESSOR: &str = "refresh_tokens.successor";

/// A column of sealed values.
pub(in crate::store) struct Column {
    pub(in crate::store) table: &'static str,
    pub(in crate::store) column: &'static str,
    /// What identifies a row of the table.
    key: &'static str,
    /// The place that its values are sealed for, and the expression for the row of that place.
    place: &'static str,
    row: &'static str,
    /// Whether the key is a digest; the row of the place is its text then, unless `row` says otherwise.
    is_digest: bool,
}

const fn by_id(table: &'static str, column: &'static str, place: &'static str) -> Column {
    Column { table, column, key: "id", place, row: "id", is_digest: false }
}

/// The row that a block is sealed for.
const BLOCK_ROW: &str = "retailer_session_id || '/' || block";
const DOCUMENT_BLOCK_ROW: &str = "document_id || '/' || block";

/// Every column of sealed values.
pub(in crate::store) const COLUMNS: [Column; 12] = [
    by_id("connections", "credentials", CREDENTIALS),
    by_id("connections", "session", CONNECTOR_SESSION),
    Column { row: "connection_id", ..by_id("retailer_sessions", "staged_credentials", CREDENTIALS) },
    Column { row: "connection_id", ..by_id("retailer_sessions", "staged_session", CONNECTOR_SESSION) },
    by_id("retailer_sessions", "state", STATE),
    Column { key: BLOCK_ROW, row: BLOCK_ROW, ..by_id("state_blocks", "content", STATE_BLOCK) },
    by_id("retailer_sessions", "answer", ANSWER),
    by_id("order_documents", "about", ABOUT),
    Column { key: DOCUMENT_BLOCK_ROW, row: DOCUMENT_BLOCK_ROW, ..by_id("document_blocks", "content", DOCUMENT_BLOCK) },
    Column { key: "fingerprint", row: "fingerprint", ..by_id("phone_keys", "sealed", PHONE_KEY) },
    Column { key: "digest", row: "''", is_digest: true, ..by_id("refresh_tokens", "successor", SUCCESSOR) },
    Column {
        key: "digest",
        row: "COALESCE(idempotency_key, '')",
        is_digest: true,
        ..by_id("link_tokens", "sealed", LINK_TOKEN)
    },
];

/// A root key of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RootKey {
    /// Its fingerprint. Of a key that the store does not know, the part that its values name.
    pub fingerprint: String,
    /// Since when the store was used with it; none: the store does not know it.
    pub since: Option<DateTime<Utc>>,
    /// Whether it is the one that new values are sealed under.
    pub is_current: bool,
    /// How many values are sealed under it.
    pub values: u64,
}

/// What sealing again led to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Resealed {
    /// Values that are sealed under the first key now.
    pub resealed: u64,
    /// Values that none of the given keys opens.
    pub unreadable: u64,
    /// Other values that are sealed under an earlier key: a process sealed them meanwhile.
    pub left: u64,
}

/// Why values are not sealed again, or a key is not retired.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefusal {
    /// No process of the service seals with the first key.
    #[error("no process of the service has sealed with the root key {first} yet: the current one is {current}")]
    NotCurrent {
        /// The first key that was given.
        first: String,
        /// The key that the service seals with.
        current: String,
    },
    /// A key of the store is not among those that were given.
    #[error("the root key {0} is missing")]
    Missing(String),
    /// None of those that were given is a key of the store.
    #[error("the root key {given} does not fit the store, which was made with {known}")]
    Foreign {
        /// The fingerprints of the keys that were given.
        given: String,
        /// Those of the keys of the store.
        known: String,
    },
    /// The store has no such key.
    #[error("the store has no root key {0}")]
    Unknown(String),
    /// The service seals with it.
    #[error("{0} is the current root key")]
    Current(String),
    /// Values are sealed under it.
    #[error("{values} values are still sealed under the root key {fingerprint}")]
    InUse {
        /// The key.
        fingerprint: String,
        /// How many.
        values: u64,
    },
    /// Users are looked up by it.
    #[error("users are still looked up by the root key {0}")]
    FindsUsers(String),
}

impl Store {
    /// The root keys that the store was used with, the current one first, with the number of values sealed under each; unknown keys
    /// come last.
    pub(crate) async fn root_keys(&self) -> Result<Vec<RootKey>, StoreError> {
        let mut tx = self.pool.begin().await?;
        let mut sealed = sealed_by_head(&mut tx).await?;
        let mut keys = Vec::new();
        for (fingerprint, since) in known(&mut tx).await? {
            let values = head_of(&fingerprint).and_then(|head| sealed.remove(&head[..])).unwrap_or_default();
            let is_current = keys.is_empty();
            keys.push(RootKey { fingerprint, since: Some(time(since)?), is_current, values });
        }
        for (head, values) in sealed {
            let id: String = hex::encode(head.get(1..).unwrap_or_default());
            let (start, end) = id.split_at_checked(4).unwrap_or((&id, ""));
            keys.push(RootKey { fingerprint: format!("{start}-{end}-…"), since: None, is_current: false, values });
        }
        Ok(keys)
    }

    /// Seals everything again that is not sealed under the first of the keys. `progress` gets how many values that was so far.
    pub(crate) async fn reseal(
        &self,
        keys: &Keys,
        by: Operator<'_>,
        mut progress: impl FnMut(u64),
    ) -> Result<Result<Resealed, KeyRefusal>, StoreError> {
        let first = keys.fingerprints().next().unwrap_or_default().to_owned();
        if let Err(refusal) = self.keep_phone_keys(keys, &first, by).await? {
            return Ok(Err(refusal));
        }
        let mut all = Resealed::default();
        for column in &COLUMNS {
            if column.is_digest {
                self.reseal_column(keys, column, Vec::<u8>::new(), &mut all, &mut progress).await?;
            } else {
                self.reseal_column(keys, column, String::new(), &mut all, &mut progress).await?;
            }
        }
        let others = self.root_keys().await?.into_iter().filter(|key| !key.is_current);
        all.left = others.map(|key| key.values).sum::<u64>().saturating_sub(all.unreadable);
        self.audit(&Entry { target: Some(&first), ..by.did(Action::KeyRotate) }).await?;
        Ok(Ok(all))
    }

    /// Makes sure that the first key is the current one and that all keys of the store are given, and keeps, sealed under the
    /// first, by what users are looked up whose phone numbers were stored under the others.
    async fn keep_phone_keys(
        &self,
        keys: &Keys,
        first: &str,
        by: Operator<'_>,
    ) -> Result<Result<(), KeyRefusal>, StoreError> {
        let mut tx = self.write().await?;
        let known = known(&mut tx).await?;
        if let Some((current, _)) = known.first().filter(|(current, _)| current != first) {
            return Ok(Err(KeyRefusal::NotCurrent { first: first.to_owned(), current: current.clone() }));
        }
        let given: Vec<&str> = keys.fingerprints().collect();
        if let Some((missing, _)) = known.iter().find(|(known, _)| !given.contains(&known.as_str())) {
            return Ok(Err(KeyRefusal::Missing(missing.clone())));
        }
        for (fingerprint, key) in keys.earlier_phone_keys() {
            let sealed = keys.seal(&Place { column: PHONE_KEY, row: fingerprint }, key.expose())?;
            query("INSERT INTO phone_keys (fingerprint, sealed) VALUES ($1, $2) ON CONFLICT (fingerprint) DO NOTHING")
                .bind_all((fingerprint, sealed))
                .execute(&mut tx)
                .await?;
        }
        Entry { target: Some(first), ..by.begins(Action::KeyRotate) }.write(&mut tx).await?;
        tx.commit().await?;
        Ok(Ok(()))
    }

    /// Seals the values of a column again, from `after` on.
    async fn reseal_column<K>(
        &self,
        keys: &Keys,
        column: &Column,
        mut after: K,
        all: &mut Resealed,
        progress: &mut impl FnMut(u64),
    ) -> Result<(), StoreError>
    where
        K: Into<Argument> + Clone + AsRef<[u8]>,
        (K, String, Vec<u8>): Row,
    {
        let Column { table, column: value, key, place, row, is_digest } = column;
        let select = format!(
            "SELECT {key}, {row}, {value} FROM {table}
             WHERE length({value}) > 0 AND substr({value}, 1, 5) <> $1 AND {key} > $2 ORDER BY {key} LIMIT $3"
        );
        // Only the value that was read: a sync or a sign-in may have put another in its place.
        let update = format!("UPDATE {table} SET {value} = $1 WHERE {key} = $2 AND {value} = $3");
        loop {
            let rows: Vec<(K, String, Vec<u8>)> = query_as(AssertSqlSafe(select.clone()))
                .bind_all((&keys.head()[..], after.clone(), BATCH))
                .fetch_all(&self.pool)
                .await?;
            let Some((last, ..)) = rows.last() else { return Ok(()) };
            after = last.clone();
            let mut changes = Vec::new();
            for (id, row, old) in rows {
                let row = if *is_digest && row.is_empty() { URL_SAFE_NO_PAD.encode(id.as_ref()) } else { row };
                let place = Place { column: place, row: &row };
                match keys.open(&place, &old) {
                    Ok(opened) => changes.push((id, keys.seal(&place, &opened)?, old)),
                    Err(_) => all.unreadable += 1,
                }
            }
            let mut tx = self.write().await?;
            for (id, new, old) in changes {
                let changed = query(AssertSqlSafe(update.clone())).bind_all((new, id, old));
                all.resealed += changed.execute(&mut tx).await?;
            }
            tx.commit().await?;
            progress(all.resealed);
        }
    }

    /// Takes a root key from those that every process of the service needs.
    pub(crate) async fn retire_root_key(
        &self,
        fingerprint: &str,
        by: Operator<'_>,
    ) -> Result<Result<(), KeyRefusal>, StoreError> {
        let mut tx = self.write().await?;
        let known = known(&mut tx).await?;
        let named = || fingerprint.to_owned();
        match known.iter().position(|(known, _)| known == fingerprint) {
            None => return Ok(Err(KeyRefusal::Unknown(named()))),
            Some(0) => return Ok(Err(KeyRefusal::Current(named()))),
            Some(_) => {}
        }
        let head = head_of(fingerprint).unwrap_or_default();
        let values = sealed_by_head(&mut tx).await?.get(&head).copied().unwrap_or_default();
        if values > 0 {
            return Ok(Err(KeyRefusal::InUse { fingerprint: named(), values }));
        }
        let kept = query("SELECT 1 FROM phone_keys WHERE fingerprint = $1").bind(fingerprint).exists(&mut tx).await?;
        if !kept {
            return Ok(Err(KeyRefusal::FindsUsers(named())));
        }
        query("DELETE FROM root_keys WHERE fingerprint = $1").bind(fingerprint).execute(&mut tx).await?;
        Entry { target: Some(fingerprint), ..by.did(Action::KeyRetire) }.write(&mut tx).await?;
        tx.commit().await?;
        Ok(Ok(()))
    }

    /// Makes sure that all keys of the store are given.
    pub(crate) async fn check_root_keys(&self, keys: &Keys) -> Result<Result<(), KeyRefusal>, StoreError> {
        let mut tx = self.pool.begin().await?;
        let known: Vec<String> = known(&mut tx).await?.into_iter().map(|(known, _)| known).collect();
        let given: Vec<&str> = keys.fingerprints().collect();
        let missing = known.iter().find(|known| !given.contains(&known.as_str()));
        Ok(match missing {
            None => Ok(()),
            Some(_) if known.iter().all(|known| !given.contains(&known.as_str())) => {
                Err(KeyRefusal::Foreign { given: given.join(", "), known: known.join(", ") })
            }
            Some(missing) => Err(KeyRefusal::Missing(missing.clone())),
        })
    }

    /// By what users are looked up whose phone numbers were stored under root keys that were retired since.
    pub(crate) async fn phone_keys(&self, keys: &Keys) -> Result<Vec<PhoneKey>, StoreError> {
        let rows: Vec<(String, Vec<u8>)> =
            query_as("SELECT fingerprint, sealed FROM phone_keys ORDER BY fingerprint").fetch_all(&self.pool).await?;
        rows.into_iter()
            .map(|(fingerprint, sealed)| {
                let opened = keys.open(&Place { column: PHONE_KEY, row: &fingerprint }, &sealed)?;
                PhoneKey::from_bytes(&opened).ok_or(StoreError::Corrupt("key of phone numbers"))
            })
            .collect()
    }
}

/// The root keys that the store was used with, the current one first.
async fn known(tx: &mut Tx) -> Result<Vec<(String, i64)>, StoreError> {
    let all = "SELECT fingerprint, since FROM root_keys ORDER BY since DESC, fingerprint";
    Ok(query_as(all).fetch_all(tx).await?)
}

/// How many values begin with each format and key.
async fn sealed_by_head(tx: &mut Tx) -> Result<BTreeMap<Vec<u8>, u64>, StoreError> {
    let mut sealed = BTreeMap::new();
    for Column { table, column, .. } in &COLUMNS {
        let sql = format!(
            "SELECT head, COUNT(*) FROM (SELECT substr({column}, 1, 5) AS head FROM {table} WHERE length({column}) > 0) heads
             GROUP BY head"
        );
        let heads: Vec<(Vec<u8>, i64)> = query_as(AssertSqlSafe(sql)).fetch_all(&mut *tx).await?;
        for (head, values) in heads {
            *sealed.entry(head).or_default() += count(values);
        }
    }
    Ok(sealed)
}
