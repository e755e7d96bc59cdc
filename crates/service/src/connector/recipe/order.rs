//! The page of an order: its number, its status, its lines and the figures below them.
//!
//! Each row of its tables is a line, a figure, a note without an amount, or a failed page.

use rust_decimal::Decimal;
use scraper::{ElementRef, Html};
use url::Url;

use super::address_of;
use super::amount::{Amounts, Decimals, Shown};
use super::cell::{Cell, Headings, Row, cell_of_line as cell, lines_failed as failed, only};
use super::coverage::{amount_in_other_table, is_nested, shows_amount_beside, unknown_rows};
use super::figures;
use super::format::Recipe;
use super::sign_in::RecipeSignIn;
use super::value::{At, Css, Place};
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::figures::{LineColumn, ReadLine, ShownOrder, Title};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::quantity;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::site::SignInPages as _;
use crate::connector::kit::text::{selector, shape, text};
use crate::connector::kit::title;

/// Lines that an order may have, and figures.
const MAX_LINES: usize = 5000;
const MAX_FIGURES: usize = 200;
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
    is_of(document, &recipe.order.number, &source.row.number)?;
    if !source.is_whole {
        return Err(Failure::new(Check::OrderPage, "the page is cut off: it has no end.").into());
    }
    let locale = settings.locale_of(document)?;
    let (page, check, currency) = (PageKind::Order, Check::Lines, settings.currency.as_ref());
    let decimals = Decimals::of(document, &recipe.amounts, settings);
    let amounts =
        Amounts { recipe: &recipe.amounts, struck: recipe.order.struck, page, check, locale, currency, decimals };
    let reader = Reader { recipe, amounts };
    let (lines, figures) = reader.rows(document, table)?;
    Ok(ShownOrder {
        status: status(document, recipe)?.or_else(|| source.row.status.clone()),
        lines: reader.lines(&lines)?,
        figures: figures::read(&figures, recipe, &reader.amounts)?,
    })
}

/// The elements of a page that a place means.
fn elements<'a>(document: &'a Html, place: &'a Place) -> impl Iterator<Item = Cell<'a>> {
    let css = match &place.at {
        At::Select(css) => Some(css),
        At::Heading(_) => None,
    };
    css.into_iter().flat_map(|css| document.select(css.get())).map(move |element| Cell::new(element, place))
}

/// Checks that the page names this order, and no other.
fn is_of(document: &Html, place: &Place, number: &str) -> Result<(), Failure> {
    let failed = |found: String| Err(Failure::new(Check::OrderNumber, found));
    let mut places = elements(document, place).peekable();
    if places.peek().is_none() {
        return failed("the page has nothing where `order.number` is.".to_owned());
    }
    for cell in places {
        match cell.words() {
            Some(named) if named == number => {}
            Some(named) => {
                return failed(format!(
                    "the page names another order than the one that was asked for: \"{}\".",
                    shape(&named)
                ));
            }
            None => {
                return failed(format!(
                    "the pattern of `order.number` does not fit \"{}\".",
                    shape(&text(cell.element))
                ));
            }
        }
    }
    Ok(())
}

fn status(document: &Html, recipe: &Recipe) -> Result<Option<String>, Failure> {
    let failed = |found: &str| Err(Failure::new(Check::Status, found));
    let Some(place) = &recipe.order.status else { return Ok(None) };
    let mut shown = elements(document, place).filter(|cell| !text(cell.element).is_empty());
    match (shown.next(), shown.next()) {
        (_, Some(_)) => failed("the page shows several."),
        (None, None) => Ok(None),
        (Some(cell), None) => match cell.words().filter(|words| !words.is_empty()) {
            None => failed("the recipe's pattern does not fit it."),
            status => Ok(status),
        },
    }
}

/// The shop's number of the article; `None`: the cell is empty.
fn sku(row: &Row<'_, '_>, place: &Place) -> Result<Option<String>, Unread> {
    let sku = cell(row, place, "SKU")?.words().ok_or_else(|| failed("the pattern of the SKU does not fit a line."))?;
    if sku.chars().count() > MAX_SKU || sku.chars().any(char::is_control) {
        return Err(failed("the SKU of a line is too long, or holds control characters."));
    }
    Ok((!sku.is_empty()).then_some(sku))
}

struct Reader<'a> {
    recipe: &'a Recipe,
    amounts: Amounts<'a>,
}

impl<'a> Reader<'a> {
    /// The rows of the lines and of the figures. Nothing of the tables is left out.
    #[allow(clippy::type_complexity, reason = "two lists of rows")]
    fn rows(
        &self,
        document: &'a Html,
        table: ElementRef<'a>,
    ) -> Result<(Vec<ElementRef<'a>>, Vec<ElementRef<'a>>), Unread> {
        let order = &self.recipe.order;
        let figures_table = match &order.figures_table {
            Some(css) => only(document.select(css.get()))
                .ok_or_else(|| failed("the page does not have one table of figures."))?,
            None => table,
        };
        let lines: Vec<ElementRef<'a>> = table.select(order.line.get()).take(MAX_LINES + 1).collect();
        let figures: Vec<ElementRef<'a>> = figures_table.select(order.figure.get()).take(MAX_FIGURES + 1).collect();
        if lines.len() > MAX_LINES || figures.len() > MAX_FIGURES {
            return Err(failed(format!("the order has more than {MAX_LINES} lines or {MAX_FIGURES} figures.")));
        }
        let mut known: Vec<ElementRef<'a>> = lines.iter().chain(&figures).copied().collect();
        // What the shop noted for the customer. It has no amount of the order.
        for note in order.note.iter().flat_map(|note| table.select(note.get())) {
            if self.amounts.is_hidden_in(note) {
                return Err(failed("a row among the lines is not known."));
            }
            known.push(note);
        }
        if is_nested(&known) || lines.iter().any(|line| figures.contains(line)) {
            return Err(failed("the page has rows within rows."));
        }
        for table in [table, figures_table] {
            if unknown_rows(table, &known) || shows_amount_beside(table, &known, &self.amounts) {
                return Err(failed("a row among the lines is not known."));
            }
        }
        let page = content_of(table, &self.recipe.list.content);
        if let Some(amount) =
            amount_in_other_table(page, [table, figures_table], order.other_tables.as_ref(), &self.amounts)
        {
            return Err(failed(format!(
                "a table or list beside the lines shows an amount, \"{amount}\". If it is no part of the order, name the \
                 table or list in `order.other_tables`."
            )));
        }
        Ok((lines, figures))
    }

    fn lines(&self, rows: &[ElementRef<'a>]) -> Result<Vec<ReadLine>, Unread> {
        let mut headings = Headings::default();
        rows.iter().map(|row| self.line(&headings.row(*row))).collect()
    }

    fn line(&self, row: &Row<'a, '_>) -> Result<ReadLine, Unread> {
        let order = &self.recipe.order;
        let shown = cell(row, &order.quantity, "quantity")?;
        let (quantity, left) = self.quantity(shown).ok_or_else(|| failed("a quantity cannot be read."))?;
        let mut amounts = vec![(Some(LineColumn::Total), Some(self.amount(row, &order.total)?))];
        if let Some(place) = &order.unit_price {
            amounts.push((Some(LineColumn::UnitPrice), Some(self.amount(row, place)?)));
        }
        let title = self.title(cell(row, &order.title, "name")?, shown.element)?;
        let sku = order.sku.as_ref().map(|place| sku(row, place)).transpose()?.flatten();
        Ok(ReadLine { title, quantity, sku, returned: quantity - left, amounts })
    }

    fn amount(&self, row: &Row<'a, '_>, place: &'a Place) -> Result<crate::connector::kit::money::Money, Unread> {
        match self.amounts.read(cell(row, place, "total")?)? {
            Some(Shown { ordered, left: None }) => Ok(ordered),
            _ => Err(failed("a line does not have one total.")),
        }
    }

    /// How many were ordered, and how many of them were not paid back.
    fn quantity(&self, cell: Cell<'_>) -> Option<(Decimal, Decimal)> {
        let count = |text: &str| {
            let number = text.trim_matches(|sign: char| sign.is_whitespace() || matches!(sign, '×' | 'x'));
            quantity::count(number, self.amounts.locale).filter(|count| *count > Decimal::ZERO)
        };
        let mut struck = cell.element.select(selector!("del"));
        let mut inserted = cell.element.select(selector!("ins"));
        match (struck.next(), inserted.next(), struck.next(), inserted.next()) {
            (None, None, None, None) => count(&cell.number()?).map(|number| (number, number)),
            (Some(del), Some(ins), None, None) if self.recipe.order.struck => {
                let (ordered, left) = (count(&text(del))?, quantity::count(text(ins).trim(), self.amounts.locale)?);
                (left <= ordered).then_some((ordered, left))
            }
            _ => None,
        }
    }

    /// The name of a line's product: of the link to it, or the cell's own text if the product has no page any more.
    /// `quantity`: may be in the same cell.
    fn title(&self, cell: Cell<'a>, quantity: ElementRef<'a>) -> Result<Title, Unread> {
        let order = &self.recipe.order;
        let is_aside = |element: ElementRef<'_>| {
            order.title_aside.as_ref().is_some_and(|aside| aside.holds(element))
                || is_within(element, quantity) && quantity != cell.element
        };
        let texts = |is: &dyn Fn(ElementRef<'_>) -> bool| -> Vec<String> {
            let nodes = cell.element.descendants().filter_map(|node| Some((node.value().as_text()?.trim(), node)));
            let shown = nodes
                .filter(|(text, node)| !text.is_empty() && node.parent().and_then(ElementRef::wrap).is_some_and(is));
            shown.map(|(text, _)| text.to_owned()).collect()
        };
        let own_link = cell.link().filter(|link| *link == cell.element);
        let below = cell.element.select(selector!("a[href]")).filter(|link| !is_aside(*link));
        let mut links = own_link.into_iter().chain(below);
        let (link, other_link) = (links.next(), links.next());
        let product = link.and_then(|link| link.attr("href")).map(str::to_owned);
        let is_own = |element: ElementRef<'_>| element == cell.element;
        let text = match link {
            _ if other_link.is_some() => None,
            _ if order.title_joined => Some(texts(&|element| !is_aside(element)).join(" ")),
            Some(link) => (own_link.is_some() || texts(&is_own).is_empty()).then(|| text(link)),
            // Part of a name may be emphasized, which makes an element of it.
            None => only(texts(&|element| is_own(element) || is_inline(element) && !is_aside(element)).into_iter()),
        };
        let text = text.ok_or_else(|| failed("a line does not have one name."))?;
        if text.is_empty() {
            return Err(failed("a line has no name."));
        }
        title::check(cell.element, &text)?;
        Ok(Title { text, product, is_doubtful: false })
    }
}

/// The part of the page that is about the order, and not the shop's own frame: what the pages of the account have around it,
/// or what is right around the lines.
fn content_of<'a>(table: ElementRef<'a>, content: &Css) -> ElementRef<'a> {
    let mut around = table.ancestors().filter_map(ElementRef::wrap);
    let nearest = around.clone().next();
    around.find(|above| content.is(*above)).or(nearest).unwrap_or(table)
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
