//! Connections that failed, and how they come back: syncing again, fixing, and credentials of another account.

use ordersync_api::Session;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{User, World, refusal, started};

/// The status of the first retailer, and its error code.
fn ended_in(session: &Session) -> (String, Option<String>) {
    let part = &session.retailer_sync_sessions[0];
    (part.sync_status.to_string(), part.error.as_ref().map(|error| error.code.to_string()))
}

async fn connection(user: &User, retailer_id: i64) -> Value {
    let connections = user.get_json("/sync/connections").await;
    connections.as_array().unwrap().iter().find(|one| one["retailerId"] == retailer_id).unwrap().clone()
}

async fn fix(user: &User, retailer_id: i64, username: &str) -> Session {
    let body = user.sealed(retailer_id, username, "pass_good", "FIX").await;
    user.ended(&started(user.post("/sync/connections/connect", &body).await).await).await
}

fn ids(orders: &[Value]) -> Vec<&str> {
    orders.iter().map(|order| order["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn credentials_of_another_account_change_nothing() {
    let (_world, user) = World::connected(12, "user_good").await;
    let before = user.all_orders().await;
    let session = fix(&user, 12, "user_items_50").await;
    assert_eq!(ended_in(&session), ("error".into(), Some("account_mismatch".into())));
    let found = connection(&user, 12).await;
    assert_eq!((&found["status"], &found["statusReason"]), (&json!("invalid"), &json!("account_mismatch")));
    assert_eq!(user.all_orders().await, before);

    // The same user name again, however it is written: the stored orders are this account's.
    let session = fix(&user, 12, "User_Good").await;
    assert_eq!(ended_in(&session), ("completed".into(), None));
    assert_eq!(session.retailer_sync_sessions[0].items_new, Some(0));
    assert_eq!(connection(&user, 12).await["status"], "valid");
    assert_eq!(ids(&user.all_orders().await), ids(&before));
}

#[tokio::test]
async fn refused_credentials_of_another_user_name_do_not_replace_those_that_work() {
    let (_world, user) = World::connected(12, "user_good").await;
    // Its sign-in never ends, which is a passing reason: the connection can be synced with what is stored.
    let body = user.sealed(12, "user_timeout", "pass_good", "FIX").await;
    let batch_id = started(user.post("/sync/connections/connect", &body).await).await;
    user.advance(60).await;
    assert_eq!(ended_in(&user.ended(&batch_id).await), ("timed_out".into(), Some("retailer_timeout".into())));
    let found = connection(&user, 12).await;
    assert_eq!((&found["status"], &found["statusReason"]), (&json!("pending"), &json!("retailer_timeout")));
    let path = format!("/sync/connections/{}/sync", found["connectionId"].as_str().unwrap());
    let session = user.ended(&started(user.post(&path, &Value::Null).await).await).await;
    assert_eq!(ended_in(&session), ("completed".into(), None));
    assert_eq!(connection(&user, 12).await["status"], "valid");
}

#[tokio::test]
async fn without_stored_orders_another_user_name_is_taken() {
    let (_world, user) = World::connected(12, "user_bad").await;
    assert_eq!(ended_in(&fix(&user, 12, "user_good").await), ("completed".into(), None));
    // They are the stored ones now.
    let batch_id = started(user.post("/sync/connections/sync", &Value::Null).await).await;
    assert_eq!(ended_in(&user.ended(&batch_id).await), ("completed".into(), None));
}

#[tokio::test]
async fn what_is_pending_after_a_failure_is_synced_with_the_valid_ones_and_can_be_fixed() {
    let (_world, user) = World::connected(1, "error_retailer_unavailable").await;
    let found = connection(&user, 1).await;
    assert_eq!((&found["status"], &found["statusReason"]), (&json!("pending"), &json!("retailer_unavailable")));
    // No connection is valid: as the specification has it, whatever is pending.
    let none: Value = user.post("/sync/connections/sync", &Value::Null).await.json().await.unwrap();
    assert_eq!(none, json!({ "status": "no_retailers" }));

    user.connected(2, "user_good").await;
    let batch_id = started(user.post("/sync/connections/sync", &Value::Null).await).await;
    let session = user.ended(&batch_id).await;
    let retailers: Vec<i64> = session.retailer_sync_sessions.iter().map(|part| part.retailer_id).collect();
    assert_eq!(retailers, [1, 2]);

    let path = format!("/sync/connections/{}", found["connectionId"].as_str().unwrap());
    let body = user.sealed(1, "user_good", "pass_good", "FIX").await;
    let put = user.request(Method::PUT, &path).json(&body).send().await.unwrap();
    assert_eq!(ended_in(&user.ended(&started(put).await).await), ("completed".into(), None));
    assert_eq!(connection(&user, 1).await["status"], "valid");
}

#[tokio::test]
async fn while_it_syncs_a_pending_connection_says_no_reason_and_is_not_fixed() {
    let (_world, user) = World::connected(1, "error_retailer_unavailable").await;
    let id = connection(&user, 1).await["connectionId"].as_str().unwrap().to_owned();
    // Nothing falls due any more.
    user.post("/sandbox/clock", &json!({ "freeze": true })).await;
    let body = user.sealed(1, "user_slow", "pass_good", "FIX").await;
    started(user.post("/sync/connections/connect", &body).await).await;
    assert_eq!(connection(&user, 1).await.get("statusReason"), None);
    let body = user.sealed(1, "user_good", "pass_good", "FIX").await;
    let put = user.request(Method::PUT, &format!("/sync/connections/{id}")).json(&body).send().await.unwrap();
    assert_eq!(refusal(put, 409).await.0, "SYNC_IN_PROGRESS");
}

#[tokio::test]
async fn no_retailers_is_the_answer_to_the_same_request_later() {
    let (_world, user) = World::with_user().await;
    let ask = async || {
        let request = user.request(Method::POST, "/sync/connections/sync").header("Idempotency-Key", "k");
        request.send().await.unwrap()
    };
    let none: Value = ask().await.json().await.unwrap();
    assert_eq!(none, json!({ "status": "no_retailers" }));
    user.connected(1, "user_good").await;
    let again = ask().await;
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!(again.json::<Value>().await.unwrap(), none);
}

#[tokio::test]
async fn a_full_sync_reads_settled_orders_again() {
    let (_world, user) = World::connected(12, "user_good").await;
    let id = connection(&user, 12).await["connectionId"].as_str().unwrap().to_owned();
    for path in [
        format!("/sync/connections/{id}/sync?full=true"),
        "/sync/connections/sync?full=true".into(),
        "/sync/orders/sync?full=true".into(),
        "/sync/orders/sync?retailer=12&full=false".into(),
    ] {
        let session = user.ended(&started(user.post(&path, &Value::Null).await).await).await;
        assert_eq!(ended_in(&session), ("completed".into(), None), "{path}");
        assert_eq!(session.retailer_sync_sessions[0].items_new, Some(0), "{path}");
    }
    let refused = user.post("/sync/connections/sync?full=yes", &Value::Null).await;
    assert_eq!(refusal(refused, 400).await.1["details"]["field"], "full");
}

#[tokio::test]
async fn advancing_the_clock_times_out_no_healthy_sync_and_returns_when_it_is_done() {
    // As fast as life: the sign-in alone takes most of a second, the whole a few.
    let world = World::with(|config| config.sandbox.as_mut().unwrap().speed = 1.0).await;
    for (ending, seconds) in [(1, 20), (2, 60), (3, 86_400)] {
        let user = world.node.user(ending).await;
        let batch_id = user.connect(12, "user_good").await;
        user.advance(seconds).await;
        let session = user.session(&batch_id).await;
        assert_eq!(ended_in(&session), ("completed".into(), None), "{seconds}");
    }
    // A slow one goes on where the clock is, and ends by a second move.
    let user = world.node.user(4).await;
    let batch_id = user.connect(12, "user_slow").await;
    user.advance(5).await;
    assert_eq!(user.session(&batch_id).await.status.to_string(), "syncing");
    user.advance(60).await;
    assert_eq!(ended_in(&user.session(&batch_id).await), ("completed".into(), None));
}
