//! What the shop's own record of an order settles, and what becomes of an order that it contradicts.

use ordersync_api::SyncErrorCode;
use wiremock::ResponseTemplate;

use super::shop::{Order, PASSWORD, Shop, USERNAME, money};
use super::{SETTINGS, connector, sync, sync_with};
use crate::connector::RetailerOrder;
use crate::connector::drive::Connection;

const ROUTE: &str = "/wp-json/wc/store/v1/order/";
const TOTALS: &str = r#""total_price": "3850", "total_tax": "300", "total_shipping": "400", "total_discount": "0", "total_refund": "0", "currency_minor_unit": 2"#;

fn lines(names: [&str; 2], minor_unit: u32) -> String {
    let line = |name: &str, quantity: u32, total: u32| {
        format!(
            "{{\"name\": \"{name}\", \"sku\": \"\", \"quantity\": {quantity}, \"totals\": {{\"line_subtotal\": \"{total}\", \
             \"line_subtotal_tax\": \"0\", \"currency_minor_unit\": {minor_unit}}}}}"
        )
    };
    let coins = 10_u32.pow(minor_unit);
    format!("{}, {}", line(names[0], 3, 30 * coins), line(names[1], 1, coins * 3 / 2))
}

/// A shop with this order, whose record has these totals and lines.
async fn shop_with(order: Order, totals: &str, lines: String) -> Shop {
    let totals = totals.to_owned();
    let shop = Shop::with(vec![order]).await;
    shop.inside().instead = Some(Box::new(move |path| {
        let id = path.strip_prefix(ROUTE)?;
        let answer = format!("{{\"id\": {id}, \"items\": [{lines}], \"totals\": {{{totals}}}}}");
        Some(ResponseTemplate::new(200).set_body_raw(answer, "application/json"))
    }));
    shop
}

async fn read(order: Order, totals: &str) -> RetailerOrder {
    sync(&shop_with(order, totals, lines(["Lamp, round", "Pen – blue"], 2)).await).await.unwrap().orders.remove(0)
}

fn marks(order: &RetailerOrder) -> Vec<&str> {
    order.mismatch.iter().map(|mark| mark.check.as_str()).collect()
}

fn adjustments(order: &RetailerOrder) -> Vec<String> {
    let all = order.adjustments.iter().flatten();
    all.map(|one| format!("{} {}{}", one.kind, one.amount, if one.included { " included" } else { "" })).collect()
}

#[tokio::test]
async fn a_total_that_is_not_that_of_the_record_keeps_the_order_back_and_other_figures_mark_it() {
    let order = || Order::new(7, "Completed");
    assert!(marks(&read(order(), TOTALS).await).is_empty());
    for (from, to, mark) in [
        ("\"total_tax\": \"300\"", "\"total_tax\": \"400\"", "tax"),
        ("\"total_shipping\": \"400\"", "\"total_shipping\": \"300\"", "shipping"),
        ("\"total_discount\": \"0\"", "\"total_discount\": \"500\"", "discount"),
        ("\"total_refund\": \"0\"", "\"total_refund\": \"1000\"", "refund"),
    ] {
        assert_eq!(marks(&read(order(), &TOTALS.replace(from, to)).await), [mark]);
    }
    let shop = shop_with(order(), &TOTALS.replace("3850", "7700"), lines(["Lamp, round", "Pen – blue"], 2)).await;
    let error = sync(&shop).await.unwrap_err();
    assert!(error.message.contains("another total than its page"), "{}", error.message);
}

#[tokio::test]
async fn tax_of_what_is_left_after_a_refund_is_not_that_of_the_order() {
    let order = || {
        let mut order = Order::refunded(7);
        order.rows[1].1 = money("7.00");
        order.rows.remove(2);
        let tax = format!("<small class='includes_tax'>(includes {} VAT)</small>", money("2.22"));
        order.total = format!("<del aria-hidden='true'>&#36;38.50</del> <ins>{} {tax}</ins>", money("28.50"));
        order
    };
    let totals = TOTALS
        .replace("\"total_shipping\": \"400\"", "\"total_shipping\": \"700\"")
        .replace("_refund\": \"0\"", "_refund\": \"1000\"");
    let exact = read(order(), &totals).await;
    assert_eq!(
        (marks(&exact), adjustments(&exact)),
        (vec![], vec!["shipping 7.00".into(), "refund -10.00".into(), "tax 3.00 included".into()])
    );
    // Nothing else says how much it was.
    let alone = sync(&Shop::with(vec![order()]).await).await.unwrap().orders.remove(0);
    assert_eq!(
        (marks(&alone), adjustments(&alone)),
        (vec!["tax"], vec!["shipping 7.00".into(), "refund -10.00".into()])
    );
}

#[tokio::test]
async fn pieces_that_were_returned_without_a_refund_mark_the_order() {
    let mut order = Order::refunded(7);
    order.rows.pop();
    order.total = money("38.50");
    let marked = sync(&Shop::with(vec![order]).await).await.unwrap().orders.remove(0);
    assert_eq!(marks(&marked), ["refund"]);
}

#[tokio::test]
async fn amounts_without_decimals_need_the_record_or_the_word_of_the_operator() {
    let order = || {
        let mut order = Order::new(7, "Completed");
        order.lines = vec![("Lamp, round", "&times;&nbsp;3", "30"), ("Pen", "&times;&nbsp;1", "2")];
        order.rows[0].1 = money("32");
        order.rows[1].1 = money("4");
        order.rows[2].1 = money("3");
        order.total = money("39");
        order
    };
    let of_two = |pen: &str| lines(["Lamp, round", "Pen"], 2).replace("\"150\"", pen);
    let kept_back = |error: crate::connector::ConnectorError| {
        assert_eq!(error.code, SyncErrorCode::RetailerIncomplete);
        error.message
    };
    let message = kept_back(sync(&Shop::with(vec![order()]).await).await.unwrap_err());
    assert!(message.contains("whole_prices = true"), "{message}");
    assert_eq!(sync_with(&Shop::with(vec![order()]).await, "whole_prices = true").await.unwrap().orders.len(), 1);
    // The record is exact, and says the same.
    let exact = TOTALS.replace("3850", "3900");
    assert_eq!(sync(&shop_with(order(), &exact, of_two("\"200\"")).await).await.unwrap().orders.len(), 1);
    // It is exact, and the page was rounded.
    kept_back(sync(&shop_with(order(), TOTALS, of_two("\"200\"")).await).await.unwrap_err());
    kept_back(sync(&shop_with(order(), &exact, of_two("\"150\"")).await).await.unwrap_err());
    // It is rounded itself.
    let rounded = r#""total_price": "39", "total_tax": "3", "total_shipping": "4", "currency_minor_unit": 0"#;
    let rounded_lines =
        lines(["Lamp, round", "Pen"], 0).replace("\"line_subtotal\": \"1\"", "\"line_subtotal\": \"2\"");
    kept_back(sync(&shop_with(order(), rounded, rounded_lines).await).await.unwrap_err());
}

#[tokio::test]
async fn a_title_that_is_cut_is_the_exact_one_or_marks_the_order() {
    let mut order = Order::new(7, "Completed");
    order.lines[0].0 = "Lamp…";
    let read = read(order.clone(), TOTALS).await;
    assert_eq!((read.items[0].title.as_deref(), marks(&read)), (Some("Lamp, round"), vec![]));
    let alone = sync(&Shop::with(vec![order]).await).await.unwrap().orders.remove(0);
    assert_eq!(marks(&alone), ["title"]);
}

#[tokio::test]
async fn the_record_names_one_of_several_titles() {
    let shop = shop_with(Order::new(7, "Completed"), TOTALS, lines(["Lamp, round", "Pen – blue"], 2)).await;
    shop.inside().edit = Some(Box::new(|_, html| {
        let html = html.replace("Lamp, round</a>", "Lamp, round</a> by <a href='/store/oak/'>Oak</a>");
        html.replace("<a href='/product/thing/'>Pen", "<a href='/brand/x/'>X</a> <a href='/product/thing/'>Pen")
    }));
    let read = sync(&shop).await.unwrap().orders.remove(0);
    let titles: Vec<Option<&str>> = read.items.iter().map(|item| item.title.as_deref()).collect();
    assert_eq!(titles, [Some("Lamp, round"), Some("Pen – blue")]);
    let other = shop_with(Order::new(7, "Completed"), TOTALS, lines(["Chair", "Pen – blue"], 2)).await;
    other.inside().edit =
        Some(Box::new(|_, html| html.replace("Lamp, round</a>", "Lamp, round</a> <a href='/store/oak/'>Oak</a>")));
    assert_eq!(sync(&other).await.unwrap_err().code, SyncErrorCode::RetailerIncomplete);
}

#[tokio::test]
async fn an_order_without_a_number_of_items_or_without_its_number_needs_the_record() {
    for (from, to) in [(" for 4 items", ""), ("<mark class='order-number'>7</mark>", "7")] {
        let shop = shop_with(Order::new(7, "Completed"), TOTALS, lines(["Lamp, round", "Pen – blue"], 2)).await;
        shop.inside().edit = Some(Box::new(move |_, html| html.replace(from, to)));
        assert_eq!(sync(&shop).await.unwrap().orders.len(), 1, "{from}");
        let alone = Shop::with(vec![Order::new(7, "Completed")]).await;
        alone.inside().edit = Some(Box::new(move |_, html| html.replace(from, to)));
        assert_eq!(sync(&alone).await.unwrap_err().code, SyncErrorCode::RetailerIncomplete, "{from}");
    }
}

#[tokio::test]
async fn the_numbers_of_tabs_say_how_many_orders_there_are() {
    for (tabs, is_whole) in [
        (
            "<div role='tablist'><button role='tab' aria-selected='true'>Open (1)</button><button role='tab'>Done (2)</button></div>",
            false,
        ),
        ("<ul><li>Open <b>1</b></li><li>Done <b>1</b></li></ul>", true),
        ("<div><span>All (2)</span><span>Open (1)</span></div>", true),
        (
            "<div role='tablist'><button role='tab' aria-selected='true'>Open</button><button role='tab'>Done</button></div>",
            false,
        ),
        ("<div role='tablist'><button role='tab'>All</button><button role='tab'>Done</button></div>", true),
        ("<div><span class='active'>Open orders</span><span>Completed orders</span></div>", false),
        ("<form><label><input type='radio' checked> Open</label><label><input type='radio'> All</label></form>", false),
        ("<select name='show'><option>All</option><option selected>Open</option></select>", false),
        ("<select name='show'><option selected>All</option><option>Open</option></select>", true),
        ("<select name='sort'><option>Newest</option><option>Oldest</option></select>", true),
        ("<ul><li class='active'>Dashboard</li><li>Orders</li></ul>", true),
    ] {
        let shop = Shop::with(vec![Order::new(8, "Completed"), Order::new(7, "Completed")]).await;
        shop.inside().edit = Some(Box::new(move |path, html| {
            let table = "<table class='woocommerce-orders-table";
            if path.starts_with("/my-account/orders/") {
                html.replace(table, &format!("{tabs}{table}"))
            } else {
                html.to_owned()
            }
        }));
        assert_eq!(sync(&shop).await.is_ok(), is_whole, "{tabs}");
    }
}

#[tokio::test]
async fn a_list_that_the_shop_has_renamed_is_found_by_the_navigation() {
    let shop = Shop::with((1..=12).rev().map(|number| Order::new(number, "Completed")).collect()).await;
    shop.inside().edit = Some(Box::new(|_, html| html.replace("/my-account/orders/", "/my-account/orders-of-mine/")));
    shop.inside().moved = Some("/my-account/orders-of-mine/");
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let connector = connector(&shop.uri(), SETTINGS);
    let synced = connection.sync(&*connector, |_| panic!("no code is asked for")).await.unwrap();
    assert_eq!(synced.orders.len(), 12);
}

#[tokio::test]
async fn a_part_of_a_bundle_has_no_price_if_the_others_are_the_whole_sum() {
    let order = |subtotal: &str, total: &str| {
        let mut order = Order::new(7, "Completed");
        order.lines[1].2 = "0.00";
        order.rows[0].1 = money(subtotal);
        order.total = money(total);
        order
    };
    for (part, subtotal, total, is_read) in [
        ("", "30.00", "37.00", true),
        ("Included", "30.00", "37.00", true),
        ("", "31.50", "38.50", false),
        ("1.50", "31.50", "38.50", false),
    ] {
        let shop = Shop::with(vec![order(subtotal, total)]).await;
        shop.inside().edit = Some(Box::new(move |_, html| html.replace(&money("0.00"), part)));
        let synced = sync(&shop).await;
        assert_eq!(synced.is_ok(), is_read, "{part} {total}");
        if let Ok(synced) = synced {
            assert_eq!(synced.orders[0].items[1].line_total, Some(rust_decimal::Decimal::new(0, 2)));
        }
    }
}

#[tokio::test]
async fn figures_with_unknown_labels_are_what_the_record_says_of_their_amounts() {
    let order = |shipping, tax| {
        let mut order = Order::new(7, "Completed");
        (order.rows[1].0, order.rows[2].0) = (shipping, tax);
        order
    };
    let named = vec!["shipping 4.00".to_owned(), "tax 3.00".to_owned()];
    let exact = read(order("Porto:", "Duties:"), TOTALS).await;
    assert_eq!((marks(&exact), adjustments(&exact)), (vec![], named));
    // Which is which?
    let alike = TOTALS.replace("_tax\": \"300\"", "_tax\": \"400\"");
    let unknown = read(order("Porto:", "Duties:"), &alike).await;
    assert_eq!((marks(&unknown), adjustments(&unknown)[0].as_str()), (vec!["tax", "shipping"], "other 4.00"));
}

#[tokio::test]
async fn a_total_that_says_nothing_of_its_refunds_needs_the_record() {
    let order = || {
        let mut order = Order::refunded(7);
        order.total = money("38.50");
        order
    };
    let totals = TOTALS.replace("_refund\": \"0\"", "_refund\": \"1000\"");
    let exact = read(order(), &totals).await;
    assert_eq!((marks(&exact), adjustments(&exact)[2].as_str()), (vec![], "refund -10.00"));
    assert_eq!(sync(&Shop::with(vec![order()]).await).await.unwrap_err().code, SyncErrorCode::RetailerIncomplete);
}

#[tokio::test]
async fn another_status_in_the_list_marks_the_order() {
    for (shown, is_marked) in [("Processing", true), ("completed", false), ("On its way", false)] {
        let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
        shop.inside().edit = Some(Box::new(move |_, html| {
            html.replace("order-status'>Completed</mark>", &format!("order-status'>{shown}</mark>"))
        }));
        let read = sync(&shop).await.unwrap().orders.remove(0);
        assert_eq!(marks(&read), if is_marked { vec!["status"] } else { vec![] }, "{shown}");
    }
    let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
    shop.inside().edit =
        Some(Box::new(|_, html| html.replace("woocommerce-orders-table__cell-order-status", "status")));
    assert!(marks(&sync(&shop).await.unwrap().orders.remove(0)).is_empty());
    // The list's is taken if the page shows none.
    let shop = Shop::with(vec![Order::new(7, "Completed")]).await;
    shop.inside().edit = Some(Box::new(|_, html| html.replace("<mark class='order-status'>Completed</mark>", "new")));
    let read = sync(&shop).await.unwrap().orders.remove(0);
    assert_eq!((marks(&read), read.items[0].shipment_text.as_deref()), (vec![], Some("Completed")));
}

#[tokio::test]
async fn a_symbol_that_the_shop_uses_for_another_currency_keeps_the_order_back() {
    for (symbol, code, is_read) in [("$", "USD", true), ("$", "CAD", false), ("€", "EUR", true)] {
        let totals = format!("{TOTALS}, \"currency_symbol\": \"{symbol}\", \"currency_code\": \"{code}\"");
        let shop = shop_with(Order::new(7, "Completed"), &totals, lines(["Lamp, round", "Pen – blue"], 2)).await;
        assert_eq!(sync(&shop).await.is_ok(), is_read, "{symbol} {code}");
    }
}

#[tokio::test]
async fn one_of_two_numbers_of_a_quantity_needs_the_record() {
    for (quantity, is_read) in [("3 × 12 pieces", true), ("3/3 shipped", true), ("12 × 3", false)] {
        let mut order = Order::new(7, "Completed");
        order.lines[0].1 = quantity;
        let shop = shop_with(order.clone(), TOTALS, lines(["Lamp, round", "Pen – blue"], 2)).await;
        assert_eq!(sync(&shop).await.is_ok(), is_read, "{quantity}");
        assert!(sync(&Shop::with(vec![order]).await).await.is_err(), "{quantity}");
    }
}

#[tokio::test]
async fn a_tip_that_is_about_as_much_as_the_tax_does_not_stand_for_it() {
    let mut order = Order::new(7, "Completed");
    order.rows.insert(3, ("Tip:", money("2.98")));
    let read = sync(&Shop::with(vec![order]).await).await.unwrap().orders.remove(0);
    assert_eq!(adjustments(&read), ["shipping 4.00", "tax 3.00", "tip 2.98 included"]);
}

#[tokio::test]
async fn subscriptions_beside_the_words_that_there_are_no_orders_are_no_orders() {
    let table = "<table class='woocommerce-orders-table'><tbody><tr class='woocommerce-orders-table__row'>\
                 <td><a href='/my-account/view-subscription/71/'>#71</a></td></tr></tbody></table>";
    for (table, is_read) in [(table.to_owned(), true), (table.replace("view-subscription", "view-order"), false)] {
        let shop = Shop::with(Vec::new()).await;
        shop.inside().edit = Some(Box::new(move |path, html| {
            let content = "<div class='woocommerce-MyAccount-content'>";
            let is_list = path.starts_with("/my-account/orders/");
            if is_list { html.replace(content, &format!("{content}{table}")) } else { html.to_owned() }
        }));
        let synced = sync(&shop).await;
        assert_eq!(synced.is_ok_and(|synced| synced.orders.is_empty()), is_read, "{is_read}");
    }
}
