//! A query that runs on any database.

use std::marker::PhantomData;

use bytes::Bytes;
use futures::TryStreamExt as _;
use futures::stream::BoxStream;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row as _, SqlSafeStr, SqlStr, Sqlite};

use super::On;
use super::argument::{Argument, encoded};

/// A type that rows of every database are read as.
pub(crate) trait Row: for<'r> FromRow<'r, SqliteRow> + Send + Unpin + 'static {}

impl<R: for<'r> FromRow<'r, SqliteRow> + Send + Unpin + 'static> Row for R {}

/// What a query makes of a row.
pub(crate) trait Read {
    type Row: Row;
    type Out;

    fn out(row: Self::Row) -> Self::Out;
}

/// The whole row.
pub(crate) struct Whole<R>(PhantomData<R>);

/// Its first column.
pub(crate) struct First<T>(PhantomData<T>);

impl<R: Row> Read for Whole<R> {
    type Row = R;
    type Out = R;

    fn out(row: R) -> R {
        row
    }
}

impl<T> Read for First<T>
where
    (T,): Row,
{
    type Row = (T,);
    type Out = T;

    fn out(row: (T,)) -> T {
        row.0
    }
}

/// A statement with its arguments; `R` is what its rows are read as.
pub(crate) struct Query<R = ()> {
    sql: SqlStr,
    arguments: Vec<Argument>,
    read: PhantomData<fn() -> R>,
}

/// A statement whose rows, if it has any, are not read.
pub(crate) fn query(sql: impl SqlSafeStr) -> Query {
    Query::new(sql.into_sql_str(), Vec::new())
}

/// A query whose rows are read as a whole.
pub(crate) fn query_as<R: Row>(sql: impl SqlSafeStr) -> Query<Whole<R>> {
    Query::new(sql.into_sql_str(), Vec::new())
}

/// A query of whose rows the first column is read.
pub(crate) fn query_scalar<T>(sql: impl SqlSafeStr) -> Query<First<T>> {
    Query::new(sql.into_sql_str(), Vec::new())
}

/// Runs a method of sqlx's queries on whatever there is.
macro_rules! run {
    ($on:expr, $method:ident, $query:expr) => {
        match $on.into() {
            On::SqlitePool(pool) => $query.$method(pool).await,
            On::Sqlite(connection) => $query.$method(connection).await,
        }
    };
}

impl<R> Query<R> {
    pub(super) const fn new(sql: SqlStr, arguments: Vec<Argument>) -> Self {
        Self { sql, arguments, read: PhantomData }
    }

    pub(crate) fn bind(mut self, argument: impl Into<Argument>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    #[cfg(test)]
    pub(crate) fn sql(&self) -> &str {
        self.sql.as_str()
    }

    /// Runs the statement. Returns how many rows it changed.
    pub(crate) async fn execute(self, on: impl Into<On<'_>>) -> Result<u64, sqlx::Error> {
        let done = run!(on, execute, sqlx::query_with(self.sql, encoded::<Sqlite>(self.arguments)?))?;
        Ok(done.rows_affected())
    }

    /// Whether there is a row.
    pub(crate) async fn exists(self, on: impl Into<On<'_>>) -> Result<bool, sqlx::Error> {
        let row = run!(on, fetch_optional, sqlx::query_with(self.sql, encoded::<Sqlite>(self.arguments)?))?;
        Ok(row.is_some())
    }

    /// The text that the only row is, where the database left it: a page is half a megabyte.
    pub(crate) async fn fetch_text(self, on: impl Into<On<'_>>) -> Result<Bytes, sqlx::Error> {
        let row = run!(on, fetch_one, sqlx::query_with(self.sql, encoded::<Sqlite>(self.arguments)?))?;
        // So that what cannot be read is an error, and not nothing.
        row.try_get_unchecked::<Option<&[u8]>, _>(0)?;
        Ok(Bytes::from_owner(Text(row)))
    }
}

impl<R: Read> Query<R> {
    pub(crate) async fn fetch_all(self, on: impl Into<On<'_>>) -> Result<Vec<R::Out>, sqlx::Error> {
        let rows: Vec<R::Row> = run!(on, fetch_all, sqlx::query_as_with(self.sql, encoded::<Sqlite>(self.arguments)?))?;
        Ok(rows.into_iter().map(R::out).collect())
    }

    /// Gives each row to `take` as soon as it was read. `failed` makes its error of one of the database.
    pub(crate) async fn for_each<E>(
        self,
        on: impl Into<On<'_>>,
        failed: impl Fn(sqlx::Error) -> E,
        mut take: impl FnMut(R::Out) -> Result<(), E>,
    ) -> Result<(), E> {
        let query = sqlx::query_as_with(self.sql, encoded::<Sqlite>(self.arguments).map_err(&failed)?);
        let mut rows: BoxStream<'_, Result<R::Row, sqlx::Error>> = match on.into() {
            On::SqlitePool(pool) => query.fetch(pool),
            On::Sqlite(connection) => query.fetch(connection),
        };
        while let Some(row) = rows.try_next().await.map_err(&failed)? {
            take(R::out(row))?;
        }
        Ok(())
    }

    /// The first row, if there is one.
    pub(crate) async fn fetch_optional(self, on: impl Into<On<'_>>) -> Result<Option<R::Out>, sqlx::Error> {
        let row: Option<R::Row> =
            run!(on, fetch_optional, sqlx::query_as_with(self.sql, encoded::<Sqlite>(self.arguments)?))?;
        Ok(row.map(R::out))
    }

    /// The first row. That there is none is an error.
    pub(crate) async fn fetch_one(self, on: impl Into<On<'_>>) -> Result<R::Out, sqlx::Error> {
        self.fetch_optional(on).await?.ok_or(sqlx::Error::RowNotFound)
    }
}

/// A row of one text.
struct Text(SqliteRow);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        // Nothing, where there are no rows. Anything else was read before.
        self.0.try_get_unchecked(0).unwrap_or_default()
    }
}
