//! A look at a database file without changing it or anything beside it, to find out whether it is sound.

use std::path::Path;

use ordersync_api::{ConnectionCompleteness, Id};
use sqlx::sqlite::SqliteConnection;

use crate::clock::{Clock as _, SystemClock};
use crate::store::accounts::connections::ConnectionRow;
use crate::store::db::dialect::fragment;
use crate::store::schema::identity;
use crate::store::schema::read_only::look;
use crate::store::{StoreError, micros};

/// Syncs that wait for a code although the time for it is over at `$1`: the next start of the service ends them, and their
/// connections are invalid then.
const OVER: &str = "SELECT r.id, r.connection_id FROM retailer_sessions r JOIN users u ON u.id = r.user_id
     WHERE r.active = 1 AND r.sync_status = 'userintervention'
        AND r.deadline_at <= COALESCE(u.clock_frozen_at, $1 + u.clock_offset)";
/// The most problems that are reported; further ones say nothing new.
const TOLD: u32 = 5;

/// How a database is.
#[derive(Debug)]
pub struct Health {
    /// What SQLite finds wrong in it; nothing where it is sound.
    pub problems: Vec<String>,
    /// Migrations of this version that it has not seen; the next start of the service brings it up to date.
    pub pending: usize,
    /// Whether a newer version wrote it.
    pub is_newer: bool,
    /// The fingerprints of the root keys that it was used with; none if the database is of another version or damaged.
    pub root_keys: Vec<String>,
    /// What is in it; none if the database is of another version or damaged.
    pub contents: Option<Contents>,
}

/// What is in a database, in numbers and ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Connections that work.
    pub valid: i64,
    /// Connections that have to be repaired, or have to be because the time for a code is over.
    pub invalid: i64,
    /// Connections whose first sync has not ended well yet.
    pub pending: i64,
    /// Syncs that have not ended; one that waits for a code which can no longer be given has.
    pub unfinished: Vec<UnfinishedSync>,
    /// Connections of which not all orders are known, without their names.
    pub incomplete: Vec<ConnectionCompleteness>,
}

/// A sync of a connection that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedSync {
    /// Of this connection.
    pub connection_id: Id,
    /// In this session.
    pub batch_id: Id,
    /// Whether it waits for a code.
    pub waiting: bool,
}

/// Looks at the database in this file.
/// Fails if it cannot be read: it is none, it is damaged, or another process holds it locked.
pub async fn inspect(path: &Path) -> Result<Health, StoreError> {
    look(path, examine, |health| health.problems.is_empty()).await
}

async fn examine(connection: &mut SqliteConnection) -> Result<Health, StoreError> {
    let check = sqlx::AssertSqlSafe(format!("PRAGMA quick_check({TOLD})"));
    let mut problems: Vec<String> = sqlx::query_scalar(check).fetch_all(&mut *connection).await?;
    problems.retain(|problem| problem != "ok");
    let (pending, is_newer) = match identity::examine(connection).await {
        Ok(identity) => (identity.pending, false),
        Err(StoreError::Newer(_)) => (0, true),
        Err(error @ (StoreError::Foreign | StoreError::BeforeFirst)) => {
            problems.push(error.to_string());
            (0, false)
        }
        Err(error) => return Err(error),
    };
    let is_current = problems.is_empty() && pending == 0 && !is_newer;
    let contents = if is_current { Some(count(connection).await?) } else { None };
    let root_keys = if is_current { root_keys(connection).await? } else { Vec::new() };
    Ok(Health { problems, pending, is_newer, root_keys, contents })
}

async fn root_keys(connection: &mut SqliteConnection) -> Result<Vec<String>, StoreError> {
    Ok(sqlx::query_scalar("SELECT fingerprint FROM root_keys ORDER BY since, fingerprint")
        .fetch_all(connection)
        .await?)
}

async fn count(connection: &mut SqliteConnection) -> Result<Contents, StoreError> {
    let now = micros(SystemClock::default().now());
    let connections = sqlx::AssertSqlSafe(format!(
        "WITH over AS ({OVER})
         SELECT COALESCE(SUM(status = 'valid' AND NOT is_over), 0), COALESCE(SUM(status = 'invalid' OR is_over), 0),
                COALESCE(SUM(status = 'pending' AND NOT is_over), 0)
         FROM (SELECT status, id IN (SELECT connection_id FROM over) AS is_over FROM connections)"
    ));
    let (valid, invalid, pending) = sqlx::query_as(connections).bind(now).fetch_one(&mut *connection).await?;
    let syncs = sqlx::AssertSqlSafe(format!(
        "WITH over AS ({OVER})
         SELECT connection_id, batch_id, sync_status = 'userintervention'
         FROM retailer_sessions WHERE active = 1 AND id NOT IN (SELECT id FROM over) ORDER BY batch_id, position"
    ));
    let syncs: Vec<(String, String, bool)> = sqlx::query_as(syncs).bind(now).fetch_all(&mut *connection).await?;
    let unfinished = syncs.into_iter().map(|(connection_id, batch_id, waiting)| UnfinishedSync {
        connection_id: connection_id.into(),
        batch_id: batch_id.into(),
        waiting,
    });
    let incomplete = incomplete(connection).await?;
    Ok(Contents { valid, invalid, pending, unfinished: unfinished.collect(), incomplete })
}

async fn incomplete(connection: &mut SqliteConnection) -> Result<Vec<ConnectionCompleteness>, StoreError> {
    let query = concat!("SELECT ", fragment!(sqlite connection), " FROM connections c ORDER BY c.created_at, c.id");
    let rows: Vec<ConnectionRow> = sqlx::query_as(query).fetch_all(connection).await?;
    let all = rows.into_iter().map(ConnectionRow::into_connection).collect::<Result<Vec<_>, _>>()?;
    let all = all.into_iter().map(|connection| ConnectionCompleteness { display_name: None, ..connection.into() });
    Ok(all.filter(|connection| !connection.completeness.complete).collect())
}
