//! Amounts as the pages show them: exact, with the currency that the symbol and the configuration agree on.
//!
//! Every character of an amount has a meaning, or it is no amount. A comma or point is a decimal sign or parts groups
//! only if the language and the decimals of the currency leave no other reading.

use ordersync_api::SyncErrorCode;
use ordersync_values::amount::{self, Written};
use rust_decimal::{Decimal, RoundingStrategy};

use super::currency::{Currencies, Currency, Unsettled};
use super::locale::Locale;
use super::page::PageKind;
use super::text::quoted;
use crate::connector::ConnectorError;

/// Why a text is no amount. Which of its signs it is would say no more.
const UNREADABLE: &str = ": it has to be one number, with decimals as the language of the page or `locale` writes them, and at \
     most a sign and the symbol of a currency.";

/// An amount of money. Only a text that has one reading becomes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::connector) struct Money {
    amount: Decimal,
    currency: Currency,
}

impl Money {
    /// Reads an amount such as `£6,024.42`, `-6.024,42 €` or `(£20.00)` from `element` of a page.
    /// Fails with `retailer_changed` for a text that is not an amount; `retailer_misconfigured` if its symbol does not
    /// say which currency it is, or if the number has two readings.
    pub(in crate::connector) fn read(
        text: &str,
        locale: Locale,
        currencies: &Currencies,
        (page, element): (PageKind, &str),
    ) -> Result<Self, ConnectorError> {
        let unreadable = || page.unreadable_value(element, text, UNREADABLE);
        let Written { is_negative, number, symbol } = Written::read(text).ok_or_else(unreadable)?;
        let currency = currency_of(text, &symbol, (locale, currencies), (page, element))?;
        let number = match amount::readings(number, locale, &currency).as_slice() {
            [] => return Err(unreadable()),
            [only] => *only,
            _ => return Err(ambiguous(page, element)),
        };
        let amount = if is_negative && !number.is_zero() { -number } else { number };
        Ok(Self { amount, currency })
    }

    /// One that was read, out of the state of the sync.
    pub(super) const fn kept(amount: Decimal, currency: Currency) -> Self {
        Self { amount, currency }
    }

    /// An amount that JSON names: with the decimals of its currency, or with more if it has more.
    pub(in crate::connector) fn exact(amount: Decimal, currency: &Currency) -> Self {
        let mut amount = amount.normalize();
        if amount.scale() < currency.minor_units() {
            amount.rescale(currency.minor_units());
        }
        Self { amount, currency: currency.clone() }
    }

    /// The same in whole coins, half a coin away from nothing.
    pub(in crate::connector) fn to_coins(&self) -> Self {
        let coins = self.currency.minor_units();
        let mut amount = self.amount.round_dp_with_strategy(coins, RoundingStrategy::MidpointAwayFromZero);
        amount.rescale(coins);
        Self { amount, currency: self.currency.clone() }
    }

    /// Nothing, as a line shows it that has no amount, or says so in words.
    pub(in crate::connector) fn zero(currency: &Currency) -> Self {
        Self { amount: Decimal::new(0, currency.minor_units()), currency: currency.clone() }
    }

    /// So many times the amount.
    pub(in crate::connector) fn times(&self, quantity: Decimal) -> Option<Self> {
        let mut amount = self.amount.checked_mul(quantity)?;
        amount.rescale(self.amount.scale());
        (amount == self.amount.checked_mul(quantity)?).then(|| Self { amount, currency: self.currency.clone() })
    }

    pub(in crate::connector) const fn amount(&self) -> Decimal {
        self.amount
    }

    pub(in crate::connector) const fn currency(&self) -> &Currency {
        &self.currency
    }

    /// The price of one, if so many cost this; `None` if it is not a whole number of the currency's smallest unit.
    pub(in crate::connector) fn per_unit(&self, quantity: Decimal) -> Option<Decimal> {
        let price = self.amount.checked_div(quantity)?.round_dp(self.currency.minor_units());
        (price.checked_mul(quantity)? == self.amount).then(|| {
            let mut price = price;
            price.rescale(self.currency.minor_units());
            price
        })
    }
}

fn ambiguous(page: PageKind, element: &str) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::RetailerMisconfigured).with_message(format!(
        "The {page} has {element} that can be read in two ways: as thousands, or with decimals. Set `locale` of the \
         retailer to the language that its amounts are written in."
    ))
}

/// The currency of an amount.
/// Fails if its symbol does not say which.
fn currency_of(
    text: &str,
    symbol: &str,
    (locale, currencies): (Locale, &Currencies),
    (page, element): (PageKind, &str),
) -> Result<Currency, ConnectorError> {
    let known = currencies.of_symbol(symbol, locale);
    let why = match known {
        Ok(currency) => return Ok(currency),
        Err(Unsettled::NoSymbol) => {
            let why = ": the text beside its number is no symbol of a currency.";
            return Err(page.unreadable_value(element, text, why));
        }
        Err(Unsettled::Two) => "its symbol names two currencies.".to_owned(),
        Err(_) if symbol.is_empty() => "it has no symbol of a currency. Set `currency` of the retailer.".to_owned(),
        Err(_) => format!(
            "its symbol does not say which currency it is. Set `currency` of the retailer to the shop's own, such as \"GBP\", \
             or say what the symbol stands for: `currencies = {{ {} = \"USD\" }}`.",
            quoted(symbol)
        ),
    };
    let message = format!("The {page} has {element}, {}: {why}", quoted(text));
    Err(ConnectorError::new(SyncErrorCode::RetailerMisconfigured).with_message(message))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn read(text: &str, tag: &str, configured: Option<&str>) -> Result<String, SyncErrorCode> {
        let currencies = Currencies::new(configured, &HashMap::new()).unwrap();
        Money::read(text, Locale::from_tag(tag).unwrap(), &currencies, (PageKind::Order, "a price"))
            .map(|money| format!("{} {}", money.amount, money.currency.code()))
            .map_err(|error| error.code)
    }

    #[test]
    fn amounts_are_read_in_every_form_that_babel_gives_them() {
        for (text, tag, expected) in [
            ("£6,024.42", "en-gb", "6024.42 GBP"),
            ("-£6,024.42", "en-gb", "-6024.42 GBP"),
            ("6.024,42\u{a0}£", "de", "6024.42 GBP"),
            ("-6.024,42\u{a0}€", "de", "-6024.42 EUR"),
            ("6\u{202f}024,42\u{a0}£GB", "fr", "6024.42 GBP"),
            ("£\u{a0}-6.024,42", "nl", "-6024.42 GBP"),
            ("US$6,024.42", "en-gb", "6024.42 USD"),
            ("JP¥6,024", "en-gb", "6024 JPY"),
            ("CHF6,024.42", "en", "6024.42 CHF"),
            ("£0.00", "en", "0.00 GBP"),
            ("(£20.00)", "en-gb", "-20.00 GBP"),
            ("(1.234,50\u{a0}€)", "de", "-1234.50 EUR"),
            ("£20.00-", "en", "-20.00 GBP"),
            ("20,00-\u{a0}€", "de", "-20.00 EUR"),
            ("–£20.00", "en", "-20.00 GBP"),
            ("\u{2011}£20.00", "en", "-20.00 GBP"),
            ("+£20.00", "en", "20.00 GBP"),
            ("-£0.00", "en", "0.00 GBP"),
            ("₹1,00,000.00", "en-in", "100000.00 INR"),
            ("R1\u{a0}234,50", "en-za", "1234.50 ZAR"),
            ("£\u{a0}1’234.50", "de-ch", "1234.50 GBP"),
            ("1\u{202f}234,50\u{a0}€", "fr-ch", "1234.50 EUR"),
            ("1\u{a0}234,50\u{a0}$\u{a0}US", "fr-ca", "1234.50 USD"),
            ("1\u{a0}234,50\u{a0}zł", "pl", "1234.50 PLN"),
            ("R$\u{a0}1.234,50", "pt-br", "1234.50 BRL"),
            ("1.234,50\u{a0}€", "es", "1234.50 EUR"),
            ("￥1,234", "ja", "1234 JPY"),
            ("1,234円", "ja", "1234 JPY"),
            ("178,590\u{a0}KWD", "de", "178.590 KWD"),
            ("KWD1,178,590", "en", "1178590 KWD"),
            ("\u{200f}178.590\u{a0}KWD", "en", "178.590 KWD"),
            ("CLF1,234.5678", "en", "1234.5678 CLF"),
            ("£1,234", "en", "1234 GBP"),
        ] {
            assert_eq!(read(text, tag, None).as_deref(), Ok(expected), "{tag} {text}");
        }
    }

    #[test]
    fn the_configured_currency_says_what_the_symbol_leaves_open() {
        assert_eq!(read("$1.50", "en", None), Err(SyncErrorCode::RetailerMisconfigured));
        assert_eq!(read("1.50", "en", None), Err(SyncErrorCode::RetailerMisconfigured));
        assert_eq!(read("$1.50", "en", Some("AUD")).as_deref(), Ok("1.50 AUD"));
        assert_eq!(read("S/1.50", "en", Some("PEN")).as_deref(), Ok("1.50 PEN"));
        assert_eq!(read("Rs.50.00", "en-in", Some("INR")).as_deref(), Ok("50.00 INR"));
    }

    #[test]
    fn a_symbol_that_is_clear_is_that_currency_whatever_is_configured() {
        for (text, configured, expected) in [
            ("€1.50", "USD", "1.50 EUR"),
            ("US$1.50", "CAD", "1.50 USD"),
            ("CA$1.50", "USD", "1.50 CAD"),
            ("1.50 CHF", "EUR", "1.50 CHF"),
            ("CHF1.50", "EUR", "1.50 CHF"),
            ("£1.50", "EUR", "1.50 GBP"),
            ("£1.50", "EGP", "1.50 EGP"),
            ("1.50 zł", "EUR", "1.50 PLN"),
            ("₹1.50", "USD", "1.50 INR"),
        ] {
            assert_eq!(read(text, "en", Some(configured)).as_deref(), Ok(expected), "{text} {configured}");
        }
    }

    #[test]
    fn a_symbol_that_may_be_several_currencies_is_doubtful_unless_the_shop_s_own_is_among_them() {
        for (text, configured) in [
            ("$1.50", "EUR"),
            ("¥150", "GBP"),
            ("kr 1.50", "EUR"),
            ("R 1.50", "RUB"),
            ("EUR $1.50", "USD"),
            ("1.50 EUR $", "USD"),
            ("$ EUR 1.50", "EUR"),
        ] {
            assert_eq!(read(text, "en", Some(configured)), Err(SyncErrorCode::RetailerMisconfigured), "{text}");
        }
    }

    #[test]
    fn the_operator_says_what_a_symbol_stands_for() {
        let symbols = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(symbol, code)| ((*symbol).to_owned(), (*code).to_owned())).collect::<HashMap<_, _>>()
        };
        let currencies =
            Currencies::new(Some("EUR"), &symbols(&[("$", "USD"), ("kr", "SEK"), ("R", "RUB"), ("C $", "CAD")]))
                .unwrap();
        let read = |text: &str| {
            let locale = Locale::from_tag("en").unwrap();
            let money = Money::read(text, locale, &currencies, (PageKind::Order, "a price"));
            money.map(|money| format!("{} {}", money.amount, money.currency.code())).map_err(|error| error.message)
        };
        for (text, expected) in [
            ("$1.50", "1.50 USD"),
            ("1.50 kr", "1.50 SEK"),
            ("R1.50", "1.50 RUB"),
            ("C$1.50", "1.50 CAD"),
            ("€1.50", "1.50 EUR"),
            ("1.50", "1.50 EUR"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
        let error = read("¥150").unwrap_err();
        assert!(error.contains("\"¥150\"") && error.contains("`currencies = { \"¥\" = \"USD\" }`"), "{error}");
        for (wrong, complaint) in [
            (("€", "USD"), "\"€\" does not stand for USD"),
            (("GBP", "USD"), "\"GBP\" does not stand for USD"),
            (("$", "dollars"), "\"dollars\" is no ISO 4217 code"),
            (("1", "USD"), "\"1\" is no symbol of a currency"),
            ((" ", "USD"), "is no symbol of a currency"),
        ] {
            let error = Currencies::new(None, &symbols(&[wrong])).unwrap_err();
            assert!(error.starts_with("currencies: ") && error.contains(complaint), "{error}");
        }
    }

    #[test]
    fn what_is_no_amount_is_an_error_and_never_a_guess() {
        for (text, tag) in [
            ("", "en"),
            ("free", "en"),
            ("£6.024,42", "en"),
            ("6,024.42 £", "de"),
            ("£1.234", "en"),
            ("£٣.00", "en"),
            ("£３.00", "en"),
            ("£2.00²", "en"),
            ("(£1.00", "en"),
            ("£1.00)", "en"),
            ("-(£1.00)", "en"),
            ("-£1.00-", "en"),
            ("+-£1.00", "en"),
            ("(£)1.00", "en"),
            ("from £1.00 GBP", "en"),
            ("from £1.00", "en"),
            ("~£1.00", "en"),
            ("£1.00*", "en"),
            ("£1.00 £2.00", "en"),
            ("£1:00", "en"),
            ("50%", "en"),
            ("£1.00, each", "en"),
            ("\u{202e}£1.00", "en"),
            ("£9999999999999999999999999999.99", "en"),
            ("ab 5,00 €", "de"),
            ("£1.5", "en"),
            ("£.50", "en"),
            ("£ .50", "en"),
            (".50 £", "en"),
            ("£50.", "en"),
            ("50.– £", "de-ch"),
            ("50.- £", "de-ch"),
            ("£ 50.–", "de-ch"),
        ] {
            assert_eq!(read(text, tag, Some("GBP")), Err(SyncErrorCode::RetailerChanged), "{tag} {text}");
        }
        assert_eq!(read("--£1.00", "en", None), Err(SyncErrorCode::RetailerChanged));
    }

    #[test]
    fn a_number_with_two_readings_is_an_error_that_names_the_setting() {
        for (text, tag, currency) in [
            ("178,590 KWD", "en-gb", None),
            ("178.590 KWD", "de", None),
            ("178.590", "en-za", Some("KWD")),
            ("1,234", "fr-ch", Some("BHD")),
        ] {
            assert_eq!(read(text, tag, currency), Err(SyncErrorCode::RetailerMisconfigured), "{tag} {text}");
        }
        let locale = Locale::from_tag("en").unwrap();
        let error =
            Money::read("178,590 KWD", locale, &Currencies::default(), (PageKind::Order, "a price")).unwrap_err();
        assert!(error.message.contains("`locale`"), "{}", error.message);
    }

    #[test]
    fn a_unit_price_is_exact_or_left_out() {
        let of = |amount: &str, quantity: &str, code: &str| {
            let money = Money { amount: amount.parse().unwrap(), currency: Currency::from_code(code).unwrap() };
            money.per_unit(quantity.parse().unwrap()).map(|price| price.to_string())
        };
        assert_eq!(of("320.64", "3", "GBP").as_deref(), Some("106.88"));
        assert_eq!(of("10", "4", "GBP").as_deref(), Some("2.50"));
        assert_eq!(of("-9.00", "3", "GBP").as_deref(), Some("-3.00"));
        assert_eq!(of("10.00", "3", "GBP"), None);
        assert_eq!(of("0.01", "2", "GBP"), None);
        assert_eq!(of("100", "8", "JPY"), None);
        assert_eq!(of("1.00", "0", "GBP"), None);
        assert_eq!(of("1.05", "2.5", "GBP").as_deref(), Some("0.42"));
    }
}
