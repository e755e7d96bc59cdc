//! What an answer states about the service's rate limit.

use reqwest::header::HeaderMap;
use sfv::{BareItem, Dictionary, List, ListEntry, Parameters, Parser};

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
    /// Reads the headers in use: `RateLimit` and `RateLimit-Policy` (lists, as in the IETF's draft; of several limits,
    /// the one with the fewest requests left counts), `RateLimit-*` and `RateLimit: limit=…` (earlier drafts) and
    /// `X-RateLimit-*`. A single policy named `unlimited`, without quota and window, means that the service has no
    /// limit. `None`: the answer has none of these headers.
    pub(crate) fn read(headers: &HeaderMap) -> Option<Self> {
        let number = |name: &str| headers.get(name)?.to_str().ok()?.split(',').next()?.trim().parse().ok();
        let either =
            |name: &str| number(&format!("ratelimit-{name}")).or_else(|| number(&format!("x-ratelimit-{name}")));
        let (policies, remaining, earlier) = (policies(headers), remaining(headers), earlier_form(headers));
        let is_named = |policy: &&Policy| remaining.as_ref().is_some_and(|left| left.name == policy.name);
        let policy = policies.iter().find(is_named).or(policies.first());
        let earlier = |name: &str| earlier.as_ref().and_then(|fields| integer(fields.get(name)?));
        let limit = either("limit").or_else(|| policy?.requests).or_else(|| earlier("limit"));
        let is_unlimited = |policy: &Policy| policy.name.as_deref() == Some("unlimited") && policy.window.is_none();
        let stated = Self {
            limit,
            window: policy.and_then(|policy| policy.window),
            remaining: either("remaining").or_else(|| remaining.as_ref()?.requests).or_else(|| earlier("remaining")),
            reset: either("reset").or_else(|| remaining.as_ref()?.reset).or_else(|| earlier("reset")),
            unlimited: limit.is_none() && policies.len() == 1 && policies.first().is_some_and(is_unlimited),
        };
        (stated != Self::default()).then_some(stated)
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

/// The entry of `RateLimit` with the fewest requests left.
fn remaining(headers: &HeaderMap) -> Option<Remaining> {
    let left = |(item, parameters): &(BareItem, Parameters)| Remaining {
        name: name(item),
        requests: parameter(parameters, "r"),
        reset: parameter(parameters, "t"),
    };
    list(headers, "ratelimit").iter().map(left).min_by_key(|left| left.requests.unwrap_or(u64::MAX))
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

    #[test]
    fn what_is_left_is_read_in_every_form_that_is_in_use() {
        let stated =
            RateLimitHeaders { limit: Some(100), remaining: Some(7), reset: Some(30), ..RateLimitHeaders::default() };
        assert_eq!(
            read(&[("ratelimit-policy", "\"default\";q=100;w=60"), ("ratelimit", "\"default\";r=7;t=30")]),
            Some(RateLimitHeaders { window: Some(60), ..stated })
        );
        for prefix in ["ratelimit", "x-ratelimit"] {
            let name = |end: &str| -> &'static str { Box::leak(format!("{prefix}-{end}").into_boxed_str()) };
            assert_eq!(
                read(&[(name("limit"), "100, 100;w=60"), (name("remaining"), "7"), (name("reset"), "30")]),
                Some(stated)
            );
        }
        assert_eq!(read(&[("content-type", "text/html")]), None);
        assert_eq!(read(&[("ratelimit-limit", "many")]), None);
    }

    #[test]
    fn of_several_limits_the_one_with_the_least_left_counts() {
        let policies = "\"daily\";q=5000;w=86400, \"burst\";q=100;w=60, \"none\", \"odd\";q=0;w=60";
        for (left, limit, window, remaining, reset) in [
            ("\"daily\";r=4000;t=900, \"burst\";r=7;t=30", 100, 60, 7, 30),
            ("\"daily\";r=3;t=900, \"burst\";r=7;t=30", 5000, 86_400, 3, 900),
        ] {
            let stated = RateLimitHeaders {
                limit: Some(limit),
                window: Some(window),
                remaining: Some(remaining),
                reset: Some(reset),
                unlimited: false,
            };
            assert_eq!(read(&[("ratelimit-policy", policies), ("ratelimit", left)]), Some(stated));
        }
        let stated =
            RateLimitHeaders { limit: Some(20), window: Some(6), remaining: Some(3), reset: Some(5), unlimited: false };
        let earlier = [("ratelimit-policy", "20;w=6"), ("ratelimit", "limit=20, remaining=3, reset=5")];
        assert_eq!(read(&earlier), Some(stated));
        assert!(read(&[("ratelimit-policy", "\"unlimited\"")]).is_some_and(|stated| stated.unlimited));
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
            let _ = RateLimitHeaders::read(&headers);
            let wait = crate::client::refused_for(reqwest::StatusCode::TOO_MANY_REQUESTS, &headers);
            assert!(wait.is_some_and(|wait| wait >= std::time::Duration::from_secs(1)));
        });
    }
}
