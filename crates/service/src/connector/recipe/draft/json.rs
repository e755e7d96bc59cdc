//! A first recipe from JSON: the list of orders and an order, with their keys by their names, and with amounts by what adds up
//! in every order that was read.

use std::ops::Range;

use chrono::DateTime;
use rust_decimal::Decimal;
use serde_json::{Map, Value};
use url::Url;

use super::json_sign_in::{Fields, Token};
use super::line_amounts::are_prices_of_one;
use super::pages::relative;
use super::text::{Writer, Written, quoted};
use crate::connector::kit::currency::Currency;

/// How deep values are looked for.
const DEEPEST: usize = 3;
/// More keys of one kind are not tried together.
const MOST_KEYS: usize = 8;

/// A total is at least so many times the tax in it: the highest rates are below a third.
const TIMES_TAX: u8 = 4;

/// Unix time of the years from 2000 to 2100: an integer beyond it is no date.
const SECONDS: Range<u64> = 946_684_800..4_102_444_800;
/// Names of the date of an order in a list.
const DATES: [&str; 9] = [
    "placed_at",
    "placedAt",
    "orderPlacedAt",
    "order_date",
    "orderDate",
    "ordered_at",
    "created_at",
    "createdAt",
    "date",
];

/// A key of an object, or of an object in it: its path, and its value.
type Leaf<'a> = (String, &'a Value);

/// How the customer was signed in.
pub(super) struct SignedIn<'a> {
    pub(super) url: &'a Url,
    /// The fields that were sent.
    pub(super) fields: &'a Fields,
    /// `None`: cookies show who is signed in.
    pub(super) token: Option<&'a Token>,
}

/// What was recognised of a list.
pub(super) struct SeenList {
    orders: String,
    count: Option<String>,
    /// Whether that may be the number of orders on the page.
    is_count_of_page: bool,
    next: Option<String>,
    number: String,
    key: Option<String>,
    /// Whether it has the lines of its orders.
    pub(super) has_lines: bool,
    all: Vec<Value>,
}

/// Paths to plain values of an object, nested ones included, but for those in lists.
fn leaves<'a>(of: &'a Value, path: &str, deep: usize, into: &mut Vec<Leaf<'a>>) {
    let Some(object) = of.as_object() else { return };
    for (key, value) in object {
        let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let path = if is_plain { format!("{path}.{key}") } else { format!("{path}['{}']", key.replace('\'', "\\'")) };
        match value {
            Value::Object(_) if deep > 0 => leaves(value, &path, deep - 1, into),
            Value::Array(_) | Value::Object(_) => {}
            value => into.push((path, value)),
        }
    }
}

fn leaves_of(of: &Value) -> Vec<Leaf<'_>> {
    let mut all = Vec::new();
    leaves(of, "$", 2, &mut all);
    all
}

/// The value at a path that [`leaves_of`] has.
fn leaf<'a>(of: &'a Value, path: &str) -> Option<&'a Value> {
    leaves_of(of).into_iter().find(|(other, _)| other == path).map(|(_, value)| value)
}

fn amount(of: &Value, path: &str) -> Option<Decimal> {
    leaf(of, path).and_then(decimal)
}

/// The lists of objects in an answer, with their paths.
fn lists<'a>(of: &'a Value, path: &str, deep: usize, into: &mut Vec<(String, &'a Vec<Value>)>) {
    match of {
        Value::Array(list) if list.first().is_some_and(Value::is_object) => into.push((path.to_owned(), list)),
        Value::Object(object) if deep > 0 => {
            object.iter().for_each(|(key, value)| lists(value, &format!("{path}.{key}"), deep - 1, into));
        }
        _ => {}
    }
}

/// The last word of a path.
fn name(path: &str) -> &str {
    path.rsplit(['.', '\'']).find(|part| !part.is_empty() && *part != "]").unwrap_or_default()
}

/// The first of these names that has such a value in every object.
fn named(all: &[&Value], names: &[&str], is: impl Fn(&Value) -> bool) -> Option<String> {
    let leaves: Vec<Vec<Leaf<'_>>> = all.iter().map(|one| leaves_of(one)).collect();
    let first = leaves.first()?;
    let has = |path: &str| leaves.iter().all(|one| one.iter().any(|(other, value)| other == path && is(value)));
    names.iter().find_map(|wanted| {
        let mut fitting = first.iter().filter(|(path, _)| name(path).eq_ignore_ascii_case(wanted) && has(path));
        fitting.next().map(|(path, _)| path.clone())
    })
}

fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Number(number) => {
            number.as_str().parse().ok().or_else(|| Decimal::from_scientific(number.as_str()).ok())
        }
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

fn is_amount(value: &Value) -> bool {
    decimal(value).is_some()
}

fn is_id(value: &Value) -> bool {
    value.as_u64().is_some() || value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_instant(value: &Value) -> bool {
    value.as_str().is_some_and(|text| DateTime::parse_from_rfc3339(text).is_ok())
}

/// Whether the date at that path has no time.
fn has_day(order: &Value, path: &str) -> bool {
    leaf(order, path).and_then(Value::as_str).is_some_and(|date| date.len() == 10)
}

fn is_date(value: &Value) -> bool {
    let looks = |text: &str| {
        text.len() >= 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[..4].iter().all(u8::is_ascii_digit)
    };
    value.as_str().is_some_and(looks)
}

fn is_unix(value: &Value) -> bool {
    value.as_u64().is_some_and(|seconds| SECONDS.contains(&seconds))
}

fn is_unix_ms(value: &Value) -> bool {
    value.as_u64().is_some_and(|millis| SECONDS.contains(&(millis / 1000)))
}

fn is_currency(value: &Value) -> bool {
    value.as_str().is_some_and(|code| code.len() == 3 && Currency::from_code(&code.to_uppercase()).is_some())
}

/// The token in the answer to a sign-in: its path, and itself.
pub(super) fn token(answer: &Value) -> Option<(String, String)> {
    let names = ["token", "access_token", "accessToken", "jwt", "auth_token", "authToken", "id_token"];
    let path = named(&[answer], &names, |value| value.as_str().is_some_and(|text| !text.is_empty()))?;
    let token = leaf(answer, &path)?.as_str()?.to_owned();
    Some((path, token))
}

impl SeenList {
    /// The list of orders, or why there is none.
    pub(super) fn read(answer: &Value) -> Result<Self, String> {
        let mut found = Vec::new();
        lists(answer, "$", DEEPEST, &mut found);
        let numbers = [
            "display_id",
            "number",
            "order_number",
            "orderNumber",
            "increment_id",
            "reference",
            "code",
            "order_id",
            "id",
        ];
        let mut closest: Option<(Vec<&str>, &str)> = None;
        for (path, list) in &found {
            let objects: Vec<&Value> = list.iter().collect();
            let leaves = leaves_of(&list[0]);
            let has = |is: fn(&str, &Value) -> bool| leaves.iter().any(|(path, value)| is(name(path), value));
            let number = named(&objects, &numbers, is_id);
            let has_date = has(|name, value| {
                is_date(value)
                    || (is_unix(value) || is_unix_ms(value)) && DATES.iter().any(|date| name.eq_ignore_ascii_case(date))
            });
            if let Some(number) = number.clone().filter(|_| has_date) {
                return Ok(Self::of(answer, path.clone(), number, list));
            }
            let has_amount = has(|name, value| {
                let name = name.to_lowercase();
                is_amount(value) && ["total", "price", "amount"].iter().any(|word| name.contains(word))
            });
            let known = [("number", number.is_some()), ("date", has_date), ("amount", has_amount)];
            let missing: Vec<&str> =
                known.into_iter().filter(|(_, is_there)| !is_there).map(|(what, _)| what).collect();
            if closest.as_ref().is_none_or(|(least, _)| missing.len() < least.len()) {
                closest = Some((missing, path));
            }
        }
        let missing = closest.map_or_else(String::new, |(missing, path)| {
            format!(" In {path}, which comes closest, no {} was recognised.", missing.join(" and no "))
        });
        Err(format!("The answer has no list of objects with a number, a date and an amount.{missing}"))
    }

    fn of(answer: &Value, orders: String, number: String, list: &[Value]) -> Self {
        let all = list.to_vec();
        let objects: Vec<&Value> = all.iter().collect();
        let key = named(&objects, &["id", "key", "uuid", "code"], is_id).filter(|key| *key != number);
        let shown = all.len() as u64;
        let counts = ["count", "total_count", "totalCount", "total", "totalItems", "total_items"];
        let more = named(&[answer], &counts, |value| value.as_u64().is_some_and(|count| count > shown));
        let is_count_of_page = more.is_none();
        let count = more.or_else(|| named(&[answer], &counts, |value| value.as_u64() == Some(shown)));
        let next = named(&[answer], &["next_cursor", "nextCursor", "endCursor", "next", "next_page_token"], |_| true);
        let has_lines = lines_of(&all[0]).is_some();
        Self { orders, count, is_count_of_page, next, number, key, has_lines, all }
    }

    /// What requests know each order by.
    pub(super) fn keys(&self) -> Vec<String> {
        let path = self.key.as_ref().unwrap_or(&self.number);
        self.all.iter().filter_map(|order| leaf(order, path)).map(id).collect()
    }

    /// The orders as the list has them.
    pub(super) fn orders(&self) -> Vec<Value> {
        self.all.clone()
    }
}

fn id(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The lines of an order, with their path: a list of objects with a quantity.
fn lines_of(order: &Value) -> Option<(String, &Vec<Value>)> {
    let mut found = Vec::new();
    lists(order, "$", DEEPEST, &mut found);
    found.into_iter().find(|(_, list)| {
        let objects: Vec<&Value> = list.iter().collect();
        named(&objects, &QUANTITIES, is_amount).is_some()
    })
}

const QUANTITIES: [&str; 5] = ["quantity", "qty", "quantity_ordered", "qty_ordered", "amount"];

/// Where the answer to a request for an order has it, and the order.
pub(super) fn order_in<'a>(answer: &'a Value, number: &str) -> Option<(String, &'a Value)> {
    let has = |one: &Value| leaves_of(one).iter().any(|(_, value)| id(value) == number) && lines_of(one).is_some();
    let inside = answer.as_object().into_iter().flat_map(Map::iter).find(|(_, value)| value.is_object() && has(value));
    inside.map(|(key, value)| (format!("$.{key}"), value)).or_else(|| has(answer).then(|| ("$".to_owned(), answer)))
}

/// The key for the amount of a line.
#[derive(Clone)]
enum LineAmount {
    /// Where its total is.
    Total(String),
    /// Where the price of one is: the total is price times quantity.
    PriceOfOne(String),
}

/// Names of the price of one. `price` alone may be a total, too.
const PRICES: [&str; 3] = ["unit_price", "unitPrice", "price"];
/// Names of the total of an order in a list.
const TOTALS: [&str; 4] = ["total", "grand_total", "totalWithTax", "total_price"];

/// The keys of the amounts, as they add up in every order.
struct Sums {
    line: LineAmount,
    /// The price of one.
    price: Option<String>,
    basket: Option<String>,
    shipping: Option<String>,
    tax: Option<String>,
    /// Whether the tax is part of the other amounts. Nothing proves that it is all of it.
    has_included_tax: bool,
    discount: Option<String>,
    total: String,
}

fn is_total(path: &str) -> bool {
    let name = name(path).to_lowercase();
    name.contains("total") && !name.contains("sub")
}

/// The less, the likelier a total of an order is there.
fn rank(path: &str) -> (usize, bool, usize, usize) {
    let known = TOTALS.iter().position(|total| name(path).eq_ignore_ascii_case(total));
    (known.unwrap_or(TOTALS.len()), !is_total(path), name(path).len(), path.len())
}

/// Where orders may have their total, the likeliest first: places that equal a total of the list in every order that was read, or
/// if there is none, those that are named so.
fn totals(list: &SeenList, orders: &[&Value]) -> Vec<String> {
    let Some(first) = orders.first() else { return Vec::new() };
    let all: Vec<&Value> = list.all.iter().collect();
    let listed: Vec<String> = TOTALS.iter().filter_map(|total| named(&all, &[total], is_amount)).collect();
    let amounts = leaves_of(first).into_iter().filter(|(_, value)| is_amount(value)).map(|(path, _)| path);
    let is_listed = |path: &String| listed.iter().any(|listed| are_equal(list, listed, orders, path));
    let (mut places, mut others): (Vec<_>, Vec<_>) = amounts.partition(is_listed);
    if places.is_empty() {
        others.retain(|path| is_total(path));
        places = others;
    }
    places.sort_by_key(|path| (listed.iter().all(|listed| name(listed) != name(path)), rank(path)));
    places.truncate(MOST_KEYS);
    places
}

/// Finds keys with lines + shipping + tax − discount = total in every order.
fn sums(orders: &[&Value], totals: &[String]) -> Option<Sums> {
    let first = *orders.first()?;
    let amounts = |words: &[&str]| -> Vec<String> {
        let of = leaves_of(first).into_iter().filter(|(path, value)| {
            let name = name(path).to_lowercase();
            decimal(value).is_some() && words.iter().any(|word| name.contains(word))
        });
        of.map(|(path, _)| path).take(MOST_KEYS).collect()
    };
    let (path, lines) = lines_of(first)?;
    let a_line = lines.first()?;
    let quantity = named(&[a_line], &QUANTITIES, is_amount)?;
    let product = |line: &Value, price: &str| amount(line, price)?.checked_mul(amount(line, &quantity)?);
    let sum = |order: &Value, of: &LineAmount| -> Option<Decimal> {
        let of_line = |line: &Value| match of {
            LineAmount::Total(key) => amount(line, key),
            LineAmount::PriceOfOne(key) => product(line, key),
        };
        lines_of(order).filter(|(other, _)| *other == path)?.1.iter().map(of_line).sum()
    };
    let all_lines: Vec<&Value> =
        orders.iter().filter_map(|order| lines_of(order)).flat_map(|(_, lines)| lines).collect();
    let price_of_one = |of: &LineAmount| match of {
        LineAmount::PriceOfOne(price) => Some(price.clone()),
        LineAmount::Total(total) => named(&all_lines, &PRICES, is_amount).filter(|price| {
            let of = |line: &&Value| [&quantity, price, total].map(|path| amount(line, path));
            price != total && are_prices_of_one(all_lines.iter().map(of))
        }),
    };
    let of_line = leaves_of(a_line).into_iter().filter(|(path, value)| {
        let name = name(path).to_lowercase();
        decimal(value).is_some() && ["total", "price", "amount", "subtotal"].iter().any(|word| name.contains(word))
    });
    let of_line: Vec<String> = of_line.map(|(path, _)| path).collect();
    // Of lines with one piece each, a price is both.
    let (prices, others): (Vec<_>, Vec<_>) = of_line.into_iter().partition(|path| PRICES.contains(&name(path)));
    let as_totals = prices.iter().filter(|path| name(path) == "price").cloned().map(LineAmount::Total);
    let as_totals: Vec<LineAmount> = as_totals.collect();
    let of_line = others.into_iter().map(LineAmount::Total).chain(prices.into_iter().map(LineAmount::PriceOfOne));
    let of_line: Vec<LineAmount> = of_line.chain(as_totals).collect();
    let with_none = |keys: Vec<String>| std::iter::once(None).chain(keys.into_iter().map(Some)).collect::<Vec<_>>();
    let (shipping, tax) = (with_none(amounts(&["shipping", "delivery"])), with_none(amounts(&["tax", "vat"])));
    let discounts = with_none(amounts(&["discount"]));
    let or_nothing =
        |order: &Value, key: &Option<String>| key.as_ref().map_or(Some(Decimal::ZERO), |key| amount(order, key));
    let cent = Decimal::new(1, 2);
    let mut best: Option<(usize, Sums)> = None;
    for total in totals {
        for line in &of_line {
            for (shipping, tax, discount) in shipping
                .iter()
                .flat_map(|shipping| tax.iter().map(move |tax| (shipping, tax)))
                .flat_map(|(shipping, tax)| discounts.iter().map(move |discount| (shipping, tax, discount)))
            {
                let adds_up = |order: &&Value| {
                    let found = sum(order, line)? + or_nothing(order, shipping)? + or_nothing(order, tax)?;
                    let found = found - or_nothing(order, discount)?.abs();
                    Some((found - amount(order, total)?).abs() < cent)
                };
                if !orders.iter().all(|order| adds_up(order) == Some(true)) {
                    continue;
                }
                // What names more figures says more.
                let named = [shipping, tax, discount].iter().filter(|key| key.is_some()).count();
                if best.as_ref().is_none_or(|(known, _)| named > *known) {
                    let baskets = amounts(&["subtotal", "sub_total", "item"]);
                    let basket = baskets.into_iter().find(|basket| {
                        orders.iter().all(|order| {
                            let difference =
                                sum(order, line).zip(amount(order, basket)).map(|(one, other)| one - other);
                            difference.is_some_and(|difference| difference.abs() < cent)
                        })
                    });
                    let sums = Sums {
                        price: price_of_one(line),
                        line: line.clone(),
                        has_included_tax: false,
                        basket,
                        shipping: shipping.clone(),
                        tax: tax.clone(),
                        discount: discount.clone(),
                        total: total.clone(),
                    };
                    best = Some((named, sums));
                }
            }
        }
        if best.is_some() {
            break;
        }
    }
    let (_, mut sums) = best?;
    if sums.tax.is_none() {
        sums.tax = included_tax(orders, amounts(&["tax", "vat"]), &sums.total);
        sums.has_included_tax = sums.tax.is_some();
    }
    Some(sums)
}

/// The key of a tax that the total contains: the largest of them, which may be so much of it.
fn included_tax(orders: &[&Value], mut keys: Vec<String>, total: &str) -> Option<String> {
    let is_rate = |key: &String| ["rate", "percent"].iter().any(|word| name(key).to_lowercase().contains(word));
    let may_be = |order: &&Value, key: &str| {
        let (tax, total) = (amount(order, key)?, amount(order, total)?);
        Some(!tax.is_sign_negative() && tax.checked_mul(TIMES_TAX.into())? <= total)
    };
    keys.retain(|key| !is_rate(key) && orders.iter().all(|order| may_be(order, key) == Some(true)));
    let sum = |key: &String| orders.iter().filter_map(|order| amount(order, key)).sum::<Decimal>();
    keys.into_iter().filter(|key| !sum(key).is_zero()).max_by_key(sum)
}

/// The recipe. `order`: where the answer to a request for an order has it; `orders`: whole orders.
pub(super) fn recipe(
    title: &str,
    base: &Url,
    (list_url, headers): (&Url, &[(String, String)]),
    signed_in: &SignedIn<'_>,
    list: &SeenList,
    (order, orders): (Option<&str>, &[Value]),
) -> Written {
    let mut to = Writer::default();
    to.line("# A first recipe, as far as the answers could be understood. docs/recipes.md describes the keys.");
    to.line("");
    to.raw("recipe", "1");
    to.text("kind", "json");
    to.text("name", title);
    if !headers.is_empty() {
        let all = headers.iter().map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)));
        to.raw("headers", &format!("{{ {} }}", all.collect::<Vec<_>>().join(", ")));
    }
    to.table("sign_in");
    let fields = toml::Value::Table(signed_in.fields.clone());
    to.raw("send", &format!("{{ path = {}, json = {fields} }}", quoted(&relative(signed_in.url, base))));
    if let Some(token) = signed_in.token {
        to.raw("token", &token.at);
        let (name, value) = (quoted(token.header.as_str()), quoted(&token.value));
        to.raw("token_header", &format!("{{ name = {name}, value = {value} }}"));
    }
    to.decide("how the shop answers a wrong password: a wrong one was not sent");
    to.raw("refused", "[{ status = 401 }]");
    let whole: Vec<&Value> = orders.iter().collect();
    let totals = totals(list, &whole);
    let sums = sums(&whole, &totals);
    let total = sums.as_ref().map(|sums| &sums.total).or(totals.first()).map_or("$.total", String::as_str);
    write_list(&mut to, base, list_url, list, total_of(list, &whole, total));
    write_order(&mut to, base, list_url, list, (order, &whole), sums.as_ref(), total);
    to.finish()
}

fn write_list(to: &mut Writer, base: &Url, url: &Url, list: &SeenList, total: Option<String>) {
    to.table("list");
    let pairs: Vec<(String, String)> =
        url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
    let mut plain = url.clone();
    plain.set_query(None);
    let find =
        |names: &[&str]| pairs.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(name, _)| name.clone());
    let size = find(&["limit", "size", "per_page", "page_size", "pageSize"]);
    let (page, offset, cursor) = (find(&["page", "p"]), find(&["offset", "skip"]), find(&["cursor", "after"]));
    let (paging, name, stands) = match (&page, &offset, &cursor) {
        (Some(name), _, _) => ("page", name.clone(), "{page}"),
        (_, Some(name), _) => ("offset", name.clone(), "{offset}"),
        (_, _, Some(name)) => ("cursor", name.clone(), "{cursor}"),
        _ => {
            to.decide("how further pages are asked for: `paging` and the parameters in `query`; the address that was given has none");
            ("offset", "offset".to_owned(), "{offset}")
        }
    };
    let kept = pairs.iter().filter(|(other, _)| Some(other) != size.as_ref() && *other != name);
    let kept = kept.map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)));
    let size = size.as_deref().unwrap_or("limit");
    let own = [format!("{} = \"{{size}}\"", quoted(size)), format!("{} = \"{stands}\"", quoted(&name))];
    let query: Vec<String> = own.into_iter().chain(kept).collect();
    to.raw("send", &format!("{{ path = {}, query = {{ {} }} }}", quoted(&relative(&plain, base)), query.join(", ")));
    to.text("paging", paging);
    if paging == "page" && pairs.iter().any(|(other, value)| *other == name && value == "0") {
        to.raw("first_page", "0");
    }
    match &list.count {
        Some(count) => {
            if list.is_count_of_page {
                to.decide("whether this is the number of all orders, and not of those on the page");
            }
            to.text("count", count);
        }
        None => to.decide("whether an answer says how many orders there are: `count` proves that none is missing"),
    }
    if let Some(next) = list.next.as_ref().filter(|_| paging == "cursor") {
        to.text("next", next);
    }
    to.text("orders", &list.orders);
    to.text("number", &list.number);
    if let Some(key) = &list.key {
        to.text("key", key);
    }
    let all: Vec<&Value> = list.all.iter().collect();
    let formats = [("rfc3339", is_instant as fn(&Value) -> bool), ("unix", is_unix), ("unix_ms", is_unix_ms)];
    let instant = DATES
        .iter()
        .find_map(|date| formats.iter().find_map(|(format, is)| named(&all, &[date], is).map(|path| (path, format))));
    match (instant, named(&all, &DATES, is_date)) {
        (Some((date, format)), _) => {
            to.raw("date", &format!("{{ path = {}, format = \"{format}\" }}", quoted(&date)));
        }
        (None, Some(date)) if all.iter().all(|order| has_day(order, &date)) => {
            to.raw("date", &format!("{{ path = {}, format = \"%Y-%m-%d\" }}", quoted(&date)));
        }
        (None, Some(date)) => {
            to.decide("which zone the dates are in: `zone = \"utc\"`, or the shop's own without it");
            to.needs_zone();
            to.raw("date", &format!("{{ path = {}, format = \"%Y-%m-%d %H:%M:%S\", zone = \"utc\" }}", quoted(&date)));
        }
        (None, None) => to.decide("where an order has its date: `date = { path = …, format = … }`"),
    }
    match total.or_else(|| named(&all, &TOTALS, is_amount)) {
        Some(total) => to.text("total", &total),
        None => to.decide("where an order has its total: `total`"),
    }
    match named(&all, &["currency_code", "currencyCode", "currency", "order_currency_code"], is_currency) {
        Some(currency) => to.text("currency", &currency),
        None => to.decide("where an order has its currency: `currency`"),
    }
    let is_word = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    match named(&all, &["fulfillment_status", "status", "state", "order_status"], is_word) {
        Some(status) => {
            to.decide(
                "whether this is the status that says where the goods are; others may say that an order was cancelled",
            );
            to.text("status", &status);
        }
        None => to.decide("where an order has its status: `status`"),
    }
}

/// Whether an amount of the list equals one of the order in every order that was read.
fn are_equal(list: &SeenList, listed: &str, orders: &[&Value], path: &str) -> bool {
    let mut pairs = list.all.iter().zip(orders);
    pairs.all(|(one, order)| amount(one, listed).is_some_and(|listed| Some(listed) == amount(order, path)))
}

/// Where the list has the total that the orders have there.
fn total_of(list: &SeenList, orders: &[&Value], total: &str) -> Option<String> {
    let mut paths: Vec<String> = leaves_of(list.all.first()?).into_iter().map(|(path, _)| path).collect();
    paths.sort_by_key(|path| (name(path) != name(total), rank(path)));
    paths.into_iter().find(|path| are_equal(list, path, orders, total))
}

fn write_order(
    to: &mut Writer,
    base: &Url,
    list_url: &Url,
    list: &SeenList,
    (order, whole): (Option<&str>, &[&Value]),
    sums: Option<&Sums>,
    total: &str,
) {
    to.table("order");
    if let Some(path) = order {
        let mut at = list_url.clone();
        at.set_query(None);
        let at = format!("{}/{{key}}", relative(&at, base).trim_end_matches('/'));
        to.raw("send", &format!("{{ path = {} }}", quoted(&at)));
        to.text("path", path);
        to.text("number", &list.number);
    }
    let Some((path, lines)) = whole.first().and_then(|order| lines_of(order)) else {
        to.decide("neither the list nor an order seem to have lines: where are they?");
        return;
    };
    to.text("lines", &path);
    let lines: Vec<&Value> = lines.iter().collect();
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let key = |to: &mut Writer, key: &str, names: &[&str], is: &dyn Fn(&Value) -> bool| match named(&lines, names, is) {
        Some(path) => to.text(key, &path),
        None => to.decide(&format!("where a line has this: `{key}`")),
    };
    key(to, "title", &["title", "name", "product_name", "productName", "product_title", "label"], &is_text);
    let skus = ["variant_sku", "sku", "product_sku", "productSku", "article_number"];
    if let Some(sku) = named(&lines, &skus, |value| value.is_null() || is_text(value)) {
        to.text("sku", &sku);
    }
    key(to, "quantity", &QUANTITIES, &is_amount);
    let price = match sums {
        Some(sums) => sums.price.clone(),
        None => named(&lines, &PRICES, is_amount),
    };
    if let Some(price) = &price {
        to.text("unit_price", price);
    }
    write_figures(to, sums, total, whole, price.is_some());
}

fn write_figures(to: &mut Writer, sums: Option<&Sums>, total: &str, whole: &[&Value], has_price: bool) {
    match sums {
        Some(sums) => {
            if let LineAmount::Total(path) = &sums.line {
                to.text("line_total", path);
            }
            to.line("# These add up in every order that was read. Refunds, fees and gift cards are not among them.");
            to.decide("where refunds, fees and gift cards are, if the shop has them: further `figures`");
            if let Some(tax) = sums.tax.as_ref().filter(|_| sums.has_included_tax) {
                to.decide(&format!("whether {tax} is all of the tax that the prices contain"));
            }
        }
        None => to.decide("which figures add up to the total: `line_total` of a line, and `figures` of the order"),
    }
    let of = |path: fn(&Sums) -> &Option<String>| sums.and_then(|sums| path(sums).clone());
    let figures = [
        ("basket", "Subtotal", of(|sums| &sums.basket)),
        ("shipping", "Shipping", of(|sums| &sums.shipping)),
        ("discount", "Discount", of(|sums| &sums.discount)),
        ("tax", "Tax", of(|sums| &sums.tax)),
        ("total", "Total", Some(total.to_owned())),
    ];
    to.line("figures = [");
    for (kind, label, path) in figures.iter().filter_map(|(kind, label, path)| Some((kind, label, path.as_ref()?))) {
        to.line(&format!("    {{ kind = \"{kind}\", label = \"{label}\", amount = {} }},", quoted(path)));
    }
    to.line("]");
    let amounts = whole.iter().flat_map(|order| leaves_of(order)).filter(|(path, _)| path == total);
    if amounts.filter_map(|(_, value)| decimal(value)).all(|amount| amount.fract().is_zero()) {
        to.table("amounts");
        to.decide("whether 1999 is 19.99 (`true`) or 1999.00 (`false`): all amounts are whole numbers");
        to.raw("minor_units", "true");
    }
    let is_shown = |path: fn(&Sums) -> &Option<String>, shown: &'static str| match sums {
        Some(sums) if path(sums).is_none() => "never",
        _ => shown,
    };
    to.table("shows");
    to.text("items", "nothing");
    to.text("basket", if sums.is_some() { is_shown(|sums| &sums.basket, "always") } else { "never" });
    to.text("shipping", is_shown(|sums| &sums.shipping, "at_times"));
    to.text("tax", is_shown(|sums| &sums.tax, "at_times"));
    to.text("unit_price", if has_price { "always" } else { "never" });
    to.table("words.statuses");
    to.decide("what the shop's words for statuses mean, if `retailers check` does not know them");
}
