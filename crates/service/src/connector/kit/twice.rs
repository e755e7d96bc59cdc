//! Amounts that a page gives twice: as a text, and for machines in an attribute.

use rust_decimal::Decimal;
use scraper::ElementRef;

use super::text::selector;

/// Whether each `<data value>` in a cell is the same amount, if it is a number.
pub(in crate::connector) fn agrees_with_amount(cell: ElementRef<'_>, read: Decimal) -> bool {
    cell.select(selector!("data[value]"))
        .filter_map(|data| data.attr("value")?.trim().parse::<Decimal>().ok())
        .all(|stated| stated.abs() == read.abs())
}
