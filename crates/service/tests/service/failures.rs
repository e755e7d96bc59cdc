//! Failures that a sandbox's user asks for, and the one-time passwords that were sent.

use std::time::{Duration, Instant};

use ordersync_api::sandbox::CLIENT_SECRET;
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::harness::{User, World, refusal};

async fn fail(user: &User, body: Value) -> Response {
    user.post("/sandbox/fail", &body).await
}

/// Lets the user's next requests fail.
async fn failing(user: &User, body: Value) -> Value {
    let response = fail(user, body).await;
    assert_eq!(response.status(), 200);
    response.json().await.unwrap()
}

#[tokio::test]
async fn the_next_requests_fail_as_asked_and_those_after_them_do_not() {
    let (_world, [user, other]) = World::with_users([1, 2]).await;
    let asked = failing(&user, json!({ "status": 503, "count": 2, "retryAfter": 7 })).await;
    assert_eq!(asked, json!({ "status": 503, "count": 2, "retryAfter": 7 }));
    for _ in 0..2 {
        let response = user.get("/sync/connections").await;
        assert_eq!(response.headers()["retry-after"], "7");
        assert_eq!(refusal(response, 503).await.0, "UNAVAILABLE");
        // Nobody else is hit.
        assert_eq!(other.get("/sync/connections").await.status(), 200);
    }
    assert_eq!(user.get("/sync/connections").await.status(), 200);
}

#[tokio::test]
async fn every_error_of_the_contract_can_be_had_for_the_asking() {
    let (_world, user) = World::with_user().await;
    for code in ordersync_api::ErrorCode::ALL {
        failing(&user, json!({ "code": code.as_str() })).await;
        let response = user.get("/sync/profile").await;
        match code.http_status() {
            401 => assert!(response.headers().contains_key("www-authenticate") == (code.as_str() == "UNAUTHORIZED")),
            429 | 503 => assert_eq!(response.headers()["retry-after"], "1"),
            _ => assert!(!response.headers().contains_key("retry-after")),
        }
        assert_eq!(refusal(response, code.http_status()).await.0, code.as_str());
    }
    // What a proxy would answer has none of our error body.
    failing(&user, json!({ "status": 502 })).await;
    let response = user.get("/sync/profile").await;
    assert_eq!(
        (response.status().as_u16(), &response.headers()["content-type"]),
        (502, &"text/plain".parse().unwrap())
    );
    assert_eq!(response.text().await.unwrap(), "Bad Gateway\n");
}

#[tokio::test]
async fn a_failure_hits_only_the_requests_that_it_names() {
    let (_world, user) = World::connected(12, "user_items_3").await;
    let item = user.get_json("/sync/orders?limit=1").await[0]["id"].as_str().unwrap().to_owned();
    failing(&user, json!({ "status": 500, "path": "/sync/orders/{id}" })).await;
    failing(&user, json!({ "status": 504, "method": "POST" })).await;
    assert_eq!(user.get("/sync/orders").await.status(), 200);
    assert_eq!(user.get("/sync/connections").await.status(), 200);
    let response = user.get(&format!("/sync/orders/{item}")).await;
    assert_eq!(refusal(response, 500).await.0, "INTERNAL_ERROR");
    let response = user.post("/sync/connections/sync", &json!({})).await;
    assert_eq!(refusal(response, 504).await.0, "TIMEOUT");
    // The controls themselves never fail, so that a failure can always be taken back.
    failing(&user, json!({ "status": 500, "count": 1000 })).await;
    assert_eq!(user.request(Method::DELETE, "/sandbox/fail").send().await.unwrap().status(), 204);
    assert_eq!(user.get("/sync/orders").await.status(), 200);
    failing(&user, json!({ "status": 500, "count": 1000 })).await;
    assert_eq!(user.post("/sandbox/reset", &json!({})).await.status(), 204);
    assert_eq!(user.get("/sync/orders").await.status(), 200);
}

#[tokio::test]
async fn an_answer_that_is_lost_was_carried_out_and_the_same_key_gives_it_again() {
    let (_world, user) = World::with_user().await;
    let body = user.sealed(12, "user_items_3", "pass_good", "CONNECT").await;
    failing(&user, json!({ "drop": true, "path": "/sync/connections/connect" })).await;
    let connect = || {
        let request = user.request(Method::POST, "/sync/connections/connect");
        request.header("Idempotency-Key", "k").json(&body).send()
    };
    let lost = connect().await.unwrap_err();
    assert!(lost.status().is_none() && !lost.is_timeout(), "{lost:?}");
    let answer = connect().await.unwrap();
    assert_eq!((answer.status().as_u16(), &answer.headers()["idempotency-replayed"]), (202, &"true".parse().unwrap()));
    let answer: Value = answer.json().await.unwrap();
    let session = user.ended(answer["batchId"].as_str().unwrap()).await;
    assert_eq!(session.retailer_sync_sessions[0].items_new, Some(3));
    assert_eq!(user.get_json("/sync/connections").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_list_breaks_off_after_the_page_or_the_bytes_that_were_asked_for() {
    let (_world, user) = World::connected(12, "user_items_100").await;
    failing(&user, json!({ "drop": true, "afterPage": 2, "path": "/sync/orders" })).await;
    let page = async |offset: u32| {
        let path = format!("/sync/orders?limit=20&offset={offset}");
        user.request(Method::GET, &path).send().await
    };
    assert_eq!(page(0).await.unwrap().status(), 200);
    assert_eq!(page(20).await.unwrap().status(), 200);
    assert!(page(40).await.is_err());
    assert_eq!(page(40).await.unwrap().status(), 200);

    let whole = page(0).await.unwrap().bytes().await.unwrap();
    for bytes in [0, 1, 100, whole.len() - 1] {
        failing(&user, json!({ "drop": true, "afterBytes": bytes })).await;
        let mut response = page(0).await.unwrap();
        assert_eq!(response.status(), 200);
        let mut came = Vec::new();
        let broken = loop {
            match response.chunk().await {
                Ok(Some(chunk)) => came.extend_from_slice(&chunk),
                Ok(None) => break false,
                Err(_) => break true,
            }
        };
        assert!(broken, "{bytes}");
        assert_eq!(came, whole[..bytes]);
    }
}

#[tokio::test]
async fn a_late_answer_is_late_and_otherwise_as_usual() {
    let (_world, user) = World::with_user().await;
    failing(&user, json!({ "latencyMs": 300 })).await;
    let started = Instant::now();
    assert_eq!(user.get("/sync/connections").await.status(), 200);
    assert!(started.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn a_failure_that_would_never_happen_is_refused_by_name() {
    let (_world, user) = World::with_user().await;
    for (body, field) in [
        (json!({}), "status"),
        (json!({ "status": 503, "drop": true }), "status"),
        (json!({ "status": 200 }), "status"),
        (json!({ "status": 409 }), "status"),
        (json!({ "code": "NO_SUCH_CODE" }), "code"),
        (json!({ "status": 503, "count": 0 }), "count"),
        (json!({ "status": 503, "count": 1001 }), "count"),
        (json!({ "status": 503, "path": "/sync/ordres" }), "path"),
        (json!({ "status": 503, "path": "/sandbox/reset" }), "path"),
        (json!({ "status": 503, "method": "BREW" }), "method"),
        (json!({ "status": 503, "afterBytes": 5 }), "afterBytes"),
        (json!({ "drop": true, "retryAfter": 5 }), "retryAfter"),
        (json!({ "latencyMs": 25_001 }), "latencyMs"),
        (json!({ "drop": true, "afterPage": 0 }), "afterPage"),
        (json!({ "status": 503, "times": 2 }), "times"),
    ] {
        assert_eq!(refusal(fail(&user, body.clone()).await, 400).await.1["details"]["field"], field, "{body}");
    }
    for _ in 0..100 {
        failing(&user, json!({ "status": 503 })).await;
    }
    assert_eq!(refusal(fail(&user, json!({ "status": 503 })).await, 400).await.1["details"]["field"], "count");
}

#[tokio::test]
async fn the_one_time_passwords_sent_to_ones_own_phone_can_be_read_and_nobody_elses() {
    let (_world, [user]) = World::with_users([7]).await;
    assert_eq!(user.get_json("/sandbox/otp?phone=%2B15550107").await, json!([]));
    let sign_in = async |ending: &str| {
        let jar = std::sync::Arc::new(reqwest::cookie::Jar::default());
        let browser = reqwest::Client::builder().no_proxy().cookie_provider(jar).build().unwrap();
        let page = browser.get(format!("{}/device", user.base)).header("accept", "text/html").send().await.unwrap();
        let page = page.text().await.unwrap();
        let csrf = page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        let form = [("phone", &*format!("+155501{ending}")), ("next", "/device"), ("csrf", &csrf)];
        let sent = browser.post(format!("{}/sign-in", user.base)).form(&form).send().await.unwrap();
        assert_eq!(sent.status(), 200);
    };
    for ending in ["07", "08", "07"] {
        sign_in(ending).await;
    }
    let sent = user.get_json("/sandbox/otp?phone=%2B15550107").await;
    let sent = sent.as_array().unwrap();
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|sent| sent["otp"] == "424242"));
    let at = |index: usize, field: &str| sent[index][field].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>();
    assert!(at(0, "sentAt").unwrap() > at(1, "sentAt").unwrap(), "the newest comes first");
    assert_eq!((at(0, "expiresAt").unwrap() - at(0, "sentAt").unwrap()).num_minutes(), 5);
    assert_eq!(refusal(user.get("/sandbox/otp?phone=%2B15550108").await, 404).await.0, "NOT_FOUND");
    for query in ["", "?phone=%2B4930123456", "?phone=15550107"] {
        assert_eq!(refusal(user.get(&format!("/sandbox/otp{query}")).await, 400).await.0, "INVALID_REQUEST");
    }
    assert_eq!(user.post("/sandbox/reset", &json!({})).await.status(), 204);
    assert_eq!(user.get_json("/sandbox/otp?phone=%2B15550107").await, json!([]));
}

#[tokio::test]
async fn the_requests_of_a_client_fail_whoever_they_are_for_and_no_others() {
    let world = World::new().await;
    let (user, other) = (world.node.user(1).await, world.node.user_of(2, json!({ "client_id": "my-app" })).await);
    let token = async |client: &str, in_form: bool| {
        let request = user.http.post(format!("{}/oauth/token", user.base));
        let grant = ("grant_type", "client_credentials");
        let request = if in_form {
            request.form(&[grant, ("client_id", client), ("client_secret", CLIENT_SECRET)])
        } else {
            request.basic_auth(client, Some(CLIENT_SECRET)).form(&[grant])
        };
        request.send().await.unwrap()
    };
    let machine: Value = token("my-app", false).await.json().await.unwrap();
    let machine = User { token: machine["access_token"].as_str().unwrap().to_owned(), ..user.clone() };
    let link = async |user: &User| {
        let request = user.request(reqwest::Method::POST, "/v1/link/token").header("X-Client-Secret", CLIENT_SECRET);
        request.json(&json!({ "external_user_id": "u1" })).send().await.unwrap()
    };

    let unknown = json!({ "status": 503, "client_id": "my-ap" });
    let (code, answer) = refusal(user.post("/sandbox/fail", &unknown).await, 404).await;
    assert!(code == "NOT_FOUND" && answer["message"].as_str().unwrap().contains("client_id"), "{answer}");
    // No request there has a user's token: such a failure would never happen.
    let of_user = json!({ "status": 503, "path": "/oauth/token" });
    assert_eq!(refusal(user.post("/sandbox/fail", &of_user).await, 400).await.1["details"]["field"], "client_id");
    // Any user of the sandbox can ask for it.
    let failure = json!({ "status": 503, "client_id": "my-app", "count": 4 });
    assert_eq!(user.post("/sandbox/fail", &failure).await.json::<Value>().await.unwrap(), failure);
    for in_form in [false, true] {
        let refused = token("my-app", in_form).await;
        assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (503, &"1".parse().unwrap()));
        assert_eq!(refused.json::<Value>().await.unwrap()["error"], "temporarily_unavailable");
    }
    let refused = link(&machine).await;
    assert_eq!(refused.headers()["retry-after"], "1");
    assert_eq!(refusal(refused, 503).await.0, "UNAVAILABLE");
    assert_eq!(other.get("/sync/profile").await.status(), 503);
    for in_form in [false, true] {
        assert_eq!(token("my-app", in_form).await.status(), 200);
    }
    assert_eq!(link(&machine).await.status(), 201);

    // Others do not notice, and it can be taken back.
    let failure = json!({ "status": 429, "client_id": "my-app", "count": 100 });
    assert_eq!(user.post("/sandbox/fail", &failure).await.status(), 200);
    assert_eq!(
        (token("sandbox", true).await.status(), user.get("/sync/profile").await.status()),
        (200.try_into().unwrap(), 200.try_into().unwrap())
    );
    assert_eq!(link(&machine).await.status(), 429);
    let clear = async |path: &str| user.request(reqwest::Method::DELETE, path).send().await.unwrap();
    assert_eq!(clear("/sandbox/fail").await.status(), 204);
    assert_eq!(link(&machine).await.status(), 429);
    assert_eq!(clear("/sandbox/fail?client_id=my-app").await.status(), 204);
    assert_eq!(link(&machine).await.status(), 201);
}
