//! A page of the order list: number, item count, total and date of each order, and the way to the next page.

use rust_decimal::Decimal;
use scraper::{ElementRef, Html};
use serde::{Deserialize, Serialize};
use url::Url;

use super::html::{Page, selector, text};
use super::locale::{Locale, instant};
use super::money::Money;
use super::settings::Settings;
use crate::connector::ConnectorError;

/// What a page of the list shows.
#[derive(Debug)]
pub(super) struct OrderList {
    pub(super) rows: Vec<Row>,
    /// The page after this one, where there is one.
    pub(super) next: Option<Url>,
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

/// Reads page `number` (from 1) of the list.
///
/// # Errors
/// `retailer_changed` where the page is not as it was, `retailer_misconfigured` where the settings contradict it.
pub(super) fn read(body: &str, url: &Url, number: u32, settings: &Settings) -> Result<OrderList, ConnectorError> {
    let document = Html::parse_document(body);
    let Some(table) = document
        .select(selector!("table"))
        .find(|table| table.select(selector!("tr td:first-child a[href]")).next().is_some())
    else {
        return empty(&document);
    };
    let locale = settings.locale_of(&document)?;
    let rows = table
        .select(selector!("tr"))
        .filter(|row| row.select(selector!("td")).next().is_some())
        .map(|row| read_row(row, url, locale, settings))
        .collect::<Result<_, _>>()?;
    Ok(OrderList { rows, next: next_page(&document, url, number) })
}

/// A customer without orders has a list without a table; stock Oscar then leaves out the form that filters it, too.
fn empty(document: &Html) -> Result<OrderList, ConnectorError> {
    let has_filter = document.select(selector!("form [name=date_from]")).next().is_some();
    let is_list = document.select(selector!("a.active[href$='/orders/']")).next().is_some();
    if has_filter || !is_list {
        return Err(Page::OrderList.lacks("the table of orders"));
    }
    Ok(OrderList { rows: Vec::new(), next: None })
}

fn read_row(row: ElementRef<'_>, url: &Url, locale: Locale, settings: &Settings) -> Result<Row, ConnectorError> {
    let cells: Vec<ElementRef<'_>> = row.select(selector!("td")).collect();
    let [number, items, total, placed_at] = cells.as_slice() else {
        return Err(Page::OrderList.lacks("the four columns of an order"));
    };
    let link = number.select(selector!("a[href]")).next().and_then(|link| url.join(link.attr("href")?).ok());
    let link = link.ok_or_else(|| Page::OrderList.lacks("the link to an order"))?;
    let number = text(*number);
    if number.is_empty() {
        return Err(Page::OrderList.lacks("the number of an order"));
    }
    let money =
        Money::read(&text(*total), locale, settings.currency.as_ref(), (Page::OrderList, "the total of an order"))?;
    let placed_at = locale
        .date_time(&text(*placed_at))
        .and_then(|local| instant(local, settings.time_zone))
        .ok_or_else(|| Page::OrderList.unreadable("the date of an order"))?;
    let items =
        locale.number(&text(*items)).ok_or_else(|| Page::OrderList.unreadable("the number of items of an order"))?;
    Ok(Row {
        number,
        path: link.path().to_owned(),
        placed_at: placed_at.timestamp(),
        total: money.amount,
        currency: money.currency.code().to_owned(),
        items,
    })
}

/// The link whose page is the next in number: its words differ from language to language.
fn next_page(document: &Html, url: &Url, number: u32) -> Option<Url> {
    let next = number.checked_add(1)?.to_string();
    document
        .select(selector!(".pagination a[href]"))
        .filter_map(|link| url.join(link.attr("href")?).ok())
        .find(|link| link.query_pairs().any(|(name, value)| name == "page" && value == next))
}
