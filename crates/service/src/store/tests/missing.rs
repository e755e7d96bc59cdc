//! Orders that the retailer no longer lists, and those that have another number now.

use chrono::DateTime;
use ordersync_api::OrderItem;

use super::ingest::{Shop, kept_back, line, order, page_of};
use crate::connector::{LineItem, Page, RetailerOrder};
use crate::store::db::{query, query_as};

fn of_order<'a>(items: &'a [OrderItem], id: &str) -> Vec<&'a OrderItem> {
    items.iter().filter(|item| item.order_id == Some(id.into())).collect()
}

/// Two orders that no one would take for each other.
fn two() -> [RetailerOrder; 2] {
    let second = order("2", vec![line("Salt", 700)]);
    [order("1", vec![line("Tea", 500), line("Oil", 900)]), second]
}

#[tokio::test]
async fn an_order_that_is_not_listed_any_more_says_since_when_and_comes_back() {
    let mut shop = Shop::new().await;
    let [first, second] = two();
    shop.sync(vec![first.clone(), second.clone()]).await;
    let (before, version) = (shop.items().await, shop.version().await);
    shop.sync(vec![second.clone()]).await;
    let since = ordersync_api::Timestamp(shop.now());
    let items = shop.items().await;
    for item in of_order(&items, "1") {
        assert_eq!(item.missing_since, Some(since.into()));
        assert_eq!(item.updated_at, Some(since.into()));
    }
    assert_eq!(of_order(&items, "2"), of_order(&before, "2"));
    assert_ne!(shop.version().await, version);
    // It stays missing since then.
    let version = shop.version().await;
    shop.sync(vec![second.clone()]).await;
    assert_eq!((shop.items().await, shop.version().await), (items, version));
    assert_eq!(shop.store.longest_unread(super::owner(1), 9).await.unwrap(), ["2"]);
    for (listed, expected) in [(["1", "2"], (1, 0)), (["1", "7"], (0, 1))] {
        let compared = shop.store.compared(super::owner(1), &listed.map(str::to_owned)).await.unwrap();
        assert_eq!((compared.listed, compared.unlisted), expected, "a missing order is not missed again");
    }
    // Listed again, as the connector may say it: read again, unchanged, or kept back.
    let pages = [
        page_of([first.clone()]),
        Page { unchanged: vec!["1".into()], ..Page::default() },
        Page { kept_back: kept_back(&["1"]), ..Page::default() },
    ];
    for page in pages {
        let claim = shop.begin().await;
        shop.page(&claim, &page).await;
        shop.end(&claim, true).await;
        let items = shop.items().await;
        assert!(
            of_order(&items, "1").iter().all(|item| item.missing_since.is_none()
                && item.updated_at == Some(ordersync_api::Timestamp(shop.now()).into()))
        );
        assert!(of_order(&items, "2")[0].missing_since.is_some());
        shop.sync(Vec::new()).await;
        assert!(shop.items().await.iter().all(|item| item.missing_since.is_some()));
    }
}

#[tokio::test]
async fn a_session_counts_what_it_is_the_first_to_miss_and_what_is_different_or_has_another_name() {
    let mut shop = Shop::new().await;
    let [first, second] = two();
    let changes = async |shop: &Shop| -> (i64, i64, i64) {
        let latest = "SELECT orders_missing, items_renamed, orders_changed FROM retailer_sessions ORDER BY updated_at DESC LIMIT 1";
        query_as(latest).fetch_one(&shop.store.pool).await.unwrap()
    };
    shop.sync(vec![first.clone(), second.clone()]).await;
    assert_eq!(changes(&shop).await, (0, 0, 0));
    let named = order("1", vec![LineItem { sku: Some("T1".into()), ..line("Green tea", 500) }, line("Oil", 900)]);
    shop.sync(vec![named.clone()]).await;
    assert_eq!(changes(&shop).await, (1, 1, 1));
    // Only the first sync that misses it counts it.
    shop.sync(vec![named.clone()]).await;
    assert_eq!(changes(&shop).await, (0, 0, 0));
    // What is not known this time is no change.
    let unknown = LineItem { secondary_unknown: true, ..line("Green tea", 500) };
    shop.sync(vec![order("1", vec![unknown, line("Oil", 900)])]).await;
    assert_eq!(changes(&shop).await, (0, 0, 0));
    shop.sync(vec![named, second]).await;
    assert_eq!(changes(&shop).await, (0, 0, 1));
}

#[tokio::test]
async fn nothing_is_missing_unless_the_whole_list_was_seen() {
    let mut shop = Shop::new().await;
    shop.sync(two().to_vec()).await;
    let before = shop.items().await;
    let claim = shop.begin().await;
    shop.page(&claim, &Page::default()).await;
    shop.end(&claim, false).await;
    assert_eq!(shop.items().await, before);
}

#[tokio::test]
async fn marking_goes_on_where_it_was_cut_short_and_needs_the_claim() {
    let mut shop = Shop::new().await;
    let many = (0..700).map(|number| order(&number.to_string(), vec![line("Tea", 500)]));
    shop.sync(many.collect()).await;
    let claim = shop.begin().await;
    let lost = crate::store::syncs::queue::Claim { epoch: claim.epoch - 1, ..claim.clone() };
    let held = shop.store.mark_missing(&lost, &shop.clock()).await.unwrap();
    assert_eq!(held, crate::store::syncs::lease::Held::Fenced);
    assert!(shop.items().await.iter().all(|item| item.missing_since.is_none()));
    // Some are marked already.
    query("UPDATE orders SET missing_since = 7 WHERE number <= 256").execute(&shop.store.writer).await.unwrap();
    shop.end(&claim, true).await;
    let marked = shop.items().await.iter().filter(|item| item.missing_since.is_some()).count();
    assert_eq!(marked, 700 - 256);
}

#[tokio::test]
async fn an_order_with_another_number_is_the_same_order() {
    let mut shop = Shop::new().await;
    let [first, second] = two();
    shop.sync(vec![first.clone(), second.clone()]).await;
    let before = shop.items().await;
    // Documents of both are those of the one order.
    for (id, number) in [("of the first", 1_i64), ("of the third", 3)] {
        let document = "INSERT INTO order_documents (user_id, id, connection, order_number, size, added_at, about)
            VALUES ('u', $1, 1, $2, 1, 0, $3)";
        let sealed: &[u8] = b"sealed";
        query(document).bind(id).bind(number).bind(sealed).execute(&shop.store.writer).await.unwrap();
    }
    // Its lines stand otherwise, too.
    let mut renumbered = RetailerOrder { order_id: "N-1".into(), ..first.clone() };
    renumbered.items.reverse();
    assert_eq!(shop.sync(vec![renumbered.clone(), second.clone()]).await, (3, 0, 0, 0));
    let items = shop.items().await;
    assert_eq!(items.len(), 3);
    for (now, was) in of_order(&items, "N-1").into_iter().zip(of_order(&before, "1")) {
        assert_eq!((&now.id, &now.item_name, &now.missing_since), (&was.id, &was.item_name, &None));
        assert_eq!(now.updated_at, Some(ordersync_api::Timestamp(shop.now()).into()));
    }
    let documents: Vec<(String, i64)> =
        query_as("SELECT id, order_number FROM order_documents ORDER BY id").fetch_all(&shop.store.pool).await.unwrap();
    assert_eq!(documents, [("of the first".to_owned(), 1), ("of the third".to_owned(), 1)]);
    // It is known by its new number from now on.
    let version = shop.version().await;
    assert_eq!(shop.sync(vec![renumbered.clone(), second.clone()]).await, (3, 0, 0, 0));
    assert_eq!((shop.items().await, shop.version().await), (items.clone(), version));
    // If the old number is used again, it is for another order, with ids of its own.
    assert_eq!(shop.sync(vec![renumbered, second, first]).await, (5, 2, 0, 0));
    let all = shop.items().await;
    let ids: std::collections::HashSet<_> = all.iter().map(|item| item.id.as_str()).collect();
    assert_eq!((all.len(), ids.len()), (5, 5));
}

#[tokio::test]
async fn an_order_of_the_same_day_alone_is_another_one_unless_no_order_kept_its_number() {
    let noon = DateTime::from_timestamp(1_700_049_600, 0);
    let with_number =
        |id: &str, order: &RetailerOrder| RetailerOrder { order_id: id.into(), placed_at: noon, ..order.clone() };
    let [first, second] = two().map(|order| with_number(&order.order_id.clone(), &order));
    let missing = async |shop: &Shop| shop.items().await.iter().filter(|item| item.missing_since.is_some()).count();
    // The customer cancelled the order, and bought the same again: one is reported as missing, the other as new.
    let mut shop = Shop::new().await;
    shop.sync(vec![first.clone(), second.clone()]).await;
    assert_eq!(shop.sync(vec![with_number("3", &first), second.clone()]).await, (3, 2, 0, 0));
    assert_eq!((shop.items().await.len(), missing(&shop).await), (5, 2));
    // The shop numbers its orders anew.
    let mut shop = Shop::new().await;
    shop.sync(vec![first.clone(), second.clone()]).await;
    assert_eq!(shop.sync(vec![with_number("N-1", &first), with_number("N-2", &second)]).await, (3, 0, 0, 0));
    assert_eq!((shop.items().await.len(), missing(&shop).await), (3, 0));
    let mut shop = Shop::new().await;
    shop.sync(vec![first.clone()]).await;
    assert_eq!(shop.sync(vec![with_number("N-1", &first)]).await, (2, 0, 0, 0));
}

#[tokio::test]
async fn orders_that_could_be_several_are_not_joined() {
    let mut shop = Shop::new().await;
    let tea = |id: &str| order(id, vec![line("Tea", 500)]);
    shop.sync(vec![tea("1"), tea("2")]).await;
    assert_eq!(shop.sync(vec![tea("N-1")]).await, (1, 1, 0, 0));
    let items = shop.items().await;
    assert_eq!(items.iter().filter(|item| item.missing_since.is_some()).count(), 2);
    assert_eq!(items.len(), 3);
}

#[tokio::test]
async fn an_order_that_differs_in_anything_is_another_order() {
    let first = order("1", vec![line("Tea", 500), line("Oil", 900)]);
    let with_line = |line: LineItem| {
        let mut order = first.clone();
        order.items[1] = line;
        order
    };
    let mut others = vec![
        RetailerOrder { placed_at: DateTime::from_timestamp(1_700_000_001, 0), ..first.clone() },
        RetailerOrder { placed_at: None, ..first.clone() },
        RetailerOrder { total: None, ..first.clone() },
        RetailerOrder { currency: Some("GBP".into()), ..first.clone() },
        with_line(line("Oil", 901)),
        with_line(line("Olive oil", 900)),
        with_line(LineItem { quantity: Some(rust_decimal::Decimal::TWO), ..line("Oil", 900) }),
        with_line(LineItem { line_total: Some(rust_decimal::Decimal::ONE), ..line("Oil", 900) }),
    ];
    others.push(RetailerOrder { items: first.items[..1].to_vec(), ..first.clone() });
    for other in others {
        let mut shop = Shop::new().await;
        shop.sync(vec![first.clone()]).await;
        let lines = other.items.len() as i64;
        let counted = shop.sync(vec![RetailerOrder { order_id: "N-1".into(), ..other }]).await;
        assert_eq!(counted, (lines, lines, 0, 0));
        let items = shop.items().await;
        assert!(of_order(&items, "1").iter().all(|item| item.missing_since.is_some()));
    }
}
