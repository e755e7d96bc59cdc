//! Orders on pages of Amazon that a program fetched for the customer: a page of the order history, and the details of one order.
//! They are read as saved pages are.

use std::sync::LazyLock;

use ordersync_api::ImportedOrder;
use scraper::Html;
use serde_json::Value;

use crate::Options;
use crate::finding::{FindingCode, Findings, Refused};
use crate::format::{Field, Format};
use crate::layout::{Dates, nodes};
use crate::reading::{At, Data, Reading, View};
use crate::saved::{self, Page};

static FORMATS: LazyLock<Result<Vec<Format>, Refused>> = LazyLock::new(|| {
    let formats = Format::built_in()?;
    Ok(formats.into_iter().filter(|format| format.pages).collect())
});

/// A page of the order history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryPage {
    /// In the order of the page.
    pub orders: Vec<ListedOrder>,
    /// How many orders the chosen period has, as the page counts them.
    pub count: Option<u64>,
    /// The chosen period, such as `year-2024`.
    pub period: Option<String>,
    /// The years that can be chosen, the newest first.
    pub years: Vec<u16>,
}

/// An order of a page of the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedOrder {
    /// Its number.
    pub number: String,
    /// Where the page says its details are: an address, or a path.
    pub details: Option<String>,
    /// All that the page shows of it.
    pub text: String,
    /// The order as the page shows it, without prices and often without all items. None if its amounts are in several
    /// currencies.
    pub order: Option<ImportedOrder>,
}

/// A page that is none of orders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OtherPage {
    /// The customer is not signed in.
    SignIn,
    /// The website wants to see the customer's browser, or an answer that only a person can give.
    Challenge,
    /// The website has an error.
    Error,
    /// In no known form: why.
    Unknown(String),
}

/// Whether pages of this website are read, such as `amazon.com`.
pub fn is_read(site: &str) -> bool {
    saved::SITES.iter().any(|(known, ..)| *known == site)
}

/// Reads a page of the order history, whose text is `body`.
/// Fails if it is another page.
pub fn history(page: &Html, body: &str) -> Result<HistoryPage, OtherPage> {
    let page = open(page, body)?;
    if page.format != saved::HISTORY_PAGES {
        return Err(OtherPage::Unknown("it is no page of the order history".to_owned()));
    }
    let mut orders = Vec::with_capacity(page.told.orders.len());
    for value in &page.told.orders {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        orders.push(ListedOrder {
            number: text("number").unwrap_or_default(),
            details: text("details"),
            text: text("text").unwrap_or_default(),
            order: read(&page, value)?.map(|order| marked(order, value)),
        });
    }
    Ok(HistoryPage { orders, count: page.count, period: page.period, years: page.years })
}

/// Reads the details of the order with this number.
/// Fails if it is another page, or not all of the order is shown in a known way.
pub fn details(page: &Html, body: &str, number: &str) -> Result<ImportedOrder, OtherPage> {
    let page = open(page, body)?;
    let value = page.told.orders.iter().find(|value| value["number"] == number);
    match value.filter(|_| page.format != saved::HISTORY_PAGES) {
        None => Err(OtherPage::Unknown(format!("it does not show the details of the order {number}"))),
        Some(value) => read(&page, value)?
            .ok_or_else(|| OtherPage::Unknown(format!("the amounts of the order {number} are in several currencies"))),
    }
}

fn open(page: &Html, body: &str) -> Result<Page, OtherPage> {
    saved::read_parsed(page, body).map_err(|(code, message)| match code {
        FindingCode::SignInPage => OtherPage::SignIn,
        FindingCode::CaptchaPage | FindingCode::ChallengePage => OtherPage::Challenge,
        FindingCode::ErrorPage => OtherPage::Error,
        FindingCode::CutOff => OtherPage::Unknown("it is cut off".to_owned()),
        _ => OtherPage::Unknown(message),
    })
}

/// An order of a page. None: its amounts are in several currencies.
fn read(page: &Page, value: &Value) -> Result<Option<ImportedOrder>, OtherPage> {
    let formats = FORMATS.as_ref().map_err(|refused| OtherPage::Unknown(refused.message.clone()))?;
    let format = formats.iter().find(|format| format.name == page.format);
    let format = format.ok_or_else(|| OtherPage::Unknown("its form is not described".to_owned()))?;
    let mut dates = Dates::new(format);
    let view = |line| View { at: At { row: 0, line: 0 }, data: Data::Json { order: value, group: value, line } };
    let whole = view(value);
    if let Some(text) = format.source(Field::OrderDate).and_then(|source| whole.text(source, format)) {
        dates.prove(&text);
    }
    let lines = format.lines.as_ref().map_or_else(Vec::new, |lines| nodes(lines, value));
    let lines: Vec<View<'_>> = lines.into_iter().map(view).collect();
    let (options, mut findings) = (Options::default(), Findings::default());
    let number = value["number"].as_str().unwrap_or_default().to_owned();
    let mut reading = Reading::new((format, &dates, ""), (&options, &mut findings), number);
    Ok(reading.order(&[whole], &lines).map(|built| built.order))
}

/// Marks an order of whose items the page shows a part.
fn marked(mut order: ImportedOrder, value: &Value) -> ImportedOrder {
    if value["isPartial"] == true {
        order.mismatch.push(saved::part_of_lines(value["lineCount"].as_u64(), order.items.len()));
    }
    order
}
