//! What to do when the machine's clock is set back while syncs wait for their next step.

use chrono::{DateTime, TimeDelta, Utc};

use crate::store::db::dialect::by_environment;
use crate::store::db::{ByEnvironment, query};
use crate::store::syncs::queue::LEASE;
use crate::store::{Store, StoreError, micros};

/// A part that waits is due as long from `$1` (the machine's new time) as it was from the old time, which is `$2` later; one
/// that was due already is due now. What is left of its phase stays. Users whose clock a sandbox froze are left alone, and so
/// are parts that wait for a person.
///
/// Another node that notices the same makes a part due at once at worst: a retailer's pace is kept elsewhere.
const SET_BACK: ByEnvironment = by_environment!(
    "UPDATE retailer_sessions AS r
     SET deadline_at = r.deadline_at - (r.due_at - ",
    [greatest],
    "(r.due_at - $2, $1",
    [sandbox offset],
    ")), due_at = ",
    [greatest],
    "(r.due_at - $2, $1",
    [sandbox offset],
    ")",
    [sandbox running users of "r"],
    "r.active = 1 AND r.due_at > $1",
    [sandbox offset]
);

/// No lease holds beyond `$1`: that of a node which died would hold until the old time comes again. One that is held is
/// renewed long before.
const SHORTEN_LEASES: &str = "UPDATE retailer_sessions SET lease_until = $1 WHERE active = 1 AND lease_until > $1";

impl Store {
    /// Moves the syncs that wait along with a clock that was set back by `by`, to `now`; without this they would wait for so
    /// much longer. Returns how many.
    pub(crate) async fn set_back(&self, now: DateTime<Utc>, by: TimeDelta) -> Result<u64, StoreError> {
        let mut tx = self.write().await?;
        let by = by.num_microseconds().unwrap_or(i64::MAX);
        let moved = query(self.sql(SET_BACK)).bind_all((micros(now), by)).execute(&mut tx).await?;
        query(SHORTEN_LEASES).bind(micros(now + LEASE)).execute(&mut tx).await?;
        tx.commit().await?;
        Ok(moved)
    }
}
