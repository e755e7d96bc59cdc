//! The file that is copied: kept locked for as long as the copy takes, so that nothing changes in it.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use futures::TryStreamExt as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteLockingMode, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _};

use crate::store::StoreError;
use crate::store::operator::copy::error::{CopyError, RowName};
use crate::store::operator::copy::form;
use crate::store::operator::copy::form::{NotWritten, RowDigest};
use crate::store::operator::copy::plan::{Kind, Table};
use crate::store::schema::identity;

/// How long the lock of another process is waited for: a command may have the file open for a moment.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// Opens the file, and locks it against every other process. A service has it open for as long as it runs, so that a lock means
/// that there is none.
///
/// # Errors
/// [`CopyError::InUse`] if another process has it open; [`StoreError::Outdated`] if it has to be migrated before.
pub(super) async fn lock(path: &Path) -> Result<SqliteConnection, CopyError> {
    let identity = identity::identify(path).await.map_err(CopyError::Source)?;
    if identity.pending > 0 {
        return Err(CopyError::Source(StoreError::Outdated));
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(LOCK_WAIT)
        .locking_mode(SqliteLockingMode::Exclusive)
        .disable_statement_logging();
    let mut file = options.connect().await.map_err(in_use)?;
    let settled = settle(&mut file).await;
    if let Err(error) = settled {
        // Of the two failures, the first is the reason.
        let _ = file.close().await;
        return Err(error);
    }
    Ok(file)
}

async fn settle(file: &mut SqliteConnection) -> Result<(), CopyError> {
    // In this mode the lock stays after the transaction.
    sqlx::raw_sql("BEGIN EXCLUSIVE; COMMIT").execute(&mut *file).await.map_err(in_use)?;
    // What a killed service left in its log belongs into the file: then the file changes no more.
    sqlx::raw_sql("PRAGMA wal_checkpoint(TRUNCATE)").execute(file).await.map_err(in_use)?;
    Ok(())
}

fn in_use(error: sqlx::Error) -> CopyError {
    match StoreError::from(error) {
        locked if locked.trouble() == Some(crate::store::StoreTrouble::Locked) => CopyError::InUse,
        other => CopyError::Source(other),
    }
}

/// What tells whether the file was written to since: its size, and when it was written last.
pub(super) fn state(path: &Path) -> Result<String, CopyError> {
    let failed = |error| CopyError::source(sqlx::Error::Io(error));
    let metadata = path.metadata().map_err(failed)?;
    let written = metadata.modified().map_err(failed)?;
    let since = written.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} bytes, {}", metadata.len(), since.as_nanos()))
}

/// Gives each row of a table to `take`, but for the first `after`.
pub(super) async fn for_each_row(
    file: &mut SqliteConnection,
    table: &Table,
    after: u64,
    mut take: impl AsyncFnMut(&SqliteRow) -> Result<(), CopyError>,
) -> Result<(), CopyError> {
    let skipped = i64::try_from(after).unwrap_or(i64::MAX);
    let mut rows = sqlx::query(AssertSqlSafe(table.select())).bind(skipped).fetch(file);
    while let Some(row) = rows.try_next().await.map_err(CopyError::source)? {
        take(&row).await?;
    }
    Ok(())
}

/// Appends a row in the binary form.
///
/// # Errors
/// [`CopyError::Row`] with the row's key if PostgreSQL cannot hold it.
pub(super) fn write(row: &SqliteRow, table: &Table, to: &mut Vec<u8>) -> Result<(), CopyError> {
    form::write(row, table, to).map_err(|why| match why {
        NotWritten::Database(error) => CopyError::source(error),
        NotWritten::Value(bad) => CopyError::Row { row: name(row, table), column: bad.column, why: bad.why.to_owned() },
    })
}

/// What is in a table.
pub(super) async fn digest(file: &mut SqliteConnection, table: &Table) -> Result<RowDigest, CopyError> {
    let (mut digest, mut bytes) = (RowDigest::default(), Vec::new());
    for_each_row(file, table, 0, async |row| {
        bytes.clear();
        write(row, table, &mut bytes)?;
        digest.add(&bytes);
        Ok(())
    })
    .await?;
    Ok(digest)
}

/// The row's key, as an operator finds it.
fn name(row: &SqliteRow, table: &Table) -> RowName {
    let columns = table.columns.iter().enumerate().filter(|(_, column)| table.key.contains(&column.name));
    let key = columns.map(|(index, column)| {
        let value = match column.kind {
            Kind::Integer => row.try_get_unchecked::<i64, _>(index).unwrap_or_default().to_string(),
            Kind::Text => {
                let bytes = row.try_get_unchecked::<&[u8], _>(index).unwrap_or_default();
                format!("'{}'", String::from_utf8_lossy(bytes).escape_debug())
            }
            Kind::Blob => {
                let bytes = row.try_get_unchecked::<&[u8], _>(index).unwrap_or_default();
                format!("x'{}'", bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
            }
        };
        format!("{} = {value}", column.name)
    });
    RowName { table: table.name.clone(), key: key.collect::<Vec<_>>().join(" AND ") }
}
