//! The order route of WooCommerce's Store API (version 8 and later): SKUs and exact titles, which the pages of orders lack.
//!
//! It adds to what the page proved, and replaces no figure. Its lines have to be those of the page, one by one. A shop without
//! the route, or one that refuses it, is read from its pages alone.

use rust_decimal::Decimal;
use scraper::Html;
use serde::{Deserialize, Serialize};
use url::Url;

use super::record::{MAX_DECIMALS, OrderTotals};
use crate::connector::ConnectorError;
use crate::connector::egress::{Egress, Request, Visitor};
use crate::connector::kit::breaker::Breaker;
use crate::connector::kit::checked_order::{ProductFacts, Record};
use crate::connector::kit::order_proof::{ProvenLine, ProvenOrder};
use crate::connector::kit::page::PageKind;
use crate::connector::kit::turn::Turn;

/// The route, from the shop's address on. The id of the order follows.
const ROUTE: &str = "wp-json/wc/store/v1/order/";
/// The longest SKU that is kept, in characters, and the longest title, in bytes.
const MAX_SKU: usize = 256;
const MAX_TITLE: usize = 2048;

/// After so many refusals in a row, the shop counts as one that refuses all.
const MAX_REFUSALS: u8 = 3;

/// What is kept in the course of a scan.
#[derive(Default, Serialize, Deserialize)]
pub(in crate::connector) struct StoreApi {
    /// Of the order that was read last.
    found: Found,
    route: Route,
    breaker: Breaker,
}

/// What the route says of an order.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Found {
    /// Nothing: what is stored is kept.
    #[default]
    Nothing,
    /// No readable answer this time.
    Broken,
    Lines(Vec<LineFacts>, Record),
    /// The lines are others than those of the page: what was found.
    Contradiction(String),
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Route {
    #[default]
    Untried,
    /// So many orders in a row were refused, because the sign-in had just ended, by a firewall, or because the shop refuses
    /// all.
    Refused(u8),
    Answers,
    /// The shop does not have it, or refuses it.
    Absent,
}

/// What the route says of a line of the page.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LineFacts {
    title: String,
    sku: Option<String>,
    /// Whether the page shows the same title, in other signs.
    is_same_title: bool,
}

/// The answer, as far as it is read.
#[derive(Deserialize)]
struct Order {
    id: u64,
    items: Vec<Item>,
    totals: Option<OrderTotals>,
}

#[derive(Deserialize)]
struct Item {
    name: String,
    sku: String,
    /// As ordered, also after a refund.
    quantity: serde_json::Number,
    totals: Totals,
}

/// In the smallest unit of the amounts that the shop shows, without tax.
#[derive(Deserialize)]
struct Totals {
    line_subtotal: String,
    line_subtotal_tax: String,
    currency_minor_unit: u32,
}

/// The answer to a refusal.
#[derive(Deserialize)]
struct Refusal {
    code: String,
}

impl StoreApi {
    /// Asks the route for an order whose page was read, and keeps what it says.
    pub(in crate::connector) async fn ask(
        &mut self,
        (egress, base): (&Egress, &Url),
        turn: &mut Turn<'_, '_>,
        order: &ProvenOrder,
    ) -> Result<(), ConnectorError> {
        self.found = Found::Nothing;
        let listed = order.listed();
        if self.route == Route::Absent {
            return Ok(());
        }
        // The number may be another one than the id.
        let Some(id) = listed.path.trim_end_matches('/').rsplit('/').next().and_then(|id| id.parse().ok()) else {
            return Ok(());
        };
        self.found = Found::Broken;
        if self.breaker.asks(&listed.path, turn.context.now) {
            self.found = match order_of_api((egress, base), turn, &mut self.route, id, order).await {
                Ok(found) => found,
                Err(error) if self.breaker.ends_step(&error, turn.context.attempt) => return Err(error),
                Err(_) => Found::Broken,
            };
            self.breaker.count(self.found == Found::Broken);
            turn.read_on();
        }
        Ok(())
    }

    /// What is known of the figures of the order that was read last.
    pub(in crate::connector) const fn record(&self) -> Option<&Record> {
        match &self.found {
            Found::Lines(_, record) => Some(record),
            Found::Nothing | Found::Broken | Found::Contradiction(_) => None,
        }
    }

    /// The facts about the line at this index in the order that was read last. Lines that look identical on the page are
    /// interchangeable.
    pub(in crate::connector) fn facts(&self, place: usize) -> ProductFacts<'_> {
        match &self.found {
            Found::Nothing => ProductFacts::Gone,
            Found::Broken => ProductFacts::Broken,
            Found::Contradiction(found) => ProductFacts::Contradicts(found),
            Found::Lines(all, _) => {
                let Some(LineFacts { title, sku, is_same_title }) = all.get(place) else { return ProductFacts::Gone };
                let sku = sku.as_deref();
                if *is_same_title {
                    ProductFacts::Exact { title, sku }
                } else {
                    ProductFacts::Read { title: Some(title), sku, categories: &[] }
                }
            }
        }
    }
}

async fn order_of_api(
    (egress, base): (&Egress, &Url),
    turn: &mut Turn<'_, '_>,
    route: &mut Route,
    id: u64,
    order: &ProvenOrder,
) -> Result<Found, ConnectorError> {
    let url = base.join(&format!("{ROUTE}{id}")).map_err(|_| PageKind::Order.unreadable("an address"))?;
    let response = egress.send(Request::get(url.clone()), turn.cookies, Visitor::of(turn.context)).await?;
    // Errors of the route itself begin with its name; those of WordPress and of plugins that close it do not. A firewall
    // answers with a page.
    let code = serde_json::from_str(&response.body).ok().map(|Refusal { code }| code);
    let is_own = code.as_ref().is_some_and(|code| code.starts_with("woocommerce_"));
    let is_closed = matches!(response.status, 404 | 410) || code.is_some() && !is_own;
    Ok(match (response.status, *route) {
        (200, _) if response.url == url => match serde_json::from_str(&response.body) {
            Ok(answer) => {
                *route = Route::Answers;
                compare(&answer, id, order)
            }
            Err(_) => Found::Broken,
        },
        (404 | 410, _) if is_own => Found::Nothing,
        (401 | 403 | 404 | 410, Route::Untried | Route::Refused(_)) if is_closed => {
            *route = Route::Absent;
            Found::Nothing
        }
        // Its page was shown just now. The page of the next order shows whether the sign-in has ended.
        (401 | 403, Route::Untried) => {
            *route = Route::Refused(1);
            Found::Broken
        }
        (401 | 403, Route::Refused(count)) if count.saturating_add(1) < MAX_REFUSALS => {
            *route = Route::Refused(count.saturating_add(1));
            Found::Broken
        }
        (401 | 403, Route::Refused(_)) => {
            *route = Route::Absent;
            Found::Nothing
        }
        _ => Found::Broken,
    })
}

/// Puts the lines of the answer beside those of the page.
fn compare(answer: &Order, id: u64, order: &ProvenOrder) -> Found {
    let contradiction = |found: &str| Found::Contradiction(format!("the shop's record of the order {found}"));
    let lines = order.lines();
    if answer.id != id {
        return contradiction("is that of another order.");
    }
    if answer.items.len() != lines.len() {
        return contradiction("has another number of lines than its page.");
    }
    // All prices of a shop are shown with tax, or all without it.
    let pairs =
        [Totals::are_without_tax, Totals::are_with_tax].into_iter().find_map(|same| paired(answer, lines, same));
    let Some(pairs) = pairs else {
        return contradiction("has other quantities or line totals than its page.");
    };
    let record = match answer.totals.as_ref().map(|totals| totals.record(order)) {
        None => Record::default(),
        Some(Ok(record)) => record,
        Some(Err(found)) => return contradiction(found),
    };
    let facts = lines.iter().zip(pairs).map(|(line, item)| item.facts(line)).collect::<Option<_>>();
    facts.map_or(Found::Broken, |facts| Found::Lines(facts, record))
}

/// The item of each line, with the same quantity and total. A page may have its lines in another order: of several such items, it is
/// the one with the line's title.
fn paired<'a>(answer: &'a Order, lines: &[ProvenLine], is_same: fn(&Totals, Decimal) -> bool) -> Option<Vec<&'a Item>> {
    let fits = |item: &Item, line: &ProvenLine| {
        item.quantity.to_string().parse() == Ok(line.quantity()) && is_same(&item.totals, line.total())
    };
    if lines.iter().zip(&answer.items).all(|(line, item)| fits(item, line)) {
        return Some(answer.items.iter().collect());
    }
    let mut left: Vec<&Item> = answer.items.iter().collect();
    let mut items = vec![None; lines.len()];
    for is_by_title in [true, false] {
        for (line, found) in lines.iter().zip(&mut items).filter(|(_, found)| found.is_none()) {
            let is_titled = |item: &Item| item.facts(line).is_some_and(|facts| facts.is_same_title);
            let place = left.iter().position(|item| fits(item, line) && (!is_by_title || is_titled(item)));
            *found = place.map(|place| left.remove(place));
        }
    }
    items.into_iter().collect()
}

impl Totals {
    fn are_without_tax(&self, shown: Decimal) -> bool {
        self.amount(&self.line_subtotal) == Some(shown)
    }

    /// Both parts are rounded, so that their sum may be off by one.
    fn are_with_tax(&self, shown: Decimal) -> bool {
        let sum = || self.amount(&self.line_subtotal)?.checked_add(self.amount(&self.line_subtotal_tax)?);
        sum().and_then(|sum| sum.checked_sub(shown)).is_some_and(|off| off.abs() <= Decimal::new(1, self.decimals()))
    }

    fn amount(&self, units: &str) -> Option<Decimal> {
        Decimal::try_from_i128_with_scale(units.parse::<i64>().ok()?.into(), self.decimals()).ok()
    }

    fn decimals(&self) -> u32 {
        self.currency_minor_unit.min(MAX_DECIMALS)
    }
}

impl Item {
    /// `None`: a text of it cannot be kept.
    fn facts(&self, line: &ProvenLine) -> Option<LineFacts> {
        let is_text = |text: &str| !text.chars().any(char::is_control);
        let sku = Some(self.sku.trim()).filter(|sku| !sku.is_empty());
        if !is_text(&self.name)
            || !is_text(&self.sku)
            || self.sku.chars().count() > MAX_SKU
            || self.name.len() > MAX_TITLE
        {
            return None;
        }
        let decoded: String = Html::parse_fragment(&self.name).root_element().text().collect();
        // A shop may cut its titles short.
        let is_same = |exact: &str, shown: &str| exact == shown || !shown.is_empty() && exact.starts_with(shown);
        let is_of = |exact: &str| line.titles().any(|shown| is_same(&letters(exact), &letters(shown)));
        let is_shown = is_of(&self.name) || is_of(&without_tags(&self.name));
        // Some shops keep names with character references.
        let title = if is_shown { &self.name } else { &decoded };
        Some(LineFacts {
            title: title.trim().to_owned(),
            sku: sku.map(str::to_owned),
            is_same_title: is_shown || is_of(&decoded),
        })
    }
}

/// The shop replaces quotes, dashes and spaces when it shows a title.
fn letters(title: &str) -> String {
    title.chars().filter(|sign| sign.is_alphanumeric()).collect()
}

/// WordPress takes `<3m>` for a tag, and leaves it out when it shows a title.
fn without_tags(title: &str) -> String {
    let mut parts = title.split('<');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| shown + part.split_once('>').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod fuzz {
    use super::{Found, Order, ProvenOrder, compare};
    use crate::fuzzing::fuzz;

    const PAGE: &str = r#"{"listed": ["7", "/my-account/view-order/7/", 1700000000, "31.50", "USD", "4", null, null, null], "status": "Completed",
        "lines": [{"title": "Lamp", "product": null, "quantity": "3", "total": "30.00", "unit_price": "10.00", "is_doubtful": false, "others": [], "is_cut": false},
        {"title": "Pen", "product": null, "quantity": "1", "total": "1.50", "unit_price": "1.50", "is_doubtful": false, "others": [], "is_cut": false}],
        "mismatch": [], "adjustments": []}"#;
    const ANSWER: &str = r#"{"id": 7, "items": [
        {"name": "Lamp", "sku": "L-1", "quantity": 3, "totals": {"line_subtotal": "3000", "line_subtotal_tax": "300", "currency_minor_unit": 2}},
        {"name": "Pen", "sku": "", "quantity": 1, "totals": {"line_subtotal": "150", "line_subtotal_tax": "15", "currency_minor_unit": 2}}]}"#;
    const WORDS: [&str; 14] = [
        "-",
        "0",
        "9",
        "e400",
        "1e9",
        "1.0",
        "9223372036854775807",
        "99999999999999999999999999999",
        "4294967295",
        "null",
        "\"",
        "{",
        "[",
        "<b>",
    ];

    #[test]
    fn no_answer_breaks_it() {
        let order: ProvenOrder = serde_json::from_str(PAGE).unwrap();
        let answer = serde_json::from_str(ANSWER).unwrap();
        assert!(matches!(compare(&answer, 7, &order), Found::Lines(lines, _) if lines.len() == 2));
        fuzz("store api", &[ANSWER.as_bytes()], &WORDS, |input, _| {
            if let Ok(answer) = serde_json::from_slice::<Order>(input)
                && let Found::Lines(lines, _) = compare(&answer, 7, &order)
            {
                assert!(lines.len() == 2 && answer.id == 7, "{lines:?}");
            }
        });
    }
}
