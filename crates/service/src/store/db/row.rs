//! The rows of queries. `sqlx` has a derive macro for them, which builds the database driver, and SQLite with it, a second
//! time for the compiler: this declarative one needs no such build.

/// Declares a struct whose fields are read from the columns of the same names.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident { $($(#[$of_field:meta])* $of:vis $field:ident: $kind:ty),+ $(,)? }
    ) => {
        $(#[$meta])*
        $visibility struct $name { $($(#[$of_field])* $of $field: $kind,)+ }

        $crate::store::db::row::row!(@read $name, sqlx::sqlite::SqliteRow, $($field)+);
        $crate::store::db::row::row!(@read $name, sqlx::postgres::PgRow, $($field)+);

        impl TryFrom<&rusqlite::Row<'_>> for $name {
            type Error = rusqlite::Error;

            fn try_from(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
                let mut places = 0..;
                Ok(Self {
                    $($field: row.get($crate::store::db::row::place(row, places.next(), stringify!($field))?)?,)+
                })
            }
        }
    };
    (@read $name:ident, $row:ty, $($field:ident)+) => {
        impl sqlx::FromRow<'_, $row> for $name {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok(Self {
                    $($field: row.try_get(stringify!($field))?,)+
                })
            }
        }
    };
}

/// The place of a column: as a rule, that of its field.
pub(crate) fn place(row: &rusqlite::Row<'_>, likely: Option<usize>, name: &str) -> rusqlite::Result<usize> {
    let statement: &rusqlite::Statement<'_> = row.as_ref();
    match likely.filter(|place| statement.column_name(*place).is_ok_and(|found| found == name)) {
        Some(place) => Ok(place),
        None => statement.column_index(name),
    }
}

pub(crate) use row;
