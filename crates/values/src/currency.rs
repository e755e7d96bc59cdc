//! Currencies: their codes, the decimals of their smallest coin, and the symbols that stand for them.

use std::collections::HashMap;

use rust_decimal::Decimal;

use crate::locale::Locale;

/// ISO 4217.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Currency(String);

/// The codes of ISO 4217 (list one) that are money in circulation, and the units of account that pages may use.
const CODES: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF \
    CHF CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG \
    HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK \
    MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD \
    SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYI UYU UYW UZS VES \
    VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

impl Currency {
    /// A currency by its code in upper case; `None` for one that ISO 4217 does not list.
    pub fn from_code(code: &str) -> Option<Self> {
        CODES.split(' ').any(|known| known == code).then(|| Self(code.to_owned()))
    }

    /// The code of ISO 4217.
    pub fn code(&self) -> &str {
        &self.0
    }

    /// The smallest amount that can be paid: what a rounded figure may be off by.
    pub fn smallest_coin(&self) -> Decimal {
        Decimal::new(1, self.minor_units())
    }

    /// Decimals of the smallest unit.
    pub fn minor_units(&self) -> u32 {
        let listed = iso_currency::Currency::from_code(&self.0);
        listed.and_then(iso_currency::Currency::exponent).map_or(2, u32::from)
    }

    /// The currencies that a symbol may stand for, in the languages that are read; none for a symbol that is not known.
    /// White space within a symbol is left out (`$ US`).
    pub fn of_symbol(symbol: &str) -> &'static [&'static str] {
        SYMBOLS.iter().find(|(known, _)| *known == symbol).map_or(&[], |(_, codes)| codes)
    }
}

/// The longest symbol that is taken for the shop's own currency without being known.
const MAX_SYMBOL_CHARS: usize = 4;

/// What the operator says of a shop's currencies. A symbol that is clear needs none of it.
#[derive(Debug, Clone, Default)]
pub struct Currencies {
    /// The shop's own: what an amount without a symbol is in, or one whose symbol may stand for it and for others.
    own: Option<Currency>,
    /// What symbols stand for in this shop.
    symbols: HashMap<String, Currency>,
}

/// Why a symbol does not say which currency it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsettled {
    /// It is too long to be one, and not known.
    NoSymbol,
    /// It is not known.
    Unknown,
    /// It may be one of several.
    Several,
    /// It names two.
    Two,
}

impl Currencies {
    /// Fails with the key, and what is wrong with it.
    pub fn new(own: Option<&str>, symbols: &HashMap<String, String>) -> Result<Self, String> {
        let of = |key: &str, code: &str| {
            Currency::from_code(code).ok_or_else(|| format!("{key}: \"{code}\" is no ISO 4217 code, such as \"GBP\""))
        };
        let own = own.map(|code| of("currency", code)).transpose()?;
        let mut known = HashMap::new();
        for (symbol, code) in symbols {
            let currency = of("currencies", code)?;
            let bare: String = symbol.chars().filter(|sign| !sign.is_whitespace()).collect();
            if bare.is_empty() || bare.contains(char::is_numeric) {
                return Err(format!("currencies: \"{symbol}\" is no symbol of a currency, such as \"$\""));
            }
            if contradicts(&bare, &currency) && !is_of_letters(&bare) {
                return Err(format!("currencies: \"{symbol}\" does not stand for {code}"));
            }
            known.insert(bare, currency);
        }
        Ok(Self { own, symbols: known })
    }

    /// The shop's own.
    pub const fn own(&self) -> Option<&Currency> {
        self.own.as_ref()
    }

    /// The currency that a symbol without white space stands for; none: the amount has no symbol.
    /// Fails if it does not say which.
    pub fn of_symbol(&self, symbol: &str, locale: Locale) -> Result<Currency, Unsettled> {
        if let Some(currency) = self.symbols.get(symbol) {
            return Ok(currency.clone());
        }
        let possible = Currency::of_symbol(symbol);
        let code = match (possible, &self.own) {
            (_, Some(own)) if possible.contains(&own.code()) => return Ok(own.clone()),
            // Letters that a shop may have chosen for another currency, as "R" or "Fr".
            ([_], Some(_)) if is_of_letters(symbol) => return Err(Unsettled::Several),
            ([], _) if Currency::from_code(symbol).is_none() && symbol.chars().count() > MAX_SYMBOL_CHARS => {
                return Err(Unsettled::NoSymbol);
            }
            ([], Some(own)) if Currency::from_code(symbol).is_none() => {
                let names_other = parts_of(symbol).any(|part| contradicts(part, own));
                return if names_other { Err(Unsettled::Two) } else { Ok(own.clone()) };
            }
            ([], _) => symbol,
            // Of the pounds, the one that is meant unless another is configured.
            ([only] | [only @ "GBP", ..], _) => only,
            // Japanese pages write the yuan as 元.
            ([only @ "JPY", ..], _) if locale.is_japanese() => only,
            _ => return Err(Unsettled::Several),
        };
        Currency::from_code(code).ok_or(Unsettled::Unknown)
    }
}

/// Whether a symbol is of letters alone, and no code.
fn is_of_letters(symbol: &str) -> bool {
    symbol.chars().all(|sign| sign.is_ascii_alphabetic() || sign == '.') && Currency::from_code(symbol).is_none()
}

/// The runs of letters in a symbol, and its other signs each alone.
fn parts_of(symbol: &str) -> impl Iterator<Item = &str> {
    let signs = symbol.char_indices().filter(|(_, sign)| !sign.is_alphabetic());
    let signs = signs.map(|(at, sign)| &symbol[at..at + sign.len_utf8()]);
    symbol.split(|sign: char| !sign.is_alphabetic()).filter(|letters| letters.len() > 1).chain(signs)
}

/// Whether a symbol, or a part of one, is of other currencies than this one.
fn contradicts(part: &str, currency: &Currency) -> bool {
    let possible = Currency::of_symbol(part);
    !possible.is_empty() && !possible.contains(&currency.code())
        || possible.is_empty() && Currency::from_code(part).is_some_and(|code| code != *currency)
}

/// From the locale data that Babel uses (CLDR), for the languages that are read and all their regions, with what shops use
/// beside it.
#[rustfmt::skip]
const SYMBOLS: &[(&str, &[&str])] = &[
    ("$", &["USD", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN", "TWD", "ARS", "BBD", "BMD", "BND", "BSD", "BZD", "CLP", "COP",
        "CUP", "DOP", "FJD", "GYD", "JMD", "KYD", "LRD", "NAD", "SBD", "SRD", "TTD", "UYU", "XCD"]),
    ("$AR", &["ARS"]), ("$AU", &["AUD"]), ("$CA", &["CAD"]), ("$CL", &["CLP"]), ("$CO", &["COP"]), ("$HK", &["HKD"]),
    ("$MX", &["MXN"]), ("$NZ", &["NZD"]), ("$SG", &["SGD"]), ("$US", &["USD"]), ("$UY", &["UYU"]),
    ("A$", &["AUD"]), ("AU$", &["AUD"]), ("C$", &["CAD", "NIO"]), ("CA$", &["CAD"]), ("EC$", &["XCD"]), ("HK$", &["HKD"]),
    ("MX$", &["MXN"]), ("NT$", &["TWD"]), ("NZ$", &["NZD"]), ("R$", &["BRL"]), ("RD$", &["DOP"]), ("S$", &["SGD"]),
    ("US$", &["USD"]),
    ("£", &["GBP", "FKP", "GIP", "SHP", "SSP", "EGP", "LBP", "SYP"]), ("£GB", &["GBP"]), ("GB£", &["GBP"]),
    ("€", &["EUR"]),
    ("¥", &["JPY", "CNY"]), ("￥", &["JPY", "CNY"]), ("JP¥", &["JPY"]), ("CN¥", &["CNY"]), ("円", &["JPY"]), ("元", &["CNY"]),
    ("kr", &["SEK", "NOK", "DKK", "ISK"]), ("kr.", &["SEK", "NOK", "DKK", "ISK"]),
    ("₹", &["INR"]), ("Rs", &["INR", "PKR", "LKR", "NPR", "MUR", "SCR"]), ("Rs.", &["INR", "PKR", "LKR", "NPR", "MUR", "SCR"]),
    ("zł", &["PLN"]), ("Kč", &["CZK"]), ("Ft", &["HUF"]), ("lei", &["RON", "MDL"]), ("лв.", &["BGN"]), ("₽", &["RUB"]),
    ("₴", &["UAH"]), ("₺", &["TRY"]), ("₸", &["KZT"]), ("₾", &["GEL"]), ("֏", &["AMD"]), ("₼", &["AZN"]),
    ("Fr", &["CHF"]), ("Fr.", &["CHF"]), ("SFr.", &["CHF"]),
    ("₩", &["KRW", "KPW"]), ("₪", &["ILS"]), ("₫", &["VND"]), ("฿", &["THB"]), ("₱", &["PHP"]), ("₦", &["NGN"]),
    ("₡", &["CRC"]), ("₲", &["PYG"]), ("₵", &["GHS"]), ("₭", &["LAK"]), ("₮", &["MNT"]), ("৳", &["BDT"]), ("៛", &["KHR"]),
    ("S/", &["PEN"]), ("S/.", &["PEN"]), ("R", &["ZAR"]), ("RM", &["MYR"]), ("Rp", &["IDR"]),
    ("FCFA", &["XAF", "XOF"]), ("CFPF", &["XPF"]), ("FCFP", &["XPF"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_decimals_are_those_of_iso_4217() {
        for (code, decimals) in
            [("GBP", 2), ("JPY", 0), ("KWD", 3), ("CLF", 4), ("UYI", 0), ("UYW", 4), ("MGA", 2), ("MRU", 2), ("HUF", 2)]
        {
            assert_eq!(Currency::from_code(code).map(|currency| currency.minor_units()), Some(decimals), "{code}");
        }
        for code in ["", "gbp", "GB", "ABC", "GBP EUR", "£"] {
            assert_eq!(Currency::from_code(code), None, "{code}");
        }
    }

    #[test]
    fn each_symbol_is_listed_once_and_stands_for_currencies() {
        for (index, (symbol, codes)) in SYMBOLS.iter().enumerate() {
            assert!(SYMBOLS[..index].iter().all(|(other, _)| other != symbol), "{symbol}");
            assert!(!codes.is_empty() && codes.iter().all(|code| Currency::from_code(code).is_some()), "{symbol}");
        }
    }
}
