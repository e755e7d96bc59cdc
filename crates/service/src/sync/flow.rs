//! How a sync continues after a step.

use std::time::Duration;

use chrono::TimeDelta;

pub(super) enum Flow {
    /// Continue with the next step, after a wait under the claim.
    On(Duration),
    /// Stop here: the part is parked, ended, or another node's.
    Off,
}

/// A signed duration, so that it can be compared with negative ones.
pub(super) fn delta(duration: Duration) -> TimeDelta {
    TimeDelta::from_std(duration).unwrap_or(TimeDelta::MAX)
}
