//! Amounts for people: every digit, those of the currency at least, and never a sum of two currencies.

use ordersync_values::amount::grouped;
use ordersync_values::currency::Currency;
use rust_decimal::Decimal;

/// "1,430.50 EUR"; what is not known is a dash.
pub(in crate::web) fn money(amount: Option<Decimal>, currency: Option<&str>) -> String {
    let Some(amount) = amount else { return "–".to_owned() };
    let digits = currency.and_then(Currency::from_code).map_or(0, |currency| currency.minor_units());
    let mut shown = amount.normalize();
    if shown.scale() < digits {
        shown.rescale(digits);
    }
    let text = grouped(&shown.to_string());
    match currency {
        Some(currency) => format!("{text} {currency}"),
        None => format!("{text} (currency not known)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_all_its_digits_and_those_of_its_currency() {
        let shown = |amount: &str, currency| money(Decimal::from_str_exact(amount).ok(), currency);
        assert_eq!(shown("1430.5", Some("EUR")), "1,430.50 EUR");
        assert_eq!(shown("-1234567.125", Some("EUR")), "−1,234,567.125 EUR");
        assert_eq!(shown("2980.00", Some("JPY")), "2,980 JPY");
        assert_eq!(shown("12.5", None), "12.5 (currency not known)");
        assert_eq!(shown("", Some("EUR")), "–");
    }
}
