//! Orders from files over HTTP.

use serde_json::{Value, json};

use crate::harness::{User, World, refusal, started};

fn line(sku: &str, name: &str, quantity: u32, price: &str, total: &str) -> Value {
    let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    json!({ "retailerSku": sku, "itemName": name, "quantity": quantity, "price": number(price), "lineTotal": number(total) })
}

fn order(id: &str, total: &str, items: &[Value]) -> Value {
    let total: Value = serde_json::from_str(total).unwrap();
    json!({ "orderId": id, "orderDate": "2026-03-05T17:04:11Z", "orderTotal": total, "currency": "EUR", "items": items })
}

fn refund(amount: &str) -> Value {
    let amount: Value = serde_json::from_str(amount).unwrap();
    json!({ "type": "refund", "amount": amount, "currency": "EUR", "text": null, "date": "2026-03-20T12:00:00Z" })
}

async fn import(user: &User, retailer: Option<&str>, orders: &[Value]) -> Value {
    let body = json!({ "retailerName": retailer, "source": "test-file", "orders": orders });
    let answer = user.post("/sync/imports", &body).await;
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

fn counts(result: &Value) -> [u64; 3] {
    ["ordersNew", "ordersChanged", "ordersUnchanged"].map(|name| result[name].as_u64().unwrap())
}

#[tokio::test]
async fn orders_of_a_file_are_listed_and_the_same_file_again_changes_nothing() {
    let (_world, user) = World::with_user().await;
    let mut first =
        order("N-1", "12.98", &[line("A", "Desk lamp", 1, "4.00", "4.00"), line("B", "Bulb", 2, "4.49", "8.98")]);
    first["items"][0]["seller"] = json!("Lamps Ltd");
    let second =
        order("N-2", "7.00", &[line("C", "Notebook", 1, "3.50", "3.50"), line("C", "Notebook", 1, "3.50", "3.50")]);
    let result = import(&user, Some("amazon.example"), &[first.clone(), second.clone()]).await;
    assert_eq!(counts(&result), [2, 0, 0]);
    assert_eq!(result["itemsNew"], 4);

    let listed = user.all_orders().await;
    assert_eq!(listed.len(), 4);
    let lamp = listed.iter().find(|item| item["itemName"] == "Desk lamp").unwrap();
    assert_eq!(lamp["retailerName"], "amazon.example");
    assert_eq!(lamp["sources"], json!(["test-file"]));
    assert_eq!(lamp["seller"], "Lamps Ltd");
    let connections = user.get_json("/sync/connections").await;
    assert_eq!((&connections[0]["status"], &connections[0]["statusReason"]), (&json!("valid"), &json!("import_only")));
    assert_eq!(connections[0]["completeness"]["complete"], true);

    let again = import(&user, Some("Amazon.Example"), &[second, first]).await;
    assert_eq!(counts(&again), [0, 0, 2]);
    assert_eq!(again["connectionId"], result["connectionId"]);
    assert_eq!(user.all_orders().await, listed);
}

#[tokio::test]
async fn a_retailer_is_not_complete_as_long_as_orders_of_its_file_follow() {
    let (_world, user) = World::with_user().await;
    let part = async |retailer: Option<&str>, more_follow: Option<bool>, orders: &[Value]| {
        let body =
            json!({ "retailerName": retailer, "source": "test-file", "orders": orders, "moreFollow": more_follow });
        assert_eq!(user.post("/sync/imports", &body).await.status(), 200);
        let connections = user.get_json("/sync/connections").await;
        let completeness = &connections[0]["completeness"];
        let listed = user.get("/sync/orders?limit=1").await.headers().get("x-incomplete-connections").cloned();
        assert_eq!(listed.is_some_and(|count| count != "0"), completeness["complete"] == false);
        completeness["reasons"][0]["reason"].as_str().map(str::to_owned)
    };
    let unfinished = Some("import_unfinished".to_owned());
    let shop = Some("shop.example");
    let tea = order("N-1", "6.00", &[line("A", "Tea", 1, "6.00", "6.00")]);
    assert_eq!(part(shop, Some(true), &[]).await, unfinished, "before the first of them");
    assert_eq!(part(shop, Some(true), std::slice::from_ref(&tea)).await, unfinished);
    let refund = json!({ "orderId": "N-1", "onlyAdds": true, "adjustments": [refund("-2.00")] });
    assert_eq!(part(None, Some(false), &[refund]).await, unfinished, "a refund is none of those that follow");
    let oil = order("N-2", "9.00", &[line("B", "Oil", 1, "9.00", "9.00")]);
    assert_eq!(part(shop, None, &[oil]).await, unfinished, "another file, stored in one request, ends no other");
    assert_eq!(part(shop, Some(false), &[]).await, None);
    assert_eq!(part(shop, Some(true), &[]).await, unfinished);
    assert_eq!(part(shop, Some(false), &[tea]).await, None);
}

#[tokio::test]
async fn a_later_file_adds_and_corrects_and_removes_nothing() {
    let (_world, user) = World::with_user().await;
    let old = order("N-1", "6.00", &[line("A", "USB cable 1 m", 1, "6.00", "6.00")]);
    let other = order("N-2", "9.00", &[line("B", "Hub", 1, "9.00", "9.00")]);
    import(&user, Some("shop.example"), &[old, other]).await;
    let before = user.all_orders().await;

    let mut reworded = order("N-1", "6.00", &[line("A", "USB-C cable, braided, 1 metre", 1, "6.00", "6.00")]);
    reworded["adjustments"] = json!([refund("-2.00")]);
    let result = import(&user, Some("shop.example"), &[reworded.clone()]).await;
    assert_eq!(counts(&result), [0, 1, 0]);
    let after = user.get_json("/sync/orders?limit=1000&include=adjustments").await;
    let after = after.as_array().unwrap();
    assert_eq!(after.len(), 2);
    let cable = after.iter().find(|item| item["orderId"] == "N-1").unwrap();
    assert_eq!(cable["itemName"], "USB-C cable, braided, 1 metre");
    assert!(before.iter().any(|item| item["id"] == cable["id"]));
    assert_eq!(cable["orderAdjustments"][0]["amount"].to_string(), "-2.00");
    assert_eq!(counts(&import(&user, Some("shop.example"), &[reworded]).await), [0, 0, 1]);

    // A file without the refund does not take it back, and one that has another beside it adds that one.
    let plain = order("N-1", "6.00", &[line("A", "USB-C cable, braided, 1 metre", 1, "6.00", "6.00")]);
    assert_eq!(counts(&import(&user, Some("shop.example"), &[plain]).await), [0, 0, 1]);
    let more = json!({ "orderId": "N-1", "onlyAdds": true, "adjustments": [refund("-2.00"), refund("-1.50")] });
    assert_eq!(counts(&import(&user, None, std::slice::from_ref(&more)).await), [0, 1, 0]);
    assert_eq!(counts(&import(&user, None, &[more]).await), [0, 0, 1]);
    let refunds = user.get_json("/sync/orders?limit=1000&include=adjustments").await;
    let cable = refunds.as_array().unwrap().iter().find(|item| item["orderId"] == "N-1").unwrap().clone();
    let amounts: Vec<String> =
        cable["orderAdjustments"].as_array().unwrap().iter().map(|one| one["amount"].to_string()).collect();
    assert_eq!(amounts, ["-2.00", "-1.50"]);
}

/// Of an order that was stated before, in a file with a date or without one; the command line's tests import mails in each order.
#[tokio::test]
async fn a_file_counts_if_it_is_newer_or_does_not_say_when_it_was_made() {
    let (_world, user) = World::with_user().await;
    let mail = |status: &str, stated_at: Option<&str>| {
        let mut mail = order("N-1", "6.00", &[line("A", "Tea", 1, "6.00", "6.00")]);
        mail["items"][0]["shipmentStatus"] = json!(status);
        mail["statedAt"] = json!(stated_at);
        mail
    };
    for (status, stated_at, stored) in [
        ("completed", Some("2026-03-06T18:05:00+01:00"), "completed"),
        ("processing", Some("2026-03-05T17:05:00Z"), "completed"),
        ("returned", Some("2026-03-07T00:00:00Z"), "returned"),
        ("shipped", None, "shipped"),
        ("processing", Some("2026-03-05T17:05:00Z"), "processing"),
        // A mail with a date in the future does not outlive those that follow.
        ("unpaid", Some("2099-01-01T00:00:00Z"), "unpaid"),
        ("refunded", Some("2099-01-01T00:00:00Z"), "refunded"),
    ] {
        import(&user, Some("shop.example"), &[mail(status, stated_at)]).await;
        assert_eq!(user.all_orders().await[0]["shipmentStatus"], stored);
    }
    let body =
        json!({ "retailerName": "shop.example", "source": "s", "orders": [mail("completed", Some("yesterday"))] });
    refusal(user.post("/sync/imports", &body).await, 400).await;
}

#[tokio::test]
async fn lines_that_a_later_file_lacks_stay_and_the_order_is_marked() {
    let (_world, user) = World::with_user().await;
    let both = [line("A", "Plate", 1, "10.00", "10.00"), line("B", "Cup", 1, "5.00", "5.00")];
    import(&user, Some("shop.example"), &[order("N-1", "15.00", &both)]).await;
    import(&user, Some("shop.example"), &[order("N-1", "15.00", &both[..1])]).await;
    let listed = user.all_orders().await;
    assert_eq!(listed.len(), 2);
    for item in listed {
        assert_eq!(item["mismatch"], json!([{ "check": "file_lines", "shown": 1, "computed": 2 }]));
    }
}

#[tokio::test]
async fn a_later_file_corrects_the_line_that_has_its_id() {
    let world = World::new().await;
    let user = world.node.user(1).await;
    let with_id = |id: &str, mut line: Value| {
        line["lineId"] = json!(id);
        line
    };
    let cup = with_id("T-2", line("B", "Cup", 1, "5.00", "5.00"));
    let before = [with_id("T-1", line("A", "Bowl", 2, "18.00", "36.00")), cup.clone()];
    let after = [with_id("T-1", line("A", "Large bowl", 1, "20.00", "20.00")), cup];
    import(&user, Some("shop.example"), &[order("N-1", "41.00", &before)]).await;
    let ids = |listed: &[Value]| {
        let mut ids: Vec<_> = listed.iter().map(|item| item["id"].to_string()).collect();
        ids.sort();
        ids
    };
    let first = user.all_orders().await;
    // A file that lacks the line does not take its id.
    import(&user, Some("shop.example"), &[order("N-1", "41.00", &before[1..])]).await;
    import(&user, Some("shop.example"), &[order("N-1", "25.00", &after)]).await;
    let listed = user.all_orders().await;
    assert_eq!(ids(&listed), ids(&first));
    let bowl = listed.iter().find(|item| item["itemName"] == "Large bowl").unwrap();
    assert_eq!(bowl["quantity"], 1);
    assert!(bowl["mismatch"].as_array().is_none_or(Vec::is_empty), "{bowl}");
}

#[tokio::test]
async fn an_order_that_another_connection_seems_to_have_is_named() {
    let (_world, user) = World::with_user().await;
    let tea = [line("A", "Tea", 1, "6.00", "6.00")];
    import(&user, Some("eBay"), &[order("N-1", "6.00", &tea), order("N-2", "6.00", &tea)]).await;
    let ebay = user.get_json("/sync/connections").await[0]["connectionId"].clone();
    let mut later = order("N-2", "6.00", &tea);
    later["orderDate"] = json!("2027-01-01T10:00:00Z");
    let others = [order("N-1", "6.0", &tea), later, order("N-3", "6.00", &tea)];
    let elsewhere = json!([{ "orderId": "N-1", "connectionId": ebay, "retailerName": "eBay" }]);
    for _ in 0..2 {
        assert_eq!(import(&user, Some("ebay.com"), &others).await["ordersElsewhere"], elsewhere);
    }
    let other_total = import(&user, Some("shop.example"), &[order("N-1", "7.00", &tea)]).await;
    assert_eq!(other_total["ordersElsewhere"], json!([]));
    // Of a file without totals, the amount of a line decides.
    for (amount, count) in [("6.00", 3), ("7.00", 0)] {
        let mut without = order("N-1", "6.00", &[line("A", "Tea", 1, amount, amount)]);
        without["orderTotal"] = json!(null);
        let result = import(&user, Some(amount), &[without]).await;
        assert_eq!(result["ordersElsewhere"].as_array().unwrap().len(), count, "{result}");
    }
}

#[tokio::test]
async fn what_only_adds_to_an_unknown_order_is_named_and_stores_nothing() {
    let (_world, user) = World::with_user().await;
    let adding = json!({ "orderId": "N-9", "onlyAdds": true, "adjustments": [refund("-45.00")] });
    let result = import(&user, None, &[adding]).await;
    assert_eq!(result["ordersUnknown"], json!(["N-9"]));
    assert_eq!(counts(&result), [0, 0, 0]);
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
}

#[tokio::test]
async fn a_dry_run_says_what_would_change_and_stores_nothing() {
    let (_world, user) = World::with_user().await;
    let orders = [order("N-1", "6.00", &[line("A", "Tea", 1, "6.00", "6.00")])];
    let body = json!({ "retailerName": "shop.example", "source": "test-file", "dryRun": true, "orders": orders });
    let answer: Value = user.post("/sync/imports", &body).await.json().await.unwrap();
    assert_eq!((counts(&answer), &answer["connectionId"]), ([1, 0, 0], &Value::Null));
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
    assert_eq!(user.all_orders().await, Vec::<Value>::new());
}

#[tokio::test]
async fn syncs_pass_over_a_connection_without_an_account_and_one_that_gets_an_account_keeps_its_orders() {
    let (_world, user) = World::with_user().await;
    let retailers = user.get_json("/sync/retailers").await;
    let name = retailers[0]["displayName"].as_str().unwrap();
    let result = import(&user, Some(name), &[order("N-1", "6.00", &[line("A", "Tea", 1, "6.00", "6.00")])]).await;
    assert_eq!(result["retailerId"], retailers[0]["retailerId"]);
    let id = result["connectionId"].as_str().unwrap().to_owned();

    let all: Value = user.post("/sync/connections/sync", &json!({})).await.json().await.unwrap();
    assert_eq!(all["status"], "no_retailers");
    let (code, body) = refusal(user.post(&format!("/sync/connections/{id}/sync"), &json!({})).await, 409).await;
    assert_eq!((code.as_str(), &body["details"]["connectionId"]), ("CONNECTION_HAS_NO_ACCOUNT", &json!(id)));

    let session = user.connected(1, "user_items_5").await;
    assert_eq!(session.retailer_sync_sessions[0].connection_id.as_ref().unwrap().as_str(), id);
    let listed = user.all_orders().await;
    assert_eq!(listed.len(), 6);
    let tea = listed.iter().find(|item| item["itemName"] == "Tea").unwrap();
    assert_eq!(tea["missingSince"], Value::Null);
    let connection = user.get_json(&format!("/sync/connections/{id}")).await;
    assert_eq!((&connection["status"], &connection["statusReason"]), (&json!("valid"), &Value::Null));
}

#[tokio::test]
async fn an_order_of_account_and_file_has_the_status_of_one_and_the_money_of_the_other() {
    let (_world, user) = World::connected(1, "user_items_5").await;
    let known = user.all_orders().await;
    let of_order: Vec<&Value> = known.iter().filter(|item| item["orderId"] == known[0]["orderId"]).collect();
    let items: Vec<Value> = of_order
        .iter()
        .map(|item| {
            json!({ "itemName": item["itemName"], "retailerSku": item["retailerSku"], "quantity": item["quantity"],
                "price": item["price"], "lineTotal": item["lineTotal"], "shipmentStatus": "cancelled",
                "adjustments": [{ "type": "tax", "amount": 1, "currency": item["currency"], "text": null }] })
        })
        .collect();
    let file =
        json!({ "orderId": known[0]["orderId"], "orderTotal": 0.5, "currency": known[0]["currency"], "items": items });
    let name = known[0]["retailerName"].as_str().unwrap();
    let result = import(&user, Some(name), &[file]).await;
    assert_eq!(counts(&result), [0, 1, 0]);
    let told = &result["contradictions"][0];
    assert_eq!((&told["field"], &told["file"]), (&json!("orderTotal"), &json!("0.5")));

    let check = |listed: &[Value]| {
        assert_eq!(listed.len(), known.len());
        for (before, after) in known.iter().zip(listed).filter(|(before, _)| before["orderId"] == known[0]["orderId"]) {
            assert_eq!(after["id"], before["id"]);
            assert_eq!(after["shipmentStatus"], before["shipmentStatus"]);
            assert_eq!(after["orderTotal"].to_string(), "0.5");
            assert_eq!(after["sources"], json!(["account", "test-file"]));
            assert_eq!(after["mismatch"][0]["check"], "account_total");
        }
    };
    check(&user.all_orders().await);
    // The account is read again: the file's money stays.
    let connection = known[0]["connectionId"].as_str().unwrap();
    let batch = started(user.post(&format!("/sync/connections/{connection}/sync?full=true"), &json!({})).await).await;
    user.ended(&batch).await;
    check(&user.all_orders().await);
}

/// The connection names the order until an import can store it. Neither an account nor its syncs change that.
#[tokio::test]
async fn an_order_that_an_import_keeps_back_stays_in_the_completeness_of_its_connection() {
    let (_world, user) = World::connected(1, "user_items_5").await;
    let account = user.all_orders().await[0]["retailerName"].as_str().unwrap().to_owned();
    let long = "x".repeat(3_000);
    for retailer in [account.as_str(), "shop.example"] {
        let title = |title: &str| order("N-1", "6.00", &[line("A", title, 1, "6.00", "6.00")]);
        let fine = order("N-2", "6.00", &[line("A", "Tea", 1, "6.00", "6.00")]);
        let result = import(&user, Some(retailer), &[title(&long), fine]).await;
        assert_eq!((counts(&result), &result["ordersKeptBack"][0]["orderId"]), ([1, 0, 0], &json!("N-1")));
        let path = format!("/sync/connections/{}", result["connectionId"].as_str().unwrap());
        let is_kept_back = async || {
            let completeness = user.get_json(&path).await["completeness"].clone();
            let listed = user.get("/sync/orders").await;
            assert_eq!(
                listed.headers()["x-incomplete-connections"],
                if completeness["complete"] == true { "0" } else { "1" }
            );
            completeness["reasons"]
                .as_array()
                .unwrap()
                .iter()
                .any(|reason| reason["reason"] == "orders_kept_back" && reason["orders"][0]["orderId"] == "N-1")
        };
        assert!(is_kept_back().await);
        if retailer == account {
            let batch = started(user.post(&format!("{path}/sync?full=true"), &json!({})).await).await;
            user.ended(&batch).await;
            assert!(is_kept_back().await);
        }
        import(&user, Some(retailer), &[title("Tea")]).await;
        assert!(!is_kept_back().await);
        assert_eq!(user.get_json(&path).await["completeness"]["complete"], true);
    }
}

/// An account may show less than a file.
#[tokio::test]
async fn a_sync_finishes_no_import() {
    let (_world, user) = World::connected(1, "user_items_5").await;
    let retailer = user.all_orders().await[0]["retailerName"].clone();
    let say = async |more_follow: bool| {
        let body = json!({ "retailerName": retailer, "source": "test-file", "orders": [], "moreFollow": more_follow });
        let result: Value = user.post("/sync/imports", &body).await.json().await.unwrap();
        format!("/sync/connections/{}", result["connectionId"].as_str().unwrap())
    };
    let path = say(true).await;
    let batch = started(user.post(&format!("{path}/sync?full=true"), &json!({})).await).await;
    user.ended(&batch).await;
    let completeness = user.get_json(&path).await["completeness"].clone();
    assert_eq!(completeness["reasons"][0]["reason"], "import_unfinished", "{completeness}");
    assert!(completeness["incompleteSince"].is_string(), "{completeness}");
    say(false).await;
    assert_eq!(user.get_json(&path).await["completeness"]["complete"], true);
}

/// A file names an order that cannot be read from it.
#[tokio::test]
async fn an_order_that_a_file_leaves_out_is_missing_until_it_is_imported() {
    let (_world, user) = World::with_user().await;
    let fine = order("N-1", "6.00", &[line("A", "Tea", 1, "6.00", "6.00")]);
    let left_out = async |dry_run: bool| {
        let missing = ["N-1", "N-2"].map(|id| json!({ "orderId": id, "reason": "its mail cannot be read" }));
        let body = json!({ "retailerName": "shop.example", "source": "s", "dryRun": dry_run, "orders": [fine],
            "ordersLeftOut": missing });
        let answer = user.post("/sync/imports", &body).await;
        assert_eq!(answer.status(), 200);
        answer.json::<Value>().await.unwrap()
    };
    assert_eq!(left_out(true).await["ordersLeftOut"], json!(["N-2"]));
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
    let result = left_out(false).await;
    // What is stored is not missing.
    assert_eq!((&result["ordersLeftOut"], &result["ordersKeptBack"]), (&json!(["N-2"]), &json!([])));
    let path = format!("/sync/connections/{}", result["connectionId"].as_str().unwrap());
    let completeness = user.get_json(&path).await["completeness"].clone();
    let reason = &completeness["reasons"][0];
    assert_eq!((&completeness["complete"], &reason["ordersKeptBack"]), (&json!(false), &json!(1)), "{completeness}");
    assert_eq!(reason["orders"], json!([{ "orderId": "N-2", "reason": "its mail cannot be read" }]));
    assert_eq!(user.get("/sync/orders").await.headers()["x-incomplete-connections"], "1");
    import(&user, Some("shop.example"), &[order("N-2", "1.00", &[])]).await;
    assert_eq!(user.get_json(&path).await["completeness"]["complete"], true);
    assert_eq!(left_out(false).await["ordersLeftOut"], json!([]));
    assert_eq!(user.get_json(&path).await["completeness"]["complete"], true);
}

#[tokio::test]
async fn an_import_is_refused_with_the_field_that_is_wrong() {
    let (_world, user) = World::with_user().await;
    let one = order("N-1", "6.00", &[]);
    let of = |order: Value| json!({ "retailerName": "x", "source": "s", "orders": [order] });
    let item = |item: Value| of(json!({ "orderId": "1", "items": [item] }));
    let adjustment = |adjustment: Value| item(json!({ "adjustments": [adjustment] }));
    let left_out = |order: Value| json!({ "retailerName": "x", "source": "s", "orders": [], "ordersLeftOut": [order] });
    let cases = [
        (json!({ "retailerName": "x", "orders": [] }), "source"),
        (json!({ "retailerName": " ", "source": "s", "orders": [] }), "retailerName"),
        (json!({ "source": "s", "orders": [one] }), "retailerName"),
        (item(json!({ "shipments": [["a", "b"]] })), "orders[0].items[0].shipments[0]"),
        (json!([[]]), "body"),
        (of(json!(["1"])), "orders[0]"),
        (left_out(json!({ "orderId": "", "reason": "r" })), "ordersLeftOut[0].orderId"),
        (left_out(json!({ "orderId": 0, "reason": "r" })), "ordersLeftOut[0].orderId"),
        (json!({ "source": "s", "orders": [], "ordersLeftOut": [{ "orderId": "1", "reason": "r" }] }), "retailerName"),
        (of(json!({ "orderId": "" })), "orders[0].orderId"),
        (item(json!({ "shipmentStatus": 0 })), "orders[0].items[0].shipmentStatus"),
        (item(json!({ "quantity": "1" })), "orders[0].items[0].quantity"),
        (
            adjustment(json!({ "type": 5, "amount": 1, "currency": null, "text": null })),
            "orders[0].items[0].adjustments[0].type",
        ),
        (
            adjustment(json!({ "type": "tax", "amount": "1", "currency": null, "text": null })),
            "orders[0].items[0].adjustments[0].amount",
        ),
        (adjustment(json!({ "type": "tax", "amount": 1, "text": null })), "orders[0].items[0].adjustments[0]"),
        (of(json!({ "orderId": 5 })), "orders[0].orderId"),
        (of(json!({ "orderId": "1", "currency": "$" })), "orders[0].currency"),
        (of(json!({ "orderId": "1", "orderDate": "yesterday" })), "orders[0].orderDate"),
        (of(json!({ "orderId": "1", "orderTotal": "1.x" })), "orders[0].orderTotal"),
    ];
    for (body, field) in cases {
        let (code, answer) = refusal(user.post("/sync/imports", &body).await, 400).await;
        assert_eq!((code.as_str(), &answer["details"]["field"]), ("INVALID_REQUEST", &json!(field)), "{answer}");
    }
    let day = of(json!({ "orderId": "1", "orderDate": "2026-03-05" }));
    let (_, answer) = refusal(user.post("/sync/imports", &day).await, 400).await;
    let message = "orders[0].orderDate cannot be read: \"2026-03-05\" is not a date and a time with its zone, as in RFC 3339 \
        (2025-10-16T13:50:00Z)";
    assert!(answer["message"].as_str().is_some_and(|said| said.starts_with(message)), "{answer}");
    assert_eq!(user.get_json("/sync/connections").await, json!([]));
}

#[tokio::test]
async fn nobody_imports_into_another_users_orders() {
    let (_world, [user, other]) = World::with_users([1, 2]).await;
    import(&user, Some("shop.example"), &[order("N-1", "6.00", &[line("A", "Tea", 1, "6.00", "6.00")])]).await;
    let add = json!({ "orderId": "N-1", "onlyAdds": true, "adjustments": [refund("-45.00")] });
    assert_eq!(import(&other, None, &[add]).await["ordersUnknown"], json!(["N-1"]));
    let result = import(&other, Some("shop.example"), &[order("N-1", "7.00", &[])]).await;
    assert_eq!(counts(&result), [1, 0, 0]);
    assert_eq!(user.all_orders().await[0]["orderTotal"].to_string(), "6.00");
}
