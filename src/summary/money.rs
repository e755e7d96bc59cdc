//! Amounts for reading; their sums and products are exact or not at all.

pub(crate) use ordersync_api::charged::{sum, tidy};
use ordersync_values::amount::grouped;
use rust_decimal::Decimal;

use crate::output::amount::rounded;

/// An amount for reading, with the digits of its currency: "1,430.71"; an unknown amount is a dash.
pub(crate) fn amount(amount: Option<Decimal>, currency: &str) -> String {
    amount.map_or_else(|| "–".to_owned(), |amount| grouped(&rounded(amount, currency).to_string()))
}
