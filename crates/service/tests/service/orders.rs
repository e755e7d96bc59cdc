//! From a connection to its line items, as JSON and as CSV.

use serde_json::Value;

use crate::harness::{User, World, refusal, started};

const HEADER: &str = "Retailer,Retailer Order ID,Order Date,Item Name,Brand,Dept,Category,SubCategory,SKU,Quantity,Price,\
                      Currency,Shipment Status,Order Total";

async fn csv(user: &User, query: &str) -> Vec<Vec<String>> {
    let response = user.get(&format!("/sync/orders?format=csv&{query}")).await;
    assert_eq!(response.status(), 200);
    assert!(response.headers()["content-type"].to_str().unwrap().starts_with("text/csv; charset=utf-8"));
    assert!(response.headers()["content-disposition"].to_str().unwrap().starts_with("attachment"));
    let text = response.text().await.unwrap();
    assert_eq!(text.lines().next(), Some(HEADER));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

#[tokio::test]
async fn a_connection_yields_every_item_once_and_a_second_sync_changes_nothing() {
    let (_world, user) = World::with_user().await;
    let session = user.connected(12, "user_items_1234").await;
    let part = &session.retailer_sync_sessions[0];
    assert_eq!(part.sync_status.to_string(), "completed", "{part:?}");
    assert_eq!((part.items_found, part.items_new), (Some(1234), Some(1234)));

    let before = user.all_orders().await;
    let ids: std::collections::HashSet<&str> = before.iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!((before.len(), ids.len()), (1234, 1234));

    let batch_id = started(user.post("/sync/connections/sync", &Value::Null).await).await;
    let second = user.ended(&batch_id).await;
    let part = &second.retailer_sync_sessions[0];
    assert_eq!((part.items_found, part.items_new), (Some(1234), Some(0)));
    // `updatedAt` included: a row that did not change was not written.
    assert_eq!(user.all_orders().await, before);
}

#[tokio::test]
async fn the_same_purchases_are_listed_in_the_same_order_for_every_user_and_after_a_reset() {
    let world = World::new().await;
    let bought = async |user: &User| {
        user.connected(12, "user_items_250").await;
        user.connected(4, "user_good").await;
        let mut items = user.all_orders().await;
        for item in &mut items {
            let item = item.as_object_mut().unwrap();
            for of_the_connection in ["id", "connectionId", "updatedAt"] {
                assert!(item.remove(of_the_connection).is_some());
            }
        }
        items
    };
    let (user, other) = (world.node.user(1).await, world.node.user(2).await);
    let first = bought(&user).await;
    assert!(first.windows(2).filter(|pair| pair[0]["orderDate"] == pair[1]["orderDate"]).count() > 100);
    assert_eq!(bought(&other).await, first);
    assert_eq!(user.post("/sandbox/reset", &serde_json::json!({})).await.status(), 204);
    assert_eq!(bought(&user).await, first);
}

#[tokio::test]
async fn csv_holds_the_same_rows_in_the_same_order_with_the_same_digits() {
    let (_world, user) = World::connected(3, "user_good").await;
    user.connected(5, "user_good").await;
    let items = user.all_orders().await;
    let rows = csv(&user, "limit=1000").await;
    assert_eq!(rows.len(), items.len());
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let fields = [
        "retailerName",
        "orderId",
        "orderDate",
        "itemName",
        "brandName",
        "department",
        "category",
        "subCategory",
        "retailerSku",
        "quantity",
        "price",
        "currency",
        "shipmentStatus",
        "orderTotal",
    ];
    for (row, item) in rows.iter().zip(&items) {
        let expected: Vec<String> = fields.iter().map(|field| text(&item[*field])).collect();
        assert_eq!(row, &expected);
    }
    let key = |item: &Value| (std::cmp::Reverse(text(&item["orderDate"])), text(&item["id"]));
    assert!(items.is_sorted_by_key(key));
}

#[tokio::test]
async fn filters_narrow_the_list_and_the_count() {
    let (_world, user) = World::connected(3, "user_good").await;
    user.connected(5, "user_good").await;
    let all = user.all_orders().await;
    let middle = all[all.len() / 2]["orderDate"].as_str().unwrap().to_owned();
    let count = async |query: &str| {
        let response = user.get(&format!("/sync/orders?limit=1&{query}")).await;
        response.headers()["x-total-count"].to_str().unwrap().parse::<usize>().unwrap()
    };
    assert_eq!(count("").await, all.len());
    let of_three = all.iter().filter(|item| item["retailerId"] == 3).count();
    assert!(of_three > 0 && of_three < all.len());
    assert_eq!(count("retailer_id=3").await, of_three);
    let date = |item: &&Value| item["orderDate"].as_str().unwrap().to_owned();
    assert_eq!(count(&format!("start_date={middle}")).await, all.iter().filter(|item| date(item) >= middle).count());
    assert_eq!(count(&format!("end_date={middle}")).await, all.iter().filter(|item| date(item) < middle).count());
}

#[tokio::test]
async fn one_item_has_the_shape_of_the_list() {
    let (_world, user) = World::connected(3, "user_good").await;
    let first = user.get_json("/sync/orders?limit=1&include=adjustments").await[0].clone();
    let id = first["id"].as_str().unwrap();
    assert_eq!(user.get_json(&format!("/sync/orders/{id}")).await, first);
    assert_eq!(refusal(user.get("/sync/orders/item_none").await, 404).await.0, "NOT_FOUND");
}

#[tokio::test]
async fn parameters_out_of_bounds_are_refused_by_name() {
    let (_world, user) = World::with_user().await;
    for (query, field) in [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=ten", "limit"),
        ("limit=", "limit"),
        ("limit=1.5", "limit"),
        ("limit=99999999999999999999", "limit"),
        ("limit=1&limit=2", "limit"),
        ("offset=-1", "offset"),
        ("offset=", "offset"),
        ("offset=99999999999999999999", "offset"),
        ("format=xml", "format"),
        ("format=CSV", "format"),
        ("include=all", "include"),
        ("retailer_id=twelve", "retailer_id"),
        ("retailer_id=1.5", "retailer_id"),
        ("retailer_id=99999999999999999999", "retailer_id"),
        ("start_date=yesterday", "start_date"),
        ("start_date=", "start_date"),
        ("start_date=2025-02-30", "start_date"),
        ("start_date=2025-1-2", "start_date"),
        ("start_date=2025-10-16T13", "start_date"),
        ("start_date=2025-10-17&end_date=2025-10-16T00:00:00Z", "start_date"),
        ("end_date=2025-13-01", "end_date"),
        ("start_date=2025-02-01&end_date=2025-02-01", "start_date"),
    ] {
        let (code, body) = refusal(user.get(&format!("/sync/orders?{query}")).await, 400).await;
        assert_eq!((code.as_str(), &body["details"]["field"]), ("INVALID_REQUEST", &Value::from(field)), "{query}");
    }
    assert_eq!(user.get("/sync/orders?limit=1000&offset=99999999999").await.status(), 200);
}

#[tokio::test]
async fn a_trigger_syncs_one_retailer_or_all_of_them() {
    let (_world, user) = World::with_user().await;
    let nothing: Value = user.post("/sync/orders/sync", &Value::Null).await.json().await.unwrap();
    assert_eq!(nothing, serde_json::json!({ "status": "no_retailers" }));
    user.connected(3, "user_good").await;
    user.connected(5, "user_good").await;
    let parts = async |path: &str| {
        let batch_id = started(user.post(path, &Value::Null).await).await;
        user.ended(&batch_id).await.retailer_sync_sessions.iter().map(|part| part.retailer_id).collect::<Vec<_>>()
    };
    assert_eq!(parts("/sync/orders/sync").await, [3, 5]);
    assert_eq!(parts("/sync/orders/sync?retailer=5").await, [5]);
    assert_eq!(parts("/sync/orders/sync?retailer_id=5").await, [5]);
    assert_eq!(parts("/sync/orders/sync?retailer_id=5&retailer=5").await, [5]);
    let (_, both) = refusal(user.post("/sync/orders/sync?retailer_id=5&retailer=3", &Value::Null).await, 400).await;
    assert_eq!(both["details"]["field"], "retailer_id");
    assert_eq!(refusal(user.post("/sync/orders/sync?retailer=4", &Value::Null).await, 404).await.0, "NOT_FOUND");
}

#[tokio::test]
async fn a_list_is_compressed_for_who_asks_and_nothing_else_ever_is() {
    let (_world, user) = World::connected(3, "user_good").await;
    let asked = async |path: &str, accepts: &str| {
        let answer = user.request(reqwest::Method::GET, path).header("accept-encoding", accepts).send().await.unwrap();
        let encoding = answer.headers().get("content-encoding").map(|value| value.to_str().unwrap().to_owned());
        (encoding, answer.bytes().await.unwrap())
    };
    for path in ["/sync/orders?limit=60", "/sync/orders?limit=60&format=csv"] {
        let (encoding, plain) = asked(path, "identity").await;
        assert_eq!(encoding, None);
        let (encoding, packed) = asked(path, "br, gzip").await;
        assert_eq!(encoding.as_deref(), Some("gzip"), "{path}");
        assert!(packed.len() * 2 < plain.len(), "{path}");
        let mut unpacked = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut unpacked).unwrap();
        assert_eq!(unpacked, plain);
    }
    for path in ["/sync/orders?limit=1", "/sync/retailers", "/sync/auth/totp", "/sign-in"] {
        assert_eq!(asked(path, "gzip").await.0, None, "{path}");
    }
}
