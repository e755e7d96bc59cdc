//! The sandbox's controls.

use ordersync_api::sandbox::CLIENT_SECRET;
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
    let request = http.post(format!("{}/oauth/token", world.node.base)).basic_auth("sandbox", Some(CLIENT_SECRET));
    let response = request.form(&[("grant_type", "client_credentials")]).send().await.unwrap();
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn the_same_user_retailer_and_account_have_the_same_ids_and_orders_in_every_sandbox() {
    let (one, other) = (World::new().await, World::new().await);
    let synced = async |world: &World, ending| {
        let user = world.node.user(ending).await;
        for retailer_id in [12, 7] {
            user.connected(retailer_id, "user_items_300").await;
        }
        let mut orders = user.all_orders().await;
        for line in &mut orders {
            line.as_object_mut().unwrap().remove("updatedAt");
        }
        (user.get_json("/sync/profile").await["userId"].clone(), orders)
    };
    let first = synced(&one, 1).await;
    assert!(synced(&other, 1).await == first);
    let user = one.node.user(1).await;
    assert_eq!(user.post("/sandbox/reset", &json!({})).await.status(), 204);
    assert!(synced(&one, 1).await == first);
    // Another user has other ids, and the same lines in the same order.
    let lines = |orders: &[Value]| {
        orders.iter().map(|line| (line["orderId"].clone(), line["itemName"].clone())).collect::<Vec<_>>()
    };
    let second = synced(&one, 2).await;
    assert_eq!(lines(&second.1), lines(&first.1));
    assert!(second.1.iter().zip(&first.1).all(|(one, other)| one["id"] != other["id"]));
}

#[tokio::test]
async fn a_removed_connection_that_is_made_again_has_its_id_again() {
    let (_world, user) = World::with_user().await;
    let id = async || user.get_json("/sync/connections").await[0]["connectionId"].as_str().unwrap().to_owned();
    user.connected(12, "user_items_30").await;
    let first = id().await;
    let gone = user.request(reqwest::Method::DELETE, &format!("/sync/connections/{first}")).send().await.unwrap();
    assert_eq!(gone.status(), 204);
    let session = user.connected(12, "user_items_30").await;
    assert_eq!((id().await, session.retailer_sync_sessions[0].items_new), (first, Some(30)));
    assert_eq!(user.all_orders().await.len(), 30);
    let again = user.sealed(12, "user_items_30", "pass_good", "CONNECT").await;
    let refused = user.post("/sync/connections/connect", &again).await;
    assert_eq!(refusal(refused, 409).await.0, "CONNECTION_EXISTS");
}

#[tokio::test]
async fn a_history_ends_on_the_day_of_its_connection_and_stays_as_it_is() {
    let (world, user) = World::with_user().await;
    user.advance(40 * 86_400).await;
    let now: Value = user.post("/sandbox/clock", &json!({ "advanceSeconds": 0 })).await.json().await.unwrap();
    let today = &now["now"].as_str().unwrap()[..10];
    user.connected(12, "user_good").await;
    let first = user.all_orders().await;
    assert_eq!(first[0]["orderDate"], format!("{today}T00:00:00Z"));
    user.advance(10 * 86_400).await;
    user.ended(&started(user.post("/sync/connections/sync?full=true", &Value::Null).await).await).await;
    assert!(user.all_orders().await == first);

    // Another user's connection is of a version whose histories all ended on one day.
    let other = world.node.user(2).await;
    other.connected(12, "error_retailer_unavailable").await;
    Beside::open(world.store.path()).await.run("UPDATE connections SET history_end = NULL").await;
    let body = other.sealed(12, "user_good", "pass_good", "FIX").await;
    other.ended(&started(other.post("/sync/connections/connect", &body).await).await).await;
    let old = other.all_orders().await;
    assert!(old[0]["orderDate"].as_str().unwrap().starts_with("2026-06"), "{}", old[0]);
    assert_eq!(old.len(), first.len());
}

#[tokio::test]
async fn a_reset_forgets_ones_own_data_and_nobody_elses() {
    let (_world, [user, other]) = World::with_users([1, 2]).await;
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
    let (_world, user) = World::with_user().await;
    let batch_id = user.connect(1, "user_items_20000").await;
    user.until(&batch_id, |session| session.retailer_sync_sessions[0].items_found > Some(0)).await;
    assert_eq!(user.post("/sandbox/reset", &json!({})).await.status(), 204);
    let session = user.connected(1, "user_items_10").await;
    assert_eq!(session.retailer_sync_sessions[0].items_new, Some(10));
    assert_eq!(user.all_orders().await.len(), 10);
}

#[tokio::test]
async fn a_broken_connection_is_invalid_until_it_is_fixed() {
    let (_world, user) = World::connected(1, "user_good").await;
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
    let (_world, [user, other]) = World::with_users([1, 2]).await;
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

#[tokio::test]
async fn a_binding_is_removed_alone_or_with_the_rest() {
    let (world, user) = World::with_user().await;
    let link = async || {
        let request = user.request(reqwest::Method::POST, "/v1/link/token").header("X-Client-Secret", CLIENT_SECRET);
        let answer = request.json(&json!({ "external_user_id": "u1" })).send().await.unwrap();
        answer.json::<Value>().await.unwrap()["link_token"].as_str().unwrap().to_owned()
    };
    let share = async || {
        let request = user.request(reqwest::Method::GET, "/v1/users/share").header("X-Client-Secret", CLIENT_SECRET);
        request.header("X-Link-Token", link().await).send().await.unwrap().status().as_u16()
    };
    let bind = async |phone: &str| {
        let browser = crate::pages::Browser::new(&world);
        let page = browser.get(&format!("/widget?link_token={}", link().await)).await.text().await.unwrap();
        browser.sign_in(&page, phone, "/widget").await.status().as_u16()
    };
    let unbind = async |body: Value| user.post("/sandbox/unbind", &body).await;
    assert_eq!(refusal(unbind(json!({ "external_user_id": "u1" })).await, 404).await.0, "NOT_FOUND");
    assert_eq!(bind("+15550101").await, 200);
    assert_eq!((share().await, bind("+15550102").await), (200, 409));
    assert_eq!(unbind(json!({ "external_user_id": "u1", "client_id": "other" })).await.status(), 404);
    assert_eq!(unbind(json!({ "external_user_id": "u1" })).await.status(), 204);
    assert_eq!((share().await, bind("+15550102").await, share().await), (404, 200, 200));
    // The binding is that of the user who signed in, and goes with what that user has.
    user.post("/sandbox/reset", &json!({})).await;
    assert_eq!(share().await, 200);
    world.node.user(2).await.post("/sandbox/reset", &json!({})).await;
    assert_eq!((share().await, bind("+15550101").await), (404, 200));
    user.post("/sandbox/reset", &json!({ "all": true })).await;
    assert_eq!(share().await, 404);
}

#[tokio::test]
async fn a_client_that_is_created_by_naming_it_is_reported() {
    let world = World::new().await;
    let http = world.node.user(1).await.http;
    let created = async |client_id: &str| {
        let body = json!({ "phone": "+15550101", "client_id": client_id });
        let answer = http.post(format!("{}/sandbox/token", world.node.base)).json(&body).send().await.unwrap();
        answer.json::<Value>().await.unwrap()["client_created"].clone()
    };
    assert_eq!(
        (created("my-app").await, created("my-app").await, created("sandbox").await),
        (json!(true), json!(false), json!(false))
    );
}
