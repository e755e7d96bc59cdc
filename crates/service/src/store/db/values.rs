//! Rows of any table: as many values as there are columns, which are those that [`Argument`] has.

use rusqlite::types::ValueRef;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Column as _, FromRow, Row as _, TypeInfo as _};

use super::argument::Argument;

/// The values of a row.
pub(crate) struct Values(pub(crate) Vec<Argument>);

macro_rules! read {
    ($row:ty) => {
        impl FromRow<'_, $row> for Values {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                let values = row.columns().iter().map(|column| {
                    let index = column.ordinal();
                    match column.type_info().name() {
                        "INTEGER" | "INT8" => row.try_get_unchecked(index).map(Argument::Integer),
                        "TEXT" => row.try_get_unchecked(index).map(Argument::Text),
                        "BLOB" | "BYTEA" => row.try_get_unchecked(index).map(Argument::Blob),
                        other => Err(sqlx::Error::Decode(format!("a column of the type {other}").into())),
                    }
                });
                values.collect::<sqlx::Result<_>>().map(Self)
            }
        }
    };
}

read!(SqliteRow);
read!(PgRow);

impl TryFrom<&rusqlite::Row<'_>> for Values {
    type Error = rusqlite::Error;

    fn try_from(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let statement: &rusqlite::Statement<'_> = row.as_ref();
        let value = |index| match row.get_ref(index)? {
            ValueRef::Null => Ok(Argument::Text(None)),
            ValueRef::Integer(number) => Ok(Argument::Integer(Some(number))),
            ValueRef::Blob(octets) => Ok(Argument::Blob(Some(octets.to_owned()))),
            ValueRef::Text(_) | ValueRef::Real(_) => row.get(index).map(Argument::Text),
        };
        (0..statement.column_count()).map(value).collect::<rusqlite::Result<_>>().map(Self)
    }
}
