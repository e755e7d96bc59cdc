//! The store: everything that the service must not lose, in SQLite or PostgreSQL.
//!
//! A method is one transaction; what has to hold together is one method. In SQLite, writes begin with `BEGIN IMMEDIATE`, so
//! that a writer waits its turn instead of failing half-way (a read that turns into a write ignores the busy timeout). In
//! PostgreSQL a transaction locks the rows that it looks at and then changes, always in the same order: a part of a session,
//! its connection, orders and line items, the session.

pub(crate) mod accounts;
pub(crate) mod db;
pub(crate) mod nodes;
pub(crate) mod operator;
pub(crate) mod orders;
pub(crate) mod sandbox;
pub(crate) mod schema;
pub(crate) mod syncs;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::open::UnknownWord;
use tokio::sync::{Notify, Semaphore, SetOnce};

use self::db::{Pool, Tx};
pub use self::schema::migrations::Version;
use crate::database::Database;
use crate::ids::NoRandomness;
use crate::keys::Unsealable;

/// A transaction that may write.
pub(crate) type Write = Tx;

#[derive(Debug, Clone)]
pub(crate) struct Store {
    /// Connections that only read: a write on one of them fails.
    pool: Pool,
    /// One connection, through which all writes go: SQLite lets one write at a time anyhow, a queue in memory is fairer
    /// than waiting for a file lock, and the connection's page cache stays valid until another one writes.
    writer: Pool,
    /// Told when something was deleted: rows of a removed connection may be left, and what was deleted is still in the log.
    removed: Arc<Notify>,
    /// Whether what was deleted is still in the write-ahead log.
    is_logged: Arc<AtomicBool>,
    /// One large page at a time waits for the writer, so that small changes never wait for several of them.
    bulk: Arc<Semaphore>,
    /// Set when a newer node has changed the store such that this one must not use it.
    outgrown: Arc<SetOnce<Version>>,
    /// Whether the database has statistics of the tables that grow.
    is_looked_at: Arc<AtomicBool>,
    /// Whether it is known to be of a live service, so that no sandbox has moved the clock of a user.
    is_live: Arc<AtomicBool>,
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
    /// Another process is preparing the file, and did not finish in time.
    #[error("another process has been preparing the database for too long")]
    Starting,
    /// The file is a database of another program.
    #[error("it is not a store of ordersync, but a database of another program")]
    Foreign,
    /// It was made by a build before the first version, whose form is not kept.
    #[error("it was made by a build before version 0.1.0")]
    BeforeFirst,
    /// A newer version has changed the database such that this one must not use it.
    #[error(
        "a newer version of ordersync has changed it (it has version {}, usable from version {} on; this one knows {})",
        .0.store, .0.oldest, .0.node
    )]
    Newer(Version),
    /// The database has not seen all migrations, and was opened to be read.
    #[error("it was not yet brought up to date by this version of ordersync")]
    Outdated,
    /// The database has a part of the rows of another store.
    #[error("`ordersync admin store copy` into it has not finished")]
    HalfCopied,
    /// The database cannot be used, whatever is in it.
    #[error("{0}")]
    Unsuitable(String),
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
    /// A step between states that is not legal.
    #[error("no step leads from {from} to {to}")]
    IllegalStep {
        /// Where it is.
        from: &'static str,
        /// Where it was to go.
        to: &'static str,
    },
}

/// Said of a store a part of which cannot be read any more.
pub(crate) const DAMAGED: &str = "The service's store is damaged. `ordersync doctor` says what is, or `ordersync admin store check` where the service runs.";

/// Why a store cannot be used now, if waiting or the user can change that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreTrouble {
    /// Another program holds it locked.
    Locked,
    /// Its disk is full.
    Full,
    /// No connection became free in time.
    Busy,
    /// Its disk fails, or lets nobody write.
    Failing,
    /// A part of it cannot be read any more.
    Damaged,
    /// Its server cannot be reached, or is starting or stopping.
    Away,
    /// A newer version of the service has changed it.
    Newer,
}

impl StoreError {
    /// The trouble that the error is a sign of, by SQLite's result code or PostgreSQL's SQLSTATE.
    pub fn trouble(&self) -> Option<StoreTrouble> {
        use sqlx::migrate::MigrateError::{Execute, ExecuteMigration};

        match self {
            Self::Starting => Some(StoreTrouble::Locked),
            Self::Newer(_) => Some(StoreTrouble::Newer),
            Self::Database(error) | Self::Migration(Execute(error) | ExecuteMigration(error, _)) => trouble_of(error),
            _ => None,
        }
    }
}

fn trouble_of(error: &sqlx::Error) -> Option<StoreTrouble> {
    match error {
        sqlx::Error::PoolTimedOut => return Some(StoreTrouble::Busy),
        sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::StorageFull => return Some(StoreTrouble::Full),
        sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            return Some(StoreTrouble::Failing);
        }
        // Connections to a server; a file has none.
        sqlx::Error::Io(error) if is_of_a_connection(error.kind()) => return Some(StoreTrouble::Away),
        // A connection that ends while it begins; SQLx reads what it was not sent.
        sqlx::Error::Protocol(text) if text.contains("SSLRequest") => return Some(StoreTrouble::Away),
        sqlx::Error::Tls(_) => return Some(StoreTrouble::Away),
        _ => {}
    }
    let error = error.as_database_error()?;
    let code = error.code()?;
    if error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>().is_some() {
        return trouble_of_state(&code);
    }
    let code: u32 = code.parse().ok()?;
    match (code & 0xff, code) {
        // SQLITE_BUSY, SQLITE_LOCKED.
        (5 | 6, _) => Some(StoreTrouble::Locked),
        // SQLITE_FULL; SQLITE_IOERR_SHMSIZE: no room for the index of the log.
        (13, _) | (_, 4874) => Some(StoreTrouble::Full),
        // SQLITE_NOMEM, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN.
        (7 | 8 | 10 | 14, _) => Some(StoreTrouble::Failing),
        // SQLITE_CORRUPT, SQLITE_NOTADB.
        (11 | 26, _) => Some(StoreTrouble::Damaged),
        _ => None,
    }
}

fn is_of_a_connection(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable, NetworkUnreachable,
        NotConnected, TimedOut, UnexpectedEof,
    };

    matches!(
        kind,
        BrokenPipe
            | ConnectionAborted
            | ConnectionRefused
            | ConnectionReset
            | HostUnreachable
            | NetworkUnreachable
            | NotConnected
            | TimedOut
            | UnexpectedEof
    )
}

/// By SQLSTATE: <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
fn trouble_of_state(state: &str) -> Option<StoreTrouble> {
    match state {
        // Somebody else holds a lock for too long, or two transactions would wait for each other.
        "55P03" | "40P01" | "40001" => Some(StoreTrouble::Locked),
        "53100" => Some(StoreTrouble::Full),
        // Memory, connections, a statement that took too long.
        "53000" | "53200" | "53300" | "53400" | "57014" => Some(StoreTrouble::Busy),
        // It is read-only (a replica), an I/O error.
        "25006" | "58000" | "58030" => Some(StoreTrouble::Failing),
        "XX001" | "XX002" => Some(StoreTrouble::Damaged),
        // A table, a column or a function is gone: a newer node has changed the store, and this one is about to notice.
        "42P01" | "42703" | "42883" => Some(StoreTrouble::Newer),
        // It is shut down, crashed, or not yet ready; the connection ended, or stood idle too long in a transaction.
        "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "25P04" => Some(StoreTrouble::Away),
        _ if state.starts_with("08") => Some(StoreTrouble::Away),
        _ => None,
    }
}

impl Store {
    /// Opens the store, creates it if it does not exist, and migrates it to this version's form.
    /// Fails if it cannot be opened, is another program's, or was written by a newer version. In the last two cases
    /// nothing is changed.
    pub(crate) async fn open_database(database: &Database) -> Result<Self, StoreError> {
        match database {
            Database::File(path) => Self::open(path).await,
            Database::Postgres(address) => Self::open_postgres(address).await,
        }
    }

    /// Opens a store that a service of this version has been started on, and creates none.
    /// Fails as [`Store::open_database`], and [`StoreError::Outdated`] if there is something to migrate.
    pub(crate) async fn open_existing_database(database: &Database) -> Result<Self, StoreError> {
        match database {
            Database::File(path) => Self::open_existing(path).await,
            Database::Postgres(address) => Self::open_postgres_existing(address).await,
        }
    }

    /// Opens a store to read it; what would write fails. Of a file, nothing is changed, nor anything beside it.
    /// Fails as [`Store::open_existing_database`].
    pub(crate) async fn open_database_read_only(database: &Database) -> Result<Self, StoreError> {
        match database {
            Database::File(path) => Self::open_read_only(path).await,
            Database::Postgres(address) => {
                let store = Self::open_postgres_existing(address).await?;
                Ok(Self { writer: store.pool.clone(), ..store })
            }
        }
    }

    /// Writes everything out and lets go of the file.
    pub(crate) async fn close(&self) {
        self.pool.close().await;
        self.writer.close().await;
    }

    async fn write(&self) -> Result<Write, StoreError> {
        if let Some(version) = self.outgrown.get() {
            return Err(StoreError::Newer(*version));
        }
        Ok(self.writer.begin_write().await?)
    }
}

/// A time as it is stored: microseconds since 1970.
pub(crate) const fn micros(at: DateTime<Utc>) -> i64 {
    at.timestamp_micros()
}

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
