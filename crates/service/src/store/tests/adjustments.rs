//! Adjustments of orders and lines, one sync after another.

use chrono::DateTime;
use ordersync_api::{Adjustment, AdjustmentType, Timestamp};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::caller;
use super::ingest::{Shop, line, order};
use crate::connector::{LineItem, RetailerOrder};
use crate::store::Store;
use crate::store::accounts::connections::{Access, Window};
use crate::store::orders::list::{ListFormat, OrderFilter};

fn adjustment(kind: AdjustmentType, cents: i64) -> Adjustment {
    Adjustment {
        kind: kind.into(),
        amount: Decimal::new(cents, 2),
        currency: Some("EUR".into()),
        date: None,
        text: Some("as \"shown\"".into()),
        included: false,
    }
}

fn discount(cents: i64) -> Vec<Adjustment> {
    vec![adjustment(AdjustmentType::Discount, cents)]
}

fn adjusted(of_order: Option<Vec<Adjustment>>, lines: Vec<LineItem>) -> RetailerOrder {
    RetailerOrder { adjustments: of_order, ..order("1", lines) }
}

fn refunded(title: &str, cents: i64) -> LineItem {
    LineItem { adjustments: vec![adjustment(AdjustmentType::Refund, cents)], ..line(title, 500) }
}

/// Each item's name, when it changed, and the amounts of its line and of its order, by name.
async fn listed(store: &Store) -> Vec<[Value; 4]> {
    let window = Window { limit: 1_000, offset: 0 };
    let page = store.order_page(&caller(), &OrderFilter::default(), window, ListFormat::JsonAdjusted).await.unwrap();
    let items: Vec<Value> = serde_json::from_slice(&[b"[", &page.text[..], b"]"].concat()).unwrap();
    for item in &items {
        let Access::Granted(one) = store.order_item(&caller(), item["id"].as_str().unwrap()).await.unwrap() else {
            panic!("not granted");
        };
        assert_eq!(serde_json::from_str::<Value>(&one).unwrap(), *item);
    }
    let amounts = |list: &Value| {
        list.as_array().map_or(Value::Null, |list| list.iter().map(|one| one["amount"].to_string()).collect())
    };
    let mut shown: Vec<_> = items
        .iter()
        .map(|item| {
            let [of_line, of_order] = ["lineAdjustments", "orderAdjustments"].map(|field| amounts(&item[field]));
            [item["itemName"].clone(), item["updatedAt"].clone(), of_line, of_order]
        })
        .collect();
    shown.sort_by_key(|item| item[0].to_string());
    shown
}

/// Without the time of the last change.
async fn amounts(shop: &Shop) -> Value {
    listed(&shop.store).await.into_iter().map(|[name, _, of_line, of_order]| json!([name, of_line, of_order])).collect()
}

#[tokio::test]
async fn adjustments_are_served_as_they_were_read_with_every_digit() {
    let mut shop = Shop::new().await;
    let all = vec![
        Adjustment {
            date: Some(Timestamp(DateTime::from_timestamp(1_700_000_000, 0).unwrap()).into()),
            ..adjustment(AdjustmentType::Refund, -1_250)
        },
        Adjustment { included: true, amount: Decimal::new(10, 1), ..adjustment(AdjustmentType::Tax, 0) },
    ];
    shop.sync(vec![adjusted(Some(all), vec![line("Tea", 500)])]).await;
    let window = Window { limit: 1, offset: 0 };
    let read = async |form| {
        let page = shop.store.order_page(&caller(), &OrderFilter::default(), window, form).await.unwrap();
        String::from_utf8(page.text.to_vec()).unwrap()
    };
    let plain = read(ListFormat::Json).await;
    assert_eq!(
        read(ListFormat::JsonAdjusted).await,
        format!(
            r#"{},"lineAdjustments":[],"orderAdjustments":[{{"type":"refund","amount":-12.50,"currency":"EUR","date":"2023-11-14T22:13:20Z","text":"as \"shown\""}},{{"type":"tax","amount":1.0,"currency":"EUR","text":"as \"shown\"","included":true}}]}}"#,
            plain.strip_suffix('}').unwrap()
        )
    );
}

#[tokio::test]
async fn an_order_is_changed_when_its_adjustments_are_and_otherwise_not() {
    let mut shop = Shop::new().await;
    let first = adjusted(Some(discount(-100)), vec![refunded("Oil", -250), line("Tea", 500)]);
    shop.sync(vec![first.clone()]).await;
    let before = (listed(&shop.store).await, shop.version().await);
    shop.sync(vec![first.clone()]).await;
    assert_eq!((listed(&shop.store).await, shop.version().await), before, "nothing changed");

    let updated = |items: Vec<[Value; 4]>| items.into_iter().map(|[_, at, ..]| at).collect::<Vec<_>>();
    let then = before.0[0][1].clone();
    // Of a line: that line changed.
    shop.sync(vec![adjusted(Some(discount(-100)), vec![refunded("Oil", -300), line("Tea", 500)])]).await;
    let now = json!(Timestamp(shop.now()).to_string());
    assert_eq!(amounts(&shop).await, json!([["Oil", ["-3.00"], ["-1.00"]], ["Tea", [], ["-1.00"]]]));
    assert_eq!(updated(listed(&shop.store).await), [now, then]);
    let version = shop.version().await;
    assert_ne!(version, before.1);
    // Of the order: every line shows them. They are replaced as a whole.
    shop.sync(vec![adjusted(Some(vec![]), vec![line("Oil", 500), line("Tea", 500)])]).await;
    let now = json!(Timestamp(shop.now()).to_string());
    assert_eq!(amounts(&shop).await, json!([["Oil", [], []], ["Tea", [], []]]));
    assert_eq!(updated(listed(&shop.store).await), [now.clone(), now]);
    assert_ne!(shop.version().await, version);
}

#[tokio::test]
async fn a_refund_that_is_not_shown_any_more_stays_with_a_mark() {
    let mut shop = Shop::new().await;
    let with = |all: &[i64]| {
        let refunds = all.iter().map(|cents| adjustment(AdjustmentType::Refund, *cents));
        adjusted(Some(discount(-100).into_iter().chain(refunds).collect()), vec![line("Tea", 500)])
    };
    let marks = async |shop: &Shop| -> Vec<String> {
        let mismatch = shop.items().await.remove(0).mismatch;
        mismatch
            .iter()
            .map(|mark| format!("{} {} {}", mark.check, mark.shown.unwrap(), mark.computed.unwrap()))
            .collect()
    };
    shop.sync(vec![with(&[-250, -50])]).await;
    for (read, mark) in [(&[][..], "refund 0 3.00"), (&[-250], "refund 2.50 3.00")] {
        for _ in 0..2 {
            shop.sync(vec![with(read)]).await;
            assert_eq!(amounts(&shop).await, json!([["Tea", [], ["-1.00", "-2.50", "-0.50"]]]), "{read:?}");
            assert_eq!(marks(&shop).await, [mark], "{read:?}");
        }
    }
    // Shown again, by other amounts.
    shop.sync(vec![with(&[-300])]).await;
    assert_eq!(amounts(&shop).await, json!([["Tea", [], ["-1.00", "-3.00"]]]));
    assert_eq!(marks(&shop).await, [""; 0]);
    // By the line: it counts once.
    shop.sync(vec![adjusted(Some(discount(-100)), vec![refunded("Tea", -300)])]).await;
    assert_eq!(amounts(&shop).await, json!([["Tea", ["-3.00"], ["-1.00"]]]));
}

#[tokio::test]
async fn what_was_not_known_is_null_and_becoming_known_is_no_change_of_the_items() {
    let mut shop = Shop::new().await;
    shop.sync(vec![adjusted(None, vec![line("Oil", 500), line("Tea", 500)])]).await;
    assert_eq!(amounts(&shop).await, json!([["Oil", null, null], ["Tea", null, null]]));
    let (before, version) = (shop.items().await, shop.version().await);

    shop.sync(vec![adjusted(Some(vec![]), vec![line("Oil", 500), refunded("Tea", -5)])]).await;
    assert_eq!(amounts(&shop).await, json!([["Oil", [], []], ["Tea", ["-0.05"], []]]));
    assert_eq!(shop.items().await, before, "`updatedAt` included");
    assert_ne!(shop.version().await, version, "but a list with adjustments is another one");

    // The same if there are none at all.
    let mut other = Shop::new().await;
    other.sync(vec![adjusted(None, vec![line("Oil", 500)])]).await;
    let (before, version) = (other.items().await, other.version().await);
    other.sync(vec![adjusted(Some(vec![]), vec![line("Oil", 500)])]).await;
    assert_eq!(amounts(&other).await, json!([["Oil", [], []]]));
    assert_eq!(other.items().await, before);
    assert_ne!(other.version().await, version);

    // A page that shows none takes nothing away, whatever else it changes.
    shop.sync(vec![adjusted(None, vec![line("Oil", 500), line("Tea", 700)])]).await;
    assert_eq!(amounts(&shop).await, json!([["Oil", [], []], ["Tea", ["-0.05"], []]]));
    assert_eq!(shop.items().await.iter().filter(|item| item.price == Some(Decimal::new(700, 2))).count(), 1);
}

#[tokio::test]
async fn a_line_keeps_its_adjustments_when_lines_move_come_and_go_and_when_the_order_is_renumbered() {
    let mut shop = Shop::new().await;
    shop.sync(vec![adjusted(Some(discount(-9)), vec![line("Oil", 500), refunded("Tea", -1)])]).await;
    let lines = vec![refunded("Tea", -1), line("Salt", 500)];
    shop.sync(vec![adjusted(Some(discount(-9)), lines.clone())]).await;
    assert_eq!(amounts(&shop).await, json!([["Salt", [], ["-0.09"]], ["Tea", ["-0.01"], ["-0.09"]]]));

    let mut lines = lines;
    lines.reverse();
    lines[1] = refunded("Tea", -2);
    let renumbered = RetailerOrder { order_id: "N-1".into(), ..adjusted(Some(discount(-8)), lines) };
    assert_eq!(shop.sync(vec![renumbered.clone()]).await, (2, 0, 0, 0), "the same order");
    assert_eq!(amounts(&shop).await, json!([["Salt", [], ["-0.08"]], ["Tea", ["-0.02"], ["-0.08"]]]));
    let version = shop.version().await;
    shop.sync(vec![renumbered]).await;
    assert_eq!(shop.version().await, version);
}

#[tokio::test]
async fn an_order_with_too_many_adjustments_is_kept_back_and_its_texts_are_cleaned() {
    let mut shop = Shop::new().await;
    assert_eq!(
        shop.sync(vec![adjusted(Some(vec![adjustment(AdjustmentType::Discount, -1); 1_025]), vec![line("Tea", 500)])])
            .await,
        (0, 0, 0, 1)
    );
    let with = |text: &str| Adjustment { text: Some(text.into()), ..adjustment(AdjustmentType::Fee, 100) };
    let long = adjusted(Some(vec![with(&"x".repeat(2_049))]), vec![line("Tea", 500)]);
    assert_eq!(shop.sync(vec![long]).await, (0, 0, 0, 1));
    let tea = LineItem { adjustments: vec![with("a\0b")], ..line("Tea", 500) };
    shop.sync(vec![adjusted(Some(vec![with("c\nd")]), vec![tea])]).await;
    let Access::Granted(item) = shop.store.order_item(&caller(), shop.items().await[0].id.as_str()).await.unwrap()
    else {
        panic!("not granted");
    };
    let item: Value = serde_json::from_str(&item).unwrap();
    assert_eq!(item["lineAdjustments"][0]["text"], "a\u{fffd}b");
    assert_eq!(item["orderAdjustments"][0]["text"], "c d");
}
