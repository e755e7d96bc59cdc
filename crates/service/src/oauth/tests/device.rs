//! Device authorization: codes, polling, decisions.

use serde_json::Value;

use super::world::{DEVICE_GRANT, PUBLIC, World, ok, refused};
use crate::authorization::device;

async fn start(world: &World, scope: &str) -> Value {
    ok(world.post("/oauth/device_authorization", &[("client_id", PUBLIC), ("scope", scope)]).await).await
}

fn polling(started: &Value) -> [(&str, &str); 2] {
    [("grant_type", DEVICE_GRANT), ("device_code", started["device_code"].as_str().unwrap())]
}

#[tokio::test]
async fn a_device_gets_tokens_once_its_user_has_approved() {
    let world = World::new().await;
    let started = start(&world, "accounts:read").await;
    let user_code = started["user_code"].as_str().unwrap();
    assert_eq!(started["verification_uri"], format!("{}/device", world.base));
    assert_eq!(started["verification_uri_complete"], format!("{}/device?user_code={user_code}", world.base));
    assert_eq!(refused(world.token(&polling(&started)).await, 400).await, "authorization_pending");
    let typed = user_code.replace('-', " ").to_lowercase();
    let asked = device::pending(&world.app, &typed).await.unwrap().unwrap();
    assert_eq!(asked.client_name, "ordersync command line");
    assert!(device::decide(&world.app, &typed, &world.user().await, true).await.unwrap());
    assert_eq!(device::pending(&world.app, user_code).await.unwrap(), None);
    assert!(!device::decide(&world.app, user_code, &world.user().await, false).await.unwrap(), "decided already");
    let tokens = ok(world.token(&polling(&started)).await).await;
    assert_eq!(tokens["scope"], "accounts:read");
    assert!(tokens["refresh_token"].is_string());
    assert_eq!(world.status_with(&tokens["access_token"]).await, 200);
    assert_eq!(refused(world.token(&polling(&started)).await, 400).await, "invalid_grant");
}

#[tokio::test]
async fn a_device_that_polls_too_soon_waits_five_seconds_longer_each_time() {
    let world = World::new().await;
    let started = start(&world, "").await;
    assert_eq!(started["interval"], 5);
    let poll = async || refused(world.token(&polling(&started)).await, 400).await;
    assert_eq!(poll().await, "authorization_pending");
    world.wait(5);
    assert_eq!(poll().await, "authorization_pending");
    world.wait(4);
    assert_eq!(poll().await, "slow_down");
    world.wait(9);
    assert_eq!(poll().await, "slow_down");
    world.wait(15);
    assert_eq!(poll().await, "authorization_pending");
}

#[tokio::test]
async fn a_refusal_ends_it() {
    let world = World::new().await;
    let started = start(&world, "").await;
    let user_code = started["user_code"].as_str().unwrap();
    assert!(device::decide(&world.app, user_code, &world.user().await, false).await.unwrap());
    assert_eq!(refused(world.token(&polling(&started)).await, 400).await, "access_denied");
    assert_eq!(refused(world.token(&polling(&started)).await, 400).await, "invalid_grant");
}

#[tokio::test]
async fn a_quarter_of_an_hour_is_all_there_is() {
    let world = World::new().await;
    let started = start(&world, "").await;
    let user_code = started["user_code"].as_str().unwrap();
    assert_eq!(started["expires_in"], 900);
    world.wait(900);
    assert_eq!(refused(world.token(&polling(&started)).await, 400).await, "expired_token");
    assert_eq!(device::pending(&world.app, user_code).await.unwrap(), None);
    assert!(!device::decide(&world.app, user_code, &world.user().await, true).await.unwrap());
}

#[tokio::test]
async fn a_device_code_is_its_clients_alone() {
    let world = World::new().await;
    let started = start(&world, "").await;
    assert_eq!(refused(world.token_with_secret(&polling(&started)).await, 400).await, "invalid_grant");
    let guessed = [("grant_type", DEVICE_GRANT), ("device_code", "guessed")];
    assert_eq!(refused(world.token(&guessed).await, 400).await, "invalid_grant");
    assert_eq!(refused(world.token(&guessed[..1]).await, 400).await, "invalid_request");
    let beyond = [("client_id", PUBLIC), ("scope", "orders:write")];
    assert_eq!(refused(world.post("/oauth/device_authorization", &beyond).await, 400).await, "invalid_scope");
    let unknown = [("client_id", "unknown")];
    assert_eq!(refused(world.post("/oauth/device_authorization", &unknown).await, 401).await, "invalid_client");
    world.app.store.disable_client(PUBLIC, world.operator()).await.unwrap();
    let user_code = started["user_code"].as_str().unwrap();
    assert_eq!(device::pending(&world.app, user_code).await.unwrap(), None);
}
