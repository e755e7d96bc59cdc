//! A query that runs on any database.

use std::marker::PhantomData;

use bytes::Bytes;
use futures::TryStreamExt as _;
use futures::stream::BoxStream;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Postgres, Row as _, Sqlite};

use super::answer::in_time;
use super::argument::{Argument, Arguments, encoded};
use super::statement::{Dialect, Statement};
use super::{On, Tx};

/// A type that rows of every database are read as.
pub(crate) trait Row:
    for<'r> FromRow<'r, SqliteRow>
    + for<'r> FromRow<'r, PgRow>
    + for<'r> TryFrom<&'r rusqlite::Row<'r>, Error = rusqlite::Error>
    + Send
    + Unpin
    + 'static
{
}

impl<R> Row for R where
    R: for<'r> FromRow<'r, SqliteRow>
        + for<'r> FromRow<'r, PgRow>
        + for<'r> TryFrom<&'r rusqlite::Row<'r>, Error = rusqlite::Error>
        + Send
        + Unpin
        + 'static
{
}

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
    statement: Statement,
    arguments: Vec<Argument>,
    read: PhantomData<fn() -> R>,
}

/// The texts of all rows.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    pub(crate) text: Bytes,
    /// The other two columns of the last row, of a reader of SQLite alone.
    pub(crate) last: Option<(i64, String)>,
}

/// Room for the texts of a page, made at once if it is no more than this.
const MOST_RESERVED: usize = 1024 * 1024;

/// A statement whose rows, if it has any, are not read.
pub(crate) fn query(statement: impl Into<Statement>) -> Query {
    Query::new(statement.into(), Vec::new())
}

/// A query whose rows are read as a whole.
pub(crate) fn query_as<R: Row>(statement: impl Into<Statement>) -> Query<Whole<R>> {
    Query::new(statement.into(), Vec::new())
}

/// A query of whose rows the first column is read.
pub(crate) fn query_scalar<T>(statement: impl Into<Statement>) -> Query<First<T>> {
    Query::new(statement.into(), Vec::new())
}

/// Makes one of sqlx's queries of a [`Query`] and runs a method of it, or gives the rows of a reader to a function.
macro_rules! run {
    ($on:expr, $query:ident.$make:ident.$method:ident => $out:expr, $take:expr) => {
        match $on.into() {
            On::SqlitePool(pool) => run!(@on pool, Sqlite, $query.$make.$method).await.map($out)?,
            On::Sqlite(connection) => run!(@on connection, Sqlite, $query.$make.$method).await.map($out)?,
            On::Readers(readers) => run!(@read readers.reader().await?, $query, $take)?,
            On::Reader(reader) => run!(@read reader, $query, $take)?,
            On::PostgresPool(server) => {
                server.unless_away(run!(@on &server.pool, Postgres, $query.$make.$method)).await.map($out)?
            },
            On::Postgres(connection) => in_time(run!(@on connection, Postgres, $query.$make.$method)).await.map($out)?,
        }
    };
    (@read $reader:expr, $query:ident, $take:expr) => {
        $reader.read($query.statement.of(Dialect::Sqlite).as_str(), &$query.arguments, $take).await
    };
    (@on $on:expr, $database:ident, $query:ident.$make:ident.$method:ident) => {{
        let arguments = encoded::<$database>($query.arguments)?;
        sqlx::$make($query.statement.of(Dialect::$database), arguments).$method($on)
    }};
}

impl<R> Query<R> {
    pub(super) const fn new(statement: Statement, arguments: Vec<Argument>) -> Self {
        Self { statement, arguments, read: PhantomData }
    }

    pub(crate) fn bind(mut self, argument: impl Into<Argument>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn bind_all(mut self, arguments: impl Arguments) -> Self {
        arguments.add_to(&mut self.arguments);
        self
    }

    /// Its text, as SQLite gets it.
    #[cfg(test)]
    pub(crate) fn sql(&self) -> String {
        self.statement.clone().of(Dialect::Sqlite).as_str().to_owned()
    }

    /// The query of how PostgreSQL would run it.
    #[cfg(test)]
    pub(crate) fn explained(self) -> Query<First<String>> {
        let sql = format!("EXPLAIN {}", self.statement.of(Dialect::Postgres).as_str());
        Query::new(sqlx::AssertSqlSafe(sql).into(), self.arguments)
    }

    /// Runs the statement. Returns how many rows it changed.
    pub(crate) async fn execute(self, on: impl Into<On<'_>>) -> Result<u64, sqlx::Error> {
        Ok(run!(on, self.query_with.execute => |done| done.rows_affected(), |rows| {
            while rows.next()?.is_some() {}
            Ok(0)
        }))
    }

    /// Runs the statement, however many rows it changes.
    pub(crate) async fn run<E: From<sqlx::Error>>(self, on: impl Into<On<'_>>) -> Result<(), E> {
        self.execute(on).await?;
        Ok(())
    }

    /// Whether there is a row.
    pub(crate) async fn exists(self, on: impl Into<On<'_>>) -> Result<bool, sqlx::Error> {
        Ok(run!(on, self.query_with.fetch_optional => |row| row.is_some(), |rows| Ok(rows.next()?.is_some())))
    }

    /// All texts as one, with a separator between them: each row of an SQLite file has one, `most` at most, and the only row of PostgreSQL
    /// has all, which stay where the database left them. A page is half a megabyte.
    pub(crate) async fn fetch_joined(self, separator: &str, most: u32, tx: &mut Tx) -> Result<Joined, sqlx::Error> {
        let Self { statement, arguments, .. } = self;
        match tx {
            Tx::Postgres(tx) => {
                let query = sqlx::query_with(statement.of(Dialect::Postgres), encoded::<Postgres>(arguments)?);
                Ok(Joined { text: text(in_time(query.fetch_one(&mut **tx)).await?)?, last: None })
            }
            Tx::Reading(reader) => {
                let sql = statement.of(Dialect::Sqlite);
                reader.read(sql.as_str(), &arguments, |rows| joined(separator, most, rows)).await
            }
            Tx::Sqlite(..) => {
                let rows: Vec<String> = Query::<First<String>>::new(statement, arguments).fetch_all(tx).await?;
                Ok(Joined { text: rows.join(separator).into(), last: None })
            }
        }
    }
}

impl<R: Read> Query<R> {
    pub(crate) async fn fetch_all(self, on: impl Into<On<'_>>) -> Result<Vec<R::Out>, sqlx::Error> {
        let rows: Vec<R::Row> = run!(on, self.query_as_with.fetch_all => |rows| rows, |rows| {
            let mut read = Vec::new();
            while let Some(row) = rows.next()? {
                read.push(R::Row::try_from(row)?);
            }
            Ok(read)
        });
        Ok(rows.into_iter().map(R::out).collect())
    }

    /// Gives each row to `take` as soon as it was read. `failed` makes its error of one of the database.
    pub(crate) async fn for_each<E>(
        self,
        tx: &mut Tx,
        failed: impl Fn(sqlx::Error) -> E,
        mut take: impl FnMut(R::Out) -> Result<(), E>,
    ) -> Result<(), E> {
        let (statement, arguments) = (self.statement, self.arguments);
        macro_rules! stream {
            ($on:expr, $database:ident) => {
                sqlx::query_as_with::<$database, R::Row, _>(
                    statement.of(Dialect::$database),
                    encoded::<$database>(arguments).map_err(&failed)?,
                )
                .fetch($on)
            };
        }
        let is_file = tx.dialect() == Dialect::Sqlite;
        let mut rows: BoxStream<'_, Result<R::Row, sqlx::Error>> = match tx {
            Tx::Sqlite(tx, _) => stream!(&mut **tx, Sqlite),
            Tx::Reading(reader) => {
                let sql = statement.of(Dialect::Sqlite);
                let take_each = |rows: &mut rusqlite::Rows<'_>| {
                    while let Some(row) = rows.next()? {
                        if let Err(error) = take(R::out(R::Row::try_from(row)?)) {
                            return Ok(Err(error));
                        }
                    }
                    Ok(Ok(()))
                };
                return reader.stream(sql.as_str(), &arguments, take_each).map_err(failed)?;
            }
            Tx::Postgres(tx) => stream!(&mut **tx, Postgres),
        };
        // A file has no answer to wait for; a slow disk is no reason to give up.
        while let Some(row) =
            if is_file { rows.try_next().await } else { in_time(rows.try_next()).await }.map_err(&failed)?
        {
            take(R::out(row))?;
        }
        Ok(())
    }

    /// The first row, if there is one.
    pub(crate) async fn fetch_optional(self, on: impl Into<On<'_>>) -> Result<Option<R::Out>, sqlx::Error> {
        let row: Option<R::Row> = run!(on, self.query_as_with.fetch_optional => |row| row, |rows| {
            rows.next()?.map(R::Row::try_from).transpose()
        });
        Ok(row.map(R::out))
    }

    /// The first row. That there is none is an error.
    pub(crate) async fn fetch_one(self, on: impl Into<On<'_>>) -> Result<R::Out, sqlx::Error> {
        self.fetch_optional(on).await?.ok_or(sqlx::Error::RowNotFound)
    }
}

fn joined(separator: &str, most: u32, rows: &mut rusqlite::Rows<'_>) -> rusqlite::Result<Joined> {
    let (mut text, mut last) = (Vec::new(), None::<(i64, String)>);
    while let Some(row) = rows.next()? {
        let one = row.get_ref(0)?.as_str()?;
        match text.is_empty() {
            // They have about the same length.
            true => text.reserve((one.len() + one.len() / 8 + 1).saturating_mul(most as usize).min(MOST_RESERVED)),
            false => text.extend_from_slice(separator.as_bytes()),
        }
        text.extend_from_slice(one.as_bytes());
        if row.as_ref().column_count() > 1 {
            let (number, name) = last.get_or_insert_default();
            *number = row.get(1)?;
            name.clear();
            name.push_str(row.get_ref(2)?.as_str()?);
        }
    }
    Ok(Joined { text: text.into(), last })
}

/// The text that is the first column of a row.
fn text(row: PgRow) -> Result<Bytes, sqlx::Error> {
    // So that what cannot be read is an error, and not nothing.
    row.try_get_unchecked::<Option<&[u8]>, _>(0)?;
    Ok(Bytes::from_owner(Text(row)))
}

/// A row of one text.
struct Text(PgRow);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        // Nothing, where there are no rows. Anything else was read before.
        self.0.try_get_unchecked(0).unwrap_or_default()
    }
}
