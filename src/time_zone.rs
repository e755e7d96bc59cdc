//! Time zones: on which day, in which month and at what time a purchase was made. Zones are those of IANA, so that the same
//! name means the same everywhere.

use chrono::{DateTime, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _, Utc};
use ordersync_values::zone::Tz;

use crate::errors::{Error, Result};

const NOON: NaiveTime = NaiveTime::from_hms_opt(12, 0, 0).expect("a time of day");

/// The time zone in which the days and times of purchases are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeZone {
    Named(Tz),
    /// That of this machine, which has no name.
    Unnamed,
}

impl TimeZone {
    pub(crate) const UTC: Self = Self::Named(Tz::UTC);

    /// The zone of that name, given with a flag or a variable.
    pub(crate) fn named(source: &str, name: &str) -> Result<Self> {
        name.trim().parse().map(Self::of).map_err(|_| {
            Error::usage(format!("{source}: \"{name}\" is not a time zone."))
                .hint("Names are those of IANA: UTC, America/New_York, Europe/Berlin.")
        })
    }

    /// The zone of this machine: that of `TZ`, else the system's.
    pub(crate) fn of_machine(tz: Option<&str>) -> Result<Self> {
        let Some(text) = tz else {
            let name = iana_time_zone::get_timezone().ok();
            return Ok(match name.and_then(|name| name.parse().ok()) {
                Some(zone) => Self::of(zone),
                None if std::path::Path::new("/etc/localtime").exists() => Self::Unnamed,
                None => Self::UTC,
            });
        };
        let name = text.trim().trim_start_matches(':');
        if std::path::Path::new(name).is_absolute() && std::path::Path::new(name).is_file() || is_rule(name) {
            return Ok(name.parse().map_or(Self::Unnamed, Self::of));
        }
        Self::named("TZ", name)
    }

    fn of(zone: Tz) -> Self {
        let name = zone.name();
        let is_utc = matches!(name.strip_prefix("Etc/").unwrap_or(name), "UTC" | "UCT" | "Universal" | "Zulu");
        Self::Named(if is_utc { Tz::UTC } else { zone })
    }

    /// The zone of IANA, if it has a name.
    pub(crate) const fn iana(self) -> Option<Tz> {
        match self {
            Self::Named(zone) => Some(zone),
            Self::Unnamed => None,
        }
    }

    pub(crate) fn is_utc(self) -> bool {
        self == Self::UTC
    }

    /// Its name, for a heading.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Named(zone) => zone.name(),
            Self::Unnamed => "local time",
        }
    }

    /// A heading that names the zone, if it is not UTC.
    pub(crate) fn heading(self, text: &str) -> String {
        if self.is_utc() { text.to_owned() } else { format!("{text} ({})", self.name()) }
    }

    /// The time on the clocks of the zone. Many retailers report only the day, which is written as midnight or as noon in UTC. Such a
    /// day is the same in every zone, although the clocks of some show the day before or after then.
    pub(crate) fn time(self, at: DateTime<Utc>) -> NaiveDateTime {
        let local = match self {
            Self::Named(zone) => at.with_timezone(&zone).naive_local(),
            Self::Unnamed => at.with_timezone(&Local).naive_local(),
        };
        let is_midnight = at.time() == NaiveTime::MIN;
        if is_midnight || at.time() == NOON && local.date() != at.date_naive() { at.naive_utc() } else { local }
    }

    /// The day of a purchase.
    pub(crate) fn day(self, at: DateTime<Utc>) -> NaiveDate {
        self.time(at).date()
    }

    /// When a day begins: at midnight, or, if clocks are put forward then, at the first moment after it.
    pub(crate) fn start_of(self, day: NaiveDate) -> DateTime<Utc> {
        let earliest = |local: NaiveDateTime| match self {
            Self::Named(zone) => zone.from_local_datetime(&local).earliest().map(|at| at.to_utc()),
            Self::Unnamed => Local.from_local_datetime(&local).earliest().map(|at| at.to_utc()),
        };
        let midnight = day.and_time(NaiveTime::MIN);
        // An island that changed sides of the date line left out a whole day.
        let mut quarters = (0..=96).filter_map(|quarter| midnight.checked_add_signed(TimeDelta::minutes(15 * quarter)));
        quarters.find_map(earliest).unwrap_or_else(|| midnight.and_utc())
    }
}

/// Whether a text is a zone's rule (POSIX): `CET-1CEST,M3.5.0,M10.5.0/3` or `<+03>-3`.
fn is_rule(text: &str) -> bool {
    let rest = match text.strip_prefix('<') {
        Some(quoted) => quoted.split_once('>').map_or("", |(_, rest)| rest),
        None => {
            let rest = text.trim_start_matches(|one: char| one.is_ascii_alphabetic());
            if text.len() - rest.len() < 3 { "" } else { rest }
        }
    };
    rest.trim_start_matches(['+', '-']).starts_with(|one: char| one.is_ascii_digit())
}

/// The moment after the noon, in UTC, of the day before.
fn after_noon_before(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc() - TimeDelta::hours(12) + TimeDelta::microseconds(1)
}

/// The days on which what is wanted was bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Days {
    pub zone: TimeZone,
    /// The first.
    pub since: Option<NaiveDate>,
    /// The day after the last.
    pub until: Option<NaiveDate>,
}

impl Days {
    /// Whether a purchase was made on one of them.
    pub(crate) fn contain(&self, at: DateTime<Utc>) -> bool {
        let day = self.zone.day(at);
        self.since.is_none_or(|since| day >= since) && self.until.is_none_or(|until| day < until)
    }

    /// The moments between which all their purchases were made, days without a time included.
    pub(crate) fn moments(&self) -> (Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
        let first = |day: NaiveDate| self.zone.start_of(day).min(day.and_time(NaiveTime::MIN).and_utc());
        let last = |day: NaiveDate| self.zone.start_of(day).max(after_noon_before(day));
        (self.since.map(first), self.until.map(last))
    }

    /// Whether purchases of other days were made between these moments: far from UTC, where the days without a time are.
    pub(crate) fn are_fewer(&self) -> bool {
        let is_fewer = |day: NaiveDate| {
            let start = self.zone.start_of(day);
            start > day.and_time(NaiveTime::MIN).and_utc() || start < after_noon_before(day)
        };
        self.since.into_iter().chain(self.until).any(is_fewer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::named("TZ", name).expect("a zone")
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a moment")
    }

    fn day(text: &str) -> NaiveDate {
        text.parse().expect("a day")
    }

    #[test]
    fn a_purchase_has_one_day_and_a_day_without_a_time_is_the_same_everywhere() {
        let new_york = zone("America/New_York");
        assert_eq!(new_york.day(at("2026-01-01T04:30:00Z")), day("2025-12-31"));
        assert_eq!(new_york.day(at("2026-01-01T00:00:00Z")), day("2026-01-01"));
        assert_eq!(zone("Europe/Berlin").day(at("2025-12-31T23:30:00Z")), day("2026-01-01"));
        assert_eq!(zone("Europe/Berlin").time(at("2026-07-01T10:00:00Z")).to_string(), "2026-07-01 12:00:00");
        assert_eq!(zone("Asia/Tokyo").time(at("2026-07-01T12:00:00Z")).to_string(), "2026-07-01 21:00:00");
        assert_eq!(zone("Pacific/Auckland").time(at("2026-07-01T12:00:00Z")).to_string(), "2026-07-01 12:00:00");
        assert_eq!(zone("Pacific/Auckland").day(at("2026-07-01T12:00:01Z")), day("2026-07-02"));
    }

    #[test]
    fn days_are_the_same_for_a_filter_as_for_a_list() {
        let moments = [
            "2025-12-31T00:00:00Z",
            "2025-12-31T04:59:59Z",
            "2025-12-31T05:00:00Z",
            "2026-01-01T00:00:00Z",
            "2026-01-01T04:59:59Z",
            "2026-01-01T05:00:00Z",
            "2025-12-31T22:59:59Z",
            "2025-12-31T23:00:00Z",
            "2025-12-30T11:59:59Z",
            "2025-12-30T12:00:00Z",
            "2025-12-31T12:00:00Z",
            "2025-12-31T12:00:01Z",
            "2026-01-01T12:00:00Z",
        ];
        for name in
            ["America/New_York", "Europe/Berlin", "UTC", "Pacific/Auckland", "Pacific/Kiritimati", "Pacific/Pago_Pago"]
        {
            let zone = zone(name);
            for limit in ["2025-12-31", "2026-01-01"] {
                for (since, until) in [(Some(day(limit)), None), (None, Some(day(limit)))] {
                    let days = Days { zone, since, until };
                    let (from, to) = days.moments();
                    for moment in moments.map(at) {
                        let is_asked = from.is_none_or(|from| moment >= from) && to.is_none_or(|to| moment < to);
                        let is_taken = is_asked && (!days.are_fewer() || days.contain(moment));
                        assert_eq!(is_taken, days.contain(moment), "{name} {since:?} {until:?} {moment}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_day_begins_at_its_midnight_or_after_the_gap() {
        assert_eq!(zone("America/New_York").start_of(day("2026-01-01")), at("2026-01-01T05:00:00Z"));
        // Clocks were put forward at midnight.
        assert_eq!(zone("America/Havana").start_of(day("2026-03-08")), at("2026-03-08T05:00:00Z"));
        // There was no such day.
        assert_eq!(zone("Pacific/Apia").start_of(day("2011-12-30")), at("2011-12-30T10:00:00Z"));
    }

    #[test]
    fn what_is_no_zone_is_refused_and_utc_has_one_name() {
        for text in ["Nowhere/Bad", "", "UT", "Europe", "12", "<+03", "CEST"] {
            assert!(TimeZone::of_machine(Some(text)).is_err(), "{text:?}");
        }
        assert!(TimeZone::of_machine(Some("Zulu")).is_ok_and(TimeZone::is_utc));
        assert_eq!(TimeZone::of_machine(Some(":Europe/Berlin")).ok(), Some(zone("Europe/Berlin")));
        for rule in ["CET-1CEST,M3.5.0,M10.5.0/3", "<+03>-3"] {
            assert_eq!(TimeZone::of_machine(Some(rule)).ok(), Some(TimeZone::Unnamed), "{rule}");
        }
    }
}
