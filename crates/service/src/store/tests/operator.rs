//! What the operator sees and does: whether a store is sound, a copy of it, and a user who is deleted.

use std::collections::BTreeMap;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use tempfile::TempDir;

use super::opened::of_any;
use super::removal::filled;
use super::{STOPPED, fresh};
use crate::clock::Clock as _;
use crate::store::Store;
use crate::store::accounts::audit::Actor;
use crate::store::db::{query, query_scalar};

#[tokio::test]
async fn what_is_wrong_in_a_store_is_found() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("store.sqlite3");
    for (damage, expected) in [
        ("DELETE FROM line_items WHERE id = 'item_7'", "positions that do not agree"),
        ("UPDATE line_nodes SET items = items + 1 WHERE level = 2", "positions that do not agree"),
        ("UPDATE orders SET item_count = 2 WHERE number = 1", "orders that do not have as many line items"),
        ("UPDATE events SET batch_id = 'none' WHERE batch_id = 'alone'", "a row of events refers to none of sessions"),
        ("DELETE FROM connections WHERE id = 'c2'", "removed connections that still have orders"),
    ] {
        let _ = std::fs::remove_file(&path);
        let store = Store::open(&path).await.unwrap();
        filled(&store).await;
        assert_eq!(store.problems().await.unwrap(), [""; 0]);
        store.close().await;
        let careless = SqliteConnectOptions::new().filename(&path).foreign_keys(false);
        let mut file = careless.connect().await.unwrap();
        sqlx::query(damage).execute(&mut file).await.unwrap();
        file.close().await.unwrap();
        let store = Store::open(&path).await.unwrap();
        let problems = store.problems().await.unwrap();
        store.close().await;
        assert!(problems.iter().any(|problem| problem.contains(expected)), "{damage}: {problems:?}");
    }
}

#[tokio::test]
async fn a_deleted_user_is_in_no_table_and_others_keep_what_they_have() {
    let (_folder, store) = fresh().await;
    filled(&store).await;
    for statement in [
        "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('v', x'01', '0001', 0)",
        "INSERT INTO line_items (user_id, connection, item, id, sort_key, content_digest, document, csv)
            SELECT 'v', connection, item, id, sort_key, content_digest, document, csv FROM line_items LIMIT 10",
        "INSERT INTO grants (id, user_id, client_id, scopes, created_at) VALUES ('g', 'u', 'k', '', 0), ('h', 'v', 'k', '', 0)",
        "INSERT INTO refresh_tokens (digest, grant_id, created_at, expires_at) VALUES (x'01', 'g', 0, 0), (x'02', 'h', 0, 0)",
        "INSERT INTO known_places (phone_digest, place, used_at) VALUES (x'00', x'00', 0), (x'01', x'00', 0)",
        "INSERT INTO user_bindings (client_id, external_user_id, user_id, bound_at) VALUES ('k', 'x', 'u', 0), ('k', 'y', 'v', 0)",
        "INSERT INTO link_tokens (digest, client_id, external_user_id, created_at, expires_at)
            VALUES (x'01', 'k', 'x', 0, 0), (x'02', 'k', 'y', 0, 0)",
    ] {
        query(of_any(store.writer().dialect(), statement)).execute(store.writer()).await.unwrap();
    }
    let others = store.rows_of_user("v", &[1]).await.unwrap();
    let rows = store.rows_of_user("u", &[0]).await.unwrap();
    let of = |table: &str| rows.iter().find(|(name, _)| name == table).map_or(0, |(_, rows)| *rows);
    assert_eq!((of("line_items"), of("orders"), of("connections"), of("refresh_tokens")), (5_000, 5_000, 3, 1));
    assert_eq!((of("known_places"), of("link_tokens"), of("user_bindings"), of("users")), (1, 1, 1, 1));
    let mut written = Vec::new();
    let write = |table: &str, row: &str| {
        serde_json::from_str::<serde_json::Value>(row).unwrap();
        written.push(table.to_owned());
        Ok::<_, crate::store::StoreError>(())
    };
    let manifest = store.write_user("u", &[0], STOPPED.now(), write).await.unwrap();
    assert_eq!(written.len() as u64, rows.iter().map(|(_, rows)| rows).sum::<u64>());
    assert_eq!(manifest.rows.into_iter().collect::<BTreeMap<_, _>>(), rows.into_iter().collect());
    store.delete_user("u", &[0], Actor::User, &STOPPED).await.unwrap();
    assert_eq!(store.rows_of_user("u", &[0]).await.unwrap(), []);
    assert_eq!(store.rows_of_user("v", &[1]).await.unwrap(), others);
    let orphans: i64 =
        query_scalar("SELECT COUNT(*) FROM refresh_tokens WHERE grant_id NOT IN (SELECT id FROM grants)")
            .fetch_one(store.writer())
            .await
            .unwrap();
    assert_eq!(orphans, 0);
}
