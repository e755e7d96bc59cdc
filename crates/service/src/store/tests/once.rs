//! A placeholder row locks an idempotency key until the change that it belongs to is committed or given up.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::{caller, with_user};
use crate::store::Store;
use crate::store::accounts::idempotency::{Answer, Earlier, IdempotencyKey};
use crate::store::db::{query, query_scalar};

fn key() -> IdempotencyKey {
    IdempotencyKey { client_id: "k".into(), user_id: "u".into(), key: "1".into(), request_digest: [1; 32] }
}

async fn rows(store: &Store) -> i64 {
    query_scalar("SELECT COUNT(*) FROM idempotency").fetch_one(&store.pool).await.unwrap()
}

/// Two stores on one file are two nodes.
async fn two_nodes(path: &Path) -> [Store; 2] {
    let first = Store::of_test(path).await;
    with_user(&first).await;
    [first, Store::of_test(path).await]
}

#[tokio::test]
async fn a_request_waits_for_the_one_before_it_on_any_node_and_makes_the_change_if_that_one_did_not() {
    let folder = TempDir::new().unwrap();
    let [node, other] = two_nodes(&folder.path().join("s")).await;
    let (key, now) = (key(), caller().now);
    let given_up = node.write_once(Some(&key), now).await.unwrap().unwrap();
    let mut waiting = Box::pin(other.write_once(Some(&key), now));
    assert!(tokio::time::timeout(Duration::from_millis(200), &mut waiting).await.is_err(), "it has to wait");
    drop(given_up);
    let once = waiting.await.unwrap().unwrap();
    let mut waiting = Box::pin(node.write_once(Some(&key), now));
    assert!(tokio::time::timeout(Duration::from_millis(200), &mut waiting).await.is_err(), "it has to wait");
    let answer = Answer { status: 202, body: b"{}".to_vec() };
    once.commit(&answer).await.unwrap();
    assert!(waiting.await.unwrap().is_none(), "it was answered");
    assert_eq!(node.earlier_answer(&key, now).await.unwrap(), Earlier::Answered(answer));
}

#[tokio::test]
async fn a_crash_in_the_middle_of_a_request_leaves_its_key_free() {
    let folder = TempDir::new().unwrap();
    let node = Store::open(&folder.path().join("s")).await.unwrap();
    with_user(&node).await;
    let (key, now) = (key(), caller().now);
    let mut once = node.write_once(Some(&key), now).await.unwrap().unwrap();
    // More than the page cache holds, so that some of it is in the log already.
    query("INSERT INTO clients (id, name, created_at) SELECT 'big', hex(zeroblob(40000000)), 0")
        .execute(&mut once.tx)
        .await
        .unwrap();
    // The files as a process leaves them that is killed now.
    let crashed = TempDir::new().unwrap();
    for file in ["s", "s-wal"] {
        std::fs::copy(folder.path().join(file), crashed.path().join(file)).unwrap();
    }
    let after = Store::open(&crashed.path().join("s")).await.unwrap();
    assert_eq!(rows(&after).await, 0);
    assert_eq!(after.earlier_answer(&key, now).await.unwrap(), Earlier::None);
    assert!(after.write_once(Some(&key), now).await.unwrap().is_some());
    drop(once);
    assert_eq!(rows(&node).await, 0);
}

#[tokio::test]
async fn a_key_whose_day_is_over_is_locked_anew_and_another_users_key_is_free() {
    let folder = TempDir::new().unwrap();
    let [node, _] = two_nodes(&folder.path().join("s")).await;
    let (first, now) = (key(), caller().now);
    let answer = |status| Answer { status, body: Vec::new() };
    node.write_once(Some(&first), now).await.unwrap().unwrap().commit(&answer(202)).await.unwrap();
    let later = now + crate::store::accounts::idempotency::KEPT;
    assert!(node.write_once(Some(&first), later - chrono::TimeDelta::seconds(1)).await.unwrap().is_none());
    node.write_once(Some(&first), later).await.unwrap().unwrap().commit(&answer(200)).await.unwrap();
    assert_eq!(node.earlier_answer(&first, later).await.unwrap(), Earlier::Answered(answer(200)));
    node.user_by_phone(&[7; 32], "0007", now).await.unwrap();
    let user_id = node.user_by_phone(&[7; 32], "0007", now).await.unwrap();
    let others = IdempotencyKey { user_id, ..key() };
    assert!(node.write_once(Some(&others), later).await.unwrap().is_some());
}
