//! The database under the store: its connections, its transactions, and queries that run on either kind.
//!
//! A query has one text, with `$1`, `$2` and so on for its arguments, or one for each database where they must differ. It
//! collects the arguments before it knows what it runs on.

mod answer;
mod argument;
mod builder;
pub(in crate::store) mod dialect;
mod file_error;
pub(in crate::store) mod json;
mod outage;
mod query;
mod readers;
pub(in crate::store) mod row;
mod rows;
mod statement;
mod values;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, Postgres, Sqlite, SqlitePool, Transaction};

use self::answer::in_time;
pub(crate) use self::answer::{answers, is_free};
pub(crate) use self::argument::Argument;
pub(crate) use self::builder::Builder;
pub(crate) use self::outage::{Outage, Server};
pub(crate) use self::query::{Joined, Query, Row, query, query_as, query_scalar};
pub(crate) use self::readers::{ReadOptions, Reader, Readers};
pub(crate) use self::rows::insert_rows;
pub(crate) use self::statement::{ByEnvironment, Dialect, Sql};
pub(crate) use self::values::Values;
use crate::store::schema::migrations::{POSTGRES, newest};

/// How a transaction begins that may write: with one message, so that it costs no time on the way.
static BEGIN_WRITE: LazyLock<String> =
    LazyLock::new(|| format!("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT admit_node({})", newest(&POSTGRES)));

/// Connections to the database.
#[derive(Debug, Clone)]
pub(crate) enum Pool {
    Sqlite(SqlitePool, GivenUp),
    Readers(Arc<Readers>),
    Postgres(Server),
}

/// Whether the one who waited for a transaction of an SQLite pool is gone. The statement that runs there ends then: nobody else could
/// write until it is done.
#[derive(Debug, Clone, Default)]
pub(crate) struct GivenUp(Arc<AtomicBool>);

impl GivenUp {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// For the next transaction.
    pub(crate) fn clear(&self) {
        self.0.store(false, Ordering::Release);
    }
}

/// Gives a transaction up when it is dropped, unless it is done.
pub(crate) struct Waiting(Option<GivenUp>);

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(given_up) = &self.0 {
            given_up.0.store(true, Ordering::Release);
        }
    }
}

/// A transaction. Dropped without a commit, it is rolled back.
pub(crate) enum Tx {
    Sqlite(Transaction<'static, Sqlite>, Waiting),
    Reading(Reader),
    Postgres(Transaction<'static, Postgres>),
}

/// What a statement runs on: any connection of a pool, or the connection of a transaction.
pub(crate) enum On<'a> {
    SqlitePool(&'a SqlitePool),
    Sqlite(&'a mut SqliteConnection),
    Readers(&'a Arc<Readers>),
    Reader(&'a mut Reader),
    PostgresPool(&'a Server),
    Postgres(&'a mut PgConnection),
}

impl Pool {
    /// A transaction that reads: all its queries see the same state.
    pub(crate) async fn begin(&self) -> Result<Tx, sqlx::Error> {
        match self {
            Self::Sqlite(pool, _) => pool.begin().await.map(|tx| Tx::Sqlite(tx, Waiting(None))),
            Self::Readers(readers) => {
                let mut reader = readers.reader().await?;
                reader.begin().await?;
                Ok(Tx::Reading(reader))
            }
            Self::Postgres(server) => {
                let begin = server.pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
                server.unless_away(begin).await.map(Tx::Postgres)
            }
        }
    }

    /// A transaction that may write. In PostgreSQL each of its statements sees what others have committed before it, and none
    /// can write after a newer node has changed the store such that this one must not use it.
    pub(crate) async fn begin_write(&self) -> Result<Tx, sqlx::Error> {
        match self {
            Self::Sqlite(pool, given_up) => {
                let tx = pool.begin_with("BEGIN IMMEDIATE").await?;
                Ok(Tx::Sqlite(tx, Waiting(Some(given_up.clone()))))
            }
            Self::Readers(_) => self.begin().await,
            Self::Postgres(server) => {
                let begin = server.pool.begin_with(AssertSqlSafe(BEGIN_WRITE.as_str()));
                server.unless_away(begin).await.map(Tx::Postgres)
            }
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool, _) => pool.close().await,
            Self::Readers(readers) => readers.close().await,
            Self::Postgres(server) => server.pool.close().await,
        }
    }

    pub(crate) const fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(..) | Self::Readers(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// SQLite's own connections, for tests of what is SQLite's.
    #[cfg(test)]
    pub(crate) fn sqlite(&self) -> &SqlitePool {
        match self {
            Self::Sqlite(pool, _) => pool,
            Self::Readers(_) | Self::Postgres(_) => panic!("this is no pool of SQLx's for SQLite"),
        }
    }

    /// How many connections there are, and how many of them are idle.
    pub(crate) fn level(&self) -> (u32, usize) {
        match self {
            Self::Sqlite(pool, _) => (pool.size(), pool.num_idle()),
            Self::Readers(readers) => readers.level(),
            Self::Postgres(server) => (server.pool.size(), server.pool.num_idle()),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Sqlite(pool, _) => pool.is_closed(),
            Self::Readers(readers) => readers.is_closed(),
            Self::Postgres(server) => server.pool.is_closed(),
        }
    }
}

impl Tx {
    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(tx, mut waiting) => {
                waiting.0 = None;
                tx.commit().await
            }
            // Nothing was written: nobody waits for the snapshot to be let go of.
            Self::Reading(_) => Ok(()),
            Self::Postgres(tx) => in_time(tx.commit()).await,
        }
    }

    pub(crate) const fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(..) | Self::Reading(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }
}

impl On<'_> {
    /// Lends it for one more statement.
    pub(crate) fn again(&mut self) -> On<'_> {
        match self {
            Self::SqlitePool(pool) => On::SqlitePool(pool),
            Self::Sqlite(connection) => On::Sqlite(connection),
            Self::Readers(readers) => On::Readers(readers),
            Self::Reader(reader) => On::Reader(reader),
            Self::PostgresPool(pool) => On::PostgresPool(pool),
            Self::Postgres(connection) => On::Postgres(connection),
        }
    }
}

impl<'a> From<&'a Pool> for On<'a> {
    fn from(pool: &'a Pool) -> Self {
        match pool {
            Pool::Sqlite(pool, _) => Self::SqlitePool(pool),
            Pool::Readers(readers) => Self::Readers(readers),
            Pool::Postgres(pool) => Self::PostgresPool(pool),
        }
    }
}

impl<'a> From<&'a mut Tx> for On<'a> {
    fn from(tx: &'a mut Tx) -> Self {
        match tx {
            Tx::Sqlite(tx, _) => Self::Sqlite(tx),
            Tx::Reading(reader) => Self::Reader(reader),
            Tx::Postgres(tx) => Self::Postgres(tx),
        }
    }
}
