//! Parameters of the query: what a route does not take is refused by name, and never repeated with its value.

use ordersync_service::{Query, routes};
use reqwest::Method;
use serde_json::Value;

use crate::harness::{World, refusal};

fn filled(path: &str) -> String {
    path.replace("{connectionId}", "conn_1").replace("{batchId}", "batch_1").replace("{id}", "item_1")
}

#[tokio::test]
async fn every_route_of_the_interface_refuses_a_parameter_that_it_does_not_take() {
    let (_world, user) = World::with_user().await;
    let mut seen = 0;
    for route in routes(true).iter().filter(|route| route.parameters() != Query::Any) {
        for query in ["zzz", "zzz=1", "z%7Az=1", "limit=1&zzz=2", "phone=1&zzz"] {
            let known = matches!(route.parameters(), Query::Only(names) if !query.contains('&')
                || names.iter().any(|name| query.starts_with(name)));
            if !known {
                continue;
            }
            let address = format!("{}?{query}", filled(route.path));
            let (code, body) = refusal(user.request(route.method.clone(), &address).send().await.unwrap(), 400).await;
            assert_eq!(
                (code.as_str(), body["details"]["field"].as_str()),
                ("INVALID_REQUEST", Some("zzz")),
                "{address}"
            );
            seen += 1;
        }
        if !route.is_public() {
            let address = format!("{}{}?zzz=1", user.base, filled(route.path));
            let nobody = user.http.request(route.method.clone(), address).send().await.unwrap();
            assert_eq!(refusal(nobody, 401).await.0, "UNAUTHORIZED");
        }
    }
    assert!(seen > 80, "{seen}");
    // A page and OAuth ignore it.
    for path in ["/?zzz=1", "/.well-known/oauth-authorization-server?zzz=1"] {
        assert_eq!(user.get(path).await.status(), 200, "{path}");
    }
    let token = user.http.post(format!("{}/oauth/token?zzz=1", user.base)).body("grant_type=none");
    let token: Value =
        token.header("content-type", "application/x-www-form-urlencoded").send().await.unwrap().json().await.unwrap();
    assert!(token["error"].is_string(), "{token}");
}

#[tokio::test]
async fn the_refusal_suggests_the_nearest_and_repeats_no_value() {
    let (_world, user) = World::with_user().await;
    let message = async |path: &str| {
        let (_, body) = refusal(user.get(path).await, 400).await;
        body["message"].as_str().unwrap().to_owned()
    };
    let retailer = message("/sync/orders?retailerId=5").await;
    assert!(retailer.contains("\"retailerId\"") && retailer.contains("Did you mean \"retailer_id\"?"), "{retailer}");
    assert!(retailer.contains("start_date, end_date, format, include"), "{retailer}");
    let secret = "ordersync_sandbox_at_0123456789012345678901234567890123456789012";
    for path in [format!("/sync/orders?access_token={secret}"), format!("/sync/orders?{secret}")] {
        let said = message(&path).await;
        assert!(!said.contains(secret), "{said}");
    }
    let escape = message("/sync/profile?a%1b%5B2Jb").await;
    assert!(escape.contains("a\\u{1b}[2Jb"), "{escape}");
}

#[tokio::test]
async fn a_refused_query_changes_nothing_and_uses_up_no_idempotency_key() {
    let (_world, user) = World::connected(12, "user_items_100").await;
    let sync = async |query: &str| {
        let request = user.request(Method::POST, &format!("/sync/orders/sync{query}"));
        request.header("Idempotency-Key", "once").send().await.unwrap()
    };
    assert_eq!(refusal(sync("?reatiler=12").await, 400).await.1["details"]["field"], "reatiler");
    assert_eq!(sync("?retailer=12").await.status(), 202);
}
