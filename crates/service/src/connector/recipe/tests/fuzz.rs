//! Recipes and pages that were changed at random: they are refused, and nothing fails or runs away.

use std::sync::Arc;

use url::Url;

use super::super::list_source::Source;
use super::super::load::shipped;
use super::super::paging::PageAddress;
use super::super::sign_in::RecipeSignIn;
use super::super::value::Address;
use super::super::{CheckedRecipe, json, list, order};
use super::{example, settings};
use crate::connector::html;
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::site::SignInPages as _;
use crate::connector::kit::source;
use crate::fuzzing::fuzz;

const LIST: &str = "<html lang='en'><main class='account'><table class='orders'><thead><tr><th>Order</th><th>Date</th>\
    <th>Items</th><th>Total</th></tr></thead><tbody><tr><td><a href='/orders/1001'>No. 1001</a></td><td>1 February 2025</td>\
    <td>4</td><td>£35.50</td></tr></tbody></table></main></html>";
const ORDER: &str = "<html lang='en'><h1>Order 1001</h1><p class='state'><strong>on its way</strong></p><table class='lines'>\
    <thead><tr><th>Article</th><th>Price</th><th>Quantity</th><th>Total</th></tr></thead><tbody><tr><td>Lamp</td><td>£10.00</td>\
    <td>3</td><td>£30.00</td></tr></tbody></table><table class='sums'><tr><th>Subtotal</th><td>£30.00</td></tr>\
    <tr><th>Total</th><td>£30.00</td></tr></table></html>";
const WORDS: [&str; 16] = [
    "<table class='orders'>",
    "</table>",
    "<tr>",
    "<td>",
    "<td colspan='2'>",
    "<th>",
    "<del>",
    "<ins>",
    "<form method=post>",
    "<template>",
    "<svg>",
    "£",
    "-",
    "99999999999999999999999999999",
    "/orders/1001",
    "\u{202e}",
];

#[test]
fn no_page_breaks_a_reader() {
    let recipe = RecipeSignIn(Arc::new(CheckedRecipe::load("example", example(), None).unwrap().into_pages()));
    let settings = settings();
    let read_list = |body: &str, document: &scraper::Html| {
        let list: Url = "https://shop.test/orders/".parse().unwrap();
        let source = Source {
            url: list.clone(),
            number: 1,
            is_whole: source::is_whole(body),
            order_page: "/orders/".to_owned(),
            mentioned: source::mentioned_after("/orders/", body),
            list,
            paging: PageAddress::of(
                &"https://shop.test/".parse().unwrap(),
                &Address::parse("orders/?page={page}").unwrap(),
            ),
        };
        list::read(document, &source, &recipe, &settings)
    };
    let row: ListedOrder = read_list(LIST, &scraper::Html::parse_document(LIST)).unwrap().rows.remove(0);
    fuzz("recipe pages", &[LIST.as_bytes(), ORDER.as_bytes()], &WORDS, |input, _| {
        let body = String::from_utf8_lossy(input);
        if let Ok(document) = html::parse(&body) {
            let _list = read_list(&body, &document);
            let url = "https://shop.test/orders/1001".parse().unwrap();
            let source = order::Source { url, is_whole: source::is_whole(&body), row: row.clone() };
            let _order = order::read(&document, &source, &recipe, &settings);
            let _asks = recipe.asks(&document);
        }
    });
}

#[test]
fn no_answer_breaks_the_reader_of_json() {
    let recipe = CheckedRecipe::load("magento", shipped("magento"), None).unwrap();
    let order = r#"{"number":"7","order_date":"2026-01-02 03:04:05","status":"Complete","total":{"subtotal":{"value":10},"discounts":[{"amount":{"value":1.5},"label":"Ten"}],"total_tax":{"value":0},"total_shipping":{"value":5},"grand_total":{"value":13.5,"currency":"USD"}},"items":[{"product_name":"Lamp","product_sku":"L","quantity_ordered":2,"quantity_refunded":0,"product_sale_price":{"value":5}}],"credit_memos":[]}"#;
    let answer = format!(r#"{{"data":{{"customer":{{"orders":{{"total_count":1,"items":[{order}]}}}}}}}}"#);
    let words =
        ["null", "1e308", "-0", "79228162514264337593543950335", "[]", "\"\"", "{}", "0.00000000000000000000000000001"];
    let settings = super::settings();
    fuzz("answers in json", &[answer.as_bytes()], &words, |input, _| {
        json::read_anything(recipe.of_json().unwrap(), &String::from_utf8_lossy(input), &settings);
    });
}

#[test]
fn no_recipe_breaks_the_loader() {
    let words = [
        "[list]\n",
        "recipe = 2\n",
        "{ heading = [] }",
        "\"\"\"",
        "(",
        ")",
        "{100}",
        "*",
        ":not(",
        "{page}",
        "{account}",
    ];
    fuzz(
        "recipes",
        &[example(), shipped("woocommerce"), shipped("oscar"), shipped("magento")].map(str::as_bytes),
        &words,
        |input, _| {
            let _recipe = CheckedRecipe::load("recipe", &String::from_utf8_lossy(input), None);
        },
    );
}
