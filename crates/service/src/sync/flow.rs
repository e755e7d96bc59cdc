//! How a sync goes on after a step.

use std::time::Duration;

use chrono::TimeDelta;

use crate::store::guard::Held;

/// How it goes on after a step.
pub(super) enum Flow {
    /// With the next step, after a wait under the claim.
    On(Duration),
    /// Not here: it is parked, ended, or another node's.
    Off,
}

pub(super) const fn on(held: Held) -> Flow {
    match held {
        Held::Yes => Flow::On(Duration::ZERO),
        Held::Fenced => Flow::Off,
    }
}

/// A duration that can be compared with less than nothing.
pub(super) fn delta(duration: Duration) -> TimeDelta {
    TimeDelta::from_std(duration).unwrap_or(TimeDelta::MAX)
}
