//! Dates of `--since` and `--until` as people say them: `2026-06`, `yesterday`, `30d`. A bound is the beginning of what is
//! named, in the time zone; relative ones count back from today in it by this machine's clock. Both are documented.

use chrono::{DateTime, Datelike as _, Months, NaiveDate, Utc};
use ordersync_api::timestamp::parse_date_bound;

use crate::cli::orders::FilterArgs;
use crate::client::OrderFilter;
use crate::clock;
use crate::errors::{Error, Hint, Result, say};
use crate::time_zone::{Days, TimeZone};

/// What can be written, for errors.
const FORMS: [Hint; 3] = [
    say("Dates: 2025-10-16, a month 2026-06, a year 2026, today, yesterday."),
    say("How long ago, in days, weeks, months or years: 30d, 2w, 3m, 1y."),
    say("Times: 2025-10-16T13:50:00Z; those without a zone are in UTC."),
];

/// The filter with relative dates replaced by the dates that they mean today, so that whatever resumes or repeats
/// this command reads the same period, even tomorrow.
pub(super) fn resolved(filter: &FilterArgs, zone: TimeZone) -> Result<FilterArgs> {
    let today = zone.day(clock::now());
    let one = |flag: &str, text: &Option<String>| text.as_deref().map(|text| date(flag, text, today)).transpose();
    let filter =
        FilterArgs { since: one("--since", &filter.since)?, until: one("--until", &filter.until)?, ..filter.clone() };
    bounds(&filter, zone)?;
    Ok(filter)
}

/// The moment at which the period that a flag gives begins, in UTC.
pub(in crate::commands) fn beginning(flag: &str, text: &str) -> Result<DateTime<Utc>> {
    let date = date(flag, text, clock::now().date_naive())?;
    parse_date_bound(&date).map_err(|why| Error::usage(format!("{flag}: {why}.")).hint(FORMS))
}

/// Whether the period is another one tomorrow.
pub(super) fn is_relative(filter: &FilterArgs) -> bool {
    let today = clock::now().date_naive();
    let is_relative = |text: &String| matches!(read(text, today), Some(ParsedDate::Day { relative: true, .. }));
    filter.since.iter().chain(&filter.until).any(is_relative)
}

/// The moments that a resolved filter means; its retailer is looked up elsewhere.
pub(super) fn bounds(filter: &FilterArgs, zone: TimeZone) -> Result<OrderFilter> {
    let moment = |text: &Option<String>| {
        let moment = text.as_deref().map(parse_date_bound).transpose();
        moment.map_err(|why| Error::usage(format!("{why}.")).hint(FORMS))
    };
    let day = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<NaiveDate>().ok());
    let days = Days { zone, since: day(&filter.since), until: day(&filter.until) };
    let (first, last) = days.moments();
    let (since, until) = (first.or(moment(&filter.since)?), last.or(moment(&filter.until)?));
    let is_empty = match (days.since, days.until) {
        (Some(from), Some(to)) => from >= to,
        _ => since.zip(until).is_some_and(|(from, to)| from >= to),
    };
    if is_empty {
        return Err(Error::usage("--since is not before --until, so no date is between them.")
            .hint("--since is inclusive, --until is exclusive: for one day, name the next day with --until."));
    }
    let days = days.are_fewer().then_some(days);
    Ok(OrderFilter { since, until, days, ..OrderFilter::default() })
}

/// A date as the service takes it.
fn date(flag: &str, text: &str, today: NaiveDate) -> Result<String> {
    match read(text, today) {
        Some(ParsedDate::Moment) => Ok(text.trim().to_owned()),
        Some(ParsedDate::Day { day, .. }) => Ok(day.format("%Y-%m-%d").to_string()),
        None => Err(Error::usage(format!("{flag}: \"{text}\" is not a valid date.")).hint(FORMS)),
    }
}

enum ParsedDate {
    /// A date or time that the service takes as it is.
    Moment,
    /// The beginning of this day.
    Day { day: NaiveDate, relative: bool },
}

fn read(text: &str, today: NaiveDate) -> Option<ParsedDate> {
    let text = text.trim();
    if parse_date_bound(text).is_ok() {
        return Some(ParsedDate::Moment);
    }
    if let Some(day) = month_or_year(text) {
        return Some(ParsedDate::Day { day, relative: false });
    }
    let day = match text.to_lowercase().as_str() {
        "today" => Some(today),
        "yesterday" => today.checked_sub_days(chrono::Days::new(1)),
        text => ago(text, today),
    };
    day.map(|day| ParsedDate::Day { day, relative: true })
}

/// `2026-06` or `2026`.
fn month_or_year(text: &str) -> Option<NaiveDate> {
    let (year, month) = text.split_once('-').unwrap_or((text, "01"));
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(year, 4) || !digits(month, 2) {
        return None;
    }
    NaiveDate::from_ymd_opt(year.parse().ok()?, month.parse().ok()?, 1)
}

/// `30d`, `2w`, `3m`, `1y`: that many days, weeks, months or years before today.
fn ago(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let unit = text.chars().last()?;
    let number = text.strip_suffix(unit)?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u32 = number.parse().ok()?;
    let day = match unit {
        'd' => today.checked_sub_days(chrono::Days::new(number.into())),
        'w' => today.checked_sub_days(chrono::Days::new(u64::from(number) * 7)),
        'm' => today.checked_sub_months(Months::new(number)),
        'y' => today.checked_sub_months(Months::new(number.checked_mul(12)?)),
        _ => None,
    };
    // A year before 1 cannot be written in four digits, and no service takes it.
    day.filter(|day| day.year() >= 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(today: &str, text: &str) -> Option<String> {
        date("--since", text, today.parse().expect("a day")).ok()
    }

    #[test]
    fn a_date_is_the_beginning_of_what_is_named() {
        let on = |text| on("2026-03-31", text);
        for (text, meant) in [
            ("2025-10-16", "2025-10-16"),
            ("2025-10-16T13:50:00+02:00", "2025-10-16T13:50:00+02:00"),
            ("2026-06", "2026-06-01"),
            ("2024", "2024-01-01"),
            ("today", "2026-03-31"),
            (" Yesterday ", "2026-03-30"),
            ("0d", "2026-03-31"),
            ("30d", "2026-03-01"),
            ("2W", "2026-03-17"),
            // The day that the month does not have is its last.
            ("1m", "2026-02-28"),
            ("3m", "2025-12-31"),
            ("1y", "2025-03-31"),
        ] {
            assert_eq!(on(text).as_deref(), Some(meant), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused_with_examples() {
        for text in [
            "",
            "d",
            "30",
            "-30d",
            "+30d",
            "3 d",
            "30x",
            "30dd",
            "1.5d",
            "2026-13",
            "2026-6",
            "26-06",
            "2026-02-30",
            "99999999999d",
            "4000000000d",
            "9000y",
            "4000000000m",
            "tomorrow",
            "16.10.2025",
            "３d",
            "ｄ",
        ] {
            assert_eq!(on("2026-03-31", text), None, "{text:?}");
        }
        let error = date("--until", "soon", NaiveDate::default()).expect_err("no date");
        assert!(error.hint_text().is_some_and(|hint| hint.contains("30d") && hint.contains("UTC")));
    }

    #[test]
    fn only_what_moves_with_the_clock_is_relative() {
        let is_relative =
            |since: &str| is_relative(&FilterArgs { since: Some(since.to_owned()), ..FilterArgs::default() });
        assert!(is_relative("30d") && is_relative("today") && is_relative("1y"));
        assert!(!is_relative("2026-01-01") && !is_relative("2026-06") && !is_relative("2026"));
    }
}
