//! Amounts for reading; their sums and products are exact or not at all.

pub(crate) use ordersync_api::charged::{sum, tidy};
use rust_decimal::Decimal;

use crate::output::amount::rounded;

/// An amount for reading, with the digits of its currency: "1,430.71"; an unknown amount is a dash.
pub(crate) fn amount(amount: Option<Decimal>, currency: &str) -> String {
    amount.map_or_else(|| "–".to_owned(), |amount| grouped(&rounded(amount, currency).to_string()))
}

/// Digits in threes before the point.
pub(super) fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("−", digits));
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}
