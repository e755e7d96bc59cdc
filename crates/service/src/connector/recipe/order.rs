//! The page of an order: its number, its status, its lines and the figures below them.
//!
//! Each row of its tables is a line, a figure, a note without an amount, or a failed page.

use rust_decimal::Decimal;
use scraper::{ElementRef, Html};
use url::Url;

use super::amount::{Amounts, Decimals, Shown, looks_like_amount, no_amount};
use super::cell::{Cell, Headings, Row, cell_of_line as cell, elements, lines_failed as failed};
use super::format::Recipe;
use super::rows::{rows, tables_of_lines};
use super::sign_in::RecipeSignIn;
use super::value::{Place, address_of};
use super::{figures, line_title, number, status_below};
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::dates::NumericDates;
use crate::connector::kit::figures::{Doubt, LineColumn, Proof, ReadLine, ShownOrder};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::locale::Locale;
use crate::connector::kit::money::Money;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::pieces::Pieces;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::shows::Presence;
use crate::connector::kit::site::SignInPages as _;
use crate::connector::kit::text::{quoted, selector, text};
use crate::connector::kit::{decimals, quantity};

/// The longest SKU, in characters.
const MAX_SKU: usize = 100;

/// What is known of the page beside its elements.
pub(super) struct Source {
    /// Where it came from in the end.
    pub(super) url: Url,
    /// Whether it ends as pages end.
    pub(super) is_whole: bool,
    /// The order, as the list shows it.
    pub(super) row: ListedOrder,
}

/// Reads the page of an order.
/// Fails with [`Unread::Failed`] with the check that failed; otherwise what other kind of page it is.
pub(super) fn read(
    document: &Html,
    source: &Source,
    sign_in: &RecipeSignIn,
    settings: &Settings,
) -> Result<ShownOrder, Unread> {
    let recipe = &*sign_in.0;
    let Some(tables) = tables_of_lines(document, &recipe.order) else {
        let has_table = recipe.order.line.is_some() && document.select(recipe.order.table.get()).next().is_some();
        let is_named = || match &recipe.order.named_in {
            Some(css) => number::names_among(document, css, (&source.url, &source.row)),
            None => Ok(false),
        };
        if !has_table && document.select(recipe.list.content.get()).next().is_none() && !is_named()? {
            return Err(sign_in.instead(document));
        }
        if recipe.order.line.is_none() {
            return Err(failed("the page lacks the table of lines."));
        }
        // "Invalid order", with status 200.
        let lack = Failure::new(Check::OrderPage, "the page does not have one table of the order's details.");
        return Err(sign_in.lacking(document, lack.into()));
    };
    if address_of(&source.url) != source.row.path {
        return Err(Failure::new(Check::OrderNumber, "the shop leads to the page of another address.").into());
    }
    let mut doubts: Vec<Doubt> = number::check(document, recipe, (&source.url, &source.row))?.into_iter().collect();
    if !source.is_whole {
        return Err(Failure::new(Check::OrderPage, "the page is cut off: it has no end.").into());
    }
    let locale = settings.locale_of(document)?;
    is_dated(document, recipe, (source, locale, settings))?;
    let amounts = Amounts {
        recipe: &recipe.amounts,
        struck: recipe.order.struck,
        page: PageKind::Order,
        check: Check::Lines,
        locale,
        currencies: &settings.currencies,
        zero: (&recipe.words.zero, Some(source.row.total.currency())),
        decimals: Decimals::of(document, &recipe.amounts, settings),
    };
    let rows = rows(document, &tables, recipe, &amounts)?;
    doubts.extend(rows.doubts);
    let reader = Reader { recipe, amounts, source };
    let lines = reader.lines(&rows.lines, &mut doubts)?;
    if recipe.order.has_record() || recipe.product_page.is_some() {
        doubts.extend(lines.iter().filter_map(ReadLine::doubt));
    }
    let shipping: Vec<String> = recipe
        .order
        .shipping_name
        .iter()
        .flat_map(|place| elements(document, place))
        .filter_map(|cell| cell.words().ok())
        .collect();
    let figures = figures::read(&rows.figures, recipe, &reader.amounts, &shipping, &mut doubts)?;
    doubts.extend(decimals::rounded(settings, &lines, &figures));
    let status = status(document, recipe, settings)?.or_else(|| source.row.status.clone());
    let is_converted = settings.currencies.own().is_some_and(|own| own != source.row.total.currency());
    Ok(ShownOrder { status, lines, figures, doubts, has_other_shipments: false, is_converted })
}

/// Checks that the page says the day on which the list has the order, if it says one, and that nothing happened to the order
/// before: some lists show the day of the last change.
fn is_dated(
    document: &Html,
    recipe: &Recipe,
    (source, locale, settings): (&Source, Locale, &Settings),
) -> Result<(), Failure> {
    let (placed, zone) = (source.row.placed_at, settings.time_zone);
    let (day, numeric) = (placed.day(zone), recipe.list.numeric_dates.unwrap_or(NumericDates::Unknown));
    let failed = |found: String| Err(Failure::new(Check::OrderDate, found));
    let shown = |place: &'_ Option<Place>| -> Vec<String> {
        let places = place.iter().flat_map(|place| elements(document, place));
        places.filter_map(|cell| cell.date().ok()).collect()
    };
    let own = shown(&recipe.order.date);
    if let Some(words) = own.iter().find(|words| placed.is_contradicted_by(words, numeric, locale, zone)) {
        return failed(format!("the list shows {day}, the page of the order {}.", quoted(words)));
    }
    let history = shown(&recipe.order.history_date);
    for words in history.iter().filter(|words| words.contains(|sign: char| sign.is_ascii_digit())) {
        match locale.day(words, numeric) {
            None => return failed(format!("{}, at `order.history_date`, cannot be read.", quoted(words))),
            Some(before) if before < day => {
                let why = "Does the list show the day of the last change?";
                return failed(format!("the list shows {day}, the history of the order begins on {before}. {why}"));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn status(document: &Html, recipe: &Recipe, settings: &Settings) -> Result<Option<String>, Failure> {
    if !recipe.order.status_below.is_empty() {
        let means = |text: &str| recipe.status(text, settings).known().copied();
        return status_below::read(document, &recipe.order.status_below, &means);
    }
    let failed = |found: String| Err(Failure::new(Check::Status, found));
    let Some(place) = &recipe.order.status else { return Ok(None) };
    let mut shown = elements(document, place).filter(|cell| !text(cell.element).is_empty());
    match (shown.next(), shown.next()) {
        (_, Some(_)) => failed("the page shows several.".to_owned()),
        (None, None) => Ok(None),
        (Some(cell), None) => match cell.words() {
            Ok(words) if words.is_empty() => failed("the pattern of `order.status` leaves nothing of it.".to_owned()),
            Ok(words) => Ok(Some(words)),
            Err(misfit) => failed(format!("of `order.status`, {misfit}")),
        },
    }
}

/// The shop's number of the article; `None`: the cell is empty.
fn sku(row: &Row<'_, '_>, place: &Place) -> Result<Option<String>, Unread> {
    let sku = cell(row, place, "SKU")?.words().map_err(|misfit| failed(format!("of `order.sku`, {misfit}")))?;
    if sku.chars().count() > MAX_SKU || sku.chars().any(char::is_control) {
        return Err(failed("the SKU of a line is too long, or holds control characters."));
    }
    Ok((!sku.is_empty()).then_some(sku))
}

struct Reader<'a> {
    recipe: &'a Recipe,
    amounts: Amounts<'a>,
    source: &'a Source,
}

impl<'a> Reader<'a> {
    fn lines(&self, rows: &[ElementRef<'a>], doubts: &mut Vec<Doubt>) -> Result<Vec<ReadLine>, Unread> {
        let mut headings = Headings::default();
        rows.iter().map(|row| self.line(&headings.row(*row), doubts)).collect()
    }

    fn line(&self, row: &Row<'a, '_>, doubts: &mut Vec<Doubt>) -> Result<ReadLine, Unread> {
        let order = &self.recipe.order;
        let title_cell = cell(row, &order.title, "name")?;
        let shown = order.quantity.0.iter().find_map(|place| row.cell(place).filter(|cell| cell.number().is_ok()));
        let (quantity, left) = self.quantity(shown, doubts)?;
        let total_cell = order.total.0.iter().find_map(|place| row.cell(place));
        let total_cell = total_cell.ok_or_else(|| failed("a row does not have one total."))?;
        let mut amounts = vec![(LineColumn::Total, self.amount(total_cell)?)];
        amounts.extend(self.unit_price(row)?.map(|money| (LineColumn::UnitPrice, Some(money))));
        if self.recipe.amounts.mark.is_some() {
            let candidates = self.amounts.candidates(total_cell.element, quantity, self.source.row.total.currency());
            amounts.extend(candidates.into_iter().map(|money| (LineColumn::Candidate, Some(money))));
        } else if amounts.iter().any(|(_, money)| money.is_none()) {
            return Err(failed("a line does not have one total."));
        }
        let quantity_cell = shown.map(|cell| cell.element);
        let title = line_title::read((row, title_cell), quantity_cell, self.recipe, &self.source.url)?;
        let sku = order.sku.as_ref().map(|place| sku(row, place)).transpose()?.flatten();
        let pieces = Pieces { struck: quantity - left, ..Pieces::default() };
        Ok(ReadLine { title, quantity, sku, pieces, shipments: Vec::new(), amounts })
    }

    /// The price of one. `None`: the line shows none, which is right for a shop that shows it at times.
    fn unit_price(&self, row: &Row<'a, '_>) -> Result<Option<Money>, Unread> {
        let Some(place) = &self.recipe.order.unit_price else { return Ok(None) };
        if self.recipe.shows.unit_price == Presence::AtTimes {
            let cell = row.cell(place).filter(|cell| looks_like_amount(&text(cell.element)));
            return cell.map_or(Ok(None), |cell| self.amount(cell));
        }
        let unit_price = self.amount(cell(row, place, "price of one")?)?;
        unit_price.map(Some).ok_or_else(|| failed("a line has no price of one."))
    }

    /// The one amount of a cell of a line; `None` if that is not certain.
    fn amount(&self, cell: Cell<'a>) -> Result<Option<Money>, Unread> {
        match self.amounts.read(cell) {
            Ok(Some(Shown { ordered, left: None })) => Ok(Some(ordered)),
            Ok(_) | Err(Unread::Failed(_)) if self.recipe.amounts.mark.is_some() => Ok(None),
            Ok(None) => Err(failed(format!("a line does not have one total: {}", no_amount(cell.element)))),
            Ok(_) => Err(failed("a line does not have one total.")),
            Err(unread) => Err(unread),
        }
    }

    /// How many were ordered, and how many of them were not paid back. A line without a quantity is one piece, and a unit
    /// beside the number, or how many were sent, is no part of it, if the sums say so.
    fn quantity(&self, cell: Option<Cell<'_>>, doubts: &mut Vec<Doubt>) -> Result<(Decimal, Decimal), Unread> {
        let doubt = |found: String| Doubt::new(Failure::new(Check::Lines, found), Proof::Sums);
        let Some(cell) = cell else {
            doubts.push(doubt("a row does not have one quantity.".to_owned()));
            return Ok((Decimal::ONE, Decimal::ONE));
        };
        let count = |text: &str| {
            let number = text.trim_matches(|sign: char| sign.is_whitespace() || matches!(sign, '×' | 'x'));
            let count = quantity::count(number, self.amounts.locale);
            count.ok_or_else(|| failed(quantity::unreadable(text)))
        };
        let mut struck = cell.element.select(selector!("del"));
        let mut inserted = cell.element.select(selector!("ins"));
        match (struck.next(), inserted.next(), struck.next(), inserted.next()) {
            (None, None, None, None) => {
                let words = cell.number().map_err(|misfit| failed(format!("of `order.quantity`, {misfit}")))?;
                let number = count(&words).or_else(|unread| {
                    let (first, is_only) =
                        quantity::first(&words).ok_or_else(|| failed(quantity::unreadable(&words)))?;
                    let first = count(first).map_err(|_| unread)?;
                    let doubt = doubt(quantity::unreadable(&words));
                    doubts.push(if is_only { doubt } else { Doubt { proof: Proof::Record, ..doubt } });
                    Ok::<_, Unread>(first)
                })?;
                Ok((number, number))
            }
            (Some(del), Some(ins), None, None) if self.recipe.order.struck => {
                let (ordered, left) = (count(&text(del))?, count(&text(ins))?);
                let is_left = Decimal::ZERO <= left && left <= ordered;
                if is_left { Ok((ordered, left)) } else { Err(failed("more of a line is left than was ordered.")) }
            }
            _ => Err(failed(quantity::unreadable(&text(cell.element)))),
        }
    }
}
