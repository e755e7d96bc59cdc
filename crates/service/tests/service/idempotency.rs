//! A request that is made again, because its answer was lost, happens once.

use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::harness::{User, World, refusal, started};

async fn post(user: &User, path: &str, key: &str, body: &Value) -> Response {
    user.request(Method::POST, path).header("Idempotency-Key", key).json(body).send().await.unwrap()
}

#[tokio::test]
async fn the_first_answer_is_given_again() {
    let (_world, user) = World::with_user().await;
    let body = user.sealed(12, "user_good", "pass_good", "CONNECT").await;
    let first = started(post(&user, "/sync/connections/connect", "k1", &body).await).await;
    user.ended(&first).await;
    let again = post(&user, "/sync/connections/connect", "k1", &body).await;
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!(started(again).await, first);
    assert_eq!(user.get_json("/sync/connections").await.as_array().unwrap().len(), 1);

    let second = started(post(&user, "/sync/connections/sync", "k2", &Value::Null).await).await;
    assert_eq!(started(post(&user, "/sync/connections/sync", "k2", &Value::Null).await).await, second);
}

#[tokio::test]
async fn requests_at_the_same_time_with_one_key_happen_once() {
    let (_world, user) = World::with_user().await;
    let body = user.sealed(12, "user_good", "pass_good", "CONNECT").await;
    let answers = futures::future::join_all((0..8).map(|_| post(&user, "/sync/connections/connect", "k", &body))).await;
    let mut batches = std::collections::HashSet::new();
    for answer in answers {
        batches.insert(started(answer).await);
    }
    assert_eq!(batches.len(), 1);
}

#[tokio::test]
async fn another_request_with_the_key_is_refused_and_another_callers_key_is_its_own() {
    let (_world, [user, other]) = World::with_users([1, 2]).await;
    let body = user.sealed(12, "user_good", "pass_good", "CONNECT").await;
    started(post(&user, "/sync/connections/connect", "k", &body).await).await;
    let different = user.sealed(12, "user_good", "pass_good", "CONNECT").await;
    let refused = post(&user, "/sync/connections/connect", "k", &different).await;
    assert_eq!(refusal(refused, 409).await.0, "IDEMPOTENCY_CONFLICT");
    let elsewhere = post(&user, "/sync/connections/sync", "k", &body).await;
    assert_eq!(refusal(elsewhere, 409).await.0, "IDEMPOTENCY_CONFLICT");
    let body = other.sealed(12, "user_good", "pass_good", "CONNECT").await;
    started(post(&other, "/sync/connections/connect", "k", &body).await).await;
}

#[tokio::test]
async fn a_refusal_is_not_kept_and_a_day_later_the_key_is_free() {
    let (_world, user) = World::with_user().await;
    let path = "/sync/orders/sync?retailer=12";
    let (refused, wrong) = (post(&user, path, "k", &json!({})).await, "/sync/orders/sync?retailer=x");
    assert_eq!(refusal(refused, 404).await.0, "NOT_FOUND");
    assert_eq!(refusal(post(&user, wrong, "k", &json!({})).await, 400).await.0, "INVALID_REQUEST");
    let batch = user.connect(12, "user_slow").await;
    assert_eq!(refusal(post(&user, path, "k", &json!({})).await, 409).await.0, "SYNC_IN_PROGRESS");
    user.ended(&batch).await;
    let first = started(post(&user, path, "k", &json!({})).await).await;
    user.ended(&first).await;
    assert_eq!(started(post(&user, path, "k", &json!({})).await).await, first);
    assert_eq!(refusal(post(&user, wrong, "k", &json!({})).await, 409).await.0, "IDEMPOTENCY_CONFLICT");
    user.advance(24 * 3600 + 1).await;
    assert_ne!(started(post(&user, path, "k", &json!({})).await).await, first);
}

#[tokio::test]
async fn repetitions_of_an_answer_that_is_still_being_taken_get_the_first_answer() {
    let world = World::new().await;
    for ending in 1..=5 {
        let user = world.node.user(ending).await;
        let batch = user.connect(12, "user_mfa_enter").await;
        let req_id = user.asked(&batch).await.events.iter().rev().find_map(|event| event.req_id.clone()).unwrap();
        let body = json!({ "eventType": "enter", "reqId": req_id, "otpValue": "123456" });
        let answers = futures::future::join_all((0..16).map(|_| post(&user, "/sync/mfa", "k", &body))).await;
        for answer in answers {
            let status = answer.status();
            let answer: Value = answer.json().await.unwrap();
            assert_eq!((status.as_u16(), &answer["batchId"]), (202, &json!(batch)), "{answer}");
        }
    }
}

#[tokio::test]
async fn that_there_was_nothing_to_sync_is_kept_under_its_key() {
    let (_world, user) = World::with_user().await;
    let path = "/sync/connections/sync";
    let none = json!({ "status": "no_retailers" });
    let first = post(&user, path, "k", &json!({})).await;
    assert!(!first.headers().contains_key("idempotency-replayed"));
    assert_eq!(first.json::<Value>().await.unwrap(), none);
    user.connected(12, "user_good").await;
    let again = post(&user, path, "k", &json!({})).await;
    assert_eq!((again.status().as_u16(), &again.headers()["idempotency-replayed"]), (200, &"true".parse().unwrap()));
    assert_eq!(again.json::<Value>().await.unwrap(), none);
    let other = post(&user, path, "k", &json!({ "other": 1 })).await;
    assert_eq!(refusal(other, 409).await.0, "IDEMPOTENCY_CONFLICT");
    started(post(&user, path, "k2", &json!({})).await).await;
}

#[tokio::test]
async fn an_answer_does_not_repeat_a_long_request() {
    let (_world, user) = World::with_user().await;
    let long = "A".repeat(30_000);
    let mfa = json!({ "eventType": long, "reqId": "x" });
    let unknown = json!({ "eventType": "enter", "reqId": long, "otpValue": "123456" });
    let elsewhere = format!("/sync/connections/{long}/sync");
    for (path, body) in [("/sync/mfa", &mfa), ("/sync/mfa", &unknown), (&elsewhere, &json!({}))] {
        for key in ["first", "first", "second"] {
            let answer = post(&user, path, &format!("{key} {path:.20} {}", body.to_string().len()), body).await;
            let text = answer.text().await.unwrap();
            assert!(text.contains(&"A".repeat(64)) && !text.contains(&"A".repeat(65)), "{text:.300}");
        }
    }
}

#[tokio::test]
async fn a_key_that_is_none_is_refused() {
    let (_world, user) = World::with_user().await;
    for key in ["", "a\tb", &"k".repeat(256)] {
        let refused = post(&user, "/sync/connections/sync", key, &json!({})).await;
        assert_eq!(refusal(refused, 400).await.1["details"]["field"], "Idempotency-Key");
    }
}
