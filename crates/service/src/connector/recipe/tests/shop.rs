//! The shop of the example in `docs/recipes.md`.

use std::fmt::Write as _;

use url::form_urlencoded::parse;
use wiremock::{Request, ResponseTemplate};

use crate::connector::fake_shop::{self, Edit, FakeShop};
pub(super) use crate::connector::fake_shop::{PASSWORD, USERNAME};

const ON_A_PAGE: usize = 10;

pub(super) type Shop = FakeShop<Inside>;

#[derive(Default)]
pub(super) struct Inside {
    /// The numbers of the orders, newest first.
    pub(super) orders: Vec<u32>,
    pub(super) edit: Option<Edit>,
    /// What the sign-in wants after the password.
    pub(super) code: Option<&'static str>,
    /// Whether the page after the last one shows the first one again.
    pub(super) after_the_last: bool,
    /// Whether a script has the sign-in answered with JSON, and all addresses carry a token.
    pub(super) is_scripted: bool,
}

impl Shop {
    pub(super) async fn with(orders: u32) -> Self {
        let orders = (1..=orders).rev().map(|number| 1000 + number).collect();
        Self::open(Inside { orders, ..Inside::default() }).await
    }

    /// The same, with a change of its pages.
    pub(super) async fn changed(orders: u32, from: &'static str, to: &'static str) -> Self {
        let shop = Self::with(orders).await;
        shop.inside().edit =
            Some(Box::new(move |path, html| if path == "/login" { html.to_owned() } else { html.replace(from, to) }));
        shop
    }
}

impl fake_shop::Inside for Inside {
    fn answer(&mut self, request: &Request) -> ResponseTemplate {
        let path = request.url.path();
        let cookies = request.headers.get("cookie").and_then(|value| value.to_str().ok()).unwrap_or_default();
        if path == "/login" {
            return self.sign_in(request);
        }
        let carries = request.url.query_pairs().filter(|(key, value)| key == "token" && value == "t1").count();
        if if self.is_scripted { carries != 1 } else { !cookies.contains("signed=in") } {
            return ResponseTemplate::new(302).insert_header("location", "/login");
        }
        let query = |name: &str| {
            request.url.query_pairs().find(|(key, _)| key == name).and_then(|(_, value)| value.parse::<usize>().ok())
        };
        let order = path.strip_prefix("/orders/").and_then(|number| number.parse().ok());
        let order = order.or_else(|| (path == "/order").then(|| query("id").unwrap_or_default()));
        let html = match order {
            Some(number) if self.orders.iter().any(|known| *known as usize == number) => order_page(number),
            Some(_) => return ResponseTemplate::new(404),
            None => self.list(query("page").unwrap_or(1)),
        };
        self.page(path, &html)
    }
}

impl Inside {
    fn sign_in(&self, request: &Request) -> ResponseTemplate {
        let fields: Vec<(String, String)> = parse(&request.body).into_owned().collect();
        let is = |name: &str, value: &str| fields.iter().any(|(key, found)| key == name && found == value);
        let is_known = is("email", USERNAME) && is("password", PASSWORD);
        match self.code {
            _ if self.is_scripted && request.method == "POST" => {
                let taken = serde_json::json!({ "redirect": "http://shop.test/orders/?token=t1" });
                let refused = serde_json::json!({ "error": { "warning": "No match." } });
                return ResponseTemplate::new(200).set_body_json(if is_known { taken } else { refused });
            }
            Some(code) if is("code", code) => {}
            Some(_) if is_known || is("step", "2") => return self.page("/login", CODE_FORM),
            None if is_known => {}
            _ if request.method == "POST" => return self.page("/login", &form("Wrong user name or password.")),
            _ => return self.page("/login", &form("")),
        }
        ResponseTemplate::new(302)
            .insert_header("location", "/orders/")
            .append_header("set-cookie", "signed=in; Path=/")
    }

    fn list(&self, page: usize) -> String {
        let first = self.after_the_last.then(|| self.orders.chunks(ON_A_PAGE).next()).flatten();
        let Some(orders) = self.orders.chunks(ON_A_PAGE).nth(page - 1).or(first) else {
            let words = if page == 1 { "You have no orders." } else { "There are no more orders." };
            return account(&format!("<p>{words}</p>"));
        };
        let mut html = String::from(
            "<table class='orders'><thead><tr><th>Order</th><th>Date</th><th>Items</th><th>Total</th></tr></thead><tbody>",
        );
        for number in orders {
            write!(
                html,
                "<tr><td><a href='/orders/{number}'>No. {number}</a></td><td>1 February 2025</td><td>4</td><td>£35.50</td></tr>"
            )
            .unwrap();
        }
        html.push_str("</tbody></table>");
        account(&html)
    }

    fn page(&self, path: &str, html: &str) -> ResponseTemplate {
        let mut html = self.edit.as_ref().map_or_else(|| html.to_owned(), |edit| edit(path, html));
        if self.is_scripted {
            let mut parts = html.split("href='/orders/");
            let first = parts.next().unwrap_or_default().to_owned();
            html =
                parts.fold(first, |html, part| format!("{html}href='/orders/{}", part.replacen('\'', "?token=t1'", 1)));
        }
        fake_shop::html(html)
    }
}

/// A page of the customer's account.
fn account(content: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang='en'><head><title>Corner Shop</title></head><body><nav><a href='/orders/'>Orders</a></nav>\
         <main class='account'>{content}</main></body></html>"
    )
}

fn form(message: &str) -> String {
    format!(
        "<html lang='en'><body><p class='error'>{message}</p><form method='post' action='/login'>\
         <input type='email' name='email'><input type='password' name='password'><button>Sign in</button></form></body></html>"
    )
}

const CODE_FORM: &str = "<html lang='en'><body><form method='post' action='/login'><input type='hidden' name='step' value='2'>\
     <input name='code'><button>Continue</button></form></body></html>";

fn order_page(number: usize) -> String {
    account(&format!(
        "<h1>Order {number}</h1><p class='state'>It is <strong>on its way</strong>.</p>\
         <table class='lines'><thead><tr><th>Article</th><th>Price</th><th>Quantity</th><th>Total</th></tr></thead><tbody>\
         <tr><td><a href='/p/1'>Lamp, round</a></td><td>£10.00</td><td>3</td><td>£30.00</td></tr>\
         <tr><td>Pen – blue</td><td>£1.50</td><td>1</td><td>£1.50</td></tr></tbody></table>\
         <table class='sums'><tr><th>Subtotal</th><td>£31.50</td></tr><tr><th>Delivery</th><td>£4.00</td></tr>\
         <tr><th>Total</th><td>£35.50</td></tr></table>"
    ))
}
