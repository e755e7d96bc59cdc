//! How often a session is asked for: quickly at first and after an answer, then slowly.
//!
//! What holds: at a service with a rate limit, a command that follows spends at most a tenth of it, 10 requests in any 60
//! seconds by the specification, or a few if that is less. What is left of them is spread over what is left of the minute, so
//! that a quick beginning is never followed by a long silence.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

// The last wait takes nine of the ten requests: the tenth is for an answer that is to be seen at once.
const REMOTE_WAITS: [u64; 5] = [500, 1000, 1500, 3000, 6600];
const LOCAL_WAITS: [u64; 4] = [100, 150, 200, 300];
const WINDOW: Duration = Duration::from_secs(60);
const MOST_POLLS: usize = 10;
/// At a low limit, so many polls or half of the limit: a sync has changed its status several times before it ends.
const FEW_POLLS: u64 = 5;
/// Limits in longer windows do not change the pace.
const LONGEST_WINDOW: Duration = Duration::from_secs(600);
/// With no more polls than this left, none is quick.
const RESERVE: u32 = 3;
/// The least time between an answer and a request that the service may hold: changes often come together.
const TOGETHER: Duration = Duration::from_millis(500);

/// The pace of one following.
#[derive(Debug)]
pub(crate) struct Pace {
    local: bool,
    step: usize,
    polls: VecDeque<Instant>,
    most: usize,
    window: Duration,
}

impl Pace {
    /// A pace for the service inside the command, which limits nothing, or for any other.
    pub(crate) const fn new(local: bool) -> Self {
        Self { local, step: 0, polls: VecDeque::new(), most: MOST_POLLS, window: WINDOW }
    }

    /// The session was asked for.
    pub(crate) fn polled(&mut self, now: Instant) {
        while self.polls.front().is_some_and(|oldest| now.saturating_duration_since(*oldest) >= self.window) {
            self.polls.pop_front();
        }
        self.polls.push_back(now);
    }

    /// The service accepts this many requests in a window.
    pub(crate) fn limit(&mut self, requests: u64, window: Duration) {
        if window <= LONGEST_WINDOW {
            let most = (requests / 10).max(FEW_POLLS.min(requests / 2)).max(1);
            self.most = usize::try_from(most).unwrap_or(usize::MAX);
            self.window = window;
        }
    }

    /// The service accepts any number of requests.
    pub(crate) const fn unlimited(&mut self) {
        self.most = usize::MAX;
    }

    /// Returns whether nothing limits the requests.
    pub(crate) const fn is_unlimited(&self) -> bool {
        self.local || self.most == usize::MAX
    }

    /// Something is about to happen.
    pub(crate) const fn hurry(&mut self) {
        self.step = 0;
    }

    /// How many polls are left in the window.
    fn left(&self) -> u32 {
        u32::try_from(self.most.saturating_sub(self.polls.len())).unwrap_or(u32::MAX)
    }

    /// How long to sleep before a request that the service can hold for the rest of this [wait](Self::wait). `waits` is false if it
    /// answered the last such request too early.
    pub(crate) fn sleep(&self, now: Instant, wait: Duration, waits: bool) -> Duration {
        match (self.left(), waits) {
            (0, _) => self.until_more(now).max(TOGETHER),
            (..=RESERVE, false) => wait,
            _ => wait.min(TOGETHER),
        }
    }

    /// How long to wait before the session is asked for again.
    pub(crate) fn wait(&mut self, now: Instant) -> Duration {
        let waits: &[u64] = if self.local { &LOCAL_WAITS } else { &REMOTE_WAITS };
        let wait = Duration::from_millis(waits.get(self.step).or(waits.last()).copied().unwrap_or_default());
        self.step += 1;
        let is_quick = self.step < waits.len();
        match self.left() {
            _ if self.local => wait,
            0 => wait.max(self.until_more(now)),
            left if is_quick && left > RESERVE => wait,
            left => wait.max(self.until_more(now) / left),
        }
    }

    /// How long until the oldest poll of the window no longer counts.
    fn until_more(&self, now: Instant) -> Duration {
        self.polls.front().map_or(Duration::ZERO, |oldest| (*oldest + self.window).saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When the polls of ten minutes happen, in an endless session in which something is answered every `answer`-th time.
    fn polls(local: bool, answer: usize) -> Vec<Duration> {
        let start = Instant::now();
        let (mut pace, mut now, mut polls) = (Pace::new(local), start, Vec::new());
        while now < start + Duration::from_secs(600) {
            pace.polled(now);
            polls.push(now - start);
            if polls.len() % answer == 0 {
                pace.hurry();
            }
            now += pace.wait(now);
        }
        polls
    }

    #[test]
    fn following_spends_a_tenth_of_the_limit_whatever_happens() {
        for answer in [1, 2, 3, 7, usize::MAX] {
            let polls = polls(false, answer);
            for (index, first) in polls.iter().enumerate() {
                let in_window = polls[index..].iter().take_while(|poll| **poll - *first < WINDOW).count();
                assert!(in_window <= MOST_POLLS, "{in_window} from {first:?} with an answer every {answer}");
            }
        }
    }

    /// When a session is asked for at a service that waits for a change, or answers at once, up to an end that comes after `length`;
    /// and when that end is known.
    fn held(waits: bool, limit: u64, length: Duration) -> (Vec<Duration>, Duration) {
        let start = Instant::now();
        let (mut pace, mut now, mut polls) = (Pace::new(false), start, Vec::new());
        let mut hold = Duration::ZERO;
        loop {
            pace.polled(now);
            pace.limit(limit, WINDOW);
            polls.push(now - start);
            let left = (start + length).saturating_duration_since(now);
            now += if waits { hold.min(left) } else { Duration::ZERO };
            if now >= start + length {
                return (polls, now - start);
            }
            let wait = pace.wait(now);
            let may_wait = waits || hold.is_zero();
            hold = wait.clamp(Duration::from_secs(1), Duration::from_secs(25));
            now += pace.sleep(now, wait, may_wait);
        }
    }

    #[test]
    fn a_service_that_waits_for_a_change_tells_it_at_once_and_no_other_is_asked_more_often() {
        for seconds in (1..300).map(|tenths| f64::from(tenths) * 1.7) {
            let length = Duration::from_secs_f64(seconds);
            for waits in [true, false] {
                let (polls, known) = held(waits, 100, length);
                let late = known - length;
                assert!(late < Duration::from_secs(if waits { 1 } else { 20 }), "{length:?} {waits}: {late:?} late");
                for (index, first) in polls.iter().enumerate() {
                    let in_window = polls[index..].iter().take_while(|poll| **poll - *first < WINDOW).count();
                    assert!(in_window <= MOST_POLLS, "{in_window} from {first:?}");
                }
            }
        }
    }

    #[test]
    fn a_low_limit_does_not_keep_an_end_within_seconds_unknown() {
        for limit in [10, 20, 30, 50] {
            for seconds in [0.4, 1.5, 8.0, 20.0] {
                let length = Duration::from_secs_f64(seconds);
                let (_, known) = held(true, limit, length);
                assert!(known - length < Duration::from_secs(1), "{limit} {length:?}: known after {known:?}");
            }
        }
    }

    #[test]
    fn the_first_seconds_are_quick_and_no_silence_follows() {
        assert!(polls(false, usize::MAX).windows(2).all(|pair| pair[1] - pair[0] < Duration::from_secs(12)));
        assert!(polls(false, usize::MAX).iter().filter(|poll| poll.as_secs() < 7).count() >= 5);
        let settled = polls(false, usize::MAX);
        let settled: Vec<_> = settled.windows(2).filter(|pair| pair[0].as_secs() >= 120).collect();
        assert!(settled.iter().all(|pair| pair[1] - pair[0] <= Duration::from_secs(8)), "{settled:?}");
        assert!(polls(true, usize::MAX).windows(2).all(|pair| pair[1] - pair[0] <= Duration::from_millis(300)));
    }
}
