//! Shops that are tried: the first orders as a table, and pages that are saved for a bug report.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

use super::support::{Home, Run};
use super::web_peer::{Answer, Asked, Site};

/// The customer of these shops. None of it may be found in what was saved.
const CANARIES: [&str; 14] = [
    "Zebulon", "Quackenbush", "zebulon.q", "mailhaven", "Peppercorn", "Gooseberry", "94117", "4477", "Marmalade", "Thimble",
    "100871", "100872", "Sesame-Open", "UPC5550001",
];
const USER: &str = "zebulon.q@mailhaven.test";
const PASSWORD: &str = "Sesame-Open!1";
const ADDRESS: &str = "<address class='card-zebulon'>Zebulon Quackenbush<br>12 Peppercorn Lane<br>Gooseberry, CA 94117<br>+1 555 010 4477<br>\
    zebulon.q@mailhaven.test</address><script>var user = 'Zebulon'; var order = 100871;</script><!-- Quackenbush 100872 -->\
    <input type='hidden' name='customer' value='Zebulon'><img alt='Marmalade' title='Thimble 100871' data-user='{\"name\":\"Quackenbush\"}'>\
    <a href='mailto:zebulon.q@mailhaven.test' onclick='mail(\"Zebulon\")'>Write</a>";

fn page(language: &str, content: &str) -> Answer {
    Answer::page(format!("<!DOCTYPE html><html lang='{language}'><head><title>Zebulon's orders</title></head><body>{content}{ADDRESS}</body></html>"))
}

fn money(amount: &str) -> String {
    format!("<span class='woocommerce-Price-amount amount'><bdi><span class='woocommerce-Price-currencySymbol'>&#36;</span>{amount}</bdi></span>")
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

fn woocommerce(asked: &Asked) -> Answer {
    if asked.method == "POST" {
        return signed_in(asked, WOO_FORM, "/my-account/");
    }
    if !is_signed_in(asked) {
        return if asked.path.starts_with("/my-account/") { Answer::page(WOO_FORM) } else { Answer::new(404, "") };
    }
    match asked.path.as_str() {
        "/my-account/orders/" => page("en-US", &woo_list(&["100872", "100871", "7"])),
        path => match path.strip_prefix("/my-account/view-order/").map(|rest| rest.trim_end_matches('/')) {
            Some(number @ ("100872" | "100871" | "7")) => page("en-US", &woo_order(number)),
            _ => Answer::new(404, ""),
        },
    }
}

fn woo_list(numbers: &[&str]) -> String {
    let mut html = "<div class='woocommerce-MyAccount-content'><table class='woocommerce-orders-table'><tbody>".to_owned();
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
    html + "</tbody></table><a class='woocommerce-button--next' href='/my-account/orders/2/'>Next</a></div>"
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

fn oscar(asked: &Asked) -> Answer {
    if asked.method == "POST" {
        return signed_in(asked, OSCAR_FORM, "/accounts/");
    }
    if asked.path == "/accounts/login/" {
        return Answer::page(OSCAR_FORM);
    }
    if !is_signed_in(asked) {
        return if asked.path.starts_with("/accounts/") { Answer::redirect("/accounts/login/") } else { Answer::new(404, "") };
    }
    let nav = "<ul class='nav'><li><a href='/accounts/orders/' class='nav-link active'>Order History</a></li></ul>";
    let row = |number: &str| {
        format!("<tr><td><a href='/accounts/orders/{number}/'>{number}</a></td><td>3</td><td>£34.95</td><td>30 Oct 2025, 6:20 p.m.</td></tr>")
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

fn added(shop: &Site) -> Home {
    let home = Home::new();
    // The symbol of the one is clear, and that of the other is not.
    let add = ["retailers", "add", &shop.uri, "--allow-private-network", "--name", "Canary"];
    let run = home.run(&add).ends(0);
    if run.out.contains("WooCommerce") {
        home.run(&["retailers", "remove", "Canary", "--yes"]).ends(0);
        home.run(&[&add[..], &["--currency", "USD"]].concat()).ends(0);
    }
    home
}

fn check(home: &Home, password: &str, more: &[&str]) -> Run {
    let credentials = format!("{{\"username\": \"{USER}\", \"password\": \"{password}\"}}");
    home.run_with_input(&[&["retailers", "check", "canary", "--credentials-stdin"], more].concat(), &credentials)
}

/// What stays the same if every word is replaced.
fn shape(trial: &Value) -> Vec<String> {
    let orders = trial["orders"].as_array().expect("orders");
    let line = |order: &Value, item: &Value| {
        let fields = ["orderDate", "total", "currency"].map(|field| order[field].to_string());
        let own = ["quantity", "price", "lineTotal", "status"].map(|field| item[field].to_string());
        format!("{fields:?} {own:?} {}", item["sku"].is_string())
    };
    orders.iter().flat_map(|order| order["items"].as_array().expect("items").iter().map(move |item| line(order, item))).collect()
}

fn everything_in(folder: &Path) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder).expect("folder").map(|file| file.expect("file").path());
    files.map(|path| (path.display().to_string(), std::fs::read_to_string(&path).expect("text"))).collect()
}

#[test]
fn the_first_orders_are_shown_with_what_is_missing_and_nothing_is_stored() {
    for (answers, price, missing) in [
        (woocommerce as fn(&Asked) -> Answer, "10.00 USD", "Not shown    SKU, brand, categories"),
        (oscar, "10.00 GBP", "Not shown    brand"),
    ] {
        let shop = Site::start(|_| answers);
        let home = added(&shop);
        let run = check(&home, PASSWORD, &[]).ends(0).says("Canary can be read.");
        let run = run.prints("100871").prints("Marmalade").prints(price).prints(missing);
        assert!(!run.out.contains(PASSWORD) && !run.err.contains(PASSWORD));
        assert!(!shop.asked().iter().any(|asked| asked.contains("orders/2") || asked.contains("page=2")), "one page");
        assert_eq!(home.run(&["connections", "-o", "json"]).ends(0).json(), Value::Array(Vec::new()));
        let wrong = check(&home, "no", &[]).ends(1);
        wrong.says("Canary cannot be read whole: The retailer refused the user name or the password.");
    }
}

#[test]
fn saved_pages_hold_nothing_of_the_customer_and_give_the_same_shape_of_table() {
    for answers in [woocommerce as fn(&Asked) -> Answer, oscar] {
        let shop = Site::start(|_| answers);
        let home = added(&shop);
        let before = check(&home, PASSWORD, &["-o", "json", "--save", "pages"]).ends(0);
        let folder = home.path().join("pages");
        let files = everything_in(&folder);
        assert!(files.len() >= 5, "{files:?}");
        for (path, text) in &files {
            let lower = text.to_lowercase();
            for canary in CANARIES.iter().chain(&["canary", shop.uri.as_str(), "nonce-", "token-"]) {
                assert!(!lower.contains(&canary.to_lowercase()), "{canary} is in {path}: {text}");
            }
            assert!(!text.contains("#7<") && !text.contains("view-order/7/"), "{path}: {text}");
        }
        #[cfg(unix)]
        for (path, _) in &files {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(path).expect("metadata").permissions().mode() & 0o777, 0o600, "{path}");
        }
        let requests = shop.asked().len();
        let elsewhere = Home::new();
        let run = elsewhere.run(&["retailers", "check", "--pages", folder.to_str().expect("text"), "-o", "json"]).ends(0);
        assert_eq!(shop.asked().len(), requests, "no network");
        let (before, after) = (before.json(), run.json());
        assert_eq!(shape(&before), shape(&after));
        assert!(shape(&before).len() >= 4);
        assert_eq!(before["notShown"], after["notShown"]);
        let again = check(&home, PASSWORD, &["--save", "pages"]).ends(2);
        again.says("pages exists already, so nothing was saved there.");
    }
}

#[test]
fn a_page_that_cannot_be_read_is_saved_too_and_fails_in_the_same_way() {
    let shop = Site::start(|_| {
        |asked: &Asked| {
            let answer = woocommerce(asked);
            // A theme that replaced the table of one order.
            if asked.path.ends_with("/100871/") { page("en-US", "<div class='woocommerce-MyAccount-content'>Soon</div>") } else { answer }
        }
    });
    let home = added(&shop);
    let run = check(&home, PASSWORD, &["--save", "pages"]).ends(1).prints("Kept back    100871").prints("Orders read  2");
    run.says("Canary cannot be read whole: The check \"page of the order\" failed").says("--save DIR");
    let again = home.run(&["retailers", "check", "--pages", "pages"]).ends(1).prints("Orders read  2").prints("Kept back");
    again.says("The check \"page of the order\" failed");
}

#[test]
fn what_cannot_be_tried_is_said() {
    let home = Home::new();
    home.run(&["retailers", "check"]).ends(2);
    home.run(&["retailers", "check", "marrowby"]).ends(5).says("Only shops that you added can be tried");
    home.run(&["retailers", "check", "x", "--base-url", "http://127.0.0.1:9"]).ends(2).says("for the local profile");
    home.run(&["retailers", "check", "--pages", "none"]).ends(2).says("there are no saved pages");
    let folder = home.path().join("odd");
    std::fs::create_dir(&folder).expect("folder");
    for index in ["[", "[{\"url\": 1}]", "[{\"url\":\"https://a.test/\",\"form\":false,\"from\":\"https://a.test/\",\"status\":200,\"page\":\"../x\"}]"] {
        std::fs::write(folder.join("requests.json"), index).expect("write");
        std::fs::write(folder.join("shop.toml"), "").expect("write");
        home.run(&["retailers", "check", "--pages", "odd"]).ends(2).says("requests.json is not an index");
    }
}
