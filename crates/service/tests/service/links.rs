//! Link tokens, sharing, and the profile: what a client's back end asks for.

use ordersync_api::sandbox::CLIENT_SECRET;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::harness::{Beside, User, World, refusal};

async fn create(user: &User, external_user_id: &str) -> Response {
    let body = json!({ "external_user_id": external_user_id });
    let request = user.request(Method::POST, "/v1/link/token").header("X-Client-Secret", CLIENT_SECRET);
    request.json(&body).send().await.unwrap()
}

pub(crate) async fn link_token(user: &User, external_user_id: &str) -> String {
    let response = create(user, external_user_id).await;
    assert_eq!(response.status(), 201);
    let answer: Value = response.json().await.unwrap();
    assert_eq!(answer["external_user_id"], external_user_id);
    answer["link_token"].as_str().unwrap().to_owned()
}

pub(crate) async fn share(user: &User, link_token: &str) -> Response {
    let request = user.request(Method::GET, "/v1/users/share").header("X-Client-Secret", CLIENT_SECRET);
    request.header("X-Link-Token", link_token).send().await.unwrap()
}

#[tokio::test]
async fn the_client_secret_is_asked_for_and_checked() {
    let (_world, user) = World::with_user().await;
    let body = json!({ "external_user_id": "u1" });
    for (method, path) in [(Method::POST, "/v1/link/token"), (Method::GET, "/v1/users/share")] {
        let request = || user.request(method.clone(), path).json(&body);
        assert_eq!(refusal(request().send().await.unwrap(), 403).await.0, "CLIENT_SECRET_REQUIRED");
        for wrong in ["", "wrong", &CLIENT_SECRET[1..]] {
            let response = request().header("X-Client-Secret", wrong).send().await.unwrap();
            assert_eq!(refusal(response, 403).await.0, "CLIENT_SECRET_INVALID");
        }
    }
}

#[tokio::test]
async fn an_external_user_id_is_taken_whole_or_refused() {
    let (_world, user) = World::with_user().await;
    let longest = "\u{e4}".repeat(255);
    link_token(&user, &longest).await;
    for wrong in ["", &"a".repeat(256)] {
        let (code, body) = refusal(create(&user, wrong).await, 400).await;
        assert_eq!((code.as_str(), &body["details"]["field"]), ("INVALID_REQUEST", &json!("external_user_id")));
    }
}

#[tokio::test]
async fn sharing_asks_for_a_link_token_of_ones_own_that_is_bound() {
    let (world, user) = World::with_user().await;
    let bare = user.request(Method::GET, "/v1/users/share").header("X-Client-Secret", CLIENT_SECRET);
    assert_eq!(refusal(bare.send().await.unwrap(), 400).await.0, "MISSING_LINK_TOKEN");
    assert_eq!(refusal(share(&user, "wrong").await, 401).await.0, "LINK_TOKEN_INVALID");
    let token = link_token(&user, "u1").await;
    assert_eq!(refusal(share(&user, &token).await, 404).await.0, "USER_NOT_FOUND");
    let other_client = world.node.user_of(1, json!({ "client_id": "other" })).await;
    assert_eq!(refusal(share(&other_client, &token).await, 401).await.0, "LINK_TOKEN_INVALID");
}

#[tokio::test]
async fn a_profile_shows_the_last_four_digits_and_no_more() {
    let (_world, [user]) = World::with_users([42]).await;
    let profile = user.get_json("/sync/profile").await;
    assert_eq!(profile["phoneLast4"], "0142");
    assert!(profile["userId"].as_str().unwrap().starts_with("user_"));
    assert!(!profile.to_string().contains("5550142"), "{profile}");
}

#[tokio::test]
async fn a_link_token_asked_for_twice_with_one_key_is_one_token() {
    let (_world, user) = World::with_user().await;
    let ask = |external_user_id: &'static str| {
        let request = user.request(Method::POST, "/v1/link/token").header("X-Client-Secret", CLIENT_SECRET);
        request.header("Idempotency-Key", "k").json(&json!({ "external_user_id": external_user_id })).send()
    };
    let mut tokens = std::collections::HashSet::new();
    let mut replayed = 0;
    for answer in futures::future::join_all((0..4).map(|_| ask("u1"))).await {
        let answer = answer.unwrap();
        assert_eq!(answer.status(), 201);
        replayed += usize::from(answer.headers().get("idempotency-replayed").is_some_and(|value| value == "true"));
        let answer: Value = answer.json().await.unwrap();
        tokens.insert(answer["link_token"].as_str().unwrap().to_owned());
    }
    assert_eq!(tokens.len(), 1);
    assert_eq!(replayed, 3, "all but the first say that they are repetitions");
    assert_eq!(refusal(ask("u2").await.unwrap(), 409).await.0, "IDEMPOTENCY_CONFLICT");
    let token = tokens.into_iter().next().unwrap();
    assert_eq!(refusal(share(&user, &token).await, 404).await.0, "USER_NOT_FOUND");
}

#[tokio::test]
async fn a_way_back_is_an_address_that_the_client_has_registered_and_belongs_to_the_request() {
    let (world, user) = World::with_user().await;
    let mut store = Beside::open(world.store.path()).await;
    store.run("UPDATE clients SET return_urls = '[\"https://app.example/back?x=1\"]'").await;
    let ask = async |return_url: Value, key: &str| {
        let request = user.request(Method::POST, "/v1/link/token").header("X-Client-Secret", CLIENT_SECRET);
        let body = json!({ "external_user_id": "u1", "return_url": return_url });
        request.header("Idempotency-Key", key).json(&body).send().await.unwrap()
    };
    for (key, good) in
        ["https://app.example/back?x=1", "http://127.0.0.1:3000/any?x", "http://localhost/"].iter().enumerate()
    {
        assert_eq!(ask(json!(good), &key.to_string()).await.status(), 201, "{good}");
        assert_eq!(ask(json!(good), &key.to_string()).await.headers()["idempotency-replayed"], "true");
        for other in [json!("http://127.0.0.1:4000/"), json!(null)] {
            assert_eq!(refusal(ask(other, &key.to_string()).await, 409).await.0, "IDEMPOTENCY_CONFLICT");
        }
    }
    for bad in [
        json!("https://app.example/back"),
        json!("https://app.example/back?x=1#f"),
        json!("https://app.example:443/back?x=1"),
        json!("https://evil.example/"),
        json!("//app.example/back?x=1"),
        json!("javascript:alert(1)"),
        json!(""),
        json!(7),
    ] {
        let (code, body) = refusal(ask(bad.clone(), "bad").await, 400).await;
        assert_eq!((code.as_str(), &body["details"]["field"]), ("INVALID_REQUEST", &json!("return_url")), "{bad}");
    }
}
