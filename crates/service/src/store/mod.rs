//! The store: everything that the service must not lose, in SQLite.
//!
//! Writes begin with `BEGIN IMMEDIATE`, so that a writer waits its turn instead of failing half-way (a read that turns
//! into a write ignores the busy timeout). A method is one transaction; what has to hold together is one method.

pub mod clients;
pub mod connections;
pub mod environment;
pub mod idempotency;
mod ingest;
pub mod inspect;
pub mod links;
pub mod mfa;
pub mod oauth;
pub mod orders;
mod positions;
pub mod progress;
pub mod queue;
pub mod sandbox;
pub mod sessions;
#[cfg(test)]
mod tests;
mod upgrade;
pub mod users;

use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::open::UnknownWord;
use sqlx::ConnectOptions as _;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Sqlite, SqlitePool, Transaction};

use crate::ids::NoRandomness;
use crate::keys::Unsealable;

/// What brings a database to this version's form.
static MIGRATIONS: Migrator = sqlx::migrate!("./migrations/sqlite");

/// How many connections read.
const READERS: u32 = 8;
/// What the writing connection keeps in memory. Identifiers are digests: without room for their indexes, each new line would
/// be read and written all over the file.
const WRITE_CACHE_KIB: u32 = 48 * 1024;
/// From how many pages (of 4 KiB) on the log is written back into the file.
const WRITTEN_BACK_PAGES: u32 = 4_096;

/// A transaction that may write.
pub type Write = Transaction<'static, Sqlite>;

/// The store.
#[derive(Debug, Clone)]
pub struct Store {
    pool: SqlitePool,
    /// One connection, through which all larger writes go: SQLite lets one write at a time anyhow, and what a connection
    /// keeps in memory is good until another writes.
    writer: SqlitePool,
}

/// The store could not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database failed.
    #[error("the database failed: {0}")]
    Database(#[from] sqlx::Error),
    /// The database cannot be brought to this version's form.
    #[error("the database cannot be migrated: {0}")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A word in the database is none of ours.
    #[error("the database holds a word that this version does not know: {0}")]
    Word(#[from] UnknownWord),
    /// A value in the database is not what it should be.
    #[error("the database holds an unreadable {0}")]
    Corrupt(&'static str),
    /// A sealed value does not open.
    #[error(transparent)]
    Sealed(#[from] Unsealable),
    /// The system gave no randomness.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    /// No order has so many.
    #[error("an order has more line items than can be told apart")]
    TooManyLines,
    /// A step between states that is not legal.
    #[error("no step leads from {from} to {to}")]
    IllegalStep {
        /// Where it is.
        from: &'static str,
        /// Where it was to go.
        to: &'static str,
    },
}

/// What is the matter with a database file, where the user can do something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreTrouble {
    /// Another program holds it locked.
    Locked,
    /// There is no room left on its disk.
    Full,
}

impl StoreError {
    /// What the user can do something about, by SQLite's result code.
    #[must_use]
    pub fn trouble(&self) -> Option<StoreTrouble> {
        let error = match self {
            Self::Database(error) => error,
            Self::Migration(sqlx::migrate::MigrateError::Execute(error)) => error,
            _ => return None,
        };
        let code: u32 = error.as_database_error()?.code()?.parse().ok()?;
        match (code & 0xff, code) {
            // SQLITE_BUSY, SQLITE_LOCKED.
            (5 | 6, _) => Some(StoreTrouble::Locked),
            // SQLITE_FULL; SQLITE_IOERR_SHMSIZE, where there is no room for the index of the log.
            (13, _) | (_, 4874) => Some(StoreTrouble::Full),
            _ => None,
        }
    }
}

impl Store {
    /// Opens the database file, makes it where there is none, and brings it to this version's form.
    ///
    /// # Errors
    /// Where the file cannot be opened, or was written by a newer version.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        private(path).map_err(sqlx::Error::Io)?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .busy_timeout(Duration::from_secs(10))
            .journal_mode(SqliteJournalMode::Wal)
            // What was answered with 202 survives a power cut as well.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .disable_statement_logging();
        let writing = options
            .clone()
            .pragma("cache_size", format!("-{WRITE_CACHE_KIB}"))
            .pragma("wal_autocheckpoint", WRITTEN_BACK_PAGES.to_string());
        let writer = pool_of(1).connect_with(writing).await?;
        MIGRATIONS.run(&writer).await?;
        let pool = pool_of(READERS).connect_with(options).await?;
        let store = Self { pool, writer };
        store.move_old_items().await?;
        Ok(store)
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// Where it does not.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    /// Writes everything out and lets go of the file.
    pub async fn close(&self) {
        self.pool.close().await;
        self.writer.close().await;
    }

    async fn write(&self) -> Result<Write, StoreError> {
        Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
    }
}

/// Connections to a file do not break while nobody uses them: none is asked whether it is still there.
fn pool_of(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new().max_connections(connections).test_before_acquire(false)
}

/// Makes the database file such that only its owner can read it, where there is none yet. SQLite gives the files beside it
/// the same permissions.
fn private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// A time as it is stored: microseconds since 1970.
pub(crate) const fn micros(at: DateTime<Utc>) -> i64 {
    at.timestamp_micros()
}

/// A stored time.
pub(crate) fn time(micros: i64) -> Result<DateTime<Utc>, StoreError> {
    DateTime::from_timestamp_micros(micros).ok_or(StoreError::Corrupt("time"))
}

/// A count, which the database keeps signed.
pub(crate) fn count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or(0)
}

/// A length as it is stored.
pub(crate) fn stored(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A duration as it is stored: microseconds.
pub(crate) fn span(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
