//! Connections that only read an SQLite file.
//!
//! A statement runs on the thread that asks: a few rows are read sooner than another thread wakes up. If it takes longer, it begins
//! again, after the other tasks of the thread have moved to another one.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, Rows, Statement};
use sqlx::Error;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::argument::Argument;
use super::file_error::file_error;

/// After so many of its instructions a statement looks whether it may go on: some ten microseconds.
const LOOK_EVERY: i32 = 1_000;
/// How often it may go on while other tasks of its thread wait: a page of 1,000 items takes 15 times.
const LOOKS: u32 = 100;
/// How long it may take then, if its disk is slow. On a busy machine, a thread that is not running takes some milliseconds, too.
const IN_PLACE: Duration = Duration::from_millis(20);
/// More than there are statements that read.
const STATEMENTS: usize = 256;

/// How a file is opened.
#[derive(Debug, Clone)]
pub(crate) struct ReadOptions {
    /// Its path, or its URI if the flags say so.
    pub(crate) file: PathBuf,
    pub(crate) flags: OpenFlags,
    /// How long a statement waits for another process's lock.
    pub(crate) lock_wait: Duration,
}

#[derive(Debug)]
pub(crate) struct Readers {
    options: ReadOptions,
    /// How long a caller waits for a connection.
    wait: Duration,
    most: u32,
    /// One for each connection that may be lent.
    places: Arc<Semaphore>,
    /// The last one that came back is lent first: its caches are warm.
    idle: Mutex<Vec<Open>>,
}

#[derive(Debug)]
struct Open {
    sqlite: Connection,
    limit: Arc<Mutex<Option<Limit>>>,
}

/// When a statement ends without a result.
#[derive(Debug)]
struct Limit {
    looks: u32,
    deadline: Instant,
}

/// A connection that is lent.
pub(crate) struct Reader(Option<Lent>);

struct Lent {
    open: Open,
    has_failed: bool,
    readers: Arc<Readers>,
    /// Given back after the connection.
    place: OwnedSemaphorePermit,
}

impl Readers {
    /// So many connections at most. One is opened.
    pub(crate) fn open(options: ReadOptions, most: u32, wait: Duration) -> Result<Arc<Self>, Error> {
        let idle = Mutex::new(vec![Open::new(&options).map_err(file_error)?]);
        let places = Arc::new(Semaphore::new(usize::try_from(most).unwrap_or(usize::MAX)));
        Ok(Arc::new(Self { options, wait, most, places, idle }))
    }

    pub(super) async fn reader(self: &Arc<Self>) -> Result<Reader, Error> {
        let place = match Arc::clone(&self.places).try_acquire_owned() {
            Ok(place) => place,
            Err(_) => {
                let place = tokio::time::timeout(self.wait, Arc::clone(&self.places).acquire_owned()).await;
                place.map_err(|_| Error::PoolTimedOut)?.map_err(|_| Error::PoolClosed)?
            }
        };
        let idle = self.idle().pop();
        let open = match idle {
            Some(open) => open,
            None => Open::new(&self.options).map_err(file_error)?,
        };
        Ok(Reader(Some(Lent { open, has_failed: false, readers: Arc::clone(self), place })))
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
        self.idle().clear();
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Open>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn new(options: &ReadOptions) -> rusqlite::Result<Self> {
        let sqlite = Connection::open_with_flags(&options.file, options.flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        sqlite.busy_timeout(options.lock_wait)?;
        sqlite.pragma_update(None, "query_only", true)?;
        sqlite.set_prepared_statement_cache_capacity(STATEMENTS);
        let limit = Arc::new(Mutex::new(None::<Limit>));
        let of_statement = Arc::clone(&limit);
        let is_over = move || {
            let mut limit = of_statement.lock().unwrap_or_else(PoisonError::into_inner);
            limit.as_mut().is_some_and(|limit| {
                limit.looks = limit.looks.saturating_sub(1);
                limit.looks == 0 || Instant::now() >= limit.deadline
            })
        };
        sqlite.progress_handler(LOOK_EVERY, Some(is_over))?;
        Ok(Self { sqlite, limit })
    }

    fn set_limit(&self, limit: Option<Limit>) {
        *self.limit.lock().unwrap_or_else(PoisonError::into_inner) = limit;
    }

    /// Runs a statement, and gives its rows to `take`.
    fn run<T>(
        &self,
        sql: &str,
        arguments: &[Argument],
        take: &mut impl FnMut(&mut Rows<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut statement = self.sqlite.prepare_cached(sql)?;
        bind(&mut statement, arguments)?;
        take(&mut statement.raw_query())
    }
}

/// Binds each parameter `$N` to the argument of its number, and those without a number in their order.
fn bind(statement: &mut Statement<'_>, arguments: &[Argument]) -> rusqlite::Result<()> {
    let mut unnumbered = 0;
    for parameter in 1..=statement.parameter_count() {
        let number = match statement.parameter_name(parameter) {
            Some(name) => name.get(1..).and_then(|number| number.parse().ok()),
            None => {
                unnumbered += 1;
                Some(unnumbered)
            }
        };
        let argument = number.and_then(|number: usize| arguments.get(number.checked_sub(1)?));
        let argument = argument.ok_or(rusqlite::Error::InvalidParameterCount(parameter, arguments.len()))?;
        statement.raw_bind_parameter(parameter, argument)?;
    }
    Ok(())
}

/// Runs what takes long, while other tasks run on another thread.
fn away<T>(run: impl FnOnce() -> T) -> T {
    if Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread {
        tokio::task::block_in_place(run)
    } else {
        run()
    }
}

fn is_interrupted<T>(answer: &rusqlite::Result<T>) -> bool {
    answer.as_ref().is_err_and(|error| error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted))
}

impl Reader {
    /// Begins a transaction, which ends when the reader is dropped.
    pub(super) async fn begin(&mut self) -> Result<(), Error> {
        self.read("BEGIN", &[], |rows| rows.next().map(drop)).await
    }

    /// Runs a statement, and gives its rows to `take`: again from the first one, if it takes long.
    pub(super) async fn read<T>(
        &mut self,
        sql: &str,
        arguments: &[Argument],
        mut take: impl FnMut(&mut Rows<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        // A task that only reads lets others run from time to time.
        tokio::task::coop::consume_budget().await;
        self.run(|open| {
            open.set_limit(Some(Limit { looks: LOOKS, deadline: Instant::now() + IN_PLACE }));
            let answer = open.run(sql, arguments, &mut take);
            if !is_interrupted(&answer) {
                return answer;
            }
            open.set_limit(None);
            away(|| open.run(sql, arguments, &mut take))
        })
    }

    /// Runs a statement of many rows, and gives each to `take` once.
    pub(super) fn stream<T>(
        &mut self,
        sql: &str,
        arguments: &[Argument],
        mut take: impl FnMut(&mut Rows<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        self.run(|open| {
            open.set_limit(None);
            away(|| open.run(sql, arguments, &mut take))
        })
    }

    fn run<T>(&mut self, run: impl FnOnce(&Open) -> rusqlite::Result<T>) -> Result<T, Error> {
        let lent = self.0.as_mut().ok_or(Error::WorkerCrashed)?;
        // A panic leaves it so.
        lent.has_failed = true;
        let answer = run(&lent.open);
        lent.has_failed = answer.is_err();
        answer.map_err(file_error)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let Some(Lent { open, has_failed, readers, place }) = self.0.take() else { return };
        // Everything that was read later on a connection that is still in a transaction would be old.
        open.set_limit(None);
        let end = || open.run("ROLLBACK", &[], &mut |rows| rows.next().map(drop));
        let is_free = || open.sqlite.is_autocommit() || end().is_ok();
        if !has_failed && is_free() {
            readers.idle().push(open);
        }
        drop(place);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use sqlx::ConnectOptions as _;
    use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode};
    use tempfile::TempDir;

    use super::*;
    use crate::store::db::{Pool, Tx, query, query_scalar};

    const LONG: &str =
        "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 2000000) SELECT MAX(x) FROM c";

    /// A file of a table with a row, one connection that reads it, and one that writes.
    async fn one() -> (TempDir, Arc<Readers>, SqliteConnection) {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("s");
        let options =
            SqliteConnectOptions::new().filename(&file).create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
        let mut writer = options.connect().await.unwrap();
        sqlx::raw_sql("CREATE TABLE t (n); INSERT INTO t VALUES (1)").execute(&mut writer).await.unwrap();
        let options =
            ReadOptions { file, flags: OpenFlags::SQLITE_OPEN_READ_WRITE, lock_wait: Duration::from_secs(60) };
        let readers = Readers::open(options, 1, Duration::from_secs(60)).unwrap();
        (folder, readers, writer)
    }

    async fn rows(tx: &mut Tx) -> i64 {
        query_scalar("SELECT COUNT(*) FROM t").fetch_one(tx).await.unwrap()
    }

    #[tokio::test]
    async fn a_transaction_that_was_dropped_leaves_no_old_snapshot_behind() {
        let (_folder, readers, mut writer) = one().await;
        let pool = Pool::Readers(readers);
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

    /// Without the second thread, the statement would wait forever for the task that it keeps waiting.
    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_statement_that_takes_long_lets_other_tasks_of_its_thread_run() {
        let (_folder, readers, _writer) = one().await;
        let reading = tokio::spawn(async move {
            let (ran, runs) = mpsc::channel();
            let (mut begun, mut other) = (0, Some(ran));
            let mut reader = readers.reader().await.unwrap();
            let read = reader.read(LONG, &[], move |rows| {
                begun += 1;
                match other.take() {
                    Some(ran) => drop(tokio::spawn(async move { ran.send(()) })),
                    None => runs.recv().unwrap(),
                }
                Ok((begun, rows.next()?.unwrap().get::<_, i64>(0)?))
            });
            read.await.unwrap()
        });
        assert_eq!(reading.await.unwrap(), (2, 2_000_000));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_statement_of_many_rows_gives_each_once() {
        let (_folder, readers, _writer) = one().await;
        let mut tx = Pool::Readers(readers).begin().await.unwrap();
        let numbers =
            "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000) SELECT x FROM c";
        let mut next = 1;
        let counted = query_scalar::<i64>(numbers).for_each(
            &mut tx,
            |error| error,
            |number| {
                assert_eq!(number, next);
                next += 1;
                Ok(())
            },
        );
        counted.await.unwrap();
        assert_eq!(next, 100_001);
    }

    #[tokio::test]
    async fn a_place_is_waited_for() {
        let (_folder, readers, _writer) = one().await;
        let lent = readers.reader().await.unwrap();
        let waiting = tokio::spawn({
            let pool = Pool::Readers(Arc::clone(&readers));
            async move { query_scalar::<i64>("SELECT 7").fetch_one(&pool).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        assert_eq!(readers.level(), (1, 0));
        drop(lent);
        assert_eq!(waiting.await.unwrap().unwrap(), 7);
        assert_eq!(readers.level(), (1, 1));
    }

    #[tokio::test]
    async fn arguments_are_bound_by_their_number_or_in_their_order() {
        let (_folder, readers, _writer) = one().await;
        let pool = Pool::Readers(readers);
        let numbered = query_scalar::<String>("SELECT $2 || $1 || $2").bind("a").bind("b\0");
        assert_eq!(numbered.fetch_one(&pool).await.unwrap(), "b\u{FFFD}ab\u{FFFD}");
        let in_order = query_scalar::<Option<i64>>("SELECT ? - ?").bind(7_i64).bind(true);
        assert_eq!(in_order.fetch_one(&pool).await.unwrap(), Some(6));
        assert_eq!(query_scalar::<Vec<u8>>("SELECT $1").bind(vec![0_u8]).fetch_one(&pool).await.unwrap(), [0]);
        query_scalar::<i64>("SELECT $2").bind(1_i64).fetch_one(&pool).await.unwrap_err();
        assert!(matches!(query_scalar::<i64>("SELECT 1 WHERE 0").fetch_one(&pool).await, Err(Error::RowNotFound)));
    }

    #[tokio::test]
    async fn a_connection_that_failed_is_not_lent_again() {
        let (_folder, readers, _writer) = one().await;
        let pool = Pool::Readers(readers);
        query("SELECT n FROM missing").execute(&pool).await.unwrap_err();
        assert_eq!(pool.level(), (0, 0));
        let mut tx = pool.begin().await.unwrap();
        query("SELECT n FROM missing").execute(&mut tx).await.unwrap_err();
        drop(tx);
        assert_eq!(rows(&mut pool.begin().await.unwrap()).await, 1);
        assert_eq!(pool.level(), (1, 1));
        let error = query("INSERT INTO t VALUES (2)").execute(&pool).await.unwrap_err();
        assert_eq!(error.as_database_error().and_then(|error| error.code()).as_deref(), Some("8"), "SQLITE_READONLY");
    }

    #[tokio::test]
    async fn closing_waits_for_those_who_read() {
        let (_folder, readers, _writer) = one().await;
        let pool = Pool::Readers(readers);
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
