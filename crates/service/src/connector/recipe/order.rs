//! The page of an order: its number, its status, its lines and the figures below them.
//!
//! Each row of its tables is a line, a figure, a note without an amount, or a failed page.

use rust_decimal::Decimal;
use scraper::{ElementRef, Html};
use url::Url;

use super::address_of;
use super::amount::{Amounts, Decimals, Shown, no_amount};
use super::cell::{Cell, Headings, Row, cell_of_line as cell, lines_failed as failed, only};
use super::figures;
use super::format::{ProductApi, Recipe};
use super::rows::rows;
use super::sign_in::RecipeSignIn;
use super::value::{At, Place};
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::decimals;
use crate::connector::kit::figures::{Doubt, LineColumn, Proof, ReadLine, ShownOrder, Title};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::locale::Locale;
use crate::connector::kit::money::Money;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::quantity;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::site::SignInPages as _;
use crate::connector::kit::text::{collapsed, selector, shape, text};
use crate::connector::kit::title;

/// Texts of a cell that may be the title.
const MAX_TITLES: usize = 8;
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
///
/// # Errors
/// [`Unread::Failed`] with the check that failed; otherwise what other kind of page it is.
pub(super) fn read(
    document: &Html,
    source: &Source,
    sign_in: &RecipeSignIn,
    settings: &Settings,
) -> Result<ShownOrder, Unread> {
    let recipe = &*sign_in.0;
    let Some(table) = only(document.select(recipe.order.table.get())) else {
        let has_table = document.select(recipe.order.table.get()).next().is_some();
        if !has_table && document.select(recipe.list.content.get()).next().is_none() {
            return Err(sign_in.instead(document));
        }
        // "Invalid order", with status 200.
        return Err(Failure::new(Check::OrderPage, "the page does not have one table of the order's details.").into());
    };
    if address_of(&source.url) != source.row.path {
        return Err(Failure::new(Check::OrderNumber, "the shop leads to the page of another address.").into());
    }
    let mut doubts: Vec<Doubt> = is_of(document, recipe, &source.row.number)?.into_iter().collect();
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
    let rows = rows(document, table, recipe, &amounts)?;
    doubts.extend(rows.doubts);
    let reader = Reader { recipe, amounts, row: &source.row };
    let lines = reader.lines(&rows.lines, &mut doubts)?;
    if recipe.order.product_api != ProductApi::None {
        doubts.extend(lines.iter().filter_map(ReadLine::doubt));
    }
    let figures = figures::read(&rows.figures, recipe, &reader.amounts, &mut doubts)?;
    doubts.extend(decimals::rounded(settings, &lines, &figures));
    let status = status(document, recipe)?.or_else(|| source.row.status.clone());
    Ok(ShownOrder { status, lines, figures, doubts })
}

/// The elements of a page that a place means.
fn elements<'a>(document: &'a Html, place: &'a Place) -> impl Iterator<Item = Cell<'a>> {
    let css = match &place.at {
        At::Select(css) => Some(css),
        At::Heading(_) => None,
    };
    css.into_iter().flat_map(|css| document.select(css.get())).map(move |element| Cell::new(element, place))
}

/// Checks that the page says the day on which the list has the order, if it says one.
fn is_dated(
    document: &Html,
    recipe: &Recipe,
    (source, locale, settings): (&Source, Locale, &Settings),
) -> Result<(), Failure> {
    let places = recipe.order.date.iter().flat_map(|place| elements(document, place));
    let placed = source.row.placed_at;
    for words in places.filter_map(|cell| cell.date().ok()) {
        if placed.is_contradicted_by(&words, locale, settings.time_zone) {
            let found = "the list and the page of the order show different dates.";
            return Err(Failure::new(Check::OrderDate, found));
        }
    }
    Ok(())
}

/// Checks that the page names this order, and no other. One that names none is in doubt.
fn is_of(document: &Html, recipe: &Recipe, number: &str) -> Result<Option<Doubt>, Failure> {
    let place = &recipe.order.number;
    let failed = |found: String| Err(Failure::new(Check::OrderNumber, found));
    let mut places = elements(document, place).peekable();
    if places.peek().is_none() {
        let found = "the page has nothing where `order.number` is.";
        let has_record = recipe.order.product_api != ProductApi::None;
        let failure = Failure::new(Check::OrderNumber, found);
        return if has_record { Ok(Some(Doubt::new(failure, Proof::Record))) } else { Err(failure) };
    }
    for cell in places {
        match cell.words() {
            Ok(named) if named == number => {}
            Ok(named) => {
                return failed(format!(
                    "the page names another order than the one that was asked for: \"{}\".",
                    shape(&named)
                ));
            }
            Err(misfit) => return failed(format!("of `order.number`, {misfit}")),
        }
    }
    Ok(None)
}

fn status(document: &Html, recipe: &Recipe) -> Result<Option<String>, Failure> {
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
    row: &'a ListedOrder,
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
        let total_cell = cell(row, &order.total, "total")?;
        let mut amounts = vec![(Some(LineColumn::Total), self.amount(total_cell)?)];
        if let Some(place) = &order.unit_price {
            let unit_price = self.amount(cell(row, place, "price of one")?)?;
            amounts.push((
                Some(LineColumn::UnitPrice),
                Some(unit_price.ok_or_else(|| failed("a line has no price of one."))?),
            ));
        }
        if self.recipe.amounts.mark.is_some() {
            let candidates = self.amounts.candidates(total_cell.element, quantity, self.row.total.currency());
            amounts.extend(candidates.into_iter().map(|money| (Some(LineColumn::Candidate), Some(money))));
        } else if amounts.iter().any(|(_, money)| money.is_none()) {
            return Err(failed("a line does not have one total."));
        }
        let title = self.title(title_cell, shown.map(|cell| cell.element))?;
        let sku = order.sku.as_ref().map(|place| sku(row, place)).transpose()?.flatten();
        Ok(ReadLine { title, quantity, sku, returned: quantity - left, amounts })
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

    /// The name of a line's product: of the link to it, or the cell's own text if the product has no page any more. If the
    /// cell has further texts, the shop's own record has to name one of them. `quantity`: may be in the same cell.
    fn title(&self, cell: Cell<'a>, quantity: Option<ElementRef<'a>>) -> Result<Title, Unread> {
        let order = &self.recipe.order;
        let is_quantity = |text: &str| quantity == Some(cell.element) && quantity::is_marked(text);
        let is_aside = |element: ElementRef<'_>| {
            order.title_aside.as_ref().is_some_and(|aside| aside.holds(element))
                || quantity.is_some_and(|quantity| is_within(element, quantity) && quantity != cell.element)
        };
        let texts = |is: &dyn Fn(ElementRef<'_>) -> bool| -> Vec<String> {
            let nodes = cell.element.descendants().filter_map(|node| Some((node.value().as_text()?.trim(), node)));
            let shown = nodes.filter(|(text, node)| {
                !text.is_empty() && !is_quantity(text) && node.parent().and_then(ElementRef::wrap).is_some_and(is)
            });
            shown.map(|(text, _)| collapsed(text)).collect()
        };
        let own_link = cell.link().filter(|link| *link == cell.element);
        let below =
            cell.element.select(selector!("a[href]")).filter(|link| !is_aside(*link) && !text(*link).is_empty());
        let links: Vec<ElementRef<'a>> = own_link.into_iter().chain(below).collect();
        let is_own = |element: ElementRef<'_>| element == cell.element;
        let text_of = match links.as_slice() {
            _ if order.title_joined => Some(texts(&|element| !is_aside(element)).join(" ")),
            [link] => (own_link.is_some() || texts(&is_own).is_empty()).then(|| text(*link)),
            // Part of a name may be emphasized, which makes an element of it.
            [] => only(texts(&|element| is_own(element) || is_inline(element) && !is_aside(element)).into_iter()),
            _ => None,
        };
        let is_doubtful = text_of.is_none();
        let own = || texts(&is_own).into_iter().chain([texts(&|element| !is_aside(element)).join(" ")]);
        let mut all =
            text_of.map_or_else(|| links.iter().map(|link| text(*link)).chain(own()).collect(), |text| vec![text]);
        all.dedup();
        all.truncate(MAX_TITLES);
        if all.iter().all(String::is_empty) || is_doubtful && order.product_api == ProductApi::None {
            return Err(failed(if is_doubtful { "a line does not have one name." } else { "a line has no name." }));
        }
        let (first, others) = (all.remove(0), all);
        let is_cut = ["…", "..."].iter().any(|end| first.ends_with(end));
        title::check(cell.element, &first)?;
        let product = links.first().and_then(|link| link.attr("href")).map(str::to_owned);
        Ok(Title { text: first, product, is_doubtful, others, is_cut })
    }
}

/// Whether an element is another, or in it.
fn is_within(element: ElementRef<'_>, other: ElementRef<'_>) -> bool {
    element == other || element.ancestors().any(|above| above.id() == other.id())
}

/// Whether an element marks a part of a text (HTML, section 4.5).
fn is_inline(element: ElementRef<'_>) -> bool {
    matches!(
        element.value().name(),
        "abbr"
            | "b"
            | "bdi"
            | "cite"
            | "code"
            | "del"
            | "em"
            | "font"
            | "i"
            | "ins"
            | "mark"
            | "q"
            | "s"
            | "small"
            | "span"
            | "strong"
            | "sub"
            | "sup"
            | "u"
    )
}
