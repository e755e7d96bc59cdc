//! The sandbox's controls.

use serde_json::{Value, json};

use crate::harness::{Beside, World, refusal, started};

#[tokio::test]
async fn tokens_are_given_to_the_sandboxs_numbers_alone() {
    let world = World::new().await;
    let http = world.node.user(1).await.http;
    let post =
        async |body: Value| http.post(format!("{}/sandbox/token", world.node.base)).json(&body).send().await.unwrap();
    let given: Value = post(json!({ "phone": "+15550199", "scopes": "orders:read" })).await.json().await.unwrap();
    assert_eq!((&given["scope"], &given["expires_in"]), (&json!("orders:read"), &json!(3600)));
    assert!(given["access_token"].as_str().unwrap().starts_with("ordersync_sandbox_at_"));
    for (body, field) in [
        (json!({}), "phone"),
        (json!({ "phone": "+15550200" }), "phone"),
        (json!({ "phone": "+155501\u{661}\u{662}" }), "phone"),
        (json!({ "phone": "+15550100", "scopes": "orders:write" }), "scopes"),
        (json!({ "phone": "+15550100", "client_id": "a b" }), "client_id"),
        (json!({ "phone": "+15550100", "clientId": "a" }), "clientId"),
    ] {
        assert_eq!(refusal(post(body).await, 400).await.1["details"]["field"], field);
    }
}

#[tokio::test]
async fn a_fresh_sandbox_has_its_own_client_from_the_start() {
    let world = World::new().await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let secret = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one";
    let request = http.post(format!("{}/oauth/token", world.node.base)).basic_auth("sandbox", Some(secret));
    let response = request.form(&[("grant_type", "client_credentials")]).send().await.unwrap();
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn a_reset_forgets_ones_own_data_and_nobody_elses() {
    let world = World::new().await;
    let (user, other) = (world.node.user(1).await, world.node.user(2).await);
    user.connected(1, "user_good").await;
    other.connected(1, "user_good").await;
    assert_eq!(user.post("/sandbox/reset", &json!({})).await.status(), 204);
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
    assert_eq!(user.all_orders().await.len(), 0);
    assert_eq!(user.get("/sync/sessions/latest").await.status(), 404);
    assert!(!other.all_orders().await.is_empty());
    user.connected(1, "user_good").await;
    assert_eq!(user.post("/sandbox/reset", &json!({ "all": true })).await.status(), 204);
    assert_eq!(other.get_json("/sync/connections").await, json!([]));
}

#[tokio::test]
async fn a_reset_in_the_middle_of_a_sync_leaves_nothing_behind() {
    let world = World::new().await;
    let user = world.node.user(1).await;
    let batch_id = user.connect(1, "user_items_20000").await;
    user.until(&batch_id, |session| session.retailer_sync_sessions[0].items_found > Some(0)).await;
    assert_eq!(user.post("/sandbox/reset", &json!({})).await.status(), 204);
    let session = user.connected(1, "user_items_10").await;
    assert_eq!(session.retailer_sync_sessions[0].items_new, Some(10));
    assert_eq!(user.all_orders().await.len(), 10);
}

#[tokio::test]
async fn a_broken_connection_is_invalid_until_it_is_fixed() {
    let world = World::new().await;
    let user = world.node.user(1).await;
    user.connected(1, "user_good").await;
    let id = user.get_json("/sync/connections").await[0]["connectionId"].clone();
    let broken: Value = user.post("/sandbox/break", &json!({ "connectionId": id })).await.json().await.unwrap();
    assert_eq!(broken["status"], "invalid");
    let invalid = user.get_json("/sync/connections?status=invalid").await;
    assert_eq!(invalid.as_array().unwrap().len(), 1);
    let body = user.sealed(1, "user_good", "pass_good", "FIX").await;
    let put = user.request(reqwest::Method::PUT, &format!("/sync/connections/{}", id.as_str().unwrap())).json(&body);
    user.ended(&started(put.send().await.unwrap()).await).await;
    assert_eq!(user.get_json("/sync/connections?status=valid").await.as_array().unwrap().len(), 1);
    assert_eq!(
        refusal(user.post("/sandbox/break", &json!({ "connectionId": "conn_x" })).await, 404).await.0,
        "NOT_FOUND"
    );
}

#[tokio::test]
async fn the_clock_moves_and_stands_for_one_user_alone() {
    let world = World::new().await;
    let (user, other) = (world.node.user(1).await, world.node.user(2).await);
    let now = async |user: &crate::harness::User| {
        let answer = user.post("/sandbox/clock", &json!({ "advanceSeconds": 0 })).await;
        answer.json::<ordersync_api::sandbox::ClockResponse>().await.unwrap()
    };
    let before = now(&user).await.now.0;
    user.post("/sandbox/clock", &json!({ "freeze": true })).await;
    user.post("/sandbox/clock", &json!({ "advanceSeconds": 86_400 })).await;
    let frozen = now(&user).await;
    assert!(frozen.frozen && (frozen.now.0 - before).num_seconds() >= 86_400);
    assert_eq!(now(&user).await.now, frozen.now);
    assert!((now(&other).await.now.0 - before).num_seconds() < 3600);
    user.post("/sandbox/clock", &json!({ "freeze": false })).await;
    let running = now(&user).await;
    assert!(!running.frozen && running.now > frozen.now);
    for body in [json!({}), json!({ "freeze": true, "advanceSeconds": 1 }), json!({ "advanceSeconds": -1 })] {
        assert_eq!(refusal(user.post("/sandbox/clock", &body).await, 400).await.0, "INVALID_REQUEST");
    }
}

#[tokio::test]
async fn a_clock_move_says_whether_what_fell_due_is_done() {
    let world = World::with(|config| config.sandbox.as_mut().unwrap().speed = 1.0).await;
    let user = world.node.user(1).await;
    let batch_id = user.connect(12, "user_good").await;
    // Another node has the work, and does nothing with it.
    let mut other = Beside::open(world.store.path()).await;
    let hold =
        "UPDATE retailer_sessions SET epoch = epoch + 1, lease_owner = 'node_other', lease_until = 4000000000000000";
    other.run(hold).await;
    let moved: Value = user.post("/sandbox/clock", &json!({ "advanceSeconds": 60 })).await.json().await.unwrap();
    assert_eq!(moved["settled"], false);
    assert_eq!(user.session(&batch_id).await.status.to_string(), "syncing");
    other.run("UPDATE retailer_sessions SET epoch = epoch + 1, lease_owner = 'node_other', lease_until = 0").await;
    user.advance(0).await;
    assert_eq!(user.session(&batch_id).await.status.to_string(), "normal");
}
