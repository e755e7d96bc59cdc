//! Points in time on the wire: RFC 3339 with a zone; written in UTC. Texts of other services may have no zone, which means UTC.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, NaiveDate, NaiveTime, SecondsFormat, TimeDelta, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time. Written as `2025-10-16T13:50:00Z`, with a fraction only if it is not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(pub DateTime<Utc>);

impl Timestamp {
    /// Whether one of them may be the day of the other. A day is written as its noon, which is less than two days from each of
    /// its times, in every zone.
    pub fn is_near(self, other: Self) -> bool {
        (self.0 - other.0).abs() < TimeDelta::days(2)
    }

    /// Whether two sources may write one moment so: one of them without the fraction of the second, or as the noon of its day.
    pub fn may_be(self, other: Self) -> bool {
        let is_half_a_day_away = (self.0 - other.0).abs() <= TimeDelta::hours(12);
        self.0.timestamp() == other.0.timestamp() || is_half_a_day_away && self.may_be_noon() != other.may_be_noon()
    }

    /// Whether it is noon in a time zone: their offsets are multiples of a quarter of an hour.
    pub fn may_be_noon(self) -> bool {
        self.0.timestamp_subsec_nanos() == 0 && self.0.timestamp() % 900 == 0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

impl FromStr for Timestamp {
    type Err = chrono::ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let of_other_services = || {
            DateTime::parse_from_rfc3339(&format!("{text}Z"))
                .or_else(|_| DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f%z"))
        };
        let read = DateTime::parse_from_rfc3339(text);
        read.or_else(|why| of_other_services().map_err(|_| why)).map(|at| Self(at.with_timezone(&Utc)))
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(at: DateTime<Utc>) -> Self {
        Self(at)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let read = DateTime::parse_from_rfc3339(&text);
        read.map(|at| Self(at.with_timezone(&Utc))).map_err(|_| {
            let form = "a date and a time with its zone, as in RFC 3339 (2025-10-16T13:50:00Z)";
            serde::de::Error::custom(format_args!("\"{text}\" is not {form}"))
        })
    }
}

/// A date that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not an ISO 8601 date (2025-10-16) or date-time (2025-10-16T13:50:00Z)")]
pub struct UnreadableDate(pub String);

/// Parses a bound of a date filter: an ISO 8601 date, which means its midnight in UTC, or a date-time. A date-time
/// without a zone is in UTC, and its seconds may be omitted.
/// Fails if the text is neither.
pub fn parse_date_bound(text: &str) -> Result<DateTime<Utc>, UnreadableDate> {
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d")
        // chrono also accepts "2025-1-2"; ISO 8601 does not.
        && text.len() == 10
    {
        return Ok(date.and_time(NaiveTime::MIN).and_utc());
    }
    ["", "Z", ":00Z"]
        .iter()
        .find_map(|rest| format!("{text}{rest}").parse::<Timestamp>().ok())
        .map(|at| at.0)
        .ok_or_else(|| UnreadableDate(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_its_midnight_in_utc_and_a_zone_is_obeyed() {
        let text = |bound: &str| parse_date_bound(bound).map(|at| Timestamp(at).to_string()).ok();
        assert_eq!(text("2025-10-16").as_deref(), Some("2025-10-16T00:00:00Z"));
        assert_eq!(text("2025-10-16T15:50:00+02:00").as_deref(), Some("2025-10-16T13:50:00Z"));
        for bad in ["", "2025-1-2", "16.10.2025", "2025-02-30", "now"] {
            assert_eq!(text(bad), None, "{bad}");
        }
    }

    #[test]
    fn one_moment_may_be_written_without_its_fraction_or_as_its_day() {
        let may_be = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|text| text.parse::<Timestamp>().expect("a time"));
            assert_eq!(one.may_be(other), other.may_be(one));
            one.may_be(other)
        };
        let time = "2026-03-20T17:31:07.123Z";
        for other in [time, "2026-03-20T17:31:07Z", "2026-03-20T12:00:00Z", "2026-03-20T06:30:00Z"] {
            assert!(may_be(time, other), "{other}");
        }
        for other in ["2026-03-20T17:31:08Z", "2026-03-21T12:00:00Z", "2026-03-20T12:00:01Z"] {
            assert!(!may_be(time, other), "{other}");
        }
        assert!(!may_be("2026-03-20T12:00:00Z", "2026-03-21T12:00:00Z"), "two days are two refunds");
    }

    #[test]
    fn the_times_of_other_services_may_have_no_zone() {
        for text in ["2025-10-16T13:50:00", "2025-10-16T15:50:00+0200", "2025-10-16T13:50:00.000Z"] {
            assert_eq!(text.parse::<Timestamp>().map(|at| at.to_string()).as_deref(), Ok("2025-10-16T13:50:00Z"));
        }
        assert!("2025-10-16".parse::<Timestamp>().is_err() && "2025-10-16T13:50:00 x".parse::<Timestamp>().is_err());
        assert!(serde_json::from_str::<Timestamp>("\"2025-10-16T13:50:00\"").is_err(), "requests are of this contract");
    }

    #[test]
    fn a_date_time_without_a_zone_is_utc() {
        let text = |bound: &str| parse_date_bound(bound).map(|at| Timestamp(at).to_string()).ok();
        for bound in ["2025-10-16T13:50:00", "2025-10-16T13:50", "2025-10-16 13:50:00"] {
            assert_eq!(text(bound).as_deref(), Some("2025-10-16T13:50:00Z"), "{bound}");
        }
        // The output of Python's isoformat().
        assert_eq!(text("2025-10-16T13:50:00.250000").as_deref(), Some("2025-10-16T13:50:00.250Z"));
        for bad in
            ["2025-10-16T13", "2025-10-16T", "2025-10-16T25:00", "2025-10-16T13:50:00+02", "2025-10-16T13:50:00ZZ"]
        {
            assert_eq!(text(bad), None, "{bad}");
        }
    }
}
