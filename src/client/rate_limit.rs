//! The rate limit of a service, as its last answer stated it. A request leaves when the service has room for it, so a
//! command that runs alone is not refused. Commands that run at the same time do not know of each other: if they use up
//! the window together, the service refuses some requests, and each command waits as long as the refusal says.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;
use tokio::sync::Notify;

use super::rate_limit_headers::RateLimitHeaders;
use crate::output::Output;

/// A longer window is not believed.
const LONGEST_WINDOW: Duration = Duration::from_secs(24 * 3600);
/// Without a window, a longer reset is not believed: some services state a time of day there.
const LONGEST_RESET: Duration = Duration::from_secs(600);
/// The longest wait without a deadline.
const PATIENCE: Duration = Duration::from_secs(180);
/// Shorter waits are not reported.
const NOTICED: Duration = Duration::from_secs(1);

/// What is known of one limit.
#[derive(Debug, Default)]
pub(crate) struct RateLimit {
    state: Mutex<State>,
    answered: Notify,
    /// Held by the request that reports its wait.
    reporting: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    /// `None`: the service has stated no limit.
    stated: Option<Stated>,
    /// The answered requests of this command that the service still counts, oldest first.
    counted: VecDeque<Counted>,
    in_flight: u64,
    /// Until when the service refuses requests.
    closed_until: Option<Instant>,
    /// Whether the service has said that it has no limit.
    is_unlimited: bool,
}

/// What the last answer stated.
#[derive(Debug, Clone, Copy)]
struct Stated {
    at: Instant,
    limit: Option<u64>,
    window: Option<Duration>,
    /// How many requests may follow; grows as requests of this command leave the window.
    remaining: u64,
    /// When there is room for at least one more.
    reset: Option<Instant>,
}

#[derive(Debug, Clone, Copy)]
struct Counted {
    sent: Instant,
    answered: Instant,
}

/// When a request may be sent.
#[derive(Debug, PartialEq, Eq)]
enum Opening {
    Now,
    In(Duration),
    /// The answer to a request in flight decides.
    AfterAnAnswer,
}

/// A request that may be sent. Dropped: its answer is no longer awaited.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    rate_limit: &'a RateLimit,
    sent: Instant,
}

impl RateLimit {
    /// Waits until a request may be sent. Fails with the wait if it is longer than the time that is left.
    pub(crate) async fn permit(
        &self,
        output: &Output,
        deadline: Option<Instant>,
        is_quiet: bool,
    ) -> Result<Permit<'_>, Duration> {
        loop {
            let answered = self.answered.notified();
            tokio::pin!(answered);
            answered.as_mut().enable();
            let (now, opening) = self.take();
            let wait = match opening {
                Opening::Now => return Ok(Permit { rate_limit: self, sent: now }),
                Opening::AfterAnAnswer => {
                    answered.await;
                    continue;
                }
                Opening::In(wait) => wait,
            };
            if deadline.map_or(wait > PATIENCE, |deadline| now + wait > deadline) {
                return Err(wait);
            }
            let text = |seconds: u64| format!("Waiting for the rate limit: resuming in {seconds} s.");
            self.pause(output, wait, (wait >= NOTICED && !is_quiet).then_some(text)).await;
        }
    }

    /// Waits. If several requests wait at once, only one of them reports it.
    pub(crate) async fn pause(&self, output: &Output, wait: Duration, text: Option<impl Fn(u64) -> String>) {
        match text.and_then(|text| Some((text, self.reporting.try_lock().ok()?))) {
            Some((text, _reporting)) => output.wait(wait, text).await,
            None => tokio::time::sleep(wait).await,
        }
    }

    fn take(&self) -> (Instant, Opening) {
        let mut state = self.state();
        let now = Instant::now();
        let opening = state.opening(now);
        state.in_flight += u64::from(opening == Opening::Now);
        (now, opening)
    }

    /// The stated requests per window; `None`: the service states no limit.
    pub(crate) fn stated(&self) -> Option<(u64, Duration)> {
        let stated = self.state().stated?;
        Some((stated.limit?, stated.window?))
    }

    /// Whether the service says that it has no limit.
    pub(crate) fn is_unlimited(&self) -> bool {
        self.state().is_unlimited
    }

    /// Whether more than half of the limit was left when the service last stated it.
    pub(crate) fn has_half(&self) -> bool {
        self.state().stated.is_none_or(|stated| stated.limit.is_none_or(|limit| stated.remaining > limit / 2))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Records that an answer has begun to arrive. `refused`: it is refused as one too many, for this long.
    pub(crate) fn answered(self, headers: &HeaderMap, refused: Option<Duration>) {
        let headers = RateLimitHeaders::read(headers);
        self.rate_limit.state().answered(self.sent, Instant::now(), headers, refused);
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.rate_limit.state().in_flight -= 1;
        self.rate_limit.answered.notify_waiters();
    }
}

impl State {
    fn opening(&mut self, now: Instant) -> Opening {
        if let Some(until) = self.closed_until.filter(|until| *until > now) {
            return Opening::In(until - now);
        }
        let Some(stated) = &mut self.stated else { return Opening::Now };
        let window = stated.window;
        let leaves = |counted: &Counted| window.map(|window| counted.answered + window + slack(window));
        while self.counted.front().and_then(leaves).is_some_and(|leaves| leaves <= now) {
            self.counted.pop_front();
            stated.remaining = stated.remaining.saturating_add(1);
        }
        let is_reset = stated.reset.is_some_and(|reset| reset <= now);
        if stated.remaining.max(is_reset.into()) > self.in_flight {
            return Opening::Now;
        }
        if self.in_flight > 0 {
            return Opening::AfterAnAnswer;
        }
        let next = [self.counted.front().and_then(leaves), stated.reset].into_iter().flatten().min();
        next.map_or(Opening::Now, |next| Opening::In(next - now))
    }

    fn answered(&mut self, sent: Instant, now: Instant, headers: Option<RateLimitHeaders>, refused: Option<Duration>) {
        let before = self.stated;
        if let Some(headers) = &headers {
            self.is_unlimited = headers.unlimited;
        }
        self.stated = match headers {
            Some(headers) if headers.unlimited => None,
            // A proxy may have answered.
            None => before.map(|stated| Stated { remaining: stated.remaining.saturating_sub(1), ..stated }),
            Some(headers) => Stated::of(headers, now).map(|stated| match before {
                // The two answers may have overtaken each other.
                Some(before) if sent < before.at => {
                    Stated { remaining: stated.remaining.min(before.remaining), ..stated }
                }
                _ => stated,
            }),
        };
        if let Some(wait) = refused {
            let stated = self.stated.or(before);
            let (limit, window) = stated.map_or((None, None), |stated| (stated.limit, stated.window));
            self.stated = Some(Stated { at: now, limit, window, remaining: 0, reset: Some(now + wait) });
            self.closed_until = self.closed_until.max(Some(now + wait));
        } else {
            self.counted.push_back(Counted { sent, answered: now });
        }
        // Requests that have left the window are in `remaining` already, or will be in that of the next answer.
        let window = self.stated.and_then(|stated| stated.window).unwrap_or_default();
        self.counted.retain(|counted| counted.sent + window > now + slack(window));
        if let Some(Stated { limit: Some(limit), remaining, .. }) = self.stated {
            let most = usize::try_from(limit.saturating_sub(remaining)).unwrap_or(usize::MAX);
            self.counted.drain(..self.counted.len().saturating_sub(most));
        }
    }
}

impl Stated {
    fn of(headers: RateLimitHeaders, now: Instant) -> Option<Self> {
        let window = headers.window.map(Duration::from_secs).filter(|window| *window <= LONGEST_WINDOW);
        let reset = headers.reset.map(Duration::from_secs).filter(|reset| *reset <= window.unwrap_or(LONGEST_RESET));
        Some(Self {
            at: now,
            limit: headers.limit,
            window,
            remaining: headers.remaining?,
            reset: reset.map(|reset| now + reset),
        })
    }
}

/// How far two clocks may drift apart within a window.
fn slack(window: Duration) -> Duration {
    window / 1000 + Duration::from_millis(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn stating(limit: u64, window: u64, remaining: u64, reset: u64) -> Option<RateLimitHeaders> {
        Some(RateLimitHeaders {
            limit: Some(limit),
            window: Some(window),
            remaining: Some(remaining),
            reset: Some(reset),
            unlimited: false,
        })
    }

    /// A service with a strict sliding window.
    struct Service {
        limit: u64,
        window: Duration,
        accepted: VecDeque<Instant>,
        refused: u32,
    }

    impl Service {
        fn arrives(&mut self, now: Instant) -> (Option<RateLimitHeaders>, Option<Duration>) {
            while self.accepted.front().is_some_and(|first| *first + self.window <= now) {
                self.accepted.pop_front();
            }
            let is_refused = self.accepted.len() as u64 >= self.limit;
            if !is_refused {
                self.accepted.push_back(now);
            }
            let reset = self.accepted.front().map_or(self.window, |first| *first + self.window - now);
            let seconds = reset.as_nanos().div_ceil(1_000_000_000) as u64;
            let remaining = self.limit - self.accepted.len() as u64;
            self.refused += u32::from(is_refused);
            (
                stating(self.limit, self.window.as_secs(), remaining, seconds),
                is_refused.then(|| Duration::from_secs(seconds.max(1))),
            )
        }
    }

    /// Sends this many requests from each command, three at once; a request takes 2 to 40 ms. How long it takes, as a
    /// multiple of the least time, and how many are refused.
    fn simulate(commands: usize, requests: u32, seed: u64) -> (f64, u32) {
        let (start, tick) = (Instant::now(), Duration::from_millis(1));
        let mut service = Service { limit: 100, window: 60 * SECOND, accepted: VecDeque::new(), refused: 0 };
        let mut states: Vec<State> = (0..commands).map(|_| State::default()).collect();
        let mut left = vec![requests; commands];
        // Of each request on its way: the command, when it was sent, when it arrives, and when its answer does.
        let mut sent: Vec<(usize, Instant, Instant, Instant)> = Vec::new();
        let mut answers = Vec::new();
        let (mut now, mut random) = (start, seed);
        while left.iter().any(|left| *left > 0) || !sent.is_empty() || !answers.is_empty() {
            sent.retain(|(command, at, arrives, returns)| {
                let is_here = *arrives <= now;
                if is_here {
                    answers.push((*command, *at, *returns, service.arrives(now)));
                }
                !is_here
            });
            answers.retain(|(command, at, returns, (headers, refused))| {
                let is_here = *returns <= now;
                if is_here {
                    states[*command].answered(*at, now, *headers, *refused);
                    states[*command].in_flight -= 1;
                    left[*command] += u32::from(refused.is_some());
                }
                !is_here
            });
            for (command, state) in states.iter_mut().enumerate() {
                // Before the first answer, an export sends one request.
                let most = if state.stated.is_none() { 1 } else { 3 };
                while left[command] > 0 && state.in_flight < most && state.opening(now) == Opening::Now {
                    state.in_flight += 1;
                    left[command] -= 1;
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let to = tick * (1 + (random >> 40) as u32 % 20);
                    let back = tick * (1 + (random >> 50) as u32 % 20);
                    sent.push((command, now, now + to, now + to + back));
                }
            }
            now += tick;
        }
        let least = 60 * ((requests * commands as u32).div_ceil(100) - 1);
        ((now - start).as_secs_f64() / f64::from(least), service.refused)
    }

    #[test]
    fn a_command_alone_is_never_refused_and_takes_hardly_longer_than_the_limit_makes_it() {
        for seed in 0..20 {
            let (ratio, refused) = simulate(1, 250, seed);
            assert!(refused == 0 && (1.0..1.03).contains(&ratio), "{seed}: {ratio}, {refused} refused");
        }
    }

    #[test]
    fn commands_that_share_a_limit_unknowingly_take_hardly_longer_than_it_makes_them() {
        for seed in 0..20 {
            let (ratio, refused) = simulate(3, 84, seed);
            assert!(refused < 60 && (1.0..1.1).contains(&ratio), "{seed}: {ratio}, {refused} refused");
        }
    }

    #[test]
    fn a_refusal_closes_the_limit_for_as_long_as_it_says() {
        let (mut state, now) = (State::default(), Instant::now());
        state.answered(now, now, None, Some(7 * SECOND));
        assert_eq!(state.opening(now + SECOND), Opening::In(6 * SECOND));
        assert_eq!(state.opening(now + 7 * SECOND), Opening::Now);
    }

    #[test]
    fn an_unlimited_service_and_one_that_states_nothing_are_never_waited_for() {
        let (mut state, now) = (State::default(), Instant::now());
        state.answered(now, now, None, None);
        assert_eq!(state.opening(now), Opening::Now);
        state.answered(now, now, stating(1, 60, 0, 60), None);
        assert_eq!(state.opening(now), Opening::In(60 * SECOND));
        state.answered(now, now, Some(RateLimitHeaders { unlimited: true, ..RateLimitHeaders::default() }), None);
        assert_eq!(state.opening(now), Opening::Now);
    }

    #[test]
    fn a_window_that_resets_as_a_whole_frees_nothing_before() {
        let (mut state, now) = (State::default(), Instant::now());
        let late = now + 50 * SECOND;
        (0..10).for_each(|number| state.answered(late, late, stating(10, 60, 9 - number, 10), None));
        assert_eq!(state.opening(late), Opening::In(10 * SECOND));
        let next = late + 10 * SECOND;
        assert_eq!(state.opening(next), Opening::Now);
        (0..10).for_each(|number| state.answered(next, next, stating(10, 60, 9 - number, 60), None));
        assert_eq!(state.opening(late + 65 * SECOND), Opening::In(5 * SECOND));
    }

    #[test]
    fn a_reset_that_is_a_time_of_day_is_not_believed() {
        let (mut state, now) = (State::default(), Instant::now());
        let headers = stating(10, 60, 0, 1_795_000_000).map(|headers| RateLimitHeaders { window: None, ..headers });
        state.answered(now, now, headers, None);
        assert_eq!(state.opening(now), Opening::Now);
    }
}
