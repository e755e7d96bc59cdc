//! Link tokens over time.

use serde_json::{Value, json};

use super::world::{SECRET, World, ok};

/// Requests a link token with an idempotency key. Returns the status, whether it is marked as a replay, and the body.
async fn ask(world: &World, external_user_id: &str) -> (u16, bool, Value) {
    let token = ok(world.token_with_secret(&[("grant_type", "client_credentials")]).await).await;
    let request = world.http.post(format!("{}/v1/link/token", world.base));
    let request = request.bearer_auth(token["access_token"].as_str().unwrap());
    let request = request.header("X-Client-Secret", SECRET).header("Idempotency-Key", "k");
    let response = request.json(&json!({ "external_user_id": external_user_id })).send().await.unwrap();
    let replayed = response.headers().get("idempotency-replayed").is_some_and(|value| value == "true");
    (response.status().as_u16(), replayed, response.json().await.unwrap())
}

#[tokio::test]
async fn a_repetition_never_gives_a_link_token_that_has_expired() {
    let world = World::new().await;
    let (status, replayed, first) = ask(&world, "u1").await;
    assert_eq!((status, replayed), (201, false));
    world.wait(29 * 60);
    assert_eq!(ask(&world, "u1").await, (201, true, first.clone()));
    world.wait(2 * 60);
    let (status, replayed, fresh) = ask(&world, "u1").await;
    assert_eq!((status, replayed), (201, false));
    assert_ne!(fresh["link_token"], first["link_token"]);
    let until: chrono::DateTime<chrono::Utc> = fresh["expires_at"].as_str().unwrap().parse().unwrap();
    assert!(until > world.now());
    // The key now belongs to the new token.
    assert_eq!(ask(&world, "u1").await, (201, true, fresh));
    // Another request with the key is a conflict, whether or not the token is still valid.
    for minutes in [0, 31] {
        world.wait(minutes * 60);
        let (status, _, body) = ask(&world, "u2").await;
        assert_eq!((status, &body["code"]), (409, &json!("IDEMPOTENCY_CONFLICT")));
    }
}
