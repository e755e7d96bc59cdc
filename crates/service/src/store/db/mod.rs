//! The database under the store: its connections, its transactions, and queries that run on either.
//!
//! A query has one text, with `$1`, `$2` and so on for its arguments, and collects the arguments before it knows what it runs
//! on.

mod argument;
mod builder;
mod query;
mod rows;

use sqlx::sqlite::SqliteConnection;
use sqlx::{Sqlite, SqlitePool, Transaction};

pub(crate) use self::argument::Argument;
pub(crate) use self::builder::Builder;
pub(crate) use self::query::{Query, Row, query, query_as, query_scalar};
pub(crate) use self::rows::insert_rows;

/// Connections to the database.
#[derive(Debug, Clone)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
}

/// A transaction. Dropped without a commit, it is rolled back.
pub(crate) enum Tx {
    Sqlite(Transaction<'static, Sqlite>),
}

/// What a statement runs on: any connection of a pool, or the connection of a transaction.
pub(crate) enum On<'a> {
    SqlitePool(&'a SqlitePool),
    Sqlite(&'a mut SqliteConnection),
}

impl Pool {
    /// A transaction that reads: all its queries see the same state.
    pub(crate) async fn begin(&self) -> Result<Tx, sqlx::Error> {
        match self {
            Self::Sqlite(pool) => pool.begin().await.map(Tx::Sqlite),
        }
    }

    /// A transaction that may write.
    pub(crate) async fn begin_write(&self) -> Result<Tx, sqlx::Error> {
        match self {
            Self::Sqlite(pool) => pool.begin_with("BEGIN IMMEDIATE").await.map(Tx::Sqlite),
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
        }
    }

    /// SQLite's own connections, for tests of what is SQLite's.
    #[cfg(test)]
    pub(crate) fn sqlite(&self) -> &SqlitePool {
        match self {
            Self::Sqlite(pool) => pool,
        }
    }

    /// How many connections there are, and how many of them are idle.
    pub(crate) fn level(&self) -> (u32, usize) {
        match self {
            Self::Sqlite(pool) => (pool.size(), pool.num_idle()),
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Sqlite(pool) => pool.is_closed(),
        }
    }
}

impl Tx {
    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(tx) => tx.commit().await,
        }
    }
}

impl On<'_> {
    /// The same for one more statement.
    pub(crate) fn again(&mut self) -> On<'_> {
        match self {
            Self::SqlitePool(pool) => On::SqlitePool(pool),
            Self::Sqlite(connection) => On::Sqlite(connection),
        }
    }
}

impl<'a> From<&'a Pool> for On<'a> {
    fn from(pool: &'a Pool) -> Self {
        match pool {
            Pool::Sqlite(pool) => Self::SqlitePool(pool),
        }
    }
}

impl<'a> From<&'a mut Tx> for On<'a> {
    fn from(tx: &'a mut Tx) -> Self {
        match tx {
            Tx::Sqlite(tx) => Self::Sqlite(tx),
        }
    }
}
