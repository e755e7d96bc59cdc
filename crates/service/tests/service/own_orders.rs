//! The pages of the user's own orders, as a program reads them: what is found, what is said to be missing, and that nobody sees
//! another user's.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::harness::{User, World};
use crate::pages::{Browser, between, policy};

const PHONE: &str = "+15550103";

fn order(id: &str, date: Option<&str>, total: &str, currency: &str, titles: &[&str]) -> Value {
    let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let items: Vec<Value> = titles
        .iter()
        .enumerate()
        .map(|(index, title)| {
            json!({ "retailerSku": format!("SKU-{id}-{index}"), "itemName": title, "quantity": 1, "price": number(total),
                "lineTotal": number(total) })
        })
        .collect();
    json!({ "orderId": id, "orderDate": date, "orderTotal": number(total), "currency": currency, "items": items })
}

async fn import(user: &User, retailer: &str, orders: &[Value]) {
    for orders in orders.chunks(500) {
        let body = json!({ "retailerName": retailer, "source": "test-file", "orders": orders });
        assert_eq!(user.post("/sync/imports", &body).await.status(), 200);
    }
}

/// A browser of user 3, on a page of the orders after the sign-in that it asks for.
async fn signed_in(world: &World, path: &str) -> (Browser, String) {
    let browser = Browser::new(world);
    let page = browser.get(path).await.text().await.unwrap();
    assert!(page.contains("to see your orders"), "{page}");
    let orders = browser.sign_in(&page, PHONE, path).await;
    assert_eq!(orders.status(), 200);
    assert!(policy(&orders).contains("default-src 'none'"));
    let text = orders.text().await.unwrap();
    (browser, text)
}

/// The orders that a page lists, by their numbers.
fn listed(page: &str) -> Vec<&str> {
    page.split("\">Order ").skip(1).filter_map(|rest| rest.split("</a>").next()).collect()
}

async fn found(browser: &Browser, query: &str) -> Vec<String> {
    let page = browser.get(&format!("/account/orders?{query}")).await;
    assert_eq!(page.status(), 200, "{query}");
    listed(&page.text().await.unwrap()).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn orders_are_found_by_everything_that_the_form_asks_for() {
    let (world, [user, _]) = World::with_users([3, 4]).await;
    let orders = [
        order("A-1", Some("2026-01-05T12:00:00Z"), "10.00", "EUR", &["Teekanne Größe 3", "Sieve"]),
        order("A-2", Some("2026-02-28T23:59:59Z"), "100.00", "EUR", &["Kettle 100% steel_x"]),
        order("A-3", Some("2026-03-01T00:00:00Z"), "1000.01", "USD", &["Lamp"]),
        order("A-4", None, "5", "EUR", &["Cup"]),
    ];
    import(&user, "tea.example", &orders).await;
    import(&user, "lamps.example", &[order("B-1", Some("2026-02-01T12:00:00Z"), "7.00", "EUR", &["Bulb"])]).await;
    let (browser, page) = signed_in(&world, "/account/orders").await;
    assert_eq!(listed(&page), ["A-3", "A-2", "B-1", "A-1", "A-4"]);
    assert!(page.contains("1,000.01 USD") && page.contains("lamps.example</bdi>: from files"), "{page}");

    for (query, numbers) in [
        ("q=GR%C3%96%C3%9FE", vec!["A-1"]),
        ("q=3+teekanne", vec!["A-1"]),
        ("q=sku-a-3", vec!["A-3"]),
        ("q=b-1", vec!["B-1"]),
        ("q=100%25+steel_", vec!["A-2"]),
        // A percent sign and an underscore are signs like others.
        ("q=s%25p", vec![]),
        ("q=stee_", vec![]),
        ("from=2026-02-01&to=2026-02-28", vec!["A-2", "B-1"]),
        ("to=2026-01-05", vec!["A-1"]),
        ("from=2026-03-01", vec!["A-3"]),
        ("min=10&max=100.0", vec!["A-2", "A-1"]),
        ("min=1000.001", vec!["A-3"]),
        ("currency=usd", vec!["A-3"]),
        ("status=cancelled", vec![]),
        ("q=kettle&currency=USD", vec![]),
    ] {
        assert_eq!(found(&browser, query).await, numbers, "{query}");
    }
    let retailer = page.split("\">lamps.example</option>").next().unwrap().rsplit('"').next().unwrap();
    assert_eq!(found(&browser, &format!("retailer={retailer}")).await, ["B-1"]);

    for (query, why) in [
        ("from=31.3.2026", "Write the day like"),
        ("from=2026-03-02&to=2026-03-01", "before the first"),
        ("min=1%2C000", "Write the amount like"),
        ("min=2&max=1", "less than the smallest"),
        ("retailer=4711", "no orders of this retailer"),
        ("status=lost", "Choose one of the list"),
    ] {
        let page = browser.get(&format!("/account/orders?{query}")).await;
        assert_eq!(page.status(), 422, "{query}");
        let page = page.text().await.unwrap();
        assert!(page.contains(why) && page.contains("aria-invalid=\"true\"") && listed(&page).is_empty(), "{page}");
    }
}

#[tokio::test]
async fn a_search_finds_what_is_far_down_whatever_its_letters_are() {
    let (world, [user]) = World::with_users([3]).await;
    let newer = Some("2026-01-05T12:00:00Z");
    let many: Vec<Value> = (0..600).map(|number| order(&format!("N{number}"), newer, "1", "EUR", &["Cup"])).collect();
    import(&user, "tea.example", &many).await;
    let titles = [
        "Lamp 2700\u{212a}elvin",
        "Kettle",
        "İSTANBUL Tee",
        "GRÖSSE Größe",
        "茶壺 Oolong",
        "Чайник",
        "say \"Hello\" \\ 100%_x",
        "ΟΔΟΣ",
        "Straße",
    ];
    // Older than all of these, and in two connections.
    for (place, title) in titles.iter().enumerate() {
        let shop = if place % 2 == 0 { "tea.example" } else { "lamps.example" };
        import(&user, shop, &[order(&format!("X-{place}"), Some("2020-01-05T12:00:00Z"), "1", "EUR", &[title])]).await;
    }
    let undated = order("X-9", None, "1", "EUR", &["Kettle, the last"]);
    import(&user, "lamps.example", &[undated]).await;
    let (browser, _) = signed_in(&world, "/account/orders").await;
    for query in [
        "kelvin",
        "2700K",
        "kettle",
        "KETTLE LAST",
        "i\u{307}stanbul",
        "istanbul",
        "tee",
        "größe",
        "GRÖSSE",
        "GRÖßE",
        "茶壺",
        "茶",
        "oolong 壺",
        "чайник",
        "ЧАЙ",
        "say hello",
        "\"hello\"",
        "\\",
        "100%_",
        "100_x",
        "%",
        "οδος",
        "οδοσ",
        "straße",
        "STRASSE",
        "sku-x-4",
        "x-5",
        "itemname",
        "csv",
        "zz",
    ] {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let texts = |id: &str, title: &str| [id, title, &format!("SKU-{id}-0")].map(str::to_lowercase);
        let all = titles.iter().enumerate().map(|(place, title)| (format!("X-{place}"), *title));
        let mut expected: Vec<String> = all
            .chain([("X-9".to_owned(), "Kettle, the last")])
            .filter(|(id, title)| words.iter().all(|word| texts(id, title).iter().any(|text| text.contains(word))))
            .map(|(id, _)| id)
            .collect();
        let parameter = url::form_urlencoded::byte_serialize(query.as_bytes()).collect::<String>();
        let mut orders = found(&browser, &format!("q={parameter}")).await;
        let file = browser.get(&format!("/account/orders/download?q={parameter}")).await.text().await.unwrap();
        let mut lines: Vec<String> =
            file.lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_owned()).collect();
        for list in [&mut expected, &mut orders, &mut lines] {
            list.sort_unstable();
        }
        assert_eq!((&orders, &lines), (&expected, &expected), "{query}");
    }
}

#[tokio::test]
async fn every_order_is_on_exactly_one_page_whatever_their_dates() {
    let (world, [user]) = World::with_users([3]).await;
    // Many of one moment, and many without a date; each with two lines, which are mixed with those of others.
    let date = |number: usize| match number % 3 {
        0 => Some("2026-01-05T12:00:00Z".to_owned()),
        1 => Some(format!("2026-01-{:02}T12:00:00Z", number % 28 + 1)),
        _ => None,
    };
    let orders: Vec<Value> = (0..260)
        .map(|number| order(&format!("N{number}"), date(number).as_deref(), "1", "EUR", &["One", "Two"]))
        .collect();
    import(&user, "tea.example", &orders).await;
    let (browser, mut page) = signed_in(&world, "/account/orders?q=two").await;
    let mut all: Vec<String> = Vec::new();
    loop {
        all.extend(listed(&page).into_iter().map(str::to_owned));
        if !page.contains("rel=\"next\"") {
            break;
        }
        let next = page.split("rel=\"next\"").next().unwrap().rsplit("href=\"").next().unwrap();
        let next = next.split('"').next().unwrap().replace("&amp;", "&");
        page = browser.get(&next).await.text().await.unwrap();
    }
    assert_eq!(all.len(), 260);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 260);
}

#[tokio::test]
async fn nobody_sees_the_orders_of_another_user() {
    let (world, [user, other]) = World::with_users([3, 4]).await;
    import(&user, "tea.example", &[order("MINE", None, "1", "EUR", &["Tea"])]).await;
    import(
        &other,
        "tea.example",
        &[order("HERS", None, "1", "EUR", &["Tea"]), order("HERS-2", None, "1", "EUR", &["Tea"])],
    )
    .await;
    import(&other, "lamps.example", &[order("HERS-3", None, "1", "EUR", &["Lamp"])]).await;
    let (browser, page) = signed_in(&world, "/account/orders?q=tea").await;
    assert_eq!(listed(&page), ["MINE"]);
    let own = browser.get("/account/orders/1-1").await.text().await.unwrap();
    assert!(own.contains("MINE"), "{own}");
    for order in ["1-2", "2-1", "1-0", "0-1", "-1-1", "1", "", "1-99999999999", "1-1-1", "a-b"] {
        let page = browser.get(&format!("/account/orders/{order}")).await;
        assert_eq!(page.status(), 404, "{order}");
        assert!(!page.text().await.unwrap().contains("HERS"), "{order}");
    }
    // Nobody is signed in.
    let stranger = Browser::new(&world);
    for path in ["/account/orders", "/account/orders?q=tea", "/account/orders/1-1"] {
        let page = stranger.get(path).await.text().await.unwrap();
        assert!(page.contains("Phone number") && !page.contains("MINE"), "{page}");
    }
}

#[tokio::test]
async fn an_order_shows_all_that_is_known_and_nothing_of_it_is_html() {
    let (world, [user]) = World::with_users([3]).await;
    let long = "Very long ".repeat(200);
    let hostile = "<script>alert(1)</script>\" onload=x &amp;";
    let mut one =
        order("<b>N-1</b>", Some("2026-03-05T17:04:11Z"), "12.50", "EUR", &[hostile, &long, "\u{202e}esrever"]);
    one["orderTotal"] = serde_json::from_str("42.49").unwrap();
    one["items"][0]["seller"] = json!("Tea & Co");
    one["adjustments"] = json!([
        { "type": "payment", "amount": 42.49, "currency": "EUR", "text": "Visa" },
        { "type": "shipping", "amount": 4.99, "currency": "EUR", "text": "Post" },
    ]);
    import(&user, "<i>tea</i>", &[one]).await;
    let (browser, list) = signed_in(&world, "/account/orders").await;
    let page = browser.get("/account/orders/1-1").await.text().await.unwrap();
    for text in [&list, &page] {
        assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=x &amp;amp;"), "{text}");
        assert!(!text.contains("<script>") && !text.contains("<b>N-1") && !text.contains("<i>tea"), "{text}");
        assert!(text.contains("<bdi>\u{202e}esrever</bdi>") || text.contains("\u{202e}esrever</bdi>"), "{text}");
    }
    assert!(!list.contains(&*long) && page.contains(long.trim()));
    for part in
        ["12.50 EUR", "4.99 EUR", "Shipping", "Post", "Tea &amp; Co", "test-file", "SKU-", "2026-03-05", "3 lines"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    let place = |text: &str| page.find(text).unwrap();
    assert!(
        place("Shipping") < place("Order total") && place("Order total") < place("Visa"),
        "payments add nothing to it"
    );
}

#[tokio::test]
async fn what_is_missing_is_said_and_why() {
    let (world, [user]) = World::with_users([3]).await;
    let (browser, nothing) = signed_in(&world, "/account/orders").await;
    assert!(nothing.contains("You have no orders here yet"), "{nothing}");
    user.connected(12, "user_items_3").await;
    let whole = browser.get("/account/orders").await.text().await.unwrap();
    assert!(whole.contains("complete as of the sync on") && !whole.contains("Orders may be missing"), "{whole}");
    let connection = user.get_json("/sync/connections").await[0]["connectionId"].as_str().unwrap().to_owned();
    user.post("/sandbox/break", &json!({ "connectionId": connection })).await;
    let broken = browser.get("/account/orders").await.text().await.unwrap();
    assert!(broken.contains("Orders may be missing") && broken.contains("has to be repaired"), "{broken}");
    let first = broken.split("\">Order ").next().unwrap().rsplit("href=\"").next().unwrap();
    let order = browser.get(first).await.text().await.unwrap();
    assert!(order.contains("may be out of date"), "{order}");
}

#[tokio::test]
async fn what_was_spent_is_exact_and_currencies_are_never_added() {
    let (world, [user]) = World::with_users([3]).await;
    let mut cancelled = order("C", Some("2026-02-01T12:00:00Z"), "1000", "EUR", &["Sofa"]);
    cancelled["items"][0]["shipmentStatus"] = json!("cancelled");
    let mut unknown = order("U", Some("2026-02-01T12:00:00Z"), "5", "EUR", &["Gift"]);
    for figure in ["price", "lineTotal"] {
        unknown["items"][0].as_object_mut().unwrap().remove(figure);
    }
    let mut tea = order("T", Some("2026-12-31T23:59:59Z"), "0.10", "EUR", &["Tea", "<b>Tin</b>"]);
    tea["items"][0]["category"] = json!("<i>Tea</i>");
    let orders = [
        tea,
        order("E", Some("2025-01-01T00:00:00Z"), "0.20", "EUR", &["Cup"]),
        order("D", Some("2026-03-01T12:00:00Z"), "7", "USD", &["Lamp"]),
        order("X", Some("2024-12-31T23:59:59Z"), "99", "EUR", &["Old"]),
        order("N", None, "3", "EUR", &["Undated"]),
        cancelled,
        unknown,
    ];
    import(&user, "tea.example", &orders).await;
    let (browser, page) = signed_in(&world, "/account/orders/charts").await;
    assert!(page.contains("What you spent in 2026 and 2025"), "{page}");
    for part in [
        "<strong>0.20 EUR</strong> in 2026, 0.20 EUR in 2025.",
        "<strong>7.00 USD</strong> in 2026, 0.00 USD in 2025.",
        "Left out: 1 cancelled, returned, refunded or unpaid.",
        "1 line is in no sum: what it cost is not known.",
        "1 line is in no sum: the order has no date.",
        "&lt;i&gt;Tea&lt;/i&gt;",
        "year=2025",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("1,000") && !page.contains("99.00") && !page.contains("<i>Tea"), "{page}");
    let before = browser.get("/account/orders/charts?year=2025").await.text().await.unwrap();
    assert!(before.contains("<strong>0.20 EUR</strong> in 2025, 99.00 EUR in 2024."), "{before}");
    for wrong in ["year=0", "year=x", "year=99999", "retailer=4711"] {
        assert_eq!(browser.get(&format!("/account/orders/charts?{wrong}")).await.status(), 400, "{wrong}");
    }
}

#[tokio::test]
async fn the_download_has_the_lines_that_match_as_the_interface_has_them() {
    let (world, [user, other]) = World::with_users([3, 4]).await;
    let orders: Vec<Value> = (0..1_200)
        .map(|number| order(&format!("N{number}"), None, "1.50", "EUR", &["Tea, \"green\"", "Cup"]))
        .collect();
    import(&user, "tea.example", &orders).await;
    import(&other, "tea.example", &[order("HERS", None, "1", "EUR", &["Tea"])]).await;
    let (browser, _) = signed_in(&world, "/account/orders").await;
    let file = browser.get("/account/orders/download").await;
    assert_eq!(file.headers()["content-type"], "text/csv; charset=utf-8; header=present");
    let file = file.text().await.unwrap();
    let mut listed = String::new();
    for offset in [0, 1_000, 2_000] {
        let page = user.get(&format!("/sync/orders?format=csv&limit=1000&offset={offset}")).await.text().await.unwrap();
        listed.push_str(if offset == 0 { &page } else { page.split_once('\n').unwrap().1 });
    }
    assert_eq!(file, listed);
    let cups = browser.get("/account/orders/download?q=cup+n11").await.text().await.unwrap();
    assert_eq!(cups.lines().count(), 1 + 111);
    assert!(cups.lines().skip(1).all(|line| line.contains("Cup") && line.contains("N11")), "{cups}");
    assert_eq!(browser.get("/account/orders/download?from=x").await.status(), 400);
    let stranger = Browser::new(&world).get("/account/orders/download").await.text().await.unwrap();
    assert!(stranger.contains("Phone number") && !stranger.contains("Tea"), "{stranger}");
}

#[tokio::test]
async fn the_documents_of_an_order_are_saved_and_never_shown() {
    let (world, [user, other]) = World::with_users([3, 4]).await;
    for user in [&user, &other] {
        import(
            user,
            "tea.example",
            &[order("N-1", None, "1", "EUR", &["Tea"]), order("N-2", None, "1", "EUR", &["Cup"])],
        )
        .await;
    }
    let item = |items: &Value| items.as_array().unwrap().iter().find(|item| item["orderId"] == "N-1").unwrap().clone();
    let hers = other.kept_document(&item(&other.get_json("/sync/orders").await)).await;
    let connection = item(&user.get_json("/sync/orders").await)["connectionId"].clone();
    // Longer than a block of the store.
    let html = format!("<script>alert(1)</script>{}", "x".repeat(70_000));
    let name = "<b>Müßig\u{202e}</b> \"1\".html";
    let document =
        json!({ "orderId": "N-1", "name": name, "mediaType": "text/html; <i>", "content": STANDARD.encode(&html) });
    let body = json!({ "connectionId": connection, "documents": [document] });
    assert_eq!(user.post("/sync/documents", &body).await.status(), 200);

    let (browser, list) = signed_in(&world, "/account/orders").await;
    let page_of = |number: &str| {
        list.split(&format!("\">Order {number}<")).next().unwrap().rsplit('"').next().unwrap().to_owned()
    };
    let page = browser.get(&page_of("N-1")).await.text().await.unwrap();
    let shown = between(&page, "id=\"documents\"", "</section>");
    assert!(shown.contains("&lt;b&gt;Müßig\u{202e}&lt;/b&gt; &quot;1&quot;.html</bdi>"), "{shown}");
    assert!(shown.contains("text/html; &lt;i&gt;, 69 KiB, added on "), "{shown}");
    assert!(!browser.get(&page_of("N-2")).await.text().await.unwrap().contains("id=\"documents\""));
    let path = between(shown, "href=\"", "\"");
    let file = browser.get(path).await;
    assert_eq!(file.status(), 200);
    for (header, value) in [
        (
            "content-disposition",
            "attachment; filename=\"_b_M__ig__b_ _1_.html\"; filename*=UTF-8''_b_M%C3%BC%C3%9Fig__b_%20_1_.html",
        ),
        ("content-type", "application/octet-stream"),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "default-src 'none'; sandbox"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(file.headers()[header], value);
    }
    assert_eq!(file.text().await.unwrap(), html);

    // Another user's differs in nothing from one that does not exist.
    let nobodys = hers.chars().map(|letter| if letter.is_ascii_digit() { '7' } else { letter }).collect();
    let mut answers = Vec::new();
    for id in [&hers, &nobodys] {
        let answer = browser.get(&format!("/account/orders/documents/{id}")).await;
        assert_eq!(answer.status(), 404);
        let request = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
        answers.push(answer.text().await.unwrap().replace(id.as_str(), "ID").replace(&request, "REQUEST"));
    }
    assert_eq!(answers[0], answers[1]);
    let stranger = Browser::new(&world).get(path).await.text().await.unwrap();
    assert!(stranger.contains("Phone number") && !stranger.contains("alert"), "{stranger}");
}

#[tokio::test]
async fn a_filter_takes_what_it_names_and_nothing_that_it_does_not_know() {
    let (world, [user]) = World::with_users([3]).await;
    let mut named = order("NUM-77", Some("2026-01-05T12:00:00Z"), "10", "EUR", &["Tea", "Sieve"]);
    named["items"][0]["retailerSku"] = json!("Z-1");
    named["items"][1]["retailerSku"] = json!(null);
    named["items"][0]["shipmentStatus"] = json!("delivered");
    named["items"][1]["shipmentStatus"] = json!("cancelled");
    let mut without_total = order("NO-TOTAL", Some("2026-01-04T12:00:00Z"), "10", "EUR", &["Cup"]);
    without_total["orderTotal"] = json!(null);
    without_total["currency"] = json!(null);
    without_total["mismatch"] = json!([{ "check": "order_total", "shown": 10, "computed": 11 }]);
    import(&user, "tea.example", &[named, without_total]).await;
    let (browser, page) = signed_in(&world, "/account/orders").await;
    assert!(page.contains("tea.example</strong>: 1 order has figures that do not agree"), "{page}");
    for (query, numbers) in [
        ("q=num-77", vec!["NUM-77"]),
        ("q=z-1", vec!["NUM-77"]),
        // Each word is in the title or the SKU of the same line, or in the number of the order.
        ("q=tea+z-1+77", vec!["NUM-77"]),
        ("q=sieve+z-1", vec![]),
        ("status=delivered", vec!["NUM-77"]),
        ("status=cancelled", vec!["NUM-77"]),
        ("status=shipped", vec![]),
        ("q=sieve&status=delivered", vec![]),
        ("min=0", vec!["NUM-77"]),
        ("max=1000", vec!["NUM-77"]),
        ("max=9.99", vec![]),
        ("currency=EUR", vec!["NUM-77"]),
        ("min=&q=+", vec!["NUM-77", "NO-TOTAL"]),
    ] {
        assert_eq!(found(&browser, query).await, numbers, "{query}");
    }
    let lines = browser.get("/account/orders/download?status=cancelled").await.text().await.unwrap();
    assert!(lines.lines().count() == 2 && lines.contains("Sieve"), "{lines}");
}

/// The amounts of a row of a chart's table.
fn amounts<'a>(page: &'a str, table: &str, row: &str) -> Vec<&'a str> {
    let table = between(page, &format!("<caption>{table}</caption>"), "</table>");
    let cells = between(table, &format!(">{row}<"), "</tr>");
    cells.split("<td>").skip(1).filter_map(|cell| cell.split("</td>").next()).collect()
}

#[tokio::test]
async fn a_sum_has_the_month_and_the_category_of_its_orders_and_no_money_that_was_not_spent() {
    let (world, [user, other]) = World::with_users([3, 4]).await;
    let with = |id: &str, date: &str, total: &str, changes: Value| {
        let mut order = order(id, Some(date), total, "EUR", &["Tea"]);
        for (field, value) in changes.as_object().unwrap() {
            order["items"][0][field] = value.clone();
        }
        order
    };
    let mut without_currency = with("W", "2026-02-03T12:00:00Z", "3", json!({}));
    without_currency["currency"] = json!(null);
    let orders = [
        with("J", "2026-01-31T23:59:59Z", "10", json!({ "category": "Tools" })),
        with("F", "2026-02-01T00:00:00Z", "20", json!({ "category": "Tea" })),
        with("B", "2026-02-15T12:00:00Z", "1", json!({ "lineTotal": -5, "price": null })),
        with("R", "2026-02-16T12:00:00Z", "40", json!({ "shipmentStatus": "refunded" })),
        with("P", "2026-02-17T12:00:00Z", "80", json!({ "shipmentStatus": "unpaid" })),
        with("S", "2026-02-18T12:00:00Z", "7", json!({ "quantity": -1 })),
        with("Y", "2025-02-28T23:59:59Z", "4", json!({ "category": "Tea" })),
        without_currency,
    ];
    import(&user, "tea.example", &orders).await;
    import(&user, "lamps.example", &[with("L", "2026-02-10T12:00:00Z", "100", json!({}))]).await;
    import(&other, "tea.example", &[with("HERS", "2026-02-10T12:00:00Z", "1000", json!({}))]).await;
    let (browser, page) = signed_in(&world, "/account/orders/charts").await;
    for part in [
        "<strong>125.00 EUR</strong> in 2026, 4.00 EUR in 2025.",
        "Left out: 2 cancelled, returned, refunded or unpaid.",
        "1 line is in no sum: the currency is not known.",
        "1 line is in no sum: the signs do not say whether it was charged or paid back.",
        "<bdi class=\"break\">lamps.example</bdi>: from files, with everything that they have.",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for (row, expected) in [
        ("Jan", ["10.00", "0.00"]),
        ("Feb", ["115.00", "4.00"]),
        ("Mar", ["0.00", "0.00"]),
        ("Year", ["125.00", "4.00"]),
    ] {
        assert_eq!(amounts(&page, "By month, in EUR", row), expected, "{row}");
    }
    for (row, expected) in
        [("Tools", ["10.00", "0.00"]), ("Tea", ["20.00", "4.00"]), ("Without a category", ["95.00", "0.00"])]
    {
        assert_eq!(amounts(&page, "By category, in EUR", row), expected, "{row}");
    }
    let retailer = page.split("\">lamps.example</option>").next().unwrap().rsplit('"').next().unwrap();
    let lamps = browser.get(&format!("/account/orders/charts?retailer={retailer}")).await.text().await.unwrap();
    assert!(lamps.contains("<strong>100.00 EUR</strong> in 2026, 0.00 EUR in 2025."), "{lamps}");
    let account = browser.get("/account").await.text().await.unwrap();
    assert!(account.contains("From files · ") && !account.contains("No complete sync"), "{account}");
    let stranger = Browser::new(&world).get("/account/orders/charts").await.text().await.unwrap();
    assert!(stranger.contains("Phone number") && !stranger.contains("125.00"), "{stranger}");
}
