//! When an order was placed: by a text, by `<time datetime>`, or by both, which then have to agree.

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use ordersync_values::zone::Tz;
use scraper::ElementRef;

use super::check::{Check, Failure};
use super::dates::{NumericDates, instant};
use super::locale::Locale;
use super::text::{quoted, selector};

/// Years in which an order may have been placed.
const YEARS: std::ops::RangeInclusive<i32> = 1990..=2199;

/// How the list of a platform shows when an order was placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) enum DateShown {
    /// A text with a date and a time, in the shop's zone. Each `<time datetime>` with an offset has to name the same minute.
    TextWithTime,
    /// `<time datetime>`, whose offset is right. The text has to name the same day.
    Instant,
    /// `<time datetime>`, whose time is that of the shop's clock, whether its offset is the shop's or `+00:00`. The text has to
    /// name the same day.
    ShopClock,
    /// A text with a date and no time.
    Day(NumericDates),
}

/// When an order was placed. Only what a list says becomes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::connector) struct Placed(DateTime<Utc>);

impl Placed {
    /// Reads a cell of the list, of which these words are the date. `zone`: the shop's.
    ///
    /// An order of a day without a time counts as placed at noon: its day is then the same in most other zones.
    /// Fails if there is no date that is wholly understood, or if there are two.
    pub(in crate::connector) fn read_words(
        cell: ElementRef<'_>,
        words: &str,
        shown: DateShown,
        locale: Locale,
        zone: Tz,
    ) -> Result<Self, Failure> {
        let unreadable = || Failure::new(Check::ListPage, unreadable(words, shown));
        let at = match shown {
            DateShown::TextWithTime => {
                let at = locale.date_time(words).and_then(|local| instant(local, zone)).ok_or_else(unreadable)?;
                if agrees_with_instant(cell, at) { Ok(at) } else { Err(differs()) }
            }
            DateShown::Day(numeric) => locale
                .day(words, numeric)
                .and_then(|day| instant(day.and_time(NaiveTime::from_hms_opt(12, 0, 0)?), zone))
                .ok_or_else(unreadable),
            DateShown::Instant | DateShown::ShopClock => {
                let at = stamp(cell, shown == DateShown::ShopClock, zone)?.ok_or_else(unreadable)?;
                let day = at.with_timezone(&zone).date_naive();
                if names_day(words, day, NumericDates::Unknown, locale) { Ok(at) } else { Err(differs()) }
            }
        };
        // No shop had orders on the web before, and a year of four digits may still be mistyped.
        at.and_then(|at| if YEARS.contains(&at.year()) { Ok(Self(at)) } else { Err(unreadable()) })
    }

    /// The same for a cell whose `<time datetime>` alone is the date, because its words are none: "2 years ago". The page of
    /// the order has to say the day.
    /// Fails as [`Placed::read_words`], and if the words may be a date.
    pub(in crate::connector) fn read_stamp(
        cell: ElementRef<'_>,
        words: &str,
        locale: Locale,
        zone: Tz,
    ) -> Result<Self, Failure> {
        let has_year = words.split(|sign: char| !sign.is_ascii_digit()).any(|digits| digits.len() > 2);
        let is_date = has_year || locale.day(words, NumericDates::Unknown).is_some();
        let at = stamp(cell, true, zone)?.filter(|at| YEARS.contains(&at.year()));
        if is_date {
            return Err(differs());
        }
        let unreadable = || Failure::new(Check::ListPage, unreadable(words, DateShown::ShopClock));
        at.map(Self).ok_or_else(unreadable)
    }

    /// A time that JSON names. `None`: no order can be of that time.
    pub(in crate::connector) fn of(at: DateTime<Utc>) -> Option<Self> {
        YEARS.contains(&at.year()).then_some(Self(at))
    }

    /// Whether a text names another day. `numeric`: as the list writes dates.
    pub(in crate::connector) fn is_contradicted_by(
        self,
        words: &str,
        numeric: NumericDates,
        locale: Locale,
        zone: Tz,
    ) -> bool {
        let has_number = words.contains(|sign: char| sign.is_ascii_digit());
        has_number && !names_day(words, self.day(zone), numeric, locale)
    }

    /// The day in the shop's zone.
    pub(in crate::connector) fn day(self, zone: Tz) -> NaiveDate {
        self.0.with_timezone(&zone).date_naive()
    }

    pub(in crate::connector) const fn at(self) -> DateTime<Utc> {
        self.0
    }

    /// Seconds since 1970.
    pub(in crate::connector) const fn seconds(self) -> i64 {
        self.0.timestamp()
    }

    /// One that was read, out of the state of the sync.
    pub(super) fn kept(seconds: i64) -> Option<Self> {
        DateTime::from_timestamp(seconds, 0).map(Self)
    }
}

/// What is said of a text that is no date, with the key of a recipe that may help.
fn unreadable(words: &str, shown: DateShown) -> String {
    let is_numeric = !words.contains(char::is_alphabetic) && words.contains(|sign: char| sign.is_ascii_digit());
    let why = match shown {
        DateShown::Day(NumericDates::Unknown) if is_numeric => {
            "`list.numeric_dates` of the recipe has to say whether the day or the month comes first."
        }
        DateShown::Day(_) => "it has to be a day without a time, in the language of the page or of `locale`.",
        DateShown::TextWithTime => "it has to be a day with a time, in the language of the page or of `locale`.",
        DateShown::Instant | DateShown::ShopClock => "its cell has to have one `<time datetime>`, with an offset.",
    };
    format!("the date of an order, {}, cannot be read: {why}", quoted(words))
}

fn differs() -> Failure {
    Failure::new(Check::ListPage, "the date of an order is given twice, and differently. Is `time_zone` right?")
}

/// The one `<time datetime>` of a cell; `None`: there is no such one that can be read.
fn stamp(cell: ElementRef<'_>, is_shop_clock: bool, zone: Tz) -> Result<Option<DateTime<Utc>>, Failure> {
    let mut stamps = cell.select(selector!("time[datetime]")).filter_map(|time| time.attr("datetime"));
    let (Some(stamp), None) = (stamps.next(), stamps.next()) else { return Ok(None) };
    let Ok(stamp) = DateTime::parse_from_rfc3339(stamp.trim()) else { return Ok(None) };
    if is_shop_clock && stamp.offset().local_minus_utc() == 0 {
        return Ok(instant(stamp.naive_local(), zone));
    }
    let at = stamp.to_utc();
    if is_shop_clock && at.with_timezone(&zone).naive_local() != stamp.naive_local() {
        return Err(differs());
    }
    Ok(Some(at))
}

/// Whether a text names this day. One in a form that is not read has to have the numbers of its day and year at least.
fn names_day(text: &str, day: NaiveDate, numeric: NumericDates, locale: Locale) -> bool {
    if let Some(named) = locale.day(text, numeric) {
        return named == day;
    }
    let numbers: Vec<i64> =
        text.split(|sign: char| !sign.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect();
    let year = i64::from(day.year());
    numbers.contains(&i64::from(day.day())) && (numbers.contains(&year) || numbers.contains(&(year % 100)))
}

/// Whether each `<time datetime>` in a cell names the same minute. One without a zone is not compared.
fn agrees_with_instant(cell: ElementRef<'_>, read: DateTime<Utc>) -> bool {
    cell.select(selector!("time[datetime]")).filter_map(|time| time.attr("datetime")).all(|stated| {
        match DateTime::parse_from_rfc3339(stated.trim()) {
            Ok(stated) => (stated.to_utc() - read).num_seconds().abs() < 60,
            Err(_) => stated.trim().parse::<NaiveDateTime>().is_ok() || !stated.contains('T'),
        }
    })
}
