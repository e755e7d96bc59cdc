//! Small shops with one customer: two whose pages are full of what identifies the customer, and one that answers with JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::support::{Home, Run};
use super::web_peer::{Answer, Asked, Site};

/// The customer of these shops. None of it may be found in what was saved.
pub(super) const CANARIES: [&str; 14] = [
    "Zebulon",
    "Quackenbush",
    "zebulon.q",
    "mailhaven",
    "Peppercorn",
    "Gooseberry",
    "94117",
    "4477",
    "Marmalade",
    "Thimble",
    "100871",
    "100872",
    "Sesame-Open",
    "UPC5550001",
];
pub(super) const USER: &str = "zebulon.q@mailhaven.test";
pub(super) const PASSWORD: &str = "Sesame-Open!1";
const ADDRESS: &str = "<address class='card-zebulon'>Zebulon Quackenbush<br>12 Peppercorn Lane<br>Gooseberry, CA 94117<br>+1 555 010 4477<br>\
    zebulon.q@mailhaven.test</address><script>var user = 'Zebulon'; var order = 100871;</script><!-- Quackenbush 100872 -->\
    <input type='hidden' name='customer' value='Zebulon'><img alt='Marmalade' title='Thimble 100871' data-user='{\"name\":\"Quackenbush\"}'>\
    <a href='mailto:zebulon.q@mailhaven.test' onclick='mail(\"Zebulon\")'>Write</a>";

/// Runs with the customer's credentials on standard input.
pub(super) fn with_credentials(home: &Home, command: &[&str]) -> Run {
    with_password(home, PASSWORD, command)
}

pub(super) fn with_password(home: &Home, password: &str, command: &[&str]) -> Run {
    let credentials = format!("{{\"username\": \"{USER}\", \"password\": \"{password}\"}}");
    home.run_with_input(&[command, &["--credentials-stdin"]].concat(), &credentials)
}

pub(super) fn page(language: &str, content: &str) -> Answer {
    Answer::page(format!(
        "<!DOCTYPE html><html lang='{language}'><head><title>Zebulon's orders</title></head><body>{content}{ADDRESS}</body></html>"
    ))
}

fn money(amount: &str) -> String {
    format!(
        "<span class='woocommerce-Price-amount amount'><bdi><span class='woocommerce-Price-currencySymbol'>&#36;</span>{amount}</bdi></span>"
    )
}

fn is_signed_in(asked: &Asked) -> bool {
    asked.cookie.contains("session=in")
}

/// A sign-in that takes the one customer.
fn signed_in(asked: &Asked, form: &str, to: &str) -> Answer {
    let is_right = asked.body.contains("zebulon.q%40mailhaven.test") && asked.body.contains("Sesame-Open%211");
    match is_right {
        true => Answer::redirect(to).with("Set-Cookie", "session=in-canary-cookie-4477; Path=/; HttpOnly"),
        false => Answer::page(form.replace("<form", "<div class='woocommerce-error alert'>Wrong password</div><form")),
    }
}

const WOO_FORM: &str = "<!DOCTYPE html><html lang='en-US'><body><form class='login' method='post'><input type='text' name='username'>\
    <input type='password' name='password'><input type='hidden' name='woocommerce-login-nonce' value='nonce-canary-94117'>\
    <button name='login' value='Log in'>Log in</button></form></body></html>";

pub(super) fn woocommerce(asked: &Asked) -> Answer {
    if asked.method == "POST" {
        return signed_in(asked, WOO_FORM, "/my-account/");
    }
    if !is_signed_in(asked) {
        return if asked.path.starts_with("/my-account/") { Answer::page(WOO_FORM) } else { Answer::new(404, "") };
    }
    match asked.path.as_str() {
        "/my-account/orders/" => page("en-US", &woo_list(&["100872", "100871", "7"], false)),
        path => match path.strip_prefix("/my-account/view-order/").map(|rest| rest.trim_end_matches('/')) {
            Some(number @ ("100872" | "100871" | "7")) => page("en-US", &woo_order(number)),
            _ => Answer::new(404, ""),
        },
    }
}

/// The same shop, one of whose three orders is in euros.
pub(super) fn in_two_currencies(asked: &Asked) -> Answer {
    let in_euros = |html: &str| html.replace("&#36;", "&euro;");
    match asked.path.as_str() {
        _ if asked.method == "POST" || !is_signed_in(asked) => woocommerce(asked),
        "/my-account/orders/" => {
            let list = woo_list(&["100872", "100871", "7"], false);
            let (dollars, euros) = list.split_once("#7").expect("the last row");
            page("en-US", &format!("{dollars}#7{}", in_euros(euros)))
        }
        "/my-account/view-order/7/" => page("en-US", &in_euros(&woo_order("7"))),
        _ => woocommerce(asked),
    }
}

pub(super) fn woo_list(numbers: &[&str], has_next: bool) -> String {
    let mut html =
        "<div class='woocommerce-MyAccount-content'><table class='woocommerce-orders-table'><tbody>".to_owned();
    for number in numbers {
        let cell = "woocommerce-orders-table__cell-order";
        write!(
            html,
            "<tr class='woocommerce-orders-table__row order'><th class='{cell}-number'><a href='/my-account/view-order/{number}/'>#{number}</a></th>\
             <td class='{cell}-date'><time datetime='2025-02-01T21:38:51+00:00'>February 1, 2025</time></td><td class='{cell}-status'>Completed</td>\
             <td class='{cell}-total'>{} for 4 items</td></tr>",
            money("38.50")
        )
        .expect("text");
    }
    let next = "<a class='woocommerce-button--next' href='/my-account/orders/2/'>Next</a>";
    html + "</tbody></table>" + if has_next { next } else { "" } + "</div>"
}

fn woo_order(number: &str) -> String {
    let line = |title: &str, slug: &str, count: &str, total: &str| {
        format!(
            "<tr class='order_item'><td class='product-name'><a href='/product/{slug}/'>{title}</a> <strong class='product-quantity'>&times;&nbsp;{count}</strong></td>\
             <td class='product-total'>{}</td></tr>",
            money(total)
        )
    };
    let row = |label: &str, amount: &str| format!("<tr><th scope='row'>{label}</th><td>{}</td></tr>", money(amount));
    format!(
        "<div class='woocommerce-MyAccount-content'><p>Order #<mark class='order-number'>{number}</mark> was placed on <mark class='order-date'>February 1, 2025</mark> \
         and is <mark class='order-status'>Completed</mark>.</p><table class='woocommerce-table--order-details'><tbody>{}{}</tbody><tfoot>{}{}{}{}</tfoot></table></div>",
        line("Marmalade Order Total", "marmalade-order-total", "3", "30.00"),
        line("Thimble, 7 mm", "thimble-7-mm", "1", "1.50"),
        row("Subtotal:", "31.50"),
        row("Shipping:", "4.00"),
        row("Sales tax:", "3.00"),
        row("Total:", "38.50"),
    )
}

const OSCAR_FORM: &str = "<!DOCTYPE html><html lang='en-gb'><body><form action='/accounts/login/' method='post'><input type='hidden' name='csrfmiddlewaretoken' value='token-canary-94117'>\
    <input type='email' name='login-username'><input type='password' name='login-password'><button name='login_submit' value='Log In'>Log In</button></form></body></html>";

pub(super) fn oscar(asked: &Asked) -> Answer {
    if asked.method == "POST" {
        return signed_in(asked, OSCAR_FORM, "/accounts/");
    }
    if asked.path == "/accounts/login/" {
        return Answer::page(OSCAR_FORM);
    }
    if !is_signed_in(asked) {
        return if asked.path.starts_with("/accounts/") {
            Answer::redirect("/accounts/login/")
        } else {
            Answer::new(404, "")
        };
    }
    let nav = "<ul class='nav'><li><a href='/accounts/orders/' class='nav-link active'>Order History</a></li></ul>";
    let row = |number: &str| {
        format!(
            "<tr><td><a href='/accounts/orders/{number}/'>{number}</a></td><td>3</td><td>£34.95</td><td>30 Oct 2025, 6:20 p.m.</td></tr>"
        )
    };
    let list = format!(
        "{nav}<h2>Orders</h2><table class='table'><tr><th>Order number</th><th>Num items</th><th>Total inc tax</th><th>Date submitted</th></tr>{}{}</table>",
        row("100872"),
        row("100871")
    );
    let order = |number: &str| {
        format!(
            "{nav}<div class='page-header'><h1>Order #{number}</h1></div><h2>Status</h2><p>Complete</p><table class='table'><thead><tr><th>Product</th><th>Qty</th>\
             <th>Line price excl. tax</th><th>Line price incl. tax</th></tr></thead><tbody><tr><td><p><a href='/catalogue/marmalade_12/'>Marmalade jar</a></p></td><td>1</td><td>£10.00</td><td>£10.00</td></tr>\
             <tr><td><p>Thimble</p></td><td>2</td><td>£20.00</td><td>£20.00</td></tr><tr><th colspan='3'>Basket total</th><td>£30.00</td></tr>\
             <tr><th colspan='3'>Shipping total</th><td>£4.95</td></tr><tr><th colspan='3'>Order total</th><td>£34.95</td></tr></tbody></table>"
        )
    };
    let product = "<ol class='breadcrumb'><li class='breadcrumb-item'><a href='/catalogue/'>Home</a></li><li class='breadcrumb-item'><a href='/catalogue/category/jams_1/'>Jams</a></li>\
        <li class='breadcrumb-item active'>Marmalade jar</li></ol><article class='product_page'><h1>Marmalade jar</h1><table class='table'><tr><th>UPC</th><td>UPC5550001</td></tr></table></article>";
    match asked.path.as_str() {
        "/accounts/orders/" => page("en-gb", &list),
        "/accounts/orders/100871/" => page("en-gb", &order("100871")),
        "/accounts/orders/100872/" => page("en-gb", &order("100872")),
        "/catalogue/marmalade_12/" => page("en-gb", product),
        "/accounts/" => page("en-gb", "<h1>Account</h1>"),
        _ => Answer::new(404, "<html lang='en-gb'><h1>Not found</h1></html>"),
    }
}

/// A shop that answers with JSON: two whole orders on one page.
pub(super) fn json_shop(asked: &Asked) -> Answer {
    if asked.path == "/login" {
        let sent: Value = serde_json::from_str(&asked.body).unwrap_or_default();
        let is_right = sent == json!({ "email": USER, "password": PASSWORD });
        return if is_right { Answer::json(&json!({ "token": "t-4477" })) } else { Answer::new(401, "{}") };
    }
    // As a script does that looks at no more of the path.
    if !asked.path.starts_with("/orders") || asked.authorization != "Bearer t-4477" {
        return Answer::new(401, "{}");
    }
    let order = |number: &str| {
        json!({ "number": number, "placed_at": "2026-03-02T09:10:11Z", "currency": "USD", "status": "Shipped", "subtotal": "31.50",
            "shipping": "4.00", "total": "35.50", "lines": [
                { "title": "Marmalade jar", "quantity": 3, "price": "10.00", "total": "30.00" },
                { "title": "Thimble", "quantity": 1, "price": "1.50", "total": "1.50" },
            ] })
    };
    Answer::json(&json!({ "count": 2, "orders": [order("100872"), order("100871")] }))
}

const JSON_RECIPE: &str = r#"
recipe = 1
kind = "json"
name = "Canary"
[sign_in]
send = { path = "login", json = { email = "{username}", password = "{password}" } }
token = "$.token"
token_header = { name = "Authorization", value = "Bearer {token}" }
refused = [{ status = 401 }]
[list]
send = { path = "orders" }
paging = "one"
orders = "$.orders"
number = "$.number"
date = { path = "$.placed_at", format = "rfc3339" }
total = "$.total"
currency = "$.currency"
status = "$.status"
COUNT
[order]
lines = "$.lines"
title = "$.title"
quantity = "$.quantity"
unit_price = "$.price"
line_total = "$.total"
figures = [
    { kind = "basket", label = "Subtotal", amount = "$.subtotal" },
    { kind = "shipping", label = "Shipping", amount = "$.shipping" },
    { kind = "total", label = "Total", amount = "$.total" },
]
[shows]
items = "nothing"
basket = "always"
shipping = "always"
tax = "never"
unit_price = "always"
"#;

impl Home {
    /// Adds the shop that answers with JSON, as retailer 301; `count` is a line of its recipe.
    pub(super) fn add_json_shop(&self, shop: &Site, count: &str) {
        let folder = self.path().join("config");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("shop.toml"), JSON_RECIPE.replace("COUNT", count)).expect("write");
        let entry = format!(
            "[[retailer]]\nid = 301\ndisplay_name = \"Canary\"\nrecipe = \"shop.toml\"\nbase_url = \"{}\"\n\
             allow_private_network = true\n",
            shop.uri
        );
        std::fs::write(folder.join("retailers.toml"), entry).expect("write");
    }

    /// Adds a line to the entry of the one shop.
    pub(super) fn add_to_entry(&self, line: &str) {
        let file = self.path().join("config/retailers.toml");
        let entry = std::fs::read_to_string(&file).expect("an entry");
        std::fs::write(&file, format!("{}\n{line}\n", entry.trim_end())).expect("write");
    }
}

/// A WooCommerce with three orders.
pub(super) fn lamps(asked: &Asked) -> Answer {
    let is_list = asked.path == "/my-account/orders/" && asked.cookie.contains("session=in");
    if is_list { page("en-US", &woo_list(&["100872", "100871", "7"], false)) } else { woocommerce(asked) }
}
