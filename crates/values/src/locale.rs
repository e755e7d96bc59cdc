//! How a language writes numbers: the forms of Babel's currency format and of Django's numbers, for the languages that
//! are read and their regions. How it writes dates is in `dates`.
//!
//! Nothing is guessed: a text that is not wholly understood is not a number.

use rust_decimal::Decimal;

/// A language that the connector reads, and how its region writes numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locale {
    /// The language of its dates.
    pub language: Language,
    decimals: &'static [char],
}

/// The languages that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "their names say it")]
pub enum Language {
    English,
    German,
    French,
    Dutch,
    Spanish,
    Italian,
    Polish,
    Portuguese,
    Japanese,
}

const POINT: &[char] = &['.'];
const COMMA: &[char] = &[','];
/// Regions that are not at one: the number itself has to show which it is.
const EITHER: &[char] = &[',', '.'];

impl Locale {
    /// The languages that are read, for messages.
    pub const KNOWN: &'static str = "en, de, fr, nl, es, it, pl, pt, ja";

    /// The locale of a language tag such as `en-gb` (BCP 47); `None` for a language that is not read.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let tag = tag.trim().to_ascii_lowercase().replace('_', "-");
        let mut parts = tag.split('-');
        let language = match parts.next()? {
            "en" => Language::English,
            "de" => Language::German,
            "fr" => Language::French,
            "nl" => Language::Dutch,
            "es" => Language::Spanish,
            "it" => Language::Italian,
            "pl" => Language::Polish,
            "pt" => Language::Portuguese,
            "ja" => Language::Japanese,
            _ => return None,
        };
        let region = parts.next_back().unwrap_or_default();
        Some(Self { language, decimals: language.decimals(region) })
    }

    /// The same language with numbers of either kind, for platforms that let the shop choose its signs.
    #[must_use]
    pub const fn with_either_sign(self) -> Self {
        Self { decimals: EITHER, ..self }
    }

    /// Whether its numbers and dates are those of Japan.
    pub fn is_japanese(self) -> bool {
        self.language == Language::Japanese
    }

    /// An unsigned number such as `6,024.42`, `6.024,42` or `6 024,42`, to its last digit; `None` if it has no reading, or
    /// two.
    pub fn number(self, text: &str) -> Option<Decimal> {
        match self.readings(text).as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The different values that an unsigned number may have.
    pub fn readings(self, text: &str) -> Vec<Decimal> {
        let mut readings: Vec<Decimal> = self.decimals.iter().filter_map(|sign| number(text, *sign)).collect();
        readings.dedup();
        readings
    }
}

impl Language {
    /// The decimal signs of a region, by Babel's locale data.
    fn decimals(self, region: &str) -> &'static [char] {
        match (self, region) {
            (_, "ch" | "li") => EITHER,
            (
                Self::English,
                "at" | "be" | "cz" | "de" | "dk" | "es" | "fi" | "fr" | "hu" | "id" | "it" | "nl" | "no" | "pl" | "pt"
                | "ro" | "se" | "si" | "sk" | "za",
            ) => EITHER,
            (Self::English | Self::Japanese, _) => POINT,
            (
                Self::Spanish,
                "419" | "br" | "bz" | "cu" | "do" | "gt" | "hn" | "mx" | "ni" | "pa" | "pe" | "pr" | "sv" | "us",
            ) => POINT,
            _ => COMMA,
        }
    }
}

/// An unsigned number with this decimal sign.
pub fn number(text: &str, decimal: char) -> Option<Decimal> {
    let (whole, fraction) = match text.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let whole = ungrouped(whole)?;
    match fraction {
        Some(fraction) if !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit()) => {
            Decimal::from_str_exact(&format!("{whole}.{fraction}")).ok()
        }
        Some(_) => None,
        None => Decimal::from_str_exact(&whole).ok(),
    }
}

/// Digits without their group signs. Groups have three digits, the first has one to three and does
/// not begin with 0, and all signs are the same. In
/// India, the groups before the last have two digits (`1,00,000`).
fn ungrouped(text: &str) -> Option<String> {
    let mut signs = text.chars().filter(|sign| !sign.is_ascii_digit());
    let Some(sign) = signs.next() else { return (!text.is_empty()).then(|| text.to_owned()) };
    let is_group_sign = matches!(sign, ',' | '.' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '\'' | '’');
    if !is_group_sign || signs.any(|other| other != sign) {
        return None;
    }
    let groups: Vec<usize> = text.split(sign).map(str::len).collect();
    let [first, between @ .., 3] = groups.as_slice() else { return None };
    if text.starts_with('0') {
        return None;
    }
    let is_thousands = matches!(first, 1..=3) && between.iter().all(|length| *length == 3);
    let is_lakh =
        sign == ',' && matches!(first, 1..=2) && !between.is_empty() && between.iter().all(|length| *length == 2);
    (is_thousands || is_lakh).then(|| text.replace(sign, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locale(tag: &str) -> Locale {
        Locale::from_tag(tag).unwrap()
    }

    #[test]
    fn numbers_are_read_in_the_way_of_their_language_or_not_at_all() {
        for (tag, text, number) in [
            ("en-gb", "6,024.42", "6024.42"),
            ("en", "14.35", "14.35"),
            ("en", "1,234,567.50", "1234567.50"),
            ("en", "7", "7"),
            ("de", "6.024,42", "6024.42"),
            ("de", "6.024", "6024"),
            ("de-ch", "6’024.42", "6024.42"),
            ("fr", "6\u{202f}024,42", "6024.42"),
            ("nl", "6.024,42", "6024.42"),
            ("es", "6.024,42", "6024.42"),
            ("es-mx", "6,024.42", "6024.42"),
            ("it", "6.024,42", "6024.42"),
            ("it-ch", "6’024.42", "6024.42"),
            ("pl", "6\u{a0}024,42", "6024.42"),
            ("pt-br", "6.024,42", "6024.42"),
            ("pt-pt", "6\u{a0}024,42", "6024.42"),
            ("ja", "6,024", "6024"),
            ("fr-ch", "6\u{202f}024,42", "6024.42"),
            ("fr-ch", "6’024.42", "6024.42"),
            ("fr-ca", "6\u{a0}024,42", "6024.42"),
            ("en-za", "6\u{a0}024,42", "6024.42"),
            ("en-za", "6,024.42", "6024.42"),
            ("en-in", "1,00,000.00", "100000.00"),
            ("en", "12,34,56,789", "123456789"),
            ("en", "6\u{2009}024.42", "6024.42"),
        ] {
            assert_eq!(locale(tag).number(text), Some(number.parse().unwrap()), "{tag} {text}");
        }
        for (tag, text) in [
            ("en", "6.024,42"),
            ("en", "24,42"),
            ("en", "1,2345"),
            ("en", ""),
            ("en", "."),
            ("en", "1."),
            ("en", ",123"),
            ("en", "1,234 567"),
            ("en", "1-2"),
            ("de", "6,024.42"),
            ("de", "24.42"),
            ("en", "99999999999999999999999999999999999.00"),
            ("en", "٣"),
            ("en", "６"),
            ("en", "1,00,00"),
            ("en", "100,00,000"),
            ("en", "1,000,00,000"),
            ("de", "1.00.000,00"),
            ("en-za", "1,234"),
            ("en", "0,123"),
            ("pl", "1 234\u{a0}567,00"),
        ] {
            assert_eq!(locale(tag).number(text), None, "{tag} {text}");
        }
    }

    #[test]
    fn a_language_that_is_not_read_is_said_to_be_so() {
        assert_eq!(Locale::from_tag("tr"), None);
        assert_eq!(Locale::from_tag(""), None);
        assert_eq!(Locale::from_tag("EN_GB"), Locale::from_tag("en-gb"));
        assert_eq!(Locale::KNOWN.split(", ").filter_map(Locale::from_tag).count(), 9);
    }
}
