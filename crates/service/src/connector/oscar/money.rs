//! Amounts as the pages show them: exact, with the currency that the symbol and the configuration agree on.

use ordersync_api::SyncErrorCode;
use rust_decimal::Decimal;

use super::html::Page;
use super::locale::Locale;
use crate::connector::ConnectorError;

/// ISO 4217.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::connector) struct Currency(String);

impl Currency {
    /// A currency by its code: three capital letters.
    pub(in crate::connector) fn from_code(code: &str) -> Option<Self> {
        (code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())).then(|| Self(code.to_owned()))
    }

    pub(super) fn code(&self) -> &str {
        &self.0
    }

    /// The smallest amount that can be paid: what a rounded figure may be off by.
    pub(super) fn smallest_coin(&self) -> Decimal {
        Decimal::new(1, self.minor_units())
    }

    /// Decimals of the smallest unit (ISO 4217, list one).
    fn minor_units(&self) -> u32 {
        match self.0.as_str() {
            "BIF" | "CLP" | "DJF" | "GNF" | "ISK" | "JPY" | "KMF" | "KRW" | "PYG" | "RWF" | "UGX" | "VND" | "VUV"
            | "XAF" | "XOF" | "XPF" => 0,
            "BHD" | "IQD" | "JOD" | "KWD" | "LYD" | "OMR" | "TND" => 3,
            _ => 2,
        }
    }
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Money {
    pub(super) amount: Decimal,
    pub(super) currency: Currency,
}

impl Money {
    /// Reads an amount such as `£6,024.42` or `-6.024,42 €` from `element` of a page.
    ///
    /// # Errors
    /// `retailer_changed` for what is no amount; `retailer_misconfigured` where the symbol contradicts the configured
    /// currency, or says too little and no currency is configured.
    pub(super) fn read(
        text: &str,
        locale: Locale,
        configured: Option<&Currency>,
        (page, element): (Page, &str),
    ) -> Result<Self, ConnectorError> {
        let unreadable = || page.unreadable(element);
        let digit = |sign: char| sign.is_ascii_digit();
        let start = text.find(digit).ok_or_else(unreadable)?;
        let end = text.rfind(digit).ok_or_else(unreadable)? + 1;
        let number = locale.number(&text[start..end]).ok_or_else(unreadable)?;
        let around = [&text[..start], &text[end..]].concat();
        let is_minus = |sign: char| matches!(sign, '-' | '−');
        let symbol: String = around
            .chars()
            .filter(|sign| !sign.is_whitespace() && !is_minus(*sign) && !matches!(sign, '\u{200e}' | '\u{200f}'))
            .collect();
        let currency = currency_of(&symbol, configured)?;
        if number.scale() != 0 && number.scale() != currency.minor_units() {
            return Err(unreadable());
        }
        let amount = match around.chars().filter(|sign| is_minus(*sign)).count() {
            0 => number,
            1 => -number,
            _ => return Err(unreadable()),
        };
        Ok(Self { amount, currency })
    }

    /// The price of one, where so many cost this; `None` where it is no whole number of the currency's smallest unit.
    pub(super) fn per_unit(&self, quantity: Decimal) -> Option<Decimal> {
        let price = self.amount.checked_div(quantity)?.round_dp(self.currency.minor_units());
        (price.checked_mul(quantity)? == self.amount).then(|| {
            let mut price = price;
            price.rescale(self.currency.minor_units());
            price
        })
    }
}

fn currency_of(symbol: &str, configured: Option<&Currency>) -> Result<Currency, ConnectorError> {
    let misconfigured = |message: &str| ConnectorError::new(SyncErrorCode::RetailerMisconfigured).with_message(message);
    let possible = currencies_of(symbol);
    let code = Currency::from_code(symbol);
    match configured {
        Some(configured) => {
            let contradicted = !possible.is_empty() && !possible.contains(&configured.code())
                || possible.is_empty() && code.as_ref().is_some_and(|code| code != configured);
            if contradicted {
                return Err(misconfigured("The retailer shows amounts in another currency than the configured one."));
            }
            Ok(configured.clone())
        }
        None => match possible {
            [only] => Ok(Currency((*only).to_owned())),
            [] => code.ok_or(()),
            _ => Err(()),
        }
        .map_err(|()| {
            misconfigured(
                "The symbol beside the retailer's amounts does not say which currency it is: `currency` has to be configured.",
            )
        }),
    }
}

/// The currencies that a symbol may stand for, in the languages that are read; none for one that is not known.
fn currencies_of(symbol: &str) -> &'static [&'static str] {
    match symbol {
        "£" | "£GB" => &["GBP"],
        "€" => &["EUR"],
        "US$" | "$US" => &["USD"],
        "CA$" | "C$" | "$CA" => &["CAD"],
        "A$" | "AU$" | "$AU" => &["AUD"],
        "NZ$" | "$NZ" => &["NZD"],
        "HK$" | "$HK" => &["HKD"],
        "$" => &["USD", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN", "TWD"],
        "JP¥" => &["JPY"],
        "CN¥" => &["CNY"],
        "¥" => &["JPY", "CNY"],
        "kr" | "kr." => &["SEK", "NOK", "DKK", "ISK"],
        "₹" => &["INR"],
        "₩" => &["KRW"],
        "₪" => &["ILS"],
        "₫" => &["VND"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, tag: &str, configured: Option<&str>) -> Result<String, SyncErrorCode> {
        let configured = configured.map(|code| Currency::from_code(code).unwrap());
        Money::read(text, Locale::from_tag(tag).unwrap(), configured.as_ref(), (Page::Order, "a price"))
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
    }

    #[test]
    fn a_symbol_that_contradicts_the_configured_currency_is_an_error() {
        for (text, currency) in [("£1.50", "EUR"), ("$1.50", "EUR"), ("CHF1.50", "EUR"), ("¥150", "GBP")] {
            assert_eq!(read(text, "en", Some(currency)), Err(SyncErrorCode::RetailerMisconfigured), "{text}");
        }
    }

    #[test]
    fn what_is_no_amount_is_an_error_and_never_a_guess() {
        for (text, tag) in [("", "en"), ("free", "en"), ("£6.024,42", "en"), ("6,024.42 £", "de"), ("£1.234", "en")]
        {
            assert_eq!(read(text, tag, Some("GBP")), Err(SyncErrorCode::RetailerChanged), "{tag} {text}");
        }
        assert_eq!(read("--£1.00", "en", None), Err(SyncErrorCode::RetailerChanged));
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
