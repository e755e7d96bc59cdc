//! The store against a model of it, and against stores that earlier versions made.

mod identity;
mod ingest;
mod missing;
mod paging;
mod removal;
mod resilience;
mod retention;
mod root_keys;
mod stale;
mod upgrade;

use super::Store;
use crate::store::users::Caller;

impl Store {
    /// What writes, for tests elsewhere that look at rows or change them.
    pub(crate) const fn writer(&self) -> &sqlx::SqlitePool {
        &self.writer
    }

    /// Lets the writer have no page more than the file has now: SQLite then fails as on a full disk. The limit belongs to
    /// the connection, so that the disk has room again for a connection that replaces it.
    pub(crate) async fn limit_to_its_size(&self) {
        let mut writer = self.writer.acquire().await.unwrap();
        // Pages that migrations freed would be room.
        sqlx::query("VACUUM").execute(&mut *writer).await.unwrap();
        let pages: i64 = sqlx::query_scalar("PRAGMA page_count").fetch_one(&mut *writer).await.unwrap();
        let limit = format!("PRAGMA max_page_count = {pages}");
        sqlx::query(sqlx::AssertSqlSafe(limit)).execute(&mut *writer).await.unwrap();
    }
}

/// A user with connections to the retailers 1, 2, 3, of the names `c1`, `c2`, `c3`.
async fn with_user(store: &Store) {
    for statement in [
        "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('u', x'00', '0000', 0)",
        "INSERT INTO clients (id, name, created_at) VALUES ('k', 'k', 0)",
        "INSERT INTO connections (id, user_id, retailer_id, display_name, status, credentials, created_at)
            VALUES ('c1', 'u', 1, '', 'valid', x'', 0), ('c2', 'u', 2, '', 'valid', x'', 0),
                ('c3', 'u', 3, '', 'valid', x'', 0)",
    ] {
        sqlx::query(statement).execute(&store.writer).await.unwrap();
    }
}

async fn share(store: &Store, connections: &[&str]) {
    sqlx::query("DELETE FROM connection_shares").execute(&store.writer).await.unwrap();
    for connection in connections {
        sqlx::query("INSERT INTO connection_shares (connection_id, client_id, shared_at) VALUES (?, 'k', 0)")
            .bind(connection)
            .execute(&store.writer)
            .await
            .unwrap();
    }
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
