//! Which columns an export has: `--columns retailerName,SKU,price`, by the names of JSON or the titles of CSV;
//! `--columns +lineTotal` adds to those that the format has anyway.

use std::borrow::Cow;

use super::row::Column;
use crate::errors::{Error, Hint, Result, did_you_mean};
use crate::time_zone::TimeZone;

/// The command that lists the columns.
const LIST: &str = "ordersync orders export --columns";

/// The specification's fourteen, in their order.
pub(crate) fn specified() -> Vec<Column> {
    Column::ALL.into_iter().filter(|column| column.title().is_some()).collect()
}

/// What a workbook has: the same, and what was charged for the line. It is the last, so that the others stay where formulas
/// look for them.
pub(crate) fn of_workbook() -> Vec<Column> {
    specified().into_iter().chain([Column::LineTotal]).collect()
}

/// The heading of a column in a table: its title, else its name in JSON.
pub(crate) fn heading(column: Column) -> &'static str {
    column.title().unwrap_or(column.name())
}

/// The heading of a column in a workbook, whose times have no zone of their own.
pub(crate) fn workbook_heading(column: Column, zone: TimeZone) -> Cow<'static, str> {
    match column {
        Column::LineTotal => LINE_TOTAL.into(),
        _ if is_time(column) => format!("{} ({})", heading(column), zone.name()).into(),
        _ => heading(column).into(),
    }
}

/// The title of the column that the specification's CSV lacks.
const LINE_TOTAL: &str = "Line Total";

/// Whether it holds a decimal.
pub(crate) const fn is_decimal(column: Column) -> bool {
    matches!(column, Column::Quantity | Column::Price | Column::LineTotal | Column::OrderTotal)
}

/// Whether it holds a whole number.
pub(crate) const fn is_integer(column: Column) -> bool {
    matches!(column, Column::RetailerId | Column::LineNumber)
}

/// Whether it holds a point in time.
pub(crate) const fn is_time(column: Column) -> bool {
    matches!(column, Column::OrderDate | Column::MissingSince | Column::UpdatedAt)
}

/// Whether it holds what somebody else's books know the item by: digits in it are no number.
pub(crate) const fn is_identifier(column: Column) -> bool {
    matches!(column, Column::Id | Column::ConnectionId | Column::OrderId | Column::RetailerSku | Column::TrackingNumber)
}

/// The columns that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub columns: Vec<Column>,
    /// Whether they come after those that the format has anyway.
    pub is_added: bool,
}

impl Chosen {
    /// All columns of a format that usually has these.
    pub(crate) fn among(&self, usual: Vec<Column>) -> Vec<Column> {
        if !self.is_added {
            return self.columns.clone();
        }
        let new = self.columns.iter().filter(|column| !usual.contains(column)).copied().collect::<Vec<_>>();
        usual.into_iter().chain(new).collect()
    }
}

/// As `--columns` has them.
impl std::fmt::Display for Chosen {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.is_added { "+" } else { "" };
        for (index, column) in self.columns.iter().enumerate() {
            write!(to, "{}{sign}{}", if index > 0 { "," } else { "" }, column.name())?;
        }
        Ok(())
    }
}

/// Reads the columns that were asked for.
pub(crate) fn parse(text: &str) -> Result<Chosen> {
    let names = || text.split(',').map(str::trim).filter(|name| !name.is_empty());
    let added = names().filter(|name| name.starts_with('+')).count();
    if added > 0 && added < names().count() {
        return Err(Error::usage(
            "--columns adds to the usual columns with a + before each name, or names all of them without.",
        ));
    }
    let mut columns = Vec::new();
    for name in names() {
        let column = named(name.trim_start_matches('+').trim())?;
        if columns.contains(&column) {
            return Err(Error::usage(format!("--columns has {} twice.", column.name())));
        }
        columns.push(column);
    }
    if columns.is_empty() {
        return Err(Error::usage("--columns names no column.").hint(Hint::run("List them", LIST)));
    }
    Ok(Chosen { columns, is_added: added > 0 })
}

fn named(name: &str) -> Result<Column> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    if is(LINE_TOTAL) {
        return Ok(Column::LineTotal);
    }
    if let Some(column) = Column::ALL.into_iter().find(|column| is(column.name()) || column.title().is_some_and(is)) {
        return Ok(column);
    }
    let known = Column::ALL
        .into_iter()
        .flat_map(|column| std::iter::once(column.name()).chain(column.title()).map(move |name| (name, column.name())));
    let hint = match did_you_mean::nearest_named(name, known) {
        Some(near) => Hint::run(format!("Did you mean {near}? All of them"), LIST),
        None => Hint::run("List them", LIST),
    };
    Err(Error::usage(format!("There is no column `{name}`.")).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_title_and_what_was_meant_is_told() {
        let chosen = parse("SKU, price,Retailer Order ID,updatedat").expect("columns");
        assert_eq!(chosen.columns, [Column::RetailerSku, Column::Price, Column::OrderId, Column::UpdatedAt]);
        let hint = |text| parse(text).expect_err("no columns").advice().to_string();
        assert!(hint("prise").starts_with("Did you mean price?"), "{}", hint("prise"));
        assert!(hint("Item Nam").starts_with("Did you mean itemName?"));
        assert!(hint("zzzz").starts_with("List them"));
        assert!(hint(" , ").starts_with("List them"));
        assert!(parse("price,Price").is_err());
    }

    #[test]
    fn columns_with_a_plus_come_after_the_usual_ones() {
        let added = parse("+mismatch, +Line Total,+price").expect("columns");
        assert_eq!(added.to_string(), "+mismatch,+lineTotal,+price");
        let all = added.among(vec![Column::Id, Column::Price]);
        assert_eq!(all, [Column::Id, Column::Price, Column::Mismatch, Column::LineTotal]);
        let only = parse("lineNumber,price").expect("columns");
        assert_eq!(
            (only.to_string().as_str(), only.among(vec![Column::Id])),
            ("lineNumber,price", only.columns.clone())
        );
        assert!(parse("+mismatch,price").is_err());
    }
}
