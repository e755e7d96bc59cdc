//! Documents that are kept with orders.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{User, World, everything_stored, refusal};

const TEXT: &str = "%PDF-1.7 a receipt that only its owner may read";

async fn with_orders(user: &User, orders: &[&str]) -> String {
    let orders: Vec<Value> =
        orders.iter().map(|id| json!({ "orderId": id, "items": [{ "itemName": "Tea" }] })).collect();
    let body = json!({ "retailerName": "shop.example", "source": "test-file", "orders": orders });
    let answer: Value = user.post("/sync/imports", &body).await.json().await.unwrap();
    answer["connectionId"].as_str().unwrap().to_owned()
}

fn document(order_id: &str, name: &str, content: &[u8]) -> Value {
    json!({ "orderId": order_id, "name": name, "mediaType": "application/pdf", "content": STANDARD.encode(content) })
}

async fn keep(user: &User, connection: &str, documents: &[Value]) -> Value {
    let body = json!({ "connectionId": connection, "documents": documents });
    let answer = user.post("/sync/documents", &body).await;
    assert_eq!(answer.status(), 200);
    answer.json().await.unwrap()
}

#[tokio::test]
async fn a_document_is_kept_once_sealed_and_read_again() {
    let (world, user) = World::with_user().await;
    let connection = with_orders(&user, &["N-1", "N-2"]).await;
    // Longer than a block.
    let long = TEXT.repeat(5_000).into_bytes();
    let documents = [
        document("N-1", "receipt.pdf", &long),
        document("N-2", "receipt.pdf", TEXT.as_bytes()),
        document("N-9", "receipt.pdf", b"%PDF of no order"),
    ];
    let kept = keep(&user, &connection, &documents).await;
    assert_eq!(kept, json!({ "documentsNew": 2, "documentsUnchanged": 0, "ordersUnknown": ["N-9"] }));
    // Under another name, it is the same document; of the same length, it is another one.
    let mut other = long.clone();
    other[100_000] ^= 1;
    let again = keep(&user, &connection, &[document("N-1", "copy.pdf", &long), document("N-1", "b.pdf", &other)]).await;
    assert_eq!(again, json!({ "documentsNew": 1, "documentsUnchanged": 1, "ordersUnknown": [] }));

    let list = user.get("/sync/documents?order_id=N-1&limit=1").await;
    assert_eq!(list.headers()["x-total-count"], "2");
    assert_eq!(list.json::<Value>().await.unwrap()[0]["name"], "b.pdf", "the newest first");
    let all = user.get_json("/sync/documents").await;
    let found =
        all.as_array().unwrap().iter().find(|one| one["orderId"] == "N-1" && one["name"] == "receipt.pdf").unwrap();
    assert_eq!(found["size"], long.len());
    assert_eq!((&found["retailerName"], &found["connectionId"]), (&json!("shop.example"), &json!(connection)));
    assert_eq!(found.get("content"), None);
    let read = user.get_json(&format!("/sync/documents/{}", found["documentId"].as_str().unwrap())).await;
    assert_eq!(STANDARD.decode(read["content"].as_str().unwrap()).unwrap(), long);
    assert_eq!(read["mediaType"], "application/pdf");

    let stored = everything_stored(world.store.path()).await;
    let holds = |text: &str| stored.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("N-1") && !holds("that only its owner") && !holds("receipt.pdf"));
}

#[tokio::test]
async fn a_document_goes_with_its_connection() {
    let (_world, user) = World::with_user().await;
    let connection = with_orders(&user, &["N-1"]).await;
    keep(&user, &connection, &[document("N-1", "a.pdf", TEXT.as_bytes())]).await;
    let id = user.get_json("/sync/documents").await[0]["documentId"].as_str().unwrap().to_owned();
    let removed = user.request(Method::DELETE, &format!("/sync/connections/{connection}")).send().await.unwrap();
    assert_eq!(removed.status(), 204);
    assert_eq!(user.get_json("/sync/documents").await, json!([]));
    assert_eq!(refusal(user.get(&format!("/sync/documents/{id}")).await, 404).await.0, "NOT_FOUND");
}

#[tokio::test]
async fn nobody_sees_or_adds_anothers_documents() {
    let (world, [user, other]) = World::with_users([1, 2]).await;
    let connection = with_orders(&user, &["N-1"]).await;
    keep(&user, &connection, &[document("N-1", "a.pdf", TEXT.as_bytes())]).await;
    let id = user.get_json("/sync/documents").await[0]["documentId"].as_str().unwrap().to_owned();
    let body = json!({ "connectionId": connection, "documents": [document("N-1", "b.pdf", b"%PDF b")] });
    assert_eq!(refusal(other.get(&format!("/sync/documents/{id}")).await, 404).await.0, "NOT_FOUND");
    assert_eq!(refusal(other.post("/sync/documents", &body).await, 404).await.0, "NOT_FOUND");
    assert_eq!(other.get_json("/sync/documents").await, json!([]));
    let client = world.node.user_of(1, json!({ "client_id": "other" })).await;
    assert_eq!(refusal(client.get(&format!("/sync/documents/{id}")).await, 403).await.0, "CONNECTION_NOT_SHARED");
    assert_eq!(refusal(client.post("/sync/documents", &body).await, 403).await.0, "CONNECTION_NOT_SHARED");
    assert_eq!(client.get_json("/sync/documents").await, json!([]));
    let reader = world.node.user_of(1, json!({ "scopes": "orders:read" })).await;
    assert_eq!(refusal(reader.post("/sync/documents", &body).await, 403).await.0, "INSUFFICIENT_SCOPE");
    assert_eq!(user.get_json("/sync/documents").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn documents_that_cannot_be_kept_are_refused_by_name_and_none_of_the_request_is() {
    let (_world, user) = World::with_user().await;
    let connection = with_orders(&user, &["N-1"]).await;
    let good = document("N-1", "a.pdf", TEXT.as_bytes());
    let with = |field: &str, value: Value| {
        let mut one = document("N-1", "b.pdf", b"%PDF b");
        one[field] = value;
        json!({ "connectionId": connection, "documents": [good, one] })
    };
    let large = STANDARD.encode(vec![b'x'; (10 << 20) + 1]);
    for (body, field) in [
        (with("content", json!("not base64!")), "documents[1].content"),
        (with("content", json!("")), "documents[1].content"),
        (with("content", json!(large)), "documents[1].content"),
        (with("name", json!("  ")), "documents[1].name"),
        (with("name", json!("x".repeat(256))), "documents[1].name"),
        (with("mediaType", json!("")), "documents[1].mediaType"),
        (with("orderId", json!(5)), "documents[1].orderId"),
        (json!({ "connectionId": connection, "documents": vec![&good; 101] }), "documents"),
    ] {
        let (code, answer) = refusal(user.post("/sync/documents", &body).await, 400).await;
        assert_eq!((code.as_str(), &answer["details"]["field"]), ("INVALID_REQUEST", &json!(field)), "{answer}");
    }
    assert_eq!(user.get_json("/sync/documents").await, json!([]));
    let many = |range: std::ops::Range<u32>| -> Vec<Value> {
        range.map(|number| document("N-1", "n.pdf", format!("%PDF {number}").as_bytes())).collect()
    };
    assert_eq!(keep(&user, &connection, &many(0..100)).await["documentsNew"], 100);
    let more = json!({ "connectionId": connection, "documents": many(100..101) });
    assert_eq!(refusal(user.post("/sync/documents", &more).await, 400).await.0, "INVALID_REQUEST");
    assert_eq!(keep(&user, &connection, &many(0..100)).await["documentsUnchanged"], 100);
    let body = json!({ "connectionId": connection, "documents": [document("N-1", "x", &vec![b'x'; 13 << 20])] });
    assert_eq!(refusal(user.post("/sync/documents", &body).await, 413).await.0, "PAYLOAD_TOO_LARGE");
}
