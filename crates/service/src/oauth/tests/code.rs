//! Authorization codes, from the request to the tokens.

use serde_json::json;

use super::world::{
    APP_REDIRECT, CHALLENGE, CONFIDENTIAL, PUBLIC, REDIRECT, VERIFIER, World, asking, exchange, ok, param, refresh,
    refused,
};
use crate::authorization::request::{self as authorization, Refused};

#[tokio::test]
async fn a_code_gives_tokens_that_work() {
    let world = World::new().await;
    let request = world.request(&asking(&[("scope", "accounts:read orders:read")])).await.unwrap();
    assert_eq!((request.client_id.as_str(), request.client_name.as_str()), (PUBLIC, "ordersync command line"));
    let back = authorization::approve(&world.app, &request, &world.user().await).await.unwrap();
    assert!(back.starts_with(&format!("{REDIRECT}?code=ordersync_sandbox_ac_")), "{back}");
    assert_eq!(param(&back, "state").as_deref(), Some("a state & more"));
    assert_eq!(param(&back, "iss"), Some(world.base.clone()));
    let tokens = ok(world.token(&exchange(&param(&back, "code").unwrap())).await).await;
    assert_eq!(tokens["token_type"], "Bearer");
    assert_eq!((&tokens["expires_in"], &tokens["scope"]), (&json!(3600), &json!("accounts:read orders:read")));
    assert!(tokens["access_token"].as_str().unwrap().starts_with("ordersync_sandbox_at_"));
    assert!(tokens["refresh_token"].as_str().unwrap().starts_with("ordersync_sandbox_rt_"));
    assert_eq!(world.status_with(&tokens["access_token"]).await, 200);
    let totp = world.get("/sync/auth/totp", &tokens["access_token"]).await;
    assert_eq!(totp.status(), 403, "this scope was not granted");
}

#[tokio::test]
async fn a_confidential_client_exchanges_its_code_with_its_secret() {
    let world = World::new().await;
    let query = asking(&[("client_id", CONFIDENTIAL), ("redirect_uri", APP_REDIRECT)]);
    let request = world.request(&query).await.unwrap();
    let back = authorization::approve(&world.app, &request, &world.user().await).await.unwrap();
    assert!(back.starts_with(&format!("{APP_REDIRECT}&code=")), "{back}");
    let code = param(&back, "code").unwrap();
    let form = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", APP_REDIRECT),
        ("code_verifier", VERIFIER),
    ];
    let without = world.post("/oauth/token", &[&form[..], &[("client_id", CONFIDENTIAL)]].concat()).await;
    assert_eq!(refused(without, 401).await, "invalid_client");
    ok(world.token_with_secret(&form).await).await;
}

#[tokio::test]
async fn what_cannot_be_sent_back_safely_is_a_page() {
    let world = World::new().await;
    for query in [
        vec![("client_id", "")],
        vec![("client_id", "unknown")],
        vec![("redirect_uri", "")],
        vec![("redirect_uri", "https://evil.example/callback")],
        vec![("redirect_uri", "http://127.0.0.1:4312/other")],
        vec![("redirect_uri", "http://localhost:4312/callback")],
        vec![("client_id", CONFIDENTIAL), ("redirect_uri", "https://app.example/back")],
        vec![("redirect_uri", REDIRECT), ("redirect_uri", "https://evil.example/")],
        vec![("client_id", PUBLIC), ("client_id", CONFIDENTIAL)],
    ] {
        let refusal = world.request(&asking(&query)).await.unwrap_err();
        assert!(matches!(refusal, Refused::Page(_)), "{query:?}");
    }
    world.app.store.disable_client(PUBLIC, world.operator()).await.unwrap();
    assert!(matches!(world.request(&asking(&[])).await, Err(Refused::Page(_))));
}

#[tokio::test]
async fn everything_else_that_is_wrong_is_told_to_the_client_by_redirect() {
    let world = World::new().await;
    for (query, error) in [
        (vec![("response_type", "")], "invalid_request"),
        (vec![("response_type", "token")], "unsupported_response_type"),
        (vec![("response_mode", "fragment")], "invalid_request"),
        (vec![("code_challenge", "")], "invalid_request"),
        (vec![("code_challenge", "short")], "invalid_request"),
        (vec![("code_challenge_method", "")], "invalid_request"),
        (vec![("code_challenge_method", "plain")], "invalid_request"),
        (vec![("code_challenge", CHALLENGE), ("code_challenge", CHALLENGE)], "invalid_request"),
        (vec![("scope", "orders:write")], "invalid_scope"),
    ] {
        let Err(Refused::Redirect(back)) = world.request(&asking(&query)).await else { panic!("{query:?}") };
        assert!(back.starts_with(&format!("{REDIRECT}?error={error}&")), "{query:?}: {back}");
        assert_eq!(param(&back, "state").as_deref(), Some("a state & more"));
        assert_eq!(param(&back, "iss"), Some(world.base.clone()));
    }
    let confined = [("client_id", CONFIDENTIAL), ("redirect_uri", APP_REDIRECT), ("scope", "profile:read")];
    let Err(Refused::Redirect(back)) = world.request(&asking(&confined)).await else { panic!("beyond the client") };
    assert_eq!(param(&back, "error").as_deref(), Some("invalid_scope"));
}

#[tokio::test]
async fn a_refusal_of_the_user_is_told_to_the_client() {
    let world = World::new().await;
    let request = world.request(&asking(&[])).await.unwrap();
    let back = authorization::deny(&world.app, &request);
    assert_eq!(param(&back, "error").as_deref(), Some("access_denied"));
    assert_eq!(param(&back, "state").as_deref(), Some("a state & more"));
    assert_eq!(param(&back, "iss"), Some(world.base.clone()));
}

#[tokio::test]
async fn a_code_that_comes_again_ends_what_it_gave() {
    let world = World::new().await;
    let code = world.code("accounts:read").await;
    let tokens = ok(world.token(&exchange(&code)).await).await;
    assert_eq!(refused(world.token(&exchange(&code)).await, 400).await, "invalid_grant");
    assert_eq!(world.status_with(&tokens["access_token"]).await, 401);
    assert_eq!(refused(world.token(&refresh(&tokens["refresh_token"])).await, 400).await, "invalid_grant");
}

#[tokio::test]
async fn of_two_exchanges_at_the_same_moment_one_alone_gets_tokens() {
    let world = World::new().await;
    let code = world.code("accounts:read").await;
    let form = exchange(&code);
    let (one, other) = tokio::join!(world.token(&form), world.token(&form));
    let mut statuses = [one.status().as_u16(), other.status().as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400]);
}

#[tokio::test]
async fn a_code_is_bound_to_its_client_its_address_and_its_verifier_and_used_up_by_a_wrong_try() {
    let world = World::new().await;
    for (name, wrong) in [("redirect_uri", "http://127.0.0.1:4313/callback"), ("code_verifier", &"a".repeat(43))] {
        let code = world.code("accounts:read").await;
        let form = exchange(&code).map(|(key, value)| (key, if key == name { wrong } else { value }));
        assert_eq!(refused(world.token(&form).await, 400).await, "invalid_grant", "{name}");
        assert_eq!(refused(world.token(&exchange(&code)).await, 400).await, "invalid_grant", "{name}: not again");
    }
    let code = world.code("accounts:read").await;
    assert_eq!(refused(world.token_with_secret(&exchange(&code)).await, 400).await, "invalid_grant");
    ok(world.token(&exchange(&code)).await).await;
}

#[tokio::test]
async fn a_code_is_good_for_a_minute_of_its_users_time() {
    let world = World::new().await;
    let code = world.code("accounts:read").await;
    world.wait(60);
    assert_eq!(refused(world.token(&exchange(&code)).await, 400).await, "invalid_grant");
    let code = world.code("accounts:read").await;
    world.wait(59);
    ok(world.token(&exchange(&code)).await).await;
    let code = world.code("accounts:read").await;
    let minute = crate::store::sandbox::control::ClockChange::Advance(std::time::Duration::from_secs(60));
    world.app.store.change_clock(&world.user().await, minute, world.now()).await.unwrap();
    assert_eq!(refused(world.token(&exchange(&code)).await, 400).await, "invalid_grant");
}

#[tokio::test]
async fn an_exchange_that_lacks_something_or_is_malformed_uses_nothing_up() {
    let world = World::new().await;
    let code = world.code("accounts:read").await;
    for (name, value, error) in [
        ("code", "", "invalid_request"),
        ("redirect_uri", "", "invalid_request"),
        ("code_verifier", "", "invalid_request"),
        ("code_verifier", "short", "invalid_request"),
        ("grant_type", "", "invalid_request"),
        ("grant_type", "password", "unsupported_grant_type"),
        ("code", "guessed", "invalid_grant"),
    ] {
        let form = exchange(&code).map(|(key, given)| (key, if key == name { value } else { given }));
        assert_eq!(refused(world.token(&form).await, 400).await, error, "{name}={value}");
    }
    let twice = [&exchange(&code)[..], &[("code", "x")]].concat();
    assert_eq!(refused(world.token(&twice).await, 400).await, "invalid_request");
    ok(world.token(&exchange(&code)).await).await;
}
