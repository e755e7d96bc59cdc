//! Waits between the tries of a loop whose work fails: at first one second, doubled with each failure, at most half a
//! minute. The log gets a line when the work begins to fail and when it works again, not one per try: the log may be on
//! the very disk that is full.

use std::fmt::Display;
use std::time::Duration;

const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The state of one kind of work. Times are those of [`Clock::elapsed`](crate::clock::Clock::elapsed).
#[derive(Debug)]
pub(crate) struct Backoff {
    /// The name of the work, for the log.
    work: &'static str,
    failing: Option<Failing>,
}

#[derive(Debug, Clone, Copy)]
struct Failing {
    wait: Duration,
    until: Duration,
}

impl Backoff {
    pub(crate) const fn new(work: &'static str) -> Self {
        Self { work, failing: None }
    }

    /// Whether the work may be tried at `now`.
    pub(crate) fn is_due(&self, now: Duration) -> bool {
        self.remaining(now).is_zero()
    }

    /// How long until the work may be tried again; zero if it is not failing.
    pub(crate) fn remaining(&self, now: Duration) -> Duration {
        self.failing.map_or(Duration::ZERO, |failing| failing.until.saturating_sub(now))
    }

    /// Records how a try ended, and returns its result, if it has one.
    pub(crate) fn note<T, E: Display>(&mut self, tried: Result<T, E>, now: Duration) -> Option<T> {
        match (tried, self.failing) {
            (Ok(done), failing) => {
                if failing.is_some() {
                    tracing::info!(work = self.work, "works again");
                    self.failing = None;
                }
                Some(done)
            }
            (Err(error), None) => {
                tracing::error!(work = self.work, %error, "fails; it is tried again, less and less often");
                self.failing = Some(Failing { wait: FIRST_WAIT, until: now + FIRST_WAIT });
                None
            }
            (Err(error), Some(failing)) => {
                tracing::debug!(work = self.work, %error, "still fails");
                let wait = (failing.wait * 2).min(LONGEST_WAIT);
                self.failing = Some(Failing { wait, until: now + wait });
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_wait_doubles_up_to_half_a_minute_and_is_over_with_the_first_success() {
        let mut backoff = Backoff::new("test");
        let mut now = seconds(100);
        assert!(backoff.is_due(now));
        let mut waits = Vec::new();
        for _ in 0..7 {
            assert_eq!(backoff.note(Err::<(), _>("no room"), now), None);
            let wait = backoff.remaining(now);
            assert!(!backoff.is_due(now + wait - Duration::from_millis(1)));
            now += wait;
            assert!(backoff.is_due(now));
            waits.push(wait.as_secs());
        }
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
        assert_eq!(backoff.note(Ok::<_, &str>(7), now), Some(7));
        assert_eq!(backoff.note(Err::<(), _>("no room"), now), None);
        assert_eq!(backoff.remaining(now), seconds(1));
    }
}
