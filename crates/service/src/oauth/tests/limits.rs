//! Whose budget a request counts against.

use axum::http::StatusCode;

use super::world::{CONFIDENTIAL, PUBLIC, World, asking, exchange, ok, param};
use crate::authorization::request as authorization;

const OWN: [(&str, &str); 1] = [("grant_type", "client_credentials")];

#[tokio::test]
async fn users_of_a_client_without_a_secret_do_not_use_up_each_others_budget() {
    let world = World::limited_to(5).await;
    let phone = world.app.keys.phone_digest("+15550102");
    let mut tokens = Vec::new();
    for user_id in [world.user().await, world.app.store.user_by_phone(&phone, "0102", world.now()).await.unwrap()] {
        let request = world.request(&asking(&[("client_id", PUBLIC)])).await.unwrap();
        let back = authorization::approve(&world.app, &request, &user_id).await.unwrap();
        tokens.push(ok(world.token(&exchange(&param(&back, "code").unwrap())).await).await["access_token"].clone());
    }
    for _ in 0..5 {
        assert_eq!(world.status_with(&tokens[0]).await, 200);
    }
    assert_eq!(world.status_with(&tokens[0]).await, 429);
    assert_eq!(world.status_with(&tokens[1]).await, 200);
}

#[tokio::test]
async fn the_operators_limit_of_a_client_holds_at_once_and_within_a_second_for_those_just_refused() {
    let world = World::limited_to(3).await;
    let limit = async |requests| {
        let requests = std::num::NonZeroU32::new(requests);
        assert!(world.app.store.set_client_limit(CONFIDENTIAL, requests, world.operator()).await.unwrap());
    };
    let policy = |answer: &reqwest::Response| {
        let text = |name| answer.headers()[name].to_str().unwrap().to_owned();
        [text("ratelimit-policy"), text("ratelimit")]
    };
    let answer = world.token_with_secret(&OWN).await;
    assert_eq!(policy(&answer), ["\"default\";q=3;w=60", "\"default\";r=2;t=60"]);
    limit(2).await;
    let answer = world.token_with_secret(&OWN).await;
    assert_eq!(policy(&answer), ["\"default\";q=2;w=60", "\"default\";r=0;t=60"]);
    let token = ok(answer).await["access_token"].clone();
    let refused = world.token_with_secret(&OWN).await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(policy(&refused), ["\"default\";q=2;w=60", "\"default\";r=0;t=60"]);
    assert_eq!(world.status_with(&token).await, 429, "with its token as with its secret");
    limit(5).await;
    world.wait(1);
    assert_eq!(world.status_with(&token).await, 403);
    limit(0).await;
    assert_eq!(world.status_with(&token).await, 429, "three as everybody");
    // Others keep theirs.
    let world = World::limited_to(3).await;
    assert_eq!(policy(&world.token(&[("grant_type", "none")]).await)[0], "\"default\";q=3;w=60");
}

#[tokio::test]
async fn a_client_that_shows_its_secret_is_served_from_an_address_that_is_used_up() {
    let world = World::limited_to(3).await;
    let guess =
        || world.http.post(format!("{}/oauth/token", world.base)).header("Authorization", super::world::basic("wrong"));
    for _ in 0..3 {
        assert_eq!(guess().form(&OWN).send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
    }
    assert_eq!(guess().form(&OWN).send().await.unwrap().status(), StatusCode::TOO_MANY_REQUESTS);
    let token = ok(world.token_with_secret(&OWN).await).await["access_token"].clone();
    ok(world.token_with_secret(&OWN).await).await;
    // It is the same budget as that of the client's other requests.
    assert_eq!(world.status_with(&token).await, 403);
    assert_eq!(world.token_with_secret(&OWN).await.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(world.status_with(&token).await, 429);
}
