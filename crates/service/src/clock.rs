//! Time. Nothing else in the service reads it, so a test or a sandbox can stop it or move it.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

/// A source of time.
pub trait Clock: Send + Sync {
    /// The time of day.
    fn now(&self) -> DateTime<Utc>;
    /// Time since some fixed moment; never goes back, even if the time of day does.
    fn elapsed(&self) -> Duration;
}

/// The machine's own clock.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
pub(crate) use settable::SettableClock;

#[cfg(test)]
mod settable {
    use std::sync::Mutex;

    use super::{Clock, DateTime, Duration, Utc};

    /// A clock that stays at one time until it is moved.
    #[derive(Debug)]
    pub(crate) struct SettableClock {
        start: DateTime<Utc>,
        elapsed: Mutex<Duration>,
    }

    impl SettableClock {
        /// A clock that starts at `start`.
        pub(crate) const fn at(start: DateTime<Utc>) -> Self {
            Self { start, elapsed: Mutex::new(Duration::ZERO) }
        }

        /// Moves the clock forward.
        pub(crate) fn advance(&self, by: Duration) {
            *self.elapsed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += by;
        }
    }

    impl Clock for SettableClock {
        fn now(&self) -> DateTime<Utc> {
            self.start + self.elapsed()
        }

        fn elapsed(&self) -> Duration {
            *self.elapsed.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
        }
    }
}
