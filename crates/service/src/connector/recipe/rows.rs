//! The rows of an order's page: lines, figures, and what is neither. Nothing of the tables is left out: what is not known is a
//! doubt, and only figures that all agree without it, or the shop's own record, settle it.

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::{ElementRef, Html};

use super::amount::Amounts;
use super::cell::{Headings, lines_failed as failed, only};
use super::coverage::{amount_in_other_table, is_nested, shows_amount_beside, unknown_rows};
use super::figures::{self, FigureRow, label_and_amount};
use super::format::{Order, Recipe};
use super::value::{At, Css, Place, is_one_of};
use super::words::Label;
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::figures::{Doubt, Proof, Summary};
use crate::connector::kit::table::{Table, is_shown};
use crate::connector::kit::text::{selector, text};

/// Lines that an order may have, and figures.
const MAX_LINES: usize = 5000;
const MAX_FIGURES: usize = 200;

/// What the tables of an order's page hold.
pub(super) struct Rows<'a> {
    pub(super) lines: Vec<ElementRef<'a>>,
    pub(super) figures: Vec<FigureRow<'a>>,
    pub(super) doubts: Vec<Doubt>,
}

/// The tables of lines: the one that the recipe selects or, if it selects no lines, all that have the headings of a line. `None`:
/// there is none, or more than one that the recipe selects.
pub(super) fn tables_of_lines<'a>(document: &'a Html, order: &Order) -> Option<Vec<ElementRef<'a>>> {
    let tables = document.select(order.table.get());
    if order.line.is_some() {
        return only(tables).map(|table| vec![table]);
    }
    let has_headings = |table: &ElementRef<'a>| {
        let headings = Table::read(*table).ok().and_then(|table| table.headings).unwrap_or_default();
        let names = |place: &Place| matches!(&place.at, At::Heading(words) if headings.iter().any(|heading| is_one_of(words, heading)));
        names(&order.title) && order.quantity.0.iter().any(names) && order.total.0.iter().any(names)
    };
    let tables: Vec<ElementRef<'a>> = tables.filter(|table| is_shown(*table)).filter(has_headings).collect();
    (!tables.is_empty()).then_some(tables)
}

/// The rows of tables that the recipe tells apart by their cells: a line has one for each heading.
fn by_cells<'a>(
    tables: &[ElementRef<'a>],
    order: &'a Order,
) -> Result<(Vec<ElementRef<'a>>, Vec<FigureRow<'a>>), Unread> {
    let (mut lines, mut others) = (Vec::new(), Vec::new());
    for table in tables {
        let table = Table::read(*table).map_err(|_| failed("the table of lines has headings that cannot be read."))?;
        let columns = table.headings.map_or(0, |headings| headings.len());
        for row in table.rows {
            let filled = row.cells.iter().filter(|cell| !text(**cell).is_empty()).count();
            let is_line = !row.is_merged && row.cells.len() == columns && filled != 2;
            if is_line { &mut lines } else { &mut others }.push(row.element);
        }
    }
    Ok((lines, figures::in_rows(others.into_iter(), order)?))
}

/// The rows of the lines and of the figures. `tables`: those of lines, of which there is at least one.
pub(super) fn rows<'a>(
    document: &'a Html,
    tables: &[ElementRef<'a>],
    recipe: &'a Recipe,
    amounts: &Amounts<'a>,
) -> Result<Rows<'a>, Unread> {
    let order = &recipe.order;
    let Some(table) = tables.last().copied() else { return Err(failed("the page has no table of lines.")) };
    let page = content_of(table, recipe.list.around.as_ref().unwrap_or(&recipe.list.content));
    let mut figures_table = match &order.figures_table {
        Some(css) => {
            only(document.select(css.get())).ok_or_else(|| failed("the page does not have one table of figures."))?
        }
        None => table,
    };
    let (lines, mut figures) = match &order.line {
        Some(line) => {
            let lines = table.select(line.get()).take(MAX_LINES + 1).collect();
            (lines, figures::rows(figures_table, order, MAX_FIGURES)?)
        }
        None => by_cells(tables, order)?,
    };
    if figures.is_empty() && order.figures_table.is_none() {
        let (other, found) = elsewhere(table, page, &lines, recipe);
        figures_table = other;
        figures = figures::in_rows(found.into_iter(), order)?;
    }
    if lines.len() > MAX_LINES || figures.len() > MAX_FIGURES {
        return Err(failed(format!("the order has more than {MAX_LINES} lines or {MAX_FIGURES} figures.")));
    }
    let doubt = |found: String| Doubt::new(Failure::new(Check::Lines, found), Proof::Sums);
    let unknown = || doubt("a row among the lines is not known.".to_owned());
    let mut doubts = Vec::new();
    let of_figures: Vec<ElementRef<'a>> = figures.iter().flat_map(|row| &row.elements).copied().collect();
    let mut known: Vec<ElementRef<'a>> = lines.iter().chain(&of_figures).copied().collect();
    // What the shop noted for the customer, and headings. They have no amount of the order.
    let all: Vec<ElementRef<'a>> = tables.iter().copied().chain([figures_table]).collect();
    let within = |note: &'a Css| all.iter().flat_map(|table| table.select(note.get())).collect::<Vec<_>>();
    let notes: Vec<_> = order.note.iter().flat_map(within).filter(|note| !known.contains(note)).collect();
    for note in notes {
        if amounts.is_hidden_in(note) {
            doubts.push(unknown());
        }
        known.push(note);
    }
    if is_nested(&known) || lines.iter().any(|line| of_figures.contains(line)) {
        return Err(failed("the page has rows within rows."));
    }
    for table in &all {
        if unknown_rows(*table, &known) || shows_amount_beside(*table, &known, amounts) {
            doubts.push(unknown());
        }
    }
    if let Some(amount) = amount_in_other_table(page, &all, order.other_tables.as_ref(), amounts) {
        doubts.push(doubt(format!(
            "a table or list beside the lines shows an amount, \"{amount}\". If it is no part of the order, name the table or \
             list in `order.other_tables`."
        )));
    }
    Ok(Rows { lines, figures, doubts })
}

/// The figures where the shop has none in their place: the rows below the lines, or those of another table, if one of them is
/// the order's total.
fn elsewhere<'a>(
    table: ElementRef<'a>,
    page: ElementRef<'a>,
    lines: &[ElementRef<'a>],
    recipe: &Recipe,
) -> (ElementRef<'a>, Vec<ElementRef<'a>>) {
    let known: HashSet<NodeId> = lines.iter().map(|line| line.id()).collect();
    let is_total = |row: &ElementRef<'a>| {
        let found = label_and_amount(&Headings::default().row(*row), &recipe.order).ok();
        let label = found.and_then(|(label, _)| label.words().ok()).and_then(|label| recipe.words.label(&label, &[]));
        label == Some(Label::Figure(Summary::OrderTotal))
    };
    let figures_of = |rows: Vec<ElementRef<'a>>| if rows.iter().any(is_total) { rows } else { Vec::new() };
    let all: Vec<ElementRef<'a>> = table.select(selector!("tr")).collect();
    let end = all.iter().rposition(|row| known.contains(&row.id())).map_or(0, |last| last + 1);
    let below = figures_of(all.into_iter().skip(end).collect());
    if !below.is_empty() || lines.is_empty() {
        return (table, below);
    }
    let others = page
        .select(selector!("table"))
        .filter(|other| *other != table && recipe.order.other_tables.as_ref().is_none_or(|known| !known.holds(*other)));
    let found = others.map(|other| (other, figures_of(other.select(selector!("tr")).collect())));
    only(found.filter(|(_, rows)| !rows.is_empty())).unwrap_or((table, Vec::new()))
}

/// The part of the page that is about the order, and not the shop's own frame: what the pages of the account have around it,
/// or what is right around the lines.
fn content_of<'a>(table: ElementRef<'a>, content: &Css) -> ElementRef<'a> {
    let mut around = table.ancestors().filter_map(ElementRef::wrap);
    let nearest = around.clone().next();
    around.find(|above| content.is(*above)).or(nearest).unwrap_or(table)
}
