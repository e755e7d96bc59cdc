//! Values as they are typed, after flags and in settings.

use std::num::NonZeroU32;
use std::time::Duration;

const LONGEST_WINDOW: Duration = Duration::from_secs(24 * 3600);

/// A limit on requests: so many in a window; or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RateLimit(pub Option<(NonZeroU32, Duration)>);

/// Reads `90`, `90s`, `5m` or `2h`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err("give seconds, or a number followed by s, m or h".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "give seconds, or a number followed by s, m or h".to_owned())?;
    let total = number.checked_mul(seconds).filter(|total| *total <= 365 * 24 * 3600);
    total.map(Duration::from_secs).ok_or_else(|| "a year is the longest".to_owned())
}

/// Reads `100`, `100/6s` or `off`.
pub(crate) fn parse_rate_limit(text: &str) -> Result<RateLimit, String> {
    if text == "off" {
        return Ok(RateLimit(None));
    }
    let (requests, window) = text.split_once('/').unwrap_or((text, "60s"));
    let requests = requests
        .parse()
        .map_err(|_| "give a number of requests (50), or of requests in a time (50/10s), or off".to_owned())?;
    match parse_duration(window) {
        Ok(window) if !window.is_zero() && window <= LONGEST_WINDOW => Ok(RateLimit(Some((requests, window)))),
        _ => Err("give a window of 1s to 24h, such as 100/6s".to_owned()),
    }
}

/// Reads a factor of at least 1.
pub(crate) fn parse_speed(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|factor: &f64| factor.is_finite() && *factor >= 1.0)
        .ok_or_else(|| "give 1 or more".to_owned())
}

/// Reads a whole number within bounds, which its error names.
pub(crate) fn whole(
    range: std::ops::RangeInclusive<u32>,
) -> impl Fn(&str) -> Result<u32, Box<dyn std::error::Error + Send + Sync>> + Clone {
    move |text| {
        let number: i64 = text.parse()?;
        match u32::try_from(number) {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => Err(format!("give a number from {} to {}", range.start(), range.end()).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        let seconds = |text| parse_duration(text).ok().map(|time| time.as_secs());
        assert_eq!(seconds("90"), Some(90));
        assert_eq!(seconds("90s"), Some(90));
        assert_eq!(seconds("5m"), Some(300));
        assert_eq!(seconds("2h"), Some(7200));
        for bad in ["", "s", "-1", "1.5s", "5 m", "5d", "99999999999999999999", "18446744073709551615h", "9000h"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
