//! Opening a store in a PostgreSQL database, which several nodes may share.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _};

use crate::database::PostgresAddress;
use crate::store::db::{Outage, Pool, Server, answers, is_free};
use crate::store::schema::migrations::POSTGRES;
use crate::store::schema::{half_copied, version};
use crate::store::{Store, StoreError, StoreTrouble, trouble_of};

/// How many connections of a node read, and how many write.
const CONNECTIONS: u32 = 8;
/// How many large pages a node stores at a time.
const LARGE_PAGES: usize = 4;
/// How long a caller waits for a connection. Shorter than a request may take, so that the client learns why it failed.
const CONNECTION_WAIT: Duration = Duration::from_secs(15);
/// A connection that was idle for longer is tried before it is used: its server may have gone.
const TRIED_AFTER: Duration = Duration::from_secs(1);
/// What the server does on its own, so that nothing of a node that hangs stays locked: a statement ends after this time, a wait
/// for a row, and a transaction in which nothing happens.
const LIMITS: [(&str, &str); 3] =
    [("statement_timeout", "30s"), ("lock_timeout", "10s"), ("idle_in_transaction_session_timeout", "60s")];
/// How long a migration waits for a lock before it lets the statements of running nodes pass, for how long, and how often: several
/// minutes, as long as the longest transaction may take.
const LOCK_PATIENCE: &str = "2s";
const LOCK_PAUSE: Duration = Duration::from_millis(500);
const LOCK_WAITS: usize = 120;
/// Every query reads a few rows. Compiling it, or dividing it among processes, would take longer than the query, and a wrong
/// estimate would bring about both.
const PLANS: [(&str, &str); 2] = [("jit", "off"), ("max_parallel_workers_per_gather", "0")];
/// Statements that a connection keeps prepared: all that there are.
const PREPARED: usize = 500;
/// Held while one node migrates. The first part is of this program's, the second is the schema.
const LOCK: &str = "SELECT pg_advisory_lock(1330861391, current_schema()::regnamespace::oid::bigint::int)";
/// The oldest version that has what the queries need.
const OLDEST: i64 = 14;

impl Store {
    /// Opens the database and migrates it to this version's form. Nodes that start at once migrate once.
    /// Fails if the database cannot be reached, is another program's, or was written by a newer version. In the last
    /// two cases nothing is changed.
    pub(in crate::store) async fn open_postgres(address: &PostgresAddress) -> Result<Self, StoreError> {
        let options = connecting(address);
        // On a connection of its own, which is closed: the lock of a migration that failed would stay on one in use. A migration
        // may take its time.
        let mut connection = PgConnection::connect_with(&options).await?;
        let migrated = bring_up_to_date(&mut connection).await;
        connection.close().await?;
        migrated?;
        Ok(Self::over_postgres(options))
    }

    /// Opens a store that a service of this version has been started on, and creates none.
    /// Fails as [`Store::open_postgres`], and [`StoreError::Outdated`] if there is something to migrate.
    pub(in crate::store) async fn open_postgres_existing(address: &PostgresAddress) -> Result<Self, StoreError> {
        let options = connecting(address);
        let mut connection = PgConnection::connect_with(&options).await?;
        let pending = examine_whole(&mut connection).await;
        connection.close().await?;
        match pending? {
            0 => Ok(Self::over_postgres(options)),
            _ => Err(StoreError::Outdated),
        }
    }

    pub(in crate::store) fn over_postgres(options: PgConnectOptions) -> Self {
        let options = options.options(LIMITS).options(PLANS).statement_cache_capacity(PREPARED);
        let reading = options.clone().options([("default_transaction_read_only", "on")]);
        let outage = Outage::of(options.clone(), |error| trouble_of(error) == Some(StoreTrouble::Away));
        let server = |options| Pool::Postgres(Server::new(pool_of().connect_lazy_with(options), Arc::clone(&outage)));
        Self::over(server(reading), server(options), LARGE_PAGES)
    }
}

pub(in crate::store) fn connecting(address: &PostgresAddress) -> PgConnectOptions {
    address.options().clone().application_name("ordersync").disable_statement_logging()
}

fn pool_of() -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(CONNECTIONS)
        .acquire_timeout(CONNECTION_WAIT)
        .test_before_acquire(false)
        .before_acquire(|connection, pool| {
            Box::pin(async move {
                if pool.idle_for < TRIED_AFTER {
                    return Ok(true);
                }
                Ok(answers(connection).await.is_ok())
            })
        })
        // Closed otherwise. SQLx asks then for an answer without an end, and would have one connection less if there is none.
        .after_release(|connection, _| Box::pin(is_free(connection)))
}

/// While a migration waits for the lock of a table, everybody else's statements on that table wait behind it. So it gives up soon, lets
/// them pass, and tries again.
async fn migrate(connection: &mut PgConnection) -> Result<(), StoreError> {
    connection.execute(AssertSqlSafe(format!("SET lock_timeout = '{LOCK_PATIENCE}'"))).await?;
    let mut waits = 0;
    while let Err(error) = POSTGRES.run(&mut *connection).await.map_err(StoreError::from) {
        if error.trouble() != Some(StoreTrouble::Locked) || waits == LOCK_WAITS {
            return Err(error);
        }
        if waits == 0 {
            tracing::info!("waiting for others to let go of what a migration changes");
        }
        waits += 1;
        tokio::time::sleep(LOCK_PAUSE).await;
    }
    Ok(())
}

/// Brings the database to this version's form. Returns the versions that it had seen before, and those that it has seen now. If
/// it has the form, nothing is written: a service may have an account that cannot make tables.
///
/// The connection has to be closed afterwards, because it holds a lock.
pub(in crate::store) async fn bring_up_to_date(connection: &mut PgConnection) -> Result<[Vec<i64>; 2], StoreError> {
    if examine_whole(connection).await? > 0 {
        // Of nodes that start at once, the others find nothing to do.
        sqlx::query(LOCK).execute(&mut *connection).await?;
        let before = seen(connection).await?;
        if examine_whole(connection).await? > 0 {
            migrate(connection).await?;
            // Meanwhile a newer node may have changed the store further, or a copy may have begun.
            examine_whole(connection).await?;
        }
        return Ok([before, seen(connection).await?]);
    }
    let seen = seen(connection).await?;
    Ok([seen.clone(), seen])
}

/// The migrations that the database has seen.
pub(in crate::store) async fn seen(connection: &mut PgConnection) -> Result<Vec<i64>, StoreError> {
    let is_begun: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM pg_class
            WHERE relname = '_sqlx_migrations' AND relnamespace = current_schema()::regnamespace)",
    )
    .fetch_one(&mut *connection)
    .await?;
    if !is_begun {
        return Ok(Vec::new());
    }
    Ok(sqlx::query_scalar("SELECT version FROM _sqlx_migrations ORDER BY version").fetch_all(connection).await?)
}

/// As [`examine`], for a store that is to be used: it must not be half copied.
pub(in crate::store) async fn examine_whole(connection: &mut PgConnection) -> Result<usize, StoreError> {
    let pending = examine(connection).await?;
    half_copied::refuse(connection).await?;
    Ok(pending)
}

/// Makes sure that the database may be used as a store. Returns how many migrations it has not seen.
pub(in crate::store) async fn examine(connection: &mut PgConnection) -> Result<usize, StoreError> {
    let (version, encoding): (i32, String) =
        sqlx::query_as("SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding')")
            .fetch_one(&mut *connection)
            .await?;
    if i64::from(version) < OLDEST {
        return Err(StoreError::Unsuitable(format!(
            "its server is PostgreSQL {version}, and the service needs {OLDEST} or later"
        )));
    }
    if encoding != "UTF8" {
        return Err(StoreError::Unsuitable(format!("its encoding is {encoding}, and it has to be UTF8")));
    }
    identify(connection).await
}

/// Which migrations the database has seen decides whose it is. One without tables is a store to be made.
async fn identify(connection: &mut PgConnection) -> Result<usize, StoreError> {
    let all = POSTGRES.iter().count();
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')",
    )
    .fetch_all(&mut *connection)
    .await?;
    if tables.is_empty() {
        return Ok(all);
    }
    if !tables.iter().any(|name| name == "_sqlx_migrations") {
        return Err(StoreError::Foreign);
    }
    let applied: Vec<(i64, Vec<u8>)> =
        sqlx::query_as("SELECT version, checksum FROM _sqlx_migrations ORDER BY version")
            .fetch_all(&mut *connection)
            .await?;
    if applied.is_empty() && tables.len() == 1 {
        return Ok(all);
    }
    let oldest = if tables.iter().any(|name| name == version::TABLE) {
        sqlx::query_scalar(version::OLDEST).fetch_optional(connection).await?
    } else {
        None
    };
    version::pending(&POSTGRES, &applied, oldest)
}
