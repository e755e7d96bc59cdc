//! The rate limit as responses report it: draft-ietf-httpapi-ratelimit-headers.

use axum::http::{HeaderName, HeaderValue};

use crate::config::RateLimit;
use crate::limits::Budget;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LEFT: HeaderName = HeaderName::from_static("ratelimit");
/// The header of a response if there is no limit. Clients that follow the draft ignore a policy without a quota.
pub(super) const UNLIMITED: (HeaderName, HeaderValue) = (POLICY, HeaderValue::from_static("\"unlimited\""));

/// The headers `RateLimit-Policy` and `RateLimit` of an answer.
pub(super) fn headers(limit: RateLimit, budget: Budget) -> [(HeaderName, HeaderValue); 2] {
    let policy = format!("\"default\";q={};w={}", limit.requests, limit.window.as_secs());
    let left = format!("\"default\";r={};t={}", budget.remaining, budget.seconds);
    [(POLICY, policy), (LEFT, left)].map(|(name, value)| {
        // Digits and a few punctuation marks are always a valid header value.
        (name, HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("")))
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn an_answer_says_the_policy_and_what_is_left() {
        let limit = NonZeroU32::new(2).unwrap().into();
        let [policy, left] = headers(limit, Budget { remaining: 1, seconds: 60 });
        assert_eq!((policy.0.as_str(), policy.1.as_bytes()), ("ratelimit-policy", b"\"default\";q=2;w=60".as_slice()));
        assert_eq!((left.0.as_str(), left.1.as_bytes()), ("ratelimit", b"\"default\";r=1;t=60".as_slice()));
    }
}
