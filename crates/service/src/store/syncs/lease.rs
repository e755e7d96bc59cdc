//! The transaction that every change of a sync is made in: its claim is known to hold there, and its lease is fresh.

use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::SyncStatus;

use crate::clock::Clock;
use crate::store::accounts::users::UserClock;
use crate::store::db::query_scalar;
use crate::store::syncs::queue::{Claim, LEASE};
use crate::store::{Store, StoreError, Write, count, micros};

/// Whether the claim held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(crate) enum Held {
    /// The change is made.
    Yes,
    /// Another node has the work now, or it is gone: nothing was changed, and nothing more is to be done.
    Fenced,
}

/// A transaction in which a claim is known to hold.
pub(in crate::store) struct Guarded {
    pub(in crate::store) tx: Write,
    /// The user's time.
    pub(in crate::store) now: DateTime<Utc>,
    pub(in crate::store) user: UserClock,
    /// By how much the user's clock was moved past what the part has done.
    behind: Duration,
}

impl Guarded {
    /// How much of a wait is over already, because the user's clock was moved past it, and what is left of it. Under a clock
    /// that stands still, it would never be over: nothing is left of it, unless it is to stand still as well.
    pub(in crate::store) fn catch_up(&self, wait: Duration, by_clock: bool) -> (Duration, Duration) {
        if self.user.is_frozen() && !by_clock {
            return (Duration::ZERO, Duration::ZERO);
        }
        let skipped = self.behind.min(wait);
        (skipped, wait - skipped)
    }
}

impl Store {
    /// A transaction in which the claim is known to hold, with a fresh lease; none if it does not hold.
    pub(in crate::store) async fn guarded(
        &self,
        claim: &Claim,
        clock: &dyn Clock,
    ) -> Result<Option<Guarded>, StoreError> {
        let mut tx = self.write().await?;
        let machine = clock.now();
        let behind: Option<i64> = query_scalar(
            "UPDATE retailer_sessions SET lease_until = $1, claims_without_commit = 0
             WHERE id = $2 AND lease_owner = $3 AND epoch = $4 AND active = 1 AND sync_status = $5
             RETURNING behind",
        )
        .bind_all((micros(machine + LEASE), &claim.id, &claim.owner, claim.epoch, claim.status.as_str()))
        .fetch_optional(&mut tx)
        .await?;
        let Some(behind) = behind else { return Ok(None) };
        let user = self.clock_of(&claim.user_id, &mut tx).await?;
        let behind = Duration::from_micros(count(behind));
        Ok(Some(Guarded { tx, now: user.time(machine)?, user, behind }))
    }
}

/// Makes the change.
pub(in crate::store) async fn commit(tx: Write) -> Result<Held, StoreError> {
    tx.commit().await?;
    Ok(Held::Yes)
}

/// Whether a part may go from one state to the other.
pub(in crate::store) const fn check(from: SyncStatus, to: SyncStatus) -> Result<(), StoreError> {
    if from.can_become(to) { Ok(()) } else { Err(StoreError::IllegalStep { from: from.as_str(), to: to.as_str() }) }
}
