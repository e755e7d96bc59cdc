//! What the values of pages may be: currencies, quantities, words for nothing, white space, and what is said of others.

use ordersync_api::SyncErrorCode;

use super::shop::{PASSWORD, Shop, USERNAME};
use super::{configured, example, message, sync, sync_with};
use crate::connector::drive::{Connection, Synced};

/// A shop with a change of the pages of its orders and its list; it gets their paths.
async fn edited(orders: u32, edit: impl Fn(&str, &str) -> String + Send + 'static) -> Shop {
    let shop = Shop::with(orders).await;
    shop.inside().edit =
        Some(Box::new(move |path, html| if path == "/login" { html.to_owned() } else { edit(path, html) }));
    shop
}

/// A sync, whatever it has proven.
async fn run(shop: &Shop, recipe: &str, lines: &str) -> Synced {
    let connector = configured(&shop.uri(), recipe, lines).unwrap();
    Connection::of(USERNAME, PASSWORD).run(&*connector, |_| panic!("no code")).await.unwrap()
}

/// Puts the symbol of each order into its row and its page.
fn symbols(of: &'static [(&str, &str)]) -> impl Fn(&str, &str) -> String + Send + 'static {
    move |path, html| {
        let symbol = |number: &str| of.iter().find(|(known, _)| *known == number).map_or("£", |(_, symbol)| *symbol);
        if let Some(number) = path.strip_prefix("/orders/").filter(|number| !number.is_empty()) {
            return html.replace('£', symbol(number));
        }
        let mut parts = html.split("No. ");
        let mut list = parts.next().unwrap_or_default().to_owned();
        for row in parts {
            list.push_str("No. ");
            list.push_str(&row.replace('£', symbol(&row[..4])));
        }
        list
    }
}

fn currencies(synced: &Synced) -> Vec<(&str, &str)> {
    let orders = synced.orders.iter();
    let mut all: Vec<_> =
        orders.map(|order| (order.order_id.as_str(), order.currency.as_deref().unwrap_or_default())).collect();
    all.sort_unstable();
    all
}

#[tokio::test]
async fn a_shop_may_have_orders_in_several_currencies() {
    let shop = edited(4, symbols(&[("1002", "$"), ("1003", "€"), ("1004", "US$")])).await;
    let mapped = "currencies = { \"$\" = \"CAD\" }";
    let synced = run(&shop, example(), mapped).await;
    assert_eq!(currencies(&synced), [("1001", "GBP"), ("1002", "CAD"), ("1003", "EUR"), ("1004", "USD")]);
    assert!(synced.report.listed_all() && synced.report.incomplete().is_none());
    // Without it, the doubtful order is kept back alone, and unread.
    let synced = run(&shop, example(), "").await;
    assert_eq!(currencies(&synced), [("1001", "GBP"), ("1003", "EUR"), ("1004", "USD")]);
    let found = synced.report.incomplete().unwrap();
    assert!(
        found.contains("\"currency\" failed for order 1002") && found.contains("`currencies = { \"$\" = "),
        "{found}"
    );
    assert!(synced.report.listed_all(), "it is in the list");
    assert_eq!(shop.count("GET /orders/1002"), 1, "of the sync that could read it");
}

#[tokio::test]
async fn an_order_in_two_currencies_is_kept_back_alone_and_a_shop_of_doubtful_ones_is_the_operator_s() {
    let shop = edited(2, |path, html| match path {
        "/orders/1002" => html.replace("<td>£1.50</td></tr>", "<td>€1.50</td></tr>"),
        _ => html.to_owned(),
    })
    .await;
    let synced = run(&shop, example(), "").await;
    assert_eq!(currencies(&synced), [("1001", "GBP")]);
    let found = synced.report.incomplete().unwrap();
    assert!(found.contains("shows its total in GBP, and its page an amount in EUR"), "{found}");

    let dollars = edited(3, |_, html| html.replace('£', "$")).await;
    let error = sync(&dollars).await.unwrap_err();
    assert_eq!(error.code, SyncErrorCode::RetailerMisconfigured);
    assert!(error.message.contains("\"$35.50\"") && error.message.contains("`currencies"), "{}", error.message);
    let synced = sync_with(&dollars, example(), "currencies = { \"$\" = \"USD\" }").await.unwrap();
    assert_eq!(currencies(&synced).len(), 3);
}

#[tokio::test]
async fn quantities_of_0_and_words_for_nothing_are_data() {
    let line = |line: &'static str| {
        move |_: &str, html: &str| {
            let html = html.replace("<td>4</td>", "<td>3</td>").replace("£31.50", "£30.00").replace("£35.50", "£34.00");
            html.replace("<td>£1.50</td><td>1</td><td>£1.50</td>", line)
        }
    };
    let of = |synced: &Synced| {
        let item = &synced.orders[0].items[1];
        (item.quantity.unwrap().to_string(), item.line_total.unwrap().to_string())
    };
    let shop = edited(1, line("<td>£7.00</td><td>0</td><td>£0.00</td>")).await;
    let synced = sync(&shop).await.unwrap();
    assert_eq!((of(&synced), synced.orders[0].mismatch.len()), (("0".to_owned(), "0.00".to_owned()), 0));

    let free = edited(1, line("<td>Free</td><td>0</td><td>FREE</td>")).await;
    let recipe = example().replace("[words]", "[words]\nzero = [\"free\"]");
    assert_eq!(of(&sync_with(&free, &recipe, "").await.unwrap()), ("0".to_owned(), "0.00".to_owned()));
    let found = message(sync(&free).await);
    assert!(found.contains("\"FREE\"") && found.contains("`words.zero`"), "{found}");
}

#[tokio::test]
async fn what_a_browser_shows_as_one_space_is_one() {
    let shop = edited(1, |_, html| {
        html.replace("Lamp, round", "Lamp,\n  \u{a0} round\u{200b}")
            .replace("<td>1 February 2025</td>", "<td>1<br>February<div>2025</div></td>")
            .replace("No. 1001", "No.\n1001")
    })
    .await;
    let order = sync(&shop).await.unwrap().orders.remove(0);
    assert_eq!(order.items[0].title.as_deref(), Some("Lamp, round"));
    assert_eq!(order.placed_at.unwrap().to_rfc3339(), "2025-02-01T12:00:00+00:00");
}

#[tokio::test]
async fn a_value_that_cannot_be_read_is_quoted_with_the_rule_and_the_key_that_would_help() {
    let long = "x".repeat(300);
    let long: &'static str = Box::leak(long.into_boxed_str());
    for (from, to, expected) in [
        ("1 February 2025", "08/10/2026", &["\"08/10/2026\"", "`list.numeric_dates`"][..]),
        ("1 February 2025", "soon", &["\"soon\"", "a day without a time"]),
        ("1 February 2025", "1 Feb\u{1b}[2J", &["\"1 Feb\\u{1b}[2J\""]),
        (">No. 10", ">Order 10", &["`list.number`", "^No\\. (\\d+)$", "\"Order 1001\"", "it does not match"]),
        ("<td>4</td>", "<td>4 of 5</td>", &["number of items", "\"4 of 5\""]),
        ("<td>3</td>", "<td>a few</td>", &["quantity", "\"a few\"", "`pattern`"]),
        ("<td>3</td>", "<td>1,000</td>", &["quantity", "\"1,000\""]),
        ("<td>£30.00</td>", "<td>£30.0</td>", &["an amount, \"£30.0\"", "`locale`"]),
        ("<td>£30.00</td>", "<td>on request</td>", &["\"on request\"", "`words.zero`"]),
        ("<td>£35.50</td>", "<td>£ 35 about</td>", &["\"£ 35 about\""]),
    ] {
        let shop = Shop::changed(1, from, to).await;
        let found = message(sync(&shop).await);
        assert!(expected.iter().all(|part| found.contains(part)), "{to}: {found}");
        assert!(!found.contains("Lamp") && !found.contains('\u{1b}'), "{found}");
    }
    let shop = Shop::changed(1, "1 February 2025", long).await;
    let found = message(sync(&shop).await);
    assert!(found.contains(&format!("\"{}…\"", "x".repeat(80))) && !found.contains(&"x".repeat(81)), "{found}");
}

/// The first date is a day either way, and would be another one.
#[tokio::test]
async fn a_date_with_its_day_and_month_turned_leaves_no_other_date_to_be_trusted() {
    let shop = edited(2, |_, html| {
        let mut parts = html.splitn(3, "<td>1 February 2025</td>");
        let (first, second) = (parts.next().unwrap_or_default(), parts.next());
        let Some(second) = second else { return html.to_owned() };
        format!("{first}<td>02/01/2025</td>{second}<td>02/18/2025</td>{}", parts.next().unwrap_or_default())
    })
    .await;
    let recipe = example().replace("date_shown = \"day\"", "date_shown = \"day\"\nnumeric_dates = \"day_first\"");
    let error = sync_with(&shop, &recipe, "").await.unwrap_err();
    assert_eq!(error.code, SyncErrorCode::RetailerChanged, "{}", error.message);
    assert!(error.message.contains("\"02/18/2025\"") && error.message.contains("month first"), "{}", error.message);
}

#[tokio::test]
async fn a_figure_may_be_known_by_a_word_of_its_label_or_by_the_name_of_the_shipping() {
    let rows = "<tr><th>Your voucher (TEN)</th><td>-£3.50</td></tr><tr><th>Owl, by air (Tax-free)</th><td>£4.00</td></tr>\
                <tr><th>Total</th><td>£32.00</td></tr>";
    let shop = edited(1, move |path, html| {
        if path == "/login" {
            return html.to_owned();
        }
        html.replace("<tr><th>Delivery</th><td>£4.00</td></tr><tr><th>Total</th><td>£35.50</td></tr>", rows)
            .replace("<h1>", "<dl><dt>Sent by</dt><dd>Owl,  by air (Tax-free)</dd><dt>To</dt><dd>Ada</dd></dl><h1>")
            .replace("£35.50", "£32.00")
    })
    .await;
    let words = "[words.in_labels]\ndiscount = [\"voucher\"]\ntax = [\"tax\"]\n\n[words.labels]";
    let named = example()
        .replace("[words.labels]", words)
        .replace("[order]", "[order]\nshipping_name = { select = \"dd\", pattern = '^(O.*)$' }");
    let kept = |synced: &Synced| -> Vec<String> {
        let all = synced.orders[0].adjustments.iter().flatten();
        all.map(|one| format!("{} {}", one.kind, one.amount)).collect()
    };
    let synced = run(&shop, &named, "").await;
    assert_eq!(kept(&synced), ["discount -3.50", "shipping 4.00"]);
    // Without the name, the word "tax" is what is known of it, and an order of this shop always shows its shipping.
    let unnamed = example().replace("[words.labels]", words);
    assert!(message(sync_with(&shop, &unnamed, "").await).contains("figures of the order"));
    let both = named.replace("tax = [\"tax\"]", "tax = [\"your\"]");
    let synced = run(&shop, &both, "").await;
    assert_eq!(kept(&synced), ["other -3.50", "shipping 4.00"], "a label with words of two kinds is of neither");
}

#[tokio::test]
async fn how_an_order_was_paid_is_kept_and_is_no_part_of_its_total() {
    let paid = "<tr><th>Total</th><td>£35.50</td></tr><tr><th>Paid with rewards</th><td>£1.25</td></tr>\
                <tr><th>Paid by card</th><td>£34.25</td></tr>";
    let shop = Shop::changed(1, "<tr><th>Total</th><td>£35.50</td></tr>", paid).await;
    let recipe = example().replace(
        "[words.labels]",
        "[words.in_labels]\nreward = [\"with rewards\"]\n\n[words.labels]\npayment = [\"paid by card\"]",
    );
    let order = sync_with(&shop, &recipe, "").await.unwrap().orders.remove(0);
    assert!(order.mismatch.is_empty(), "{:?}", order.mismatch);
    let kept = order.adjustments.unwrap();
    let kept: Vec<String> = kept.iter().map(|one| format!("{} {} {}", one.kind, one.amount, one.included)).collect();
    assert_eq!(kept, ["shipping 4.00 false", "reward 1.25 true", "payment 34.25 false"]);
    let wrong =
        example().replace("[words.labels]", "[words.in_labels]\ntip = [\"x\"]\nfee = [\"x\"]\n\n[words.labels]");
    assert!(configured("http://127.0.0.1:1", &wrong, "").err().unwrap().contains("\"x\" has two meanings"));
}
