//! What a line item adds to a sum: what was charged for it ([`ordersync_api::charged`]).

use std::collections::{BTreeMap, BTreeSet};

use ordersync_api::charged::{Amount, charged, is_undone};
use ordersync_api::exact;
use ordersync_api::order::ShipmentStatus;
use rust_decimal::Decimal;

use super::money;
use crate::client::row::{Column, Row};
use crate::errors::{Error, Hint, Result, codes};
use crate::output::human::items;

/// What is shown for an unknown group or currency.
pub(super) const NONE: &str = "(none)";

/// What is shown for an unknown way of payment.
pub(super) const NOT_KNOWN: &str = "(not known)";

/// What a line item adds.
pub(super) struct Contribution<'a> {
    pub(super) currency: &'a str,
    pub(super) quantity: Option<Decimal>,
    pub(super) amount: Amount,
    pub(super) is_undone: bool,
    /// Whether it was cancelled or not paid.
    pub(super) is_unpaid: bool,
    /// Its status, if it is in words that are not known.
    other_status: Option<&'a str>,
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
        let word = text(row, Column::ShipmentStatus);
        let status = word.and_then(ShipmentStatus::meant);
        let other_status = word.filter(|_| status.is_none());
        let is_unpaid = matches!(status, Some(ShipmentStatus::Cancelled | ShipmentStatus::Unpaid));
        let is_undone = is_undone(status, amount);
        Ok(Self { currency, quantity, amount, is_undone, is_unpaid, other_status })
    }
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

/// The line items that count as spent although their status is in words that are not known: one may mean that they were cancelled.
#[derive(Debug, Default)]
pub(super) struct OtherStatuses {
    items: u64,
    /// Some of the words.
    words: BTreeSet<String>,
}

impl OtherStatuses {
    /// How many words are named.
    const MOST: usize = 4;

    pub(super) fn add(&mut self, part: &Contribution<'_>) {
        let Some(word) = part.other_status else { return };
        self.items += 1;
        if self.words.len() <= Self::MOST && !self.words.contains(word) {
            self.words.insert(word.to_owned());
        }
    }

    /// "3 items count as spent, with a status that is not known: “Ready for collection”."
    pub(super) fn text(&self) -> Option<String> {
        let count = if self.items == 1 { "counts" } else { "count" };
        let mut words: Vec<String> = self.words.iter().take(Self::MOST).map(|word| format!("“{word}”")).collect();
        if self.words.len() > Self::MOST {
            words.push("and others".to_owned());
        }
        let words = words.join(", ");
        (self.items > 0)
            .then(|| format!("{} {count} as spent, with a status that is not known: {words}.", items(self.items)))
    }
}

/// A text that says something.
pub(super) fn text<'a>(row: &'a Row<'_>, column: Column) -> Option<&'a str> {
    row.text(column).map(str::trim).filter(|text| !text.is_empty())
}

/// The number in a column; `None` if the column is empty.
pub(super) fn number(row: &Row<'_>, column: Column) -> Result<Option<Decimal>> {
    text(row, column).map(|digits| exact::parse(digits).map_err(|why| row.unreadable(column, &why))).transpose()
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
