//! The rate limit: at most so many requests in any window, per client or, where nobody is signed in, per address.
//!
//! A strict sliding window: the times of the requests that were let through, and nothing estimated.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::header::{HeaderMap, HeaderName, HeaderValue};

use crate::config::RateLimit;

/// What the limit is, and what is left of it (the IETF's draft on rate limit headers).
const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
/// The policy of a service without a limit. Whoever follows the draft passes over a policy without a quota.
const UNLIMITED: HeaderValue = HeaderValue::from_static("\"unlimited\"");
/// With more callers than this, those that have been silent for a window are forgotten.
const FORGET_ABOVE: usize = 4096;

/// Counts requests.
#[derive(Debug)]
pub struct RateLimiter {
    limit: RateLimit,
    let_through: Mutex<HashMap<String, VecDeque<Duration>>>,
}

/// What a caller has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Left {
    /// Requests that would be let through now.
    pub requests: usize,
    /// Whole seconds until there is one more.
    pub seconds: u64,
}

impl Left {
    /// Tells it, and the limit that it is left of.
    pub(crate) fn tell(self, limit: RateLimit, headers: &mut HeaderMap) {
        let policy = format!("\"default\";q={};w={}", limit.requests, limit.window.as_secs());
        let left = format!("\"default\";r={};t={}", self.requests, self.seconds);
        for (name, value) in [(RATELIMIT_POLICY, policy), (RATELIMIT, left)] {
            headers.extend(HeaderValue::try_from(value).map(|value| (name, value)));
        }
    }
}

/// Tells that there is no limit.
pub(crate) fn tell_unlimited(headers: &mut HeaderMap) {
    headers.insert(RATELIMIT_POLICY, UNLIMITED);
}

impl RateLimiter {
    /// A limiter that lets so many requests of each caller through in any window.
    #[must_use]
    pub fn new(limit: impl Into<RateLimit>) -> Self {
        Self { limit: limit.into(), let_through: Mutex::default() }
    }

    /// What is let through.
    #[must_use]
    pub const fn limit(&self) -> RateLimit {
        self.limit
    }

    /// Counts a request at `now` (time since some fixed moment) and says what is left.
    ///
    /// # Errors
    /// Where the limit is reached: in how many whole seconds a request will be accepted. Such a request is not counted.
    pub fn count(&self, caller: &str, now: Duration) -> Result<Left, u64> {
        let RateLimit { requests, window } = self.limit;
        let mut callers = self.let_through.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() > FORGET_ABOVE {
            callers.retain(|_, times| times.back().is_some_and(|last| now.saturating_sub(*last) < window));
        }
        let times = callers.entry(caller.to_owned()).or_default();
        while times.front().is_some_and(|first| now.saturating_sub(*first) >= window) {
            times.pop_front();
        }
        let until_next = |first: &Duration| {
            let left = (*first + window).saturating_sub(now);
            left.as_secs() + u64::from(left.subsec_nanos() > 0)
        };
        let limit = requests.get() as usize;
        match times.front() {
            Some(first) if times.len() >= limit => Err(until_next(first)),
            _ => {
                times.push_back(now);
                Ok(Left { requests: limit - times.len(), seconds: times.front().map_or(0, until_next) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn limiter(limit: u32) -> RateLimiter {
        RateLimiter::new(NonZeroU32::new(limit).unwrap())
    }

    fn left(requests: usize, seconds: u64) -> Result<Left, u64> {
        Ok(Left { requests, seconds })
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_101st_request_waits_until_the_first_leaves_the_window_and_no_longer() {
        let limiter = limiter(100);
        for i in 0..100 {
            assert_eq!(limiter.count("a", ms(10 * i)), left(99 - i as usize, 60));
        }
        assert_eq!(limiter.count("a", ms(1_500)), Err(59));
        assert_eq!(limiter.count("a", ms(59_999)), Err(1));
        assert_eq!(limiter.count("a", ms(60_000)), left(0, 1));
        assert_eq!(limiter.count("a", ms(60_000)), Err(1));
        assert_eq!(limiter.count("a", ms(60_010)), left(0, 1));
    }

    #[test]
    fn callers_do_not_count_for_each_other() {
        let limiter = limiter(1);
        assert_eq!(limiter.count("a", ms(0)), left(0, 60));
        assert_eq!(limiter.count("b", ms(0)), left(0, 60));
        assert_eq!(limiter.count("a", ms(0)), Err(60));
    }

    proptest::proptest! {
        #[test]
        fn no_window_ever_holds_more_than_the_limit(gaps in proptest::collection::vec(0_u64..30_000, 1..200)) {
            let limiter = limiter(5);
            let mut now = 0;
            let mut passed = Vec::new();
            for gap in gaps {
                now += gap;
                match limiter.count("a", ms(now)) {
                    Ok(_) => passed.push(now),
                    Err(seconds) => {
                        // What is promised is true: after so many seconds there is room, a second earlier there is not.
                        let room = |at: u64| passed.iter().filter(|t| at - **t < 60_000).count() < 5;
                        proptest::prop_assert!(room(now + seconds * 1000));
                        proptest::prop_assert!(!room(now + (seconds - 1) * 1000));
                    }
                }
            }
            for at in &passed {
                proptest::prop_assert!(passed.iter().filter(|t| **t <= *at && at - **t < 60_000).count() <= 5);
            }
        }
    }
}
