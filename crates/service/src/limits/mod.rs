//! The rate limit: a maximum number of requests in any window, per client or, if nobody is signed in, per address.
//!
//! A strict sliding window: it stores the times of the accepted requests, and estimates nothing. Each process counts
//! separately, in bounded memory.

mod network;

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

pub(crate) use self::network::Network;
use crate::config::RateLimit;

/// With more callers than this, those without a request for a whole window are forgotten.
const FORGET_ABOVE: usize = 4096;
/// How often to search for them, since the search visits every caller.
const FORGET_EVERY: Duration = Duration::from_secs(1);
/// With more callers than this, addresses that are not known yet count together.
const MOST_CALLERS: usize = 65_536;

/// The key under which a request is counted.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum CallerKey {
    /// A client or a user who has presented a token: there are only as many as the store knows.
    Known(String),
    Address(Network),
    /// All addresses that there was no room for.
    OtherAddresses,
}

impl From<&str> for CallerKey {
    fn from(known: &str) -> Self {
        Self::Known(known.to_owned())
    }
}

/// A caller's remaining budget: draft-ietf-httpapi-ratelimit-headers §4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Requests that would be accepted now.
    pub(crate) remaining: usize,
    /// Whole seconds until one more is available.
    pub(crate) seconds: u64,
}

/// Counts requests.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    limit: RateLimit,
    callers: Mutex<Callers>,
    /// Until when callers are refused that the store counts or knows, and the limit that they reached: a flood of requests does not
    /// ask it one by one.
    refusals: Mutex<HashMap<String, Refusal>>,
}

/// That a caller was refused.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) at: Duration,
    pub(crate) until: Duration,
    /// What was reached.
    pub(crate) limit: RateLimit,
    /// For the log.
    pub(crate) client: Option<String>,
}

/// For how long credentials that were refused are refused without a look at whose they are.
const REMEMBERED: Duration = Duration::from_secs(1);

impl Refusal {
    /// Whether it may hold without another look: a limit may have been raised since.
    pub(crate) fn is_recent(&self, now: Duration) -> bool {
        now < self.at + REMEMBERED
    }
}

/// A time in whole seconds, rounded up.
pub(crate) const fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + (time.subsec_nanos() > 0) as u64
}

/// When a caller's requests were accepted.
#[derive(Debug, Default)]
struct Times {
    accepted: VecDeque<Duration>,
    /// The window that the caller's limit had last.
    window: Duration,
}

/// When each caller's requests were accepted.
#[derive(Debug, Default)]
struct Callers {
    times: HashMap<CallerKey, Times>,
    /// When idle callers were last searched for.
    looked_at: Duration,
}

impl Callers {
    /// The times of the caller's requests, in bounded memory.
    fn times_of(&mut self, caller: CallerKey, now: Duration, window: Duration) -> &mut VecDeque<Duration> {
        if self.times.len() > FORGET_ABOVE && now.saturating_sub(self.looked_at) >= FORGET_EVERY {
            self.looked_at = now;
            let is_recent = |times: &Times| times.accepted.back().map(|last| now.saturating_sub(*last) < times.window);
            self.times.retain(|_, times| is_recent(times).unwrap_or(false));
        }
        let is_full = self.times.len() >= MOST_CALLERS && !self.times.contains_key(&caller);
        let counted_as = match caller {
            CallerKey::Address(_) if is_full => CallerKey::OtherAddresses,
            caller => caller,
        };
        let times = self.times.entry(counted_as).or_default();
        times.window = window;
        &mut times.accepted
    }
}

impl RateLimiter {
    /// A limiter that accepts this many requests of each caller in any window.
    pub(crate) fn new(limit: impl Into<RateLimit>) -> Self {
        Self { limit: limit.into(), callers: Mutex::default(), refusals: Mutex::default() }
    }

    /// The limit itself.
    pub(crate) const fn limit(&self) -> RateLimit {
        self.limit
    }

    /// In how many whole seconds a request of a caller will be accepted that was refused where it is counted.
    pub(crate) fn refused_elsewhere(&self, limit: RateLimit, caller: &str, now: Duration) -> Option<u64> {
        let refusal = self.refused_before(caller, now)?;
        (refusal.limit == limit).then(|| whole_seconds(refusal.until - now))
    }

    /// That a caller was refused a moment ago, as long as it still holds.
    pub(crate) fn refused_before(&self, caller: &str, now: Duration) -> Option<Refusal> {
        let refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.get(caller).filter(|refusal| refusal.until > now).cloned()
    }

    /// Notes that a caller is refused. If there is no room for it, it is asked about again each time.
    pub(crate) fn remember_refusal(&self, caller: &str, refusal: Refusal, now: Duration) {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.len() >= FORGET_ABOVE {
            refusals.retain(|_, refusal| refusal.until > now);
        }
        if refusals.len() < MOST_CALLERS {
            refusals.insert(caller.to_owned(), refusal);
        }
    }

    /// Counts a request at `now` (time since some fixed moment) against a limit, or says in how many whole seconds one will be
    /// accepted. The limit may be another one the next time.
    /// Fails if the limit is reached. Such a request is not counted.
    pub(crate) fn count_within(
        &self,
        limit: RateLimit,
        caller: impl Into<CallerKey>,
        now: Duration,
    ) -> Result<Budget, u64> {
        let RateLimit { requests, window } = limit;
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let times = callers.times_of(caller.into(), now, window);
        while times.front().is_some_and(|first| now.saturating_sub(*first) >= window) {
            times.pop_front();
        }
        let limit = requests.get() as usize;
        let is_refused = times.len() >= limit;
        if !is_refused {
            times.push_back(now);
        }
        // A limit that was lowered since may have let more pass: these have to leave the window, too.
        let leaves = times.get(times.len().saturating_sub(limit));
        let seconds = whole_seconds(leaves.map_or(window, |first| (*first + window).saturating_sub(now)));
        if is_refused { Err(seconds) } else { Ok(Budget { remaining: limit - times.len(), seconds }) }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    impl RateLimiter {
        fn count(&self, caller: impl Into<CallerKey>, now: Duration) -> Result<Budget, u64> {
            self.count_within(self.limit, caller, now)
        }
    }

    fn limiter(limit: u32) -> RateLimiter {
        RateLimiter::new(NonZeroU32::new(limit).unwrap())
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_101st_request_waits_until_the_first_leaves_the_window_and_no_longer() {
        let limiter = limiter(100);
        for i in 0..100 {
            assert!(limiter.count("a", ms(10 * i)).is_ok());
        }
        assert_eq!(limiter.count("a", ms(1_500)), Err(59));
        assert_eq!(limiter.count("a", ms(59_999)), Err(1));
        assert!(limiter.count("a", ms(60_000)).is_ok());
        assert_eq!(limiter.count("a", ms(60_000)), Err(1));
        assert!(limiter.count("a", ms(60_010)).is_ok());
    }

    #[test]
    fn what_is_left_goes_down_with_each_request_and_up_when_the_first_leaves_the_window() {
        let limiter = limiter(2);
        let at = |now| limiter.count("a", ms(now));
        assert_eq!(at(0), Ok(Budget { remaining: 1, seconds: 60 }));
        assert_eq!(at(500), Ok(Budget { remaining: 0, seconds: 60 }));
        assert_eq!(at(59_500), Err(1));
        assert_eq!(at(60_100), Ok(Budget { remaining: 0, seconds: 1 }));
    }

    #[test]
    fn callers_do_not_count_for_each_other() {
        let limiter = limiter(1);
        assert!(limiter.count("a", ms(0)).is_ok());
        assert!(limiter.count("b", ms(0)).is_ok());
        assert_eq!(limiter.count("a", ms(0)), Err(60));
    }

    #[test]
    fn a_limit_that_changes_holds_at_once_and_with_what_was_accepted_before() {
        let limiter = limiter(2);
        let with = |requests, at| limiter.count_within(NonZeroU32::new(requests).unwrap().into(), "a", ms(at));
        for second in 0..4 {
            assert!(with(4, second * 1_000).is_ok());
        }
        assert_eq!(with(4, 4_000), Err(56));
        // Lower: three of the four have to leave the window. Higher: there is room at once.
        assert_eq!(with(2, 4_000), Err(58));
        assert_eq!(with(5, 4_000), Ok(Budget { remaining: 0, seconds: 56 }));
        assert_eq!(with(2, 61_999), Err(2));
        assert_eq!(with(2, 64_000), Ok(Budget { remaining: 1, seconds: 60 }));
    }

    #[test]
    fn a_caller_with_a_longer_window_than_others_is_not_forgotten_before_it_ends() {
        let limit = RateLimit { requests: NonZeroU32::MIN, window: Duration::from_secs(6) };
        let limiter = RateLimiter::new(limit);
        assert!(limiter.count_within(NonZeroU32::MIN.into(), "a", ms(0)).is_ok());
        for number in 0..6_000 {
            assert!(limiter.count(address(number), ms(10)).is_ok());
        }
        assert!(limiter.count(address(6_000), ms(30_000)).is_ok());
        assert_eq!(limiter.callers.lock().unwrap().times.len(), 2);
        assert_eq!(limiter.count_within(NonZeroU32::MIN.into(), "a", ms(30_000)), Err(30));
    }

    fn address(number: u32) -> CallerKey {
        CallerKey::Address(Network::of(std::net::Ipv4Addr::from(number).into()))
    }

    #[test]
    fn a_flood_of_addresses_takes_bounded_memory_and_leaves_known_callers_their_budget() {
        let limiter = limiter(2);
        let most = u32::try_from(MOST_CALLERS).unwrap();
        for number in 0..2 * most {
            let passes = limiter.count(address(number), ms(u64::from(number) / 10)).is_ok();
            // Addresses beyond the bound share one budget.
            assert_eq!(passes, number < most + 2, "{number}");
        }
        assert_eq!(limiter.callers.lock().unwrap().times.len(), MOST_CALLERS + 1);
        assert!(limiter.count("client a", ms(20_000)).is_ok());
        assert!(limiter.count(address(7), ms(20_000)).is_ok());
        // Two windows later, all callers are forgotten except those that return.
        assert!(limiter.count(address(3 * most), ms(120_000)).is_ok());
        assert_eq!(limiter.callers.lock().unwrap().times.len(), 1);
    }

    #[test]
    fn silent_callers_are_looked_for_once_a_second_at_most() {
        let limiter = limiter(1);
        for number in 0..6_000 {
            assert!(limiter.count(address(number), ms(0)).is_ok());
        }
        assert!(limiter.count("a", ms(60_000)).is_ok());
        assert_eq!(limiter.callers.lock().unwrap().times.len(), 1);
        for number in 0..6_000 {
            assert!(limiter.count(address(number), ms(60_001)).is_ok());
        }
        assert!(limiter.count("b", ms(60_999)).is_ok());
        assert_eq!(limiter.callers.lock().unwrap().looked_at, ms(60_000));
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
                        // The promise holds: after that many seconds there is room, one second earlier there is not.
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
