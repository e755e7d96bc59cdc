//! A page of the order list: number, item count, total and date of each order.
//!
//! Every order that the page's source mentions has to be a row that was read, with columns that are known by their
//! headings. Anything else is a failed page: a row is never skipped.

use std::collections::HashMap;

use ordersync_api::SyncErrorCode;
use scraper::{ElementRef, Html};
use url::Url;

use super::sign_in_page;
use super::words::{self, ListColumn};
use crate::connector::ConnectorError;
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::decimals::Decimals;
use crate::connector::kit::list_view::{ListView, failed};
use crate::connector::kit::listed::{ListedOrder, NamedRow, OrderList, parted};
use crate::connector::kit::locale::Locale;
use crate::connector::kit::money::Money;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::placed::{DateShown, Placed};
use crate::connector::kit::settings::Settings;
use crate::connector::kit::table::{Table, TableRow};
use crate::connector::kit::text::{quoted, selector, text};
use crate::connector::kit::{quantity, source, twice};

/// Rows that a page may have. Oscar shows 20.
const MAX_ROWS: usize = 200;

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
        return Err(sign_in_page::instead(document));
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
    let page_of = |link: &Url| {
        let page = link.query_pairs().find(|(name, _)| name == "page").filter(|_| link.path() == source.url.path());
        page?.1.parse().ok()
    };
    let within = vec![document.root_element()];
    let view = ListView {
        document,
        list: &source.url,
        within,
        page_of: &page_of,
        says_none: &|_| false,
        is_status: &|_| false,
    };
    if source.number > 0 {
        let named: Vec<(&str, &str)> = rows.iter().map(|row| (&*row.number, &*row.path)).collect();
        view.shows_all(&named)?;
    }
    let (rows, unread) = parted(rows);
    // Of a first page without a readable order, the operator has to say something.
    if let Some((_, doubt)) = unread.first().filter(|_| source.number == 1 && rows.is_empty()) {
        let error = ConnectorError::new(SyncErrorCode::RetailerMisconfigured).with_message(doubt.found.clone());
        return Err(Unread::Other(error));
    }
    Ok(OrderList {
        rows,
        unread,
        pages: view.linked_pages().max(view.stated_pages(source.number)),
        stated_orders: view.stated_orders(source.number, shown),
        has_next: None,
        has_filter,
    })
}

/// A list is known by the account's navigation, or by the form that filters it.
fn is_list(document: &Html) -> bool {
    document.select(selector!("a.active[href$='/orders/'], form [name=date_from]")).next().is_some()
}

fn says_no_orders(document: &Html) -> bool {
    document.select(selector!("p, div, td, li, h2, h3")).any(|element| words::says_no_orders(&text(element)))
}

fn read_rows(document: &Html, source: &Source, settings: &Settings) -> Result<Vec<NamedRow>, Unread> {
    let mut rows: Vec<NamedRow> = Vec::new();
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
    fn of(table: &Table<'_>, locale: Locale) -> Result<Self, Failure> {
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
        let date = find(ListColumn::Date)?;
        if headings.get(date).is_some_and(|heading| words::is_any_date(heading)) && has_second_date(table, date, locale)
        {
            return Err(failed("the table of orders has several columns of dates."));
        }
        Ok(Self {
            number: find(ListColumn::Number)?,
            items: find(ListColumn::Items)?,
            total: find(ListColumn::Total)?,
            date,
            count: headings.len(),
        })
    }
}

/// Whether a column beside this one holds a date, too.
fn has_second_date(table: &Table<'_>, date: usize, locale: Locale) -> bool {
    table.rows.first().is_some_and(|row| {
        row.cells.iter().enumerate().any(|(column, cell)| column != date && locale.date_time(&text(*cell)).is_some())
    })
}

fn read_table(
    table: ElementRef<'_>,
    source: &Source,
    locale: Locale,
    settings: &Settings,
) -> Result<Vec<NamedRow>, Unread> {
    let table = Table::read(table).map_err(|_| failed("the table of orders has headings that cannot be read."))?;
    if table.rows.len() > MAX_ROWS {
        return Err(failed(format!("the table of orders has more than {MAX_ROWS} rows.")).into());
    }
    let columns = Columns::of(&table, locale)?;
    let totals = table.rows.iter().filter_map(|row| row.cells.get(columns.total)).map(|cell| text(*cell));
    let decimals = Decimals::of_amounts(settings, totals);
    table.rows.iter().map(|row| read_row(row, &columns, source, (locale, decimals), settings)).collect()
}

fn read_row(
    row: &TableRow<'_>,
    columns: &Columns,
    source: &Source,
    (locale, decimals): (Locale, Decimals),
    settings: &Settings,
) -> Result<NamedRow, Unread> {
    let cell = |column: usize| row.cells.get(column).copied().ok_or_else(|| failed("a row lacks a column."));
    if row.is_merged || row.cells.len() != columns.count {
        return Err(failed("a row has other columns than the table's headings.").into());
    }
    let (number, path) = link(row, cell(columns.number)?, source)?;
    let total_cell = cell(columns.total)?;
    let total = text(total_cell);
    let money = Money::read(&total, locale, &settings.currencies, (PageKind::OrderList, "the total of an order"));
    let money = match money {
        Ok(money) => decimals.certain(&total, money, PageKind::OrderList)?,
        // Other orders may have a currency that is clear.
        Err(error) if error.code == SyncErrorCode::RetailerMisconfigured => {
            let failure = Failure::new(Check::Currency, error.message);
            return Ok(NamedRow { number, path, shown: Err(failure) });
        }
        Err(error) => return Err(failed(error.message).into()),
    };
    if !twice::agrees_with_amount(total_cell, money.amount()) {
        return Err(failed("the total of an order is given twice, with different amounts.").into());
    }
    let placed_at = Placed::read(cell(columns.date)?, DateShown::TextWithTime, locale, settings.time_zone)?;
    let items = text(cell(columns.items)?);
    let items = quantity::count(&items, locale)
        .ok_or_else(|| failed(format!("the number of items of an order, {}, cannot be read.", quoted(&items))))?;
    let (status, items) = (None, Some(items));
    let shown =
        ListedOrder { number: number.clone(), path: path.clone(), placed_at, total: money, left: None, status, items };
    Ok(NamedRow { number, path, shown: Ok(shown) })
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
