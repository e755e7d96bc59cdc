//! How many requests a service takes: as the specification says, as the user says, as the service itself says.

use std::num::NonZeroU32;
use std::time::Duration;

use reqwest::header::HeaderMap;

/// So many requests in any window of that length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) requests: NonZeroU32,
    pub(crate) window: Duration,
}

/// What the specification allows a client.
pub(crate) const SPECIFIED: Quota = Quota { requests: NonZeroU32::new(100).unwrap(), window: MINUTE };
const MINUTE: Duration = Duration::from_secs(60);
/// A window longer than this is not believed.
const LONGEST_WINDOW: u64 = 24 * 3600;

/// What a service says of its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// It has none.
    Unlimited,
    /// It has this one.
    Quota(Quota),
}

impl Quota {
    /// The stricter of two, by requests in a time.
    pub(crate) fn stricter(self, other: Self) -> Self {
        let rate = |quota: Self| f64::from(quota.requests.get()) / quota.window.as_secs_f64();
        if rate(other) < rate(self) { other } else { self }
    }
}

/// What an answer says of the requests that are left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Requests in a window.
    pub(crate) limit: Option<u64>,
    /// The window in seconds.
    pub(crate) window: Option<u64>,
    /// Requests that are left in it.
    pub(crate) remaining: Option<u64>,
    /// Seconds until there are more.
    pub(crate) reset: Option<u64>,
    /// There is no limit.
    pub(crate) unlimited: bool,
}

impl Standing {
    /// Reads the headers in use: `RateLimit` and `RateLimit-Policy` (the IETF's draft), `RateLimit-*` (its earlier form)
    /// and `X-RateLimit-*`. A policy called `unlimited`, without a quota, is a service's way to say that it has no limit.
    /// `None`: the answer has none of them.
    pub(crate) fn read(headers: &HeaderMap) -> Option<Self> {
        let text = |name: &str| headers.get(name)?.to_str().ok();
        let number = |name: &str| text(name)?.split(',').next()?.trim().parse().ok();
        let either =
            |name: &str| number(&format!("ratelimit-{name}")).or_else(|| number(&format!("x-ratelimit-{name}")));
        let parameter = |header: &str, key: &str| {
            let value =
                text(header)?.split(';').skip(1).find_map(|part| part.trim().strip_prefix(key)?.strip_prefix('='));
            value?.trim().parse().ok()
        };
        let limit = either("limit").or_else(|| parameter("ratelimit-policy", "q"));
        let standing = Self {
            limit,
            window: parameter("ratelimit-policy", "w"),
            remaining: either("remaining").or_else(|| parameter("ratelimit", "r")),
            reset: either("reset").or_else(|| parameter("ratelimit", "t")),
            unlimited: limit.is_none()
                && text("ratelimit-policy").is_some_and(|policy| policy.trim() == "\"unlimited\""),
        };
        (standing != Self::default()).then_some(standing)
    }

    /// The limit; where no window is told, it is the specification's.
    pub(crate) fn told(&self) -> Option<Told> {
        if self.unlimited {
            return Some(Told::Unlimited);
        }
        let requests = NonZeroU32::new(u32::try_from(self.limit?).unwrap_or(u32::MAX))?;
        let window = match self.window {
            None => MINUTE,
            Some(seconds @ 1..=LONGEST_WINDOW) => Duration::from_secs(seconds),
            Some(_) => return None,
        };
        Some(Told::Quota(Quota { requests, window }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&'static str, &'static str)]) -> Option<Standing> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().expect("header"));
        }
        Standing::read(&map)
    }

    fn told(headers: &[(&'static str, &'static str)]) -> Option<(u32, u64)> {
        match read(headers)?.told()? {
            Told::Unlimited => Some((0, 0)),
            Told::Quota(quota) => Some((quota.requests.get(), quota.window.as_secs())),
        }
    }

    #[test]
    fn what_is_left_is_read_in_every_form_that_is_in_use() {
        let standing = Standing { limit: Some(100), remaining: Some(7), reset: Some(30), ..Standing::default() };
        assert_eq!(
            read(&[("ratelimit-policy", "\"default\";q=100;w=60"), ("ratelimit", "\"default\";r=7;t=30")]),
            Some(Standing { window: Some(60), ..standing })
        );
        for prefix in ["ratelimit", "x-ratelimit"] {
            let name = |end: &str| -> &'static str { Box::leak(format!("{prefix}-{end}").into_boxed_str()) };
            assert_eq!(
                read(&[(name("limit"), "100, 100;w=60"), (name("remaining"), "7"), (name("reset"), "30")]),
                Some(standing)
            );
        }
        assert_eq!(read(&[("content-type", "text/html")]), None);
        assert_eq!(read(&[("ratelimit-limit", "many")]), None);
    }

    #[test]
    fn a_limit_is_believed_where_it_can_be_one() {
        assert_eq!(told(&[("ratelimit-policy", "\"default\";q=20;w=6")]), Some((20, 6)));
        assert_eq!(told(&[("x-ratelimit-limit", "30")]), Some((30, 60)));
        assert_eq!(told(&[("ratelimit-policy", "\"unlimited\"")]), Some((0, 0)));
        for nonsense in ["\"default\";q=0;w=60", "\"default\";q=5;w=0", "\"default\";q=5;w=99999999999", "\"x\"", ""] {
            assert_eq!(told(&[("ratelimit-policy", nonsense)]), None, "{nonsense}");
        }
    }

    #[test]
    fn the_stricter_of_two_has_the_lower_rate() {
        let quota = |requests, seconds| Quota {
            requests: NonZeroU32::new(requests).expect("some"),
            window: Duration::from_secs(seconds),
        };
        assert_eq!(quota(100, 60).stricter(quota(20, 6)), quota(100, 60));
        assert_eq!(quota(100, 60).stricter(quota(50, 60)), quota(50, 60));
    }
}
