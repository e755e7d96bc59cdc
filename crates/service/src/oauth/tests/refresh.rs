//! Refresh tokens: rotation, the grace period, and the events that end a family.

use serde_json::{Value, json};

use super::world::{PUBLIC, World, ok, refresh, refused};

#[tokio::test]
async fn each_refresh_gives_new_tokens_and_old_access_tokens_live_on() {
    let world = World::new().await;
    let first = world.tokens("accounts:read orders:read").await;
    let second = ok(world.token(&refresh(&first["refresh_token"])).await).await;
    assert_ne!(first["access_token"], second["access_token"]);
    assert_ne!(first["refresh_token"], second["refresh_token"]);
    assert_eq!(second["scope"], "accounts:read orders:read");
    assert_eq!(world.status_with(&first["access_token"]).await, 200);
    assert_eq!(world.status_with(&second["access_token"]).await, 200);
    ok(world.token(&refresh(&second["refresh_token"])).await).await;
}

#[tokio::test]
async fn within_the_grace_a_used_token_gives_the_one_same_successor() {
    let world = World::new().await;
    let first = world.tokens("accounts:read").await;
    let form = refresh(&first["refresh_token"]);
    let (one, other) = tokio::join!(world.token(&form), world.token(&form));
    let (one, other) = (ok(one).await, ok(other).await);
    world.wait(30);
    let late = ok(world.token(&form).await).await;
    assert_eq!(one["refresh_token"], other["refresh_token"]);
    assert_eq!(one["refresh_token"], late["refresh_token"]);
    for tokens in [&one, &other, &late] {
        assert_eq!(world.status_with(&tokens["access_token"]).await, 200);
    }
    ok(world.token(&refresh(&late["refresh_token"])).await).await;
}

#[tokio::test]
async fn after_the_grace_a_used_token_ends_the_family() {
    let world = World::new().await;
    let first = world.tokens("accounts:read").await;
    let second = ok(world.token(&refresh(&first["refresh_token"])).await).await;
    let unrelated = world.tokens("accounts:read").await;
    world.wait(31);
    assert_eq!(refused(world.token(&refresh(&first["refresh_token"])).await, 400).await, "invalid_grant");
    for tokens in [&first, &second] {
        assert_eq!(world.status_with(&tokens["access_token"]).await, 401);
    }
    assert_eq!(refused(world.token(&refresh(&second["refresh_token"])).await, 400).await, "invalid_grant");
    assert_eq!(world.status_with(&unrelated["access_token"]).await, 200);
}

#[tokio::test]
async fn within_the_grace_a_used_token_whose_successor_was_used_ends_the_family() {
    let world = World::new().await;
    let first = world.tokens("accounts:read").await;
    let second = ok(world.token(&refresh(&first["refresh_token"])).await).await;
    let third = ok(world.token(&refresh(&second["refresh_token"])).await).await;
    let unrelated = world.tokens("accounts:read").await;
    assert_eq!(refused(world.token(&refresh(&first["refresh_token"])).await, 400).await, "invalid_grant");
    for tokens in [&first, &second, &third] {
        assert_eq!(world.status_with(&tokens["access_token"]).await, 401);
    }
    assert_eq!(refused(world.token(&refresh(&third["refresh_token"])).await, 400).await, "invalid_grant");
    assert_eq!(world.status_with(&unrelated["access_token"]).await, 200);
}

#[tokio::test]
async fn a_token_used_many_times_at_once_gives_one_answer() {
    let world = World::new().await;
    let first = world.tokens("accounts:read orders:read").await;
    let form = refresh(&first["refresh_token"]);
    let answers = futures::future::join_all((0..20).map(|_| world.token(&form))).await;
    let mut seen = std::collections::BTreeSet::new();
    for answer in answers {
        let tokens = ok(answer).await;
        seen.insert((tokens["access_token"].to_string(), tokens["refresh_token"].to_string()));
    }
    assert_eq!(seen.len(), 1, "{seen:?}");
    // An answer that is repeated later has less time left.
    world.wait(20);
    assert_eq!(ok(world.token(&form).await).await["expires_in"], 3580);
    // Nor does a request for fewer scopes give another token.
    let narrower = [&form[..], &[("scope", "orders:read")]].concat();
    assert_eq!(refused(world.token(&narrower).await, 400).await, "invalid_scope");
}

#[tokio::test]
async fn a_refresh_may_ask_for_less_but_never_for_more() {
    let world = World::new().await;
    let first = world.tokens("accounts:read orders:read").await;
    let asking = |token: &Value, scope: &'static str| {
        let token = token.as_str().unwrap().to_owned();
        let world = &world;
        async move {
            let form = [("grant_type", "refresh_token"), ("refresh_token", &token), ("scope", scope)];
            world.token(&form).await
        }
    };
    for beyond in ["accounts:read accounts:connect", "orders:write"] {
        assert_eq!(refused(asking(&first["refresh_token"], beyond).await, 400).await, "invalid_scope");
    }
    let narrow = ok(asking(&first["refresh_token"], "orders:read").await).await;
    assert_eq!(narrow["scope"], "orders:read");
    assert_eq!(world.status_with(&narrow["access_token"]).await, 403);
    let whole = ok(world.token(&refresh(&narrow["refresh_token"])).await).await;
    assert_eq!(whole["scope"], "accounts:read orders:read");
}

#[tokio::test]
async fn ninety_days_unused_are_the_end_and_each_use_gives_ninety_more() {
    let world = World::new().await;
    let mut tokens = world.tokens("accounts:read").await;
    for _ in 0..3 {
        world.wait(90 * 86_400 - 1);
        tokens = ok(world.token(&refresh(&tokens["refresh_token"])).await).await;
    }
    world.wait(90 * 86_400);
    assert_eq!(refused(world.token(&refresh(&tokens["refresh_token"])).await, 400).await, "invalid_grant");
}

#[tokio::test]
async fn another_clients_refresh_token_is_refused_and_stays_good() {
    let world = World::new().await;
    let tokens = world.tokens("accounts:read").await;
    let form = refresh(&tokens["refresh_token"]);
    assert_eq!(refused(world.token_with_secret(&form).await, 400).await, "invalid_grant");
    ok(world.token(&form).await).await;
    for malformed in [json!("x"), json!("ordersync_sandbox_rt_"), tokens["access_token"].clone()] {
        assert_eq!(refused(world.token(&refresh(&malformed)).await, 400).await, "invalid_grant");
    }
}

#[tokio::test]
async fn a_disabled_client_gets_no_more() {
    let world = World::new().await;
    let tokens = world.tokens("accounts:read").await;
    world.app.store.disable_client(PUBLIC, world.operator()).await.unwrap();
    assert_eq!(refused(world.token(&refresh(&tokens["refresh_token"])).await, 401).await, "invalid_client");
    assert_eq!(world.status_with(&tokens["access_token"]).await, 401);
}

#[tokio::test]
async fn clearing_away_what_has_expired_leaves_what_is_good() {
    let world = World::new().await;
    let old = world.tokens("accounts:read").await;
    world.wait(80 * 86_400);
    world.app.store.prune(world.now(), chrono::TimeDelta::days(90)).await.unwrap();
    let tokens = ok(world.token(&refresh(&old["refresh_token"])).await).await;
    world.wait(40 * 86_400);
    world.app.store.prune(world.now(), chrono::TimeDelta::days(90)).await.unwrap();
    ok(world.token(&refresh(&tokens["refresh_token"])).await).await;
    world.wait(100 * 86_400);
    world.app.store.prune(world.now(), chrono::TimeDelta::days(90)).await.unwrap();
    assert_eq!(refused(world.token(&refresh(&tokens["refresh_token"])).await, 400).await, "invalid_grant");
}
