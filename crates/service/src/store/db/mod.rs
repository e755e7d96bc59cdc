//! The database under the store: its connections, its transactions, and queries that run on either kind.
//!
//! A query has one text, with `$1`, `$2` and so on for its arguments, or one for each database where they must differ. It
//! collects the arguments before it knows what it runs on.

mod answer;
mod argument;
mod builder;
mod query;
mod rows;
mod statement;

use std::sync::LazyLock;

use sqlx::postgres::PgConnection;
use sqlx::sqlite::SqliteConnection;
use sqlx::{AssertSqlSafe, PgPool, Postgres, Sqlite, SqlitePool, Transaction};

use self::answer::in_time;
pub(crate) use self::answer::{answers, is_free};
pub(crate) use self::argument::Argument;
pub(crate) use self::builder::Builder;
pub(crate) use self::query::{Query, Row, query, query_as, query_scalar};
pub(crate) use self::rows::insert_rows;
pub(crate) use self::statement::{Dialect, Sql};
use super::migrations::{POSTGRES, newest};

/// How a transaction begins that may write: with one message, so that it costs no time on the way.
static BEGIN_WRITE: LazyLock<String> =
    LazyLock::new(|| format!("BEGIN ISOLATION LEVEL READ COMMITTED; SELECT admit_node({})", newest(&POSTGRES)));

/// Connections to the database.
#[derive(Debug, Clone)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// A transaction. Dropped without a commit, it is rolled back.
pub(crate) enum Tx {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

/// What a statement runs on: any connection of a pool, or the connection of a transaction.
pub(crate) enum On<'a> {
    SqlitePool(&'a SqlitePool),
    Sqlite(&'a mut SqliteConnection),
    PostgresPool(&'a PgPool),
    Postgres(&'a mut PgConnection),
}

impl Pool {
    /// A transaction that reads: all its queries see the same state.
    pub(crate) async fn begin(&self) -> Result<Tx, sqlx::Error> {
        match self {
            Self::Sqlite(pool) => pool.begin().await.map(Tx::Sqlite),
            Self::Postgres(pool) => {
                let begin = pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
                in_time(begin).await.map(Tx::Postgres)
            }
        }
    }

    /// A transaction that may write. In PostgreSQL each of its statements sees what others have committed before it, and none
    /// can write after a newer node has changed the store such that this one must not use it.
    pub(crate) async fn begin_write(&self) -> Result<Tx, sqlx::Error> {
        match self {
            Self::Sqlite(pool) => pool.begin_with("BEGIN IMMEDIATE").await.map(Tx::Sqlite),
            Self::Postgres(pool) => {
                in_time(pool.begin_with(AssertSqlSafe(BEGIN_WRITE.as_str()))).await.map(Tx::Postgres)
            }
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) => pool.close().await,
        }
    }

    pub(crate) const fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// SQLite's own connections, for tests of what is SQLite's.
    #[cfg(test)]
    pub(crate) fn sqlite(&self) -> &SqlitePool {
        match self {
            Self::Sqlite(pool) => pool,
            Self::Postgres(_) => panic!("a test of SQLite runs on PostgreSQL"),
        }
    }

    /// How many connections there are, and how many of them are idle.
    pub(crate) fn level(&self) -> (u32, usize) {
        match self {
            Self::Sqlite(pool) => (pool.size(), pool.num_idle()),
            Self::Postgres(pool) => (pool.size(), pool.num_idle()),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Sqlite(pool) => pool.is_closed(),
            Self::Postgres(pool) => pool.is_closed(),
        }
    }
}

impl Tx {
    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(tx) => tx.commit().await,
            Self::Postgres(tx) => in_time(tx.commit()).await,
        }
    }

    pub(crate) const fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }
}

impl On<'_> {
    /// The same for one more statement.
    pub(crate) fn again(&mut self) -> On<'_> {
        match self {
            Self::SqlitePool(pool) => On::SqlitePool(pool),
            Self::Sqlite(connection) => On::Sqlite(connection),
            Self::PostgresPool(pool) => On::PostgresPool(pool),
            Self::Postgres(connection) => On::Postgres(connection),
        }
    }
}

impl<'a> From<&'a Pool> for On<'a> {
    fn from(pool: &'a Pool) -> Self {
        match pool {
            Pool::Sqlite(pool) => Self::SqlitePool(pool),
            Pool::Postgres(pool) => Self::PostgresPool(pool),
        }
    }
}

impl<'a> From<&'a mut Tx> for On<'a> {
    fn from(tx: &'a mut Tx) -> Self {
        match tx {
            Tx::Sqlite(tx) => Self::Sqlite(tx),
            Tx::Postgres(tx) => Self::Postgres(tx),
        }
    }
}
