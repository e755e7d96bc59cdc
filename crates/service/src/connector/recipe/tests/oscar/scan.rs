use std::collections::HashSet;

use ordersync_api::{Open, ShipmentStatus, SyncErrorCode};
use wiremock::ResponseTemplate;

use super::shop::{CODE, Inside, Order, PASSWORD, PRODUCT, Shop, USERNAME, answer};
use super::{code_of, sync, sync_with};
use crate::connector::drive::{Connection, Synced};
use crate::connector::kit::check::REMEDY;
use crate::connector::{Input, Outcome};

/// Settled orders are left alone.
const REREAD_NOTHING: &str = "reread_newest = 0\nreread_oldest = 0";

/// So many orders, newest first: the first three are not settled.
fn orders(count: u32) -> Vec<Order> {
    (0..count).map(|n| Order::new(100_500 - n, if n < 3 { "Pending" } else { "Complete" })).collect()
}

fn numbers(synced: &Synced) -> Vec<&str> {
    let numbers: Vec<&str> = synced.orders.iter().map(|order| order.order_id.as_str()).collect();
    assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), numbers.len(), "an order came twice");
    numbers
}

#[tokio::test]
async fn every_page_of_the_list_is_read_and_every_order_once() {
    for count in [0, 1, 19, 20, 21, 40, 45, 123] {
        let shop = Shop::with(orders(count)).await;
        let synced = sync(&shop).await.unwrap();
        assert_eq!(numbers(&synced).len(), count as usize);
        assert_eq!(shop.count("GET /accounts/orders/1"), count as usize, "each order is fetched once");
        assert_eq!(shop.count("GET /catalogue/"), usize::from(count > 0), "each product is fetched once");
    }
}

#[tokio::test]
async fn an_order_is_reported_as_it_is_shown() {
    let shop = Shop::with(vec![Order {
        lines: vec![
            ("O'Neill, \"Pasta\" <Illustrated>", 3, "£30.00", Some("pasta_1")),
            ("日本の家庭料理", 3, "£10.00", None),
            ("Twice", 1, "£1.00", None),
            ("Twice", 2, "£2.00", None),
        ],
        total: "£6,024.42",
        ..Order::new(100_001, "Being processed")
    }])
    .await;
    let synced = sync_with(&shop, "time_zone = \"Europe/London\"").await.unwrap();
    let order = &synced.orders[0];
    assert_eq!(order.placed_at.unwrap().to_rfc3339(), "2025-10-08T17:20:00+00:00");
    assert_eq!(order.total.unwrap().to_string(), "6024.42");
    assert_eq!(order.currency.as_deref(), Some("GBP"));
    assert_eq!(order.fingerprint, None, "it is not settled");

    let [first, second, third, fourth] = order.items.as_slice() else { panic!("{:?}", order.items) };
    assert_eq!(first.title.as_deref(), Some("O'Neill, \"Pasta\" <Illustrated>"));
    assert_eq!(first.sku.as_deref(), Some("5000000000008"));
    assert_eq!(first.department.as_deref(), Some("Household"));
    assert_eq!(first.category.as_deref(), Some("Cleaning"));
    assert_eq!((&first.sub_category, &first.brand), (&None, &None));
    assert_eq!(first.unit_price.unwrap().to_string(), "10.00");
    assert_eq!(first.shipment_status, Some(Open::Known(ShipmentStatus::Processing)));
    assert_eq!(first.shipment_text.as_deref(), Some("Being processed"));
    assert_eq!(second.title.as_deref(), Some("日本の家庭料理"));
    assert_eq!((&second.sku, second.unit_price), (&None, None), "a hidden product; a price that is not exact");
    assert_ne!(third.line_id, fourth.line_id, "lines of the same title are two");
}

#[tokio::test]
async fn a_line_stays_the_same_line_when_its_product_leaves_the_catalogue() {
    let shop = Shop::with(orders(1)).await;
    let before = sync(&shop).await.unwrap();
    shop.inside().orders[0].lines[0].3 = None;
    let after = sync(&shop).await.unwrap();
    assert_eq!(before.orders[0].items[0].line_id, after.orders[0].items[0].line_id);
}

#[tokio::test]
async fn the_operator_can_say_what_the_shops_words_mean() {
    let shop = Shop::with(vec![Order::new(100_001, "Versandt"), Order::new(100_002, "Verloren")]).await;
    let synced = sync_with(&shop, "statuses = { VERSANDT = \"delivered\" }").await.unwrap();
    let status = |n: usize| synced.orders[n].items[0].shipment_status.clone().unwrap();
    assert_eq!(status(0), Open::Known(ShipmentStatus::Delivered));
    assert!(synced.orders[0].fingerprint.is_some(), "delivered is settled");
    assert_eq!(status(1), Open::Other("Verloren".to_owned()));
    assert_eq!(synced.orders[1].fingerprint, None, "an unknown word may change");
}

#[tokio::test]
async fn settled_orders_are_not_fetched_again_until_the_list_shows_a_change() {
    let shop = Shop::with(orders(25)).await;
    let (mut connection, connector) = (Connection::of(USERNAME, PASSWORD), shop.connector(REREAD_NOTHING));
    connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    shop.requests().clear();
    shop.inside().orders[10].total = "£33.95";
    let again = connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    assert_eq!(numbers(&again), ["100500", "100499", "100498", "100490"]);
    assert_eq!(again.unchanged.len(), 21);
    assert_eq!(shop.count("GET /accounts/orders/1"), 4);
}

#[tokio::test]
async fn a_settled_order_is_read_again_without_the_pages_of_its_products() {
    let shop = Shop::with(vec![Order::new(100_001, "Complete")]).await;
    let (mut connection, connector) = (Connection::of(USERNAME, PASSWORD), shop.connector(""));
    let first = connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    assert!(first.orders[0].items[0].sku.is_some());
    shop.requests().clear();
    let again = connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    assert_eq!((shop.count("GET /accounts/orders/1"), shop.count("GET /catalogue/")), (1, 0));
    assert!(again.orders[0].items[0].secondary_unknown && again.orders[0].fingerprint == first.orders[0].fingerprint);
    // An earlier version did not say whether it had read the products.
    for fingerprint in connection.fingerprints.0.lock().unwrap().values_mut() {
        *fingerprint = fingerprint.strip_suffix("|p").unwrap().to_owned();
    }
    let earlier = connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    assert_eq!((&earlier.orders, shop.count("GET /catalogue/")), (&first.orders, 1));
    connection.full = true;
    assert_eq!(connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap().orders, first.orders);
}

#[tokio::test]
async fn a_product_without_a_page_is_looked_for_whenever_its_order_is_read() {
    let shop = Shop::with(vec![Order::new(100_001, "Complete")]).await;
    shop.inside().instead = Some(Box::new(|path| path.starts_with("/catalogue/").then(|| ResponseTemplate::new(404))));
    let (mut connection, connector) = (Connection::of(USERNAME, PASSWORD), shop.connector(""));
    let first = connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    assert!(first.orders[0].fingerprint.is_some() && first.orders[0].items[0].sku.is_none());
    shop.inside().instead = None;
    let again = connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    assert!(again.orders[0].items[0].sku.is_some());
}

#[tokio::test]
async fn an_order_that_its_products_marked_stays_marked() {
    let shop = Shop::with(vec![Order::new(100_001, "Complete")]).await;
    let renamed = PRODUCT.replace("<h1>Dish", "<h1>Washing");
    shop.inside().instead = Some(Box::new(move |path| path.starts_with("/catalogue/").then(|| answer(&renamed))));
    let (mut connection, connector) = (Connection::of(USERNAME, PASSWORD), shop.connector(""));
    let first = connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    assert_eq!(first.orders[0].mismatch[0].check, "title");
    let again = connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
    assert_eq!(again.orders, first.orders);
    assert!(again.orders[0].fingerprint.is_some());
}

#[tokio::test]
async fn an_order_that_is_placed_while_the_list_is_read_is_neither_lost_nor_does_it_double_another() {
    for moment in ["/accounts/orders/?page=2", "/accounts/orders/?page=3", "/accounts/orders/100480/"] {
        let shop = Shop::with(orders(45)).await;
        shop.inside().event = Some(Box::new(move |inside: &mut Inside, path| {
            if path == moment && inside.orders.len() == 45 {
                inside.orders.insert(0, Order::new(100_501, "Pending"));
            }
        }));
        let synced = sync(&shop).await.unwrap();
        assert_eq!(numbers(&synced).len(), 46, "{moment}");
        assert!(numbers(&synced).contains(&"100501"));
    }
}

#[tokio::test]
async fn a_list_that_becomes_shorter_while_it_is_read_is_read_to_its_end() {
    let shop = Shop::with(orders(41)).await;
    shop.inside().event = Some(Box::new(|inside: &mut Inside, path| {
        if path == "/accounts/orders/?page=3" {
            inside.orders.truncate(40);
        }
    }));
    assert_eq!(numbers(&sync(&shop).await.unwrap()).len(), 40);
}

#[tokio::test]
async fn a_list_that_shows_an_order_twice_and_another_never_is_an_error_after_some_tries() {
    let repeated = |tries: usize| {
        let mut list = orders(21);
        list[20] = list[19].clone();
        let mut heads = 0;
        move |inside: &mut Inside, path: &str| {
            heads += usize::from(path == "/accounts/orders/?page=2");
            inside.orders = if heads > tries { orders(21) } else { list.clone() };
        }
    };
    let shop = Shop::with(orders(21)).await;
    shop.inside().event = Some(Box::new(repeated(1)));
    assert_eq!(numbers(&sync(&shop).await.unwrap()).len(), 21, "the second reading shows it");

    shop.inside().event = Some(Box::new(repeated(100)));
    let error = sync(&shop).await.unwrap_err();
    assert!(error.message.contains("The order list shows some orders twice, and others not at all."), "{error}");
    assert!(error.message.starts_with("The check \"orders repeated by the list\" failed: "), "{error}");
}

#[tokio::test]
async fn a_sign_in_that_ends_in_the_middle_is_renewed_once_and_nothing_is_lost() {
    for moment in ["/accounts/orders/?page=2", "/accounts/orders/100500/", "/accounts/orders/100480/"] {
        for mfa in [false, true] {
            let shop = Shop::with(orders(45)).await;
            shop.inside().mfa = mfa;
            let mut ended = false;
            shop.inside().event = Some(Box::new(move |inside: &mut Inside, path| {
                if path == moment && !ended {
                    ended = true;
                    inside.session += 1;
                }
            }));
            let synced = sync(&shop).await.unwrap();
            assert_eq!(numbers(&synced).len(), 45, "{moment}");
            assert_eq!(synced.challenges.len(), if mfa { 2 } else { 0 });
        }
    }
}

#[tokio::test]
async fn a_sign_in_that_keeps_ending_is_the_shops_trouble_and_not_the_connections() {
    let shop = Shop::with(orders(5)).await;
    shop.inside().event = Some(Box::new(|inside: &mut Inside, path| {
        inside.session += u32::from(path.starts_with("/accounts/orders/1"));
    }));
    assert_eq!(code_of(sync(&shop).await), SyncErrorCode::RetailerUnavailable);
}

#[tokio::test]
async fn a_step_that_is_repeated_gives_the_same_orders() {
    let shop = Shop::with(orders(30)).await;
    let (connection, connector) = (Connection::of(USERNAME, PASSWORD), shop.connector(""));
    let mut step = connection.step(&*connector, None, Input::Login).await.unwrap();
    let mut pages = 0;
    while !matches!(step.outcome, Outcome::Done { .. }) {
        let state = step.state;
        let once = connection.step(&*connector, Some(state.clone()), Input::Continue).await.unwrap();
        step = connection.step(&*connector, Some(state), Input::Continue).await.unwrap();
        if let (Outcome::Page(once), Outcome::Page(again)) = (&once.outcome, &step.outcome) {
            assert_eq!(once.orders, again.orders);
            assert!(once.orders.len() <= 20);
            pages += 1;
        }
    }
    assert_eq!(pages, 2);
}

#[tokio::test]
async fn a_changed_page_is_named_with_what_it_lacks() {
    const ORDER: &str = "The check \"lines of the order\" failed for order 100500: ";
    const LIST: &str = "The check \"page of the order list\" failed: ";
    for (change, check, complaint) in [
        (("<table class='table'>", "<div>"), LIST, "it shows orders in a table that cannot be read."),
        (("<th>Num items</th>", "<th></th>"), LIST, "a row does not have one number of items of an order."),
        (("8 Oct 2025", "8/10/2025"), LIST, "the date of an order, \"8/10/2025, 6:20 p.m.\", cannot be read: "),
        (
            ("£34.95</td><td>8", "£34.9</td><td>8"),
            LIST,
            "The order list has an amount, \"£34.9\", that cannot be read: ",
        ),
        (("<table><thead>", "<div><thead>"), ORDER, "the page lacks the table of lines."),
        (("<td>£0.01</td>", ""), ORDER, "a row does not have one label and one amount."),
        (("<td>£30.00", "<td>£30.0"), ORDER, "The page of an order has an amount, \"£30.0\", that cannot be read: "),
    ] {
        let shop = Shop::with(orders(1)).await;
        shop.inside().change = Some(change);
        let error = sync(&shop).await.unwrap_err();
        assert_eq!(error.code, SyncErrorCode::RetailerIncomplete, "{error}");
        assert!(error.message.starts_with(&format!("{check}{complaint}")), "{change:?}: {error}");
        assert!(error.message.ends_with(REMEDY), "{error}");
    }
}

#[tokio::test]
async fn a_configuration_that_contradicts_the_pages_is_an_error() {
    let shop = Shop::with(orders(50)).await;
    assert_eq!(code_of(sync_with(&shop, "max_pages = 2").await), SyncErrorCode::RetailerMisconfigured);
    let dollars = Shop::with(orders(2)).await;
    dollars.inside().change = Some(("£", "$"));
    assert_eq!(code_of(sync_with(&dollars, "currency = \"EUR\"").await), SyncErrorCode::RetailerMisconfigured);
    let synced = sync_with(&dollars, "currency = \"EUR\"\ncurrencies = { \"$\" = \"CAD\" }").await.unwrap();
    assert!(synced.orders.iter().all(|order| order.currency.as_deref() == Some("CAD")));
    let shop = Shop::with(orders(1)).await;
    shop.inside().change = Some(("lang='en-gb'", "lang='tr'"));
    assert_eq!(code_of(sync(&shop).await), SyncErrorCode::RetailerMisconfigured);
    assert!(sync_with(&shop, "locale = \"en-gb\"").await.is_ok(), "the configuration comes before the page");
}

#[tokio::test]
async fn the_state_stays_small() {
    let shop = Shop::with(orders(1000)).await;
    let synced = sync(&shop).await.unwrap();
    assert_eq!(numbers(&synced).len(), 1000);
    assert!(synced.largest_state < 100_000, "{}", synced.largest_state);
}
