//! For a trial: which checks find anything to compare in the orders of a shop, and what. A check that finds nothing passes, and
//! proves nothing.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::check::{Check, Failure};
use super::figures::{Figure, LineColumn, ReadLine, ShownOrder, Summary};
use super::list_proof::EndOfList;
use super::list_reading::SampledList;
use super::listed::ListedOrder;

/// The figures that a check compares in one order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Comparison {
    check: String,
    /// The mark of an order that fails it softly; empty if there is none.
    mark: String,
    /// The figures; `None`: the shop does not show them.
    figures: Option<String>,
}

/// A check, over all orders of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriedCheck {
    /// Its name, as in messages.
    pub check: String,
    /// Orders that show what it compares.
    pub compared: usize,
    /// Orders that failed it, or were marked by it.
    pub failed: usize,
    /// The figures of the first order that shows them.
    pub example: Option<String>,
    #[serde(skip)]
    pub(in crate::connector) mark: String,
}

/// The list of orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TriedList {
    /// How many orders it showed.
    pub orders: usize,
    /// Whether it was read to its end.
    pub is_whole: bool,
    /// The proof of its end; `None`: there is none.
    pub end: Option<&'static str>,
}

impl TriedList {
    pub(super) fn of(SampledList { orders, is_whole, has_count }: SampledList, end: EndOfList) -> Self {
        let end = match end {
            EndOfList::PageAfter => Some("the page after the last shows no orders"),
            EndOfList::NextLink => {
                Some("the last page has no link to a next one, and the page after it shows no orders")
            }
            EndOfList::NextLinkRepeats => {
                Some("the last page has no link to a next one, and the page after it shows nothing new")
            }
            EndOfList::LastSays => Some("the last page says that no other follows"),
            EndOfList::Stated => Some("it shows as many orders as it says that there are"),
            EndOfList::OnePage => has_count.then_some("it shows as many orders as it says that there are"),
        };
        Self { orders, is_whole, end }
    }
}

/// The comparisons that the checks make in this order.
pub(super) fn compare(listed: &ListedOrder, shown: &ShownOrder) -> Vec<Comparison> {
    let ShownOrder { lines, figures, .. } = shown;
    let total = figure(figures, |kind| kind == Summary::OrderTotal);
    let items = listed.items.map(|items| format!("{items} in the list, {} on {}", pieces(lines), counted(lines)));
    let basket = figure(figures, Summary::is_basket).map(|basket| format!("{} and {basket}", counted(lines)));
    let price = lines.iter().find_map(|line| {
        let of = |kind| line.amounts.iter().find(|(of, _)| *of == kind)?.1.as_ref().map(|money| money.amount());
        Some(format!("{} × {} and {}", line.quantity, of(LineColumn::UnitPrice)?, of(LineColumn::Total)?))
    });
    let refund = figure(figures, |kind| kind == Summary::Refund).unwrap_or_default().abs();
    let sum = total.map(|total| format!("{}, {} figures and {total}", counted(lines), figures.len()));
    let comparison = |check: &str, mark: &str, figures: Option<String>| Comparison {
        check: check.to_owned(),
        mark: mark.to_owned(),
        figures: figures.map(|figures| format!("{}: {figures}", listed.number)),
    };
    vec![
        comparison(
            &Check::OrderTotal.to_string(),
            "",
            total.map(|total| format!("{} in the list, {total}", listed.total.amount())),
        ),
        comparison(&Check::NumberOfItems.to_string(), "", items),
        comparison(&Check::BasketTotal.to_string(), "basket_total", basket),
        comparison(&Check::SumOfOrder.to_string(), "order_total", sum),
        comparison("price of one times quantity", "unit_price", price),
        comparison(
            "refunds in the list",
            "refund",
            listed.left.map(|left| format!("{left} left in the list, {refund} paid back")),
        ),
    ]
}

/// Each check over all orders, in the same order. `kept_back`: the orders that failed one, and which.
pub(super) fn tried(orders: &[(String, Vec<Comparison>)], kept_back: &[(String, Failure)]) -> Vec<TriedCheck> {
    let Some((_, first)) = orders.first() else { return Vec::new() };
    let of = |place: usize| {
        let of_orders = || orders.iter().filter_map(move |(_, order)| order.get(place)?.figures.clone());
        let Comparison { check, mark, .. } = first[place].clone();
        let failed = kept_back.iter().filter(|(_, failure)| failure.check.to_string() == check).count();
        TriedCheck { compared: of_orders().count(), failed, example: of_orders().next(), check, mark }
    };
    (0..first.len()).map(of).collect()
}

fn figure(figures: &[Figure], is: impl Fn(Summary) -> bool) -> Option<Decimal> {
    figures.iter().find(|figure| figure.kind.is_some_and(&is)).map(|figure| figure.money.amount())
}

fn pieces(lines: &[ReadLine]) -> Decimal {
    lines.iter().fold(Decimal::ZERO, |sum, line| sum.saturating_add(line.quantity))
}

fn counted(lines: &[ReadLine]) -> String {
    if lines.len() == 1 { "1 line".to_owned() } else { format!("{} lines", lines.len()) }
}
