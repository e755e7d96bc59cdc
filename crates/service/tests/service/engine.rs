//! The sync engine: how syncs end, and that nodes on one store do not disturb each other.

use ordersync_api::{SessionStatus, SyncErrorCode};
use serde_json::{Value, json};

use crate::harness::{Beside, Node, World, refusal, started};

#[tokio::test]
async fn each_scenario_ends_as_it_says() {
    let (_world, user) = World::with_user().await;
    let scenarios = [
        ("user_good", "completed", None, "valid"),
        ("user_empty", "completed", None, "valid"),
        ("user_slow", "completed", None, "valid"),
        ("user_flaky", "completed", None, "valid"),
        ("user_bad", "error", Some("credentials_refused"), "invalid"),
        ("user_locked", "error", Some("account_locked"), "invalid"),
        ("user_timeout", "timed_out", Some("retailer_timeout"), "pending"),
    ];
    for (retailer_id, (username, status, code, connection)) in (1_i64..).zip(scenarios) {
        let batch_id = user.connect(retailer_id, username).await;
        if status == "timed_out" {
            user.advance(60).await;
        }
        let session = user.ended(&batch_id).await;
        let part = &session.retailer_sync_sessions[0];
        assert_eq!(part.sync_status.to_string(), status, "{username}");
        assert_eq!(part.error.as_ref().map(|error| error.code.to_string()).as_deref(), code, "{username}");
        let connections = user.get_json("/sync/connections").await;
        let found = connections.as_array().unwrap().iter().find(|found| found["retailerId"] == retailer_id).unwrap();
        assert_eq!(found["status"], connection, "{username}");
        assert!(session.completed_at.is_some());
    }
}

#[tokio::test]
async fn every_error_code_can_be_had_for_the_asking() {
    let world = World::new().await;
    for (ending, code) in (1..).zip(SyncErrorCode::ALL) {
        let user = world.node.user(ending).await;
        let session = user.connected(2, &format!("error_{code}")).await;
        let error = session.retailer_sync_sessions[0].error.clone().unwrap();
        assert_eq!((error.code.to_string().as_str(), error.message.as_str()), (code.as_str(), code.message()));
        let status = if code.invalidates_connection() { "invalid" } else { "pending" };
        assert_eq!(user.get_json("/sync/connections").await[0]["status"], status, "{code}");
    }
}

#[tokio::test]
async fn a_sign_in_that_expired_is_repaired_by_a_fix() {
    let (_world, user) = World::connected(4, "user_expired").await;
    let batch_id = started(user.post("/sync/connections/sync", &Value::Null).await).await;
    let part = user.ended(&batch_id).await.retailer_sync_sessions[0].clone();
    assert_eq!(part.error.unwrap().code.to_string(), "retailer_session_expired");
    let id = part.connection_id.unwrap();
    let path = format!("/sync/connections/{id}/sync");
    assert_eq!(refusal(user.post(&path, &Value::Null).await, 409).await.0, "CONNECTION_INVALID");
    // No valid connection is left.
    let none: Value = user.post("/sync/connections/sync", &Value::Null).await.json().await.unwrap();
    assert_eq!(none, json!({ "status": "no_retailers" }));

    let body = user.sealed(4, "user_expired", "pass_good", "FIX").await;
    let session = user.ended(&started(user.post("/sync/connections/connect", &body).await).await).await;
    assert_eq!(session.retailer_sync_sessions[0].sync_status.to_string(), "completed");
    assert_eq!(user.get_json(&format!("/sync/connections/{id}")).await["status"], "valid");
}

#[tokio::test]
async fn a_connection_syncs_once_at_a_time() {
    let (_world, user) = World::with_user().await;
    let batch_id = user.connect(12, "user_mfa_enter").await;
    let id = user.get_json("/sync/connections").await[0]["connectionId"].as_str().unwrap().to_owned();
    for path in [format!("/sync/connections/{id}/sync"), "/sync/orders/sync?retailer=12".into()] {
        let (code, body) = refusal(user.post(&path, &Value::Null).await, 409).await;
        assert_eq!((code.as_str(), body["details"]["batchId"].as_str()), ("SYNC_IN_PROGRESS", Some(batch_id.as_str())));
    }
    let body = user.sealed(12, "user_good", "pass_good", "FIX").await;
    let put = user.request(reqwest::Method::PUT, &format!("/sync/connections/{id}")).json(&body);
    assert_eq!(refusal(put.send().await.unwrap(), 409).await.0, "SYNC_IN_PROGRESS");
    let body = user.sealed(12, "user_good", "pass_good", "CONNECT").await;
    let (code, body) = refusal(user.post("/sync/connections/connect", &body).await, 409).await;
    assert_eq!((code.as_str(), body["details"]["connectionId"].as_str()), ("CONNECTION_EXISTS", Some(id.as_str())));
}

#[tokio::test]
async fn a_sync_left_running_goes_on_at_the_next_start_and_loses_nothing() {
    let world = World::new().await;
    let expected = {
        let user = world.node.user(1).await;
        user.connected(12, "user_items_5000").await;
        user.all_orders().await.len()
    };
    let user = world.node.user(2).await;
    let batch_id = user.connect(12, "user_items_5000").await;
    user.until(&batch_id, |session| session.retailer_sync_sessions[0].items_found > Some(0)).await;
    world.node.stop().await;

    let node = Node::on(world.store.path(), |_| ()).await;
    let user = node.user(2).await;
    let session = user.ended(&batch_id).await;
    assert_eq!(session.retailer_sync_sessions[0].items_new, Some(expected as u64));
    assert_eq!(user.all_orders().await.len(), expected);
}

#[tokio::test]
async fn two_nodes_on_one_store_share_the_work_and_double_nothing() {
    let world = World::new().await;
    let other = Node::on(world.store.path(), |_| ()).await;
    let user = world.node.user(1).await;
    let mut batches = Vec::new();
    for retailer_id in 1..=6 {
        batches.push(user.connect(retailer_id, "user_items_700").await);
    }
    for batch_id in &batches {
        let session = user.ended(batch_id).await;
        assert_eq!(session.status, SessionStatus::Normal.into());
        let part = &session.retailer_sync_sessions[0];
        assert_eq!((part.items_found, part.items_new), (Some(700), Some(700)), "{part:?}");
    }
    assert_eq!(user.all_orders().await.len(), 4200);
    other.stop().await;
}

#[tokio::test]
async fn a_node_that_stops_hands_its_syncs_over_at_once() {
    let world = World::with(|config| config.sandbox.as_mut().unwrap().speed = 2.0).await;
    let user = world.node.user(1).await;
    let batch_id = user.connect(12, "user_slow").await;
    user.until(&batch_id, |session| session.retailer_sync_sessions[0].items_found > Some(0)).await;
    world.node.stop().await;
    // No lease has to run out before another node continues.
    let mut store = Beside::open(world.store.path()).await;
    let free =
        "SELECT COUNT(*) FROM retailer_sessions WHERE active = 1 AND lease_owner IS NULL AND lease_until IS NULL";
    assert_eq!(store.count(free).await, 1);
    let node = Node::on(world.store.path(), |_| ()).await;
    let session = node.user(1).await.ended(&batch_id).await;
    assert_eq!(session.retailer_sync_sessions[0].sync_status.to_string(), "completed");
}

#[tokio::test]
async fn the_latest_session_is_the_one_started_last() {
    let (_world, user) = World::with_user().await;
    assert_eq!(refusal(user.get("/sync/sessions/latest").await, 404).await.0, "NOT_FOUND");
    user.connected(1, "user_good").await;
    let second = user.connected(2, "user_empty").await;
    assert_eq!(user.get_json("/sync/sessions/latest").await["batchId"], second.batch_id.as_str());
    assert_eq!(refusal(user.get("/sync/sessions/batch_none").await, 404).await.0, "NOT_FOUND");
}
