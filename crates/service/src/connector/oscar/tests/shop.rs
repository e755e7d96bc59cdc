//! A small Oscar: its pages have the structure of the real ones, cut down to what is read and what could be mistaken
//! for it. It keeps sessions and CSRF tokens, so that what a browser must do has to be done here, too.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard};

use url::form_urlencoded::parse;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::connector::Connector;
use crate::connector::retailers_file;

pub(super) const USERNAME: &str = "pat@shop.test";
pub(super) const PASSWORD: &str = "right";
pub(super) const CODE: &str = "123456";

/// A running shop.
pub(super) struct Shop {
    server: MockServer,
    inside: Arc<Mutex<Inside>>,
}

/// What happens before a request is answered: it gets the request's path.
type Event = Box<dyn FnMut(&mut Inside, &str) + Send>;

/// The shop's own affairs.
pub(super) struct Inside {
    pub(super) orders: Vec<Order>,
    /// Asks for a code.
    pub(super) mfa: bool,
    /// After a wrong code, looks at none.
    pub(super) paused: bool,
    /// The number of the session that holds; sessions of other numbers have ended.
    pub(super) session: u32,
    /// Whether the wizard still knows who gave the right password.
    pub(super) wizard: bool,
    pub(super) requests: Vec<String>,
    pub(super) event: Option<Event>,
    /// Replaces a text in every page.
    pub(super) change: Option<(&'static str, &'static str)>,
}

#[derive(Clone)]
pub(super) struct Order {
    pub(super) number: u32,
    pub(super) status: &'static str,
    pub(super) total: &'static str,
    pub(super) date: &'static str,
    pub(super) lines: Vec<Line>,
}

/// Title, quantity, line total, and the last part of the product's address.
pub(super) type Line = (&'static str, u32, &'static str, Option<&'static str>);

impl Order {
    pub(super) fn new(number: u32, status: &'static str) -> Self {
        let lines = vec![("Dish Soap — Bulk", 3, "£30.00", Some("dish-soap-bulk_8"))];
        Self { number, status, total: "£34.95", date: "8 Oct 2025, 6:20 p.m.", lines }
    }
}

impl Shop {
    /// A shop in which the customer has these orders, newest first.
    pub(super) async fn with(orders: Vec<Order>) -> Self {
        let inside = Inside {
            orders,
            mfa: false,
            paused: false,
            session: 1,
            wizard: false,
            requests: Vec::new(),
            event: None,
            change: None,
        };
        let inside = Arc::new(Mutex::new(inside));
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(Door(Arc::clone(&inside))).mount(&server).await;
        Self { server, inside }
    }

    pub(super) fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap()
    }

    /// The connector that the operator's file makes of this entry, and these further lines.
    pub(super) fn connector(&self, lines: &str) -> Arc<dyn Connector> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("retailers.toml");
        let entry = format!(
            "[[retailer]]\nid = 101\ndisplay_name = \"Shop\"\nconnector = \"oscar\"\nbase_url = \"{}\"\n\
             allow_private_network = true\nmin_interval_ms = 0\n{lines}",
            self.server.uri()
        );
        std::fs::write(&file, entry).unwrap();
        Arc::clone(&retailers_file::load(&file).unwrap()[0].connector)
    }

    /// How many requests so far began like this.
    pub(super) fn count(&self, beginning: &str) -> usize {
        self.inside().requests.iter().filter(|request| request.starts_with(beginning)).count()
    }
}

struct Door(Arc<Mutex<Inside>>);

impl Respond for Door {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut inside = self.0.lock().unwrap();
        let path = match request.url.query() {
            Some(query) => format!("{}?{query}", request.url.path()),
            None => request.url.path().to_owned(),
        };
        inside.requests.push(format!("{} {path}", request.method));
        if let Some(mut event) = inside.event.take() {
            event(&mut inside, &path);
            inside.event.get_or_insert(event);
        }
        inside.answer(request)
    }
}

impl Inside {
    fn answer(&mut self, request: &Request) -> ResponseTemplate {
        let path = request.url.path();
        let cookies = request.headers.get("cookie").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let signed_in = cookies.split("; ").any(|cookie| cookie == format!("sessionid=s{}", self.session));
        let number = |name: &str| path.strip_prefix(name)?.strip_suffix('/')?.parse::<u32>().ok();
        match path {
            "/accounts/login/" if request.method == "POST" => self.sign_in(request, cookies),
            "/accounts/login/" => self.sign_in_page(false),
            _ if path.starts_with("/accounts/") && !signed_in => redirect(&format!("/accounts/login/?next={path}")),
            "/accounts/orders/" => {
                let page = request.url.query_pairs().find(|(name, _)| name == "page");
                self.order_list(page.map_or(1, |(_, page)| page.parse().unwrap()))
            }
            _ => match number("/accounts/orders/") {
                Some(number) => self.order(number),
                None if path.starts_with("/catalogue/") => self.page(PRODUCT),
                None => ResponseTemplate::new(404),
            },
        }
    }

    fn sign_in(&mut self, request: &Request, cookies: &str) -> ResponseTemplate {
        let fields: Vec<(String, String)> = parse(&request.body).into_owned().collect();
        let field = |name: &str| fields.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
        if field("csrfmiddlewaretoken") != "token" || !cookies.contains("csrftoken=secret") {
            return ResponseTemplate::new(403);
        }
        let right = |name: &str, value: &str| field(name) == value;
        match field("login_view-current_step") {
            "" if right("login_submit", "Log In") && right("login-redirect_url", "") => {
                if right("login-username", USERNAME) && right("login-password", PASSWORD) {
                    return self.signed_in();
                }
                self.sign_in_page(true)
            }
            "auth" if right("auth-username", USERNAME) && right("auth-password", PASSWORD) => {
                self.wizard = true;
                self.page(CODE_PAGE)
            }
            "token" if self.wizard && field("wizard_goto_step").is_empty() => {
                if self.paused {
                    return self.page(&CODE_PAGE.replace("<!--error-->", "Disabled because of 1 failed attempt."));
                }
                if right("token-otp_token", CODE) {
                    self.wizard = false;
                    return self.signed_in();
                }
                self.page(&CODE_PAGE.replace("<!--error-->", "Invalid token."))
            }
            _ => self.sign_in_page(true),
        }
    }

    fn signed_in(&self) -> ResponseTemplate {
        redirect("/accounts/").append_header("set-cookie", format!("sessionid=s{}; HttpOnly; Path=/", self.session))
    }

    fn sign_in_page(&self, again: bool) -> ResponseTemplate {
        let page = if self.mfa { WIZARD } else { SIGN_IN };
        let error = if again { "Please enter a correct username and password." } else { "" };
        self.page(&page.replace("<!--error-->", error)).append_header("set-cookie", "csrftoken=secret; Path=/")
    }

    fn order_list(&self, page: usize) -> ResponseTemplate {
        if self.orders.is_empty() {
            return self.page("<html lang='en-gb'><a class='nav-link active' href='/accounts/orders/'>Order History</a><p>You haven't placed any orders.</p>");
        }
        let Some(orders) = self.orders.chunks(20).nth(page - 1) else { return ResponseTemplate::new(404) };
        let mut html = "<html lang='en-gb'><a class='nav-link active' href='/accounts/orders/'>Order History</a>\
            <form method='get'><input name='date_from'></form><table class='table'><tr><th>Order number</th>\
            <th>Num items</th><th>Total inc tax</th><th>Date submitted</th></tr>"
            .to_owned();
        for Order { number, total, date, lines, .. } in orders {
            let items: u32 = lines.iter().map(|line| line.1).sum();
            let row = format!(
                "<tr><td><a href='/accounts/orders/{number}/'>{number}</a></td><td>{items}</td><td>{total}</td><td>{date}</td></tr>"
            );
            html.push_str(&row);
        }
        html.push_str("</table><ul class='pagination'>");
        if page > 1 {
            write!(html, "<li><a class='page-link' href='?page={}'>previous</a></li>", page - 1).unwrap();
        }
        if page * 20 < self.orders.len() {
            write!(html, "<li><a class='page-link' href='?page={}'>next</a></li>", page + 1).unwrap();
        }
        self.page(&html)
    }

    fn order(&self, number: u32) -> ResponseTemplate {
        let Some(order) = self.orders.iter().find(|order| order.number == number) else {
            return ResponseTemplate::new(404);
        };
        let mut html = format!(
            "<html lang='en-gb'><h1>Order #{number}</h1><div><h2>Status</h2><p>{}</p><hr><table><thead><tr><th>Product</th>\
             <th>Qty</th><th>Line price excl. tax</th><th>Line price incl. tax</th><th></th></tr></thead><tbody>",
            order.status
        );
        for (title, quantity, total, product) in &order.lines {
            let title = title.replace('<', "&lt;");
            let title = product.map_or(title.clone(), |name| format!("<a href='/catalogue/{name}/'>{title}</a>"));
            let row = format!(
                "<tr><td><p>\n {title}\n</p></td><td>{quantity}</td><td>£0.01</td><td>{total}</td><td></td></tr>"
            );
            html.push_str(&row);
        }
        let rest = format!(
            "<tr><td colspan='4'>Basket total (excl. discounts)</td><td colspan='2'>£1.00</td></tr>\
             <tr><td colspan='4'>Discount</td><td colspan='2'>- £1.00</td></tr>\
             <tr><th colspan='4'>Order total</th><td colspan='2'>{}</td></tr></tbody></table>\
             <h2>Shipping Address</h2><table><tr><th>Address</th></tr><tr><td>Leeds</td></tr></table></div>",
            order.total
        );
        html.push_str(&rest);
        self.page(&html)
    }

    fn page(&self, html: &str) -> ResponseTemplate {
        let html = match self.change {
            Some((from, to)) => html.replace(from, to),
            None => html.to_owned(),
        };
        ResponseTemplate::new(200).set_body_raw(html, "text/html; charset=utf-8")
    }
}

fn redirect(to: &str) -> ResponseTemplate {
    ResponseTemplate::new(302).insert_header("location", to)
}

const SIGN_IN: &str = "<html lang='en-gb'>
    <form id='language_selector' action='/i18n/setlang/' method='post'>
        <input type='hidden' name='csrfmiddlewaretoken' value='token'><select name='language'></select>
        <button type='submit'>Go</button></form>
    <form method='GET' action='/search/'><input type='text' name='q'><button type='submit'>Search</button></form>
    <form id='login_form' action='/accounts/login/' method='post'>
        <input type='hidden' name='csrfmiddlewaretoken' value='token'><div class='alert'><!--error--></div>
        <input type='email' name='login-username' required><input type='password' name='login-password' required>
        <input type='hidden' name='login-redirect_url'>
        <button name='login_submit' type='submit' value='Log In'>Log In</button></form>
    <form id='register_form' action='/accounts/login/' method='post'>
        <input type='hidden' name='csrfmiddlewaretoken' value='token'>
        <input type='email' name='registration-email'><input type='password' name='registration-password1'>
        <input type='password' name='registration-password2'>
        <button name='registration_submit' type='submit' value='Register'>Register</button></form>";

const WIZARD: &str = "<html><form action='' method='post'>
    <input type='hidden' name='csrfmiddlewaretoken' value='token'>
    <input type='hidden' name='login_view-current_step' value='auth'><ul class='errorlist'><li><!--error--></li></ul>
    <input type='text' name='auth-username'><input type='password' name='auth-password'>
    <input type='submit' value='' hidden><button disabled name='' type='button'>Back</button>
    <button type='submit'>Next</button></form>";

const CODE_PAGE: &str = "<html><form action='' method='post'>
    <input type='hidden' name='csrfmiddlewaretoken' value='token'>
    <input type='hidden' name='login_view-current_step' value='token'><ul class='errorlist'><li><!--error--></li></ul>
    <input type='text' name='token-otp_token'><input type='submit' value='' hidden>
    <button name='wizard_goto_step' type='submit' value='auth'>Back</button><button type='submit'>Next</button></form>
    <form action='' method='post'><input type='hidden' name='csrfmiddlewaretoken' value='token'>
    <button name='wizard_goto_step' type='submit' value='backup'>Use Backup Token</button></form>";

pub(super) const PRODUCT: &str = "<html lang='en-gb'><ol class='breadcrumb'>
    <li class='breadcrumb-item'><a href='/catalogue/'>Home</a></li>
    <li class='breadcrumb-item'><a href='/catalogue/category/household_1/'>Household</a></li>
    <li class='breadcrumb-item'><a href='/catalogue/category/household/cleaning_2/'>Cleaning</a></li>
    <li class='breadcrumb-item active'>Dish Soap — Bulk</li>
    <li class='ml-auto'><a href='/back/'>Back</a></li></ol>
    <article class='product_page'><table><tr><th>UPC</th><td>5000000000008</td></tr>
    <tr><th>Product Type</th><td>Household</td></tr></table></article>";
