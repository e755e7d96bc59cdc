//! How many requests a service accepts, according to the specification, the user and the service itself.

use std::num::NonZeroU32;
use std::time::Duration;

use reqwest::header::HeaderMap;
use sfv::{BareItem, Dictionary, List, ListEntry, Parameters, Parser};

/// At most this many requests in any window of that length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) requests: NonZeroU32,
    pub(crate) window: Duration,
}

/// What the specification allows a client.
pub(crate) const SPECIFIED: Quota = Quota { requests: NonZeroU32::new(100).unwrap(), window: MINUTE };
const MINUTE: Duration = Duration::from_secs(60);
/// The longest window that is believed, in seconds. A limit for a longer one is ignored.
const LONGEST_WINDOW: u64 = 24 * 3600;
/// Longer windows are treated as if they had this length: one wrong answer must not lock a user out for a day.
pub(crate) const LONGEST_PLANNED: Duration = Duration::from_secs(600);

/// The limit that a service states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatedLimit {
    /// No limit.
    Unlimited,
    /// It has this one.
    Quota(Quota),
}

impl Quota {
    /// The stricter of two limits, by requests per time.
    pub(crate) fn stricter(self, other: Self) -> Self {
        let rate = |quota: Self| f64::from(quota.requests.get()) / quota.window.as_secs_f64();
        if rate(other) < rate(self) { other } else { self }
    }
}

/// The contents of an answer's rate limit headers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RateLimitHeaders {
    /// Requests per window.
    pub(crate) limit: Option<u64>,
    /// Length of the window in seconds.
    pub(crate) window: Option<u64>,
    /// Requests left in the window.
    pub(crate) remaining: Option<u64>,
    /// Seconds until more requests are accepted.
    pub(crate) reset: Option<u64>,
    /// The service has no limit.
    pub(crate) unlimited: bool,
}

/// One of the limits that `RateLimit-Policy` lists.
#[derive(Debug)]
struct Policy {
    name: Option<String>,
    requests: Option<u64>,
    window: Option<u64>,
}

/// What is left of one of those limits, as `RateLimit` lists it.
#[derive(Debug)]
struct Remaining {
    name: Option<String>,
    requests: Option<u64>,
    reset: Option<u64>,
}

impl RateLimitHeaders {
    /// Reads the headers in use: `RateLimit` and `RateLimit-Policy` (lists, as in the IETF's draft; the strictest
    /// policy counts), `RateLimit-*` and `RateLimit: limit=…` (earlier drafts) and `X-RateLimit-*`. A single policy
    /// named `unlimited`, without quota and window, means that the service has no limit. `None`: the answer has none of
    /// these headers.
    pub(crate) fn read(headers: &HeaderMap) -> Option<Self> {
        let number = |name: &str| headers.get(name)?.to_str().ok()?.split(',').next()?.trim().parse().ok();
        let either =
            |name: &str| number(&format!("ratelimit-{name}")).or_else(|| number(&format!("x-ratelimit-{name}")));
        let policies = policies(headers);
        let policy = policies.iter().filter(|policy| policy.quota().is_some()).reduce(Policy::stricter);
        let policy = policy.or(policies.first());
        let (remaining, earlier) = (remaining(headers, policy), earlier_form(headers));
        let earlier = |name: &str| earlier.as_ref().and_then(|fields| integer(fields.get(name)?));
        let limit = either("limit").or_else(|| policy?.requests).or_else(|| earlier("limit"));
        let is_unlimited = |policy: &Policy| policy.name.as_deref() == Some("unlimited") && policy.window.is_none();
        let standing = Self {
            limit,
            window: policy.and_then(|policy| policy.window),
            remaining: either("remaining").or_else(|| remaining.as_ref()?.requests).or_else(|| earlier("remaining")),
            reset: either("reset").or_else(|| remaining.as_ref()?.reset).or_else(|| earlier("reset")),
            unlimited: limit.is_none() && policies.len() == 1 && policies.first().is_some_and(is_unlimited),
        };
        (standing != Self::default()).then_some(standing)
    }

    /// The limit. Without a window, the specification's window applies, and its limit is the upper bound.
    pub(crate) fn told(&self) -> Option<StatedLimit> {
        if self.unlimited {
            return Some(StatedLimit::Unlimited);
        }
        quota(self.limit?, self.window).map(StatedLimit::Quota)
    }
}

/// A limit to plan with; `None` if the numbers are not usable.
fn quota(requests: u64, window: Option<u64>) -> Option<Quota> {
    let requests = NonZeroU32::new(u32::try_from(requests).unwrap_or(u32::MAX))?;
    match window {
        None => Some(Quota { requests: requests.min(SPECIFIED.requests), window: SPECIFIED.window }),
        Some(seconds @ 1..=LONGEST_WINDOW) => {
            let told = Quota { requests, window: Duration::from_secs(seconds).min(LONGEST_PLANNED) };
            // A limit for a day does not say how much may be sent in a minute.
            let is_capped = seconds > LONGEST_PLANNED.as_secs();
            Some(if is_capped { SPECIFIED.stricter(told) } else { told })
        }
        Some(_) => None,
    }
}

impl Policy {
    fn quota(&self) -> Option<Quota> {
        quota(self.requests?, self.window)
    }

    /// The stricter of two.
    fn stricter<'a>(one: &'a Self, other: &'a Self) -> &'a Self {
        let window = |policy: &Self| policy.window.unwrap_or(u64::MAX);
        match (one.quota(), other.quota()) {
            (Some(first), Some(second)) if first.stricter(second) != first => other,
            // If both lead to the same plan, the shorter window says more about what is left.
            (Some(first), Some(second)) if first == second && window(other) < window(one) => other,
            _ => one,
        }
    }
}

fn policies(headers: &HeaderMap) -> Vec<Policy> {
    let policy = |(item, parameters): &(BareItem, Parameters)| Policy {
        name: name(item),
        // An earlier draft has the quota where the name is now.
        requests: parameter(parameters, "q").or_else(|| integer(item)),
        window: parameter(parameters, "w"),
    };
    list(headers, "ratelimit-policy").iter().map(policy).collect()
}

/// What is left of a policy. If the policy is not listed by name, the entry with the least left.
fn remaining(headers: &HeaderMap, of: Option<&Policy>) -> Option<Remaining> {
    let left = |(item, parameters): &(BareItem, Parameters)| Remaining {
        name: name(item),
        requests: parameter(parameters, "r"),
        reset: parameter(parameters, "t"),
    };
    let mut all: Vec<Remaining> = list(headers, "ratelimit").iter().map(left).collect();
    all.sort_by_key(|left| (left.name != of.and_then(|policy| policy.name.clone()), left.requests.unwrap_or(u64::MAX)));
    all.into_iter().next()
}

/// `RateLimit: limit=100, remaining=50, reset=5`.
fn earlier_form(headers: &HeaderMap) -> Option<std::collections::BTreeMap<String, BareItem>> {
    let fields: Dictionary = Parser::new(&joined(headers, "ratelimit")?).parse().ok()?;
    let item = |entry: ListEntry| match entry {
        ListEntry::Item(item) => Some(item.bare_item),
        ListEntry::InnerList(_) => None,
    };
    Some(fields.into_iter().filter_map(|(key, entry)| Some((key.as_str().to_owned(), item(entry)?))).collect())
}

/// The items of a list header (RFC 9651 §3.1) with their parameters; empty if the header is not a list.
fn list(headers: &HeaderMap, name: &str) -> Vec<(BareItem, Parameters)> {
    let Some(text) = joined(headers, name) else { return Vec::new() };
    let item = |entry: ListEntry| match entry {
        ListEntry::Item(item) => Some((item.bare_item, item.params)),
        ListEntry::InnerList(_) => None,
    };
    Parser::new(&text).parse::<List>().map(|list| list.into_iter().filter_map(item).collect()).unwrap_or_default()
}

/// The value of a header that may be split over several lines.
fn joined(headers: &HeaderMap, name: &str) -> Option<String> {
    let lines: Vec<&str> = headers.get_all(name).iter().map(|line| line.to_str().ok()).collect::<Option<_>>()?;
    (!lines.is_empty()).then(|| lines.join(", "))
}

fn name(item: &BareItem) -> Option<String> {
    let text = item.as_string().map(|text| text.as_str().to_owned());
    text.or_else(|| item.as_token().map(|token| token.as_str().to_owned()))
}

fn parameter(parameters: &Parameters, name: &str) -> Option<u64> {
    integer(parameters.iter().find(|(key, _)| key.as_str() == name)?.1)
}

fn integer(item: &BareItem) -> Option<u64> {
    u64::try_from(i64::from(item.as_integer()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&'static str, &'static str)]) -> Option<RateLimitHeaders> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("header"));
        }
        RateLimitHeaders::read(&map)
    }

    fn told(headers: &[(&'static str, &'static str)]) -> Option<(u32, u64)> {
        match read(headers)?.told()? {
            StatedLimit::Unlimited => Some((0, 0)),
            StatedLimit::Quota(quota) => Some((quota.requests.get(), quota.window.as_secs())),
        }
    }

    #[test]
    fn what_is_left_is_read_in_every_form_that_is_in_use() {
        let standing =
            RateLimitHeaders { limit: Some(100), remaining: Some(7), reset: Some(30), ..RateLimitHeaders::default() };
        assert_eq!(
            read(&[("ratelimit-policy", "\"default\";q=100;w=60"), ("ratelimit", "\"default\";r=7;t=30")]),
            Some(RateLimitHeaders { window: Some(60), ..standing })
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
        // Without a window, the specification's limit is the upper bound.
        assert_eq!(told(&[("x-ratelimit-limit", "5000")]), Some((100, 60)));
        assert_eq!(told(&[("ratelimit-policy", "\"hourly\";q=5000")]), Some((100, 60)));
        assert_eq!(told(&[("ratelimit-policy", "\"fast\";q=500;w=60")]), Some((500, 60)));
        assert_eq!(told(&[("ratelimit-policy", "50;w=30")]), Some((50, 30)));
        for nonsense in ["\"default\";q=0;w=60", "\"default\";q=5;w=0", "\"default\";q=5;w=99999999999", "\"x\"", ""] {
            assert_eq!(told(&[("ratelimit-policy", nonsense)]), None, "{nonsense}");
        }
    }

    #[test]
    fn of_several_limits_the_strictest_counts_and_none_locks_out_for_a_day() {
        let daily = "\"daily\";q=5000;w=86400, \"burst\";q=100;w=60, \"none\", \"odd\";q=0;w=60";
        assert_eq!(told(&[("ratelimit-policy", daily)]), Some((100, 60)));
        assert_eq!(
            told(&[("ratelimit-policy", "\"a\";q=100;w=60"), ("ratelimit-policy", "\"b\";q=3;w=10")]),
            Some((3, 10))
        );
        assert_eq!(told(&[("ratelimit-policy", "\"daily\";q=5000;w=86400")]), Some((100, 60)));
        assert_eq!(told(&[("ratelimit-policy", "\"daily\";q=1;w=86400")]), Some((1, 600)));
        let left = "\"daily\";r=4000;t=900, \"burst\";r=7;t=30";
        let standing = read(&[("ratelimit-policy", daily), ("ratelimit", left)]).expect("told");
        assert_eq!((standing.limit, standing.remaining, standing.reset), (Some(100), Some(7), Some(30)));
        let earlier = read(&[("ratelimit-policy", "20;w=6"), ("ratelimit", "limit=20, remaining=3, reset=5")]);
        let earlier = earlier.expect("told");
        assert_eq!(
            (earlier.limit, earlier.window, earlier.remaining, earlier.reset),
            (Some(20), Some(6), Some(3), Some(5))
        );
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

    #[test]
    fn fuzz_headers_of_rate_limits() {
        let seeds: [&[u8]; 5] = [
            b"\"daily\";q=5000;w=86400, \"burst\";q=100;w=60",
            b"\"default\";r=7;t=30",
            b"limit=20, remaining=3, reset=5",
            b"100, 100;w=60",
            b"Sat, 21 Nov 2026 08:00:30 GMT",
        ];
        let words =
            ["\"", ";", "q=", "w=", "=", ",", "(", ")", ":", "?1", "@1", "%\"", "99999999999999999999", "-1", "0"];
        let names = [
            "ratelimit",
            "ratelimit-policy",
            "ratelimit-limit",
            "x-ratelimit-limit",
            "ratelimit-remaining",
            "retry-after",
            "date",
        ];
        crate::fuzzing::fuzz("headers", &seeds, &words, |input, random| {
            let mut headers = HeaderMap::new();
            for value in input.split(|byte| *byte == b'\n') {
                if let Ok(value) = reqwest::header::HeaderValue::from_bytes(value) {
                    headers.append(random.pick(&names), value);
                }
            }
            if let Some(StatedLimit::Quota(quota)) =
                RateLimitHeaders::read(&headers).and_then(|standing| standing.told())
            {
                assert!(quota.window >= Duration::from_secs(1) && quota.window <= LONGEST_PLANNED);
                let is_named = RateLimitHeaders::read(&headers).is_some_and(|standing| standing.window.is_some());
                assert!(is_named || quota.requests <= SPECIFIED.requests);
            }
            let wait = crate::client::refused_for(reqwest::StatusCode::TOO_MANY_REQUESTS, &headers);
            assert!(wait.is_some_and(|wait| wait >= Duration::from_secs(1)));
        });
    }
}
