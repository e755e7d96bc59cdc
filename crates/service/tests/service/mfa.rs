//! MFA: asked for, answered, answered wrong, answered late.

use std::time::{Duration, Instant};

use ordersync_api::{Session, SessionStatus};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use crate::harness::{User, World, refusal};

fn open_request(session: &Session) -> (String, Value) {
    let (id, request) = session.open_mfa(&session.retailer_sync_sessions[0]).unwrap();
    (id.to_string(), serde_json::to_value(request).unwrap())
}

async fn answer(user: &User, body: &Value) -> Response {
    user.post("/sync/mfa", body).await
}

async fn enter(user: &User, batch_id: &str, code: &str) -> Response {
    let (req_id, _) = open_request(&user.asked(batch_id).await);
    answer(user, &json!({ "eventType": "enter", "reqId": req_id, "otpValue": code })).await
}

#[tokio::test]
async fn a_method_is_chosen_and_its_code_entered() {
    let (_world, user) = World::with_user().await;
    let batch_id = user.connect(12, "user_mfa_choose").await;

    let (choose, request) = open_request(&user.asked(&batch_id).await);
    assert_eq!(request["eventType"], "choose");
    let options: Vec<&str> =
        request["options"].as_array().unwrap().iter().map(|option| option["id"].as_str().unwrap()).collect();
    assert!(options.contains(&"sms") && options.contains(&"email"), "{options:?}");

    let body = json!({ "eventType": "choose", "reqId": choose, "selectedOption": "pigeon" });
    assert_eq!(refusal(answer(&user, &body).await, 400).await.1["details"]["field"], "selectedOption");
    let body = json!({ "eventType": "enter", "reqId": choose, "otpValue": "123456" });
    assert_eq!(refusal(answer(&user, &body).await, 400).await.1["details"]["field"], "eventType");
    let body = json!({ "eventType": "choose", "reqId": choose, "selectedOption": "sms" });
    let accepted = answer(&user, &body).await;
    assert_eq!(accepted.status(), 202);
    assert_eq!(accepted.json::<Value>().await.unwrap()["batchId"], batch_id.as_str());
    assert_eq!(refusal(answer(&user, &body).await, 409).await.0, "MFA_REQUEST_EXPIRED");

    let asked = user.until(&batch_id, |session| {
        session.open_mfa(&session.retailer_sync_sessions[0]).is_some_and(|(id, _)| id.as_str() != choose)
    });
    let (_, request) = open_request(&asked.await);
    assert_eq!((&request["eventType"], &request["attemptsLeft"]), (&json!("enter"), &json!(3)));
    assert_eq!(enter(&user, &batch_id, "123456").await.status(), 202);
    let session = user.ended(&batch_id).await;
    assert_eq!(session.retailer_sync_sessions[0].sync_status.to_string(), "completed");
    let statuses: Vec<String> =
        session.events.iter().filter_map(|event| event.sync_status.as_ref().map(ToString::to_string)).collect();
    assert_eq!(
        statuses,
        [
            "queued",
            "connecting",
            "userintervention",
            "connecting",
            "userintervention",
            "connecting",
            "scanning",
            "processing",
            "completed"
        ]
    );
    assert_eq!(session.events.iter().map(|event| event.seq).collect::<Vec<_>>(), (1..=9).collect::<Vec<_>>());
}

#[tokio::test]
async fn three_wrong_codes_end_the_sync_and_break_the_connection() {
    let (_world, user) = World::with_user().await;
    let batch_id = user.connect(12, "user_mfa_enter").await;
    let mut seen = Vec::new();
    for left in [3, 2, 1] {
        let session = user
            .until(&batch_id, |session| {
                session.open_mfa(&session.retailer_sync_sessions[0]).is_some_and(|(id, _)| !seen.contains(id))
            })
            .await;
        let (req_id, request) = open_request(&session);
        assert_eq!(request["attemptsLeft"], left);
        seen.push(req_id.as_str().into());
        let body = json!({ "eventType": "enter", "reqId": req_id, "otpValue": "999999" });
        assert_eq!(answer(&user, &body).await.status(), 202);
    }
    let session = user.ended(&batch_id).await;
    let part = &session.retailer_sync_sessions[0];
    assert_eq!(part.sync_status.to_string(), "error");
    assert_eq!(part.error.as_ref().unwrap().code.to_string(), "mfa_failed");
    let connection = &user.get_json("/sync/connections").await[0];
    assert_eq!((&connection["status"], &connection["statusReason"]), (&json!("invalid"), &json!("mfa_failed")));
}

#[tokio::test]
async fn a_wrong_code_may_be_followed_by_the_right_one() {
    let (_world, user) = World::with_user().await;
    let batch_id = user.connect(12, "user_mfa_enter").await;
    let (first, _) = open_request(&user.asked(&batch_id).await);
    let body = json!({ "eventType": "enter", "reqId": first, "otpValue": "111111" });
    assert_eq!(answer(&user, &body).await.status(), 202);
    let asked = user.until(&batch_id, |session| {
        session.open_mfa(&session.retailer_sync_sessions[0]).is_some_and(|(id, _)| id.as_str() != first)
    });
    asked.await;
    // As phones show it.
    assert_eq!(enter(&user, &batch_id, " 123 456").await.status(), 202);
    assert_eq!(user.ended(&batch_id).await.retailer_sync_sessions[0].sync_status.to_string(), "completed");
}

#[tokio::test]
async fn nobody_answers_for_five_minutes() {
    let (_world, user) = World::with_user().await;
    let batch_id = user.connect(12, "user_mfa_enter").await;
    let (req_id, _) = open_request(&user.asked(&batch_id).await);
    user.advance(299).await;
    assert_eq!(user.session(&batch_id).await.status.to_string(), "syncing");
    user.advance(2).await;
    let session = user.session(&batch_id).await;
    let part = &session.retailer_sync_sessions[0];
    assert_eq!((session.status.to_string(), part.sync_status.to_string()), ("normal".into(), "timed_out".into()));
    assert_eq!(part.error.as_ref().unwrap().code.to_string(), "mfa_expired");
    assert_eq!(user.get_json("/sync/connections").await[0]["status"], "invalid");
    let body = json!({ "eventType": "enter", "reqId": req_id, "otpValue": "123456" });
    assert_eq!(refusal(answer(&user, &body).await, 409).await.0, "MFA_REQUEST_EXPIRED");
}

#[tokio::test]
async fn an_answer_that_lacks_something_is_refused_by_name() {
    let (_world, user) = World::with_user().await;
    for (body, field) in [
        (json!({}), "reqId"),
        (json!({ "reqId": "x" }), "eventType"),
        (json!({ "reqId": "x", "eventType": "guess" }), "eventType"),
        (json!({ "reqId": "x", "eventType": "choose" }), "selectedOption"),
        (json!({ "reqId": "x", "eventType": "enter" }), "otpValue"),
        (json!({ "reqId": "x", "eventType": "enter", "otpValue": " " }), "otpValue"),
        (json!({ "reqId": "x", "eventType": "enter", "otpValue": "1".repeat(65) }), "otpValue"),
    ] {
        assert_eq!(refusal(answer(&user, &body).await, 400).await.1["details"]["field"], field);
    }
    let body = json!({ "reqId": "mfa_none", "eventType": "enter", "otpValue": "1" });
    assert_eq!(refusal(answer(&user, &body).await, 404).await.0, "NOT_FOUND");
}

#[tokio::test]
async fn more_items_do_not_end_a_wait_and_an_event_does() {
    let (_world, user) = World::with_user().await;
    let look = async |path: &str| {
        let answer = user.get(path).await;
        let tag = answer.headers()["etag"].clone();
        let session: Session = answer.json().await.unwrap();
        let is_over = session.status.known() == Some(&SessionStatus::Normal);
        (tag, session.retailer_sync_sessions[0].items_found, session.events.len(), is_over)
    };
    for retailer in 1..=5 {
        let path = format!("/sync/sessions/{}", user.connect(retailer, "user_items_5000").await);
        let (tag, found, events, _) = loop {
            let seen = look(&path).await;
            if seen.1 > Some(0) || seen.3 {
                break seen;
            }
        };
        // Until the counts that the client has are old.
        let now = loop {
            let now = look(&path).await;
            if now.1 != found || now.2 != events || now.3 {
                break now;
            }
        };
        if now.2 != events || now.3 {
            // It ended too soon.
            continue;
        }
        let ask = user.request(Method::GET, &path).header("If-None-Match", &tag).header("Prefer", "wait=25");
        let session: Session = ask.send().await.unwrap().json().await.unwrap();
        return assert!(session.events.len() > events, "{session:?}");
    }
    panic!("every sync ended before its counts changed");
}

#[tokio::test]
async fn an_answer_that_the_client_has_already_waits_for_a_change() {
    let (world, user) = World::with_user().await;
    // It asks for a code, so that nothing changes by itself.
    let batch_id = user.connect(12, "user_mfa_enter").await;
    user.asked(&batch_id).await;
    for path in [format!("/sync/sessions/{batch_id}"), "/sync/sessions/latest".to_owned()] {
        let tag = user.get(&path).await.headers()["etag"].clone();
        let ask = |seconds: &str| {
            user.request(Method::GET, &path).header("If-None-Match", &tag).header("Prefer", format!("wait={seconds}"))
        };
        let unchanged = ask("0").send().await.unwrap();
        assert_eq!((unchanged.status().as_u16(), &unchanged.headers()["etag"]), (304, &tag));
        assert!(unchanged.bytes().await.unwrap().is_empty());
        let began = Instant::now();
        let unchanged = ask("1").send().await.unwrap();
        assert_eq!(
            (unchanged.status().as_u16(), unchanged.headers()["preference-applied"].as_bytes()),
            (304, &b"wait=1"[..])
        );
        assert!(began.elapsed() >= Duration::from_secs(1));
        let waiting = tokio::spawn(ask("25").send());
        assert_eq!(enter(&user, &batch_id, "000000").await.status(), 202);
        let changed = waiting.await.unwrap().unwrap();
        assert_eq!(changed.status(), 200);
        assert_ne!(changed.headers()["etag"], tag);
        user.asked(&batch_id).await;
    }
    let tag = user.get("/sync/sessions/latest").await.headers()["etag"].clone();
    let request =
        user.request(Method::GET, "/sync/sessions/latest").header("If-None-Match", &tag).header("Prefer", "wait=25");
    let (began, waiting) = (Instant::now(), tokio::spawn(request.send()));
    tokio::time::sleep(Duration::from_millis(500)).await;
    world.node.stop().await;
    assert_eq!(waiting.await.unwrap().unwrap().status(), 304);
    assert!(began.elapsed() < Duration::from_secs(20), "a node that stops waits for no change");
}
