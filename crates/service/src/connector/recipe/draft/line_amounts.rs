//! Which column of the lines of orders is the total of a line, and which the price of one: what adds up to the basket total, and what
//! is the other times the quantity, in every order that was read. Headings decide only what amounts leave open.

use rust_decimal::Decimal;

use super::tables::{SeenCell, SeenRow, SeenTable};
use super::vocabulary::{Column, Vocabulary};

/// The lines of an order, and the figures below them.
pub(super) struct Lines<'a> {
    pub(super) table: &'a SeenTable,
    pub(super) quantity: usize,
    /// The columns of amounts.
    pub(super) amounts: &'a [usize],
    pub(super) figures: Vec<(&'a SeenCell, &'a SeenCell)>,
}

/// The columns with amounts.
#[derive(Debug)]
pub(super) struct LineAmounts {
    pub(super) total: usize,
    pub(super) unit_price: Option<usize>,
    /// For a person to decide.
    pub(super) doubt: Option<String>,
}

impl LineAmounts {
    /// Of the orders that have the same columns as the first; `None`: their lines have no amounts.
    pub(super) fn of(orders: &[Lines<'_>], vocabulary: &Vocabulary) -> Option<Self> {
        let first = orders.first()?;
        let alike =
            |order: &&Lines<'_>| order.table.headings == first.table.headings && order.quantity == first.quantity;
        let orders: Vec<&Lines<'_>> = orders.iter().filter(alike).collect();
        let rows: Vec<&SeenRow> = orders.iter().flat_map(|order| order.table.full_rows()).collect();
        let amounts: Vec<usize> = first
            .amounts
            .iter()
            .copied()
            .filter(|column| orders.iter().all(|one| one.amounts.contains(column)))
            .collect();
        let heading = |column: usize| first.table.headings[column].as_str();
        let named = |wanted: Column| amounts.iter().copied().find(|column| vocabulary.is(wanted, heading(*column)));
        let (named_total, named_price) = (named(Column::LineTotal), named(Column::UnitPrice));
        // Lines of one piece say nothing of this.
        let tells = rows.iter().any(|row| quantity_in(row, first.quantity) != Some(Decimal::ONE));
        let is_price_of_one = |price: usize, total: usize| {
            let of = |row: &&SeenRow| [quantity_in(row, first.quantity), amount_in(row, price), amount_in(row, total)];
            price != total && are_prices_of_one(rows.iter().map(of))
        };
        let adding_up: Vec<usize> =
            amounts.iter().copied().filter(|column| add_up(&orders, *column, vocabulary)).collect();
        let totals = if adding_up.is_empty() { &amounts } else { &adding_up };
        // Of several, the last: with tax, as a rule.
        let pairs: Vec<(usize, usize)> = totals
            .iter()
            .rev()
            .flat_map(|total| amounts.iter().map(|price| (*price, *total)))
            .filter(|(price, total)| tells && is_price_of_one(*price, *total))
            .collect();
        let is_named = |(price, total): &&(usize, usize)| Some(*price) == named_price || Some(*total) == named_total;
        let pair = pairs.iter().find(is_named).or(pairs.first());
        let total = match pair {
            Some((_, total)) => *total,
            None => named_total.filter(|total| totals.contains(total)).or_else(|| totals.last().copied())?,
        };
        let named_price = named_price.filter(|price| *price != total);
        let unit_price = match pair {
            Some((price, _)) => Some(*price),
            None => named_price.filter(|price| !tells && is_price_of_one(*price, total)),
        };
        let is_certain = pair.is_some() || tells && !adding_up.is_empty();
        let doubt = match named_price.filter(|price| Some(*price) != unit_price) {
            Some(price) if tells => Some(format!(
                "where a line has its total and the price of one: the column \"{}\" times the quantity is not \"{}\"",
                heading(price),
                heading(total)
            )),
            _ if is_certain || amounts.len() == 1 && named(Column::UnitPrice) != Some(total) => None,
            _ => {
                let all: Vec<String> = amounts.iter().map(|column| format!("\"{}\"", heading(*column))).collect();
                Some(format!(
                    "which of these columns is the total of a line, and which the price of one: {}. The lines that were read do \
                     not show it",
                    all.join(", ")
                ))
            }
        };
        Some(Self { total, unit_price, doubt })
    }
}

/// Whether the total of every line is the price times the quantity: `[quantity, price, total]` of each.
pub(super) fn are_prices_of_one(mut lines: impl Iterator<Item = [Option<Decimal>; 3]>) -> bool {
    lines.all(|[quantity, price, total]| {
        let product = quantity.zip(price).and_then(|(quantity, price)| price.checked_mul(quantity));
        product.is_some() && product == total
    })
}

fn amount_in(row: &SeenRow, column: usize) -> Option<Decimal> {
    row.cells.get(column).and_then(|cell| rough(&cell.text))
}

fn quantity_in(row: &SeenRow, column: usize) -> Option<Decimal> {
    row.cells.get(column).and_then(|cell| cell.text.parse().ok())
}

/// Whether the column adds up to the basket total of every order that shows one, and any does.
fn add_up(orders: &[&Lines<'_>], column: usize, vocabulary: &Vocabulary) -> bool {
    let is_basket = |label: &str| vocabulary.label(label).is_some_and(|key| key.starts_with("basket"));
    let of = |order: &Lines<'_>| -> Option<bool> {
        let baskets = order.figures.iter().filter(|(label, _)| is_basket(&label.text));
        let baskets: Vec<Decimal> = baskets.filter_map(|(_, amount)| rough(&amount.text)).collect();
        let sum: Option<Decimal> = order.table.column(column).into_iter().map(|cell| rough(&cell.text)).sum();
        (!baskets.is_empty()).then(|| sum.is_some_and(|sum| baskets.contains(&sum)))
    };
    let shown: Vec<bool> = orders.iter().filter_map(|order| of(order)).collect();
    !shown.is_empty() && shown.into_iter().all(|adds_up| adds_up)
}

/// An amount with two decimals, or a whole one, whatever its signs are; good enough to see what adds up.
fn rough(text: &str) -> Option<Decimal> {
    let signs: String = text.chars().filter(|sign| sign.is_ascii_digit() || matches!(sign, '.' | ',')).collect();
    let (whole, cents) = match signs.rsplit_once(['.', ',']) {
        Some((whole, cents)) if cents.len() == 2 => (whole.to_owned(), cents),
        _ => (signs.clone(), "00"),
    };
    format!("{}.{cents}", whole.replace(['.', ','], "")).parse().ok()
}
