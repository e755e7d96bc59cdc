//! Amounts for people, rounded to the digits of their currency. Only tables and pages are rounded; output for programs
//! is exact.

use iso_currency::Currency;
use rust_decimal::{Decimal, RoundingStrategy};

/// How many decimal places a currency has (ISO 4217); two for an unlisted currency.
pub(crate) fn digits(currency: &str) -> u32 {
    Currency::from_code(currency).and_then(Currency::exponent).map_or(2, u32::from)
}

/// The amount with the digits of its currency. An amount that would become zero is not rounded.
pub(crate) fn rounded(amount: Decimal, currency: &str) -> Decimal {
    let digits = digits(currency);
    let mut rounded = amount.round_dp_with_strategy(digits, RoundingStrategy::MidpointAwayFromZero);
    if rounded.is_zero() && !amount.is_zero() {
        return amount;
    }
    rounded.rescale(digits);
    // If the number has no room for its trailing zeros, it goes without them.
    if rounded.scale() == digits { rounded } else { rounded.normalize() }
}

/// The rounded amount as text, with the currency: "1430.71 EUR". An amount without a currency is as received.
pub(crate) fn money(amount: Option<&impl ToString>, currency: Option<&str>) -> String {
    let Some(text) = amount.map(ToString::to_string) else { return String::new() };
    let Some(currency) = currency else { return text };
    match Decimal::from_str_exact(&text) {
        Ok(amount) => format!("{} {currency}", rounded(amount, currency)),
        Err(_) => format!("{text} {currency}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_the_digits_of_its_currency() {
        for (amount, currency, shown) in [
            ("137.19334", Some("USD"), "137.19 USD"),
            ("193.625", Some("USD"), "193.63 USD"),
            ("-0.005", Some("EUR"), "-0.01 EUR"),
            ("1.5", Some("EUR"), "1.50 EUR"),
            ("2980.00", Some("JPY"), "2980 JPY"),
            ("1.2345", Some("KWD"), "1.235 KWD"),
            ("1.23456", Some("CLF"), "1.2346 CLF"),
            ("1.5", Some("UYI"), "2 UYI"),
            // Neither a metal nor an invalid code has digits in the list.
            ("1.5", Some("XAU"), "1.50 XAU"),
            ("1.5", Some("jpy"), "1.50 jpy"),
            ("1.5", Some("€"), "1.50 €"),
            ("0.001", Some("EUR"), "0.001 EUR"),
            ("0", Some("EUR"), "0.00 EUR"),
            ("137.19334", None, "137.19334"),
            ("79228162514264337593543950335", Some("EUR"), "79228162514264337593543950335 EUR"),
        ] {
            assert_eq!(money(Some(&amount), currency), shown);
        }
        assert_eq!(money(None::<&String>, Some("EUR")), "");
    }
}
