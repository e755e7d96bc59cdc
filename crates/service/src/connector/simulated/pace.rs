//! How long the simulated retailers take. Everything is divided by the speed that the sandbox was given.

use std::time::Duration;

use super::scenario::Scenario;
use crate::connector::{PhaseLimits, Step};

/// Each of the two waits while signing in.
const SIGN_IN: Duration = Duration::from_millis(400);
/// Between two pages, and for all pages together.
const PAGE: Duration = Duration::from_millis(120);
const ALL_PAGES: Duration = Duration::from_secs(4);
/// Between two pages of the slow account.
const SLOW_PAGE: Duration = Duration::from_millis(500);
/// Shorter waits are none: waking up costs as much.
const SHORTEST: Duration = Duration::from_millis(5);
/// How long a sign-in may last.
const CONNECTING: Duration = Duration::from_secs(20);
/// However fast the retailers are, the machine and the engine's repetitions need this long to sign in.
const CONNECTING_AT_LEAST: Duration = Duration::from_secs(8);
/// How soon a failed request may be repeated.
const RETRY: Duration = Duration::from_millis(250);

/// From how many items on a history is read in larger pages.
const LARGE: u32 = 1_000;
const HUGE: u32 = 100_000;

/// How many times faster than life.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    speed: f64,
}

impl Pace {
    /// A speed that makes no sense counts as the nearest that does; one that is no number, as 1.
    pub(super) const fn new(speed: f64) -> Self {
        Self { speed: if speed.is_nan() { 1.0 } else { speed.clamp(0.01, 1_000_000.0) } }
    }

    fn scaled(self, wait: Duration) -> Duration {
        wait.div_f64(self.speed)
    }

    pub(super) fn sign_in(self) -> Duration {
        self.shortened(SIGN_IN)
    }

    pub(super) fn retry(self) -> Duration {
        self.shortened(RETRY)
    }

    /// Longer than any sign-in may last.
    pub(super) fn stall(self) -> Duration {
        self.limits().connecting * 2
    }

    pub(super) fn limits(self) -> PhaseLimits {
        // Nobody's shop has to be spared: as many at a time as the node works on.
        PhaseLimits {
            connecting: self.scaled(CONNECTING).max(CONNECTING_AT_LEAST),
            parallel: Some(usize::MAX),
            ..PhaseLimits::default()
        }
    }

    fn shortened(self, wait: Duration) -> Duration {
        let wait = self.scaled(wait);
        if wait < SHORTEST { Duration::ZERO } else { wait }
    }
}

/// How a history is read: whole orders, so many at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pages {
    pub(super) orders_per_page: u32,
    /// How long to wait before each.
    wait: Duration,
    /// Whether the wait stands still while the user's clock does: so a test can hold a sync, and look at it.
    by_clock: bool,
}

impl Pages {
    /// A large page has at most 480 items and a huge one at most 1,984, since twelve orders in a row have 32.
    pub(super) fn of(scenario: Scenario, items: u32, orders: u32, pace: Pace) -> Self {
        let orders_per_page = match items {
            _ if scenario == Scenario::Slow => 4,
            0..LARGE => 8,
            LARGE..HUGE => 180,
            _ => 744,
        };
        let pages = orders.div_ceil(orders_per_page).max(1);
        let wait = match items {
            _ if scenario == Scenario::Slow => SLOW_PAGE,
            0..HUGE => PAGE.min(ALL_PAGES / pages),
            _ => Duration::ZERO,
        };
        Self { orders_per_page, wait: pace.shortened(wait), by_clock: scenario == Scenario::Slow }
    }

    /// The step, with the wait before the first page after it: no clock holds that one, so that a sync that is held has read
    /// something.
    pub(super) fn paced_at_first(self, step: Step) -> Step {
        step.after(self.wait)
    }

    /// The step, with the wait before a later page after it.
    pub(super) fn paced(self, step: Step) -> Step {
        let step = step.after(self.wait);
        if self.by_clock { step.by_the_clock() } else { step }
    }
}
