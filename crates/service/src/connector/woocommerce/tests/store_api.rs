//! What the order route of the Store API adds to the pages, and what becomes of an order that it contradicts.

use ordersync_api::SyncErrorCode;
use wiremock::ResponseTemplate;

use super::shop::{Order, PASSWORD, Shop, USERNAME, answer};
use super::{SETTINGS, connector, sync};
use crate::connector::RetailerOrder;
use crate::connector::drive::{Connection, Synced};

/// A line of an order, as the route answers it.
macro_rules! line {
    ($name:literal, $sku:literal, $quantity:literal, $total:literal, $tax:literal) => {
        concat!(
            "{\"name\": \"",
            $name,
            "\", \"sku\": \"",
            $sku,
            "\", \"quantity\": ",
            $quantity,
            ", \"totals\": {\"line_subtotal\": \"",
            $total,
            "\", \"line_subtotal_tax\": \"",
            $tax,
            "\", \"currency_minor_unit\": 2, \"currency_code\": \"USD\"}, \"variation\": []}"
        )
    };
}

const ROUTE: &str = "/wp-json/wc/store/v1/order/";
const ASKED: &str = "GET /wp-json/wc/";
const LAMP: &str = line!("Lamp, round", "L-1", 3, 3000, 300);
const PEN: &str = line!("Pen - blue", "P-1", 1, 150, 15);

fn json(status: u16, body: String) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw(body, "application/json; charset=UTF-8")
}

fn refusal(status: u16, code: &str) -> ResponseTemplate {
    json(status, format!("{{\"code\": \"{code}\", \"message\": \"No.\"}}"))
}

fn firewall(status: u16) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_raw("<html lang='en'><h1>Forbidden</h1></html>", "text/html")
}

/// The route's answer about a usual order.
fn usual(id: &str) -> ResponseTemplate {
    json(200, format!("{{\"id\": {id}, \"items\": [{LAMP}, {PEN}]}}"))
}

/// Has the route answer as `respond` says for the id of an order.
fn route(shop: &Shop, mut respond: impl FnMut(&str) -> ResponseTemplate + Send + 'static) {
    shop.inside().instead = Some(Box::new(move |path| path.strip_prefix(ROUTE).map(&mut respond)));
}

async fn shop_with(orders: Vec<Order>, respond: impl FnMut(&str) -> ResponseTemplate + Send + 'static) -> Shop {
    let shop = Shop::with(orders).await;
    route(&shop, respond);
    shop
}

/// One whose route has these lines for every order.
async fn shop_with_lines(order: Order, lines: &[&str]) -> Shop {
    let lines = lines.join(",");
    shop_with(vec![order], move |id| json(200, format!("{{\"id\": {id}, \"items\": [{lines}], \"status\": \"x\"}}")))
        .await
}

fn orders(count: u32) -> Vec<Order> {
    (1..=count).rev().map(|number| Order::new(number, "Completed")).collect()
}

/// Title and SKU of each line.
fn products(order: &RetailerOrder) -> Vec<(&str, Option<&str>)> {
    order.items.iter().map(|item| (item.title.as_deref().unwrap(), item.sku.as_deref())).collect()
}

async fn sync_of(connection: &mut Connection, shop: &Shop, lines: &str) -> Synced {
    let connector = connector(&shop.uri(), &format!("{SETTINGS}{lines}"));
    connection.sync(&*connector, |_| panic!("no code is asked for")).await.unwrap()
}

#[tokio::test]
async fn skus_and_exact_titles_come_from_the_route() {
    let shop = shop_with_lines(Order::new(7, "Completed"), &[LAMP, PEN]).await;
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let read = sync_of(&mut connection, &shop, "").await.orders.remove(0);
    assert_eq!(products(&read), [("Lamp, round", Some("L-1")), ("Pen - blue", Some("P-1"))]);
    assert!(read.mismatch.is_empty() && read.fingerprint.is_some());
    // The id of a line is that of the title on the page, so that it does not change when the route fails.
    assert_eq!(read.items[1].line_id.as_deref(), Some("Pen – blue#1"));
    // An order that is stored whole and unchanged is read again from its page alone; what is stored of its products is kept.
    let again = sync_of(&mut connection, &shop, "").await.orders.remove(0);
    assert_eq!((shop.count("GET /my-account/view-order/"), shop.count(ASKED)), (2, 1));
    assert!(again.items.iter().all(|item| item.secondary_unknown) && again.fingerprint == read.fingerprint);
    connection.full = true;
    let whole = sync_of(&mut connection, &shop, "").await.orders.remove(0);
    assert_eq!(products(&whole), products(&read));
}

#[tokio::test]
async fn prices_with_tax_are_the_amounts_of_the_route_together() {
    let lines = [line!("Lamp, round", "L-1", 3, 2727, 272), line!("Pen - blue", "", 1, 136, 14)];
    let read = sync(&shop_with_lines(Order::new(7, "Completed"), &lines).await).await.unwrap().orders.remove(0);
    assert_eq!(products(&read), [("Lamp, round", Some("L-1")), ("Pen - blue", None)]);
}

#[tokio::test]
async fn the_route_knows_nothing_of_refunds() {
    let read = sync(&shop_with_lines(Order::refunded(7), &[LAMP, PEN]).await).await.unwrap().orders.remove(0);
    assert_eq!(products(&read)[0], ("Lamp, round", Some("L-1")));
}

#[tokio::test]
async fn an_order_that_the_route_contradicts_is_kept_back() {
    for (lines, found) in [
        (vec![LAMP], "another number of lines"),
        (vec![LAMP, PEN, PEN], "another number of lines"),
        (vec![line!("Lamp, round", "L-1", 2, 3000, 300), PEN], "other quantities or line totals"),
        (vec![line!("Lamp, round", "L-1", 3, 2000, 300), PEN], "other quantities or line totals"),
        // One line without tax, the other with it.
        (vec![line!("Lamp, round", "L-1", 3, 2700, 300), PEN], "other quantities or line totals"),
    ] {
        let shop = shop_with_lines(Order::new(7, "Completed"), &lines).await;
        let error = sync(&shop).await.unwrap_err();
        assert_eq!(error.code, SyncErrorCode::RetailerIncomplete, "{lines:?}");
        assert!(error.message.contains(found), "{}", error.message);
    }
    let shop = shop_with(orders(1), |_| json(200, format!("{{\"id\": 8, \"items\": [{LAMP}, {PEN}]}}"))).await;
    assert!(sync(&shop).await.unwrap_err().message.contains("another order"));
}

#[tokio::test]
async fn the_route_can_be_turned_off_for_a_shop_that_it_contradicts() {
    let shop = shop_with_lines(Order::new(1, "Completed"), &[LAMP]).await;
    assert_eq!(sync(&shop).await.unwrap_err().code, SyncErrorCode::RetailerIncomplete);
    let asked = shop.count(&format!("GET {ROUTE}"));
    let off = "[retailer.recipe_changes]\norder.product_api = \"none\"\n";
    let synced = sync_of(&mut Connection::of(USERNAME, PASSWORD), &shop, off).await;
    assert_eq!((synced.orders[0].items.len(), shop.count(&format!("GET {ROUTE}"))), (2, asked));
}

#[tokio::test]
async fn an_order_that_is_kept_back_does_not_stop_the_others() {
    let shop = shop_with(orders(3), |id| {
        let pen = if id == "2" { LAMP } else { PEN };
        json(200, format!("{{\"id\": {id}, \"items\": [{LAMP}, {pen}]}}"))
    });
    let shop = shop.await;
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let connector = connector(&shop.uri(), SETTINGS);
    connection.sync(&*connector, |_| panic!("no code is asked for")).await.unwrap_err();
    let stored = connection.fingerprints.0.lock().unwrap().keys().cloned().collect::<std::collections::BTreeSet<_>>();
    assert_eq!(stored.into_iter().collect::<Vec<_>>(), ["1", "3"]);
}

#[tokio::test]
async fn another_title_marks_the_order() {
    let lines = [LAMP, line!("Pencil", "P-1", 1, 150, 15)];
    let read = sync(&shop_with_lines(Order::new(7, "Completed"), &lines).await).await.unwrap().orders.remove(0);
    assert_eq!(products(&read)[1], ("Pen – blue", Some("P-1")));
    assert_eq!(read.mismatch.iter().map(|mismatch| mismatch.check.as_str()).collect::<Vec<_>>(), ["title"]);
}

#[tokio::test]
async fn what_the_page_leaves_out_of_a_title_is_in_the_exact_one() {
    for (shown, name, exact) in [
        ("Cable &amp; plug", "Cable <3m> & plug", "Cable <3m> & plug"),
        ("Cable &amp; plug", "Cable &amp; plug", "Cable & plug"),
        ("It&#8217;s 5 &#215; 3", "It's 5 x 3", "It’s 5 × 3"),
    ] {
        let mut order = Order::new(7, "Completed");
        order.lines[1].0 = shown;
        let lines = [LAMP.to_owned(), PEN.replace("Pen - blue", name)];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let read = sync(&shop_with_lines(order, &lines).await).await.unwrap().orders.remove(0);
        assert_eq!(products(&read)[1], (exact, Some("P-1")), "{shown}");
        // A cross for a letter is another title: the page's is kept, and the order is marked.
        assert_eq!(read.mismatch.is_empty(), !shown.contains("215"));
    }
}

#[tokio::test]
async fn lines_that_the_page_shows_alike_are_those_of_the_route_one_by_one() {
    let mut order = Order::new(7, "Completed");
    order.lines = vec![("Shirt…", "&times;&nbsp;2", "15.75"); 2];
    let lines = [line!("Shirt - red", "S-RED", 2, 1575, 0), line!("Shirt - blue", "S-BLUE", 2, 1575, 0)];
    let read = sync(&shop_with_lines(order, &lines).await).await.unwrap().orders.remove(0);
    assert_eq!(products(&read), [("Shirt - red", Some("S-RED")), ("Shirt - blue", Some("S-BLUE"))]);
}

#[tokio::test]
async fn lines_in_another_order_are_found_by_their_figures_and_titles() {
    let mut order = Order::new(7, "Completed");
    order.lines = vec![
        ("Pen – blue", "&times;&nbsp;1", "1.50"),
        ("Lamp", "&times;&nbsp;3", "15.00"),
        ("Bulb", "&times;&nbsp;3", "15.00"),
    ];
    order.items = 7;
    let lines = [line!("Bulb", "B-1", 3, 1500, 0), line!("Lamp", "L-1", 3, 1500, 0), PEN];
    let read = sync(&shop_with_lines(order, &lines).await).await.unwrap().orders.remove(0);
    assert_eq!(products(&read), [("Pen - blue", Some("P-1")), ("Lamp", Some("L-1")), ("Bulb", Some("B-1"))]);
    assert!(read.mismatch.is_empty());
}

#[tokio::test]
async fn a_shop_without_the_route_is_asked_once_in_a_sync() {
    for respond in [
        ResponseTemplate::new(404).set_body_raw("<html lang='en'><h1>Not found</h1></html>", "text/html"),
        refusal(404, "rest_no_route"),
        refusal(401, "rest_login_required"),
        refusal(403, "rest_forbidden"),
    ] {
        let shop = shop_with(orders(12), move |_| respond.clone()).await;
        let synced = sync(&shop).await.unwrap();
        assert_eq!((synced.orders.len(), shop.count("POST "), shop.count(ASKED)), (12, 1, 1));
        assert!(synced.orders.iter().all(|order| order.fingerprint.is_some() && order.items[0].sku.is_none()));
    }
}

#[tokio::test]
async fn an_order_that_was_read_without_the_route_is_asked_for_when_it_is_read_again() {
    let shop = shop_with(orders(3), |_| refusal(404, "rest_no_route")).await;
    let mut connection = Connection::of(USERNAME, PASSWORD);
    sync_of(&mut connection, &shop, "").await;
    route(&shop, usual);
    let again = sync_of(&mut connection, &shop, "").await;
    assert!(again.orders.len() == 3 && again.orders.iter().all(|order| products(order)[0].1 == Some("L-1")));
}

#[tokio::test]
async fn a_route_that_refuses_the_customer_is_asked_three_times_in_a_sync() {
    for respond in [refusal(403, "woocommerce_rest_invalid_user"), firewall(401), firewall(403)] {
        let shop = shop_with(orders(12), move |_| respond.clone()).await;
        let synced = sync(&shop).await.unwrap();
        assert_eq!((synced.orders.len(), shop.count("POST "), shop.count(ASKED)), (12, 1, 3));
        // The first refusals may have been by chance.
        assert_eq!(synced.orders.iter().filter(|order| order.fingerprint.is_none()).count(), 2);
    }
}

#[tokio::test]
async fn an_order_that_is_refused_by_itself_costs_no_other_order_its_skus() {
    for refused in [refusal(403, "woocommerce_rest_invalid_user"), firewall(401), firewall(403)] {
        let shop = shop_with(orders(6), move |id| match id {
            "6" | "5" => refused.clone(),
            id => usual(id),
        });
        let synced = sync(&shop.await).await.unwrap();
        assert!(synced.orders.iter().skip(2).all(|order| products(order)[0].1 == Some("L-1")));
        // The next sync asks for these again.
        assert!(synced.orders.iter().take(2).all(|order| order.fingerprint.is_none()));
    }
}

#[tokio::test]
async fn an_order_that_the_route_does_not_know_is_read_from_its_page() {
    let shop = shop_with(orders(3), |id| match id {
        "2" => refusal(404, "woocommerce_rest_invalid_order"),
        id => usual(id),
    });
    let synced = sync(&shop.await).await.unwrap();
    let skus: Vec<Option<&str>> = synced.orders.iter().map(|order| order.items[0].sku.as_deref()).collect();
    assert_eq!(skus, [Some("L-1"), None, Some("L-1")]);
}

#[tokio::test]
async fn a_broken_route_rests_and_is_asked_again_in_the_next_sync() {
    for respond in [
        ResponseTemplate::new(500),
        answer("<html lang='en'><h1>Just a moment</h1></html>"),
        json(200, "{\"id\": 1".to_owned()),
        json(200, format!("{{\"id\": 1, \"items\": [{}]}}", LAMP.replace("\"sku\"", "\"SKU\""))),
        ResponseTemplate::new(302).insert_header("location", "http://127.0.0.1:1/"),
    ] {
        let shop = shop_with(orders(25), move |_| respond.clone()).await;
        let mut connection = Connection::of(USERNAME, PASSWORD);
        let synced = sync_of(&mut connection, &shop, "").await;
        assert_eq!(synced.orders.len(), 25);
        // Three, and one in eight of the others, by chance.
        assert!((3..20).contains(&shop.count(ASKED)), "{}", shop.count(ASKED));
        let is_unknown = |order: &RetailerOrder| order.items.iter().all(|item| item.secondary_unknown);
        assert!(synced.orders.iter().all(|order| order.fingerprint.is_none() && is_unknown(order)));
        route(&shop, usual);
        let healed = sync_of(&mut connection, &shop, "").await;
        assert_eq!(healed.orders.len(), 25);
        assert!(healed.orders.iter().all(|order| products(order)[0].1 == Some("L-1") && order.fingerprint.is_some()));
    }
}

#[tokio::test]
async fn a_route_that_failed_for_a_moment_is_read_after_all() {
    let mut is_first = true;
    let respond = move |id: &str| if std::mem::take(&mut is_first) { ResponseTemplate::new(502) } else { usual(id) };
    let shop = shop_with(orders(3), respond).await;
    let synced = sync(&shop).await.unwrap();
    assert!(synced.orders.iter().all(|order| order.fingerprint.is_some() && products(order)[0].1 == Some("L-1")));
    assert_eq!((synced.orders.len(), shop.count(ASKED)), (3, 4));
}

#[tokio::test]
async fn an_order_that_is_refused_by_chance_is_asked_for_in_the_next_sync() {
    for refused in [1, 2] {
        let mut asked = 0;
        let shop = shop_with(orders(3), move |id| {
            asked += 1;
            if asked == refused { refusal(401, "woocommerce_rest_invalid_user") } else { usual(id) }
        })
        .await;
        let mut connection = Connection::of(USERNAME, PASSWORD);
        let synced = sync_of(&mut connection, &shop, "").await;
        let unknown: Vec<&RetailerOrder> = synced.orders.iter().filter(|order| order.fingerprint.is_none()).collect();
        assert!(unknown.len() == 1 && unknown[0].items[0].secondary_unknown, "{unknown:?}");
        let healed = sync_of(&mut connection, &shop, "reread_newest = 0\nreread_oldest = 0").await;
        assert!(healed.orders.len() == 1 && healed.orders[0].items[0].sku.as_deref() == Some("L-1"));
    }
}

#[tokio::test]
async fn a_pause_that_the_route_asks_for_is_kept() {
    let shop = shop_with(orders(1), |_| ResponseTemplate::new(429).insert_header("retry-after", "3600")).await;
    assert_eq!(sync(&shop).await.unwrap_err().code, SyncErrorCode::RetailerRateLimited);
}
