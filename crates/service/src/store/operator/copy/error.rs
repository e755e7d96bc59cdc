//! Why a store is not copied.

use std::fmt;

use crate::store::StoreError;
use crate::store::operator::copy::report::Compared;

/// A row that cannot be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowName {
    /// Its table.
    pub table: String,
    /// Its key, as a condition of SQL.
    pub key: String,
}

impl fmt::Display for RowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the row of {} with {}", self.table, self.key)
    }
}

/// Why the store was not copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// Another process has the file open.
    #[error("another process has the file open")]
    InUse,
    /// The file cannot be read.
    #[error(transparent)]
    Source(StoreError),
    /// The database cannot be written.
    #[error(transparent)]
    Target(StoreError),
    /// Another copy into this database runs.
    #[error("another copy into this database is running")]
    Running,
    /// The database has rows that are not of a copy.
    #[error("the database has rows in {}", .0.join(", "))]
    NotEmpty(Vec<String>),
    /// The two do not have the same tables.
    #[error("the tables differ: {0}")]
    Schema(String),
    /// A row has a value that PostgreSQL cannot hold.
    #[error("{row} cannot be copied: its column {column} {why}")]
    Row {
        /// The row.
        row: RowName,
        /// The column.
        column: String,
        /// What is wrong with it.
        why: String,
    },
    /// PostgreSQL refused rows.
    #[error("PostgreSQL refused rows of {table}: {why}")]
    Refused {
        /// The table.
        table: String,
        /// What the server said.
        why: String,
    },
    /// The databases do not have the same rows.
    #[error("the file and the database do not have the same rows")]
    Different(Vec<Compared>),
}

impl CopyError {
    pub(super) fn source(error: sqlx::Error) -> Self {
        Self::Source(error.into())
    }

    pub(super) fn target(error: sqlx::Error) -> Self {
        Self::Target(error.into())
    }

    /// An error of the server about rows that are written to a table.
    pub(super) fn refused(table: &str, error: sqlx::Error) -> Self {
        // Class 22 and 23: bad data, violated constraints.
        let is_about_rows = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
        match error.as_database_error() {
            Some(said) if is_about_rows.is_some_and(|code| code.starts_with("22") || code.starts_with("23")) => {
                Self::Refused { table: table.to_owned(), why: said.message().to_owned() }
            }
            _ => Self::target(error),
        }
    }
}
