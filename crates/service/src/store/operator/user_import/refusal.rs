//! Why a user is not imported.

use crate::store::StoreError;

/// Why a user is not imported. Nothing of it is in the store then.
#[derive(Debug, thiserror::Error)]
pub enum ImportRefusal {
    /// The archive is not as `users export` writes it.
    #[error("the archive is refused, at {}: {why}", place(.file, *.row))]
    Archive {
        /// The file in it.
        file: String,
        /// Its line, from 1; none: the file as a whole.
        row: Option<u64>,
        /// The reason.
        why: String,
    },
    /// It has another format.
    #[error("the archive has the format {found}, and this version reads the format {known}")]
    Format {
        /// That of the archive.
        found: u32,
        /// The one that is known.
        known: u32,
    },
    /// It is of a store with other tables.
    #[error("the archive is of a store of version {found} ({by}), and this store has version {known}")]
    StoreVersion {
        /// That of the archive.
        found: i64,
        /// The program that wrote it.
        by: String,
        /// That of the store.
        known: i64,
    },
    /// No service has used the store yet.
    #[error("no service has used this store yet")]
    NotServed,
    /// The environments differ.
    #[error("the archive is of a {found} store, and this store is {known}")]
    Environment {
        /// That of the archive.
        found: String,
        /// That of the store.
        known: String,
    },
    /// The user, or something with an id of theirs, is in the store.
    #[error("the store already has {0}")]
    Exists(String),
    /// Rows of this user are still being deleted.
    #[error("the user {user_id} was deleted, and rows of {table} are still left")]
    BeingDeleted {
        /// The user.
        user_id: String,
        /// Where the rows are.
        table: String,
    },
    /// The user was deleted from this store.
    #[error("the user {user_id} was deleted from this store at {at}, by {by}")]
    Deleted {
        /// The user.
        user_id: String,
        /// When.
        at: String,
        /// `operator`, `user` or `client`.
        by: String,
    },
    /// Clients that the store does not have.
    #[error("the store has no client {}", .0.join(", "))]
    Clients(Vec<String>),
    /// A client to be replaced is not in the archive.
    #[error("the archive names no client \"{0}\"")]
    UnusedClient(String),
    /// The archive's digest of the phone number belongs to another root key.
    #[error("the archive is of a service with another root key, which this store does not know ({})", .0.join(", "))]
    PhoneKey(Vec<String>),
    /// Another user has the phone number.
    #[error("the user {0} has the same phone number")]
    PhoneTaken(String),
    /// The rows contradict each other.
    #[error("the archive contradicts itself: {0}")]
    Contradiction(String),
}

fn place(file: &str, row: Option<u64>) -> String {
    row.map_or_else(|| file.to_owned(), |row| format!("{file}, row {row}"))
}

/// Why an import failed.
#[derive(Debug)]
pub(crate) enum ImportError {
    Refused(ImportRefusal),
    Store(StoreError),
}

impl From<ImportRefusal> for ImportError {
    fn from(refusal: ImportRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: Into<StoreError>> From<E> for ImportError {
    fn from(error: E) -> Self {
        Self::Store(error.into())
    }
}
