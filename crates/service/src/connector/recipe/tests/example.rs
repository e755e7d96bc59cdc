//! The example of the documentation, driven as the engine does it.

use ordersync_api::{Open, ShipmentStatus, SyncErrorCode};

use super::shop::{PASSWORD, Shop, USERNAME};
use super::{configured, example, message, sync, sync_with};
use crate::connector::drive::{Connection, Synced};

#[tokio::test]
async fn the_example_of_the_documentation_reads_a_shop() {
    for count in [0_u32, 1, 9, 10, 11, 20] {
        let synced = sync(&Shop::with(count).await).await.unwrap();
        assert_eq!(synced.orders.len(), count as usize);
        assert!(synced.report.listed_all(), "{count}");
        assert!(synced.orders.iter().all(|order| order.mismatch.is_empty()));
    }
    let order = sync(&Shop::with(1).await).await.unwrap().orders.remove(0);
    assert_eq!((order.order_id.as_str(), order.total.unwrap().to_string().as_str()), ("1001", "35.50"));
    assert_eq!(order.placed_at.unwrap().to_rfc3339(), "2025-02-01T12:00:00+00:00");
    let lines: Vec<String> = order
        .items
        .iter()
        .map(|item| {
            let [quantity, price, total] = [item.quantity, item.unit_price, item.line_total].map(Option::unwrap);
            format!("{} {quantity} {price} {total}", item.title.as_deref().unwrap())
        })
        .collect();
    assert_eq!(lines, ["Lamp, round 3 10.00 30.00", "Pen – blue 1 1.50 1.50"]);
    assert_eq!(order.items[0].shipment_status, Some(Open::Known(ShipmentStatus::Shipped)));
    let adjustments = order.adjustments.unwrap();
    assert_eq!(adjustments.len(), 1);
    assert_eq!(
        (adjustments[0].kind.to_string().as_str(), adjustments[0].amount.to_string().as_str()),
        ("shipping", "4.00")
    );
}

#[tokio::test]
async fn a_password_is_refused_a_code_is_asked_for_and_the_sign_in_remembered() {
    let shop = Shop::with(1).await;
    let connector = configured(&shop.uri(), example(), "").unwrap();
    let refused = Connection::of(USERNAME, "wrong").sync(&*connector, |_| panic!("no code")).await;
    assert_eq!(refused.unwrap_err().code, SyncErrorCode::CredentialsRefused);
    assert_eq!(connector.credential_fields()[0].label, "Email");

    shop.inside().code = Some("123456");
    let recipe = example().replace("[list]", "code_field = \"input[name=code]\"\n\n[list]");
    let connector = configured(&shop.uri(), &recipe, "").unwrap();
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let mut codes = ["000000", "123456"].into_iter();
    let synced = connection.sync(&*connector, |_| codes.next().unwrap().to_owned()).await.unwrap();
    assert_eq!((synced.orders.len(), synced.challenges.len(), synced.wrong_codes), (1, 2, 1));
    let posts = shop.count("POST");
    connection.sync(&*connector, |_| panic!("the sign-in is remembered")).await.unwrap();
    assert_eq!(shop.count("POST"), posts);
}

#[tokio::test]
async fn a_page_may_say_that_an_account_is_locked() {
    let recipe = example().replace("[list]", "refusal = \".error\"\nlocked = [\"is locked\"]\n\n[list]");
    for (message, expected) in [
        ("Your account  is locked.", SyncErrorCode::AccountLocked),
        ("The door is locked up: IS LOCKED.", SyncErrorCode::AccountLocked),
        ("Wrong password. Accounts are not locked.", SyncErrorCode::CredentialsRefused),
    ] {
        let shop = Shop::with(1).await;
        shop.inside().edit =
            Some(Box::new(
                move |path, html| {
                    if path == "/login" { html.replace("Wrong", message) } else { html.to_owned() }
                },
            ));
        let connector = configured(&shop.uri(), &recipe, "").unwrap();
        let refused = Connection::of(USERNAME, "wrong").sync(&*connector, |_| panic!("no code")).await;
        assert_eq!(refused.unwrap_err().code, expected, "{message}");
    }
}

#[tokio::test]
async fn what_the_recipe_does_not_describe_is_never_silent() {
    let mut silent = Vec::new();
    for (from, to) in [
        // The list.
        ("<th>Total</th></tr></thead>", "<th>Sum</th></tr></thead>"),
        ("<th>Date</th>", "<th>Total</th>"),
        ("<td>£35.50</td></tr>", "<td>£35.50</td><td></td></tr>"),
        ("<td>4</td>", "<td>5</td>"),
        ("<td>4</td>", "<td></td>"),
        ("<td>£35.50</td></tr></tbody>", "<td>£36.50</td></tr></tbody>"),
        ("</tbody></table></main>", "</tbody><tr><td>Older orders</td></tr></table></main>"),
        ("</tbody></table></main>", "</tbody></table><a href='/orders/999'>One more</a></main>"),
        ("</tbody></table></main>", "</tbody></table><script>load('/orders/999')</script></main>"),
        ("table class='orders'", "table class='history'"),
        ("</tbody></table></main>", "</tbody></table><p>3 orders</p></main>"),
        ("</tbody></table></main>", "</tbody></table><p>Showing 1 of 12</p></main>"),
        ("</tbody></table></main>", "</tbody></table><a href='/orders/?page=3'>3</a></main>"),
        ("</tbody></table></main>", "</tbody></table><a href='/orders/archive'>Archive</a></main>"),
        ("</tbody></table></main>", "</tbody></table><button>Load more</button></main>"),
        (
            "</tbody></table></main>",
            "</tbody></table><select name='year'><option value='2025'>2025</option><option value='2024'>2024</option></select></main>",
        ),
        ("</tbody></table></main>", "</tbody></table><a href='/orders/?show=all'>All</a></main>"),
        ("</tbody></table></main>", "</tbody></table><i data-cursor='x'></i></main>"),
        ("1 February 2025", "02/01/2025"),
        ("No. 1001", "No. 1001 (old)"),
        ("No. 1001", "No. 1001 No. 1002"),
        ("href='/orders/1001'", "href='https://else.example/orders/1001'"),
        ("href='/orders/1001'", "href='/orders/1001?as=other'"),
        ("There are no more orders", "Hello"),
        ("</body></html>", ""),
        // The page of an order.
        ("<h1>Order 1001</h1>", "<h1>Order 1002</h1>"),
        ("<h1>Order 1001</h1>", "<h1>Order 1001</h1><h1>Order 1002</h1>"),
        ("<strong>on its way</strong>", "<strong>on its way</strong> <strong>lost</strong>"),
        ("<th>Price</th><th>Quantity</th>", "<th>Quantity</th><th>Price</th>"),
        ("<th>Article</th>", "<th>Thing</th>"),
        ("<td>3</td>", "<td>2</td>"),
        ("<td>3</td>", "<td>three</td>"),
        ("<td>3</td>", "<td>0</td>"),
        ("<td>3</td>", "<td><del>3</del> <ins>2</ins></td>"),
        ("£30.00", "£31.00"),
        ("£30.00", "30.00 CHF"),
        ("£30.00", "<del>£40.00</del> <ins>£30.00</ins>"),
        ("£30.00", "£30.00 £30.00"),
        ("£10.00", ""),
        ("Lamp, round</a>", "Lamp, round</a> <a href='/p/2'>Other</a>"),
        ("Lamp, round</a>", "Lamp, round</a> and more"),
        ("<a href='/p/1'>Lamp, round</a>", ""),
        ("<a href='/p/1'>Lamp, round</a>", "<a href='/p/1' title='Lamp, round and white'>Lamp, round…</a>"),
        (
            "</tbody></table><table class='sums'>",
            "<tr><td colspan='4'>Gift</td></tr></tbody></table><table class='sums'>",
        ),
        ("</tbody></table><table class='sums'>", "</tbody></table><table class='lines'></table><table class='sums'>"),
        ("<th>Subtotal</th>", "<th>Sub</th><th>total</th>"),
        ("<tr><th>Subtotal</th><td>£31.50</td></tr>", ""),
        ("<tr><th>Delivery</th><td>£4.00</td></tr>", ""),
        ("<th>Total</th><td>£35.50</td>", "<th>Total</th><td>£36.50</td>"),
        ("<th>Delivery</th>", "<th>VAT</th>"),
        (
            "<tr><th>Total</th><td>£35.50</td></tr></table>",
            "<tr><th>Total</th><td>£35.50</td></tr></table><table class='sums'></table>",
        ),
    ] {
        let recipe = example().replace("[words.labels]", "[words.labels]\ntax = [\"vat\"]");
        let code = sync_with(&Shop::changed(1, from, to).await, &recipe, "").await.err().map(|error| error.code);
        let expected =
            [SyncErrorCode::RetailerIncomplete, SyncErrorCode::RetailerChanged, SyncErrorCode::RetailerMisconfigured];
        if !code.is_some_and(|code| expected.contains(&code)) {
            silent.push(format!("{from} -> {to}: {code:?}"));
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[tokio::test]
async fn an_amount_in_another_table_of_the_order_fails_unless_the_sums_are_whole_or_the_recipe_knows_it() {
    let beside = |more: &'static str| async move {
        let shop = Shop::with(1).await;
        shop.inside().edit = Some(Box::new(move |path, html| match path {
            // One figure is not a part of the sum.
            "/orders/1001" => html
                .replace("<table class='sums'>", &format!("{more}<table class='sums'>"))
                .replace("<td>£4.00</td>", "<td>£5.00</td>"),
            _ => html.to_owned(),
        }));
        shop
    };
    let mut wrong = Vec::new();
    for (more, is_noticed) in [
        ("<table class='extra'><tr><td>Gift wrap</td><td>£2.00</td></tr></table>", true),
        ("<table class='extra'><tr><td>Gift wrap</td><td><b>£</b> 2</td></tr></table>", true),
        ("<ul class='extra'><li>Card: £2</li></ul>", true),
        ("<ul class='extra'><li>Card <em>2.00 GBP</em></li></ul>", true),
        ("<ol class='extra'><li>Card</li><li>2.00</li></ol>", true),
        ("<dl class='extra'><dt>Card</dt><dd>£2.00</dd></dl>", true),
        ("<div role='table' class='extra'><div role='row'><div>Card</div><div>£2.00</div></div></div>", true),
        ("<div><div class='extra'><ul><li><ul><li>£2.00</li></ul></li></ul></div></div>", true),
        // Parcels, dates, versions and numbers are no amounts.
        ("<table class='extra'><tr><td>Parcel 1</td><td>3</td><td>10.11.2025</td><td>12 kg</td></tr></table>", false),
        ("<ul class='extra'><li>manual-1.2.pdf</li><li>2025-11-10 12:30</li><li>10.11.25</li><li>× 2</li></ul>", false),
        ("<p class='extra'>Spend £5 more next time.</p>", false),
    ] {
        let shop = beside(more).await;
        let found = sync(&shop).await.err().map(|error| error.message);
        if found.as_deref().is_some_and(|message| message.contains("`order.other_tables`")) != is_noticed {
            wrong.push(format!("{more}: {found:?}"));
        }
        let known = example().replace("title = {", "other_tables = \".extra\"\ntitle = {");
        if let Err(error) = sync_with(&shop, &known, "").await {
            wrong.push(format!("{more}, known: {}", error.message));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let whole = "<table class='extra'><tr><td>Hat</td><td>£2.00</td></tr></table><table class='sums'>";
    assert_eq!(sync(&Shop::changed(1, "<table class='sums'>", whole).await).await.unwrap().orders.len(), 1);
    // The frame of the shop, with a basket and recommendations.
    let frame = "<nav><ul><li>Basket: £2.00</li></ul>";
    assert_eq!(sync(&Shop::changed(1, "<nav>", frame).await).await.unwrap().orders.len(), 1);
}

#[tokio::test]
async fn columns_that_move_are_read_as_before() {
    let plain = sync(&Shop::with(1).await).await.unwrap().orders;
    let moved = Shop::with(1).await;
    moved.inside().edit = Some(Box::new(|_, html| {
        html.replace("<th>Items</th><th>Total</th>", "<th>Total</th><th>Notes</th><th>Items</th>")
            .replace("<td>4</td><td>£35.50</td>", "<td>£35.50</td><td>£9.99</td><td>4</td>")
    }));
    assert_eq!(sync(&moved).await.unwrap().orders, plain);
}

#[tokio::test]
async fn what_the_shop_has_beside_the_list_is_of_no_interest() {
    let shop =
        Shop::changed(1, "<nav>", "<nav><a href='/news'>Load more</a><p>12 orders today</p><a href='/p/1002'>New</a>")
            .await;
    assert_eq!(sync(&shop).await.unwrap().orders.len(), 1);
}

#[tokio::test]
async fn a_change_for_one_shop_replaces_selectors_and_adds_words() {
    let plain = sync(&Shop::with(1).await).await.unwrap().orders;
    let theme = |html: &str| {
        html.replace("class='orders'", "class='history'")
            .replace("Delivery", "Postage")
            .replace("/orders/1001", "/order?id=1001")
    };
    let shop = Shop::with(1).await;
    shop.inside().edit = Some(Box::new(move |_, html| theme(html)));
    assert!(sync(&shop).await.is_err());
    let changes = "[retailer.recipe_changes]\nlist.table = \"table.history\"\nlist.row = \"table.history tbody tr\"\n\
                   list.order_page = \"order?id=\"\nwords.labels.shipping = [\"postage\"]\n";
    let mut orders = sync_with(&shop, example(), changes).await.unwrap().orders;
    let mut expected = plain;
    for order in orders.iter_mut().chain(&mut expected) {
        for adjustment in order.adjustments.iter_mut().flatten() {
            adjustment.text = None;
        }
    }
    assert_eq!(orders, expected);
    // An order of another address than the list's rows.
    shop.inside().edit =
        Some(Box::new(move |_, html| theme(html).replace("</main>", "<a href='/order?id=9'>Old</a></main>")));
    assert_eq!(sync_with(&shop, example(), changes).await.unwrap_err().code, SyncErrorCode::RetailerIncomplete);
}

#[tokio::test]
async fn a_list_that_is_said_to_have_one_page_may_not_link_to_others() {
    let one_page: String = example()
        .lines()
        .filter(|line| !line.starts_with("next_page = "))
        .map(|line| line.replace("end = \"page_after\"", "end = \"one_page\"") + "\n")
        .collect();
    let shop = Shop::with(3).await;
    let connector = configured(&shop.uri(), &one_page, "").unwrap();
    let sync = async || Connection::of(USERNAME, PASSWORD).sync(&*connector, |_| panic!("no code")).await;
    assert_eq!(sync().await.unwrap().orders.len(), 3);
    for pager in ["<a href='/orders/?page=2'>2</a>", "<a rel='next' href='/orders/next'>Next</a>"] {
        shop.inside().edit =
            Some(Box::new(move |_, html| html.replace("</table></main>", &format!("</table></main>{pager}"))));
        assert_eq!(sync().await.unwrap_err().code, SyncErrorCode::RetailerIncomplete);
    }
}

#[tokio::test]
async fn the_first_page_may_come_again_after_the_last_if_each_page_links_to_the_next() {
    let recipe = example().replace("\"page_after\"", "\"next_link_repeats\"\nnext_link = \"a.next\"");
    // Ten on a page. A number above the last page shows the first one.
    let shop = |orders: u32, links: fn(usize) -> bool| async move {
        let shop = Shop::with(orders).await;
        shop.inside().after_the_last = true;
        shop.inside().edit = Some(Box::new(move |path, html| {
            let rows = html.matches("No. ").count();
            let link = "<a class='next' href='/orders/?page=2'>&gt;</a></main>";
            if path == "/orders/" && links(rows) { html.replace("</main>", link) } else { html.to_owned() }
        }));
        shop
    };
    for (orders, links) in [(3, (|_| false) as fn(usize) -> bool), (13, |rows| rows == 10)] {
        let synced = sync_with(&shop(orders, links).await, &recipe, "").await.unwrap();
        assert_eq!((synced.orders.len(), synced.report.listed_all()), (orders as usize, true));
    }
    for (orders, links) in [(13, (|_| true) as fn(usize) -> bool), (13, |_| false), (3, |_| true)] {
        assert!(message(sync_with(&shop(orders, links).await, &recipe, "").await).contains("end of the list"));
    }
    let other = message(sync(&shop(3, |_| false).await).await);
    assert!(other.contains("write `list.end = \"next_link_repeats\"`"), "{other}");
}

#[tokio::test]
async fn an_empty_list_may_be_a_table_of_headings() {
    let recipe: String = example()
        .lines()
        .filter(|line| !line.starts_with("empty = ") && !line.starts_with("no_orders = "))
        .map(|line| line.replace("end = \"page_after\"", "end = \"page_after\"\nempty_table = true") + "\n")
        .collect();
    let empty = |body: &'static str| async move {
        let shop = Shop::with(0).await;
        shop.inside().edit = Some(Box::new(move |path, html| {
            let table = format!(
                "<table class='orders'><thead><tr><th>Order</th><th>Total</th></tr></thead>{body}</table></main>"
            );
            if path == "/orders/" {
                html.replace("<p>You have no orders.</p>", "")
                    .replace("<p>There are no more orders.</p>", "")
                    .replace("</main>", &table)
            } else {
                html.to_owned()
            }
        }));
        shop
    };
    for body in ["", "<tbody></tbody>", "<tbody>\n</tbody>"] {
        let synced = sync_with(&empty(body).await, &recipe, "").await.unwrap();
        assert!(synced.orders.is_empty() && synced.report.listed_all(), "{body}");
    }
    for body in [
        "<tbody><tr></tr></tbody>",
        "<tbody><tr><td>Error</td></tr></tbody>",
        "<tfoot><tr><td>5 orders</td></tr></tfoot>",
    ] {
        assert!(sync_with(&empty(body).await, &recipe, "").await.is_err(), "{body}");
    }
}

#[tokio::test]
async fn no_order_is_named_beside_the_rows_and_no_word_beside_an_empty_table() {
    let more =
        ["<p>No. 999</p>", "<table><tr><td>No. 999</td></tr></table>", "<input type='search' name='s' value='lamp'>"];
    for more in more {
        let shop = Shop::with(2).await;
        shop.inside().edit = Some(Box::new(move |path, html| {
            if path == "/orders/" { html.replace("</main>", &format!("{more}</main>")) } else { html.to_owned() }
        }));
        assert!(sync(&shop).await.is_err(), "{more}");
    }
    let shop = Shop::changed(2, "<tr><th>Delivery</th><td>£4.00</td>", "<tr><th>How paid</th><td>£4.00</td>").await;
    let recipe = example().replace("total = [\"total\"]", "total = [\"total\"]\nnote = [\"how paid\"]");
    assert!(message(sync_with(&shop, &recipe, "").await).contains("has an amount"));
}

#[tokio::test]
async fn the_status_may_be_in_the_list_or_nowhere() {
    let in_list = example().replace("status = \"p.state strong\"\n", "").replace(
        "items = { heading = [\"Items\"] }",
        "items = { heading = [\"Items\"] }\nstatus = { heading = [\"State\"] }",
    );
    let shop = Shop::with(2).await;
    let with = |status: &'static str| {
        move |_: &str, html: &str| {
            html.replace("<th>Items</th>", "<th>Items</th><th>State</th>")
                .replace("<td>4</td>", &format!("<td>4</td><td>{status}</td>"))
        }
    };
    shop.inside().edit = Some(Box::new(with("on its way")));
    let connector = configured(&shop.uri(), &in_list, "").unwrap();
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let synced = connection.sync(&*connector, |_| panic!("no code")).await.unwrap();
    let status = |synced: &Synced| synced.orders[0].items[0].shipment_status.clone();
    assert_eq!(status(&synced), Some(Open::Known(ShipmentStatus::Shipped)));
    assert!(synced.orders.iter().all(|order| order.mismatch.is_empty()));
    shop.inside().edit = Some(Box::new(with("")));
    assert_eq!(sync_with(&shop, &in_list, "").await.unwrap().orders[0].mismatch[0].check, "status");

    let nowhere =
        example().replace("status = \"p.state strong\"\n", "").replace("[shows]", "[shows]\nstatus = \"never\"");
    let synced = sync_with(&Shop::with(1).await, &nowhere, "").await.unwrap();
    assert!(status(&synced).is_none() && synced.orders[0].mismatch.is_empty());
}

#[tokio::test]
async fn a_name_may_have_several_texts_and_a_line_an_article_number() {
    let recipe = example().replace(
        "title = { heading = [\"Article\"] }",
        "title = { heading = [\"Article\"] }\ntitle_joined = true\nsku = { heading = [\"No.\"] }",
    );
    let shop = Shop::with(1).await;
    shop.inside().edit = Some(Box::new(|_, html| {
        html.replace("<th>Price</th>", "<th>No.</th><th>Price</th>")
            .replace("<td>£10.00</td>", "<td>L-1</td><td>£10.00</td>")
            .replace("<td>£1.50</td><td>1</td>", "<td></td><td>£1.50</td><td>1</td>")
            .replace("Lamp, round</a>", "Lamp, <b>round</b></a><br>- Size: Large")
            .replace("Pen – blue", "Pen – <i>blue</i><br>- Tip: 1 mm")
    }));
    let order = sync_with(&shop, &recipe, "").await.unwrap().orders.remove(0);
    let lines: Vec<_> = order.items.iter().map(|item| (item.title.as_deref().unwrap(), item.sku.as_deref())).collect();
    assert_eq!(lines, [("Lamp, round - Size: Large", Some("L-1")), ("Pen – blue - Tip: 1 mm", None)]);
    // Without it, no part of a name is left out.
    let shop = Shop::changed(1, "Pen – blue", "Pen – <i>blue</i>").await;
    assert!(message(sync(&shop).await).contains("does not have one name"));
}

#[tokio::test]
async fn the_addresses_of_orders_may_have_more_after_the_number() {
    let recipe = example().replace("order_page = \"orders/\"", "order_page = \"order?id=\"");
    let shop = Shop::with(3).await;
    let theme =
        |html: &str| html.replace("href='/orders/10", "href='/order?id=10").replace("'>No.", "&amp;key=abc'>No.");
    shop.inside().edit = Some(Box::new(move |_, html| theme(html)));
    let synced = sync_with(&shop, &recipe, "").await.unwrap();
    assert!(synced.orders.len() == 3 && synced.report.listed_all());
    shop.inside().edit =
        Some(Box::new(move |_, html| theme(html).replace("</main>", "<a href='/order?id=9&amp;key=x'>Old</a></main>")));
    let error = sync_with(&shop, &recipe, "").await.unwrap_err();
    assert!(error.message.contains("at an address like /order?id=0&xxx=x"), "{}", error.message);
}

#[tokio::test]
async fn the_account_may_be_the_whole_shop() {
    let recipe = example()
        .replace("\"login\"", "\"{account}/login\"")
        .replace("name = \"Corner Shop\"", "name = \"Corner Shop\"\naccount_path = \"my-account\"");
    let shop = Shop::with(1).await;
    for (line, asked) in [("", 1), ("account_path = \"/\"", 1), ("account_path = \"konto/\"", 1)] {
        assert_eq!(sync_with(&shop, &recipe, line).await.unwrap().orders.len(), 1);
        assert_eq!(shop.count("GET /my-account/login"), asked, "{line}");
    }
    assert_eq!(shop.count("GET /konto/login"), 1);
}

#[tokio::test]
async fn a_form_that_is_answered_with_json_signs_in_and_its_token_is_carried() {
    let shop = Shop::with(12).await;
    shop.inside().is_scripted = true;
    let answer = "[sign_in.answer]\nredirect = \"$.redirect\"\ncarry = \"token\"\nrefused = [{ path = \"$.error.warning\" }]\n\n[list]";
    let recipe = example().replacen("[list]", answer, 1);
    let connector = configured(&shop.uri(), &recipe, "").unwrap();
    let refused = Connection::of(USERNAME, "wrong").sync(&*connector, |_| panic!("no code")).await;
    assert_eq!(refused.unwrap_err().code, SyncErrorCode::CredentialsRefused);
    let mut connection = Connection::of(USERNAME, PASSWORD);
    let synced = connection.sync(&*connector, |_| panic!("no code")).await.unwrap();
    assert_eq!((synced.orders.len(), synced.report.listed_all()), (12, true));
    let posts = shop.count("POST");
    connection.sync(&*connector, |_| panic!("no code")).await.unwrap();
    assert_eq!(shop.count("POST"), posts, "the token is remembered");
}
