//! Currencies: their codes, the decimals of their smallest coin, and the symbols that stand for them.

use rust_decimal::Decimal;

/// ISO 4217.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::connector) struct Currency(String);

/// The codes of ISO 4217 (list one) that are money in circulation, and the units of account that pages may use.
const CODES: &str = "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF \
    CHF CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG \
    HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK \
    MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD \
    SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYI UYU UYW UZS VES \
    VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

impl Currency {
    /// A currency by its code in upper case; `None` for one that ISO 4217 does not list.
    pub(in crate::connector) fn from_code(code: &str) -> Option<Self> {
        CODES.split(' ').any(|known| known == code).then(|| Self(code.to_owned()))
    }

    pub(in crate::connector) fn code(&self) -> &str {
        &self.0
    }

    /// The smallest amount that can be paid: what a rounded figure may be off by.
    pub(in crate::connector) fn smallest_coin(&self) -> Decimal {
        Decimal::new(1, self.minor_units())
    }

    /// Decimals of the smallest unit.
    pub(in crate::connector) fn minor_units(&self) -> u32 {
        let listed = iso_currency::Currency::from_code(&self.0);
        listed.and_then(iso_currency::Currency::exponent).map_or(2, u32::from)
    }

    /// The currencies that a symbol may stand for, in the languages that are read; none for a symbol that is not known.
    /// White space within a symbol is left out (`$ US`).
    pub(in crate::connector) fn of_symbol(symbol: &str) -> &'static [&'static str] {
        SYMBOLS.iter().find(|(known, _)| *known == symbol).map_or(&[], |(_, codes)| codes)
    }
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
