//! Connections that only read an SQLite file.
//!
//! A pool of SQLx's asks each connection that comes back whether it still answers, in a task of its own: more hops between threads
//! than the statement took. A connection to a file does not break while it is idle, so these are handed on as they are.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteTransactionManager};
use sqlx::{ConnectOptions as _, Connection as _, Error};
use sqlx_core::transaction::TransactionManager as _;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

#[derive(Debug)]
pub(crate) struct Readers {
    options: SqliteConnectOptions,
    /// How long a caller waits for a connection.
    wait: Duration,
    most: u32,
    /// One for each connection that may be lent.
    places: Arc<Semaphore>,
    /// The last one that came back is lent first: its caches are warm, and its thread may still be awake.
    idle: Mutex<Vec<SqliteConnection>>,
}

/// A connection that is lent.
pub(crate) struct Reader(Option<Lent>);

struct Lent {
    connection: SqliteConnection,
    state: State,
    readers: Arc<Readers>,
    place: OwnedSemaphorePermit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Answered,
    /// Something was asked. A reader that is dropped now waits no longer for the answer.
    Asked,
    Failed,
}

impl Readers {
    /// So many connections at most. One is opened.
    pub(crate) async fn open(options: SqliteConnectOptions, most: u32, wait: Duration) -> Result<Arc<Self>, Error> {
        let idle = Mutex::new(vec![options.connect().await?]);
        let places = Arc::new(Semaphore::new(usize::try_from(most).unwrap_or(usize::MAX)));
        Ok(Arc::new(Self { options, wait, most, places, idle }))
    }

    pub(super) async fn reader(self: &Arc<Self>) -> Result<Reader, Error> {
        let place = tokio::time::timeout(self.wait, Arc::clone(&self.places).acquire_owned()).await;
        let place = place.map_err(|_| Error::PoolTimedOut)?.map_err(|_| Error::PoolClosed)?;
        let connection = loop {
            let idle = self.idle().pop();
            let Some(mut connection) = idle else { break self.options.connect().await? };
            if is_free(&mut connection).await {
                break connection;
            }
        };
        Ok(Reader(Some(Lent { connection, state: State::Answered, readers: Arc::clone(self), place })))
    }

    /// How many connections there are, and how many of them are idle.
    pub(super) fn level(&self) -> (u32, usize) {
        let idle = self.idle().len();
        let free = u32::try_from(self.places.available_permits()).unwrap_or(u32::MAX);
        (self.most.saturating_sub(free).saturating_add(u32::try_from(idle).unwrap_or(u32::MAX)), idle)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.places.is_closed()
    }

    /// Waits for those that are lent, and closes all.
    pub(super) async fn close(&self) {
        let all = self.places.acquire_many(self.most).await;
        self.places.close();
        drop(all);
        let idle = std::mem::take(&mut *self.idle());
        for connection in idle {
            if let Err(error) = connection.close().await {
                tracing::debug!(%error, "a connection that reads could not be closed");
            }
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a connection that came back is in no transaction. The roll-back of a dropped one is only queued; if it fails, everything
/// that is read later would be old, and the connection is to be closed.
async fn is_free(connection: &mut SqliteConnection) -> bool {
    let is_in_transaction = |connection: &_| SqliteTransactionManager::get_transaction_depth(connection) > 0;
    !is_in_transaction(connection) || connection.ping().await.is_ok() && !is_in_transaction(connection)
}

impl Reader {
    /// Begins a transaction, which ends when the reader is dropped.
    pub(super) async fn begin(&mut self) -> Result<(), Error> {
        let begun = SqliteTransactionManager::begin(self.ask()?, None).await;
        self.answered(begun)
    }

    /// The connection, to ask something of. [`Reader::answered`] follows.
    pub(super) fn ask(&mut self) -> Result<&mut SqliteConnection, Error> {
        let lent = self.0.as_mut().ok_or(Error::WorkerCrashed)?;
        lent.state = State::Asked;
        Ok(&mut lent.connection)
    }

    pub(super) fn answered<T>(&mut self, answer: Result<T, Error>) -> Result<T, Error> {
        if let Some(lent) = &mut self.0 {
            lent.state = if answer.is_ok() { State::Answered } else { State::Failed };
        }
        answer
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let Some(mut lent) = self.0.take() else { return };
        match lent.state {
            State::Failed => {}
            State::Answered => lent.give_back(),
            // Its statement goes on until it has a row: nobody else is to wait for that, nor may another take its place meanwhile.
            State::Asked => {
                if let Ok(runtime) = Handle::try_current() {
                    runtime.spawn(async move {
                        if lent.connection.ping().await.is_ok() {
                            lent.give_back();
                        }
                    });
                }
            }
        }
    }
}

impl Lent {
    fn give_back(self) {
        let Self { mut connection, readers, place, .. } = self;
        if SqliteTransactionManager::get_transaction_depth(&connection) > 0 {
            SqliteTransactionManager::start_rollback(&mut connection);
        }
        readers.idle().push(connection);
        drop(place);
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::store::db::{Pool, Tx, query, query_scalar};

    /// A file of a table with a row, one connection that reads it, and the file's options.
    async fn one() -> (TempDir, Pool, SqliteConnectOptions) {
        let folder = TempDir::new().unwrap();
        let options = SqliteConnectOptions::new()
            .filename(folder.path().join("s"))
            .create_if_missing(true)
            .journal_mode(sqlx::sqlite::SqliteJournalMode::Wal);
        let mut writer = options.connect().await.unwrap();
        sqlx::raw_sql("CREATE TABLE t (n); INSERT INTO t VALUES (1)").execute(&mut writer).await.unwrap();
        writer.close().await.unwrap();
        let readers = Readers::open(options.clone(), 1, Duration::from_secs(60)).await.unwrap();
        (folder, Pool::Readers(readers), options)
    }

    async fn rows(tx: &mut Tx) -> i64 {
        query_scalar("SELECT COUNT(*) FROM t").fetch_one(tx).await.unwrap()
    }

    #[tokio::test]
    async fn a_transaction_that_was_dropped_leaves_no_old_snapshot_behind() {
        let (_folder, pool, options) = one().await;
        let mut writer = options.connect().await.unwrap();
        for round in 1..50 {
            let mut tx = pool.begin().await.unwrap();
            assert_eq!(rows(&mut tx).await, round);
            sqlx::raw_sql("INSERT INTO t VALUES (2)").execute(&mut writer).await.unwrap();
            assert_eq!(rows(&mut tx).await, round);
        }
        assert_eq!(pool.level(), (1, 1));
        // An idle connection that still reads would keep the log from being emptied.
        let emptied = sqlx::query_as("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut writer).await;
        let (busy, _, _): (i64, i64, i64) = emptied.unwrap();
        assert_eq!(busy, 0);
    }

    #[tokio::test]
    async fn a_statement_that_nobody_waits_for_any_more_keeps_its_place_until_it_is_done() {
        let (_folder, pool, _options) = one().await;
        let long =
            "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2000000) SELECT MAX(x) FROM c";
        let asked = async { query_scalar::<i64>(long).fetch_one(&pool).await.unwrap() };
        tokio::time::timeout(Duration::from_millis(5), asked).await.unwrap_err();
        assert_eq!(pool.level(), (1, 0), "it still runs");
        assert_eq!(query_scalar::<i64>("SELECT 7").fetch_one(&pool).await.unwrap(), 7);
        assert_eq!(pool.level(), (1, 1));
    }

    #[tokio::test]
    async fn a_connection_that_failed_is_not_lent_again() {
        let (_folder, pool, _options) = one().await;
        query("SELECT n FROM missing").execute(&pool).await.unwrap_err();
        assert_eq!(pool.level(), (0, 0));
        let mut tx = pool.begin().await.unwrap();
        query("SELECT n FROM missing").execute(&mut tx).await.unwrap_err();
        drop(tx);
        assert_eq!(rows(&mut pool.begin().await.unwrap()).await, 1);
        assert_eq!(pool.level(), (1, 1));
    }

    #[tokio::test]
    async fn closing_waits_for_those_who_read() {
        let (_folder, pool, _options) = one().await;
        let mut tx = pool.begin().await.unwrap();
        let closing = tokio::spawn({
            let pool = pool.clone();
            async move { pool.close().await }
        });
        tokio::task::yield_now().await;
        assert_eq!(rows(&mut tx).await, 1);
        assert!(!closing.is_finished());
        drop(tx);
        closing.await.unwrap();
        assert_eq!(pool.level(), (0, 0));
        assert!(matches!(query("SELECT 1").execute(&pool).await, Err(Error::PoolClosed)));
    }
}
