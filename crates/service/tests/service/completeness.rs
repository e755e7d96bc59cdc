//! Whether a list is complete, as clients see it.

use ordersync_api::SyncErrorCode;
use serde_json::{Value, json};

use crate::harness::{User, World, started};

/// What the document says of the connection to a retailer. It agrees with the connection and with the header of both forms of the
/// list.
async fn known(user: &User, retailer_id: i64) -> Value {
    for only in [String::new(), format!("?retailer_id={retailer_id}")] {
        let document = user.get_json(&format!("/sync/completeness{only}")).await;
        let connections = document["connections"].as_array().unwrap();
        let incomplete = connections.iter().filter(|one| one["completeness"]["complete"] == false).count();
        assert_eq!(document["complete"], incomplete == 0, "{document}");
        for form in ["json", "csv"] {
            let page =
                user.get(&format!("/sync/orders{only}{}format={form}", if only.is_empty() { "?" } else { "&" })).await;
            assert_eq!(page.headers()["x-incomplete-connections"], incomplete.to_string(), "{document}");
        }
    }
    let document = user.get_json(&format!("/sync/completeness?retailer_id={retailer_id}")).await;
    let found = &document["connections"][0];
    let id = found["connectionId"].as_str().unwrap();
    let connection = user.get_json(&format!("/sync/connections/{id}")).await;
    for field in ["connectionId", "retailerId", "displayName", "status", "completeness"] {
        assert_eq!(found[field], connection[field], "{field}");
    }
    found["completeness"].clone()
}

fn reasons(completeness: &Value) -> Vec<&str> {
    completeness["reasons"].as_array().unwrap().iter().map(|reason| reason["reason"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn every_sync_that_fails_is_known_by_its_code_and_a_repair_ends_it() {
    let world = World::new().await;
    for (ending, code) in (1..).zip(SyncErrorCode::ALL) {
        let user = world.node.user(ending).await;
        user.connected(1, "user_items_3").await;
        user.connected(2, &format!("error_{code}")).await;
        assert_eq!(known(&user, 1).await, json!({ "complete": true, "reasons": [] }));
        let failed = known(&user, 2).await;
        let expected: &[&str] = match code.invalidates_connection() {
            true => &["connection_invalid", "sync_failed", "never_completed"],
            false => &["sync_failed", "never_completed"],
        };
        assert_eq!(reasons(&failed), expected, "{code}");
        for reason in failed["reasons"].as_array().unwrap() {
            let has_code = reason["reason"] != "never_completed";
            assert_eq!(reason["code"].as_str(), has_code.then_some(code.as_str()));
            assert!(reason["message"].as_str().unwrap().ends_with('.'));
        }
    }
    let user = world.node.user(1).await;
    let body = user.sealed(2, "user_good", "pass_good", "FIX").await;
    user.ended(&started(user.post("/sync/connections/connect", &body).await).await).await;
    assert_eq!(known(&user, 2).await, json!({ "complete": true, "reasons": [] }));
}

#[tokio::test]
async fn what_failed_first_since_a_complete_sync_says_since_when() {
    let (_world, user) = World::with_user().await;
    user.post("/sandbox/clock", &json!({ "freeze": true })).await;
    user.connected(4, "user_good").await;
    let id = user.get_json("/sync/connections").await[0]["connectionId"].as_str().unwrap().to_owned();
    user.asked(&user.connect(5, "user_mfa_enter").await).await;
    let waiting = known(&user, 5).await;
    assert_eq!(reasons(&waiting), ["never_completed"]);
    assert_eq!(waiting["incompleteSince"], user.get_json("/sync/connections").await[1]["createdAt"]);
    assert_eq!(known(&user, 4).await["complete"], true);
    user.advance(60).await;
    let body = json!({ "connectionId": id });
    let broken = user.post("/sandbox/break", &body).await.json::<Value>().await.unwrap();
    let since = broken["completeness"]["incompleteSince"].clone();
    assert_eq!(reasons(&known(&user, 4).await), ["connection_invalid"]);
    user.advance(60).await;
    // Its next sign-in is refused.
    let wrong = user.sealed(4, "user_good", "pass_wrong", "FIX").await;
    user.ended(&started(user.post("/sync/connections/connect", &wrong).await).await).await;
    let refused = known(&user, 4).await;
    assert_eq!((reasons(&refused), &refused["incompleteSince"]), (vec!["connection_invalid", "sync_failed"], &since));
    assert_ne!(refused["reasons"][1]["at"], since);
}
