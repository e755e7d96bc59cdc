//! What a database file is, found out without changing it: a store of this program, of a newer version of it, or a
//! database of another program.

use std::path::Path;

use sqlx::sqlite::SqliteConnection;

use crate::store::StoreError;
use crate::store::schema::migrations::MIGRATIONS;
use crate::store::schema::read_only::look;
use crate::store::schema::version;

/// `PRAGMA application_id` of a store: "OSYN".
const APPLICATION_ID: i64 = 0x4f53_594e;

/// What is known of a database file that may be used as a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct FileIdentity {
    /// Migrations of this version that it has not seen: all of them if it is empty.
    pub(in crate::store) pending: usize,
}

/// Looks at the file. A file that does not exist, and one without tables, are stores to be made.
/// Fails with [`StoreError::Foreign`], [`StoreError::BeforeFirst`] and [`StoreError::Newer`] if it must not be used;
/// others if it cannot be read.
pub(in crate::store) async fn identify(path: &Path) -> Result<FileIdentity, StoreError> {
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.len() > 0 => {}
        // Opening the file will report the same error.
        _ => return Ok(FileIdentity { pending: MIGRATIONS.iter().count() }),
    }
    look(path, examine, |_| true).await
}

/// Which migrations it has seen decides. The application id alone does not: a copy made with `.dump` loses it.
pub(in crate::store) async fn examine(connection: &mut SqliteConnection) -> Result<FileIdentity, StoreError> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .fetch_all(&mut *connection)
    .await?;
    let application_id: i64 = sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *connection).await?;
    if ![0, APPLICATION_ID].contains(&application_id) {
        return Err(StoreError::Foreign);
    }
    let applied: Vec<(i64, Vec<u8>)> = if tables.iter().any(|name| name == "_sqlx_migrations") {
        sqlx::query_as("SELECT version, checksum FROM _sqlx_migrations ORDER BY version")
            .fetch_all(&mut *connection)
            .await?
    } else {
        Vec::new()
    };
    if applied.is_empty() && tables.iter().all(|name| name == "_sqlx_migrations") {
        return Ok(FileIdentity { pending: MIGRATIONS.iter().count() });
    }
    let oldest = if tables.iter().any(|name| name == version::TABLE) {
        sqlx::query_scalar(version::OLDEST).fetch_optional(connection).await?
    } else {
        None
    };
    Ok(FileIdentity { pending: version::pending(&MIGRATIONS, &applied, oldest)? })
}
