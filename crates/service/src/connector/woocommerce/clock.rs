//! The shop's clock, as WordPress gives it to programs: `/wp-json/`. The pages show its times without a zone, so a wrong
//! `time_zone` would give every order a wrong date that looks right.

use chrono::{Datelike as _, FixedOffset, NaiveDate, Offset as _, TimeZone as _};
use ordersync_api::SyncErrorCode;
use ordersync_values::zone::Tz;
use serde_json::Value;
use url::Url;

use crate::connector::ConnectorError;
use crate::connector::egress::{Egress, Request, Visitor};
use crate::connector::kit::turn::Turn;

/// Only what is read of it: all of it takes hundreds of kilobytes. Versions that do not know the parameter give all.
const SITE: &str = "wp-json/?_fields=timezone_string,gmt_offset";
/// The years whose offsets are compared. WooCommerce is of 2011, and rules of zones are published up to 2037.
const FIRST_YEAR: i32 = 2005;
const LAST_YEAR: i32 = 2037;
/// How often a failure that may pass is repeated before the clock counts as hidden.
const REPETITIONS: u32 = 2;

/// The zone of a shop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::connector) enum ShopClock {
    Named(Tz),
    /// The same offset all year.
    Fixed(FixedOffset),
}

impl ShopClock {
    /// What `/wp-json/` says. `None`: nothing that can be read.
    pub(in crate::connector) fn read(site: &Value) -> Option<Self> {
        let named = site.get("timezone_string").and_then(Value::as_str).filter(|name| !name.is_empty());
        if let Some(name) = named {
            return name.parse().ok().map(Self::Named);
        }
        let offset = site.get("gmt_offset")?;
        let hours = offset.as_f64().or_else(|| offset.as_str()?.parse().ok())?;
        #[expect(clippy::cast_possible_truncation, reason = "an offset that is too large is none")]
        FixedOffset::east_opt((hours * 3600.0).round() as i32).map(Self::Fixed)
    }

    /// The zone to set. `None`: an offset that no zone has all year.
    pub(in crate::connector) fn zone(self) -> Option<Tz> {
        let offset = match self {
            Self::Named(zone) => return Some(zone),
            Self::Fixed(offset) => offset,
        };
        let hours = f64::from(offset.local_minus_utc()) / 3600.0;
        if hours == 0.0 {
            return Some(Tz::UTC);
        }
        // The signs of these names are the other way round.
        let sign = if hours > 0.0 { '-' } else { '+' };
        let whole = format!("Etc/GMT{sign}{}", hours.abs()).parse().ok();
        whole.or_else(|| Tz::all().find(|zone| self.agrees_with(*zone)))
    }

    /// Whether the shop's times are those of this zone, in all years that orders may be of. Zones of other names may
    /// have the same offsets.
    fn agrees_with(self, zone: Tz) -> bool {
        let first = NaiveDate::from_ymd_opt(FIRST_YEAR, 1, 1).unwrap_or_default();
        let days = first.iter_days().take_while(|day| day.year() <= LAST_YEAR);
        days.filter_map(|day| day.and_hms_opt(12, 0, 0)).all(|noon| {
            let of_shop = match self {
                Self::Named(named) => named.offset_from_utc_datetime(&noon).fix(),
                Self::Fixed(offset) => offset,
            };
            of_shop == zone.offset_from_utc_datetime(&noon).fix()
        })
    }

    /// Fails with `retailer_misconfigured` if the dates of the shop would be read wrongly with `set`.
    fn check(self, set: Tz) -> Result<(), ConnectorError> {
        if self.agrees_with(set) {
            return Ok(());
        }
        let clock = match self {
            Self::Named(zone) => zone.name().to_owned(),
            Self::Fixed(offset) => format!("UTC{offset} all year"),
        };
        let remedy = self.zone().map_or_else(
            || {
                "No time zone has this offset all year: the shop has to choose a city under Settings > General."
                    .to_owned()
            },
            |zone| format!("Set `time_zone = \"{}\"` of the retailer.", zone.name()),
        );
        Err(ConnectorError::new(SyncErrorCode::RetailerMisconfigured).with_message(format!(
            "The shop's clock shows the time of {clock}, and `time_zone` of the retailer is \"{}\": the dates of its orders \
             would be wrong. {remedy}",
            set.name()
        )))
    }
}

/// Compares the shop's clock with the zone that is set. A shop that hides its clock is taken at its operator's word.
/// Fails with `retailer_misconfigured` if they differ, and with what is worth a repetition.
pub(in crate::connector) async fn check(
    (egress, base): (&Egress, &Url),
    turn: &mut Turn<'_, '_>,
    set: Tz,
) -> Result<(), ConnectorError> {
    let Ok(url) = base.join(SITE) else { return Ok(()) };
    let response = match egress.send(Request::get(url), turn.cookies, Visitor::of(turn.context)).await {
        Ok(response) => response,
        Err(error) if error.is_rest() => return Err(error),
        Err(error) if error.transient && turn.context.attempt < REPETITIONS => return Err(error),
        Err(_) => return Ok(()),
    };
    let site = (response.status == 200).then(|| serde_json::from_str(&response.body).ok()).flatten();
    let clock = site.and_then(|site: Value| ShopClock::read(&site));
    clock.map_or(Ok(()), |clock| clock.check(set))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_clock_has_a_name_or_an_offset() {
        for (site, expected) in [
            (json!({"timezone_string": "America/Los_Angeles", "gmt_offset": -7}), Some("America/Los_Angeles")),
            (json!({"timezone_string": "", "gmt_offset": 2}), Some("Etc/GMT-2")),
            (json!({"timezone_string": "", "gmt_offset": "-3"}), Some("Etc/GMT+3")),
            (json!({"timezone_string": "", "gmt_offset": 0}), Some("UTC")),
            (json!({"timezone_string": "", "gmt_offset": 5.5}), Some("Asia/Calcutta")),
            (json!({"gmt_offset": "5.75"}), Some("Asia/Kathmandu")),
            // Nobody has it all year.
            (json!({"timezone_string": "", "gmt_offset": 10.5}), None),
            (json!({"timezone_string": "", "gmt_offset": 1e300}), None),
            (json!({"timezone_string": "", "gmt_offset": "noon"}), None),
            (json!({"timezone_string": "Mars/Base", "gmt_offset": 2}), None),
            (json!({"timezone_string": ""}), None),
            (json!([]), None),
        ] {
            let zone = ShopClock::read(&site).and_then(ShopClock::zone);
            assert_eq!(zone.map(|zone| zone.name()), expected, "{site}");
        }
    }

    #[test]
    fn a_zone_agrees_if_its_offsets_are_those_of_the_shop_all_year() {
        for (site, set, message) in [
            (json!({"timezone_string": "Europe/Berlin"}), "Europe/Berlin", None),
            // Another name for the same times.
            (json!({"timezone_string": "Europe/Berlin"}), "Europe/Paris", None),
            (json!({"timezone_string": "Europe/Berlin"}), "UTC", Some("Set `time_zone = \"Europe/Berlin\"`")),
            // The same half of the year.
            (json!({"timezone_string": "Europe/London"}), "UTC", Some("the time of Europe/London")),
            (json!({"timezone_string": "", "gmt_offset": 2}), "Europe/Berlin", Some("UTC+02:00 all year")),
            (json!({"timezone_string": "", "gmt_offset": 2}), "Etc/GMT-2", None),
            // The sign the other way round.
            (json!({"timezone_string": "", "gmt_offset": 2}), "Etc/GMT+2", Some("Set `time_zone = \"Etc/GMT-2\"`")),
            (json!({"timezone_string": "", "gmt_offset": 5.5}), "Asia/Kolkata", None),
            (json!({"timezone_string": "", "gmt_offset": 10.5}), "Australia/Lord_Howe", Some("choose a city")),
            // The same since 2016; before, it was not.
            (json!({"timezone_string": "Europe/Istanbul"}), "Europe/Moscow", Some("Europe/Istanbul")),
        ] {
            let found = ShopClock::read(&site).unwrap().check(set.parse().unwrap());
            match (found, message) {
                (Ok(()), None) => {}
                (Err(error), Some(part)) => assert!(error.message.contains(part), "{site} {set}: {}", error.message),
                (found, _) => panic!("{site} {set}: {found:?}"),
            }
        }
    }
}
