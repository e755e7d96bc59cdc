//! The use of access tokens.

use chrono::TimeDelta;
use ordersync_api::Scope;
use serde_json::{Value, json};

use super::world::{CONFIDENTIAL, PUBLIC, World};
use crate::environment::Environment;
use crate::ids::new_token;
use crate::keys::token_digest;
use crate::links::Link;
use crate::store::accounts::oauth::access::TokenKind;
use crate::store::accounts::oauth::grants::{NewAccess, NewGrant};
use crate::store::sandbox::control::ClockChange;
use crate::web::widget_token;

/// A token of that prefix with every scope, inserted into the store.
async fn planted(world: &World, prefix: &str, client_id: &str) -> Value {
    let token = new_token(prefix).unwrap();
    let user_id = world.user().await;
    let grant = NewGrant { user_id: Some(&user_id), client_id, scopes: Scope::ALL };
    let (digest, life) = (token_digest(&token), TimeDelta::hours(1));
    let access = NewAccess { digest, kind: TokenKind::Client, scopes: Scope::ALL, life };
    world.app.store.add_grant(&grant, &access, world.now()).await.unwrap();
    json!(token)
}

#[tokio::test]
async fn an_access_token_is_good_for_an_hour_of_its_users_time() {
    let world = World::new().await;
    let token = world.tokens("accounts:read").await["access_token"].clone();
    world.wait(3599);
    assert_eq!(world.status_with(&token).await, 200);
    let second = ClockChange::Advance(std::time::Duration::from_secs(1));
    world.app.store.change_clock(&world.user().await, second, world.now()).await.unwrap();
    assert_eq!(world.status_with(&token).await, 401);
}

#[tokio::test]
async fn a_sandboxs_own_token_outlives_what_it_moves_its_users_clock_to() {
    let world = World::new().await;
    let request = world.http.post(format!("{}/sandbox/token", world.base)).json(&json!({ "phone": "+15550101" }));
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    let year = ClockChange::Advance(std::time::Duration::from_secs(365 * 86_400));
    world.app.store.change_clock(&world.user().await, year, world.now()).await.unwrap();
    assert_eq!(world.status_with(&answer["access_token"]).await, 200);
    world.wait(3600);
    assert_eq!(world.status_with(&answer["access_token"]).await, 401);
}

#[tokio::test]
async fn a_sandboxs_token_is_none_outside_of_it_and_the_other_way_round() {
    for (environment, prefix, foreign) in [
        (Environment::Sandbox, "ordersync_sandbox_at_", "ordersync_at"),
        (Environment::Live, "ordersync_at_", "ordersync_sandbox_at"),
    ] {
        let world = World::with(|app| app.environment = environment).await;
        let token = world.tokens("accounts:read").await["access_token"].clone();
        assert!(token.as_str().unwrap().starts_with(prefix));
        assert_eq!(world.status_with(&token).await, 200);
        // Refused even if it were in the store.
        let planted = planted(&world, foreign, PUBLIC).await;
        assert_eq!(world.status_with(&planted).await, 401);
    }
}

#[tokio::test]
async fn a_token_never_allows_more_than_its_client_is_permitted_now() {
    let world = World::new().await;
    let token = planted(&world, "ordersync_sandbox_at", CONFIDENTIAL).await;
    assert_eq!(world.status_with(&token).await, 200);
    assert_eq!(world.get("/sync/auth/totp", &token).await.status(), 403);
}

#[tokio::test]
async fn the_widgets_token_acts_for_the_user_for_a_quarter_of_an_hour_on_a_budget_of_its_own() {
    let world = World::limited_to(2).await;
    let link = Link {
        client_id: PUBLIC.into(),
        client_name: String::new(),
        external_user_id: "u1".into(),
        frame_ancestors: Vec::new(),
        return_url: None,
    };
    let user = world.user().await;
    let widget = json!(widget_token::new(&world.app, &link, &user).await.unwrap());
    let client = world.http.post(format!("{}/sandbox/token", world.base));
    let client = client.json(&json!({ "phone": "+15550101", "client_id": PUBLIC }));
    let client: Value = client.send().await.unwrap().json().await.unwrap();
    for token in [&widget, &client["access_token"]] {
        assert_eq!([world.status_with(token).await, world.status_with(token).await], [200, 200]);
        assert_eq!(world.status_with(token).await, 429);
    }
    world.wait(60);
    assert_eq!(world.get("/sync/orders", &widget).await.status(), 403, "not what the widget does");
    world.wait(15 * 60 - 60);
    assert_eq!(world.status_with(&widget).await, 401);
}
