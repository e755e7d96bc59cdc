//! Full disks, writes that go the wrong way, and several starts at once.

use std::time::Duration;

use super::{fresh_file, fresh_path};
use crate::store::db::{query, query_scalar};
use crate::store::{Store, StoreError, StoreTrouble};

/// A transaction that needs some hundred kilobytes.
async fn write_much(store: &Store, round: u8) -> Result<(), StoreError> {
    let mut tx = store.write().await?;
    for user in 0..20_u8 {
        query("INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ($1, $2, '0000', 0)")
            .bind(format!("{round}-{user}"))
            .bind(vec![round; 20_000 + usize::from(user)])
            .execute(&mut tx)
            .await?;
    }
    tx.commit().await?;
    Ok(())
}

#[tokio::test]
async fn the_store_writes_again_once_a_full_disk_has_room() {
    let (_folder, store) = fresh_file().await;
    for round in 0..3 {
        store.limit_to_its_size().await;
        let error = write_much(&store, round).await.unwrap_err();
        assert_eq!(error.trouble(), Some(StoreTrouble::Full), "{error}");
        write_much(&store, round).await.unwrap();
    }
    let users: i64 =
        query_scalar("SELECT COUNT(*) FROM users WHERE id <> 'removed'").fetch_one(&store.pool).await.unwrap();
    assert_eq!(users, 60);
}

#[tokio::test]
async fn a_write_that_goes_round_the_writer_fails() {
    let (_folder, store) = fresh_file().await;
    let insert = "INSERT INTO clients (id, name, created_at) VALUES ('k', 'k', 0)";
    query(insert).execute(&store.pool).await.unwrap_err();
    query(insert).execute(&store.writer).await.unwrap();
}

#[tokio::test]
async fn a_write_that_nobody_waits_for_any_more_ends_and_leaves_the_writer_to_others() {
    let (_folder, store) = fresh_file().await;
    let endless = async {
        let mut tx = store.write().await.unwrap();
        let endless = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)
             INSERT INTO clients (id, name, created_at) SELECT 'k', 'k', MAX(i) FROM n";
        query(endless).execute(&mut tx).await.unwrap();
    };
    tokio::time::timeout(Duration::from_millis(200), endless).await.unwrap_err();
    for id in ["a", "b"] {
        let mut tx = store.write().await.unwrap();
        query("INSERT INTO clients (id, name, created_at) VALUES ($1, '', 0)").bind(id).execute(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
        // One that is dropped while nothing runs disturbs nothing either.
        drop(store.write().await.unwrap());
    }
    let ids: Vec<String> = query_scalar("SELECT id FROM clients ORDER BY id").fetch_all(&store.pool).await.unwrap();
    assert_eq!(ids, ["a", "b"]);
}

#[tokio::test]
async fn starts_at_the_same_time_on_a_fresh_file_all_succeed() {
    for _ in 0..10 {
        let (_folder, path) = fresh_path();
        let stores = futures::future::join_all((0..4).map(|_| Store::open(&path))).await;
        for store in stores {
            write_much(&store.unwrap(), 0).await.ok();
        }
    }
}

#[test]
fn a_store_that_is_too_busy_is_trouble_that_passes() {
    assert_eq!(StoreError::Database(sqlx::Error::PoolTimedOut).trouble(), Some(StoreTrouble::Busy));
    let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
    assert_eq!(StoreError::Database(sqlx::Error::Io(full)).trouble(), Some(StoreTrouble::Full));
    assert_eq!(StoreError::Corrupt("time").trouble(), None);
}
