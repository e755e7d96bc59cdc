//! Adjustments of orders and line items over HTTP.

use std::collections::BTreeSet;

use ordersync_api::AdjustmentType;
use serde_json::Value;

use crate::harness::{User, World, refusal, started};

async fn with_adjustments(user: &User) -> Vec<Value> {
    let page = user.get_json("/sync/orders?limit=1000&include=adjustments").await;
    page.as_array().unwrap().clone()
}

#[tokio::test]
async fn a_list_has_adjustments_on_request_and_an_item_by_itself_always() {
    let (_world, user) = World::connected(3, "user_adjustments").await;
    let items = with_adjustments(&user).await;
    let mut types = BTreeSet::new();
    for item in &items {
        for list in ["lineAdjustments", "orderAdjustments"] {
            for adjustment in item[list].as_array().unwrap() {
                types.insert(adjustment["type"].as_str().unwrap().to_owned());
                assert_eq!(adjustment["currency"], item["currency"]);
                assert!(adjustment["text"].is_string() && adjustment["amount"].is_number(), "{adjustment}");
            }
        }
    }
    assert_eq!(types, AdjustmentType::ALL.iter().map(ToString::to_string).collect());

    let plain = user.all_orders().await;
    assert_eq!(plain.len(), items.len());
    for (plain, item) in plain.iter().zip(&items) {
        let mut without = item.clone();
        for list in ["lineAdjustments", "orderAdjustments"] {
            without.as_object_mut().unwrap().remove(list);
            assert!(plain.get(list).is_none());
        }
        assert_eq!(*plain, without);
    }
    for item in items.iter().step_by(9) {
        assert_eq!(user.get_json(&format!("/sync/orders/{}", item["id"].as_str().unwrap())).await, *item);
    }
}

#[tokio::test]
async fn a_second_sync_changes_no_adjustment_and_what_is_not_known_is_null() {
    let (_world, user) = World::connected(3, "user_adjustments").await;
    user.connected(5, "user_good").await;
    let before = with_adjustments(&user).await;
    for item in &before {
        let is_known = item["retailerId"] == 3;
        assert_eq!(item["orderAdjustments"].is_array(), is_known);
        assert_eq!(item["lineAdjustments"].is_array(), is_known);
        assert!(item.get("orderAdjustments").is_some(), "null, and not absent");
    }
    let batch_id = started(user.post("/sync/connections/sync?full=true", &Value::Null).await).await;
    user.ended(&batch_id).await;
    assert_eq!(with_adjustments(&user).await, before);
}

#[tokio::test]
async fn only_json_includes_adjustments_and_nothing_else_is_included() {
    let (_world, user) = World::with_user().await;
    for query in ["include=history", "include=", "include=adjustments&format=csv"] {
        let (code, body) = refusal(user.get(&format!("/sync/orders?{query}")).await, 400).await;
        assert_eq!((code.as_str(), &body["details"]["field"]), ("INVALID_REQUEST", &Value::from("include")), "{query}");
    }
    assert_eq!(user.get_json("/sync/orders?include=adjustments&format=json").await, Value::Array(vec![]));
}
