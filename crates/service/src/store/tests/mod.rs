//! The store against a model of it.

mod adjustments;
mod audit;
mod away;
mod compatibility;
mod completeness;
mod copy;
mod identity;
mod ingest;
mod live;
mod missing;
mod once;
pub(crate) mod opened;
mod operator;
mod paging;
mod plans;
mod races;
mod rate;
mod removal;
mod reseal;
mod resilience;
mod retailer_queue;
mod retention;
mod root_keys;
mod schema;
mod shared_clock;
mod stale;
mod state;
mod user_archive;
mod user_refused;

use std::path::{Path, PathBuf};

use sqlx::SqlitePool;
use sqlx::sqlite::SqliteConnectOptions;
use tempfile::TempDir;

use self::opened::of_any;
use super::db::Pool;
use super::operator::positions::miscounted;
use super::{Store, StoreError, Write};
use crate::clock::SettableClock;
use crate::domain::rendered::Rendered;
use crate::store::accounts::audit::Operator;
use crate::store::accounts::users::Caller;
use crate::store::db::query;
use crate::store::orders::counts::Counts;
use crate::store::orders::ingest::insert;
use crate::store::orders::lines::NewLine;
use crate::store::orders::owner::Owner;

impl Store {
    /// What writes, for tests elsewhere that look at rows or change them.
    pub(crate) const fn writer(&self) -> &Pool {
        &self.writer
    }

    /// Lets the writer have no page more than the file has now: SQLite then fails as on a full disk. The limit belongs to
    /// the connection, so that the disk has room again for a connection that replaces it.
    pub(crate) async fn limit_to_its_size(&self) {
        let mut writer = self.writer.sqlite().acquire().await.unwrap();
        // Pages that migrations freed would be room.
        sqlx::query("VACUUM").execute(&mut *writer).await.unwrap();
        let pages: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(&mut *writer).await.unwrap();
        let limit = format!("PRAGMA max_page_count = {pages}");
        sqlx::query(sqlx::AssertSqlSafe(limit)).execute(&mut *writer).await.unwrap();
    }
}

/// Where a fresh store may be; gone with its folder.
fn fresh_path() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("s");
    (folder, path)
}

/// A fresh store, of the kind that the tests run on.
async fn fresh() -> (TempDir, Store) {
    let (folder, path) = fresh_path();
    (folder, Store::of_test(&path).await)
}

async fn fresh_with_user() -> (TempDir, Store) {
    let (folder, store) = fresh().await;
    with_user(&store).await;
    (folder, store)
}

/// On SQLite, also if the tests run on PostgreSQL.
async fn fresh_file() -> (TempDir, Store) {
    let (folder, path) = fresh_path();
    (folder, Store::open(&path).await.unwrap())
}

/// A database file, created if it does not exist, as SQLite alone opens it.
async fn file(path: &Path) -> SqlitePool {
    SqlitePool::connect_with(SqliteConnectOptions::new().filename(path).create_if_missing(true)).await.unwrap()
}

/// Runs statements on a database file.
async fn change(path: &Path, statements: &[&'static str]) {
    let file = file(path).await;
    for statement in statements {
        sqlx::query(*statement).execute(&file).await.unwrap();
    }
    file.close().await;
}

/// A user with connections to the retailers 1, 2, 3, of the names `c1`, `c2`, `c3`.
async fn with_user(store: &Store) {
    for statement in [
        "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('u', x'00', '0000', 0)",
        "INSERT INTO clients (id, name, created_at) VALUES ('k', 'k', 0)",
        "INSERT INTO connections (id, user_id, number, retailer_id, display_name, status, credentials, created_at)
            VALUES ('c1', 'u', 1, 1, '', 'valid', x'', 0), ('c2', 'u', 2, 2, '', 'valid', x'', 0),
                ('c3', 'u', 3, 3, '', 'valid', x'', 0)",
        "UPDATE users SET connections_made = 3 WHERE id = 'u'",
    ] {
        query(of_any(store.pool.dialect(), statement)).execute(&store.writer).await.unwrap();
    }
}

/// Whose orders those of the user's connection of this number are.
const fn owner(connection: i64) -> Owner<'static> {
    Owner { user_id: "u", connection }
}

/// Stores lines, and counts them.
async fn insert_counted(
    tx: &mut Write,
    owner: Owner<'_>,
    lines: Vec<NewLine>,
    write: impl FnMut(&NewLine) -> Result<Rendered, StoreError>,
) {
    let uneven = Counts::of_added(owner, &lines).apply(tx).await.unwrap();
    insert(tx, owner, lines, write).await.unwrap();
    uneven.even_out(tx).await.unwrap();
}

/// Makes sure that each node says how many items are between its start and the next one's, and each level how many there are.
async fn assert_counts(store: &Store) {
    let mut tx = store.pool.begin().await.unwrap();
    assert_eq!(miscounted(&mut tx, None).await.unwrap(), 0);
}

async fn share(store: &Store, connections: &[&str]) {
    query("DELETE FROM connection_shares").execute(&store.writer).await.unwrap();
    for connection in connections {
        query("INSERT INTO connection_shares (user_id, connection_id, client_id, shared_at) VALUES ('u', $1, 'k', 0)")
            .bind(*connection)
            .execute(&store.writer)
            .await
            .unwrap();
    }
}

static STOPPED: SettableClock = SettableClock::at(chrono::DateTime::UNIX_EPOCH);

fn operator() -> Operator<'static> {
    Operator { name: "otto", clock: &STOPPED }
}

fn caller() -> Caller {
    Caller {
        user_id: "u".into(),
        client_id: "k".into(),
        scopes: Vec::new(),
        now: chrono::DateTime::UNIX_EPOCH,
        widget: false,
    }
}
