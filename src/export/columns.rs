//! Which columns an export has: `--columns retailerName,SKU,price`, by the names of JSON or the titles of CSV.

use super::row::Column;
use crate::did_you_mean;
use crate::error::{Error, Result};
use crate::hint::Hint;

/// The command that lists the columns.
const LIST: &str = "ordersync orders export --columns";

/// The specification's fourteen, in their order.
pub(crate) fn specified() -> Vec<Column> {
    Column::ALL.into_iter().filter(|column| column.title().is_some()).collect()
}

/// The heading of a column in a table: its title, else its name in JSON.
#[must_use]
pub(crate) fn heading(column: Column) -> &'static str {
    column.title().unwrap_or(column.name())
}

/// Whether it holds a decimal.
#[must_use]
pub(crate) const fn is_decimal(column: Column) -> bool {
    matches!(column, Column::Quantity | Column::Price | Column::LineTotal | Column::OrderTotal)
}

/// Whether it holds a point in time.
#[must_use]
pub(crate) const fn is_time(column: Column) -> bool {
    matches!(column, Column::OrderDate | Column::MissingSince | Column::UpdatedAt)
}

/// Whether it holds what somebody else's books know the item by: digits in it are no number.
#[must_use]
pub(crate) const fn is_identifier(column: Column) -> bool {
    matches!(column, Column::Id | Column::ConnectionId | Column::OrderId | Column::RetailerSku)
}

/// Reads the columns that were asked for.
///
/// # Errors
///
/// If one does not exist or is given twice.
pub(crate) fn parse(text: &str) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let column = named(name)?;
        if columns.contains(&column) {
            return Err(Error::usage(format!("--columns has {} twice.", column.name())));
        }
        columns.push(column);
    }
    if columns.is_empty() {
        return Err(Error::usage("--columns names no column.").hint(Hint::run("List them", LIST)));
    }
    Ok(columns)
}

fn named(name: &str) -> Result<Column> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
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
        let columns = parse("SKU, price,Retailer Order ID,updatedat").expect("columns");
        assert_eq!(columns, [Column::RetailerSku, Column::Price, Column::OrderId, Column::UpdatedAt]);
        let hint = |text| parse(text).expect_err("no columns").advice().to_string();
        assert!(hint("prise").starts_with("Did you mean price?"), "{}", hint("prise"));
        assert!(hint("Item Nam").starts_with("Did you mean itemName?"));
        assert!(hint("zzzz").starts_with("List them"));
        assert!(hint(" , ").starts_with("List them"));
        assert!(parse("price,Price").is_err());
    }
}
