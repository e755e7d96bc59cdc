//! How clients authenticate, what their own tokens open, and the metadata that describes both.

use serde_json::{Value, json};

use super::world::{CONFIDENTIAL, PUBLIC, SECRET, World, basic, ok, refused};

const OWN: [(&str, &str); 1] = [("grant_type", "client_credentials")];

#[tokio::test]
async fn the_secret_may_be_in_the_header_or_in_the_form() {
    let world = World::new().await;
    ok(world.token_with_secret(&OWN).await).await;
    let form = [OWN[0], ("client_id", CONFIDENTIAL), ("client_secret", SECRET)];
    ok(world.post("/oauth/token", &form).await).await;
    ok(world.token_with_secret(&[OWN[0], ("client_id", CONFIDENTIAL)]).await).await;
}

#[tokio::test]
async fn a_client_that_does_not_prove_itself_is_refused() {
    let world = World::new().await;
    for form in [
        vec![],
        vec![("client_id", "unknown")],
        vec![("client_id", CONFIDENTIAL)],
        vec![("client_id", CONFIDENTIAL), ("client_secret", "")],
        vec![("client_id", CONFIDENTIAL), ("client_secret", "wrong")],
        vec![("client_id", PUBLIC), ("client_secret", SECRET)],
    ] {
        let response = world.post("/oauth/token", &[&OWN[..], &form].concat()).await;
        assert_eq!(refused(response, 401).await, "invalid_client", "{form:?}");
    }
    for header in [basic("wrong"), basic(""), "Basic !".into(), "Bearer x".into(), "Basic".into()] {
        let request = world.http.post(format!("{}/oauth/token", world.base)).header("Authorization", &header);
        assert_eq!(refused(request.form(&OWN).send().await.unwrap(), 401).await, "invalid_client", "{header}");
    }
    for ambiguous in [("client_secret", SECRET), ("client_id", PUBLIC)] {
        assert_eq!(refused(world.token_with_secret(&[OWN[0], ambiguous]).await, 400).await, "invalid_request");
    }
    world.app.store.disable_client(CONFIDENTIAL, world.operator()).await.unwrap();
    assert_eq!(refused(world.token_with_secret(&OWN).await, 401).await, "invalid_client");
}

#[tokio::test]
async fn a_client_of_its_own_opens_what_needs_no_user_and_nothing_else() {
    let world = World::new().await;
    let tokens = ok(world.token_with_secret(&OWN).await).await;
    assert_eq!(
        (&tokens["scope"], &tokens["refresh_token"]),
        (&json!("accounts:read orders:read users:share"), &Value::Null)
    );
    for path in ["/sync/profile", "/sync/auth/totp"] {
        let response = world.get(path, &tokens["access_token"]).await;
        assert!(response.headers()["www-authenticate"].to_str().unwrap().contains("insufficient_scope"));
        assert_eq!(response.status(), 403, "{path}");
        assert_eq!(response.json::<Value>().await.unwrap()["code"], "INSUFFICIENT_SCOPE");
    }
    let link = world
        .http
        .post(format!("{}/v1/link/token", world.base))
        .bearer_auth(tokens["access_token"].as_str().unwrap())
        .header("X-Client-Secret", SECRET)
        .json(&json!({ "external_user_id": "u1" }));
    assert_eq!(link.send().await.unwrap().status(), 201);
    world.wait(3600);
    assert_eq!(world.get("/v1/users/share", &tokens["access_token"]).await.status(), 401, "an hour is over");
}

#[tokio::test]
async fn a_client_of_its_own_asks_for_nothing_that_needs_a_user_or_that_it_is_not_permitted() {
    let world = World::new().await;
    let asking = |scope| [OWN[0], ("scope", scope)];
    ok(world.token_with_secret(&asking("users:share")).await).await;
    for beyond in ["accounts:connect", "users:share accounts:sync", "profile:read", "orders:write"] {
        assert_eq!(refused(world.token_with_secret(&asking(beyond)).await, 400).await, "invalid_scope", "{beyond}");
    }
    assert_eq!(refused(world.token(&OWN).await, 400).await, "unauthorized_client");
}

#[tokio::test]
async fn the_body_has_to_be_a_form_and_not_larger_than_one_can_be() {
    let world = World::new().await;
    let url = format!("{}/oauth/token", world.base);
    let json = world.http.post(&url).json(&json!({ "grant_type": "client_credentials" })).send().await.unwrap();
    assert_eq!(refused(json, 400).await, "invalid_request");
    let large = world.post("/oauth/token", &[("client_id", "x".repeat(70_000).as_str())]).await;
    assert_eq!(refused(large, 413).await, "invalid_request");
    let query = world.http.post(format!("{url}?grant_type=client_credentials&client_id={PUBLIC}"));
    assert_eq!(refused(query.form(&[("a", "b")]).send().await.unwrap(), 401).await, "invalid_client");
    assert_eq!(world.http.get(&url).send().await.unwrap().status(), 405);
}

#[tokio::test]
async fn the_rate_limit_holds_here_too() {
    let world = World::limited_to(2).await;
    for _ in 0..2 {
        assert_eq!(refused(world.token(&[]).await, 400).await, "invalid_request");
    }
    let response = world.token(&[]).await;
    assert_eq!((response.status().as_u16(), response.headers()["retry-after"].to_str().unwrap()), (429, "60"));
    assert_eq!(response.json::<Value>().await.unwrap()["code"], "TOO_MANY_REQUESTS");
}

#[tokio::test]
async fn the_metadata_names_what_is_served() {
    let world = World::new().await;
    let url = format!("{}/.well-known/oauth-authorization-server", world.base);
    let metadata = ok(world.http.get(url).send().await.unwrap()).await;
    assert_eq!(metadata["issuer"], world.base);
    assert_eq!(metadata["code_challenge_methods_supported"], json!(["S256"]));
    for endpoint in ["token_endpoint", "device_authorization_endpoint", "revocation_endpoint"] {
        let response = world.http.post(metadata[endpoint].as_str().unwrap()).form(&[("a", "b")]).send().await.unwrap();
        assert_eq!(refused(response, 401).await, "invalid_client", "{endpoint}");
    }
}
