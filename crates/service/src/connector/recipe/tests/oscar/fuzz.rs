//! Pages that were changed at random: they are refused, or read with the lines that they have.

use rust_decimal::Decimal;
use url::Url;

use super::super::super::{order, product_page};
use super::super::settings;
use super::shop::{Order, PRODUCT, list_page};
use super::{read_list, recipe};
use crate::connector::html;
use crate::connector::kit::site::SignInPages as _;
use crate::connector::kit::{order_proof, source};
use crate::fuzzing::fuzz;

const ORDER: &str = "<html lang='en-gb'><head><title>Order #100001 | Account | Shop</title></head><body>\
    <ol class='breadcrumb'><li class='breadcrumb-item active'>Order #100001</li></ol><h1>Order #100001</h1><div>\
    <h2>Status</h2><p>Complete</p><hr><table><thead><tr><th>Product</th><th>Qty</th><th>Line price excl. tax</th>\
    <th>Line price incl. tax</th><th></th></tr></thead><tbody>\
    <tr><td><p><a href='/catalogue/dish-soap-bulk_8/'>Dish Soap</a></p></td><td>3</td><td>£25.00</td><td>£30.00</td><td></td></tr>\
    <tr><td colspan='4'>Basket total</td><td colspan='2'>£30.00</td></tr>\
    <tr><th colspan='4'>Shipping total</th><td colspan='2'>£4.95</td></tr>\
    <tr><th colspan='4'>Order total</th><td colspan='2'>£34.95</td></tr></tbody></table></div></body></html>";
const SIGN_IN: &str = "<html lang='en'><body><form method='post' action='/accounts/login/'>\
    <input type='hidden' name='csrfmiddlewaretoken' value='x'><input type='text' name='login-username'>\
    <input type='password' name='login-password'><button name='login_submit' value='1'>Log in</button></form></body></html>";
const CODE: &str =
    "<html><body><form method='post'><input name='token-otp_token'><ul class='errorlist'><li>3</li></ul></form>";

const WORDS: [&str; 24] = [
    "<table>",
    "</table>",
    "<tr>",
    "<td>",
    "<td colspan='2'>",
    "<th>",
    "</td></tr>",
    "<p>",
    "<form method=post>",
    "<!--",
    "-->",
    "<script>",
    "<template>",
    "<svg>",
    "&nbsp;",
    "£",
    "-",
    "(",
    ")",
    "1,234.56",
    "99999999999999999999999999999",
    "/accounts/orders/100001/",
    "?page=2",
    "\u{202e}",
];

#[test]
fn no_page_breaks_a_reader_or_adds_to_its_lines() {
    let (recipe, settings) = (recipe(), settings());
    let orders: Vec<_> = (1..4).map(|number| Order::new(100_000 + number, "Complete")).collect();
    let list = list_page(&orders, 1, 2);
    let row = list_page(&orders[..1], 1, 1);
    let row = read_list(&row, &scraper::Html::parse_document(&row), &settings).unwrap().rows.remove(0);
    let seeds = [list.as_str(), ORDER, PRODUCT, SIGN_IN, CODE].map(str::as_bytes);
    fuzz("pages of oscar", &seeds, &WORDS, |input, _| {
        let body = String::from_utf8_lossy(input);
        let Ok(document) = html::parse(&body) else { return };
        let _list = read_list(&body, &document, &settings);
        let url: Url = "http://shop.test/accounts/orders/100001/".parse().unwrap();
        let source = order::Source { url: url.clone(), is_whole: source::is_whole(&body), row: row.clone() };
        if let Ok(shown) = order::read(&document, &source, &recipe, &settings)
            && let Ok(page) = order_proof::prove(&row, shown, &recipe.0.shows)
        {
            assert_eq!(page.lines().iter().map(|line| line.quantity()).sum::<Decimal>(), Decimal::from(3), "{body}");
        }
        let _product = product_page::read(&document, recipe.0.product_page.as_ref().unwrap());
        let _form = recipe.read(&document, &url);
    });
}
