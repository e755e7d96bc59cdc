//! A look at a store in a PostgreSQL database without changing it, to find out whether a service can use it.

use sqlx::{Connection as _, PgConnection};

use crate::database::PostgresAddress;
use crate::store::StoreError;
use crate::store::schema::migrations::POSTGRES;
use crate::store::schema::postgres::{connecting, examine_whole};

/// How a database on a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerHealth {
    /// The server's version, as it gives it.
    pub server: String,
    /// Whether the connection to it was encrypted.
    pub is_encrypted: bool,
    /// The size of the whole database.
    pub bytes: u64,
    /// Whether no service has used it yet.
    pub is_empty: bool,
    /// Migrations of this version that it has not seen; the next start of a service brings it up to date.
    pub pending: usize,
}

/// Looks at the database at this address.
/// Fails if it cannot be reached, or a service of this version could not use it.
pub async fn inspect_server(address: &PostgresAddress) -> Result<ServerHealth, StoreError> {
    let options = connecting(address).options([("default_transaction_read_only", "on")]);
    let mut connection = PgConnection::connect_with(&options).await?;
    let health = examine(&mut connection).await;
    connection.close().await?;
    health
}

async fn examine(connection: &mut PgConnection) -> Result<ServerHealth, StoreError> {
    let pending = examine_whole(connection).await?;
    let (server, is_encrypted, bytes): (String, bool, i64) = sqlx::query_as(
        "SELECT current_setting('server_version'),
            COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), FALSE),
            pg_database_size(current_database())",
    )
    .fetch_one(connection)
    .await?;
    Ok(ServerHealth {
        server,
        is_encrypted,
        bytes: bytes.try_into().unwrap_or_default(),
        is_empty: pending == POSTGRES.iter().count(),
        pending,
    })
}
