//! What a line item adds to a sum: what was charged for it.
//!
//! The line total is the amount if it is known, else the price times the quantity. Retailers write money back with a
//! negative quantity, a negative price or both, so a negative price or quantity makes the amount negative. A positive line
//! total beside either contradicts them: such a line is in no sum.

use std::collections::BTreeMap;
use std::str::FromStr as _;

use ordersync_api::exact;
use ordersync_api::order::ShipmentStatus;
use rust_decimal::Decimal;

use super::money;
use crate::client::row::{Column, Row};
use crate::errors::{Error, Hint, Result, codes};
use crate::output::human::items;

/// What is shown for an unknown group or currency.
pub(super) const NONE: &str = "(none)";

/// What a line item adds.
pub(super) struct Contribution<'a> {
    pub(super) currency: &'a str,
    pub(super) quantity: Option<Decimal>,
    pub(super) amount: Amount,
    pub(super) is_undone: bool,
}

/// What was charged for a line item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    Known(Decimal),
    /// The retailer shows neither a line total nor both price and quantity.
    Unknown,
    /// Charged in an unknown currency.
    WithoutCurrency(Decimal),
    /// Charged or paid back: the signs contradict each other.
    UnclearSign(Decimal),
}

impl Amount {
    pub(super) const fn known(self) -> Option<Decimal> {
        match self {
            Self::Known(amount) => Some(amount),
            _ => None,
        }
    }
}

impl<'a> Contribution<'a> {
    pub(super) fn read(row: &'a Row<'_>) -> Result<Self> {
        let [total, price, quantity] = [Column::LineTotal, Column::Price, Column::Quantity].map(|at| number(row, at));
        let (total, price, quantity) = (total?, price?, quantity?);
        let currency = text(row, Column::Currency).unwrap_or("");
        let amount = match charged(total, price, quantity).ok_or_else(|| too_large("a line item"))? {
            Amount::Known(amount) | Amount::UnclearSign(amount) if currency.is_empty() => {
                Amount::WithoutCurrency(amount)
            }
            amount => amount,
        };
        let status = text(row, Column::ShipmentStatus).and_then(|word| ShipmentStatus::from_str(word).ok());
        // A negative line that was returned or refunded is the money back itself, not a purchase that was undone.
        let was_paid = !matches!(status, Some(ShipmentStatus::Cancelled | ShipmentStatus::Unpaid));
        let is_money_back = was_paid && amount.known().is_some_and(|amount| amount < Decimal::ZERO);
        let is_undone = status.is_some_and(ShipmentStatus::is_undone) && !is_money_back;
        Ok(Self { currency, quantity, amount, is_undone })
    }
}

/// `None` if it cannot be computed exactly.
fn charged(total: Option<Decimal>, price: Option<Decimal>, quantity: Option<Decimal>) -> Option<Amount> {
    let is_negative = |number: Option<Decimal>| number.is_some_and(|number| number < Decimal::ZERO);
    let says_back = is_negative(price) || is_negative(quantity);
    Some(match (total, price, quantity) {
        (Some(total), ..) if says_back && total > Decimal::ZERO => Amount::UnclearSign(total),
        (Some(total), ..) => Amount::Known(total),
        (None, Some(price), Some(quantity)) => {
            let size = money::product(price.abs(), quantity.abs())?;
            Amount::Known(if says_back { -size } else { size })
        }
        // No pieces cost nothing, whatever the price of one.
        (None, None, Some(quantity)) if quantity.is_zero() => Amount::Known(Decimal::ZERO),
        _ => Amount::Unknown,
    })
}

/// The line items that are in no sum, by the reason.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    without_amount: u64,
    without_currency: (u64, Decimal),
    /// By currency.
    unclear_sign: BTreeMap<String, (u64, Decimal)>,
}

impl LeftOut {
    /// `None` if a sum would have to be rounded.
    pub(super) fn add(&mut self, part: &Contribution<'_>) -> Option<()> {
        let (sum, amount) = match part.amount {
            Amount::Known(_) => return Some(()),
            Amount::Unknown => {
                self.without_amount += 1;
                return Some(());
            }
            Amount::WithoutCurrency(amount) => (&mut self.without_currency, amount),
            Amount::UnclearSign(amount) => (self.unclear_sign.entry(part.currency.to_owned()).or_default(), amount),
        };
        *sum = (sum.0 + 1, money::sum(sum.1, amount)?);
        Some(())
    }

    /// "3 items are counted, not summed: 2 without an amount, 1 that may be charged or paid back (3.50 EUR)."
    pub(super) fn text(&self) -> Option<String> {
        let mut reasons = Vec::new();
        let mut count = self.without_amount;
        if self.without_amount > 0 {
            reasons.push(format!("{} without an amount", self.without_amount));
        }
        let (number, amount) = self.without_currency;
        if number > 0 {
            count += number;
            reasons.push(format!("{number} without a currency ({})", money::tidy(amount)));
        }
        for (currency, (number, amount)) in &self.unclear_sign {
            count += number;
            let amount = money::tidy(*amount);
            reasons.push(format!(
                "{number} whose signs do not say whether it was charged or paid back ({amount} {currency})"
            ));
        }
        let are = if count == 1 { "is" } else { "are" };
        (count > 0).then(|| format!("{} {are} counted, not summed: {}.", items(count), reasons.join(", ")))
    }
}

/// A text that says something.
pub(super) fn text<'a>(row: &'a Row<'_>, column: Column) -> Option<&'a str> {
    row.text(column).map(str::trim).filter(|text| !text.is_empty())
}

/// The number in a column; `None` if the column is empty.
pub(super) fn number(row: &Row<'_>, column: Column) -> Result<Option<Decimal>> {
    text(row, column).map(|digits| exact::parse(digits).map_err(|why| unreadable(row, column, &why))).transpose()
}

pub(super) fn unreadable(row: &Row<'_>, column: Column, why: &str) -> Error {
    let id = row.text(Column::Id).unwrap_or("without an id");
    Error::of(&codes::network::UNEXPECTED_ANSWER, format!("Item {id}: {}: {why}.", column.name()))
}

pub(super) fn too_large(what: &str) -> Error {
    let what = if what.is_empty() { NONE } else { what };
    Error::of(
        &codes::network::UNEXPECTED_ANSWER,
        format!("The sum of {what} has more digits than can be summed exactly."),
    )
    .hint(Hint::run("Export the line items and sum them elsewhere", "ordersync orders export --out orders.csv"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(total: &str, price: &str, quantity: &str) -> Amount {
        let number = |text: &str| (!text.is_empty()).then(|| Decimal::from_str_exact(text).expect("a decimal"));
        charged(number(total), number(price), number(quantity)).expect("an amount")
    }

    #[test]
    fn the_line_total_is_what_was_charged_and_money_back_is_negative_however_it_is_written() {
        let known = |text: &str| Amount::Known(Decimal::from_str_exact(text).expect("a decimal"));
        for (total, price, quantity, amount) in [
            ("12.88", "9.49", "1.357", "12.88"),
            ("10.00", "", "3", "10.00"),
            ("10.00", "", "", "10.00"),
            ("0.00", "7.00", "0", "0.00"),
            ("", "9.49", "1.357", "12.87793"),
            ("", "-3.50", "-1", "-3.50"),
            ("", "3.50", "-1", "-3.50"),
            ("", "-3.50", "1", "-3.50"),
            ("-3.50", "3.50", "1", "-3.50"),
            ("-3.50", "-3.50", "-1", "-3.50"),
            ("", "", "0", "0"),
            ("", "7.00", "0", "0.00"),
        ] {
            assert_eq!(read(total, price, quantity), known(amount), "{total} {price} {quantity}");
        }
        assert_eq!([read("", "3.50", ""), read("", "", "2")], [Amount::Unknown, Amount::Unknown]);
        for (price, quantity) in [("3.50", "-1"), ("-3.50", "1"), ("-3.50", "-1"), ("", "-1")] {
            assert!(matches!(read("3.50", price, quantity), Amount::UnclearSign(_)), "{price} {quantity}");
        }
    }

    #[test]
    fn what_is_left_out_is_said_with_its_reason_and_amount() {
        let mut left_out = LeftOut::default();
        assert_eq!(left_out.text(), None);
        for row in [
            r#"{"id":1,"price":1,"currency":"EUR"}"#,
            r#"{"id":2,"lineTotal":5.00}"#,
            r#"{"id":3,"lineTotal":3.50,"quantity":-1,"currency":"EUR"}"#,
            r#"{"id":4,"lineTotal":3.50,"quantity":1,"currency":"EUR"}"#,
        ] {
            let row = Row::read(row).expect("json");
            left_out.add(&Contribution::read(&row).expect("a line")).expect("sums");
        }
        let text = "3 items are counted, not summed: 1 without an amount, 1 without a currency (5.00), \
                    1 whose signs do not say whether it was charged or paid back (3.50 EUR).";
        assert_eq!(left_out.text().as_deref(), Some(text));
    }
}
