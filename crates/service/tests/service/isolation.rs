//! Who may see what: over every route of the table, so that a route that is added is tested too.

use std::collections::BTreeSet;

use ordersync_service::routes;
use reqwest::Method;
use serde_json::{Value, json};

use crate::contract::{contract, operations};
use crate::harness::{World, refusal};

fn filled(path: &str, connection_id: &str) -> String {
    path.replace("{connectionId}", connection_id).replace("{id}", "item_x").replace("{batchId}", "batch_x")
}

#[tokio::test]
async fn no_route_but_the_public_ones_answers_without_a_good_token() {
    let (_world, user) = World::with_user().await;
    for route in routes(true).into_iter().filter(|route| !route.is_public()) {
        let url = format!("{}{}", user.base, filled(route.path, "conn_x"));
        let request = || user.http.request(route.method.clone(), &url).json(&json!({}));
        let response = request().send().await.unwrap();
        assert!(response.headers()["www-authenticate"].to_str().unwrap().starts_with("Bearer"));
        assert_eq!(refusal(response, 401).await.0, "UNAUTHORIZED", "{}", route.path);
        for token in ["wrong", "", &format!("{}x", user.token)] {
            let response = request().bearer_auth(token).send().await.unwrap();
            assert_eq!(refusal(response, 401).await.0, "UNAUTHORIZED", "{}", route.path);
        }
    }
}

#[tokio::test]
async fn every_route_of_the_interface_needs_the_scope_that_the_contract_names_and_no_other() {
    let world = World::new().await;
    let operations = operations(&contract());
    let scopes: BTreeSet<&str> = operations.values().filter_map(|operation| operation["x-scope"].as_str()).collect();
    assert!(scopes.len() >= 6, "{scopes:?}");
    for ((method, path), operation) in &operations {
        let Some(scope) = operation["x-scope"].as_str() else { continue };
        let others: Vec<&str> = scopes.iter().filter(|other| **other != scope).copied().collect();
        for (scopes, is_refused) in [(others.join(" "), true), (scope.to_owned(), false)] {
            let user = world.node.user_of(1, json!({ "scopes": scopes })).await;
            let request = user.request(method.parse().unwrap(), &filled(path, "conn_x")).json(&json!({}));
            let response = request.send().await.unwrap();
            let challenge = response.headers().get("www-authenticate").map(|value| value.to_str().unwrap().to_owned());
            let is_lacking = challenge.is_some_and(|challenge| challenge.contains("insufficient_scope"));
            assert_eq!(is_lacking, is_refused, "{method} {path} with {scopes}");
            if is_refused {
                assert_eq!(refusal(response, 403).await.0, "INSUFFICIENT_SCOPE", "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn another_users_connections_do_not_exist_and_another_clients_are_not_shared() {
    let (world, [owner]) = World::with_users([1]).await;
    let session = owner.connected(12, "user_good").await;
    let id = owner.get_json("/sync/connections").await[0]["connectionId"].as_str().unwrap().to_owned();
    let item = owner.get_json("/sync/orders?limit=1").await[0]["id"].as_str().unwrap().to_owned();
    let other_user = world.node.user(2).await;
    let other_client = world.node.user_of(1, json!({ "client_id": "other" })).await;
    for (stranger, status, code) in [(other_user, 404, "NOT_FOUND"), (other_client, 403, "CONNECTION_NOT_SHARED")] {
        let sealed = stranger.sealed(12, "user_good", "pass_good", "FIX").await;
        let named = json!({ "connectionId": id });
        for (method, path, body) in [
            (Method::GET, format!("/sync/connections/{id}"), &sealed),
            (Method::PUT, format!("/sync/connections/{id}"), &sealed),
            (Method::POST, format!("/sync/connections/{id}/sync"), &sealed),
            (Method::GET, format!("/sync/orders/{item}"), &sealed),
            (Method::POST, "/sandbox/break".to_owned(), &named),
        ] {
            let response = stranger.request(method.clone(), &path).json(body).send().await.unwrap();
            assert_eq!(refusal(response, status).await.0, code, "{method} {path}");
        }
        let batch = format!("/sync/sessions/{}", session.batch_id);
        assert_eq!(refusal(stranger.get(&batch).await, 404).await.0, "NOT_FOUND");
        assert_eq!(refusal(stranger.get("/sync/sessions/latest").await, 404).await.0, "NOT_FOUND");
        for list in ["/sync/connections", "/sync/orders", "/sync/orders?retailer_id=12"] {
            let response = stranger.get(list).await;
            assert_eq!(response.headers()["x-total-count"], "0");
            assert_eq!(response.json::<Value>().await.unwrap(), json!([]));
        }
        let nothing = json!({ "complete": true, "connections": [] });
        assert_eq!(stranger.get_json("/sync/completeness").await, nothing);
        let none: Value = stranger.post("/sync/connections/sync", &json!({})).await.json().await.unwrap();
        assert_eq!(none["status"], "no_retailers");
    }
    // Nothing of all that changed what the owner has.
    assert_eq!(owner.get_json("/sync/connections").await[0]["status"], "valid");
}

#[tokio::test]
async fn on_no_route_does_another_users_thing_differ_from_one_that_does_not_exist() {
    let (world, [owner]) = World::with_users([1]).await;
    let session = owner.connected(12, "user_good").await;
    let connection = owner.get_json("/sync/connections").await[0]["connectionId"].as_str().unwrap().to_owned();
    let item = owner.get_json("/sync/orders?limit=1").await[0].clone();
    let document = owner.kept_document(&item).await;
    let item = item["id"].as_str().unwrap().to_owned();
    let stranger = world.node.user(2).await;
    let things = [
        ("{connectionId}", connection),
        ("{batchId}", session.batch_id.to_string()),
        ("{id}", item),
        ("{documentId}", document),
    ];
    let mut seen = 0;
    for route in routes(true).into_iter().filter(|route| route.path.contains('{') && !route.is_public()) {
        let (place, theirs) = things.iter().find(|(place, _)| route.path.contains(place)).expect(route.path);
        // As long as a real one, but nobody's.
        let nobodys: String = theirs.chars().map(|c| if c.is_ascii_digit() { '7' } else { c }).collect();
        let mut answers = Vec::new();
        for id in [theirs, &nobodys] {
            let path = route.path.replace(place, id);
            let sealed = stranger.sealed(12, "user_good", "pass_good", "FIX").await;
            let response = stranger.request(route.method.clone(), &path).json(&sealed).send().await.unwrap();
            let (code, body) = refusal(response, 404).await;
            assert_eq!(code, "NOT_FOUND", "{} {path}", route.method);
            answers.push(body.to_string().replace(id, "ID"));
        }
        assert_eq!(answers[0], answers[1], "{} {}", route.method, route.path);
        seen += 1;
    }
    assert!(seen >= 5);
}

#[tokio::test]
async fn the_same_user_through_another_client_cannot_connect_a_retailer_twice() {
    let world = World::new().await;
    world.node.user(1).await.connected(12, "user_good").await;
    let other_client = world.node.user_of(1, json!({ "client_id": "other" })).await;
    let body = other_client.sealed(12, "user_good", "pass_good", "CONNECT").await;
    let refused = other_client.post("/sync/connections/connect", &body).await;
    assert_eq!(refusal(refused, 409).await.0, "CONNECTION_EXISTS");
    let trigger = other_client.post("/sync/orders/sync?retailer=12", &json!({})).await;
    assert_eq!(refusal(trigger, 403).await.0, "CONNECTION_NOT_SHARED");
}

#[tokio::test]
async fn another_users_mfa_request_cannot_be_answered() {
    let (world, [owner]) = World::with_users([1]).await;
    let batch_id = owner.connect(12, "user_mfa_enter").await;
    let session = owner.asked(&batch_id).await;
    let req_id = session.open_mfa(&session.retailer_sync_sessions[0]).unwrap().0.clone();
    let body = json!({ "eventType": "enter", "reqId": req_id, "otpValue": "123456" });
    let stranger = world.node.user(2).await;
    assert_eq!(refusal(stranger.post("/sync/mfa", &body).await, 404).await.0, "NOT_FOUND");
}
