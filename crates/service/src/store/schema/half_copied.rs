//! The mark of a store in PostgreSQL that `admin store copy` has not finished: a table that lists what was copied so far. It is
//! made in the transaction that finds the store empty, and dropped in the last one. A store that has it is never served.

use sqlx::postgres::PgConnection;

use crate::store::StoreError;

/// The table. Its rows: each table of the store, how many rows of it were copied, and the state of the file that they are from.
pub(in crate::store) const TABLE: &str = "store_copy";

const FIND: &str = "SELECT EXISTS (SELECT 1 FROM pg_class
    WHERE relname = 'store_copy' AND relnamespace = current_schema()::regnamespace)";

/// For transactions of the store.
pub(in crate::store) const FOUND: &str =
    "SELECT 1 FROM pg_class WHERE relname = 'store_copy' AND relnamespace = current_schema()::regnamespace";

pub(in crate::store) async fn is_half_copied(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(FIND).fetch_one(connection).await
}

/// Fails with [`StoreError::HalfCopied`] if it is.
pub(in crate::store) async fn refuse(connection: &mut PgConnection) -> Result<(), StoreError> {
    if is_half_copied(connection).await? { Err(StoreError::HalfCopied) } else { Ok(()) }
}
