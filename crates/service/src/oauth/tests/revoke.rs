//! Revocation.

use super::world::{CONFIDENTIAL, PUBLIC, SECRET, World, refresh, refused};

async fn revoke(world: &World, token: &str) -> reqwest::Response {
    world.post("/oauth/revoke", &[("client_id", PUBLIC), ("token", token), ("token_type_hint", "whatever")]).await
}

#[tokio::test]
async fn a_revoked_refresh_token_ends_all_that_came_from_its_grant_at_once() {
    let world = World::new().await;
    let tokens = world.tokens("accounts:read").await;
    let other = world.tokens("accounts:read").await;
    assert_eq!(revoke(&world, tokens["refresh_token"].as_str().unwrap()).await.status(), 200);
    assert_eq!(world.status_with(&tokens["access_token"]).await, 401);
    assert_eq!(refused(world.token(&refresh(&tokens["refresh_token"])).await, 400).await, "invalid_grant");
    assert_eq!(world.status_with(&other["access_token"]).await, 200);
}

#[tokio::test]
async fn a_revoked_access_token_ends_alone() {
    let world = World::new().await;
    let tokens = world.tokens("accounts:read").await;
    assert_eq!(revoke(&world, tokens["access_token"].as_str().unwrap()).await.status(), 200);
    assert_eq!(world.status_with(&tokens["access_token"]).await, 401);
    assert_eq!(world.token(&refresh(&tokens["refresh_token"])).await.status(), 200);
}

#[tokio::test]
async fn a_token_that_does_not_exist_is_as_good_as_revoked_and_another_clients_is_refused() {
    let world = World::new().await;
    let tokens = world.tokens("accounts:read").await;
    assert_eq!(revoke(&world, "unknown").await.status(), 200);
    assert_eq!(refused(revoke(&world, "").await, 400).await, "invalid_request");
    for token in ["access_token", "refresh_token"] {
        let token = tokens[token].as_str().unwrap();
        let form = [("client_id", CONFIDENTIAL), ("client_secret", SECRET), ("token", token)];
        assert_eq!(refused(world.post("/oauth/revoke", &form).await, 400).await, "invalid_grant");
    }
    assert_eq!(refused(world.post("/oauth/revoke", &[("token", "x")]).await, 401).await, "invalid_client");
    assert_eq!(world.status_with(&tokens["access_token"]).await, 200);
}
