//! The groups as a table, with bars if the terminal is wide enough. A bar is as long as the amount within its currency.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use super::totals::{Group, Totals};
use crate::output::amount::money;
use crate::output::table::{Column, Table};
use crate::summary::grouping::Grouping;

/// A shorter bar shows nothing useful.
const SHORTEST: usize = 8;
/// A bar that is longer than this is hard to follow.
const LONGEST: usize = 40;
/// The space after a column.
const GAP: usize = 2;
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The groups and the whole, a row for each and each currency. `width`: of the terminal, where bars are welcome.
pub(crate) fn table(totals: &Totals, by: Grouping, groups: &[Group], width: Option<u16>) -> Table {
    let plain = rows(totals, by, groups, None);
    let Some(width) = width else { return plain };
    let taken = plain.render(None, false).lines().map(console::measure_text_width).max().unwrap_or_default();
    let room = usize::from(width).saturating_sub(taken + 2 * GAP);
    if room < SHORTEST { plain } else { rows(totals, by, groups, Some(room.min(LONGEST))) }
}

fn rows(totals: &Totals, by: Grouping, groups: &[Group], width: Option<usize>) -> Table {
    let whole = totals.whole();
    let any = |test: fn(&Group) -> bool| whole.iter().any(test);
    let (any_undone, any_unsummed) = (any(|group| group.undone_items > 0), any(|group| group.unsummed_items > 0));
    let has_net = any(|group| group.net.is_some());
    let mut columns = vec![Column::text(title(by)), Column::number("ITEMS").optional(1), Column::amount("AMOUNT")];
    if width.is_some() {
        columns.push(Column::bar());
    }
    if has_net {
        columns.push(Column::amount("NET"));
    }
    if any_undone {
        columns.push(Column::amount("NOT SPENT").optional(2).noted());
    }
    if any_unsummed {
        columns.push(Column::number("NOT SUMMED").optional(0));
    }
    let mut table = Table::new(&columns);
    if by == Grouping::Month {
        table = table.titled(0, totals.zone().heading(title(by)));
    }
    let mut row = |name: &str, group: &Group, bar: String| {
        let currency = group.currency.as_deref();
        let mut cells = vec![name.to_owned(), group.items.to_string(), money(group.amount.as_ref(), currency)];
        if width.is_some() {
            cells.push(bar);
        }
        if has_net {
            cells.push(money(group.net.flatten().as_ref(), currency));
        }
        if any_undone {
            cells.push(money(group.undone_amount.as_ref(), currency));
        }
        if any_unsummed {
            let unsummed = group.unsummed_items;
            cells.push(if unsummed == 0 { String::new() } else { unsummed.to_string() });
        }
        table.row(cells);
    };
    for group in groups {
        let bar = width.map(|width| bar(share(group, groups), width)).unwrap_or_default();
        row(group.name(), group, bar);
    }
    for group in &whole {
        row("Total", group, String::new());
    }
    table
}

/// The amount as a part of the largest in its currency, from 0 to 1.
pub(crate) fn share(group: &Group, groups: &[Group]) -> f64 {
    let same = groups.iter().filter(|other| other.currency == group.currency);
    let largest = same.filter_map(|other| other.amount).max().unwrap_or_default();
    part(group.amount.unwrap_or_default(), largest)
}

/// A part of a whole, from 0 to 1; for drawing alone.
pub(crate) fn part(amount: Decimal, whole: Decimal) -> f64 {
    match (amount.to_f64(), whole.to_f64()) {
        (Some(amount), Some(whole)) if whole > 0.0 => (amount / whole).clamp(0.0, 1.0),
        _ => 0.0,
    }
}

fn bar(share: f64, width: usize) -> String {
    let eighths = (share * (width * 8) as f64).round() as usize;
    // What is there is seen.
    let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// What a grouping is called above a column.
const fn title(by: Grouping) -> &'static str {
    match by {
        Grouping::Month => "MONTH",
        Grouping::Retailer => "RETAILER",
        Grouping::Category => "CATEGORY",
        Grouping::Brand => "BRAND",
        Grouping::Order => "ORDER",
        Grouping::Payment => "PAYMENT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::row::Row;

    fn totals() -> Totals {
        let mut totals = Totals::new(&[Grouping::Brand], crate::time_zone::TimeZone::UTC);
        for row in [
            r#"{"id":1,"brandName":"Glowhaven","price":80.50,"quantity":1,"currency":"USD"}"#,
            r#"{"id":2,"brandName":"Hedgetrot","price":20.125,"quantity":2,"currency":"USD","shipmentStatus":"delivered"}"#,
            r#"{"id":3,"brandName":"Hedgetrot","price":9,"quantity":1,"currency":"USD","shipmentStatus":"cancelled"}"#,
            r#"{"id":4,"brandName":"Glowhaven","price":2980,"quantity":1,"currency":"JPY"}"#,
            r#"{"id":5,"brandName":"Inkwell","quantity":1,"currency":"JPY"}"#,
        ] {
            totals.add(&Row::read(row).expect("json")).expect("sums");
        }
        totals
    }

    #[test]
    fn bars_are_as_long_as_the_amount_within_its_currency_and_fit_the_terminal() {
        let totals = totals();
        let groups = totals.groups(Grouping::Brand);
        let shown = |width: Option<u16>| table(&totals, Grouping::Brand, &groups, width).render(width, false);
        insta::assert_snapshot!("bars", format!("{}\n{}", shown(None), shown(Some(80))));
        for width in [10, 40, 60, 72, 80, 200] {
            let text = shown(Some(width));
            assert!(
                text.lines().all(|line| console::measure_text_width(line) <= width.max(40).into()),
                "{width}: {text}"
            );
        }
        assert!(!shown(Some(50)).contains('█'));
    }

    #[test]
    fn a_share_is_drawn_to_the_eighth_and_the_smallest_is_seen() {
        assert_eq!(
            (bar(1.0, 8), bar(0.5, 5), bar(0.000_1, 8), bar(0.0, 8)),
            ("█".repeat(8), "██▌".into(), "▏".into(), String::new())
        );
    }
}
