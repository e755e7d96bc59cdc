//! The page of an order: its number, its status, its lines and the figures below them. It has neither date nor SKU.
//!
//! Every table that shows money is read, and each of its rows is a line, a figure below the lines, or a failed page. What
//! the figures prove of each other is checked by the kit.

use ordersync_api::SyncErrorCode;
use rust_decimal::Decimal;
use scraper::{ElementRef, Html};
use url::Url;

use super::words;
use super::{line_title, order_status, sign_in_page};
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::decimals::{self, Decimals};
use crate::connector::kit::figures::{Figure, LineColumn, ReadLine, ShownOrder};
use crate::connector::kit::line_tax::LineTax;
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::locale::Locale;
use crate::connector::kit::money::Money;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::shows::{Counted, Presence, Shows};
use crate::connector::kit::table::{Table, TableRow};
use crate::connector::kit::text::{selector, text};
use crate::connector::kit::{quantity, source, twice};

/// What Oscar shows of an order. A theme may add a price of one.
pub(super) const SHOWS: Shows = Shows {
    items: Counted::Pieces,
    basket: Presence::Always,
    shipping: Presence::AtTimes,
    tax: Presence::AtTimes,
    line_tax: LineTax::AsBasket,
    unit_price: Presence::AtTimes,
    status: Presence::Always,
};
/// Lines that an order may have.
const MAX_LINES: usize = 5000;
/// The longest text that may be an amount.
const MAX_AMOUNT: usize = 40;

/// What is known of the page beside its elements.
pub(super) struct Source {
    /// Where it came from in the end.
    pub(super) url: Url,
    /// Whether it ends as pages end.
    pub(super) is_whole: bool,
    /// The address of the order list.
    pub(super) list: Url,
    /// The order, as the list shows it.
    pub(super) row: ListedOrder,
}

/// Everything that is read of the page's tables.
#[derive(Default)]
struct Tables {
    lines: Vec<ReadLine>,
    figures: Vec<Figure>,
    has_lines_table: bool,
}

/// Reads the page of an order.
///
/// # Errors
/// [`Unread::Failed`] with the check that failed; otherwise what other kind of page it is.
pub(super) fn read(document: &Html, source: &Source, settings: &Settings) -> Result<ShownOrder, Unread> {
    let number = number(document, source);
    if matches!(number, Ok(false)) && !has_money_table(document) {
        return Err(sign_in_page::instead(document));
    }
    if !number? {
        return Err(Failure::new(Check::OrderNumber, "the page does not name the order that was asked for.").into());
    }
    if !source.is_whole {
        return Err(Failure::new(Check::OrderPage, "the page is cut off: it has no end.").into());
    }
    let locale = settings.locale_of(document)?;
    let cells = Table::all(document).flat_map(|table| table.select(selector!("td, th"))).map(text);
    let decimals = Decimals::of_amounts(settings, cells.filter(|cell| looks_like_money(cell)));
    let reader = Reader { source, locale, settings, decimals };
    let mut tables = Tables::default();
    for table in Table::all(document) {
        reader.table(table, &mut tables)?;
    }
    if !tables.has_lines_table {
        return Err(failed("the page lacks the table of lines.").into());
    }
    let status = order_status::read(document, settings)?;
    let rounded = decimals::rounded(settings, &tables.lines, &tables.figures);
    let doubts = rounded.into_iter().chain(tables.lines.iter().filter_map(ReadLine::doubt)).collect();
    Ok(ShownOrder { status, lines: tables.lines, figures: tables.figures, doubts })
}

fn failed(found: impl Into<String>) -> Failure {
    Failure::new(Check::Lines, found)
}

/// Whether the page names the order, and no other.
fn number(document: &Html, source: &Source) -> Result<bool, Failure> {
    let number = &source.row.number;
    let other = || Failure::new(Check::OrderNumber, "the page is another order's.");
    if source.url.path() != source.row.path {
        return Err(other());
    }
    let is_other_order = |form: ElementRef<'_>| {
        let action = form.attr("action").and_then(|action| source.url.join(action).ok());
        action.and_then(|url| source::order_number(&source.list, &url)).is_some_and(|found| found != *number)
    };
    if document.select(selector!("form[action]")).any(is_other_order) {
        return Err(other());
    }
    let titles: Vec<String> = document
        .select(selector!("title, h1, .breadcrumb li, .breadcrumb-item"))
        .map(text)
        .filter(|title| title.len() < 500)
        .collect();
    let is_like = |word: &str| {
        word.len() == number.len()
            && word.len() >= 4
            && word != number
            && word.bytes().all(|byte| byte.is_ascii_digit())
    };
    let names_other = titles.iter().any(|title| title.split(|sign: char| !sign.is_alphanumeric()).any(is_like));
    // Other headings may have numbers of other things; those of orders lie close to each other.
    let own = number.parse::<u64>().ok();
    let is_near = |word: &str| is_like(word) && own.is_some_and(|own| source::is_like(word, own, own));
    let names_near = document
        .select(selector!("h2, h3, h4, h5, h6, caption"))
        .map(text)
        .any(|heading| heading.split(|sign: char| !sign.is_alphanumeric()).any(is_near));
    if (names_other || names_near) && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(other());
    }
    Ok(titles.iter().any(|title| source::names(title, number)))
}

fn has_money_table(document: &Html) -> bool {
    Table::all(document).any(|table| table.select(selector!("td, th")).any(|cell| looks_like_money(&text(cell))))
}

/// Whether a text is an amount with its currency, in any notation: a number, and a sign or a few letters beside it.
pub(super) fn looks_like_money(text: &str) -> bool {
    if text.len() > MAX_AMOUNT || !text.contains(|sign: char| sign.is_ascii_digit()) {
        return false;
    }
    let letters = text.chars().filter(|sign| sign.is_alphabetic()).count();
    let has_sign = text.chars().any(|sign| "£€$¥₹₩₪₫₴₺₽฿₱¢円元￥￡".contains(sign) || sign == '\u{20bd}');
    let is_code = text.split(|sign: char| !sign.is_alphabetic()).any(|word| {
        matches!(word.to_lowercase().as_str(), "kr" | "zł" | "kč" | "ft" | "lei" | "fr" | "rs")
            || word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase())
    });
    letters <= 4 && (has_sign || is_code)
}

struct Reader<'a> {
    source: &'a Source,
    locale: Locale,
    settings: &'a Settings,
    decimals: Decimals,
}

/// The columns of the table of lines, by their places.
struct Columns {
    product: usize,
    quantity: usize,
    /// Whether another column may hold the title.
    has_description: bool,
    kinds: Vec<Option<LineColumn>>,
}

impl Columns {
    /// By the headings; by Oscar's own order if the table has exactly its five columns and no headings at all.
    fn of(table: &Table<'_>) -> Option<Self> {
        let Some(headings) = &table.headings else {
            use LineColumn::{Product, Quantity, TotalWithTax, TotalWithoutTax};
            let kinds = vec![Some(Product), Some(Quantity), Some(TotalWithoutTax), Some(TotalWithTax), None];
            let is_stock = table.rows.first().is_some_and(|row| row.cells.len() == kinds.len() && !row.is_merged);
            return is_stock.then_some(Self { product: 0, quantity: 1, has_description: false, kinds });
        };
        let find = |column| table.column(|heading| words::line_column(heading) == Some(column)).ok().flatten();
        Some(Self {
            product: find(LineColumn::Product)?,
            quantity: find(LineColumn::Quantity)?,
            has_description: headings.iter().any(|heading| words::describes_product(heading)),
            kinds: headings.iter().map(|heading| words::line_column(heading)).collect(),
        })
    }
}

impl Reader<'_> {
    fn table(&self, element: ElementRef<'_>, tables: &mut Tables) -> Result<(), Failure> {
        let table = Table::read(element);
        let Ok(table) = table else {
            return if element.select(selector!("td, th")).any(|cell| looks_like_money(&text(cell))) {
                Err(failed("a table of amounts has headings that cannot be read."))
            } else {
                Ok(())
            };
        };
        if let Some(columns) = Columns::of(&table) {
            tables.has_lines_table = true;
            return table.rows.iter().try_for_each(|row| self.row_of_lines(row, &columns, tables));
        }
        if table.rows.iter().flat_map(|row| &row.cells).any(|cell| looks_like_money(&text(*cell))) {
            if table.headings.iter().flatten().any(|heading| words::line_column(heading).is_some()) {
                return Err(failed("the table of lines has columns that are not known."));
            }
            return table.rows.iter().try_for_each(|row| {
                tables.figures.push(self.figure(row)?);
                Ok(())
            });
        }
        Ok(())
    }

    /// A row of the table of lines: a line if it has the table's columns, otherwise a figure below the lines.
    fn row_of_lines(&self, row: &TableRow<'_>, columns: &Columns, tables: &mut Tables) -> Result<(), Failure> {
        let filled = row.cells.iter().filter(|cell| !text(**cell).is_empty()).count();
        if row.is_merged || row.cells.len() != columns.kinds.len() || filled == 2 {
            tables.figures.push(self.figure(row)?);
            return Ok(());
        }
        if tables.lines.len() >= MAX_LINES {
            return Err(failed(format!("the order has more than {MAX_LINES} lines.")));
        }
        let cell = |column: usize| row.cells.get(column).copied().ok_or_else(|| failed("a line lacks a column."));
        let mut title = line_title::read(cell(columns.product)?, row.element, &self.source.url)?;
        title.is_doubtful |= columns.has_description;
        let quantity = text(cell(columns.quantity)?);
        let quantity =
            quantity::count(&quantity, self.locale).ok_or_else(|| failed(quantity::unreadable(&quantity)))?;
        let amounts = row
            .cells
            .iter()
            .zip(&columns.kinds)
            .map(|(cell, kind)| Ok((*kind, self.amount_of_line(*cell, *kind)?)))
            .collect::<Result<_, Failure>>()?;
        tables.lines.push(ReadLine { title, quantity, sku: None, returned: Decimal::ZERO, amounts });
        Ok(())
    }

    /// The amount in a cell of a line. A column that may be the line's total has to have one.
    fn amount_of_line(&self, cell: ElementRef<'_>, kind: Option<LineColumn>) -> Result<Option<Money>, Failure> {
        let text = text(cell);
        match kind {
            Some(LineColumn::Product | LineColumn::Quantity | LineColumn::Candidate) => Ok(None),
            Some(LineColumn::TotalWithTax | LineColumn::Total) => {
                self.amount(cell, &text, "the price of a line").map(Some)
            }
            Some(LineColumn::TotalWithoutTax | LineColumn::UnitPrice) | None if looks_like_money(&text) => {
                self.amount(cell, &text, "the price of a line").map(Some)
            }
            Some(LineColumn::TotalWithoutTax | LineColumn::UnitPrice) | None => Ok(None),
        }
    }

    /// A row with a label and one amount.
    fn figure(&self, row: &TableRow<'_>) -> Result<Figure, Failure> {
        let texts: Vec<String> = row.cells.iter().map(|cell| text(*cell)).filter(|text| !text.is_empty()).collect();
        match texts.as_slice() {
            [label, amount] if looks_like_money(amount) || words::summary(label).is_some() => {
                let is_discount = row.element.select(selector!(".badge")).next().is_some();
                let money = self.money(amount, "a figure below the lines")?;
                Ok(Figure { label: label.clone(), kind: words::summary(label), is_discount, is_of_rest: false, money })
            }
            _ => Err(failed("a row of the table is neither a line nor a figure with its label.")),
        }
    }

    /// The amount of a cell, which may give it for machines, too.
    fn amount(&self, cell: ElementRef<'_>, text: &str, element: &str) -> Result<Money, Failure> {
        let money = self.money(text, element)?;
        if !twice::agrees_with_amount(cell, money.amount()) {
            return Err(failed("an amount is given twice, and differently."));
        }
        Ok(money)
    }

    fn money(&self, text: &str, element: &str) -> Result<Money, Failure> {
        let money = Money::read(text, self.locale, &self.settings.currencies, (PageKind::Order, element));
        money.and_then(|money| self.decimals.certain(text, money, PageKind::Order)).map_err(|error| {
            let is_amount = error.code == SyncErrorCode::RetailerChanged;
            let check = if is_amount { Check::Lines } else { Check::Currency };
            Failure::new(check, error.message)
        })
    }
}
