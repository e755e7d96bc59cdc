//! How a language writes numbers and dates: the forms of Django's `DATETIME_FORMAT` and of Babel's currency format.
//!
//! Nothing is guessed: a text that is not wholly understood is no number, or no date.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use rust_decimal::Decimal;

/// A language that the connector reads, and the decimal sign of its region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) struct Locale {
    language: Language,
    decimal: char,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    English,
    German,
    French,
    Dutch,
}

impl Locale {
    /// The languages that are read, for messages.
    pub(in crate::connector) const KNOWN: &'static str = "en, de, fr, nl";

    /// The locale of a language tag such as `en-gb` (BCP 47); `None` for a language that is not read.
    pub(in crate::connector) fn from_tag(tag: &str) -> Option<Self> {
        let tag = tag.trim().to_ascii_lowercase().replace('_', "-");
        let mut parts = tag.split('-');
        let language = match parts.next()? {
            "en" => Language::English,
            "de" => Language::German,
            "fr" => Language::French,
            "nl" => Language::Dutch,
            _ => return None,
        };
        let swiss = parts.any(|part| part == "ch" || part == "li");
        let decimal = if language == Language::English || swiss { '.' } else { ',' };
        Some(Self { language, decimal })
    }

    /// An unsigned number such as `6,024.42`, `6.024,42` or `6 024,42`, to its last digit.
    pub(super) fn number(self, text: &str) -> Option<Decimal> {
        let (whole, fraction) = match text.split_once(self.decimal) {
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

    /// A date with its time, as the pages show it: `8 Oct 2025, 6:20 p.m.`, `Oct. 8, 2025, noon`, `8. Oktober 2025 18:20`.
    pub(super) fn date_time(self, text: &str) -> Option<NaiveDateTime> {
        let text = text.to_lowercase().replace(',', " ");
        let tokens: Vec<&str> = text.split_whitespace().collect();
        let [first, second, year, time @ ..] = tokens.as_slice() else { return None };
        let (day, month) = match (self.month(first), self.month(second)) {
            (None, Some(month)) => (first, month),
            (Some(month), None) => (second, month),
            _ => return None,
        };
        let day = short_number(day.trim_end_matches('.'))?;
        if year.len() != 4 || !year.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(NaiveDate::from_ymd_opt(year.parse().ok()?, month, day)?.and_time(time_of_day(time)?))
    }

    /// The month that a word names, from 1.
    fn month(self, word: &str) -> Option<u32> {
        let word = word.trim_end_matches('.');
        if self.language == Language::English && word == "sept" {
            return Some(9);
        }
        let index =
            self.language.months().iter().position(|month| {
                *month == word || (self.language == Language::English && month.get(..3) == Some(word))
            })?;
        u32::try_from(index + 1).ok()
    }
}

impl Language {
    const fn months(self) -> [&'static str; 12] {
        match self {
            Self::English => [
                "january",
                "february",
                "march",
                "april",
                "may",
                "june",
                "july",
                "august",
                "september",
                "october",
                "november",
                "december",
            ],
            Self::German => [
                "januar",
                "februar",
                "märz",
                "april",
                "mai",
                "juni",
                "juli",
                "august",
                "september",
                "oktober",
                "november",
                "dezember",
            ],
            Self::French => [
                "janvier",
                "février",
                "mars",
                "avril",
                "mai",
                "juin",
                "juillet",
                "août",
                "septembre",
                "octobre",
                "novembre",
                "décembre",
            ],
            Self::Dutch => [
                "januari",
                "februari",
                "maart",
                "april",
                "mei",
                "juni",
                "juli",
                "augustus",
                "september",
                "oktober",
                "november",
                "december",
            ],
        }
    }
}

/// Digits without their group signs; groups have three digits, the first has one to three, and one sign parts them all.
fn ungrouped(text: &str) -> Option<String> {
    let mut signs = text.chars().filter(|sign| !sign.is_ascii_digit());
    let Some(sign) = signs.next() else { return (!text.is_empty()).then(|| text.to_owned()) };
    let is_group_sign = matches!(sign, ',' | '.' | ' ' | '\u{a0}' | '\u{202f}' | '\'' | '’');
    if !is_group_sign || signs.any(|other| other != sign) {
        return None;
    }
    let mut groups = text.split(sign);
    let first = groups.next()?;
    (matches!(first.len(), 1..=3) && groups.all(|group| group.len() == 3)).then(|| text.replace(sign, ""))
}

/// Django's `P` (`6:20 p.m.`, `9 a.m.`, `noon`) or `H:i` (`18:20`).
fn time_of_day(tokens: &[&str]) -> Option<NaiveTime> {
    let (clock, half) = match tokens {
        ["midnight"] => return Some(NaiveTime::MIN),
        ["noon"] => return NaiveTime::from_hms_opt(12, 0, 0),
        [clock] => (clock, None),
        [clock, "a.m."] => (clock, Some(0)),
        [clock, "p.m."] => (clock, Some(12)),
        _ => return None,
    };
    let (hour, minute) = match (clock.split_once(':'), half) {
        (Some((hour, minute)), _) if minute.len() == 2 => (short_number(hour)?, short_number(minute)?),
        (None, Some(_)) => (short_number(clock)?, 0),
        _ => return None,
    };
    match half {
        None => NaiveTime::from_hms_opt(hour, minute, 0),
        Some(half) if (1..=12).contains(&hour) => NaiveTime::from_hms_opt(hour % 12 + half, minute, 0),
        Some(_) => None,
    }
}

/// A number of one or two digits.
fn short_number(text: &str) -> Option<u32> {
    (matches!(text.len(), 1 | 2) && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// The instant of a wall-clock time in the shop's zone. Of a time that the clock shows twice, the first; one that it
/// leaves out, as late after the gap as it would have been after the gap's beginning.
pub(super) fn instant(local: NaiveDateTime, zone: Tz) -> Option<DateTime<Utc>> {
    if let Some(found) = zone.from_local_datetime(&local).earliest() {
        return Some(found.to_utc());
    }
    // No gap is longer than a day; the offset that holds before it carries the time over it.
    let before = zone.from_local_datetime(&local.checked_sub_signed(TimeDelta::days(1))?).latest()?;
    Some((before + TimeDelta::days(1)).to_utc())
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
        ] {
            assert_eq!(locale(tag).number(text), None, "{tag} {text}");
        }
    }

    #[test]
    fn dates_are_read_in_every_form_that_django_gives_them() {
        for (tag, text, expected) in [
            ("en-gb", "8 Oct 2025, 6:20 p.m.", "2025-10-08T18:20"),
            ("en-gb", "6 Oct 2025, 12:31 a.m.", "2025-10-06T00:31"),
            ("en-gb", "9 Mar 2025, 12:05 p.m.", "2025-03-09T12:05"),
            ("en-gb", "9 Apr 2025, 9 a.m.", "2025-04-09T09:00"),
            ("en-gb", "9 Jan 2025, midnight", "2025-01-09T00:00"),
            ("en-gb", "29 Feb 2024, noon", "2024-02-29T12:00"),
            ("en", "Sept. 9, 2025, 2:20 p.m.", "2025-09-09T14:20"),
            ("en-us", "March 9, 2025, 11:59 p.m.", "2025-03-09T23:59"),
            ("de", "13. Oktober 2025 02:24", "2025-10-13T02:24"),
            ("de", "9. März 2025 00:05", "2025-03-09T00:05"),
            ("fr", "9 août 2025 23:59", "2025-08-09T23:59"),
            ("nl", "9 maart 2025 12:05", "2025-03-09T12:05"),
        ] {
            let expected = NaiveDateTime::parse_from_str(expected, "%Y-%m-%dT%H:%M").unwrap();
            assert_eq!(locale(tag).date_time(text), Some(expected), "{tag} {text}");
        }
        for (tag, text) in [
            ("en-gb", "8 Okt 2025, 6:20 p.m."),
            ("en-gb", "8 Oct 2025"),
            ("en-gb", "30 Feb 2025, noon"),
            ("en-gb", "8 Oct 2025, 13:20 p.m."),
            ("en-gb", "8 Oct 2025, 6:20 p.m. and more"),
            ("en-gb", "8 Oct 25, 6:20 p.m."),
            ("de", "8. October 2025 18:20"),
            ("de", "8. Oktober 2025 24:00"),
            ("fr", "08/10/2025 18:20"),
            ("nl", ""),
        ] {
            assert_eq!(locale(tag).date_time(text), None, "{tag} {text}");
        }
    }

    #[test]
    fn a_wall_clock_time_becomes_one_instant_even_where_the_clock_is_changed() {
        let at = |text: &str, zone: Tz| {
            instant(NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap(), zone).unwrap().to_rfc3339()
        };
        assert_eq!(at("2025-07-01T12:00", Tz::Europe__London), "2025-07-01T11:00:00+00:00");
        assert_eq!(at("2025-12-01T12:00", Tz::Europe__London), "2025-12-01T12:00:00+00:00");
        assert_eq!(at("2025-10-26T01:30", Tz::Europe__London), "2025-10-26T00:30:00+00:00", "shown twice: the first");
        assert_eq!(at("2025-03-30T01:30", Tz::Europe__London), "2025-03-30T01:30:00+00:00", "left out");
        assert_eq!(at("2011-12-30T10:00", Tz::Pacific__Apia), "2011-12-30T20:00:00+00:00", "a day left out");
    }

    #[test]
    fn a_language_that_is_not_read_is_said_to_be_so() {
        assert_eq!(Locale::from_tag("ja"), None);
        assert_eq!(Locale::from_tag(""), None);
        assert_eq!(Locale::from_tag("EN_GB"), Locale::from_tag("en-gb"));
    }
}
