//! Errors of the connections that read an SQLite file, as errors of every database.

use std::borrow::Cow;
use std::error::Error as StdError;

use sqlx::error::{DatabaseError, ErrorKind};

/// SQLite's result code, and its message.
#[derive(Debug, thiserror::Error)]
#[error("(code: {code}) {message}")]
struct FileError {
    code: i32,
    message: String,
}

impl DatabaseError for FileError {
    fn message(&self) -> &str {
        &self.message
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        Some(self.code.to_string().into())
    }

    fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn StdError + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn StdError + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> ErrorKind {
        ErrorKind::Other
    }
}

pub(super) fn file_error(error: rusqlite::Error) -> sqlx::Error {
    match error {
        rusqlite::Error::QueryReturnedNoRows => sqlx::Error::RowNotFound,
        _ => match error.sqlite_error().map(|failed| failed.extended_code) {
            Some(code) => FileError { code, message: error.to_string() }.into(),
            None => sqlx::Error::Decode(error.into()),
        },
    }
}
