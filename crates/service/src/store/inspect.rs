//! A look at a database file without changing it or anything beside it, for whoever wants to know whether it is sound.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _};

use super::{MIGRATIONS, StoreError};

/// How long another's lock is waited for.
const LOCKED: Duration = Duration::from_millis(500);
/// Problems that are told; after that many, more say nothing new.
const TOLD: u32 = 5;

/// How a database is.
#[derive(Debug)]
pub struct Health {
    /// What SQLite finds wrong in it; nothing where it is sound.
    pub problems: Vec<String>,
    /// Migrations of this version that it has not seen; the next start of the service brings it up to date.
    pub pending: usize,
    /// Whether a newer version wrote it.
    pub is_newer: bool,
}

/// Looks at the database in this file.
///
/// # Errors
/// Where it cannot be read: it is none, it is damaged, or another process holds it locked.
pub async fn inspect(path: &Path) -> Result<Health, StoreError> {
    let health = look(path, !is_in_use(path)).await;
    let is_sound = health.as_ref().is_ok_and(|health| health.problems.is_empty());
    if !is_sound && is_in_use(path) {
        // Somebody may have begun to write meanwhile.
        return look(path, false).await;
    }
    health
}

/// Whether there is a log beside the file: a process works on it, or one ended without tidying up.
fn is_in_use(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    Path::new(&log).exists()
}

/// Where nobody works on it, no lock is taken: even a reader's lock makes files beside the database.
async fn look(path: &Path, immutable: bool) -> Result<Health, StoreError> {
    let options = SqliteConnectOptions::new().filename(path).read_only(true).immutable(immutable).busy_timeout(LOCKED);
    let mut connection = options.connect().await?;
    let health = examine(&mut connection).await;
    connection.close().await?;
    health
}

async fn examine(connection: &mut SqliteConnection) -> Result<Health, StoreError> {
    let check = sqlx::AssertSqlSafe(format!("PRAGMA quick_check({TOLD})"));
    let mut problems: Vec<String> = sqlx::query_scalar(check).fetch_all(&mut *connection).await?;
    problems.retain(|problem| problem != "ok");
    let has_history: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '_sqlx_migrations'")
            .fetch_one(&mut *connection)
            .await?;
    let applied: Vec<i64> = if has_history == 0 {
        Vec::new()
    } else {
        sqlx::query_scalar("SELECT version FROM _sqlx_migrations WHERE success").fetch_all(&mut *connection).await?
    };
    let known = || MIGRATIONS.iter().map(|migration| migration.version);
    Ok(Health {
        problems,
        pending: known().filter(|version| !applied.contains(version)).count(),
        is_newer: applied.iter().any(|version| !known().any(|known| known == *version)),
    })
}
