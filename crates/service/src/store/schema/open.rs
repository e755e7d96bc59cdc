//! Opening the store: one process at a time brings the file to this version's form, and all writes have one connection.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::OpenFlags;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::Semaphore;

use crate::store::db::{GivenUp, Pool, ReadOptions, Readers};
use crate::store::schema::identity;
use crate::store::schema::migrations::MIGRATIONS;
use crate::store::schema::read_only::read_only;
use crate::store::{Store, StoreError};

/// How many connections read.
const READERS: u32 = 8;
/// The page cache of the writing connection. Identifiers are digests: if their indexes did not fit into memory, each new
/// line would read and write pages all over the file.
const WRITE_CACHE_KIB: u32 = 48 * 1024;
/// The size of a page of a new file: with pages of 4 KiB, SQLite's default, a list of items takes a third more time to read.
const PAGE_BYTES: u32 = 16 * 1024;
/// The write-ahead log is copied back into the file when it has this many pages.
const CHECKPOINT_PAGES: u32 = 1_024;
/// How long a statement waits for another process's lock.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(10);
/// How long a caller waits for a connection. Shorter than a request may take, so that the client learns why it failed.
const CONNECTION_WAIT: Duration = Duration::from_secs(15);
/// After so many of its instructions, a statement looks whether anybody waits for it: some hundred microseconds.
const LOOK_EVERY: i32 = 10_000;
/// How long a start waits for another process that is preparing the same file.
const START_WAIT: Duration = Duration::from_secs(60);
/// Large pages that wait for the writer of a file at a time.
const LARGE_PAGES: usize = 1;
/// How often a waiting start looks whether the other one has finished.
const START_POLL: Duration = Duration::from_millis(20);

impl Store {
    /// A store over these connections, whose writer so many large pages wait for at a time.
    pub(super) fn over(pool: Pool, writer: Pool, large_pages: usize) -> Self {
        Self {
            pool,
            writer,
            removed: Arc::default(),
            is_logged: Arc::default(),
            bulk: Arc::new(Semaphore::new(large_pages)),
            outgrown: Arc::default(),
            is_looked_at: Arc::default(),
            is_live: Arc::default(),
        }
    }

    /// Opens the database file, creates it if it does not exist, and migrates it to this version's form.
    /// Fails if the file cannot be opened, is another program's, or was written by a newer version. In the last two
    /// cases nothing is changed.
    pub(crate) async fn open(path: &Path) -> Result<Self, StoreError> {
        identity::identify(path).await?;
        private(path).map_err(sqlx::Error::Io)?;
        // SQLite has no lock that spans several migrations: two first starts at once would both create the tables.
        let lock = start_lock(path).await?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .page_size(PAGE_BYTES)
            .busy_timeout(LOCK_WAIT)
            .journal_mode(SqliteJournalMode::Wal)
            // What was answered with 202 survives a power cut as well.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .disable_statement_logging();
        migrate(&options).await?;
        let writing = options
            .clone()
            .pragma("cache_size", format!("-{WRITE_CACHE_KIB}"))
            .pragma("wal_autocheckpoint", CHECKPOINT_PAGES.to_string())
            // What is deleted is overwritten.
            .pragma("secure_delete", "ON");
        let given_up = GivenUp::default();
        let writer = writer_of(&given_up).connect_with(writing).await?;
        // A write that went round the writer would wait for the lock by sleeping, and would empty the writer's cache.
        let readers = {
            let (file, flags) = (path.to_owned(), OpenFlags::SQLITE_OPEN_READ_WRITE);
            Readers::open(ReadOptions { file, flags, lock_wait: LOCK_WAIT }, READERS, CONNECTION_WAIT)?
        };
        drop(lock);
        Ok(Self::over(Pool::Readers(readers), Pool::Sqlite(writer, given_up), LARGE_PAGES))
    }

    /// Opens a store that a service of this version has been started on, and creates none.
    /// Fails as [`Store::open`], and [`StoreError::Outdated`] if there is something to migrate.
    pub(crate) async fn open_existing(path: &Path) -> Result<Self, StoreError> {
        match identity::identify(path).await?.pending {
            0 => Self::open(path).await,
            _ => Err(StoreError::Outdated),
        }
    }

    /// Opens the database file to read it; what would write fails. Neither the file nor anything beside it is changed.
    /// Fails as [`Store::open`], and [`StoreError::Outdated`] if there is something to migrate.
    pub(crate) async fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        if identity::identify(path).await?.pending > 0 {
            return Err(StoreError::Outdated);
        }
        let pool = Pool::Readers(Readers::open(read_only(path)?, 1, CONNECTION_WAIT)?);
        Ok(Self::over(pool.clone(), pool, LARGE_PAGES))
    }
}

/// Runs the migrations on a connection of their own, so that nothing of a migration that failed is left on one in use.
async fn migrate(options: &SqliteConnectOptions) -> Result<(), StoreError> {
    let mut connection = options.connect().await?;
    let done = MIGRATIONS.run(&mut connection).await;
    // Before this start had the lock, a newer version may have changed the store further.
    let identity = identity::examine(&mut connection).await;
    connection.close().await?;
    done?;
    identity?;
    Ok(())
}

/// The pool of the connection that writes. Its statement ends if the one who waited for its transaction is gone.
fn writer_of(given_up: &GivenUp) -> SqlitePoolOptions {
    let (asked, cleared) = (given_up.clone(), given_up.clone());
    SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(CONNECTION_WAIT)
        // A connection to a file neither breaks while it is idle nor ages. Another one would begin with an empty cache, in memory beside
        // that of the first.
        .test_before_acquire(false)
        .max_lifetime(None)
        .after_connect(move |connection, _| {
            let given_up = asked.clone();
            Box::pin(async move {
                connection.lock_handle().await?.set_progress_handler(LOOK_EVERY, move || !given_up.is_set());
                Ok(())
            })
        })
        .after_release(move |connection, _| {
            let given_up = cleared.clone();
            Box::pin(async move {
                let is_reusable = is_reusable(connection).await;
                given_up.clear();
                is_reusable
            })
        })
}

/// Whether a connection may be used again. After some errors (a full disk, an I/O error, no memory, a statement that was given up)
/// SQLite ends the transaction by itself. The roll-back that follows then fails, sqlx still counts the transaction, and every later one
/// on this connection would fail. Such a connection is closed, and the pool opens another.
async fn is_reusable(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // The roll-back of a dropped transaction is only queued: the answer to this comes after it.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Takes the lock that a start holds while it prepares the file. It lies on a file of its own beside the database,
/// because a lock on the database itself would be in SQLite's way. The file stays: removing it would let two starts hold
/// locks on two files of that name.
async fn start_lock(path: &Path) -> Result<File, StoreError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let name = PathBuf::from(name);
    private(&name).map_err(sqlx::Error::Io)?;
    let file = File::options().write(true).open(&name).map_err(sqlx::Error::Io)?;
    let waited = async {
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(()),
                Err(std::fs::TryLockError::WouldBlock) => tokio::time::sleep(START_POLL).await,
                // Some network file systems know no such locks. SQLite's own still keep the data whole.
                Err(std::fs::TryLockError::Error(error)) if error.kind() == std::io::ErrorKind::Unsupported => {
                    return Ok(());
                }
                Err(std::fs::TryLockError::Error(error)) => return Err(sqlx::Error::Io(error).into()),
            }
        }
    };
    tokio::time::timeout(START_WAIT, waited).await.unwrap_or(Err(StoreError::Starting))?;
    Ok(file)
}

/// Creates the file so that only its owner can read it, if it does not exist. SQLite gives the files beside it the same
/// permissions.
fn private(path: &Path) -> std::io::Result<()> {
    let mut options = File::options();
    options.create_new(true).write(true);
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
