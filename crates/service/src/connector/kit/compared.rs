//! For a trial: which checks find anything to compare in the orders of a shop, and what. A check that finds nothing passes, and
//! proves nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rust_decimal::Decimal;
use serde::Serialize;

use super::check::{Check, Failure};
use super::figures::{Figure, LineColumn, ReadLine, ShownOrder, Summary};
use super::list_proof::EndOfList;
use super::listed::ListedOrder;

/// How much of a customer's orders a trial reads, and what it has found there. A sync has none of it.
#[derive(Debug)]
pub struct Sample {
    /// Orders from the head of the list.
    pub(in crate::connector) orders: usize,
    /// Pages of the list.
    pub(super) list_pages: u32,
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    list: Option<TriedList>,
    /// Whether the list says how many orders there are.
    has_count: bool,
    /// The comparisons in each order, by its number.
    compared: Vec<(String, Vec<Comparison>)>,
    checks: Vec<TriedCheck>,
}

impl Sample {
    /// Nothing of it is read yet.
    pub(in crate::connector) fn new(orders: usize, list_pages: u32) -> Self {
        Self { orders, list_pages, found: Mutex::default() }
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The list is read as far as it is read at all.
    pub(super) fn end_list(&self, orders: usize, is_whole: bool, has_count: bool) {
        let mut found = self.found();
        (found.list, found.has_count) =
            (Some(TriedList { orders, is_whole, end: None, is_end_accepted: false }), has_count);
    }

    /// Takes what the checks compare in an order. One that failed is looked at again, and counts once.
    pub(super) fn compare(&self, listed: &ListedOrder, shown: &ShownOrder) {
        let mut found = self.found();
        found.compared.retain(|(number, _)| *number != listed.number);
        found.compared.push((listed.number.clone(), compare(listed, shown)));
    }

    /// All is read. `kept_back`: the orders that failed a check, and which.
    pub(super) fn end(&self, end: EndOfList, kept_back: &[(String, Failure)]) {
        let mut found = self.found();
        let proof = end.proof(found.has_count);
        if let Some(list) = &mut found.list {
            (list.end, list.is_end_accepted) = (proof, end.is_accepted());
        }
        found.checks = tried(&found.compared, kept_back);
    }

    /// The list and the checks; none before all is read.
    pub(in crate::connector) fn tried(self) -> (Option<TriedList>, Vec<TriedCheck>) {
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        (found.list, found.checks)
    }
}

/// The figures that a check compares in one order.
#[derive(Debug, Clone)]
struct Comparison {
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
    /// Whether the operator accepts that there is none.
    pub is_end_accepted: bool,
}

/// The comparisons that the checks make in this order.
fn compare(listed: &ListedOrder, shown: &ShownOrder) -> Vec<Comparison> {
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
fn tried(orders: &[(String, Vec<Comparison>)], kept_back: &[(String, Failure)]) -> Vec<TriedCheck> {
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
