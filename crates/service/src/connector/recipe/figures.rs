//! The figures below the lines of an order. A row that has no amount is one that says nothing of amounts, or a failed page.

use rust_decimal::Decimal;
use scraper::ElementRef;

use super::amount::{Amounts, has_price, looks_like_amount, no_amount};
use super::cell::{Cell, Headings, Row, lines_failed as failed};
use super::format::{Order, Recipe};
use super::value::{At, Css, Place};
use super::words::Label;
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::figures::{Doubt, Figure, Proof, Summary};
use crate::connector::kit::text::text;

/// A label and its amount, in a row or beside each other.
pub(super) struct FigureRow<'a> {
    /// The row, or the two.
    pub(super) elements: Vec<ElementRef<'a>>,
    label: Cell<'a>,
    amount: Cell<'a>,
}

/// The rows below the lines. At most one more than `most`.
pub(super) fn rows<'a>(table: ElementRef<'a>, order: &'a Order, most: usize) -> Result<Vec<FigureRow<'a>>, Unread> {
    let Some(figure) = &order.figure else { return pairs(table, order, most) };
    in_rows(table.select(figure.get()).take(most + 1), order)
}

/// Figures, each of which is in one of these rows.
pub(super) fn in_rows<'a>(
    rows: impl Iterator<Item = ElementRef<'a>>,
    order: &'a Order,
) -> Result<Vec<FigureRow<'a>>, Unread> {
    let mut headings = Headings::default();
    let rows = rows.map(|element| {
        let (label, amount) = label_and_amount(&headings.row(element), order)?;
        Ok(FigureRow { elements: vec![element], label, amount })
    });
    rows.collect()
}

/// Labels and amounts without rows: each label is right before or right after its amount.
fn pairs<'a>(table: ElementRef<'a>, order: &'a Order, most: usize) -> Result<Vec<FigureRow<'a>>, Unread> {
    let all = |place: &'a Place| match &place.at {
        At::Select(css) => table.select(css.get()).take(most + 1).collect(),
        At::Heading(_) => Vec::new(),
    };
    let (labels, amounts) = (all(&order.label), all(&order.amount));
    let beside = |one: ElementRef<'_>, other: ElementRef<'_>| {
        let next = one.next_siblings().filter_map(ElementRef::wrap).find(|next| next.value().name() != "br");
        next == Some(other)
    };
    let is_pair =
        |(label, amount): (&ElementRef<'a>, &ElementRef<'a>)| beside(*label, *amount) || beside(*amount, *label);
    if labels.len() != amounts.len() || !labels.iter().zip(&amounts).all(is_pair) {
        return Err(failed("the labels and the amounts of the figures do not lie beside each other in pairs."));
    }
    let pairs = labels.into_iter().zip(amounts).map(|(label, amount)| FigureRow {
        elements: vec![label, amount],
        label: Cell::new(label, &order.label),
        amount: Cell::new(amount, &order.amount),
    });
    Ok(pairs.collect())
}

/// Reads the rows below the lines. `shipping`: what else the page calls the shipping.
pub(super) fn read<'a>(
    rows: &[FigureRow<'a>],
    recipe: &'a Recipe,
    amounts: &Amounts<'a>,
    shipping: &[String],
    doubts: &mut Vec<Doubt>,
) -> Result<Vec<Figure>, Unread> {
    let mut figures: Vec<Figure> = Vec::new();
    let mut refunded = Decimal::ZERO;
    for FigureRow { elements, label, amount } in rows {
        let has_mark = |mark: &Css| elements.iter().any(|element| element.select(mark.get()).next().is_some());
        let is_marked = recipe.order.discount.as_ref().is_some_and(has_mark);
        let label = label.words().map_err(|misfit| failed(format!("of a label, {misfit}")))?;
        let amount = *amount;
        let meaning = recipe.words.label(&label, shipping);
        if meaning == Some(Label::Note) {
            let is_unmarked = recipe.amounts.mark.is_none() && looks_like_amount(&text(amount.element));
            if is_unmarked || amounts.marked(amount.element).next().is_some() {
                return Err(failed("a row of words below the lines has an amount."));
            }
            continue;
        }
        let Some(shown) = amounts.read(amount)? else {
            // Shipping that is free has the name of its method only, and points that were earned are a number.
            let needs_amount = meaning.is_some_and(|row| !matches!(row, Label::Figure(kind) if kind.may_be_words()));
            let words = text(amount.element);
            if needs_amount || has_price(&words) {
                return Err(failed(format!("a row below the lines lacks its amount: {}", no_amount(amount.element))));
            }
            // A weight, perhaps: "3.20 kg".
            if looks_like_amount(&words) {
                let found = format!("a row below the lines lacks its amount: {}", no_amount(amount.element));
                doubts.push(Doubt::new(Failure::new(Check::Lines, found), Proof::Sums));
            }
            continue;
        };
        let has_left = shown.left.is_some();
        for (tax, money, is_in_rest) in amounts.included(amount.element)? {
            let is_of_rest = has_left && is_in_rest;
            figures.push(Figure { label: tax, kind: Some(Summary::Tax), is_discount: false, is_of_rest, money });
        }
        if let Some(left) = &shown.left {
            let difference = shown.ordered.amount().checked_sub(left.amount());
            refunded +=
                difference.filter(|_| refunded.is_zero()).ok_or_else(|| failed("several totals show refunds."))?;
        }
        let kind = match meaning {
            Some(Label::Figure(kind)) => Some(kind),
            Some(Label::Discount | Label::Note) | None => None,
        };
        let label = label.trim_end_matches([':', '：', ' ', '\u{a0}']).to_owned();
        let is_discount = is_marked || meaning == Some(Label::Discount);
        figures.push(Figure { label, kind, is_discount, is_of_rest: false, money: shown.ordered });
    }
    if recipe.order.struck {
        refunds(&mut figures, refunded, doubts)?;
    }
    Ok(figures)
}

/// The label and the amount of a figure: where the recipe says, or the two cells of its row, or the two that are not empty.
pub(super) fn label_and_amount<'a>(row: &Row<'a, '_>, order: &'a Order) -> Result<(Cell<'a>, Cell<'a>), Unread> {
    if let (Some(label), Some(amount)) = (row.cell(&order.label), row.cell(&order.amount)) {
        return Ok((label, amount));
    }
    let mut cells = row.element.children().filter_map(ElementRef::wrap);
    match (cells.next(), cells.next(), cells.next()) {
        (Some(label), Some(amount), None) => Ok((Cell::new(label, &order.label), Cell::new(amount, &order.amount))),
        _ => {
            let filled = || row.element.children().filter_map(ElementRef::wrap).filter(|cell| !text(*cell).is_empty());
            let (mut cells, is_pair) = (filled(), filled().count() == 2);
            let pair = cells.next().zip(cells.next()).filter(|_| is_pair);
            let (label, amount) = pair.ok_or_else(|| failed("a row does not have one label and one amount."))?;
            Ok((Cell::new(label, &order.label), Cell::new(amount, &order.amount)))
        }
    }
}

/// Refunds have to add up to what the total says was paid back. Some shops label them with the reason for it, so that negative
/// amounts of unknown labels may be refunds: the sum says so.
fn refunds(figures: &mut [Figure], refunded: Decimal, doubts: &mut Vec<Doubt>) -> Result<(), Unread> {
    let of = |figures: &[Figure], is: fn(&Figure) -> bool| -> Decimal {
        figures.iter().filter(|figure| is(figure)).map(|figure| figure.money.amount().abs()).sum()
    };
    let named = of(figures, |figure| figure.kind == Some(Summary::Refund));
    if named == refunded {
        return Ok(());
    }
    let unlike = "the refunds do not add up to what the order's total says was paid back.";
    // The total may not say so, or be what is left.
    if refunded.is_zero() {
        doubts.push(Doubt::new(Failure::new(Check::Lines, unlike), Proof::Record));
        return Ok(());
    }
    if named + of(figures, is_unnamed) != refunded {
        return Err(failed(unlike));
    }
    for figure in figures.iter_mut().filter(|figure| is_unnamed(figure)) {
        figure.kind = Some(Summary::Refund);
    }
    Ok(())
}

/// Whether it is taken off, for a reason that is not known.
fn is_unnamed(figure: &Figure) -> bool {
    figure.kind.is_none() && !figure.is_discount && figure.money.amount() < Decimal::ZERO
}
