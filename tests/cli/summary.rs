//! Line items summed up: for people, for programs, as a page.

use serde_json::{Value, json};
use wiremock::matchers::{path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::support::{Home, Run};

/// A service that lists these line items.
async fn serving(items: Vec<Value>) -> MockServer {
    let server = MockServer::start().await;
    let count = items.len().to_string();
    let answer = ResponseTemplate::new(200).insert_header("x-total-count", count.as_str()).set_body_json(items);
    Mock::given(path("/sync/orders")).respond_with(answer).mount(&server).await;
    server
}

async fn run(items: Vec<Value>, arguments: &'static [&'static str]) -> (Home, Run) {
    let (server, home) = (serving(items).await, Home::new());
    let run = home.run_at(&server.uri(), arguments);
    (home, run)
}

fn items() -> Vec<Value> {
    let item = |id: u32, date: &str, price: Value, currency: &str, status: &str| {
        json!({"id": id, "orderDate": date, "brandName": "B\u{1b}[2J", "price": price, "quantity": 2, "currency": currency,
            "shipmentStatus": status})
    };
    vec![
        item(1, "2026-03-01T00:00:00Z", json!("0.10"), "EUR", "delivered"),
        item(2, "2026-03-31T23:30:00Z", json!("0.20"), "EUR", "shipped"),
        item(3, "2026-02-11T10:00:00Z", json!("900"), "JPY", "delivered"),
        item(4, "2026-02-11T10:00:00Z", json!("5.00"), "EUR", "refunded"),
        item(5, "2026-02-11T10:00:00Z", Value::Null, "EUR", "delivered"),
        item(6, "2026-03-02T10:00:00Z", json!("7.00"), "EUR", "unpaid"),
    ]
}

#[tokio::test]
async fn sums_are_exact_and_each_currency_has_its_own() {
    let (_home, run) = run(items(), &["orders", "summary", "-o", "jsonl"]).await;
    let run = run.ends(0).says("1 item is counted, not summed: 1 without an amount.");
    let expected = [
        r#"{"group":"2026-02","currency":"EUR","items":2,"quantity":2,"amount":0,"undoneItems":1,"undoneAmount":10.00,"unsummedItems":1}"#,
        r#"{"group":"2026-03","currency":"EUR","items":3,"quantity":4,"amount":0.60,"undoneItems":1,"undoneAmount":14.00,"unsummedItems":0}"#,
        r#"{"group":"2026-02","currency":"JPY","items":1,"quantity":2,"amount":1800,"undoneItems":0,"undoneAmount":0,"unsummedItems":0}"#,
    ];
    assert_eq!(run.out.lines().collect::<Vec<_>>(), expected);
}

/// A line total that was rounded, three for ten, a refund in each way of writing it, a line that was cancelled, and
/// signs that contradict each other.
#[tokio::test]
async fn the_amount_is_what_was_charged_and_money_back_lowers_it() {
    let line = |id: u32, quantity: &str, price: Option<&str>, total: Option<&str>| {
        json!({"id": id, "orderDate": "2026-03-01T12:00:00Z", "brandName": "Oakline", "quantity": quantity, "price": price,
            "lineTotal": total, "currency": "EUR"})
    };
    let mut lines = vec![
        line(1, "1.357", Some("9.49"), Some("12.88")),
        line(2, "3", None, Some("10.00")),
        line(3, "-1", Some("-3.50"), None),
        line(4, "-1", Some("0.20"), None),
        line(5, "0", Some("7.00"), Some("0.00")),
        line(6, "0", None, None),
        line(7, "-1", Some("5.00"), Some("5.00")),
        line(8, "2", None, None),
    ];
    lines.push(
        json!({"id": 9, "orderDate": "2026-03-02T12:00:00Z", "quantity": -1, "price": "-1.00", "currency": "EUR",
        "shipmentStatus": "refunded"}),
    );
    let (_home, run) = run(lines, &["orders", "summary", "--by", "brand", "-o", "json"]).await;
    let run = run.ends(0).says(
        "2 items are counted, not summed: 1 without an amount, 1 whose signs do not say whether it was charged or paid back \
         (5.00 EUR).",
    );
    let groups = run.json();
    let of =
        |at: usize| [&groups[at]["group"], &groups[at]["amount"], &groups[at]["unsummedItems"]].map(Value::to_string);
    assert_eq!(of(0), ["\"Oakline\"", "19.18", "2"]);
    assert_eq!(of(1), ["null", "-1.00", "0"]);
}

/// Two lines of an order with shipping, tax, a coupon and refunds; an order whose returned line the refund is for; one that was
/// cancelled before anything was charged; one of which nothing is known.
#[tokio::test]
async fn net_counts_the_adjustments_of_an_order_once_and_nothing_twice() {
    let one = |kind: &str, amount: &str| json!({"type": kind, "amount": amount, "currency": "EUR", "text": null});
    let line = |id: u32, order: &str, price: &str, status: &str, of_line: Value, of_order: Value, total: Value| {
        json!({"id": id, "connectionId": "c", "orderId": order, "orderDate": "2026-03-01T12:00:00Z", "quantity": 1, "price": price,
            "brandName": if id == 2 { "B" } else { "A" }, "currency": "EUR", "shipmentStatus": status, "orderTotal": total,
            "lineAdjustments": of_line, "orderAdjustments": of_order})
    };
    let mut included = one("tax", "3.99");
    included["included"] = json!(true);
    let first = json!([
        one("shipping", "4.90"),
        one("discount", "-5.00"),
        one("refund", "-13.00"),
        included,
        one("payment", "50")
    ]);
    let second = json!([one("refund", "-30.00")]);
    let lines = vec![
        // 30 + 20 + 1.90 + 4.90 - 5 - 13 = 38.80, whichever comes between.
        line(1, "1", "30.00", "delivered", json!([one("tax", "1.90")]), first.clone(), json!("51.80")),
        // 25 + 30 (returned) - 30 = 25.
        line(3, "2", "25.00", "delivered", json!([]), second.clone(), json!("55.00")),
        line(4, "2", "30.00", "returned", json!([]), second, json!("55.00")),
        line(2, "1", "20.00", "shipped", json!([]), first, json!("51.80")),
        // 40 that was not charged, and 10 of 40 that were paid back: 30.
        line(5, "3", "40.00", "delivered", json!([]), json!([one("refund", "-10.00")]), json!("40.00")),
        line(6, "3", "40.00", "cancelled", json!([]), json!([one("refund", "-10.00")]), json!("40.00")),
        // Neither goods nor shipping were charged.
        line(7, "4", "60.00", "cancelled", json!([]), json!([one("shipping", "5.00")]), Value::Null),
        // 12 - 2 = 10; and what was paid back beyond a line that is in no sum: -1.
        line(8, "5", "12.00", "delivered", json!([one("refund", "-2.00")]), json!([]), Value::Null),
        line(9, "5", "7.00", "refunded", json!([one("refund", "-8.00")]), json!([]), Value::Null),
        line(10, "6", "0.20", "delivered", Value::Null, Value::Null, Value::Null),
        // 20 and 20 of what was sent back stayed with the shop.
        line(11, "7", "100.00", "returned", json!([]), json!([one("refund", "-80.00")]), json!("100.00")),
        line(12, "8", "50.00", "returned", json!([one("refund", "-30.00")]), json!([]), json!("50.00")),
    ];
    let (_home, run) = run(lines.clone(), &["orders", "summary", "--net", "-o", "jsonl"]).await;
    let run = run.ends(0).says("1 item counts without adjustments, as they are not known.");
    let expected = r#"{"group":"2026-03","currency":"EUR","items":12,"quantity":6,"amount":127.20,"undoneItems":6,"undoneAmount":287.00,"unsummedItems":0,"net":143.00,"unsummedOrders":0}"#;
    assert_eq!(run.out.trim_end(), expected);
    assert!(!run.err.contains("add up"), "{}", run.err);
    // What belongs to a whole order of several brands belongs to none of them.
    let (_home, brands) =
        self::run(lines, &["orders", "summary", "--net", "--by", "brand", "--fields", "group,net", "-o", "csv"]).await;
    assert_eq!(brands.ends(0).out, "group,net\nA,136.10\nB,20.00\n,-13.10\n");
    let (_home, plain) = self::run(items(), &["orders", "summary", "--net"]).await;
    plain.ends(1).says("This service does not report adjustments.");
    Home::new().run(&["orders", "summary", "--net", "--html", "page.html"]).ends(2).says("--html");
}

/// A refunded order and one with tax, of which only the totals are known; and others of which a part is known.
#[tokio::test]
async fn net_of_an_order_with_an_unknown_amount_is_its_total_or_nothing() {
    let one = |kind: &str, amount: &str| json!([{"type": kind, "amount": amount, "currency": "USD", "text": null}]);
    let line = |order: &str,
                brand: &str,
                price: Option<&str>,
                total: Option<&str>,
                of_line: &Value,
                of_order: &Value| {
        json!({"id": format!("{order}{brand}"), "connectionId": "c", "orderId": order, "orderDate": "2026-03-01T12:00:00Z",
            "quantity": 1, "price": price, "brandName": brand, "currency": "USD", "shipmentStatus": "delivered",
            "orderTotal": total, "lineAdjustments": of_line, "orderAdjustments": of_order})
    };
    let (none, tax, shipping) = (json!([]), one("tax", "0.80"), one("shipping", "3.00"));
    let undone = |mut line: Value| {
        line["shipmentStatus"] = json!("cancelled");
        line
    };
    let refunded = line("1", "A", None, Some("1.99"), &none, &one("refund", "-1.99"));
    let lines = vec![
        // 0, 10, and 10 + 5 + 3 - 2 = 16.
        refunded.clone(),
        line("2", "A", None, Some("10.00"), &none, &tax),
        line("3", "B", Some("10.00"), Some("18.00"), &none, &shipping),
        // The total is not known, or has a line or not that was cancelled, or is less than the known lines.
        line("4", "C", None, None, &none, &tax),
        line("4", "D", Some("5.00"), None, &none, &tax),
        line("5", "C", None, Some("50.00"), &none, &none),
        undone(line("5", "D", Some("30.00"), Some("50.00"), &none, &none)),
        line("6", "C", None, Some("4.00"), &none, &none),
        line("6", "D", Some("9.00"), Some("4.00"), &none, &none),
        // 4: what was cancelled cost nothing.
        line("7", "B", Some("4.00"), None, &none, &none),
        undone(line("7", "C", None, None, &none, &none)),
        line("3", "C", None, Some("18.00"), &one("refund", "-2.00"), &shipping),
    ];
    let net =
        |items| run(items, &["orders", "summary", "--net", "--fields", "group,amount,net,unsummedOrders", "-o", "csv"]);
    let (_home, all) = net(lines.clone()).await;
    let all =
        all.ends(0).says("3 orders are left out of the net amounts: an item's amount is not known, and the order's");
    assert_eq!(all.out, "group,amount,net,unsummedOrders\n2026-03,28.00,30.00,3\n");
    let (_home, brands) = run(
        lines,
        &["orders", "summary", "--net", "--by", "brand", "--fields", "group,amount,net,unsummedOrders", "-o", "csv"],
    )
    .await;
    assert_eq!(
        brands.ends(0).out,
        "group,amount,net,unsummedOrders\nB,14.00,14.00,0\nD,14.00,,3\nA,,10.00,0\nC,,,3\n,,6.00,0\n"
    );
    // Lines without an order number may repeat one total.
    let mut unnumbered = vec![refunded.clone(), refunded.clone()];
    for (at, line) in unnumbered.iter_mut().enumerate() {
        line["id"] = json!(at);
        line["orderId"] = Value::Null;
    }
    let (_home, unnumbered) = net(unnumbered).await;
    assert_eq!(unnumbered.ends(0).out, "group,amount,net,unsummedOrders\n2026-03,,,2\n");
    let (_home, table) = run(vec![refunded], &["orders", "summary", "--net"]).await;
    let table = table.ends(0);
    assert!(table.out.contains("0.00 USD") && !table.err.contains("left out"), "{}{}", table.out, table.err);
}

/// 25 + 20 (returned) - 20 = 25: what one line cost in dollars is not in the total of 45 euros.
#[tokio::test]
async fn net_of_an_order_in_two_currencies_is_computed_in_each() {
    let refund = json!([{"type": "refund", "amount": "-20.00", "currency": "EUR", "text": null}]);
    let line = |id: u32, price: &str, currency: &str, status: &str| {
        json!({"id": id, "connectionId": "c", "orderId": "1", "orderDate": "2026-03-01T12:00:00Z", "quantity": 1,
            "price": price, "currency": currency, "shipmentStatus": status, "orderTotal": "45.00", "lineAdjustments": [],
            "orderAdjustments": refund})
    };
    let lines = vec![
        line(1, "25.00", "EUR", "delivered"),
        line(2, "20.00", "EUR", "returned"),
        line(3, "20.00", "USD", "delivered"),
    ];
    let (_home, run) =
        run(lines, &["orders", "summary", "--net", "--fields", "currency,amount,undoneAmount,net", "-o", "csv"]).await;
    assert_eq!(run.ends(0).out, "currency,amount,undoneAmount,net\nEUR,25.00,20.00,25.00\nUSD,20.00,0,20.00\n");
}

/// Orders whose lines are not together; of one, a figure is in another currency, and of another, a line.
#[tokio::test]
async fn orders_that_do_not_add_up_are_found_one_by_one() {
    let one = |kind: &str, amount: &str| json!({"type": kind, "amount": amount, "currency": "EUR", "text": null});
    let line = |order: &str, day: &str, total: &str, status: &str, of_line: Value, of_order: Value, of_all: Value| {
        json!({"id": format!("{order}{total}{status}"), "connectionId": "c", "retailerName": "Shop", "orderId": order,
            "orderDate": format!("2026-03-{day}T12:00:00Z"), "quantity": 1, "lineTotal": total, "currency": "EUR",
            "shipmentStatus": status, "orderTotal": of_all, "lineAdjustments": of_line, "orderAdjustments": of_order})
    };
    let mut included = one("tax", "3.99");
    included["included"] = json!(true);
    let first = json!([one("shipping", "4.90"), included, one("payment", "40.00"), one("refund", "-9.00")]);
    let mut foreign = one("fee", "1.00");
    foreign["currency"] = json!("CHF");
    let mut in_dollars = line("7", "01", "3.00", "delivered", json!([]), json!([]), json!("8.00"));
    in_dollars["currency"] = json!("USD");
    let lines = vec![
        line("1", "04", "30.00", "delivered", json!([one("discount", "-5.00")]), first.clone(), json!("49.90")),
        line("2", "03", "12.50", "delivered", json!([]), json!([one("shipping", "2.00")]), json!("15.50")),
        line("1", "04", "20.00", "returned", json!([]), first, json!("49.90")),
        // What was cancelled is not in this total, and is in that one.
        line("3", "02", "10.00", "delivered", json!([]), json!([]), json!("10.00")),
        line("3", "02", "8.00", "cancelled", json!([]), json!([]), json!("10.00")),
        line("4", "02", "8.00", "cancelled", json!([]), json!([]), json!("8.00")),
        line("5", "01", "8.00", "delivered", json!([]), json!([]), Value::Null),
        line("6", "01", "8.00", "delivered", json!([]), json!([foreign]), json!("9.00")),
        line("7", "01", "5.00", "delivered", json!([]), json!([]), json!("8.00")),
        in_dollars,
    ];
    let (_home, all) = run(lines.clone(), &["orders", "summary", "--by", "order", "-o", "jsonl"]).await;
    let row = |order: &str, day: &str, items: u64, figures: [&str; 4]| {
        let [lines, beside, total, difference] = figures;
        format!(
            r#"{{"orderId":"{order}","retailerName":"Shop","orderDate":"2026-03-{day}T12:00:00Z","currency":"EUR","items":{items},"lines":{lines},"figures":{beside},"orderTotal":{total},"difference":{difference}}}"#
        )
    };
    let expected = [
        row("1", "04", 2, ["50.00", "-0.10", "49.90", "0"]),
        row("2", "03", 1, ["12.50", "2.00", "15.50", "1.00"]),
        row("3", "02", 2, ["18.00", "0", "10.00", "0"]),
        row("4", "02", 1, ["8.00", "0", "8.00", "0"]),
        row("5", "01", 1, ["8.00", "0", "null", "null"]),
        row("6", "01", 1, ["8.00", "null", "9.00", "null"]),
        row("7", "01", 2, ["null", "null", "8.00", "null"]).replace("\"EUR\"", "null"),
    ];
    assert_eq!(all.ends(0).out.lines().collect::<Vec<_>>(), expected);
    let (_home, net) = run(lines.clone(), &["orders", "summary", "--net"]).await;
    net.ends(0)
        .says("1 order does not add up to its total, so that the net amounts may differ from what was charged")
        .says("ordersync orders summary --by order --check");
    let (_home, checked) = run(lines, &["orders", "summary", "--by", "order", "--check"]).await;
    let checked = checked.ends(0).says("1 of 7 orders does not add up. 3 orders cannot be checked: the total,");
    assert_eq!(
        checked.out,
        "ORDER  DATE        RETAILER  ITEMS      LINES   FIGURES      TOTAL  DIFFERENCE\n\
         2      2026-03-03  Shop          1  12.50 EUR  2.00 EUR  15.50 EUR    1.00 EUR\n"
    );
    Home::new().run(&["orders", "summary", "--check"]).ends(2).says("orders summary --by order --check");
    Home::new().run(&["orders", "summary", "--by", "order", "--net"]).ends(2).says("--by order");
}

/// Orders that were paid in several ways, with a card of which the total is without, with a tip, in part, in another currency; one
/// of which a line was cancelled before it was charged; and some that show no charge.
fn paid() -> Vec<Value> {
    let of = |kind: &str, text: Value, amount: &str, included: bool| json!({"type": kind, "amount": amount, "currency": "EUR", "text": text, "included": included});
    let paid = |method: &str, amount: &str| of("payment", json!(method), amount, false);
    let line = |id: u32, order: u32, total: Value, of_line: Value, of_order: Value| {
        json!({"id": id, "connectionId": "c", "retailerName": "Shop", "orderId": order.to_string(), "currency": "EUR", "quantity": 1,
            "orderDate": format!("2026-03-{order:02}T12:00:00Z"), "lineTotal": "20.00", "orderTotal": total,
            "lineAdjustments": of_line, "orderAdjustments": of_order})
    };
    let refund = of("refund", json!("Visa"), "-5.00", false);
    let card = of("gift_card", json!("Gift card (AB-1)"), "10.00", true);
    let both = json!([paid(" Visa ", "30.00"), card, refund]);
    let mut later = of("payment", Value::Null, "20.000", false);
    later["date"] = json!("2026-04-09T08:00:00Z");
    later["currency"] = Value::Null;
    let lowered = json!([of("gift_card", Value::Null, "-15.00", false), paid("VISA", "5.00")]);
    let tipped = json!([
        of("tip", Value::Null, "3.00", true),
        of("gift_card", json!("Bought"), "10.00", false),
        paid("PayPal", "33.00")
    ]);
    let owed = json!([paid("PayPal", "12.00"), of("other", json!("Balance due"), "8.00", true)]);
    let mut dollars = paid("PayPal", "22.00");
    dollars["currency"] = json!("USD");
    let mut lines = vec![
        line(1, 1, json!("40.00"), json!([]), both.clone()),
        line(2, 2, json!("20.00"), json!([later]), json!([])),
        line(3, 1, json!("40.00"), json!([]), both),
        line(4, 3, json!("20.00"), json!([]), json!([refund])),
        line(5, 4, Value::Null, Value::Null, Value::Null),
        line(6, 5, json!("5.00"), json!([]), lowered),
        line(7, 6, json!("20.00"), json!([]), owed),
        line(8, 7, json!("30.00"), json!([]), tipped),
        line(9, 8, json!("20.00"), json!([]), json!([dollars])),
        line(10, 9, json!("20.00"), json!([]), json!([])),
        line(11, 10, json!("40.00"), json!([]), json!([paid("PayPal", "20.00")])),
        line(12, 10, json!("40.00"), json!([]), json!([paid("PayPal", "20.00")])),
        line(13, 11, Value::Null, json!([]), json!([])),
    ];
    for cancelled in [9, 11] {
        lines[cancelled]["shipmentStatus"] = json!("cancelled");
    }
    lines[6]["currency"] = json!("USD");
    lines[6]["orderAdjustments"][0]["currency"] = json!("USD");
    lines
}

const NOTES: [&str; 3] = [
    "4 orders show no charge, 1 of them a refund.",
    "The charges of 1 order do not add up to its total.",
    "The charges of 1 order cannot be compared to its total.",
];

#[tokio::test]
async fn charges_are_listed_once_each_and_orders_without_one_are_counted() {
    let (_home, run) = run(paid(), &["orders", "summary", "--charges", "-o", "csv"]).await;
    let run = NOTES.iter().fold(run.ends(0), |run, note| run.says(note));
    assert_eq!(
        run.out,
        "chargeDate,orderDate,retailerName,orderId,method,amount,currency\n\
         2026-04-09T08:00:00Z,2026-03-02T12:00:00Z,Shop,2,,20.000,EUR\n\
         ,2026-03-10T12:00:00Z,Shop,10,PayPal,20.00,EUR\n\
         ,2026-03-08T12:00:00Z,Shop,8,PayPal,22.00,USD\n\
         ,2026-03-07T12:00:00Z,Shop,7,PayPal,33.00,EUR\n\
         ,2026-03-06T12:00:00Z,Shop,6,PayPal,12.00,USD\n\
         ,2026-03-05T12:00:00Z,Shop,5,Gift card,15.00,EUR\n\
         ,2026-03-05T12:00:00Z,Shop,5,VISA,5.00,EUR\n\
         ,2026-03-01T12:00:00Z,Shop,1,Visa,30.00,EUR\n\
         ,2026-03-01T12:00:00Z,Shop,1,Gift card,10.00,EUR\n"
    );
    let (_home, table) = self::run(paid(), &["orders", "summary", "--charges"]).await;
    let table = table.ends(0).out;
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows[0], "CHARGED     ORDERED     RETAILER  ORDER  METHOD           AMOUNT");
    assert_eq!(rows[1], "2026-04-09  2026-03-02  Shop      2      (not known)   20.00 EUR");
    assert_eq!(rows[2], "            2026-03-10  Shop      10     PayPal        20.00 EUR");
    assert_eq!(rows[10], "Total                                                 133.00 EUR");
    assert_eq!(rows[11], "Total                                                  34.00 USD");
    let (_home, undated) = self::run(paid().split_off(10), &["orders", "summary", "--charges"]).await;
    undated.ends(0).prints("ORDERED     RETAILER  ORDER  METHOD     AMOUNT").says("1 order shows no charge.");
    let (_home, empty) = self::run(Vec::new(), &["orders", "summary", "--charges", "-o", "json"]).await;
    assert_eq!(empty.ends(0).says("No line items yet.").json(), json!([]));
    let (_home, unreported) = self::run(items(), &["orders", "summary", "--charges"]).await;
    unreported.ends(1).says("This service does not report adjustments.");
    for other in [&["--net"][..], &["--check"], &["--html", "page.html"], &["--by", "order"]] {
        let arguments = [&["orders", "summary", "--charges"][..], other].concat();
        Home::new().run(&arguments).ends(2).says(other[0]).says("--charges");
    }
}

#[tokio::test]
async fn spending_is_grouped_by_how_it_was_paid_and_what_is_not_known_is_said() {
    let (_home, run) = run(paid(), &["orders", "summary", "--by", "payment", "-o", "jsonl"]).await;
    let run = NOTES.iter().fold(run.ends(0), |run, note| run.says(note));
    let run = run.says("1 order is counted, not summed: its total is not known.").says("Refunds are not subtracted");
    let expected = [
        r#"{"group":null,"currency":"EUR","orders":5,"amount":60.00,"unsummedOrders":1}"#,
        r#"{"group":"PayPal","currency":"EUR","orders":2,"amount":53.00,"unsummedOrders":0}"#,
        r#"{"group":"Visa","currency":"EUR","orders":2,"amount":35.00,"unsummedOrders":0}"#,
        r#"{"group":"Gift card","currency":"EUR","orders":2,"amount":25.00,"unsummedOrders":0}"#,
        r#"{"group":"PayPal","currency":"USD","orders":2,"amount":34.00,"unsummedOrders":0}"#,
        r#"{"group":null,"currency":"USD","orders":1,"amount":8.00,"unsummedOrders":0}"#,
    ];
    assert_eq!(run.out.lines().collect::<Vec<_>>(), expected);
    let (_home, table) = self::run(paid(), &["orders", "summary", "--by", "payment"]).await;
    assert_eq!(
        table.ends(0).out,
        "PAYMENT      ORDERS      AMOUNT  NOT SUMMED\n\
         (not known)       5   60.00 EUR           1\n\
         PayPal            2   53.00 EUR\n\
         Visa              2   35.00 EUR\n\
         Gift card         2   25.00 EUR\n\
         PayPal            2   34.00 USD\n\
         (not known)       1    8.00 USD\n\
         Total             9  173.00 EUR           1\n\
         Total             2   42.00 USD\n"
    );
    let (_home, empty) = self::run(Vec::new(), &["orders", "summary", "--by", "payment", "-o", "csv"]).await;
    assert_eq!(empty.ends(0).says("No line items yet.").out, "group,currency,orders,amount,unsummedOrders\n");
    for other in [&["--net"][..], &["--html", "page.html"]] {
        let arguments = [&["orders", "summary", "--by", "payment"][..], other].concat();
        Home::new().run(&arguments).ends(2).says("--by payment");
    }
}

/// The largest group has no name: it is first, and it is drawn.
#[tokio::test]
async fn what_has_no_name_has_a_row_of_its_own_by_its_amount() {
    let line = |id: u32, category: Option<String>, price: u32| {
        json!({"id": id, "orderDate": "2026-03-01T12:00:00Z", "category": category, "quantity": 1, "price": price,
            "currency": "EUR"})
    };
    let mut lines: Vec<Value> = (1..=30).map(|n| line(n, Some(format!("Category {n}")), 100 + n)).collect();
    lines.push(line(31, None, 1));
    let (home, small) =
        run(lines.clone(), &["orders", "summary", "--by", "category", "--html", "page.html", "--jq", ".[-1].group"])
            .await;
    assert_eq!(small.ends(0).out.trim(), "null");
    let page = std::fs::read_to_string(home.path().join("page.html")).expect("the page");
    let card = page.split("By category").nth(1).and_then(|rest| rest.split("</section>").next()).expect("the card");
    assert!(card.contains("(none)") && card.contains("15 more categories"), "{card}");
    assert!(card.contains(r#"width="100.000%""#), "the largest drawn fills its bar: {card}");
    lines.push(line(32, None, 900));
    let (_home, large) = run(lines, &["orders", "summary", "--by", "category", "--jq", ".[0].group"]).await;
    assert_eq!(large.ends(0).out.trim(), "null");
}

#[tokio::test]
async fn a_name_is_one_group_in_each_way_of_writing_its_accents() {
    let line = |id: u32, name: &str| {
        let paid = json!([{"type": "payment", "amount": "1.50", "currency": "EUR", "text": name}]);
        json!({"id": id, "connectionId": "c", "orderId": id.to_string(), "orderDate": "2026-03-01T12:00:00Z", "quantity": 1,
            "price": "1.50", "brandName": name, "retailerName": name, "category": name, "currency": "EUR",
            "lineAdjustments": [], "orderAdjustments": paid})
    };
    let lines = vec![line(1, "Cafe\u{301}"), line(2, "Caf\u{e9}")];
    for by in ["brand", "retailer", "category", "payment"] {
        let server = serving(lines.clone()).await;
        let arguments = ["orders", "summary", "--by", by, "-o", "json"];
        let groups = Home::new().run_at(&server.uri(), &arguments).ends(0).json();
        let [one] = groups.as_array().expect("groups").as_slice() else { panic!("{groups}") };
        assert_eq!([&one["group"], &one["amount"]].map(Value::to_string), ["\"Caf\u{e9}\"", "3.00"], "{by}");
    }
}

#[tokio::test]
async fn a_pipe_gets_a_table_without_bars_and_text_from_outside_cannot_drive_the_terminal() {
    let (_home, run) = run(items(), &["orders", "summary", "--by", "brand", "--color", "always"]).await;
    let run = run.ends(0);
    assert!(run.out.contains("B[2J") && !run.out.contains("\u{1b}[2J") && !run.out.contains('█'), "{:?}", run.out);
    assert!(run.out.contains("Total") && run.out.contains("0.60 EUR") && run.out.contains("1800"), "{}", run.out);
}

/// A narrow terminal loses the number of items before the money that was not spent.
#[tokio::test]
async fn a_narrow_terminal_leaves_items_out_before_what_was_not_spent_and_says_if_that_is_left_out() {
    use super::pty::{ends_restored, start_in_shell};

    let server = serving(items()).await;
    let (home, address) = (Home::new(), server.uri());
    let shown = |columns: &str| {
        let environment =
            [("ORDERSYNC_BASE_URL", address.as_str()), ("ORDERSYNC_TOKEN", "t"), ("COLS", columns), ("NO_COLOR", "1")];
        let said = ends_restored(start_in_shell(&home, &["orders", "summary"], &environment), 0);
        let note =
            said.split_whitespace().collect::<Vec<_>>().join(" ").contains("too narrow for the column NOT SPENT.");
        (["ITEMS", "AMOUNT", "  NOT SPENT"].map(|title| said.contains(title)), note)
    };
    assert_eq!(shown("60"), ([true, true, true], false));
    assert_eq!(shown("36"), ([false, true, true], false));
    assert_eq!(shown("28"), ([false, true, false], true));
}

#[tokio::test]
async fn the_fields_and_the_filter_are_those_of_every_list() {
    let (_home, fields) = run(items(), &["orders", "summary", "--fields", "group,amount", "-o", "csv"]).await;
    assert_eq!(fields.ends(0).out, "group,amount\n2026-02,0\n2026-03,0.60\n2026-02,1800\n");
    let (_home, filtered) = run(items(), &["orders", "summary", "--by", "retailer", "--jq", ".[0].group"]).await;
    assert_eq!(filtered.ends(0).out.trim(), "null");
    // Only flags that were given can be left out.
    let arguments: [(&[&str], &str); 2] = [
        (&["orders", "summary", "--since", "2020-01-01"], "--since"),
        (&["orders", "summary", "--since", "2020-01-01", "--until", "2020-02-01"], "--since or --until"),
    ];
    for (arguments, flags) in arguments {
        let (_home, none) = run(Vec::new(), arguments).await;
        none.ends(0).says(&format!("No line items match. Leave out {flags} to see more."));
    }
    let (_home, empty) = run(Vec::new(), &["orders", "summary", "-o", "json"]).await;
    assert_eq!(empty.ends(0).says("No line items yet.").says("Next: ordersync connect").out.trim(), "[]");
}

/// Two orders of which one has no date.
#[test]
fn items_without_a_date_are_in_no_period_and_are_counted() {
    let home = Home::new();
    let case = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/own_history/cases/play-order-history/in/Takeout/Google Play Store/Order History.json"
    );
    let text = std::fs::read_to_string(case).expect("text");
    let mut orders: Value = serde_json::from_str(&text).expect("json");
    let mut undated = orders[0].clone();
    undated["orderHistory"]["orderId"] = json!("GPA.0000-0000-0000-00002");
    undated["orderHistory"]["creationTime"] = json!("");
    orders.as_array_mut().expect("orders").push(undated);
    std::fs::write(home.path().join("Order History.json"), orders.to_string()).expect("written");
    home.run(&["import", "Order History.json", "--currency", "USD"]).ends(0);
    let note = "1 item without a date is left out.";
    let of_period = |arguments: &[&str]| home.run(arguments).ends(0).says(note);
    let all = home.run(&["orders", "summary"]).ends(0);
    assert!(all.out.contains("(none)") && !all.err.contains(note), "{}{}", all.out, all.err);
    of_period(&["orders", "summary", "--since", "2025", "-r", "Google Play", "--html", "page.html"]);
    let page = std::fs::read_to_string(home.path().join("page.html")).expect("the page");
    assert!(page.contains(note), "{page}");
    of_period(&["orders", "summary", "--until", "2025"]).says("No line items match.");
    of_period(&["orders", "summary", "--since", "2025", "--by", "order"]);
    of_period(&["orders", "summary", "--since", "2025", "--by", "payment"]);
    of_period(&["orders", "export", "--since", "2025", "--out", "orders.csv"]).says("Wrote 1 item");
    of_period(&["orders", "list", "--since", "2025"]);
    of_period(&["orders", "list", "--until", "2027", "--search", "a", "-o", "json"]);
    let exported = of_period(&["orders", "export", "--until", "2027"]);
    assert_eq!(exported.out.lines().count(), 2, "{}", exported.out);
    let uncounted = home.run(&["orders", "export", "--since", "2025", "--ignore-count"]).ends(0);
    assert!(!uncounted.err.contains("without a date"), "{}", uncounted.err);
}

#[tokio::test]
async fn a_service_that_cannot_count_items_without_a_date_is_no_reason_to_hide_them() {
    let server = MockServer::start().await;
    let refused =
        ResponseTemplate::new(400).set_body_json(json!({"code": "INVALID_REQUEST", "message": "No such year"}));
    let first_year = query_param("start_date", "0001-01-01T00:00:00Z");
    Mock::given(path("/sync/orders")).and(first_year).respond_with(refused).with_priority(1).mount(&server).await;
    let answer = ResponseTemplate::new(200).insert_header("x-total-count", "6").set_body_json(items());
    Mock::given(path("/sync/orders")).respond_with(answer).mount(&server).await;
    let run = Home::new().run_at(&server.uri(), &["orders", "summary", "--since", "2026"]).ends(0);
    run.says("Items without a date are left out. Their number is not known: ").says("No such year");
}

#[tokio::test]
async fn a_page_is_written_whole_beside_the_result_or_to_standard_output() {
    let (home, run_) = run(items(), &["orders", "summary", "--html", "page.html", "-o", "json"]).await;
    assert_eq!(run_.ends(0).says("Wrote page.html").json().as_array().map(Vec::len), Some(3));
    let page = std::fs::read_to_string(home.path().join("page.html")).expect("the page");
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("By brand") && page.contains("Figures by month in EUR")
    );
    let (_home, printed) = run(items(), &["orders", "summary", "--html", "-"]).await;
    assert!(printed.ends(0).out.starts_with("<!DOCTYPE html>"));
    let (_home, folder) = run(items(), &["orders", "summary", "--html", "."]).await;
    folder.ends(2).says("Name a file.");
    let broken = vec![json!({"id": "i7", "price": "12,50", "quantity": 1, "currency": "EUR"})];
    let (home, failed) = run(broken, &["orders", "summary", "--html", "page.html"]).await;
    failed.ends(1).says("i7");
    let left = std::fs::read_dir(home.path()).expect("folder").count();
    assert_eq!(left, 0, "nothing of a page that failed");
}

#[test]
fn a_terminal_has_bars_unless_it_is_read_out() {
    use super::pty::{ends, start};

    let home = Home::connected("user_good", 0);
    let seen = ends(start(&home, &["orders", "summary", "--by", "category", "--color", "never"]), 0);
    assert!(seen.contains("CATEGORY") && seen.contains('█') && seen.contains("Total"), "{seen}");
    let seen = ends(start(&home, &["orders", "summary", "--accessible"]), 0);
    assert!(seen.contains("MONTH") && !seen.contains('█'), "{seen}");
}
