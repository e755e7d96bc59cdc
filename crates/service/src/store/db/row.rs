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

pub(crate) use row;
