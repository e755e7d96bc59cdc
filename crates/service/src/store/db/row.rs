//! The rows of queries. `sqlx` has a derive macro for them, which builds the database driver, and SQLite with it, a second
//! time for the compiler: this declarative one needs no such build.

/// Declares a struct whose fields are read from the columns of the same names; those behind `flatten` are read from several.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident { $($(#[$of_field:meta])* $of:vis $field:ident: $kind:ty),+ $(,)? }
        $(flatten $part:ident: $part_kind:ty)?
    ) => {
        $(#[$meta])*
        $visibility struct $name { $($(#[$of_field])* $of $field: $kind,)+ $($part: $part_kind,)? }

        $crate::store::db::row::row!(@read $name, sqlx::sqlite::SqliteRow, $($field)+ $(, $part: $part_kind)?);
        $crate::store::db::row::row!(@read $name, sqlx::postgres::PgRow, $($field)+ $(, $part: $part_kind)?);
    };
    (@read $name:ident, $row:ty, $($field:ident)+ $(, $part:ident: $part_kind:ty)?) => {
        impl sqlx::FromRow<'_, $row> for $name {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok(Self {
                    $($field: row.try_get(stringify!($field))?,)+
                    $($part: <$part_kind as sqlx::FromRow<'_, _>>::from_row(row)?,)?
                })
            }
        }
    };
}

pub(crate) use row;
