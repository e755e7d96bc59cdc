//! What holds for every request: the form of errors, limits, headers, health.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::harness::{Beside, Node, World, refusal};

#[tokio::test]
async fn the_101st_request_is_refused_and_told_when_to_come_again() {
    let world = World::limited_to(100).await;
    let user = world.node.user(1).await;
    for _ in 0..100 {
        assert_eq!(user.get("/sync/connections").await.status(), 200);
    }
    let refused = user.get("/sync/connections").await;
    let seconds: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds));
    assert_eq!(refusal(refused, 429).await.0, "TOO_MANY_REQUESTS");
    // A second token of the same client is the same client; another client is not, nor is who has no token.
    assert_eq!(world.node.user(1).await.get("/sync/orders").await.status(), 429);
    let other = world.node.user_of(1, json!({ "client_id": "other" })).await;
    assert_eq!(other.get("/sync/orders").await.status(), 200);
    let catalog = user.http.get(format!("{}/sync/retailers", user.base)).send().await.unwrap();
    assert_eq!(catalog.status(), 200);
    assert_eq!(user.get("/healthz").await.status(), 200);
}

#[tokio::test]
async fn a_flood_over_the_limit_is_refused_without_asking_the_store() {
    let world = World::limited_to(2).await;
    let user = world.node.user(1).await;
    let statuses = async || {
        let mut statuses = Vec::new();
        for _ in 0..3 {
            statuses.push(user.get("/sync/connections").await.status().as_u16());
        }
        statuses
    };
    assert_eq!(statuses().await, [200, 200, 429]);
    Beside::open(world.store.path()).await.run("DELETE FROM access_tokens").await;
    assert_eq!(statuses().await, [429, 429, 429]);
}

#[tokio::test]
async fn every_limited_answer_says_what_is_left_and_the_refused_are_counted() {
    let world = World::limited_to(2).await;
    let user = world.node.user(1).await;
    let mut seen = Vec::new();
    for path in ["/sync/connections", "/sync/sessions/none", "/sync/orders"] {
        let answer = user.get(path).await;
        let text = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(text("ratelimit-policy"), "\"default\";q=2;w=60");
        let left = text("ratelimit");
        seen.push((answer.status().as_u16(), left.split(";t=").next().unwrap().to_owned()));
        if answer.status() == 429 {
            assert!(left.ends_with(&format!(";t={}", text("retry-after"))));
        }
    }
    let default = |left: u8| format!("\"default\";r={left}");
    assert_eq!(seen, [(200, default(1)), (404, default(0)), (429, default(0))]);
    // Neither health nor this is limited; both are counted.
    let health = user.get("/healthz").await;
    assert!(!health.headers().contains_key("ratelimit"));
    let metrics = user.get("/metrics").await;
    assert!(metrics.headers()["content-type"].to_str().unwrap().starts_with("text/plain; version=0.0.4"));
    let metrics = metrics.text().await.unwrap();
    // In this format the lines about a counter have its whole name, `_total` included.
    let head = "# HELP ordersync_http_requests_total Requests answered, by route and status.\n\
                # TYPE ordersync_http_requests_total counter\n";
    assert!(metrics.contains(head), "{metrics}");
    for line in [
        "ordersync_http_request_duration_seconds_count{route=\"/healthz\"} 1\n",
        "ordersync_http_request_duration_seconds_bucket{route=\"/healthz\",le=\"+Inf\"} 1\n",
        "ordersync_sync_queue{waits_for=\"process\"} 0\n",
        "ordersync_sync_leases_lost_total 0\n",
        "ordersync_syncs_total{result=\"completed\"} 0\n",
        "ordersync_syncs_total{result=\"internal_error\"} 0\n",
        // The engine may be writing.
        "ordersync_store_connections{pool=\"write\",state=\"busy\"} ",
    ] {
        assert!(metrics.contains(line), "{line} {metrics}");
    }
    for (route, status) in
        [("/sync/connections", 200), ("/sync/sessions/{batchId}", 404), ("/sync/orders", 429), ("/healthz", 200)]
    {
        let line = format!("ordersync_http_requests_total{{route=\"{route}\",status=\"{status}\"}} 1\n");
        assert!(metrics.contains(&line), "{metrics}");
    }
    let started = metrics.lines().find_map(|line| line.strip_prefix("process_start_time_seconds "));
    let started: i64 = started.expect("when the process started").parse().unwrap();
    assert!(started > 1_700_000_000, "seconds since 1970: {started}");
    // A path that is no route is no label: nobody fills the memory, or the operator's database, by asking for many.
    for path in ["/none/1", "/none/2"] {
        assert_eq!(user.get(path).await.status(), 429);
    }
    let metrics = user.get("/metrics").await.text().await.unwrap();
    assert!(metrics.contains("ordersync_http_requests_total{route=\"none\",status=\"429\"} 2\n"), "{metrics}");
    assert!(!metrics.contains("/none"), "{metrics}");
    let through_a_proxy = user.request(Method::GET, "/metrics").header("x-forwarded-for", "192.0.2.1").send().await;
    assert_eq!(refusal(through_a_proxy.unwrap(), 404).await.0, "NOT_FOUND");
    let world = World::new().await;
    assert!(!world.node.user(1).await.get("/sync/connections").await.headers().contains_key("ratelimit"));
}

#[tokio::test]
async fn without_a_token_requests_count_per_address() {
    let world = World::limited_to(3).await;
    let http = world.node.user(1).await.http;
    let url = format!("{}/sync/retailers", world.node.base);
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(http.get(&url).send().await.unwrap().status().as_u16());
    }
    assert_eq!(statuses, [200, 200, 200, 429]);
}

#[tokio::test]
async fn the_catalog_is_public_and_holds_at_least_fifteen_retailers() {
    let world = World::new().await;
    let http = world.node.user(1).await.http;
    let response = http.get(format!("{}/sync/retailers", world.node.base)).send().await.unwrap();
    let retailers: Vec<ordersync_api::Retailer> = response.json().await.unwrap();
    assert!(retailers.len() >= 15);
    assert_eq!(retailers.iter().filter(|retailer| !retailer.sync_config.server_side).count(), 1);
    for retailer in &retailers {
        assert!(retailer.credential_fields.iter().any(|field| field.name == "username" && !field.secret));
        assert!(retailer.credential_fields.iter().any(|field| field.name == "password" && field.secret));
    }
}

#[tokio::test]
async fn what_cannot_be_understood_is_refused_in_the_decided_form() {
    let (_world, user) = World::with_user().await;
    assert_eq!(refusal(user.get("/nowhere").await, 404).await.0, "NOT_FOUND");
    let wrong_method = user.request(Method::DELETE, "/sync/orders").send().await.unwrap();
    assert!(wrong_method.headers()["allow"].to_str().unwrap().contains("GET"));
    assert_eq!(refusal(wrong_method, 405).await.0, "METHOD_NOT_ALLOWED");

    let connect = |kind: &'static str, body: Vec<u8>| {
        user.request(Method::POST, "/sync/connections/connect").header(CONTENT_TYPE, kind).body(body).send()
    };
    let json_type = "application/json";
    assert_eq!(refusal(connect("text/plain", "{}".into()).await.unwrap(), 415).await.0, "UNSUPPORTED_MEDIA_TYPE");
    let large = format!("{{\"connectionInfo\":\"{}\"}}", "x".repeat(70_000));
    assert_eq!(refusal(connect(json_type, large.into()).await.unwrap(), 413).await.0, "PAYLOAD_TOO_LARGE");
    for broken in [&b""[..], b"{", b"[]", b"\"text\"", b"{\"retailerId\":1}}", b"{\"a\":\"\xff\"}"] {
        let (code, body) = refusal(connect(json_type, broken.into()).await.unwrap(), 400).await;
        assert_eq!((code.as_str(), &body["details"]["field"]), ("INVALID_REQUEST", &json!("body")), "{broken:?}");
    }
    let good = json!({ "retailerId": 1, "connectionInfo": "x", "currentStamp": "x", "mode": "CONNECT" });
    for (field, wrong) in [
        ("retailerId", json!("one")),
        ("retailerId", json!(1.5)),
        ("retailerId", json!(99_999_999_999_999_999_999_u128)),
        ("retailerId", Value::Null),
        ("connectionInfo", json!(7)),
        ("currentStamp", json!(7)),
        ("mode", json!("MEND")),
    ] {
        let mut body = good.clone();
        body[field] = wrong;
        let (code, body) = refusal(user.post("/sync/connections/connect", &body).await, 400).await;
        assert_eq!((code.as_str(), &body["details"]["field"]), ("INVALID_REQUEST", &json!(field)));
    }
    for status in ["broken", "", "VALID"] {
        let bad_status = user.get(&format!("/sync/connections?status={status}")).await;
        assert_eq!(refusal(bad_status, 400).await.1["details"]["field"], "status");
    }
}

#[tokio::test]
async fn retailers_that_cannot_be_connected_say_so() {
    let (_world, user) = World::with_user().await;
    let retailers = user.get_json("/sync/retailers").await;
    let listed_only = retailers
        .as_array()
        .unwrap()
        .iter()
        .find(|retailer| retailer["syncConfig"]["serverSide"] == false)
        .unwrap()["retailerId"]
        .as_i64()
        .unwrap();
    let body = user.sealed(listed_only, "user_good", "pass_good", "CONNECT").await;
    let refused = user.post("/sync/connections/connect", &body).await;
    assert_eq!(refusal(refused, 400).await.0, "RETAILER_NOT_CONNECTABLE");
    let body = user.sealed(9999, "user_good", "pass_good", "CONNECT").await;
    assert_eq!(refusal(user.post("/sync/connections/connect", &body).await, 404).await.0, "NOT_FOUND");
    let body = user.sealed(3, "user_good", "pass_good", "FIX").await;
    assert_eq!(refusal(user.post("/sync/connections/connect", &body).await, 404).await.0, "NOT_FOUND");
}

#[tokio::test]
async fn every_response_has_a_request_id_of_its_own_and_is_not_kept_by_caches() {
    let (_world, user) = World::with_user().await;
    let mut ids = std::collections::HashSet::new();
    for path in ["/sync/retailers", "/sync/orders", "/nowhere", "/healthz", "/readyz"] {
        let response = user.get(path).await;
        assert_eq!(response.headers()["cache-control"], "no-store");
        // So that a client may repeat what it cannot know to be done.
        assert_eq!(response.headers()["idempotency-key-supported"], "true");
        ids.insert(response.headers()["x-request-id"].to_str().unwrap().to_owned());
    }
    assert_eq!(ids.len(), 5);
}

#[tokio::test]
async fn the_local_token_signs_in_the_local_user_and_no_other_does() {
    let token = "a-token-of-this-process";
    let World { node, store } = World::new().await;
    let mut user = node.user(1).await;
    user.connected(2, "user_good").await;
    node.stop().await;
    let world = World { node: Node::on(store.path(), |config| config.local_token = Some(token.into())).await, store };
    user.base.clone_from(&world.node.base);
    assert_eq!(user.get_json("/sync/connections").await.as_array().unwrap().len(), 1);
    let others_token = std::mem::replace(&mut user.token, token.into());
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
    user.connected(2, "user_good").await;
    assert_eq!(user.get_json("/sync/connections").await.as_array().unwrap().len(), 1);
    user.token = "a-token-of-that-process".into();
    assert_eq!(user.get("/sync/connections").await.status(), 401);

    // Others who can reach the port can neither get a token nor touch what the local user has.
    let reset = json!({ "all": true });
    for stranger in ["", "a-token-of-that-process", &others_token] {
        user.token = stranger.into();
        assert_eq!(refusal(user.post("/sandbox/reset", &reset).await, 401).await.0, "UNAUTHORIZED");
        let asked = user.post("/sandbox/token", &json!({ "phone": "+15550101" })).await;
        assert_eq!(refusal(asked, 404).await.0, "NOT_FOUND");
    }
    user.token = token.into();
    assert_eq!(user.get_json("/sync/connections").await.as_array().unwrap().len(), 1);
    let asked = user.post("/sandbox/token", &json!({ "phone": "+15550101" })).await;
    assert_eq!(refusal(asked, 404).await.0, "NOT_FOUND");
    assert_eq!(user.post("/sandbox/reset", &json!({})).await.status(), 204);
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
}
