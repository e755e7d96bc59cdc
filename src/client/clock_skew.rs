//! The difference between this machine's clock and the service's, from the date of an answer (RFC 9110 §6.6.1).

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::header::{DATE, HeaderMap};

use crate::errors::Hint;
use crate::errors::codes::network::SET_CLOCK;

/// Smaller differences mean nothing: answers take time, and their dates have whole seconds.
const TOLERATED: TimeDelta = TimeDelta::minutes(1);

/// The message if the two clocks are far apart.
pub(super) fn told(headers: &HeaderMap) -> Option<Hint> {
    let date = DateTime::parse_from_rfc2822(headers.get(DATE)?.to_str().ok()?).ok()?;
    sentence(crate::clock::now() - date.with_timezone(&Utc))
}

fn sentence(ahead: TimeDelta) -> Option<Hint> {
    let (by, how) = if ahead < TimeDelta::zero() { (-ahead, "behind") } else { (ahead, "ahead of") };
    let span = match by.num_seconds() {
        seconds if by > TOLERATED && seconds < 7200 => format!("{} min", seconds / 60),
        seconds if by > TOLERATED => format!("{} h", seconds / 3600),
        _ => return None,
    };
    let text = format!("This machine's clock is {span} {how} the service's, which may be why. Let the system set it");
    Some(Hint::run(text, SET_CLOCK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_are_far_apart_are_told() {
        let told = |seconds| sentence(TimeDelta::seconds(seconds));
        assert_eq!(told(59), None);
        assert_eq!(told(-60), None);
        assert!(told(600).is_some_and(|hint| hint.text.contains("10 min ahead of the service's")));
        assert!(told(-9000).is_some_and(|hint| hint.text.contains("2 h behind the service's")));
    }
}
