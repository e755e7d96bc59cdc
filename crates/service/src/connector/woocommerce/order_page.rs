//! The page of an order: its number, its status, its lines and the figures below them. It has no SKU.
//!
//! Each row of the table is a line, a figure, a row of words (how the order is paid), or a failed page.

use rust_decimal::Decimal;
use scraper::{ElementRef, Html};
use url::Url;

use super::amount::{Amounts, Decimals, Shown, is_in, looks_like_amount};
use super::page;
use super::words::{self, Row};
use crate::connector::kit::check::{Check, Failure, Unread};
use crate::connector::kit::figures::{Figure, LineColumn, ReadLine, ShownOrder, Summary, Title};
use crate::connector::kit::listed::ListedOrder;
use crate::connector::kit::page::PageKind;
use crate::connector::kit::quantity;
use crate::connector::kit::settings::Settings;
use crate::connector::kit::shows::{Counted, Presence, Shows};
use crate::connector::kit::text::{selector, text};

/// What WooCommerce shows of an order.
pub(super) const SHOWS: Shows = Shows {
    items: Counted::PiecesKept,
    basket: Presence::Always,
    shipping: Presence::AtTimes,
    tax: Presence::AtTimes,
    unit_price: Presence::Never,
};
/// Lines that an order may have.
const MAX_LINES: usize = 5000;

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
pub(super) fn read(document: &Html, source: &Source, settings: &Settings) -> Result<ShownOrder, Unread> {
    let tables: Vec<ElementRef<'_>> = document.select(selector!("table.woocommerce-table--order-details")).collect();
    let [table] = tables.as_slice() else {
        if tables.is_empty() && document.select(selector!(".woocommerce-MyAccount-content")).next().is_none() {
            return Err(page::instead(document));
        }
        // "Invalid order", with status 200.
        return Err(Failure::new(Check::OrderPage, "the page does not have one table of the order's details.").into());
    };
    if source.url.path() != source.row.path || !is_of(document, &source.row.number) {
        return Err(Failure::new(Check::OrderNumber, "the page does not name the order that was asked for.").into());
    }
    if !source.is_whole {
        return Err(Failure::new(Check::OrderPage, "the page is cut off: it has no end.").into());
    }
    let locale = settings.locale_of(document)?;
    let currency = settings.currency.as_ref();
    let decimals = Decimals::of(document, settings);
    let amounts = Amounts { page: PageKind::Order, check: Check::Lines, locale, currency, decimals };
    let reader = Reader { amounts };
    let lines = reader.lines(*table)?;
    let figures = reader.figures(*table)?;
    Ok(ShownOrder { status: status(document)?, lines, figures })
}

/// Whether the page names this order, and no other.
fn is_of(document: &Html, number: &str) -> bool {
    let mut named = document.select(selector!("mark.order-number")).map(text).peekable();
    named.peek().is_some() && named.all(|named| named == number)
}

fn status(document: &Html) -> Result<Option<String>, Failure> {
    let mut shown = document.select(selector!("mark.order-status")).map(text).filter(|status| !status.is_empty());
    match (shown.next(), shown.next()) {
        (_, Some(_)) => Err(Failure::new(Check::Status, "the page shows several.")),
        (status, None) => Ok(status),
    }
}

fn failed(found: impl Into<String>) -> Unread {
    Failure::new(Check::Lines, found).into()
}

struct Reader<'a> {
    amounts: Amounts<'a>,
}

impl Reader<'_> {
    fn lines(&self, table: ElementRef<'_>) -> Result<Vec<ReadLine>, Unread> {
        let mut lines = Vec::new();
        for row in table.select(selector!("tbody > tr")) {
            let is = |name: &str| row.value().classes().any(|class| class == name);
            if is("order_item") {
                lines.push(self.line(row)?);
            // What the shop noted for the customer about the line above. It has no amount of the order.
            } else if !is("product-purchase-note")
                || row.select(selector!(".woocommerce-Price-amount")).next().is_some()
            {
                return Err(failed("a row among the lines is not known."));
            }
        }
        if lines.len() > MAX_LINES {
            return Err(failed(format!("the order has more than {MAX_LINES} lines.")));
        }
        Ok(lines)
    }

    fn line(&self, row: ElementRef<'_>) -> Result<ReadLine, Unread> {
        let name = only(row.select(selector!("td.product-name")), "name")?;
        let total = only(row.select(selector!("td.product-total")), "total")?;
        let quantity = only(name.select(selector!(".product-quantity")), "quantity")?;
        let (quantity, left) = self.quantity(quantity).ok_or_else(|| failed("a quantity cannot be read."))?;
        let Some(Shown { ordered, left: None }) = self.amounts.read(total)? else {
            return Err(failed("a line does not have one total."));
        };
        Ok(ReadLine {
            title: title(name)?,
            quantity,
            returned: quantity - left,
            amounts: vec![(Some(LineColumn::Total), Some(ordered))],
        })
    }

    /// How many were ordered, and how many of them were not paid back.
    fn quantity(&self, element: ElementRef<'_>) -> Option<(Decimal, Decimal)> {
        let count = |text: &str| {
            let number = text.trim_matches(|sign: char| sign.is_whitespace() || matches!(sign, '×' | 'x'));
            quantity::count(number, self.amounts.locale)
        };
        let mut struck = element.select(selector!("del"));
        let mut inserted = element.select(selector!("ins"));
        match (struck.next(), inserted.next(), struck.next(), inserted.next()) {
            (None, None, None, None) => count(&text(element)).map(|number| (number, number)),
            (Some(del), Some(ins), None, None) => {
                let (ordered, left) = (count(&text(del))?, count(&text(ins))?);
                (left <= ordered).then_some((ordered, left))
            }
            _ => None,
        }
    }

    fn figures(&self, table: ElementRef<'_>) -> Result<Vec<Figure>, Unread> {
        let mut figures: Vec<Figure> = Vec::new();
        let mut refunded = Decimal::ZERO;
        for row in table.select(selector!("tfoot > tr")) {
            let label = text(only(row.select(selector!("th")), "label")?);
            let cell = only(row.select(selector!("td")), "amount")?;
            let meaning = words::row(&label);
            if meaning == Some(Row::Words) {
                continue;
            }
            let Some(shown) = self.amounts.read(cell)? else {
                let words = text(cell);
                // Shipping that is free has the name of its method only.
                if meaning.is_some_and(|row| row != Row::Figure(Summary::Shipping)) || looks_like_amount(&words) {
                    return Err(failed("a row below the lines lacks its amount."));
                }
                continue;
            };
            for (tax, money) in self.amounts.included(cell)? {
                figures.push(Figure { label: tax, kind: Some(Summary::Tax), is_discount: false, money });
            }
            if let Some(left) = &shown.left {
                let difference = shown.ordered.amount().checked_sub(left.amount());
                refunded +=
                    difference.filter(|_| refunded.is_zero()).ok_or_else(|| failed("several totals show refunds."))?;
            }
            let kind = match meaning {
                Some(Row::Figure(kind)) => Some(kind),
                Some(Row::Discount | Row::Words) | None => None,
            };
            let label = label.trim_end_matches([':', '：', ' ', '\u{a0}']).to_owned();
            figures.push(Figure { label, kind, is_discount: meaning == Some(Row::Discount), money: shown.ordered });
        }
        refunds(&mut figures, refunded)?;
        Ok(figures)
    }
}

/// Refunds have to add up to what the total says was paid back. In older versions their label is the reason that the shop gave,
/// so that negative amounts of unknown labels may be refunds: the sum says so.
fn refunds(figures: &mut [Figure], refunded: Decimal) -> Result<(), Unread> {
    let of = |figures: &[Figure], is: fn(&Figure) -> bool| -> Decimal {
        figures.iter().filter(|figure| is(figure)).map(|figure| figure.money.amount().abs()).sum()
    };
    let named = of(figures, |figure| figure.kind == Some(Summary::Refund));
    if named == refunded {
        return Ok(());
    }
    if named + of(figures, is_unnamed) != refunded {
        return Err(failed("the refunds do not add up to what the order's total says was paid back."));
    }
    for figure in figures.iter_mut().filter(|figure| is_unnamed(figure)) {
        figure.kind = Some(Summary::Refund);
    }
    Ok(())
}

/// Whether it is taken off, for a reason that is not known.
fn is_unnamed(figure: &Figure) -> bool {
    figure.kind.is_none() && !figure.is_discount && figure.money.amount() < Decimal::ZERO
}

/// The name of a line's product: of the link to it, or the cell's own text if the product has no page any more.
fn title(cell: ElementRef<'_>) -> Result<Title, Unread> {
    let own: Vec<String> = cell
        .children()
        .filter_map(|child| child.value().as_text().map(|text| text.trim().to_owned()))
        .filter(|text| !text.is_empty())
        .collect();
    let mut links = cell.select(selector!("a[href]")).filter(|link| !is_in(*link, "ul") && !is_in(*link, "small"));
    let (text, product) = match (links.next(), links.next(), own.as_slice()) {
        (Some(link), None, []) => (text(link), link.attr("href").map(str::to_owned)),
        (None, None, [only]) => (only.clone(), None),
        _ => return Err(failed("a line does not have one name.")),
    };
    if text.is_empty() {
        return Err(failed("a line has no name."));
    }
    Ok(Title { text, product, is_doubtful: false })
}

fn only<'a>(mut found: impl Iterator<Item = ElementRef<'a>>, what: &str) -> Result<ElementRef<'a>, Unread> {
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(failed(format!("a row does not have one {what}."))),
    }
}
