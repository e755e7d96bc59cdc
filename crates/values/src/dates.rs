//! How a language writes a date, with its time or without: the forms of Django's `DATETIME_FORMAT` in the languages that are
//! read.
//!
//! Nothing is guessed: a text that is not wholly understood is not a date.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc};

use crate::zone::Tz;
use serde::Deserialize;

use crate::locale::{Language, Locale};

/// Far longer than any date.
const MAX_BYTES: usize = 200;

/// In which order a date of numbers alone is written. ISO 8601 (`2025-10-08`) is always read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumericDates {
    /// `08/10/2025`, with a slash, a point or a hyphen.
    DayFirst,
    /// `10/08/2025`.
    MonthFirst,
    /// It is not known: no such date is read.
    Unknown,
}

impl NumericDates {
    /// The other order.
    pub const fn turned(self) -> Self {
        match self {
            Self::DayFirst => Self::MonthFirst,
            Self::MonthFirst => Self::DayFirst,
            Self::Unknown => Self::Unknown,
        }
    }
}

impl Locale {
    /// A date with its time, as the pages show it: `8 Oct 2025, 6:20 p.m.`, `Oct. 8, 2025, noon`, `8. Oktober 2025 18:20`,
    /// `8 de octubre de 2025 a las 18:20`, `Mercoledì 08 Ottobre 2025 18:20`, `2025年10月8日18:20`.
    pub fn date_time(self, text: &str) -> Option<NaiveDateTime> {
        if text.len() > MAX_BYTES {
            return None;
        }
        if self.language == Language::Japanese {
            let (date, time) = japanese(text)?;
            return Some(date.and_time(time_of_day(self.language, &[time])?));
        }
        let text = text.to_lowercase().replace(',', " ");
        let tokens: Vec<&str> = text.split_whitespace().collect();
        let (date, is_long, rest) = self.leading_date(&tokens)?;
        let time = match (self.language, is_long, rest) {
            (Language::Spanish, true, ["a", "las", time @ ..]) | (Language::Portuguese, true, ["às", time @ ..]) => {
                time
            }
            (_, false, time) => time,
            _ => return None,
        };
        Some(date.and_time(time_of_day(self.language, time)?))
    }

    /// A date without a time: the same forms, ISO 8601, and numbers in the order that is known.
    pub fn day(self, text: &str, numeric: NumericDates) -> Option<NaiveDate> {
        let text = text.trim();
        if text.len() > MAX_BYTES {
            return None;
        }
        if let Some(day) = numeric_day(text, numeric) {
            return Some(day);
        }
        if self.language == Language::Japanese {
            return japanese(text).filter(|(_, rest)| rest.is_empty()).map(|(day, _)| day);
        }
        let text = text.to_lowercase().replace(',', " ");
        let tokens: Vec<&str> = text.split_whitespace().collect();
        let (date, _, rest) = self.leading_date(&tokens)?;
        rest.is_empty().then_some(date)
    }

    /// The date that a text begins with, whether it is the long form (`8 de octubre de 2025`), and the rest of the text. A
    /// weekday before it has to be right.
    fn leading_date<'t, 'a>(self, tokens: &'t [&'a str]) -> Option<(NaiveDate, bool, &'t [&'a str])> {
        let weekday = self.language.weekdays().iter().position(|day| tokens.first() == Some(day));
        let tokens = if weekday.is_some() { tokens.get(1..)? } else { tokens };
        let (date, is_long, rest) = match (self.language, tokens) {
            (Language::Spanish | Language::Portuguese, [day, "de", month, "de", year, rest @ ..]) => {
                ([*day, month, year], true, rest)
            }
            (_, [day, month, year, rest @ ..]) => ([*day, month, year], false, rest),
            _ => return None,
        };
        let date = self.date(date)?;
        let fits = weekday.is_none_or(|weekday| date.weekday().num_days_from_monday() as usize == weekday);
        fits.then_some((date, is_long, rest))
    }

    fn date(self, [first, second, year]: [&str; 3]) -> Option<NaiveDate> {
        let (day, month) = match (self.month(first), self.month(second)) {
            (None, Some(month)) => (first, month),
            (Some(month), None) => (second, month),
            _ => return None,
        };
        let day = short_number(day.trim_end_matches('.'))?;
        NaiveDate::from_ymd_opt(four_digits(year)?, month, day)
    }

    /// The month that a word names, from 1.
    fn month(self, word: &str) -> Option<u32> {
        let word = word.trim_end_matches('.');
        match (self.language, word) {
            (Language::English, "sept") | (Language::Spanish, "set" | "setiembre") => return Some(9),
            _ => {}
        }
        let is_short = |month: &str| month.get(..3) == Some(word);
        let has_short = matches!(self.language, Language::English | Language::Spanish);
        let months = self.language.months();
        let index = months.iter().position(|month| *month == word || (has_short && is_short(month)))?;
        u32::try_from(index + 1).ok()
    }
}

impl Language {
    /// As in a date: in Polish, in the genitive.
    #[rustfmt::skip]
    const fn months(self) -> &'static [&'static str] {
        match self {
            Self::English => &["january", "february", "march", "april", "may", "june", "july", "august", "september",
                "october", "november", "december"],
            Self::German => &["januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september",
                "oktober", "november", "dezember"],
            Self::French => &["janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
                "octobre", "novembre", "décembre"],
            Self::Dutch => &["januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september",
                "oktober", "november", "december"],
            Self::Spanish => &["enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
                "octubre", "noviembre", "diciembre"],
            Self::Italian => &["gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto",
                "settembre", "ottobre", "novembre", "dicembre"],
            Self::Polish => &["stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia",
                "września", "października", "listopada", "grudnia"],
            Self::Portuguese => &["janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto",
                "setembro", "outubro", "novembro", "dezembro"],
            Self::Japanese => &[],
        }
    }

    /// From Monday; none for a language whose dates have none.
    const fn weekdays(self) -> &'static [&'static str] {
        match self {
            Self::Italian => &["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"],
            _ => &[],
        }
    }
}

/// `2025年10月8日18:20`: the date, and the text after it.
fn japanese(text: &str) -> Option<(NaiveDate, &str)> {
    let (year, rest) = text.split_once('年')?;
    let (month, rest) = rest.split_once('月')?;
    let (day, rest) = rest.split_once('日')?;
    let date =
        NaiveDate::from_ymd_opt(four_digits(year.trim())?, short_number(month.trim())?, short_number(day.trim())?)?;
    Some((date, rest.trim()))
}

/// A date of numbers alone.
fn numeric_day(text: &str, numeric: NumericDates) -> Option<NaiveDate> {
    let sign = text.chars().find(|sign| matches!(sign, '/' | '.' | '-'))?;
    let parts: Vec<&str> = text.split(sign).collect();
    let [first, second, third] = parts.as_slice() else { return None };
    let (year, month, day) = match numeric {
        _ if sign == '-' && first.len() == 4 => (first, second, third),
        NumericDates::DayFirst => (third, second, first),
        NumericDates::MonthFirst => (third, first, second),
        NumericDates::Unknown => return None,
    };
    NaiveDate::from_ymd_opt(four_digits(year)?, short_number(month)?, short_number(day)?)
}

/// Django's `P` (`6:20 p.m.`, `9 a.m.`, `noon`) or `H:i` (`18:20`).
fn time_of_day(language: Language, tokens: &[&str]) -> Option<NaiveTime> {
    let (clock, half) = match (language, tokens) {
        (_, ["midnight"]) => return Some(NaiveTime::MIN),
        (_, ["noon"]) => return NaiveTime::from_hms_opt(12, 0, 0),
        (Language::French, [hour, "h", minute]) => return two_digits(hour, minute),
        // Canadian French in Django: its format says `H h i`, and the `h` in it is the hour once more, of twelve.
        (Language::French, [hour, half_hour, minute]) => {
            let time = two_digits(hour, minute)?;
            return (short_number(half_hour)? == (short_number(hour)? + 11) % 12 + 1).then_some(time);
        }
        (_, [clock]) => (clock, None),
        (_, [clock, "a.m." | "am"]) => (clock, Some(0)),
        (_, [clock, "p.m." | "pm"]) => (clock, Some(12)),
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

fn two_digits(hour: &str, minute: &str) -> Option<NaiveTime> {
    if hour.len() != 2 || minute.len() != 2 {
        return None;
    }
    NaiveTime::from_hms_opt(short_number(hour)?, short_number(minute)?, 0)
}

/// A number of one or two digits.
fn short_number(text: &str) -> Option<u32> {
    (matches!(text.len(), 1 | 2) && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn four_digits(text: &str) -> Option<i32> {
    (text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// The instant of a wall-clock time in the shop's zone. Of a time that the clock shows twice, the first; one that it
/// leaves out, as late after the gap as it would have been after the gap's beginning.
pub fn instant(local: NaiveDateTime, zone: Tz) -> Option<DateTime<Utc>> {
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
            ("es", "8 de octubre de 2025 a las 18:20", "2025-10-08T18:20"),
            ("es-mx", "8 de Octubre de 2025 a las 18:20", "2025-10-08T18:20"),
            ("es-ar", "8 Set. 2025 18:05", "2025-09-08T18:05"),
            ("es-ar", "8 Dic. 2025 18:05", "2025-12-08T18:05"),
            ("it", "Mercoledì 08 Ottobre 2025 18:20", "2025-10-08T18:20"),
            ("pl", "8 października 2025 18:20", "2025-10-08T18:20"),
            ("pt-br", "8 de Março de 2025 às 00:05", "2025-03-08T00:05"),
            ("ja", "2025年1月8日0:05", "2025-01-08T00:05"),
            ("ja", "2025年10月18日18:05", "2025-10-18T18:05"),
            ("ja", "2025年 10月 18日 18:05", "2025-10-18T18:05"),
            ("fr-ca", "8 août 2025, 18\u{a0}06\u{a0}05", "2025-08-08T18:05"),
            ("fr-ca", "8 août 2025, 00\u{a0}12\u{a0}05", "2025-08-08T00:05"),
            ("fr-ca", "8 août 2025, 18\u{a0}h\u{a0}05", "2025-08-08T18:05"),
            ("en", "Oct. 8, 2025, 6:20 PM", "2025-10-08T18:20"),
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
            ("it", "Lunedì 08 Ottobre 2025 18:20"),
            ("es", "8 de octubre de 2025 18:20"),
            ("es", "8 de octubre de 2025 a las"),
            ("pl", "8 październik 2025 18:20"),
            ("fr-ca", "8 août 2025, 18\u{a0}07\u{a0}05"),
            ("ja", "2025年10月8日"),
            ("ja", "2 025年1 0月8日18:20"),
            ("ja", "令和7年10月8日18:20"),
            ("ja", "２０２５年１０月８日１８:２０"),
        ] {
            assert_eq!(locale(tag).date_time(text), None, "{tag} {text}");
        }
    }

    #[test]
    fn a_date_without_a_time_is_read_and_one_of_numbers_only_in_the_order_that_is_known() {
        use NumericDates::{DayFirst, MonthFirst, Unknown};
        for (tag, text, numeric, expected) in [
            ("en", "August 18, 2023", Unknown, Some("2023-08-18")),
            ("en-gb", "18 Aug 2023", Unknown, Some("2023-08-18")),
            ("de", "18. August 2023", Unknown, Some("2023-08-18")),
            ("es", "18 de agosto de 2023", Unknown, Some("2023-08-18")),
            ("it", "Venerdì 18 Agosto 2023", Unknown, Some("2023-08-18")),
            ("ja", " 2023年8月18日 ", Unknown, Some("2023-08-18")),
            ("en", "2023-08-18", Unknown, Some("2023-08-18")),
            ("en", "18/08/2023", DayFirst, Some("2023-08-18")),
            ("de", "18.8.2023", DayFirst, Some("2023-08-18")),
            ("en", "08/09/2023", MonthFirst, Some("2023-08-09")),
            ("en", "08/09/2023", Unknown, None),
            ("en", "08/18/2023", DayFirst, None),
            ("en", "18/08/23", DayFirst, None),
            ("en", "18/08.2023", DayFirst, None),
            ("en", "2023/08/18", DayFirst, None),
            ("en", "August 18, 2023, noon", Unknown, None),
            ("it", "Lunedì 18 Agosto 2023", Unknown, None),
            ("ja", "2023年8月18日18:20", Unknown, None),
            ("en", "", DayFirst, None),
        ] {
            let expected = expected.map(|day| day.parse().unwrap());
            assert_eq!(locale(tag).day(text, numeric), expected, "{tag} {text}");
        }
    }

    #[test]
    fn a_wall_clock_time_becomes_one_instant_even_where_the_clock_is_changed() {
        let at = |text: &str, zone: &str| {
            let zone: Tz = zone.parse().unwrap();
            instant(NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap(), zone).unwrap().to_rfc3339()
        };
        assert_eq!(at("2025-07-01T12:00", "Europe/London"), "2025-07-01T11:00:00+00:00");
        assert_eq!(at("2025-12-01T12:00", "Europe/London"), "2025-12-01T12:00:00+00:00");
        assert_eq!(at("2025-10-26T01:30", "Europe/London"), "2025-10-26T00:30:00+00:00", "shown twice: the first");
        assert_eq!(at("2025-03-30T01:30", "Europe/London"), "2025-03-30T01:30:00+00:00", "left out");
        assert_eq!(at("2011-12-30T10:00", "Pacific/Apia"), "2011-12-30T20:00:00+00:00", "a day left out");
    }
}
