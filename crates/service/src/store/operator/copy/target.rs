//! The store in PostgreSQL that is written: marked as unfinished from its first row to the proof that nothing is missing.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection as _};

use crate::database::PostgresAddress;
use crate::store::operator::copy::error::CopyError;
use crate::store::operator::copy::plan::{OWN, Table, quoted};
use crate::store::operator::copy::rows::{Batch, Cells};
use crate::store::schema::half_copied::is_half_copied;
use crate::store::schema::migrations::POSTGRES;
use crate::store::schema::postgres::{connecting, examine};
use crate::store::span;
use crate::store::syncs::queue::LEASE;

/// The first part of the lock that one copy into a schema holds; the second is the schema.
const LOCK: &str = "SELECT pg_try_advisory_lock(1330861390, current_schema()::regnamespace::oid::bigint::int)";
/// How long a copy that was killed may still hold the lock: its server notices the lost connection.
const LOCK_WAIT: Duration = Duration::from_secs(15);
const LOCK_POLL: Duration = Duration::from_millis(100);

/// Connects, and makes sure that no other copy into this store runs.
pub(super) async fn connect(address: &PostgresAddress) -> Result<PgConnection, CopyError> {
    let options: PgConnectOptions = connecting(address);
    let mut server = PgConnection::connect_with(&options).await.map_err(CopyError::target)?;
    // Before the lock, which needs a schema.
    examine(&mut server).await.map_err(CopyError::Target)?;
    let locked = async {
        loop {
            let is_locked: bool = sqlx::query_scalar(LOCK).fetch_one(&mut server).await.map_err(CopyError::target)?;
            if is_locked {
                return Ok::<_, CopyError>(());
            }
            tokio::time::sleep(LOCK_POLL).await;
        }
    };
    tokio::time::timeout(LOCK_WAIT, locked).await.map_err(|_| CopyError::Running)??;
    Ok(server)
}

/// How far an earlier copy came.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The rows of each table.
    pub(super) copied: BTreeMap<String, u64>,
    /// The state of the file that they are from.
    pub(super) source: String,
}

/// How far an earlier copy came; none if there was none.
pub(super) async fn progress(server: &mut PgConnection) -> Result<Option<Progress>, CopyError> {
    // A migration that this version has, and that one did not, may have changed every table.
    let pending = examine(server).await.map_err(CopyError::Target)?;
    if !is_half_copied(server).await.map_err(CopyError::target)? {
        return Ok(None);
    }
    if pending > 0 {
        return Ok(Some(Progress::default()));
    }
    let rows: Vec<(String, i64, String)> = sqlx::query_as("SELECT name, copied, source FROM store_copy")
        .fetch_all(server)
        .await
        .map_err(CopyError::target)?;
    let source = rows.first().map(|(.., source)| source.clone()).unwrap_or_default();
    let copied = rows.into_iter().map(|(name, copied, _)| (name, copied.unsigned_abs())).collect();
    Ok(Some(Progress { copied, source }))
}

/// Migrates an empty store, so that its tables can be looked at. Nothing of a store with rows is changed.
/// Fails with [`CopyError::NotEmpty`] if it has rows.
pub(super) async fn mark(server: &mut PgConnection) -> Result<(), CopyError> {
    let failed = CopyError::target;
    let mut tx = server.begin().await.map_err(failed)?;
    let tables = own_tables(&mut tx).await?;
    let mut filled = Vec::new();
    for table in &tables {
        // So that nobody writes between the look and the mark.
        let (lock, look) = (
            format!("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE", quoted(table)),
            format!("SELECT EXISTS (SELECT 1 FROM {})", quoted(table)),
        );
        sqlx::query(AssertSqlSafe(lock)).execute(&mut *tx).await.map_err(failed)?;
        if sqlx::query_scalar::<_, bool>(AssertSqlSafe(look)).fetch_one(&mut *tx).await.map_err(failed)? {
            filled.push(table.clone());
        }
    }
    if !filled.is_empty() {
        return Err(CopyError::NotEmpty(filled));
    }
    POSTGRES.run_direct(None, &mut *tx, false).await.map_err(|why| CopyError::Target(why.into()))?;
    let make = "CREATE TABLE store_copy (name TEXT COLLATE \"C\" NOT NULL PRIMARY KEY, copied BIGINT NOT NULL, source TEXT NOT NULL)";
    sqlx::query(make).execute(&mut *tx).await.map_err(failed)?;
    tx.commit().await.map_err(failed)
}

/// Empties a store that is marked, and begins again with this file.
pub(super) async fn begin_again(server: &mut PgConnection, source: &str) -> Result<(), CopyError> {
    let failed = CopyError::target;
    let mut tx = server.begin().await.map_err(failed)?;
    let tables: Vec<String> = own_tables(&mut tx).await?.iter().map(|name| quoted(name)).collect();
    let empty = format!("TRUNCATE {}", tables.join(", "));
    sqlx::query(AssertSqlSafe(empty)).execute(&mut *tx).await.map_err(failed)?;
    POSTGRES.run_direct(None, &mut *tx, false).await.map_err(|why| CopyError::Target(why.into()))?;
    sqlx::query("DELETE FROM store_copy").execute(&mut *tx).await.map_err(failed)?;
    for name in own_tables(&mut tx).await? {
        sqlx::query("INSERT INTO store_copy (name, copied, source) VALUES ($1, 0, $2)")
            .bind(name)
            .bind(source)
            .execute(&mut *tx)
            .await
            .map_err(failed)?;
    }
    tx.commit().await.map_err(failed)
}

/// All tables that are copied.
async fn own_tables(server: &mut PgConnection) -> Result<Vec<String>, CopyError> {
    sqlx::query_scalar(
        "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
            AND relpersistence = 'p' AND relname::text <> ALL ($1) ORDER BY 1",
    )
    .bind(&OWN[..])
    .fetch_all(server)
    .await
    .map_err(CopyError::target)
}

/// Writes rows, and notes that they were copied, in one transaction.
pub(super) async fn write(server: &mut PgConnection, table: &Table, batch: Batch) -> Result<(), CopyError> {
    let failed = |error| CopyError::refused(&table.name, error);
    let count = batch.rows;
    let mut tx = server.begin().await.map_err(failed)?;
    let insert =
        batch.columns.into_iter().fold(sqlx::query(AssertSqlSafe(table.insert())), |insert, cells| match cells {
            Cells::Integers(values) => insert.bind(values),
            Cells::Texts(values) => insert.bind(values),
            Cells::Blobs(values) => insert.bind(values),
        });
    let written = insert.execute(&mut *tx).await.map_err(failed)?.rows_affected();
    if written != count {
        return Err(CopyError::Schema(format!("PostgreSQL stored {written} of {count} rows of {}", table.name)));
    }
    sqlx::query("UPDATE store_copy SET copied = copied + $1 WHERE name = $2")
        .bind(i64::try_from(count).unwrap_or(i64::MAX))
        .bind(&table.name)
        .execute(&mut *tx)
        .await
        .map_err(failed)?;
    tx.commit().await.map_err(failed)
}

/// Lets the next numbers of the tables follow those that were copied, and takes the mark away: from now on the store is served.
pub(super) async fn finish(server: &mut PgConnection, tables: &[Table]) -> Result<(), CopyError> {
    let failed = CopyError::target;
    // Without them, the first queries would read whole tables.
    sqlx::query("ANALYZE").execute(&mut *server).await.map_err(failed)?;
    let mut tx = server.begin().await.map_err(failed)?;
    for table in tables {
        let Some(column) = &table.identity else { continue };
        let (name, quoted_column) = (quoted(&table.name), quoted(column));
        let set = format!(
            "SELECT setval(pg_get_serial_sequence($1, $2), COALESCE(MAX({quoted_column}), 1), COUNT(*) > 0) FROM {name}"
        );
        sqlx::query(AssertSqlSafe(set)).bind(&name).bind(column).execute(&mut *tx).await.map_err(failed)?;
    }
    // No service has the file open, so that no lease is held. Those of a killed one run out by themselves, unless that machine's
    // clock was ahead of the database's.
    sqlx::query(
        "UPDATE retailer_sessions SET lease_until = (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint + $1
         WHERE active = 1 AND lease_until > (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint + $1",
    )
    .bind(span(LEASE.to_std().unwrap_or_default()))
    .execute(&mut *tx)
    .await
    .map_err(failed)?;
    sqlx::query("DROP TABLE store_copy").execute(&mut *tx).await.map_err(failed)?;
    tx.commit().await.map_err(failed)
}
