//! A page of the order list: number, date, total and number of items of each order.
//!
//! Every order that the page's source mentions has to be a row that was read. Anything else is a failed page.

use std::collections::HashSet;

use rust_decimal::Decimal;
use scraper::{ElementRef, Html};
use url::Url;

use super::amount::{Amounts, Decimals};
use super::{page, words};
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::listed::{ListedOrder, OrderList};
use crate::connector::kit::page::PageKind;
use crate::connector::kit::placed::{DateShown, Placed};
use crate::connector::kit::settings::Settings;
use crate::connector::kit::source;
use crate::connector::kit::text::{selector, text};

/// Rows that a page may have. WooCommerce shows 10.
const MAX_ROWS: usize = 200;

/// What is known of a page beside its elements.
pub(super) struct Source {
    pub(super) url: Url,
    /// Its number in the list, from 1.
    pub(super) number: u32,
    /// Whether it ends as pages end.
    pub(super) is_whole: bool,
    /// Where the pages of orders are, unless the rows say something else, and the ids that the source mentions there.
    pub(super) view: Url,
    pub(super) mentioned: Vec<String>,
}

/// Reads a page of the list.
///
/// # Errors
/// [`Unread::Failed`] if the page shows an order that cannot be read for certain, or is cut; otherwise what other kind of
/// page it is.
pub(super) fn read(document: &Html, source: &Source, settings: &Settings) -> Result<OrderList, Unread> {
    let rows: Vec<ElementRef<'_>> = document.select(selector!("tr.woocommerce-orders-table__row")).collect();
    if rows.is_empty() && document.select(selector!(".woocommerce-MyAccount-content")).next().is_none() {
        return Err(page::instead(document));
    }
    if !source.is_whole {
        return Err(failed("the page is cut off: it has no end."));
    }
    if rows.len() > MAX_ROWS {
        return Err(failed(format!("the table of orders has more than {MAX_ROWS} rows.")));
    }
    let has_next =
        Some(document.select(selector!("a.woocommerce-button--next, a.woocommerce-Button--next")).next().is_some());
    let reader = Reader { source, document, settings };
    let list = if rows.is_empty() { reader.none()? } else { reader.rows(&rows)? };
    Ok(OrderList { rows: list, has_next, ..OrderList::default() })
}

struct Reader<'a> {
    source: &'a Source,
    document: &'a Html,
    settings: &'a Settings,
}

impl Reader<'_> {
    /// A page without orders, which has to say so.
    fn none(&self) -> Result<Vec<ListedOrder>, Unread> {
        let has_table =
            self.document.select(selector!("table.woocommerce-orders-table, table.my_account_orders")).next().is_some();
        if has_table || !self.source.mentioned.is_empty() {
            return Err(failed("it shows orders in a table that cannot be read."));
        }
        if !page::says(self.document).iter().any(|text| words::says_no_orders(text)) {
            let page = if self.source.number == 1 { "it" } else { "the page after the last one" };
            return Err(failed(format!("{page} lacks the table of orders, and does not say that there are none.")));
        }
        Ok(Vec::new())
    }

    fn rows(&self, rows: &[ElementRef<'_>]) -> Result<Vec<ListedOrder>, Unread> {
        let read: Vec<ListedOrder> = rows.iter().map(|row| self.row(*row)).collect::<Result<_, _>>()?;
        let numbers: HashSet<&str> = read.iter().map(|row| row.number.as_str()).collect();
        // Some shops have no slash at the end of their addresses.
        let paths: HashSet<&str> = read.iter().map(|row| row.path.trim_end_matches('/')).collect();
        if numbers.len() != read.len() || paths.len() != read.len() {
            return Err(failed("it shows an order twice."));
        }
        // Every page of an order is below the same address.
        let address = |row: &ListedOrder| self.source.url.join(row.path.trim_end_matches('/')).ok()?.join(".").ok();
        let below: Option<Url> = read.first().and_then(address);
        let views = [Some(self.source.view.clone()), below];
        for view in views.iter().flatten() {
            let links = self.document.select(selector!("a[href]"));
            let linked =
                links.filter_map(|link| source::order_number(view, &self.source.url.join(link.attr("href")?).ok()?));
            let is_row = |id: &String| paths.contains(format!("{}{id}", view.path()).as_str());
            if !linked.chain(self.mentioned(view)).all(|id| is_row(&id)) {
                return Err(failed("it mentions an order that is no row that can be read."));
            }
        }
        // The rows of this table that lack WooCommerce's class.
        let all = self.document.select(selector!("table.woocommerce-orders-table tbody tr")).count();
        if all != read.len() {
            return Err(failed("the table of orders has rows that are not known."));
        }
        Ok(read)
    }

    fn mentioned(&self, view: &Url) -> Vec<String> {
        if *view == self.source.view { self.source.mentioned.clone() } else { Vec::new() }
    }

    fn row(&self, row: ElementRef<'_>) -> Result<ListedOrder, Unread> {
        let locale = self.settings.locale_of(self.document)?;
        let amounts = Amounts {
            page: PageKind::OrderList,
            check: Check::ListPage,
            locale,
            currency: self.settings.currency.as_ref(),
            decimals: Decimals::of(self.document, self.settings),
        };
        let number_cell = only(row.select(selector!(".woocommerce-orders-table__cell-order-number")), "number")?;
        let date = only(row.select(selector!(".woocommerce-orders-table__cell-order-date")), "date")?;
        let total = only(row.select(selector!(".woocommerce-orders-table__cell-order-total")), "total")?;
        let link = only(number_cell.select(selector!("a[href]")), "link")?;
        let url = link.attr("href").and_then(|href| self.source.url.join(href).ok());
        let url = url.filter(|url| url.origin() == self.source.url.origin() && url.query().is_none());
        let url = url.ok_or_else(|| failed("the link of an order leads elsewhere."))?;
        let number = number(&text(link)).to_owned();
        if number.is_empty() || number.contains(char::is_whitespace) {
            return Err(failed("the number of an order cannot be read."));
        }
        let placed_at = Placed::read(date, DateShown::ShopClock, locale, self.settings.time_zone)?;
        let shown = amounts.read(total)?.ok_or_else(|| amounts.failed("an order without its total."))?;
        let items = items(total).ok_or_else(|| failed("the number of items of an order cannot be read."))?;
        Ok(ListedOrder { number, path: url.path().to_owned(), placed_at, total: shown.ordered, items: Some(items) })
    }
}

/// The number of an order without the sign before it, which is a part of each translation.
fn number(shown: &str) -> &str {
    let signs = ["#", "№", "n°", "N°", "nº", "Nº"];
    let without = signs.iter().find_map(|sign| shown.strip_prefix(sign));
    without.unwrap_or(shown).trim()
}

/// The only number beside the amount: "for 8 items".
fn items(total: ElementRef<'_>) -> Option<Decimal> {
    let words: String =
        total.children().filter_map(|child| child.value().as_text().map(|text| text.to_string())).collect();
    let mut numbers = words.split(|sign: char| !sign.is_ascii_digit()).filter(|part| !part.is_empty());
    let number = numbers.next()?.parse().ok()?;
    numbers.next().is_none().then_some(number)
}

fn only<'a>(mut found: impl Iterator<Item = ElementRef<'a>>, what: &str) -> Result<ElementRef<'a>, Unread> {
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(failed(format!("a row does not have one {what} of an order."))),
    }
}

fn failed(found: impl Into<String>) -> Unread {
    Failure::new(Check::ListPage, found).into()
}
