//! What the figures of an order's page prove: no line, quantity or amount is taken that a second figure does not confirm.
//!
//! Hard checks fail the order ([`Failure`]); soft ones mark it ([`Mismatch`]), because shops round, and add fees that nobody
//! foresaw. There is no other way to a [`ProvenOrder`] than through all of them.

use ordersync_api::order::{Adjustment, Mismatch};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::check::{Check, Failure};
use super::figures::{Figure, LineColumn, ReadLine, ShownOrder, Summary, Title};
use super::listed::ListedOrder;
use super::shows::{Presence, Shows};

/// The longest title that is taken, in bytes.
const MAX_TITLE: usize = 2048;

/// An order whose figures agree with each other and with those of the list.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::connector) struct ProvenOrder {
    listed: ListedOrder,
    status: Option<String>,
    lines: Vec<ProvenLine>,
    mismatch: Vec<Mismatch>,
    /// `None` in a state that an earlier version left.
    #[serde(default)]
    adjustments: Option<Vec<Adjustment>>,
}

/// A line of the order, as it was proven.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::connector) struct ProvenLine {
    title: String,
    /// Path of the product's page; `None`: the product is hidden or gone.
    product: Option<String>,
    #[serde(with = "super::decimal")]
    quantity: Decimal,
    /// As the line shows it.
    #[serde(default)]
    sku: Option<String>,
    /// With tax, before discounts.
    #[serde(with = "super::decimal")]
    total: Decimal,
    /// The price of one, if the total is exactly so many times that.
    #[serde(with = "super::decimal::option")]
    unit_price: Option<Decimal>,
    /// Whether the page of the product has to confirm the title.
    is_doubtful: bool,
}

impl ProvenOrder {
    /// What the list shows of it.
    pub(in crate::connector) const fn listed(&self) -> &ListedOrder {
        &self.listed
    }

    /// In the shop's own words.
    pub(in crate::connector) fn status(&self) -> Option<&str> {
        self.status.as_deref()
    }

    pub(in crate::connector) fn lines(&self) -> &[ProvenLine] {
        &self.lines
    }

    /// Figures that do not agree, and a status that is not shown, although what is stored is proven.
    pub(in crate::connector) fn mismatch(&self) -> &[Mismatch] {
        &self.mismatch
    }

    /// The parts of the total beside the lines, in the order of the page, then what was paid back. If no mismatch says
    /// otherwise, the parts and the lines add up to it, within a coin for each.
    pub(in crate::connector) fn adjustments(&self) -> Option<&[Adjustment]> {
        self.adjustments.as_deref()
    }
}

impl ProvenLine {
    pub(in crate::connector) fn title(&self) -> &str {
        &self.title
    }

    /// Path of the product's page; `None`: the product is hidden or gone.
    pub(in crate::connector) fn product(&self) -> Option<&str> {
        self.product.as_deref()
    }

    /// The shop's number of the article, if the line shows it.
    pub(in crate::connector) fn sku(&self) -> Option<&str> {
        self.sku.as_deref()
    }

    pub(in crate::connector) const fn quantity(&self) -> Decimal {
        self.quantity
    }

    /// With tax, before discounts.
    pub(in crate::connector) const fn total(&self) -> Decimal {
        self.total
    }

    /// The price of one, if the total is exactly so many times that.
    pub(in crate::connector) const fn unit_price(&self) -> Option<Decimal> {
        self.unit_price
    }

    /// Whether the page of the product has to confirm the title.
    pub(in crate::connector) const fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }
}

/// Checks what the page of an order shows against itself, against the list, and against what the platform shows of each
/// order.
///
/// # Errors
/// The first hard check that failed.
pub(in crate::connector) fn prove(
    listed: &ListedOrder,
    shown: ShownOrder,
    shows: &Shows,
) -> Result<ProvenOrder, Failure> {
    let ShownOrder { status, lines, figures } = shown;
    titles(&lines)?;
    same_currency(listed, &lines, &figures)?;
    shows.check(&lines, &figures)?;
    shows.items.check(listed, &lines)?;
    order_total(listed, &figures)?;
    let coin = listed.total.currency().smallest_coin();
    let has_basket = match shows.basket {
        Presence::Always => true,
        Presence::AtTimes => figures.iter().any(|figure| figure.kind.is_some_and(Summary::is_basket)),
        Presence::Never => false,
    };
    let column =
        if has_basket { basket_total(&lines, &figures, coin)? } else { sum_of_order(listed, &lines, &figures, coin)? };
    let mut mismatch = Vec::new();
    let basket = column.and_then(|column| total_of(&lines, column)).unwrap_or_default();
    let parts = Parts::of(basket, &figures, !has_basket);
    let tolerance = times(coin, lines.len() + parts.figures.len());
    if has_basket {
        mismatch.extend(basket_mismatch(basket, &figures));
        mismatch.extend(components(listed, &parts, tolerance));
    }
    let is_tax_included = parts.are_without_tax(listed.total.amount(), tolerance);
    let refunds = figures.iter().filter(|figure| figure.kind == Some(Summary::Refund));
    let adjustments =
        parts.figures.iter().copied().chain(refunds).map(|figure| figure.adjustment(is_tax_included)).collect();
    mismatch.extend(column.and_then(|column| unit_price(&lines, column, coin)));
    if status.is_none() && shows.status == Presence::Always {
        // The order may have none, or the shop shows it in unknown words.
        mismatch.push(Mismatch { check: "status".to_owned(), shown: None, computed: None });
    }
    let lines = lines.into_iter().filter_map(|line| line_of(line, column?)).collect();
    Ok(ProvenOrder { listed: listed.clone(), status, lines, mismatch, adjustments: Some(adjustments) })
}

fn titles(lines: &[ReadLine]) -> Result<(), Failure> {
    let is_control = |sign: char| sign.is_control() && !sign.is_whitespace();
    if lines.iter().any(|line| line.title.text.len() > MAX_TITLE || line.title.text.contains(is_control)) {
        let found = "the title of a line is too long, or holds control characters.";
        return Err(Failure::new(Check::Lines, found));
    }
    Ok(())
}

fn same_currency(listed: &ListedOrder, lines: &[ReadLine], figures: &[Figure]) -> Result<(), Failure> {
    let of_lines = lines.iter().flat_map(|line| line.amounts.iter().filter_map(|(_, money)| money.as_ref()));
    let mut all = of_lines.chain(figures.iter().map(|figure| &figure.money));
    if all.any(|money| money.currency() != listed.total.currency()) {
        return Err(Failure::new(Check::Currency, "the list and the page of the order show different currencies."));
    }
    Ok(())
}

/// The page's order total is the list's: the figure with that label or, if no label is known, the last one.
fn order_total(listed: &ListedOrder, figures: &[Figure]) -> Result<(), Failure> {
    let known: Vec<&Figure> = figures.iter().filter(|figure| figure.kind == Some(Summary::OrderTotal)).collect();
    let totals = if known.is_empty() { figures.iter().rev().take(1).collect() } else { known };
    if totals.is_empty() {
        return Err(Failure::new(Check::OrderTotal, "the page of the order shows no total."));
    }
    if totals.iter().any(|figure| figure.money.amount() != listed.total.amount()) {
        return Err(Failure::new(Check::OrderTotal, "the list and the page of the order show different totals."));
    }
    Ok(())
}

/// The column whose sum is the basket total that the page shows.
fn basket_total(lines: &[ReadLine], figures: &[Figure], coin: Decimal) -> Result<Option<usize>, Failure> {
    let shown = shown_baskets(figures);
    if shown.is_empty() {
        return Err(Failure::new(Check::BasketTotal, "the page of the order shows no basket total."));
    }
    let found = column_of_totals(lines, |total, is_rounded| {
        let tolerance = if is_rounded { times(coin, lines.len()) } else { Decimal::ZERO };
        shown.iter().any(|basket| near(total, *basket, tolerance))
    });
    found.ok_or_else(|| {
        Failure::new(Check::BasketTotal, "the lines do not add up to the basket total that the page shows.")
    })
}

/// The column whose sum gives the order total with all figures below the lines: the proof of a page without a basket total.
fn sum_of_order(
    listed: &ListedOrder,
    lines: &[ReadLine],
    figures: &[Figure],
    coin: Decimal,
) -> Result<Option<usize>, Failure> {
    let found = column_of_totals(lines, |total, is_rounded| {
        let parts = Parts::of(total, figures, true);
        let tolerance = if is_rounded { times(coin, lines.len() + parts.figures.len()) } else { Decimal::ZERO };
        parts.add_up_to(listed.total.amount(), tolerance)
    });
    found.ok_or_else(|| {
        let found = "the lines and the figures below them do not add up to the order total.";
        Failure::new(Check::SumOfOrder, found)
    })
}

/// The column that holds the total of each line: the one whose sum is proven. `Some(None)` for an order without lines; `None` if
/// no column is certain. `is_proven` gets the sum, and whether every amount of it is written down to the smallest coin, so that
/// it may be rounded to that.
fn column_of_totals(lines: &[ReadLine], is_proven: impl Fn(Decimal, bool) -> bool) -> Option<Option<usize>> {
    let Some(first) = lines.first() else { return is_proven(Decimal::ZERO, false).then_some(None) };
    let columns = 0..first.amounts.len();
    let of_kind = |kind: Option<LineColumn>| {
        columns
            .clone()
            .filter(move |column| lines.iter().all(|line| line.amounts.get(*column).is_some_and(|(of, _)| *of == kind)))
    };
    let named: Vec<usize> = [LineColumn::TotalWithTax, LineColumn::Total, LineColumn::TotalWithoutTax]
        .into_iter()
        .map(|kind| of_kind(Some(kind)).collect::<Vec<_>>())
        .find(|columns| !columns.is_empty())
        .unwrap_or_default();
    let proven = |column: &usize| {
        let is_rounded = lines.iter().all(|line| shows_coins(line, *column));
        total_of(lines, *column).is_some_and(|total| is_proven(total, is_rounded))
    };
    match named.as_slice() {
        [column] if proven(column) => Some(Some(*column)),
        [] => {
            // No heading says it: the sum has to.
            let fitting: Vec<usize> = of_kind(None).filter(proven).collect();
            match fitting.as_slice() {
                [column] => Some(Some(*column)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Lines that add up to the basket total only within the tolerance.
fn basket_mismatch(computed: Decimal, figures: &[Figure]) -> Option<Mismatch> {
    let shown = shown_baskets(figures);
    let shown = shown.iter().min_by_key(|shown| computed.checked_sub(**shown).map(|difference| difference.abs()))?;
    (*shown != computed).then(|| Mismatch {
        check: "basket_total".to_owned(),
        shown: Some(*shown),
        computed: Some(computed),
    })
}

/// Whether an amount is written down to the smallest coin. Without its decimals it may be rounded by far more than a coin,
/// so that it has to fit exactly.
fn shows_coins(line: &ReadLine, column: usize) -> bool {
    let money = line.amounts.get(column).and_then(|(_, money)| money.as_ref());
    money.is_some_and(|money| money.amount().scale() == money.currency().minor_units())
}

/// What the lines may add up to, by the labels; if no label is known, any figure that is no discount may be it.
fn shown_baskets(figures: &[Figure]) -> Vec<Decimal> {
    let of = |kind| figures.iter().filter(move |figure| figure.kind == Some(kind)).map(|figure| figure.money.amount());
    let before: Vec<Decimal> = of(Summary::BasketBeforeDiscounts).collect();
    if !before.is_empty() {
        return before;
    }
    let plain: Vec<Decimal> = of(Summary::Basket).collect();
    if !plain.is_empty() {
        return plain;
    }
    let discounts = sum(figures.iter().filter(|figure| figure.is_discount).map(|figure| Some(figure.amount())));
    let after: Vec<Decimal> =
        of(Summary::BasketAfterDiscounts).filter_map(|basket| basket.checked_sub(discounts?)).collect();
    if !after.is_empty() {
        return after;
    }
    figures
        .iter()
        .filter(|figure| !figure.is_discount && figure.kind.is_none_or(|kind| kind == Summary::OrderTotal))
        .map(|figure| figure.money.amount())
        .collect()
}

/// Lines, discounts, shipping and tax against the order total; shops round, and add fees that nobody foresaw.
fn components(listed: &ListedOrder, parts: &Parts<'_>, tolerance: Decimal) -> Option<Mismatch> {
    let shown = listed.total.amount();
    let mismatch = || Mismatch { check: "order_total".to_owned(), shown: Some(shown), computed: parts.with_tax };
    (!parts.add_up_to(shown, tolerance)).then(mismatch)
}

/// What lines, discounts, shipping and further figures add up to. Tax may come on top, or be part of the prices.
struct Parts<'a> {
    with_tax: Option<Decimal>,
    without_tax: Option<Decimal>,
    /// Those besides the lines that are no sums of others.
    figures: Vec<&'a Figure>,
}

impl<'a> Parts<'a> {
    /// `basket`: the sum of the lines. `is_only_sum`: no figure repeats it.
    fn of(basket: Decimal, figures: &'a [Figure], is_only_sum: bool) -> Self {
        let has = |is: fn(Summary) -> bool| figures.iter().any(|figure| figure.kind.is_some_and(is));
        let has_total = has(|kind| kind == Summary::OrderTotal);
        let has_shipping = has(|kind| matches!(kind, Summary::ShippingBeforeDiscounts | Summary::Shipping));
        let last = figures.len().saturating_sub(1);
        let mut basket_seen = is_only_sum || has(Summary::is_basket);
        let mut parts = Vec::new();
        for (index, figure) in figures.iter().enumerate() {
            let is_unnamed_total = !has_total && index == last;
            let is_unnamed_basket = !basket_seen && figure.kind.is_none() && figure.money.amount() == basket;
            basket_seen |= is_unnamed_basket;
            let is_only_shipping = figure.kind == Some(Summary::ShippingAfterDiscounts) && !has_shipping;
            if (figure.is_part() || is_only_shipping) && !is_unnamed_total && !is_unnamed_basket {
                parts.push(figure);
            }
        }
        let with = |parts: &mut dyn Iterator<Item = &&Figure>| {
            sum(parts.map(|figure| Some(figure.amount()))).and_then(|sum| sum.checked_add(basket))
        };
        Self {
            with_tax: with(&mut parts.iter()),
            without_tax: with(&mut parts.iter().filter(|figure| figure.kind != Some(Summary::Tax))),
            figures: parts,
        }
    }

    /// Whether they add up without tax, or rather so than with it: the lines contain it then.
    fn are_without_tax(&self, total: Decimal, tolerance: Decimal) -> bool {
        let off = |sum: Option<Decimal>| Some(sum?.checked_sub(total)?.abs()).filter(|off| *off <= tolerance);
        match (off(self.with_tax), off(self.without_tax)) {
            (Some(with), Some(without)) => without < with,
            (with, without) => with.is_none() && without.is_some(),
        }
    }

    fn add_up_to(&self, total: Decimal, tolerance: Decimal) -> bool {
        [self.with_tax, self.without_tax].into_iter().flatten().any(|sum| near(sum, total, tolerance))
    }
}

/// A price of one that the page shows, times the quantity, against the line's total. Only the first difference
/// is reported.
fn unit_price(lines: &[ReadLine], column: usize, coin: Decimal) -> Option<Mismatch> {
    lines.iter().find_map(|line| {
        let total = amount(line, column)?;
        let (_, unit) = line.amounts.iter().find(|(kind, _)| *kind == Some(LineColumn::UnitPrice))?;
        let unit = unit.as_ref()?.amount();
        let computed = unit.checked_mul(line.quantity)?;
        let tolerance = coin.checked_mul(line.quantity.abs().max(Decimal::ONE))?;
        (!near(computed, total, tolerance)).then(|| Mismatch {
            check: "unit_price".to_owned(),
            shown: Some(unit),
            computed: total.checked_div(line.quantity),
        })
    })
}

fn line_of(mut line: ReadLine, column: usize) -> Option<ProvenLine> {
    let (_, total) = line.amounts.get_mut(column)?;
    let total = total.take()?;
    let unit_price = total.per_unit(line.quantity);
    let Title { text: title, product, is_doubtful } = line.title;
    let ReadLine { quantity, sku, .. } = line;
    Some(ProvenLine { title, product, quantity, sku, total: total.amount(), unit_price, is_doubtful })
}

fn total_of(lines: &[ReadLine], column: usize) -> Option<Decimal> {
    sum(lines.iter().map(|line| amount(line, column)))
}

fn amount(line: &ReadLine, column: usize) -> Option<Decimal> {
    line.amounts.get(column)?.1.as_ref().map(|money| money.amount())
}

/// The sum, if every part is there and it can be held.
fn sum(parts: impl Iterator<Item = Option<Decimal>>) -> Option<Decimal> {
    parts.into_iter().try_fold(Decimal::ZERO, |sum, part| sum.checked_add(part?))
}

fn times(coin: Decimal, count: usize) -> Decimal {
    coin.checked_mul(Decimal::from(count)).unwrap_or(coin)
}

fn near(one: Decimal, other: Decimal, tolerance: Decimal) -> bool {
    one.checked_sub(other).is_some_and(|difference| difference.abs() <= tolerance)
}
