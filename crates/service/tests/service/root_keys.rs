//! The root key of a service and its store: the wrong one is refused, and an old one behind a new one loses nothing.

use std::net::TcpListener;
use std::sync::Arc;

use base64::Engine as _;
use ordersync_service::SystemClock;
use ordersync_service::{Service, StartError};
use reqwest::StatusCode;
use secrecy::SecretString;
use tempfile::TempDir;

use crate::harness::{Node, config};

fn secret(fill: u8) -> SecretString {
    base64::engine::general_purpose::STANDARD.encode([fill; 32]).into()
}

#[tokio::test]
async fn a_service_with_another_root_key_than_its_stores_does_not_start() {
    let store = TempDir::new().unwrap();
    Node::on(store.path(), |_| ()).await.stop().await;
    let mut other = config(store.path());
    other.secrets = vec![secret(8)];
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let refused = Service::start(other, Arc::new(SystemClock::default()), listener).await.err().unwrap();
    assert!(matches!(refused, StartError::RootKey { .. }), "{refused}");
    Node::on(store.path(), |_| ()).await.stop().await;
}

#[tokio::test]
async fn users_and_their_credentials_are_found_under_an_old_key_behind_a_new_one() {
    let store = TempDir::new().unwrap();
    let node = Node::on(store.path(), |_| ()).await;
    let user = node.user(1).await;
    user.connected(1, "user_items_3").await;
    let connections = user.get_json("/sync/connections").await;
    let user_id = user.get_json("/sync/profile").await["userId"].clone();
    node.stop().await;
    for _ in 0..2 {
        let node = Node::on(store.path(), |config| config.secrets.insert(0, secret(9))).await;
        let user = node.user(1).await;
        assert_eq!(user.get_json("/sync/profile").await["userId"], user_id);
        let id = connections[0]["connectionId"].as_str().unwrap();
        let started = user.post(&format!("/sync/connections/{id}/sync"), &serde_json::json!({})).await;
        assert_eq!(started.status(), StatusCode::ACCEPTED);
        let batch: serde_json::Value = started.json().await.unwrap();
        let ended = user.ended(batch["batchId"].as_str().unwrap()).await;
        assert_eq!(ended.retailer_sync_sessions[0].sync_status, ordersync_api::SyncStatus::Completed.into());
        node.stop().await;
    }
}
