//! Removing connections.

use reqwest::{Method, Response};
use serde_json::json;

use crate::harness::{User, World, refusal};

async fn remove(user: &User, id: &str) -> Response {
    user.request(Method::DELETE, &format!("/sync/connections/{id}")).send().await.unwrap()
}

async fn only_connection(user: &User) -> String {
    user.get_json("/sync/connections").await[0]["connectionId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_removed_connection_is_gone_with_all_it_had_and_the_retailer_can_be_connected_again() {
    let (_world, user) = World::with_user().await;
    let session = user.connected(12, "user_good").await;
    let id = only_connection(&user).await;
    let item = user.get_json("/sync/orders?limit=1").await[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(remove(&user, &id).await.status(), 204);
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
    assert_eq!(user.all_orders().await.len(), 0);
    for path in [
        format!("/sync/connections/{id}"),
        format!("/sync/orders/{item}"),
        format!("/sync/sessions/{}", session.batch_id),
        "/sync/sessions/latest".to_owned(),
    ] {
        assert_eq!(refusal(user.get(&path).await, 404).await.0, "NOT_FOUND", "{path}");
    }
    // A repetition finds nothing.
    assert_eq!(refusal(remove(&user, &id).await, 404).await.0, "NOT_FOUND");
    let again = user.connected(12, "user_items_3").await;
    assert_eq!(again.retailer_sync_sessions[0].items_new, Some(3));
    assert_ne!(only_connection(&user).await, id);
    assert_eq!(user.all_orders().await.len(), 3);
}

#[tokio::test]
async fn a_connection_that_is_syncing_is_not_removed() {
    let (_world, user) = World::with_user().await;
    let batch_id = user.connect(12, "user_mfa_enter").await;
    user.asked(&batch_id).await;
    let (code, body) = refusal(remove(&user, &only_connection(&user).await).await, 409).await;
    assert_eq!((code.as_str(), &body["details"]["batchId"]), ("SYNC_IN_PROGRESS", &json!(batch_id)));
    assert_eq!(user.get_json("/sync/connections").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn removing_takes_the_scope_that_connecting_takes() {
    let (world, user) = World::connected(12, "user_empty").await;
    let id = only_connection(&user).await;
    let reader = world.node.user_of(1, json!({ "scopes": "accounts:read accounts:sync orders:read" })).await;
    assert_eq!(refusal(remove(&reader, &id).await, 403).await.0, "INSUFFICIENT_SCOPE");
    let other_client = world.node.user_of(1, json!({ "client_id": "other" })).await;
    assert_eq!(refusal(remove(&other_client, &id).await, 403).await.0, "CONNECTION_NOT_SHARED");
    assert_eq!(only_connection(&user).await, id);
}

#[tokio::test]
async fn the_list_has_another_version_after_a_removal_and_counts_what_is_left() {
    let (_world, user) = World::connected(12, "user_items_3").await;
    let id = only_connection(&user).await;
    user.connected(1, "user_items_5").await;
    let list = async || {
        let page = user.get("/sync/orders?limit=1").await;
        let header = |name: &str| page.headers()[name].to_str().unwrap().to_owned();
        (header("x-total-count"), header("x-list-version"))
    };
    let (count, version) = list().await;
    assert_eq!(count, "8");
    assert_eq!(remove(&user, &id).await.status(), 204);
    let (count, later) = list().await;
    assert_eq!(count, "5");
    // An export that runs meanwhile notices by this.
    assert_ne!(later, version);
    assert_eq!(user.all_orders().await.len(), 5);
}
