//! Credentials: accepted if sealed with a fresh token of their own, once; refused otherwise; nowhere in clear text.

use ordersync_api::seal::{DirA256Gcm, Seal};
use serde_json::json;

use crate::harness::{World, credentials, everything_stored, refusal, started};

const REJECTED: &str = "SEAL_REJECTED";

#[tokio::test]
async fn a_token_is_good_for_one_accepted_connect() {
    let (_world, user) = World::with_user().await;
    let totp = user.totp().await;
    let seal = |name: &str| DirA256Gcm.seal(&totp.token, &totp.current_stamp, &credentials(name, "pass_good")).unwrap();
    let body = |retailer_id: i64| {
        json!({
            "retailerId": retailer_id, "connectionInfo": seal("user_empty"), "currentStamp": totp.current_stamp,
            "mode": "CONNECT",
        })
    };
    // What was refused did not use it up.
    assert_eq!(user.post("/sync/connections/connect", &body(9999)).await.status(), 404);
    started(user.post("/sync/connections/connect", &body(1)).await).await;
    assert_eq!(refusal(user.post("/sync/connections/connect", &body(2)).await, 400).await.0, REJECTED);
    assert_eq!(user.get_json("/sync/connections").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_was_tampered_with_is_anothers_or_has_expired_is_refused_in_the_same_words() {
    let (world, user) = World::with_user().await;
    let other = world.node.user(2).await;
    let other_client = world.node.user_of(1, json!({ "client_id": "other" })).await;
    let good = user.sealed(1, "user_good", "pass_good", "CONNECT").await;
    let mut messages = std::collections::HashSet::new();
    let mut tampered = good.clone();
    let info = good["connectionInfo"].as_str().unwrap();
    let (before, after) = (&info[..info.len() - 30], &info[info.len() - 29..]);
    let other_letter = if info[before.len()..].starts_with('A') { "B" } else { "A" };
    tampered["connectionInfo"] = format!("{before}{other_letter}{after}").into();
    let mut restamped = good.clone();
    restamped["currentStamp"] = user.totp().await.current_stamp.into();
    let mut unstamped = good.clone();
    unstamped["currentStamp"] = "now".into();
    let mut clear = good.clone();
    clear["connectionInfo"] = "{\"username\":\"user_good\",\"password\":\"pass_good\"}".into();
    for (who, body) in [
        (&user, &tampered),
        (&user, &restamped),
        (&user, &unstamped),
        (&user, &clear),
        (&other, &good),
        (&other_client, &good),
    ] {
        let (code, body) = refusal(who.post("/sync/connections/connect", body).await, 400).await;
        assert_eq!(code, REJECTED);
        messages.insert(body["message"].to_string());
    }
    user.advance(301).await;
    let (code, body) = refusal(user.post("/sync/connections/connect", &good).await, 400).await;
    messages.insert(body["message"].to_string());
    assert_eq!((code.as_str(), messages.len()), (REJECTED, 1));
}

#[tokio::test]
async fn a_credential_field_that_is_missing_is_named() {
    let (_world, user) = World::with_user().await;
    let totp = user.totp().await;
    let mut only = credentials("user_good", "");
    for lacking in [only.clone(), {
        only.remove("password");
        only
    }] {
        let info = DirA256Gcm.seal(&totp.token, &totp.current_stamp, &lacking).unwrap();
        let body = json!({
            "retailerId": 1, "connectionInfo": info, "currentStamp": totp.current_stamp, "mode": "CONNECT",
        });
        let (code, body) = refusal(user.post("/sync/connections/connect", &body).await, 400).await;
        assert_eq!((code.as_str(), &body["details"]["field"]), ("INVALID_REQUEST", &json!("connectionInfo")));
        assert!(body["message"].as_str().unwrap().contains("password"));
    }
}

#[tokio::test]
async fn no_credential_code_or_token_rests_in_clear_text() {
    let (world, user) = World::with_user().await;
    let canary = "canary-4f1d-password";
    let body = user.sealed(1, "canary-77aa-user", canary, "CONNECT").await;
    let batch_id = started(user.post("/sync/connections/connect", &body).await).await;
    user.ended(&batch_id).await;
    let batch_id = user.connect(2, "user_mfa_enter").await;
    let session = user.asked(&batch_id).await;
    let req_id = session.open_mfa(&session.retailer_sync_sessions[0]).unwrap().0.clone();
    user.post("/sync/mfa", &json!({ "eventType": "enter", "reqId": req_id, "otpValue": "canary-code-9" })).await;
    user.until(&batch_id, |session| session.events.len() > 4).await;
    let secrets = [canary, "canary-77aa-user", "canary-code-9", &user.token];
    world.node.stop().await;
    let stored = everything_stored(world.store.path()).await;
    let is_stored = |text: &str| stored.windows(text.len()).any(|window| window == text.as_bytes());
    for secret in secrets {
        assert!(!is_stored(secret), "{secret}");
    }
    // The search can find: what is no secret is there.
    assert!(is_stored(&batch_id) && is_stored("userintervention"));
}
