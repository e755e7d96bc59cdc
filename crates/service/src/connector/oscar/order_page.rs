//! The page of an order: its status and its lines. It has neither date nor unit price nor SKU.

use rust_decimal::Decimal;
use scraper::{ElementRef, Html};
use url::Url;

use super::html::{Page, selector, text};
use super::locale::Locale;
use super::money::Money;
use super::settings::Settings;
use crate::connector::ConnectorError;

/// What the page shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OrderPage {
    /// In the shop's own words.
    pub(super) status: Option<String>,
    pub(super) lines: Vec<Line>,
}

/// A line of the order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) title: String,
    /// Path of the product's page; `None`: the product is hidden or gone.
    pub(super) product: Option<String>,
    pub(super) quantity: Decimal,
    /// With tax, before discounts: the shop shows no other figure for a line.
    pub(super) total: Money,
}

/// Reads the page of an order.
///
/// # Errors
/// `retailer_changed` where the page is not as it was, `retailer_misconfigured` where the settings contradict it.
pub(super) fn read(body: &str, url: &Url, settings: &Settings) -> Result<OrderPage, ConnectorError> {
    let document = Html::parse_document(body);
    let locale = settings.locale_of(&document)?;
    let table = document
        .select(selector!("table"))
        .find(|table| table.select(selector!("thead th")).count() == LINE_COLUMNS)
        .ok_or_else(|| Page::Order.lacks("the table of lines"))?;
    let lines = table
        .select(selector!("tbody > tr"))
        .filter(|row| row.select(selector!("td")).count() == LINE_COLUMNS)
        .map(|row| read_line(row, url, locale, settings))
        .collect::<Result<_, _>>()?;
    Ok(OrderPage { status: status(table), lines })
}

/// Product, quantity, line price without and with tax, and the button to order it again.
const LINE_COLUMNS: usize = 5;

/// The paragraph below the heading above the table; an order may have no status, and then has neither.
fn status(table: ElementRef<'_>) -> Option<String> {
    let mut above = table.prev_siblings().filter_map(ElementRef::wrap);
    let paragraph = above.find(|element| element.value().name() == "p")?;
    let heading = above.next()?;
    (heading.value().name() == "h2").then(|| text(paragraph)).filter(|status| !status.is_empty())
}

fn read_line(row: ElementRef<'_>, url: &Url, locale: Locale, settings: &Settings) -> Result<Line, ConnectorError> {
    let mut cells = row.select(selector!("td"));
    let (Some(product), Some(quantity), Some(_), Some(total)) =
        (cells.next(), cells.next(), cells.next(), cells.next())
    else {
        return Err(Page::Order.lacks("the columns of a line"));
    };
    let title = product.select(selector!("p")).next().ok_or_else(|| Page::Order.lacks("the title of a line"))?;
    let link = title.select(selector!("a[href]")).next().and_then(|link| url.join(link.attr("href")?).ok());
    Ok(Line {
        title: text(title),
        product: link.map(|link| link.path().to_owned()),
        quantity: locale.number(&text(quantity)).ok_or_else(|| Page::Order.unreadable("the quantity of a line"))?,
        total: Money::read(&text(total), locale, settings.currency.as_ref(), (Page::Order, "the price of a line"))?,
    })
}
