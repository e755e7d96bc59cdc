//! The time of day, for the few places that compare a date of the service with it.

use chrono::{DateTime, Utc};

/// The machine's time of day.
#[allow(clippy::disallowed_methods, reason = "the command line's one place that reads the machine's clock")]
pub(crate) fn now() -> DateTime<Utc> {
    Utc::now()
}
