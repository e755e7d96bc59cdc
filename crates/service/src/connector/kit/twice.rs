//! Values that a page gives twice: as a text, and for machines in an attribute.

use chrono::{DateTime, NaiveDateTime, Utc};
use rust_decimal::Decimal;
use scraper::ElementRef;

use super::text::selector;

/// Whether each `<time datetime>` in a cell names the same minute. One without a zone is not compared.
pub(in crate::connector) fn agrees_with_instant(cell: ElementRef<'_>, read: DateTime<Utc>) -> bool {
    cell.select(selector!("time[datetime]")).filter_map(|time| time.attr("datetime")).all(|stated| {
        match DateTime::parse_from_rfc3339(stated.trim()) {
            Ok(stated) => (stated.to_utc() - read).num_seconds().abs() < 60,
            Err(_) => stated.trim().parse::<NaiveDateTime>().is_ok() || !stated.contains('T'),
        }
    })
}

/// Whether each `<data value>` in a cell is the same amount, if it is a number.
pub(in crate::connector) fn agrees_with_amount(cell: ElementRef<'_>, read: Decimal) -> bool {
    cell.select(selector!("data[value]"))
        .filter_map(|data| data.attr("value")?.trim().parse::<Decimal>().ok())
        .all(|stated| stated.abs() == read.abs())
}
