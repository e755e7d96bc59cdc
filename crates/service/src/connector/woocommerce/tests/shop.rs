//! A small WooCommerce: its pages have the classes and the structure of the real ones, cut down to what is read and what could
//! be mistaken for it.

use std::fmt::Write as _;

use url::form_urlencoded::parse;
use wiremock::{Request, ResponseTemplate};

use crate::connector::fake_shop::{self, Edit, FakeShop, Instead};
pub(super) use crate::connector::fake_shop::{PASSWORD, USERNAME, html as answer};

pub(super) type Shop = FakeShop<Inside>;

#[derive(Default)]
pub(super) struct Inside {
    pub(super) orders: Vec<Order>,
    /// The number of the session that holds; sessions of other numbers have ended.
    pub(super) session: u32,
    pub(super) edit: Option<Edit>,
    pub(super) instead: Option<Instead>,
    /// Where the list is in place of `/my-account/orders/`.
    pub(super) moved: Option<&'static str>,
    /// What the sign-in says to a wrong password.
    pub(super) refusal: &'static str,
}

#[derive(Clone)]
pub(super) struct Order {
    pub(super) number: u32,
    pub(super) status: &'static str,
    /// The content of the list's cell and of the page's total.
    pub(super) total: String,
    pub(super) items: u32,
    /// Name, content of the quantity, total.
    pub(super) lines: Vec<(&'static str, &'static str, &'static str)>,
    /// Label and content of the rows between the subtotal, which is the first, and the total.
    pub(super) rows: Vec<(&'static str, String)>,
}

/// An amount, as it is marked.
pub(super) fn money(amount: &str) -> String {
    let (minus, amount) = amount.strip_prefix('-').map_or(("", amount), |amount| ("&#8211;", amount));
    format!(
        "<span class='woocommerce-Price-amount amount'>{minus}<bdi><span class='woocommerce-Price-currencySymbol'>&#36;</span>{amount}</bdi></span>"
    )
}

impl Order {
    /// Three lamps and a pen, with shipping and tax.
    pub(super) fn new(number: u32, status: &'static str) -> Self {
        Self {
            number,
            status,
            total: money("38.50"),
            items: 4,
            lines: vec![("Lamp, round", "&times;&nbsp;3", "30.00"), ("Pen &#8211; blue", "&times;&nbsp;1", "1.50")],
            rows: vec![
                ("Subtotal:", money("31.50")),
                ("Shipping:", format!("{}&nbsp;<small class='shipped_via'>via Post</small>", money("4.00"))),
                ("Sales tax:", money("3.00")),
                ("Payment method:", "Cheque".to_owned()),
            ],
        }
    }

    /// The same, after one lamp was paid back.
    pub(super) fn refunded(number: u32) -> Self {
        let mut order = Self::new(number, "Completed");
        order.lines[0].1 = "&times;&nbsp;<del>3</del> <ins>2</ins>";
        order.items = 3;
        order.total = format!("<del aria-hidden='true'>&#36;38.50</del> <ins>{}</ins>", money("28.50"));
        order.rows.push(("Refund:", format!("{}<br><small>one back</small>", money("-10.00"))));
        order
    }
}

impl Shop {
    /// A shop in which the customer has these orders, newest first.
    pub(super) async fn with(orders: Vec<Order>) -> Self {
        let refusal = "<strong>Error:</strong> The password you entered is incorrect. <a href='/my-account/lost-password/'>Lost it?</a>";
        Self::open(Inside { orders, session: 1, refusal, ..Inside::default() }).await
    }
}

impl fake_shop::Inside for Inside {
    fn answer(&mut self, request: &Request) -> ResponseTemplate {
        let path = request.url.path();
        let instead = self.instead.as_mut().and_then(|instead| instead(path));
        instead.unwrap_or_else(|| self.own_answer(request, path))
    }
}

impl Inside {
    fn own_answer(&self, request: &Request, path: &str) -> ResponseTemplate {
        let cookies = request.headers.get("cookie").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let signed_in = cookies.split("; ").any(|cookie| cookie == format!("wordpress_logged_in=s{}", self.session));
        let original = self.moved.and_then(|moved| Some(format!("/my-account/orders/{}", path.strip_prefix(moved)?)));
        if self.moved.is_some() && path.starts_with("/my-account/orders/") {
            return ResponseTemplate::new(404);
        }
        let path = original.as_deref().unwrap_or(path);
        let number = |name: &str| path.strip_prefix(name)?.trim_end_matches('/').parse::<usize>().ok();
        if path == "/my-account/" && request.method == "POST" {
            return self.sign_in(request);
        }
        if !signed_in {
            return self.page(path, &sign_in_page(""));
        }
        if path == "/my-account/" {
            return self.page(path, &account("<p>Hello.</p>"));
        }
        let page = number("/my-account/orders/").or((path == "/my-account/orders/").then_some(1));
        match (page, number("/my-account/view-order/")) {
            (Some(page), _) => self.page(path, &self.list(page)),
            (_, Some(order)) => {
                let found = self.orders.iter().find(|known| known.number as usize == order);
                self.page(path, &found.map_or_else(|| account(&notice("is-error", "Invalid order.")), order_page))
            }
            _ => ResponseTemplate::new(404),
        }
    }

    fn sign_in(&self, request: &Request) -> ResponseTemplate {
        let fields: Vec<(String, String)> = parse(&request.body).into_owned().collect();
        let is = |name: &str, value: &str| fields.iter().any(|(key, found)| key == name && found == value);
        if !is("woocommerce-login-nonce", "nonce") || !is("login", "Log in") {
            return self.page("/my-account/", &sign_in_page(""));
        }
        if is("username", USERNAME) && is("password", PASSWORD) {
            let cookie = format!("wordpress_logged_in=s{}; Path=/; HttpOnly", self.session);
            return ResponseTemplate::new(302)
                .insert_header("location", "/my-account/")
                .append_header("set-cookie", cookie);
        }
        self.page("/my-account/", &sign_in_page(&notice("is-error", self.refusal)))
    }

    fn list(&self, page: usize) -> String {
        let Some(orders) = self.orders.chunks(10).nth(page - 1) else {
            return account(&notice("is-info", "No order has been made yet. <a href='/shop/'>Browse products</a>"));
        };
        let mut html = String::from(
            "<table class='woocommerce-orders-table woocommerce-MyAccount-orders shop_table'><thead><tr>\
            <th class='woocommerce-orders-table__header'>Order</th></tr></thead><tbody>",
        );
        for Order { number, status, total, items, .. } in orders {
            write!(
                html,
                "<tr class='woocommerce-orders-table__row order'>\
                 <th class='woocommerce-orders-table__cell woocommerce-orders-table__cell-order-number'>\
                 <a href='/my-account/view-order/{number}/'>#{number}</a></th>\
                 <td class='woocommerce-orders-table__cell-order-date'><time datetime='2025-02-01T21:38:51+00:00'>February 1, 2025</time></td>\
                 <td class='woocommerce-orders-table__cell-order-status'>{status}</td>\
                 <td class='woocommerce-orders-table__cell-order-total'>{total} for {items} items</td>\
                 <td class='woocommerce-orders-table__cell-order-actions'><a href='/my-account/view-order/{number}/'>View</a></td></tr>"
            )
            .unwrap();
        }
        html.push_str("</tbody></table><div class='woocommerce-pagination'>");
        if page * 10 < self.orders.len() {
            write!(
                html,
                "<a class='woocommerce-button woocommerce-button--next' href='/my-account/orders/{}/'>Next</a>",
                page + 1
            )
            .unwrap();
        }
        html.push_str("</div>");
        account(&html)
    }

    fn page(&self, path: &str, html: &str) -> ResponseTemplate {
        answer(self.edit.as_ref().map_or_else(|| html.to_owned(), |edit| edit(path, html)))
    }
}

fn notice(kind: &str, text: &str) -> String {
    format!("<div class='wc-block-components-notice-banner {kind}' role='alert'><div>{text}</div></div>")
}

/// A page of the customer's account.
fn account(content: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang='en-US'><head><title>My account</title></head><body><h1>Account</h1>\
         <nav class='woocommerce-MyAccount-navigation'><ul><li class='woocommerce-MyAccount-navigation-link--orders'>\
         <a href='/my-account/orders/'>Orders</a></li></ul></nav>\
         <div class='woocommerce-MyAccount-content'><div class='woocommerce-notices-wrapper'></div>{content}</div></body></html>"
    )
}

pub(super) fn sign_in_page(notice: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang='en-US'><body><h1>My account</h1><form method='get' action='/'><input type='search' name='s'></form>\
         <div class='woocommerce-notices-wrapper'>{notice}</div>\
         <form class='woocommerce-form woocommerce-form-login login' method='post'><input type='text' name='username'>\
         <input type='password' name='password'><input type='checkbox' name='rememberme' value='forever'>\
         <input type='hidden' name='woocommerce-login-nonce' value='nonce'><input type='hidden' name='_wp_http_referer' value='/my-account/'>\
         <button type='submit' name='login' value='Log in'>Log in</button></form>\
         <form class='woocommerce-form woocommerce-form-register register' method='post'><input type='email' name='email'>\
         <input type='hidden' name='woocommerce-register-nonce' value='other'><input type='password' name='password'>\
         <button type='submit' name='register' value='Register'>Register</button></form></body></html>"
    )
}

fn order_page(order: &Order) -> String {
    let Order { number, status, total, lines, rows, .. } = order;
    let mut html = format!(
        "<p>Order #<mark class='order-number'>{number}</mark> was placed on <mark class='order-date'>February 1, 2025</mark> and \
         is currently <mark class='order-status'>{status}</mark>.</p>\
         <table class='woocommerce-table woocommerce-table--order-details shop_table order_details'><thead><tr>\
         <th class='product-name'>Product</th><th class='product-total'>Total</th></tr></thead><tbody>"
    );
    for (name, quantity, total) in lines {
        write!(
            html,
            "<tr class='woocommerce-table__line-item order_item'><td class='woocommerce-table__product-name product-name'>\
             <a href='/product/thing/'>{name}</a> <strong class='product-quantity'>{quantity}</strong>\
             <ul class='wc-item-meta'><li><strong>Colour:</strong> <p>Blue</p></li></ul></td>\
             <td class='woocommerce-table__product-total product-total'>{}</td></tr>",
            money(total)
        )
        .unwrap();
    }
    html.push_str("</tbody><tfoot>");
    for (label, content) in rows {
        write!(html, "<tr><th scope='row'>{label}</th><td>{content}</td></tr>").unwrap();
    }
    write!(html, "<tr><th scope='row'>Total:</th><td>{total}</td></tr></tfoot></table><address>Leeds</address>")
        .unwrap();
    account(&html)
}
