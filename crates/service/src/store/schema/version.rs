//! Which version of its form a store has, and which nodes may use it. While nodes are replaced one by one, the first new one
//! brings the store to its version, and the others go on beside it if its migrations say so.

use std::time::Duration;

use sqlx::migrate::Migrator;

use crate::store::db::{Dialect, query_as};
use crate::store::schema::migrations::{MIGRATIONS, POSTGRES, Version, newest};
use crate::store::{Store, StoreError};

/// How often a node looks whether a newer one has changed the store.
const LOOKED_EVERY: Duration = Duration::from_secs(2);
/// The table in which a migration says who may go on.
pub(in crate::store) const TABLE: &str = "store_compatibility";
/// The oldest version whose nodes may use the store.
pub(in crate::store) const OLDEST: &str = "SELECT oldest_version FROM store_compatibility";

/// Fails if the node must not use the store.
const fn check(version: Version) -> Result<(), StoreError> {
    if version.is_newer() && version.oldest > version.node { Err(StoreError::Newer(version)) } else { Ok(()) }
}

/// Which of a program's migrations a store has not seen, by those that it has, with their digests.
/// Fails if it is another program's store, that of a build before the first version, or a newer version's which this
/// one must not use.
pub(in crate::store) fn pending(
    known: &Migrator,
    applied: &[(i64, Vec<u8>)],
    oldest: Option<i64>,
) -> Result<usize, StoreError> {
    let first = known.iter().next();
    let is_ours = first.zip(applied.first()).is_some_and(|(first, (version, checksum))| {
        first.version == *version && first.checksum.as_ref() == checksum.as_slice()
    });
    if !is_ours {
        return Err(if oldest.is_some() { StoreError::BeforeFirst } else { StoreError::Foreign });
    }
    let has_seen = |version: i64| applied.iter().any(|(seen, _)| *seen == version);
    let pending = known.iter().filter(|migration| !has_seen(migration.version)).count();
    let unknown = |seen: i64| known.iter().all(|migration| migration.version != seen);
    let Some((last_unknown, _)) = applied.iter().rev().find(|(seen, _)| unknown(*seen)) else { return Ok(pending) };
    let node = newest(known);
    let version = Version { store: *last_unknown, node, oldest: oldest.unwrap_or(*last_unknown) };
    // The migration histories diverged.
    if version.store < node || pending > 0 {
        return Err(StoreError::Newer(Version { oldest: version.store.max(node + 1), ..version }));
    }
    check(version)?;
    Ok(0)
}

/// The version of this program's stores.
fn node(dialect: Dialect) -> i64 {
    newest(match dialect {
        Dialect::Sqlite => &MIGRATIONS,
        Dialect::Postgres => &POSTGRES,
    })
}

impl Store {
    /// Which version it has now.
    pub(crate) async fn version(&self) -> Result<Version, StoreError> {
        let (store, oldest): (i64, i64) =
            query_as("SELECT (SELECT MAX(version) FROM _sqlx_migrations), oldest_version FROM store_compatibility")
                .fetch_one(&self.pool)
                .await?;
        Ok(Version { store, node: node(self.pool.dialect()), oldest })
    }

    /// Keeps looking which version the store has, until this node must not use it any longer. From then on it writes nothing.
    pub(crate) async fn follow_version(self, started_with: Version) {
        let mut known = started_with;
        loop {
            tokio::time::sleep(LOOKED_EVERY).await;
            let found = match self.version().await {
                Ok(found) => found,
                Err(error) => {
                    tracing::debug!(%error, "cannot read the store's version");
                    continue;
                }
            };
            if let Err(error) = check(found) {
                tracing::error!(%error, "this node must not use the store any longer");
                // Nobody else sets it.
                let _ = self.outgrown.set(found);
                return;
            }
            if found != known {
                say(found);
                known = found;
            }
        }
    }

    /// Whether a newer node has changed the store such that this one must not use it.
    pub(crate) fn is_outgrown(&self) -> bool {
        self.outgrown.initialized()
    }

    /// Returns when that is so.
    pub(crate) async fn outgrown(&self) -> StoreError {
        StoreError::Newer(*self.outgrown.wait().await)
    }
}

/// Says that the store is newer than the node, if it is.
pub(crate) fn say(version: Version) {
    if version.is_newer() {
        tracing::info!(
            store_version = version.store,
            node_version = version.node,
            "a newer ordersync has changed the store; this node may still use it"
        );
    }
}
