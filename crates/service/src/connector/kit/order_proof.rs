//! What the figures of an order's page prove: no line, quantity or amount is taken that a second figure does not confirm.
//!
//! Hard checks fail the order ([`Failure`]); soft ones mark it ([`Mismatch`]), because shops round, and add fees that nobody
//! foresaw. There is no other way to a [`ProvenOrder`] than through all of them.

use ordersync_api::ShipmentStatus;
use ordersync_api::order::{Adjustment, Mismatch, Shipment};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::check::{Check, Failure};
use super::currency::Currency;
use super::figures::{Figure, LineColumn, Proof, ReadLine, ShownOrder, Summary, Title, amounts};
use super::line_tax::{LineTax, TaxInLines};
use super::listed::ListedOrder;
use super::parts::{Parts, near, sum, times};
use super::shows::{Presence, Shows};
use super::text::quoted;

/// The longest title that is taken, in bytes.
const MAX_TITLE: usize = 2048;
/// Labels that a message names.
const MAX_LABELS: usize = 5;

/// An order whose figures agree with each other and with those of the list.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::connector) struct ProvenOrder {
    listed: ListedOrder,
    status: Option<String>,
    lines: Vec<ProvenLine>,
    mismatch: Vec<Mismatch>,
    adjustments: Vec<Adjustment>,
    /// What only the shop's own record of the order can settle: without it, this is a failed check.
    doubt: Option<Failure>,
    /// The labels of tax that the page shows of what is left after refunds. That of the order is not known from the page.
    rest_of_tax: Option<String>,
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
    sku: Option<String>,
    /// With tax, before discounts.
    #[serde(with = "super::decimal")]
    total: Decimal,
    /// The price of one, if the total is exactly so many times that.
    #[serde(with = "super::decimal::option")]
    unit_price: Option<Decimal>,
    /// Whether the page of the product has to confirm the title.
    is_doubtful: bool,
    /// Further texts, any of which may be the title.
    others: Vec<String>,
    /// Whether it looks as if its end were missing.
    is_cut: bool,
    /// The status that all of its pieces have reached.
    status: Option<ShipmentStatus>,
    #[serde(default)]
    shipments: Vec<Shipment>,
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

    /// What only the shop's own record of the order can settle.
    pub(in crate::connector) const fn doubt(&self) -> Option<&Failure> {
        self.doubt.as_ref()
    }

    /// The label of a tax that the page shows only for what is left after refunds.
    pub(in crate::connector) fn rest_of_tax(&self) -> Option<&str> {
        self.rest_of_tax.as_deref()
    }

    /// Whether something of it can only be known from other pages, however often the order was read before.
    pub(in crate::connector) fn needs_more(&self) -> bool {
        self.doubt.is_some()
            || self.rest_of_tax.is_some()
            || self.lines.iter().any(|line| line.is_doubtful || line.is_cut)
    }

    /// Figures that do not agree, and a status that is not shown, although what is stored is proven.
    pub(in crate::connector) fn mismatch(&self) -> &[Mismatch] {
        &self.mismatch
    }

    /// The parts of the total beside the lines, in the order of the page, then what was paid back, and how it was paid. If no
    /// mismatch says otherwise, the parts and the lines add up to it, within a coin for each.
    pub(in crate::connector) fn adjustments(&self) -> &[Adjustment] {
        &self.adjustments
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

    /// All texts that may be the title.
    pub(in crate::connector) fn titles(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.title.as_str()).chain(self.others.iter().map(String::as_str))
    }

    /// Whether the title looks as if its end were missing.
    pub(in crate::connector) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The status that all of its pieces have reached, if the shop shows that of lines.
    pub(in crate::connector) const fn status(&self) -> Option<ShipmentStatus> {
        self.status
    }

    /// The parcels that it is in, as far as the shop shows them.
    pub(in crate::connector) fn shipments(&self) -> &[Shipment] {
        &self.shipments
    }
}

/// Checks what the page of an order shows against itself, against the list, and against what the platform shows of each
/// order.
/// Fails with the first hard check that failed. If it is one of figures, labels whose meaning is not known are named:
/// one of them may be the reason.
pub(in crate::connector) fn prove(
    listed: &ListedOrder,
    shown: ShownOrder,
    shows: &Shows,
) -> Result<ProvenOrder, Failure> {
    let unknown = unknown_labels(&shown.figures);
    proven(listed, shown, shows).map_err(|mut failure| {
        if matches!(failure.check, Check::Figures | Check::BasketTotal | Check::SumOfOrder | Check::OrderTotal) {
            failure.found.push_str(&unknown);
        }
        failure
    })
}

/// A sentence about them; empty if there are none.
fn unknown_labels(figures: &[Figure]) -> String {
    let unknown = figures.iter().filter(|figure| figure.kind.is_none() && !figure.is_discount);
    let mut labels: Vec<String> = unknown.map(|figure| quoted(&figure.label)).collect();
    if labels.len() > MAX_LABELS {
        labels.truncate(MAX_LABELS);
        labels.push("…".to_owned());
    }
    if labels.is_empty() {
        String::new()
    } else {
        format!(" The meaning of these labels is not known: {}.", labels.join(", "))
    }
}

fn proven(listed: &ListedOrder, shown: ShownOrder, shows: &Shows) -> Result<ProvenOrder, Failure> {
    let ShownOrder { status, lines, figures, mut doubts, has_other_shipments, is_converted } = shown;
    let (total, coin) = (listed.total.amount(), smallest_unit(listed.total.currency(), &lines, &figures));
    titles(&lines)?;
    signs(&lines)?;
    same_currency(listed.total.currency(), &lines, &figures)?;
    let lines = shows.items.without_copies(listed, lines);
    let (rest, figures): (Vec<Figure>, Vec<Figure>) = figures.into_iter().partition(|figure| figure.is_of_rest);
    shows.check(&lines, &figures)?;
    doubts.extend(shows.items.check(listed, &lines)?);
    same_total(total, &figures)?;
    let has_basket = match shows.basket {
        Presence::Always => true,
        Presence::AtTimes => figures.iter().any(|figure| figure.kind.is_some_and(Summary::is_basket)),
        Presence::Never => false,
    };
    let column = if has_basket {
        basket_total(&lines, &figures, coin, shows.line_tax)?
    } else {
        sum_of_order(total, &lines, &figures, coin)?
    };
    let mut mismatch = Vec::new();
    let of_lines = column.and_then(|column| total_of(&lines, column)).unwrap_or_default();
    let taxed = (has_basket && shows.line_tax == LineTax::Included)
        .then(|| taxed_basket(of_lines, &figures, times(coin, lines.len() + figures.len())))
        .flatten();
    let basket = taxed.as_ref().map_or(of_lines, |(basket, _)| *basket);
    let tolerance = |parts: &Parts<'_>| times(coin, lines.len() + parts.figures.len());
    let parts = Parts::proven(basket, &figures, !has_basket, total, |parts| parts.add_up_to(total, tolerance(parts)));
    let tolerance = tolerance(&parts);
    if has_basket {
        // Sums of figures that were rounded one by one differ by half a coin each, which says nothing about the order.
        let rounded =
            if is_converted && lines.len() > 1 { times(coin, lines.len() + 1) / Decimal::TWO } else { Decimal::ZERO };
        mismatch.extend(basket_mismatch(basket, &figures, rounded));
        mismatch.extend(components(total, &parts, tolerance));
    } else {
        // No basket proves the lines: a difference that rounding does not explain may be a line that is not shown.
        mismatch.extend(components(total, &parts, tolerance / Decimal::TWO));
    }
    let tax = match taxed {
        Some(_) if !parts.with_tax.is_some_and(|sum| near(sum, total, tolerance)) => {
            let found = "the basket total and the figures below the lines do not add up to the order total.";
            return Err(Failure::new(Check::SumOfOrder, found));
        }
        Some((_, tax)) => tax,
        None if parts.are_without_tax(total, tolerance) => TaxInLines::All,
        None => TaxInLines::None,
    };
    let is_part = |figure: &&Figure| parts.figures.iter().any(|part| std::ptr::eq(*part, *figure));
    let of = |kind| figures.iter().filter(move |figure| figure.kind == Some(kind));
    let paid = figures.iter().filter(|figure| figure.may_be_part() && !is_part(figure));
    let others = of(Summary::Refund).chain(paid).chain(figures.iter().filter(|figure| figure.is_of_payment()));
    let adjustments = parts
        .figures
        .iter()
        .flat_map(|figure| tax.adjustments(figure, &figures, true))
        .chain(others.flat_map(|figure| tax.adjustments(figure, &figures, false)))
        .collect();
    mismatch.extend(column.and_then(|column| unit_price(&lines, column, coin)));
    if status.is_none() && shows.status == Presence::Always {
        // The order may have none, or the shop shows it in unknown words.
        mismatch.push(Mismatch { check: "status".to_owned(), shown: None, computed: None });
    }
    mismatch.extend(refund_mismatch(listed, &lines, &figures));
    if has_other_shipments {
        mismatch.push(Mismatch { check: "shipment".to_owned(), shown: None, computed: None });
    }
    let has_refund = figures.iter().any(|figure| figure.kind == Some(Summary::Refund));
    let is_net = |line: &ReadLine| {
        let mut totals = line.amounts.iter().filter(|(kind, _)| *kind != LineColumn::UnitPrice);
        line.quantity.is_zero()
            && totals.any(|(_, money)| money.as_ref().is_some_and(|money| !money.amount().is_zero()))
    };
    if has_refund && lines.iter().any(is_net) {
        // Some themes take what was sent back from the quantity, and leave the total of the line as it was.
        mismatch.push(Mismatch { check: "quantity".to_owned(), shown: Some(Decimal::ZERO), computed: None });
    }
    let counts = listed.items.is_some() && mismatch.iter().all(|mark| mark.check == "status");
    let doubt = doubts.into_iter().find(|doubt| doubt.proof == Proof::Record || !counts).map(|doubt| doubt.failure);
    let rest: Vec<&str> = rest.iter().map(|figure| figure.label.as_str()).collect();
    let rest_of_tax = (!rest.is_empty()).then(|| rest.join(", "));
    let lines = lines.into_iter().filter_map(|line| line_of(line, column?)).collect();
    Ok(ProvenOrder { listed: listed.clone(), status, lines, mismatch, adjustments, doubt, rest_of_tax })
}

fn titles(lines: &[ReadLine]) -> Result<(), Failure> {
    let is_control = |sign: char| sign.is_control() && !sign.is_whitespace();
    if lines.iter().any(|line| line.title.text.len() > MAX_TITLE || line.title.text.contains(is_control)) {
        let found = "the title of a line is too long, or holds control characters.";
        return Err(Failure::new(Check::Lines, found));
    }
    Ok(())
}

/// Less than nothing was ordered of what was sent back: the shop pays for it.
fn signs(lines: &[ReadLine]) -> Result<(), Failure> {
    let is_odd = |line: &ReadLine| {
        let mut totals = line.amounts.iter().filter(|(kind, _)| *kind == LineColumn::Total);
        line.quantity < Decimal::ZERO
            && totals.any(|(_, money)| money.as_ref().is_some_and(|money| money.amount() > Decimal::ZERO))
    };
    if lines.iter().any(is_odd) {
        return Err(Failure::new(Check::Lines, "a line has a quantity below 0 and a total above it."));
    }
    Ok(())
}

/// Amounts are rounded to the smallest coin of the currency. If that has no decimals and the order shows some, the shop does not
/// round to coins, and a difference of a whole coin is no rounding: a hundredth then.
fn smallest_unit(currency: &Currency, lines: &[ReadLine], figures: &[Figure]) -> Decimal {
    let has_fraction = || amounts(lines, figures).any(|money| !money.amount().fract().is_zero());
    if currency.minor_units() == 0 && has_fraction() { Decimal::new(1, 2) } else { currency.smallest_coin() }
}

fn same_currency(currency: &Currency, lines: &[ReadLine], figures: &[Figure]) -> Result<(), Failure> {
    if let Some(other) = amounts(lines, figures).find(|money| money.currency() != currency) {
        let (listed, other) = (currency.code(), other.currency().code());
        let found = format!("the list shows its total in {listed}, and its page an amount in {other}.");
        return Err(Failure::new(Check::Currency, found));
    }
    Ok(())
}

/// The page's order total is the list's: the figure with that label or, if no label is known, the last one.
fn same_total(total: Decimal, figures: &[Figure]) -> Result<(), Failure> {
    let known: Vec<&Figure> = figures.iter().filter(|figure| figure.kind == Some(Summary::OrderTotal)).collect();
    let totals = if known.is_empty() {
        figures.iter().rev().filter(|figure| !figure.is_of_payment()).take(1).collect()
    } else {
        known
    };
    if totals.is_empty() {
        return Err(Failure::new(Check::OrderTotal, "the page of the order shows no total."));
    }
    match totals.iter().map(|figure| figure.money.amount()).find(|shown| *shown != total) {
        Some(shown) => {
            Err(Failure::new(Check::OrderTotal, format!("the list shows {total}, the page of the order {shown}.")))
        }
        None => Ok(()),
    }
}

/// A refund of which the list or the lines tell, and which the figures do not show, or show differently; or refunds of both signs, or of
/// more than the total.
fn refund_mismatch(listed: &ListedOrder, lines: &[ReadLine], figures: &[Figure]) -> Option<Mismatch> {
    let refunds: Vec<Decimal> = figures
        .iter()
        .filter(|figure| figure.kind == Some(Summary::Refund))
        .map(|figure| figure.money.amount())
        .collect();
    let of_all = |amount: fn(Decimal) -> Decimal| sum(refunds.iter().map(|refund| Some(amount(*refund))));
    let shown = if refunds.is_empty() { None } else { of_all(|refund| refund.abs()) };
    let total = listed.total.amount();
    let of_list = listed.left.and_then(|left| total.checked_sub(left));
    let computed = of_list.or_else(|| shown.and(of_all(|refund| refund)).map(|sum| sum.abs()));
    let is_unlike = computed.is_some_and(|computed| shown != Some(computed));
    let is_hidden = shown.is_none() && lines.iter().any(|line| line.pieces.are_undone());
    let is_more = shown.is_some_and(|shown| shown > total.abs());
    (is_unlike || is_hidden || is_more).then(|| Mismatch { check: "refund".to_owned(), shown, computed })
}

/// The column whose sum is the basket total that the page shows.
fn basket_total(lines: &[ReadLine], figures: &[Figure], coin: Decimal, tax: LineTax) -> Result<Option<usize>, Failure> {
    let shown = shown_baskets(figures);
    if shown.is_empty() {
        return Err(Failure::new(Check::BasketTotal, "the page of the order shows no basket total."));
    }
    let found = column_of_totals(lines, |total, is_rounded| {
        let tolerance = |count| if is_rounded { times(coin, count) } else { Decimal::ZERO };
        match tax {
            LineTax::AsBasket => shown.iter().any(|basket| near(total, *basket, tolerance(lines.len()))),
            LineTax::Included => taxed_basket(total, figures, tolerance(lines.len() + figures.len())).is_some(),
        }
    });
    found.ok_or_else(|| {
        let with = if tax == LineTax::Included { " with the taxes below them" } else { "" };
        let found = format!("the lines do not add up to the basket total that the page shows{with}.");
        Failure::new(Check::BasketTotal, found)
    })
}

/// The basket total that the lines add up to with the tax that they contain, and how much of the taxes that is.
fn taxed_basket(lines: Decimal, figures: &[Figure], tolerance: Decimal) -> Option<(Decimal, TaxInLines)> {
    shown_baskets(figures)
        .into_iter()
        .find_map(|basket| TaxInLines::proven(lines, basket, figures, tolerance).map(|tax| (basket, tax)))
}

/// The column whose sum gives the order total with all figures below the lines: the proof of a page without a basket total.
fn sum_of_order(
    order_total: Decimal,
    lines: &[ReadLine],
    figures: &[Figure],
    coin: Decimal,
) -> Result<Option<usize>, Failure> {
    let found = column_of_totals(lines, |total, is_rounded| {
        let adds_up = |parts: &Parts<'_>| {
            let tolerance = if is_rounded { times(coin, lines.len() + parts.figures.len()) } else { Decimal::ZERO };
            parts.add_up_to(order_total, tolerance)
        };
        adds_up(&Parts::proven(total, figures, true, order_total, adds_up))
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
    let of_kind = |kind: LineColumn| {
        columns
            .clone()
            .filter(move |column| lines.iter().all(|line| line.amounts.get(*column).is_some_and(|(of, _)| *of == kind)))
    };
    let proven = |column: usize| {
        let is_rounded = lines.iter().all(|line| shows_coins(line, column));
        total_of(lines, column).is_some_and(|total| is_proven(total, is_rounded))
    };
    if let Some(column) = of_kind(LineColumn::Total).find(|column| proven(*column)) {
        return Some(Some(column));
    }
    // Of cells that can be read in several ways, the one way that adds up without any tolerance.
    let mut fitting = of_kind(LineColumn::Candidate)
        .filter(|column| total_of(lines, *column).is_some_and(|total| is_proven(total, false)));
    let first = fitting.next()?;
    let same = |column: usize| lines.iter().all(|line| amount(line, column) == amount(line, first));
    fitting.all(same).then_some(Some(first))
}

/// Lines that add up to the basket total only within the tolerance, and differ by more than `rounded`.
fn basket_mismatch(computed: Decimal, figures: &[Figure], rounded: Decimal) -> Option<Mismatch> {
    let shown = shown_baskets(figures);
    let shown = shown.iter().min_by_key(|shown| computed.checked_sub(**shown).map(|difference| difference.abs()))?;
    (!near(*shown, computed, rounded)).then(|| Mismatch {
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
fn components(shown: Decimal, parts: &Parts<'_>, tolerance: Decimal) -> Option<Mismatch> {
    let mismatch = || Mismatch { check: "order_total".to_owned(), shown: Some(shown), computed: parts.with_tax };
    (!parts.add_up_to(shown, tolerance)).then(mismatch)
}

/// A price of one that the page shows, times the quantity, against the line's total. Only the first difference
/// is reported.
fn unit_price(lines: &[ReadLine], column: usize, coin: Decimal) -> Option<Mismatch> {
    lines.iter().find_map(|line| {
        let total = amount(line, column)?;
        let (_, unit) = line.amounts.iter().find(|(kind, _)| *kind == LineColumn::UnitPrice)?;
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
    let Title { text: title, product, is_doubtful, others, is_cut } = line.title;
    let ReadLine { quantity, sku, pieces, shipments, .. } = line;
    let (total, status) = (total.amount(), pieces.status(quantity));
    Some(ProvenLine {
        title,
        product,
        quantity,
        sku,
        total,
        unit_price,
        is_doubtful,
        others,
        is_cut,
        status,
        shipments,
    })
}

fn total_of(lines: &[ReadLine], column: usize) -> Option<Decimal> {
    sum(lines.iter().map(|line| amount(line, column)))
}

fn amount(line: &ReadLine, column: usize) -> Option<Decimal> {
    line.amounts.get(column)?.1.as_ref().map(|money| money.amount())
}
