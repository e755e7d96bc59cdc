//! A small Oscar: its pages have the structure of the real ones, cut down to what is read and what could be mistaken
//! for it. It keeps sessions and CSRF tokens, so that what a browser must do has to be done here, too.

use std::fmt::Write as _;
use std::sync::Arc;

use chrono::NaiveDate;
use rust_decimal::Decimal;
use url::form_urlencoded::parse;
use wiremock::{Request, ResponseTemplate};

use crate::connector::Connector;
use crate::connector::fake_shop::{self, Edit, FakeShop, Instead};
pub(super) use crate::connector::fake_shop::{PASSWORD, USERNAME, html as answer};

pub(super) const CODE: &str = "123456";

pub(super) type Shop = FakeShop<Inside>;

/// What happens before a request is answered: it gets the request's path.
type Event = Box<dyn FnMut(&mut Inside, &str) + Send>;

#[derive(Default)]
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
    pub(super) event: Option<Event>,
    /// Replaces a text in every page.
    pub(super) change: Option<(&'static str, &'static str)>,
    /// The request that is being answered.
    path: String,
    pub(super) is_post: bool,
    pub(super) edit: Option<Edit>,
    pub(super) instead: Option<Instead>,
}

#[derive(Clone)]
pub(super) struct Order {
    pub(super) number: u32,
    pub(super) status: &'static str,
    pub(super) total: &'static str,
    pub(super) date: &'static str,
    pub(super) lines: Vec<Line>,
    /// Taken off the lines.
    pub(super) discount: Option<&'static str>,
}

/// Title, quantity, line total, and the last part of the product's address.
pub(super) type Line = (&'static str, u32, &'static str, Option<&'static str>);

impl Order {
    pub(super) fn new(number: u32, status: &'static str) -> Self {
        let lines = vec![("Dish Soap — Bulk", 3, "£30.00", Some("dish-soap-bulk_8"))];
        Self { number, status, total: "£34.95", date: "8 Oct 2025, 6:20 p.m.", lines, discount: None }
    }
}

impl Shop {
    /// A shop in which the customer has these orders, newest first.
    pub(super) async fn with(orders: Vec<Order>) -> Self {
        Self::open(Inside { orders, session: 1, ..Inside::default() }).await
    }

    pub(super) fn connector(&self, lines: &str) -> Arc<dyn Connector> {
        fake_shop::connector("oscar", &self.uri(), lines)
    }
}

impl fake_shop::Inside for Inside {
    fn answer(&mut self, request: &Request) -> ResponseTemplate {
        let path = match request.url.query() {
            Some(query) => format!("{}?{query}", request.url.path()),
            None => request.url.path().to_owned(),
        };
        self.is_post = request.method == "POST";
        if let Some(mut event) = self.event.take() {
            event(self, &path);
            self.event.get_or_insert(event);
        }
        let instead = self.instead.as_mut().and_then(|instead| instead(&path));
        self.path = path;
        instead.unwrap_or_else(|| self.own_answer(request))
    }
}

impl Inside {
    fn own_answer(&mut self, request: &Request) -> ResponseTemplate {
        let path = request.url.path();
        let cookies = request.headers.get("cookie").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let signed_in = cookies.split("; ").any(|cookie| cookie == format!("sessionid=s{}", self.session));
        let number = |name: &str| path.strip_prefix(name)?.strip_suffix('/')?.parse::<u32>().ok();
        match path {
            "/accounts/login/" if request.method == "POST" => self.sign_in(request, cookies),
            "/accounts/login/" => self.sign_in_page(false),
            _ if path.starts_with("/accounts/") && !signed_in => redirect(&format!("/accounts/login/?next={path}")),
            "/accounts/orders/" => {
                let field = |name: &str| request.url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value);
                let page = field("page").map_or(1, |page| page.parse().unwrap());
                let date = |name| field(name).and_then(|date| date.parse::<NaiveDate>().ok());
                match field("date_from") {
                    None => self.order_list(page),
                    Some(_) => self.filtered(date("date_from"), date("date_to")),
                }
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
        if self.orders.is_empty() && page == 1 {
            return self.page(&format!("{HEAD}<p>You haven't placed any orders.</p></body></html>"));
        }
        let Some(orders) = self.orders.chunks(20).nth(page - 1) else { return ResponseTemplate::new(404) };
        self.page(&list_page(orders, page, self.orders.len().div_ceil(20)))
    }

    fn filtered(&self, from: Option<NaiveDate>, to: Option<NaiveDate>) -> ResponseTemplate {
        let day = |order: &Order| {
            let date = order.date.split_once(',').unwrap().0;
            NaiveDate::parse_from_str(date, "%d %b %Y").unwrap()
        };
        let within =
            |order: &&Order| from.is_none_or(|from| day(order) >= from) && to.is_none_or(|to| day(order) <= to);
        let orders: Vec<Order> = self.orders.iter().filter(within).cloned().collect();
        if orders.is_empty() {
            return self.page(&format!("{HEAD}{FILTER}<p>No orders match your search.</p></body></html>"));
        }
        self.page(&list_page(&orders[..orders.len().min(20)], 1, orders.len().div_ceil(20)))
    }

    fn order(&self, number: u32) -> ResponseTemplate {
        let Some(order) = self.orders.iter().find(|order| order.number == number) else {
            return ResponseTemplate::new(404);
        };
        self.page(&order_page(order))
    }

    fn page(&self, html: &str) -> ResponseTemplate {
        let html = match self.change {
            Some((from, to)) => html.replace(from, to),
            None => html.to_owned(),
        };
        answer(self.edit.as_ref().map_or(html.clone(), |edit| edit(&self.path, &html)))
    }
}

/// An amount of the pages, without its sign.
fn amount(text: &str) -> Decimal {
    text.replace(['£', ','], "").parse().unwrap()
}

/// A page of the order list, as the stock template shows it.
pub(super) fn list_page(orders: &[Order], page: usize, pages: usize) -> String {
    let mut html = format!(
        "{HEAD}{FILTER}<h2>All orders</h2><table class='table'><tr><th>Order number</th>\
         <th>Num items</th><th>Total inc tax</th><th>Date submitted</th></tr>"
    );
    for Order { number, total, date, lines, .. } in orders {
        let items: u32 = lines.iter().map(|line| line.1).sum();
        let row = format!(
            "<tr><td><a href='/accounts/orders/{number}/'>{number}</a></td><td>{items}</td><td>{total}</td><td>{date}</td></tr>"
        );
        html.push_str(&row);
    }
    html.push_str("</table>");
    if pages > 1 {
        html.push_str("<nav><ul class='pagination'>");
        if page > 1 {
            write!(html, "<li><a class='page-link' href='?page={}'>previous</a></li>", page - 1).unwrap();
        }
        write!(html, "<li><span class='page-link'>Page {page} of {pages}</span></li>").unwrap();
        if page < pages {
            write!(html, "<li><a class='page-link' href='?page={}'>next</a></li>", page + 1).unwrap();
        }
        html.push_str("</ul></nav>");
    }
    html.push_str("</body></html>");
    html
}

/// The page of an order, as the stock template shows it.
pub(super) fn order_page(order: &Order) -> String {
    let number = order.number;
    let mut html = format!(
        "<html lang='en-gb'><head><title>Order #{number} | Account | Shop</title></head><body>\
             <ol class='breadcrumb'><li class='breadcrumb-item active'>Order #{number}</li></ol>\
             <h1>Order #{number}</h1><div><h2>Status</h2><p>{}</p><hr><table><thead><tr><th>Product</th>\
             <th>Qty</th><th>Line price excl. tax</th><th>Line price incl. tax</th><th></th></tr></thead><tbody>",
        order.status
    );
    let mut basket = Decimal::ZERO;
    for (title, quantity, total, product) in &order.lines {
        basket += amount(total);
        let title = title.replace('<', "&lt;");
        let title = product.map_or(title.clone(), |name| format!("<a href='/catalogue/{name}/'>{title}</a>"));
        let row = format!(
            "<tr><td><p>\n {title}\n</p></td><td>{quantity}</td><td>£0.01</td><td>{total}</td><td>Not available anymore</td></tr>"
        );
        html.push_str(&row);
    }
    if let Some(discount) = order.discount {
        let rows = format!(
            "<tr><td colspan='4'>Basket total (excl. discounts)</td><td colspan='2'>£{basket}</td></tr>\
                 <tr><td colspan='4'><span class='badge badge-success'>Discount</span> Autumn</td>\
                 <td colspan='2'>- {discount}</td></tr>"
        );
        html.push_str(&rows);
        basket -= amount(discount);
    }
    let label = if order.discount.is_some() { "Basket total (inc. discounts)" } else { "Basket total" };
    let rest = format!(
        "<tr><th colspan='4'>{label}</th><td colspan='2'>£{basket}</td></tr>\
             <tr><th colspan='4'>Shipping total</th><td colspan='2'>£{}</td></tr>\
             <tr><th colspan='4'>Order total</th><td colspan='2'>{}</td></tr></tbody></table>\
             <form action='/accounts/orders/{number}/' method='post'><button>Re-order all items</button></form>\
             <h2>Shipping Method</h2><p>Standard</p>\
             <h2>Shipping Address</h2><table><tr><th>Address</th></tr><tr><td>Leeds</td></tr></table></div></body></html>",
        amount(order.total) - basket,
        order.total
    );
    html.push_str(&rest);
    html
}

/// The navigation of the account, above every list.
const HEAD: &str = "<html lang='en-gb'><head><title>Order History | Account | Shop</title></head><body>\
    <a class='nav-link active' href='/accounts/orders/'>Order History</a>";
/// The form that filters the list.
const FILTER: &str =
    "<form method='get'><input name='date_from'><input name='date_to'><input name='order_number'></form>";

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
    <article class='product_page'><h1>Dish Soap — Bulk</h1><table><tr><th>UPC</th><td>5000000000008</td></tr>
    <tr><th>Product Type</th><td>Household</td></tr></table></article></body></html>";
