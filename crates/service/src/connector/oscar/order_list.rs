//! A page of the order list: number, item count, total and date of each order.
//!
//! Every order that the page's source mentions has to be a row that was read, with columns that are known by their
//! headings. Anything else is a failed page: a row is never skipped.

use std::collections::HashMap;

use ordersync_api::SyncErrorCode;
use rust_decimal::Decimal;
use scraper::{ElementRef, Html};
use serde::{Deserialize, Serialize};
use url::Url;

use super::checks::{Check, Failure, Unread};
use super::html::{Page, selector, text};
use super::locale::{Locale, instant};
use super::money::Money;
use super::page_kind;
use super::settings::Settings;
use super::source;
use super::table::{Table, TableRow};
use super::words::{self, ListColumn};

/// Rows that a page may have. Oscar shows 20.
const MAX_ROWS: usize = 200;

/// What a page of the list shows.
#[derive(Debug, Default)]
pub(super) struct OrderList {
    pub(super) rows: Vec<Row>,
    /// The highest page number that the page links to or states.
    pub(super) pages: u32,
    /// How many orders the list says that it has in all.
    pub(super) stated_orders: Option<u32>,
    /// Whether the list can be filtered by date, as Oscar's can.
    pub(super) has_filter: bool,
}

/// An order, as the list shows it. Kept in the state, so in the shortest form that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Kept", into = "Kept")]
pub(super) struct Row {
    pub(super) number: String,
    /// Path of the order's page.
    pub(super) path: String,
    /// Seconds since 1970, UTC.
    pub(super) placed_at: i64,
    pub(super) total: Decimal,
    pub(super) currency: String,
    /// The sum of the quantities.
    pub(super) items: Decimal,
}

type Kept = (String, String, i64, String, String, String);

impl TryFrom<Kept> for Row {
    type Error = rust_decimal::Error;

    fn try_from((number, path, placed_at, total, currency, items): Kept) -> Result<Self, Self::Error> {
        Ok(Self { number, path, placed_at, total: total.parse()?, currency, items: items.parse()? })
    }
}

impl From<Row> for Kept {
    fn from(row: Row) -> Self {
        (row.number, row.path, row.placed_at, row.total.to_string(), row.currency, row.items.to_string())
    }
}

impl Row {
    /// Changes with anything that the list shows of the order, and with what the connector makes of it (`1`).
    pub(super) fn fingerprint(&self) -> String {
        format!("1|{}|{}|{}|{}", self.placed_at, self.items, self.total, self.currency)
    }
}

/// What is known of a page beside its elements.
pub(super) struct Source {
    pub(super) url: Url,
    /// Its number in the list, from 1.
    pub(super) number: u32,
    /// Whether it ends as pages end.
    pub(super) is_whole: bool,
    /// The orders that its source mentions.
    pub(super) mentioned: Vec<String>,
}

impl Source {
    pub(super) fn of(url: &Url, number: u32, body: &str) -> Self {
        let mut list = url.clone();
        list.set_query(None);
        list.set_fragment(None);
        let mentioned = source::mentioned_orders(&list, body);
        Self { url: list, number, is_whole: source::is_whole(body), mentioned }
    }
}

/// Reads a page of the list.
///
/// # Errors
/// [`Unread::Failed`] if the page shows an order that cannot be read for certain, or is cut; otherwise what other kind of
/// page it is.
pub(super) fn read(document: &Html, source: &Source, settings: &Settings) -> Result<OrderList, Unread> {
    let rows = read_rows(document, source, settings)?;
    if rows.is_empty() && !is_list(document) {
        return Err(page_kind::instead_of(Page::OrderList, document));
    }
    if !source.is_whole {
        return Err(failed("the page is cut off: it has no end.").into());
    }
    let shown = rows.len();
    let has_filter = document.select(selector!("form [name=date_from]")).next().is_some()
        && document.select(selector!("form [name=date_to]")).next().is_some();
    if rows.is_empty() && source.number == 1 && !says_no_orders(document) {
        return Err(failed("it lacks the table of orders, and does not say that there are none.").into());
    }
    if source.number > 0 && is_filtered(document, &source.url) {
        return Err(failed("a filter is in force: the list does not show all orders.").into());
    }
    Ok(OrderList {
        rows,
        pages: linked_pages(document, &source.url).max(stated_pages(document, source.number)),
        stated_orders: stated_orders(document, source.number, shown),
        has_filter,
    })
}

fn failed(found: impl Into<String>) -> Failure {
    Failure::new(Check::ListPage, found)
}

/// A list is known by the account's navigation, or by the form that filters it.
fn is_list(document: &Html) -> bool {
    document.select(selector!("a.active[href$='/orders/'], form [name=date_from]")).next().is_some()
}

fn says_no_orders(document: &Html) -> bool {
    document.select(selector!("p, div, td, li, h2, h3")).any(|element| words::says_no_orders(&text(element)))
}

fn read_rows(document: &Html, source: &Source, settings: &Settings) -> Result<Vec<Row>, Unread> {
    let mut rows: Vec<Row> = Vec::new();
    let mut place = HashMap::new();
    for table in Table::all(document) {
        // A table around another that holds the orders has no order of its own.
        let own_link = table.select(selector!("a[href]")).any(|link| {
            number_of(link, &source.url).is_some()
                && link.ancestors().filter_map(ElementRef::wrap).find(|above| above.value().name() == "table")
                    == Some(table)
        });
        if !own_link {
            continue;
        }
        let locale = settings.locale_of(document)?;
        for row in read_table(table, source, locale, settings)? {
            match place.get(&row.number) {
                None => {
                    place.insert(row.number.clone(), rows.len());
                    rows.push(row);
                }
                Some(index) if rows.get(*index) == Some(&row) => {}
                Some(_) => return Err(failed("it shows an order twice, with different figures.").into()),
            }
        }
    }
    let linked = document.select(selector!("a[href]")).filter_map(|link| number_of(link, &source.url));
    if linked.chain(source.mentioned.iter().cloned()).any(|number| !place.contains_key(&number)) {
        return Err(failed("it mentions an order that is no row of a table that can be read.").into());
    }
    Ok(rows)
}

fn number_of(link: ElementRef<'_>, list: &Url) -> Option<String> {
    source::order_number(list, &list.join(link.attr("href")?).ok()?)
}

/// The columns that are read, by their places.
struct Columns {
    number: usize,
    items: usize,
    total: usize,
    date: usize,
    count: usize,
}

impl Columns {
    /// By the headings; by Oscar's own order if the table has exactly its four columns and no headings at all.
    fn of(table: &Table<'_>) -> Result<Self, Failure> {
        let unknown = || failed("the table of orders has columns that are not known.");
        let Some(headings) = &table.headings else {
            let is_stock = table.rows.iter().all(|row| row.cells.len() == 4);
            return if is_stock {
                Ok(Self { number: 0, items: 1, total: 2, date: 3, count: 4 })
            } else {
                Err(unknown())
            };
        };
        let find = |column: ListColumn| {
            table.column(|heading| words::list_column(heading) == Some(column)).ok().flatten().ok_or_else(unknown)
        };
        Ok(Self {
            number: find(ListColumn::Number)?,
            items: find(ListColumn::Items)?,
            total: find(ListColumn::Total)?,
            date: find(ListColumn::Date)?,
            count: headings.len(),
        })
    }
}

fn read_table(table: ElementRef<'_>, source: &Source, locale: Locale, settings: &Settings) -> Result<Vec<Row>, Unread> {
    let table = Table::read(table).map_err(|_| failed("the table of orders has headings that cannot be read."))?;
    if table.rows.len() > MAX_ROWS {
        return Err(failed(format!("the table of orders has more than {MAX_ROWS} rows.")).into());
    }
    let columns = Columns::of(&table)?;
    table.rows.iter().map(|row| read_row(row, &columns, source, locale, settings)).collect()
}

fn read_row(
    row: &TableRow<'_>,
    columns: &Columns,
    source: &Source,
    locale: Locale,
    settings: &Settings,
) -> Result<Row, Unread> {
    let cell = |column: usize| row.cells.get(column).copied().ok_or_else(|| failed("a row lacks a column."));
    if row.is_merged || row.cells.len() != columns.count {
        return Err(failed("a row has other columns than the table's headings.").into());
    }
    let (number, path) = link(row, cell(columns.number)?, source)?;
    let money = Money::read(
        &text(cell(columns.total)?),
        locale,
        settings.currency.as_ref(),
        (Page::OrderList, "the total of an order"),
    )
    .map_err(|error| match error.code {
        SyncErrorCode::RetailerMisconfigured => Unread::Other(error),
        _ => failed(error.message).into(),
    })?;
    let placed_at = locale
        .date_time(&text(cell(columns.date)?))
        .and_then(|local| instant(local, settings.time_zone))
        .ok_or_else(|| failed("the date of an order cannot be read."))?;
    let items = locale
        .number(&text(cell(columns.items)?))
        .ok_or_else(|| failed("the number of items of an order cannot be read."))?;
    Ok(Row {
        number,
        path,
        placed_at: placed_at.timestamp(),
        total: money.amount,
        currency: money.currency.code().to_owned(),
        items,
    })
}

/// The order's number and the path of its page. The address says the number; the text has to agree.
fn link(row: &TableRow<'_>, cell: ElementRef<'_>, source: &Source) -> Result<(String, String), Failure> {
    let links = |element: ElementRef<'_>| {
        element
            .select(selector!("a[href]"))
            .filter_map(|link| Some((number_of(link, &source.url)?, source.url.join(link.attr("href")?).ok()?)))
            .collect::<Vec<_>>()
    };
    let own = links(cell);
    let Some((number, url)) = own.first() else { return Err(failed("a row lacks the link to its order.")) };
    if links(row.element).iter().any(|(other, _)| other != number) {
        return Err(failed("a row links to several orders."));
    }
    if !source::names(&text(cell), number) {
        return Err(failed("the number of an order is not the one that its link leads to."));
    }
    Ok((number.clone(), url.path().to_owned()))
}

/// The highest page of this list that is linked to.
fn linked_pages(document: &Html, list: &Url) -> u32 {
    document
        .select(selector!("a[href]"))
        .filter_map(|link| list.join(link.attr("href")?).ok())
        .filter(|link| link.path() == list.path())
        .filter_map(|link| link.query_pairs().find(|(name, _)| name == "page")?.1.parse().ok())
        .max()
        .unwrap_or(0)
}

/// The number of pages that the pager states, as in "Page 1 of 7".
fn stated_pages(document: &Html, current: u32) -> u32 {
    document
        .select(selector!("[class*=pagina] *, [class*=pagina], [class*=pager] *, [class*=pager]"))
        .filter(|element| element.children().all(|child| child.value().is_text()))
        .filter_map(|element| match integers(&text(element)).as_slice() {
            [page, pages] | [pages, page] if *page == current && pages >= page => Some(*pages),
            _ => None,
        })
        .max()
        .unwrap_or(0)
}

/// The number of orders in all, as in "1–20 of 123", "3 of 12 orders", "12 orders" or "Orders (12)".
fn stated_orders(document: &Html, number: u32, shown: usize) -> Option<u32> {
    let shown = u32::try_from(shown).ok().filter(|shown| *shown > 0)?;
    document
        .select(selector!("p, span, div, caption, h1, h2, h3, h4, li, small, strong, b, em"))
        .filter(|element| element.children().all(|child| child.value().is_text()) && is_about_the_list(*element))
        .filter_map(|element| {
            let text = text(element);
            match integers(&text).as_slice() {
                [first, last, all] if last.checked_sub(*first) == Some(shown - 1) && all >= last => Some(*all),
                [part, all] if number == 1 && *part == shown && all > part && words::says_part_of(&text) => Some(*all),
                [all] if words::counts_orders(&text) => Some(*all),
                _ => None,
            }
        })
        .max()
}

/// Whether an element may speak of the list as a whole: it is no cell, link or part of the pager.
fn is_about_the_list(element: ElementRef<'_>) -> bool {
    std::iter::once(element).chain(element.ancestors().filter_map(ElementRef::wrap)).all(|above| {
        !matches!(above.value().name(), "table" | "a" | "nav" | "footer" | "template")
            && !above.value().classes().any(|class| class.contains("pagina") || class.contains("pager"))
    })
}

/// Whether the list shows a part of the orders only, because a filter is in force or because it links to the whole.
fn is_filtered(document: &Html, list: &Url) -> bool {
    let is_period = |name: &str| {
        let words = ["year", "period", "month", "date", "range", "time", "status", "filter", "since", "days"];
        words.iter().any(|word| name.to_ascii_lowercase().contains(word))
    };
    let is_all = |value: &str| matches!(value.to_ascii_lowercase().as_str(), "" | "all" | "any" | "0");
    let dates = document
        .select(selector!("[name=date_from][value], [name=date_to][value]"))
        .any(|field| field.attr("value").is_some_and(|value| !value.trim().is_empty()));
    let chosen = document.select(selector!("select[name] option[selected]")).any(|option| {
        let select = option.ancestors().filter_map(ElementRef::wrap).find(|above| above.value().name() == "select");
        let name = select.and_then(|select| select.attr("name")).unwrap_or_default();
        is_period(name) && !is_all(option.attr("value").unwrap_or_default())
    });
    let whole =
        document.select(selector!("a[href]")).filter_map(|link| list.join(link.attr("href")?).ok()).any(|link| {
            link.path() == list.path() && link.query_pairs().any(|(name, value)| name == "all" || value == "all")
        });
    dates || chosen || whole
}

fn integers(text: &str) -> Vec<u32> {
    if text.len() > 120 {
        return Vec::new();
    }
    text.split(|sign: char| !sign.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}
