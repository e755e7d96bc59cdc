//! Whose budget a request counts against.

use axum::http::StatusCode;

use super::world::{PUBLIC, World, asking, exchange, ok, param};
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
