//! What goes wrong on the way: pages that are missing, broken, repeated or others', and orders that are settled.

use std::time::Duration;

use ordersync_api::SyncErrorCode;
use wiremock::ResponseTemplate;

use super::shop::{CODE, Inside, Order, PASSWORD, Shop, USERNAME, answer};
use super::{code_of, sync, sync_with};
use crate::connector::drive::{Connection, Synced};
use crate::connector::fake_shop::Instead;
use crate::connector::{Connector, ConnectorError};

fn orders(count: u32) -> Vec<Order> {
    let title = |n: u32| if n.is_multiple_of(2) { "even_1" } else { "odd_2" };
    (0..count)
        .map(|n| Order { lines: vec![("Soap", 3, "£30.00", Some(title(n)))], ..Order::new(100_500 - n, "Complete") })
        .collect()
}

/// A sync of a new customer, whatever it has proven.
async fn run(shop: &Shop, settings: &str) -> Result<Synced, ConnectorError> {
    Connection::of(USERNAME, PASSWORD).run(&*shop.connector(settings), |_| CODE.to_owned()).await
}

async fn again(connection: &mut Connection, connector: &dyn Connector) -> Synced {
    connection.run(connector, |_| CODE.to_owned()).await.unwrap()
}

/// Answers paths that begin like this with a status.
fn fails(beginning: &'static str, status: u16) -> Option<Instead> {
    fails_at_first(beginning, status, usize::MAX)
}

/// So many times.
fn fails_at_first(beginning: &'static str, status: u16, mut times: usize) -> Option<Instead> {
    Some(Box::new(move |path| {
        let fails = path.starts_with(beginning) && times > 0;
        times -= usize::from(fails);
        fails.then(|| ResponseTemplate::new(status))
    }))
}

fn incomplete(synced: &Synced) -> &str {
    synced.report.incomplete().unwrap()
}

#[tokio::test]
async fn orders_that_have_no_page_are_kept_back_and_counted() {
    let shop = Shop::with(orders(3)).await;
    shop.inside().instead = fails("/accounts/orders/1", 404);
    let synced = run(&shop, "").await.unwrap();
    assert_eq!((synced.orders.len(), synced.kept_back.len()), (0, 3));
    let message = incomplete(&synced);
    assert!(message.starts_with("The check \"page of the order\" failed for order 100500: "), "{message}");
    assert!(message.contains("3 orders were kept back"), "{message}");
    assert!(synced.report.listed_all(), "the list itself is proven");
}

#[tokio::test]
async fn an_order_whose_page_fails_is_kept_back_alone() {
    let shop = Shop::with(orders(5)).await;
    shop.inside().instead = fails("/accounts/orders/100498/", 500);
    let synced = run(&shop, "").await.unwrap();
    assert_eq!((synced.orders.len(), &synced.kept_back[..]), (4, &["100498".to_owned()][..]));

    shop.inside().instead = fails("/accounts/orders/1", 500);
    assert_eq!(code_of(sync(&shop).await), SyncErrorCode::RetailerUnavailable, "all of them: the shop is out of order");
}

#[tokio::test]
async fn a_page_that_failed_for_a_moment_is_read_after_all() {
    let shop = Shop::with(orders(3)).await;
    shop.inside().instead = fails_at_first("/accounts/orders/100499/", 404, 1);
    let synced = sync(&shop).await.unwrap();
    assert_eq!((synced.orders.len(), synced.kept_back.len()), (3, 0));
}

#[tokio::test]
async fn a_broken_product_page_costs_its_own_data_only_and_is_not_asked_for_for_ever() {
    for status in [403, 500] {
        let many = (0..10).map(|n| {
            let product = ["a_1", "b_2", "c_3", "d_4", "e_5", "f_6", "g_7", "h_8", "i_9", "j_10"][n as usize];
            Order { lines: vec![("Soap", 3, "£30.00", Some(product))], ..Order::new(100_500 - n, "Complete") }
        });
        let shop = Shop::with(many.collect()).await;
        shop.inside().instead = fails("/catalogue/", status);
        let synced = sync(&shop).await.unwrap();
        assert_eq!(synced.orders.len(), 10);
        for order in &synced.orders {
            assert!(order.items[0].secondary_unknown && order.items[0].sku.is_none());
            assert_eq!(order.fingerprint, None, "it is read again by the next sync");
        }
        // At the end of a step that has read orders, at the beginning of the next one, and after a wait. Then the first to fail is
        // left, and after two others those that are asked for are one in eight.
        assert_eq!(shop.count("GET /catalogue/a_1/"), 3);
        assert_eq!(["b_2", "c_3"].map(|product| shop.count(&format!("GET /catalogue/{product}/"))), [1, 1]);
        assert!((5..=7).contains(&shop.count("GET /catalogue/")), "{} are asked for", shop.count("GET /catalogue/"));
    }
}

#[tokio::test]
async fn a_product_page_that_failed_for_a_moment_is_read_after_all() {
    let shop = Shop::with(orders(3)).await;
    shop.inside().instead = fails_at_first("/catalogue/", 500, 1);
    let synced = run(&shop, "").await.unwrap();
    assert!(synced.orders.iter().all(|order| order.fingerprint.is_some() && order.items[0].sku.is_some()));
    assert_eq!(synced.orders.len(), 3);
}

#[tokio::test]
async fn product_pages_that_stay_broken_hide_the_others_from_a_few_syncs_at_most() {
    let products = ["a_1", "b_2", "c_3", "d_4", "e_5", "f_6"];
    let orders = products.iter().zip(0..).map(|(product, n)| Order {
        lines: vec![("Soap", 3, "£30.00", Some(*product))],
        ..Order::new(100_500 - n, "Complete")
    });
    let shop = Shop::with(orders.collect()).await;
    shop.inside().instead = Some(Box::new(|path| {
        let is_broken = ["/a_1/", "/b_2/", "/c_3/"].iter().any(|product| path.ends_with(product));
        is_broken.then(|| ResponseTemplate::new(500))
    }));
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let connector = shop.connector("");
    let mut with_code = 0;
    for _ in 0..40 {
        connection.now += chrono::TimeDelta::hours(1);
        let synced = connection.sync(&*connector, |_| CODE.to_owned()).await.unwrap();
        with_code = with_code.max(synced.orders.iter().filter(|order| order.items[0].sku.is_some()).count());
        // The settled ones that were read whole are not read again.
        if connection.fingerprints.0.lock().unwrap().len() == 3 {
            return;
        }
    }
    panic!("at most {with_code} of the three good products were read");
}

#[tokio::test]
async fn a_page_after_the_last_one_that_repeats_orders_proves_nothing() {
    for (count, repeated) in [(3, 1), (25, 1), (25, 2)] {
        let shop = Shop::with(orders(count)).await;
        let all = orders(count);
        shop.inside().instead = Some(Box::new(move |path| {
            let page: usize = path.strip_prefix("/accounts/orders/?page=")?.parse().ok()?;
            let page = if page > all.len().div_ceil(20) { repeated } else { page };
            Some(answer(super::shop::list_page(all.chunks(20).nth(page - 1)?, page, 1)))
        }));
        let error = sync(&shop).await.unwrap_err();
        assert_eq!(error.code, SyncErrorCode::RetailerIncomplete);
        assert!(error.message.starts_with("The check \"end of the list\" failed: "), "{error}");
    }
    let shop = Shop::with(orders(3)).await;
    shop.inside().instead = fails("/accounts/orders/?page", 500);
    assert_eq!(sync_with(&shop, "single_page = true").await.unwrap().orders.len(), 3, "the page is not asked for");
}

#[tokio::test]
async fn a_shortened_list_is_found_by_its_filter() {
    let shop = Shop::with(orders(3)).await;
    shop.inside().orders[2].date = "8 Sep 2025, 6:20 p.m.";
    let all = shop.inside().orders.clone();
    // The template shows two orders, whichever list it is.
    shop.inside().edit = Some(Box::new(move |path, html| {
        if path == "/accounts/orders/" { super::shop::list_page(&all[..2], 1, 1) } else { html.to_owned() }
    }));
    let error = sync(&shop).await.unwrap_err();
    assert!(error.message.starts_with("The check \"orders hidden by the list\" failed: "), "{error}");
}

#[tokio::test]
async fn a_list_that_cannot_be_read_further_stores_what_was_proven() {
    let shop = Shop::with(orders(25)).await;
    shop.inside().edit =
        Some(Box::new(
            |path, html| {
                if path.ends_with("?page=2") { html.replace("</body></html>", "") } else { html.to_owned() }
            },
        ));
    let synced = run(&shop, "").await.unwrap();
    assert_eq!(synced.orders.len(), 20);
    assert!(!synced.report.listed_all(), "nothing may be marked as missing");
    assert!(incomplete(&synced).starts_with("The check \"page of the order list\" failed: the page is cut off"));
}

#[tokio::test]
async fn settled_orders_are_read_again_the_newest_and_those_unread_for_longest() {
    let shop = Shop::with(orders(8)).await;
    let (mut connection, connector) =
        (Connection::of(USERNAME, PASSWORD), shop.connector("reread_newest = 2\nreread_oldest = 1"));
    again(&mut connection, &*connector).await;
    shop.inside().orders[0].status = "Refunded";
    let second = again(&mut connection, &*connector).await;
    let numbers: Vec<&str> = second.orders.iter().map(|order| order.order_id.as_str()).collect();
    // All have the same date; the list's own order says which are the newest.
    assert_eq!(numbers, ["100500", "100499", "100493"]);
    assert_eq!(second.orders[0].items[0].shipment_text.as_deref(), Some("Refunded"));
    assert_eq!(second.unchanged.len(), 5);

    connection.full = true;
    assert_eq!(again(&mut connection, &*connector).await.orders.len(), 8);
}

#[tokio::test]
async fn another_account_is_told_before_anything_is_stored() {
    let shop = Shop::with(orders(3)).await;
    let (mut connection, connector) = (Connection::of(USERNAME, PASSWORD), shop.connector(""));
    again(&mut connection, &*connector).await;
    for others in [vec![Order::new(7_001, "Complete")], Vec::new()] {
        shop.inside().orders = others;
        connection.other_account = true;
        let result = connection.run(&*connector, |_| CODE.to_owned()).await;
        assert_eq!(result.unwrap_err().code, SyncErrorCode::AccountMismatch);
    }
    shop.inside().orders = vec![Order { total: "£99.00", ..Order::new(7_001, "Complete") }];
    connection.other_account = false;
    let error = connection.run(&*connector, |_| CODE.to_owned()).await.unwrap_err();
    assert!(error.message.starts_with("The check \"orders of this customer\" failed: "), "{error}");
    shop.inside().orders =
        orders(3).into_iter().map(|order| Order { number: order.number - 90_000, ..order }).collect();
    assert_eq!(again(&mut connection, &*connector).await.orders.len(), 3, "orders with new numbers are the customer's");
}

#[tokio::test]
async fn pages_that_come_instead_are_told_apart() {
    for (html, code) in [
        ("", SyncErrorCode::RetailerUnavailable),
        ("{\"error\": 1}", SyncErrorCode::RetailerUnavailable),
        ("<html><title>Down for maintenance</title><p>Back soon</p></html>", SyncErrorCode::RetailerUnavailable),
        ("<html><title>Wartung</title><p>…</p></html>", SyncErrorCode::RetailerUnavailable),
        ("<html><h1>Hello</h1><div class='g-recaptcha'></div></html>", SyncErrorCode::ActionRequired),
        ("<html><h1>Verify your e-mail address</h1></html>", SyncErrorCode::ActionRequired),
        ("<html><h1>Our new shop</h1></html>", SyncErrorCode::RetailerChanged),
    ] {
        let shop = Shop::with(orders(2)).await;
        shop.inside().edit =
            Some(Box::new(
                move |path, page| {
                    if path == "/accounts/orders/" { html.to_owned() } else { page.to_owned() }
                },
            ));
        assert_eq!(code_of(sync(&shop).await), code, "{html}");
    }
}

#[tokio::test]
async fn a_sign_in_page_served_in_place_ends_the_sign_in_and_not_the_sync() {
    const IN_PLACE: &str = "<html lang='ja'><form method='post' action='/accounts/login/'><input name='login-username'>\
        <input type='password' name='login-password'></form></html>";
    let shop = Shop::with(orders(3)).await;
    let mut shown = 0;
    shop.inside().instead = Some(Box::new(move |path| {
        let ends = path == "/accounts/orders/100499/" && shown < 2;
        shown += i32::from(ends);
        ends.then(|| answer(IN_PLACE))
    }));
    assert_eq!(sync(&shop).await.unwrap().orders.len(), 3);
    // The orders before it are stored first, which shows the page a second time; then the sign-in is renewed.
    assert_eq!(shop.count("POST /accounts/login/"), 2);
}

#[tokio::test]
async fn a_sign_in_that_ends_again_and_again_is_renewed_as_long_as_the_sync_comes_further() {
    let shop = Shop::with(orders(10)).await;
    let mut ended = std::collections::HashSet::new();
    shop.inside().event = Some(Box::new(move |inside: &mut Inside, path| {
        if path.starts_with("/accounts/orders/1") && ended.insert(path.to_owned()) {
            inside.session += 1;
        }
    }));
    assert_eq!(sync(&shop).await.unwrap().orders.len(), 10);
}

#[tokio::test]
async fn a_step_without_time_and_a_wait_for_the_pace_lose_nothing_and_fetch_nothing_twice() {
    let shop = Shop::with(orders(6)).await;
    let mut connection = Connection::of(USERNAME, PASSWORD);
    // Each step has to come further, although its time is over when it begins.
    connection.step_time = Duration::ZERO;
    let connector = shop.connector("min_interval_ms = 400");
    let synced = tokio::time::timeout(Duration::from_secs(300), connection.sync(&*connector, |_| CODE.to_owned()));
    assert_eq!(synced.await.unwrap().unwrap().orders.len(), 6);
    assert_eq!(shop.count("GET /accounts/orders/1"), 6);
    assert_eq!(shop.count("GET /catalogue/"), 2);
    assert_eq!((shop.count("POST"), shop.count("GET /accounts/login/")), (1, 1));
}

#[tokio::test]
async fn a_renewed_sign_in_without_an_answer_is_not_posted_again_and_again() {
    let shop = Shop::with(orders(3)).await;
    shop.inside().event = Some(Box::new(|inside: &mut Inside, path| {
        if path == "/accounts/orders/100499/" {
            inside.session = 2;
        }
        inside.instead = (inside.is_post && inside.session == 2)
            .then(|| -> Instead { Box::new(|_| Some(answer("<title>Maintenance</title>"))) });
    }));
    assert_eq!(code_of(sync(&shop).await), SyncErrorCode::RetailerUnavailable);
    assert_eq!(shop.count("POST /accounts/login/"), 1 + 3);
}
