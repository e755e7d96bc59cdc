//! The file that is copied: kept locked for as long as the copy takes, so that nothing changes in it.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use futures::stream::BoxStream;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteLockingMode, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

use crate::store::StoreError;
use crate::store::operator::copy::error::CopyError;
use crate::store::operator::copy::plan::Table;
use crate::store::schema::identity;

/// How long the lock of another process is waited for: a command may have the file open for a moment.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// Opens the file, and locks it against every other process. A service has it open for as long as it runs, so that a lock means
/// that there is none.
/// Fails with [`CopyError::InUse`] if another process has it open; [`StoreError::Outdated`] if it has to be migrated
/// before.
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

/// The rows of a table, but for the first `after`.
pub(super) fn rows<'f>(
    file: &'f mut SqliteConnection,
    table: &Table,
    after: u64,
) -> BoxStream<'f, sqlx::Result<SqliteRow>> {
    let skipped = i64::try_from(after).unwrap_or(i64::MAX);
    sqlx::query(AssertSqlSafe(table.select())).bind(skipped).fetch(file)
}
