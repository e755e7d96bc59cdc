//! How failed steps are handled, and how parts end.

use std::time::Duration;

use chrono::{DateTime, SubsecRound as _, Utc};
use ordersync_api::{SyncErrorCode, Timestamp};

use super::Engine;
use super::flow::{Flow, delta};
use super::traced;
use crate::connector::{ConnectorError, ScanReport};
use crate::store::StoreError;
use crate::store::syncs::finish::{End, Leftover, Panicked};
use crate::store::syncs::lease::Held;
use crate::store::syncs::queue::Claim;
use crate::store::syncs::steps::{After, Again, INLINE_WAIT};

/// How often a step is repeated after a transient failure.
const REPETITIONS: u32 = 4;
/// The longest wait between repetitions.
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);
/// The span of what the end of a sync writes.
const FINISH: &str = "sync.finish";
/// The wait for a retailer's pace, if the connector does not say how long.
const USUAL_PACE: Duration = Duration::from_secs(1);

impl Engine {
    /// Every order was seen. If a hard check failed, the part ends in an error: orders that passed are stored, and the
    /// sign-in stays valid.
    pub(super) async fn scanned(
        &self,
        claim: &Claim,
        session: Option<&[u8]>,
        report: &ScanReport,
    ) -> Result<Flow, StoreError> {
        let listed_all = report.listed_all();
        if listed_all && self.store.mark_missing(claim, &*self.clock).await? == Held::Fenced {
            return Ok(Flow::Off);
        }
        let kept_back = self.store.why_kept_back(claim).await?;
        if let Some(message) = report.incomplete().or(kept_back.as_deref()) {
            let end = End::Failed(SyncErrorCode::RetailerIncomplete, message);
            return self.end_with(claim, end, Leftover { session, asked: None, listed_all }).await;
        }
        let work = self.store.complete(claim, &*self.clock, session, report.end_not_proven());
        let held = traced::in_store(claim, FINISH, Vec::new, work).await?;
        self.ended(claim, End::Completed, held).await
    }

    /// The step took too long: it is repeated until its phase is over.
    pub(super) async fn cut_off(&self, claim: &Claim, elapsed: Duration) -> Result<Flow, StoreError> {
        let again = self.again(claim, elapsed, None);
        if again.left.is_zero() {
            return self.end(claim, End::TimedOut(SyncErrorCode::RetailerTimeout)).await;
        }
        self.repeat(claim, SyncErrorCode::RetailerTimeout, again).await
    }

    /// The step failed, or has to wait for the retailer's pace: it is repeated later, or ends the part.
    pub(super) async fn failed(
        &self,
        claim: &mut Claim,
        error: &ConnectorError,
        elapsed: Duration,
        release: bool,
    ) -> Result<Flow, StoreError> {
        if error.paced {
            return self.pace(claim, error.retry_after.unwrap_or(USUAL_PACE), elapsed, release).await;
        }
        let again = self.again(claim, elapsed, error.retry_after);
        if error.transient && claim.attempt < REPETITIONS && !again.left.is_zero() {
            return self.repeat(claim, error.code, again).await;
        }
        let leftover = Leftover { asked: error.retry_after, ..Leftover::default() };
        let Some(asked) = error.retry_after else {
            return self.end_with(claim, End::Failed(error.code, &error.message), leftover).await;
        };
        let until = self.user_now(claim).await? + asked;
        let message = format!("{} {}", error.message, asked_until(until));
        self.end_with(claim, End::Failed(error.code, &message), leftover).await
    }

    /// Waits until the retailer's pace allows the step. This is not a failure, and the wait takes nothing from the
    /// phase's time.
    async fn pace(
        &self,
        claim: &mut Claim,
        wait: Duration,
        elapsed: Duration,
        release: bool,
    ) -> Result<Flow, StoreError> {
        claim.left = claim.left.saturating_sub(elapsed);
        claim.worked = claim.worked.saturating_add(elapsed);
        if wait <= INLINE_WAIT && !release {
            // At least a moment: a connector that asks for no wait at all must not spin.
            return Ok(Flow::On(wait.max(Duration::from_millis(1))));
        }
        let again = Again { wait, left: claim.left, worked: claim.worked, failed: false, asked: None };
        Ok(match self.store.commit_again(claim, &*self.clock, again).await? {
            After::On(wait) => Flow::On(wait),
            After::Released | After::Fenced => Flow::Off,
        })
    }

    async fn repeat(&self, claim: &Claim, code: SyncErrorCode, again: Again) -> Result<Flow, StoreError> {
        tracing::info!(
            batch_id = claim.batch_id,
            connection_id = claim.connection_id,
            trace_id = claim.trace_id(),
            code = code.as_str(),
            attempt = claim.attempt,
            "a step of a sync failed and will be repeated"
        );
        self.store.commit_again(claim, &*self.clock, again).await.map(|_| Flow::Off)
    }

    /// How a step that failed after this time is repeated: after a wait that the retailer asked for, or else one that grows.
    fn again(&self, claim: &Claim, elapsed: Duration, asked: Option<Duration>) -> Again {
        let backoff = || self.settings.retry_base.saturating_mul(1 << claim.attempt.min(16)).min(LONGEST_BACKOFF);
        let wait = asked.unwrap_or_else(backoff);
        let left = claim.left.saturating_sub(elapsed).saturating_sub(wait);
        let worked = claim.worked.saturating_add(elapsed).saturating_add(wait);
        Again { wait, left, worked, failed: true, asked }
    }

    /// A step panicked: it is repeated after a while, or ends its part.
    pub(super) async fn note_panic(&self, claim: &Claim) {
        match self.store.note_panic(claim, &*self.clock).await {
            Ok(Panicked::Again) => {
                tracing::error!(
                    batch_id = claim.batch_id,
                    retailer_id = claim.retailer_id,
                    trace_id = claim.trace_id(),
                    "a step of a sync panicked"
                );
            }
            Ok(Panicked::Ended) => self.note_end(&EndedPart::of(claim), Some(SyncErrorCode::InternalError)).await,
            Ok(Panicked::Fenced) => {}
            Err(error) => {
                let (batch_id, trace_id) = (&claim.batch_id, claim.trace_id());
                tracing::error!(%error, batch_id, trace_id, "cannot note that a sync panicked");
            }
        }
    }

    /// Ends a part that the service cannot continue.
    pub(super) async fn end_broken(&self, claim: &Claim, message: &str) {
        if let Err(error) = self.end(claim, End::Failed(SyncErrorCode::InternalError, message)).await {
            let (batch_id, trace_id) = (&claim.batch_id, claim.trace_id());
            tracing::error!(%error, batch_id, trace_id, "cannot end a sync");
        }
    }

    pub(super) async fn end(&self, claim: &Claim, end: End<'_>) -> Result<Flow, StoreError> {
        self.end_with(claim, end, Leftover::default()).await
    }

    async fn end_with(&self, claim: &Claim, end: End<'_>, leftover: Leftover<'_>) -> Result<Flow, StoreError> {
        let work = self.store.finish(claim, &*self.clock, end, leftover);
        let held = traced::in_store(claim, FINISH, Vec::new, work).await?;
        self.ended(claim, end, held).await
    }

    async fn ended(&self, claim: &Claim, end: End<'_>, held: Held) -> Result<Flow, StoreError> {
        self.catalog.release(&claim.id);
        if held == Held::Yes {
            let code = match end {
                End::Completed => None,
                End::Failed(code, _) | End::TimedOut(code) => Some(code),
            };
            self.note_end(&EndedPart::of(claim), code).await;
        }
        Ok(Flow::Off)
    }

    /// Counts and logs a part that has ended, however it did.
    pub(super) async fn note_end(&self, ended: &EndedPart<'_>, code: Option<SyncErrorCode>) {
        self.metrics.count_sync(code);
        // The line is worth more than its figures.
        let figures = self.store.figures(ended.part_id).await.ok().flatten();
        if let Some(figures) = &figures {
            traced::whole(
                ended.part_id,
                traced::ids(ended.batch_id, ended.connection_id, ended.retailer_id),
                figures,
                code,
            );
        }
        tracing::info!(
            batch_id = ended.batch_id,
            connection_id = ended.connection_id,
            retailer_id = ended.retailer_id,
            trace_id = figures.and_then(|figures| figures.trace).map(|trace| trace.trace()),
            outcome = if code.is_none() { "completed" } else { "failed" },
            code = code.map(SyncErrorCode::as_str),
            items_found = figures.map(|figures| figures.items_found),
            items_new = figures.map(|figures| figures.items_new),
            ms = figures.map(|figures| u64::try_from(figures.duration.as_millis()).unwrap_or(u64::MAX)),
            "a sync ended"
        );
    }
}

/// A part that has ended.
pub(super) struct EndedPart<'a> {
    pub(super) part_id: &'a str,
    pub(super) batch_id: &'a str,
    pub(super) connection_id: &'a str,
    pub(super) retailer_id: i64,
}

impl<'a> EndedPart<'a> {
    fn of(claim: &'a Claim) -> Self {
        let Claim { id, batch_id, connection_id, retailer_id, .. } = claim;
        Self { part_id: id, batch_id, connection_id, retailer_id: *retailer_id }
    }
}

/// The message while a retailer has asked for no requests.
pub(super) fn asked_until(until: DateTime<Utc>) -> String {
    // Rounded up, so that the message never names a moment that is too early.
    let until = Timestamp((until + delta(Duration::from_millis(999))).trunc_subsecs(0));
    format!("The retailer asked for no requests before {until}. Sync again after that.")
}
