//! The arguments of queries. Each has a type even if it is NULL: a database that compares it has to know.

use rusqlite::types::{ToSql, ToSqlOutput};
use sqlx::postgres::PgArguments;
use sqlx::{Arguments as _, Database, Encode, Type};

/// An argument of a query.
#[derive(Debug, Clone)]
pub(crate) enum Argument {
    Integer(Option<i64>),
    Text(Option<String>),
    Blob(Option<Vec<u8>>),
    Bool(Option<bool>),
}

/// Implements the conversion of a type, and of what may be one, to arguments of a kind.
macro_rules! from {
    ($($kind:ident: $($type:ty),+;)+) => { $($(
        impl From<$type> for Argument {
            fn from(value: $type) -> Self {
                Self::$kind(Some(value.into()))
            }
        }
        impl From<Option<$type>> for Argument {
            fn from(value: Option<$type>) -> Self {
                Self::$kind(value.map(Into::into))
            }
        }
    )+)+ };
}

from! {
    Integer: i64, u32;
    Text: &str, &String, String;
    Blob: &[u8], Vec<u8>;
    Bool: bool;
}

/// Several arguments at once, in the order of their numbers.
pub(crate) trait Arguments {
    fn add_to(self, arguments: &mut Vec<Argument>);
}

/// Implements [`Arguments`] for tuples.
macro_rules! tuples {
    ($first:ident $($more:ident)+) => {
        impl<$first: Into<Argument>, $($more: Into<Argument>),+> Arguments for ($first, $($more),+) {
            fn add_to(self, arguments: &mut Vec<Argument>) {
                #[allow(non_snake_case, reason = "each value has the name of its type")]
                let ($first, $($more),+) = self;
                arguments.extend([$first.into(), $($more.into()),+]);
            }
        }
        tuples!($($more)+);
    };
    ($last:ident) => {};
}

tuples!(A B C D E F G H I J K L M);

/// No text of the program has a NUL character, and PostgreSQL takes none: what is looked for with one is not found.
fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text }
}

/// The arguments as a database takes them.
pub(super) fn encoded<DB: Database>(arguments: Vec<Argument>) -> Result<DB::Arguments, sqlx::Error>
where
    for<'a> Option<i64>: Encode<'a, DB> + Type<DB>,
    for<'a> Option<String>: Encode<'a, DB> + Type<DB>,
    for<'a> Option<Vec<u8>>: Encode<'a, DB> + Type<DB>,
{
    let mut encoded = DB::Arguments::default();
    for argument in arguments {
        match argument {
            Argument::Integer(value) => encoded.add(value),
            Argument::Text(value) => encoded.add(value.map(without_nul)),
            Argument::Blob(value) => encoded.add(value),
            // A flag is a number in the tables: 0 or 1.
            Argument::Bool(value) => encoded.add(value.map(i64::from)),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok(encoded)
}

/// An argument as a connection to a file takes it.
impl ToSql for Argument {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Integer(value) => value.to_sql(),
            Self::Text(Some(value)) if value.contains('\0') => Ok(without_nul(value.clone()).into()),
            Self::Text(value) => value.to_sql(),
            Self::Blob(value) => value.to_sql(),
            Self::Bool(value) => value.to_sql(),
        }
    }
}

/// Rows as PostgreSQL takes many of them: an array for each column, and the type of its elements.
pub(super) fn arrays<R: AsRef<[Argument]> + IntoIterator<Item = Argument>>(
    rows: Vec<R>,
) -> Result<(PgArguments, Vec<&'static str>), sqlx::Error> {
    let mut columns: Vec<Column> =
        rows.first().map(|first| first.as_ref().iter().map(Column::of).collect()).unwrap_or_default();
    for row in rows {
        for (column, argument) in columns.iter_mut().zip(row) {
            column.push(argument)?;
        }
    }
    let mut encoded = PgArguments::default();
    let mut types = Vec::with_capacity(columns.len());
    for column in columns {
        types.push(column.kind());
        match column {
            Column::Integers(values) => encoded.add(values),
            Column::Texts(values) => encoded.add(values),
            Column::Blobs(values) => encoded.add(values),
        }
        .map_err(sqlx::Error::Encode)?;
    }
    Ok((encoded, types))
}

/// The values of a column.
enum Column {
    Integers(Vec<Option<i64>>),
    Texts(Vec<Option<String>>),
    Blobs(Vec<Option<Vec<u8>>>),
}

impl Column {
    const fn of(argument: &Argument) -> Self {
        match argument {
            Argument::Integer(_) | Argument::Bool(_) => Self::Integers(Vec::new()),
            Argument::Text(_) => Self::Texts(Vec::new()),
            Argument::Blob(_) => Self::Blobs(Vec::new()),
        }
    }

    const fn kind(&self) -> &'static str {
        match self {
            Self::Integers(_) => "bigint",
            Self::Texts(_) => "text",
            Self::Blobs(_) => "bytea",
        }
    }

    fn push(&mut self, argument: Argument) -> Result<(), sqlx::Error> {
        match (self, argument) {
            (Self::Integers(values), Argument::Integer(value)) => values.push(value),
            (Self::Integers(values), Argument::Bool(value)) => values.push(value.map(i64::from)),
            (Self::Texts(values), Argument::Text(value)) => values.push(value.map(without_nul)),
            (Self::Blobs(values), Argument::Blob(value)) => values.push(value),
            _ => return Err(sqlx::Error::Encode("the rows have values of different types in a column".into())),
        }
        Ok(())
    }
}
