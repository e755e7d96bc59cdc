//! Drives one claimed part step by step. Each step is committed before the outcome of the next one has any effect.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::{SyncErrorCode, SyncStatus};
use tokio::time::Instant;

use super::Engine;
use super::ending::asked_until;
use super::flow::{Flow, delta, on};
use super::step::{Came, Taken};
use crate::connector::{Challenge, Connector, ConnectorState, Outcome, PhaseLimits, Step};
use crate::keys::Place;
use crate::store::StoreError;
use crate::store::syncs::finish::End;
use crate::store::syncs::lease::Held;
use crate::store::syncs::queue::{Claim, LEASE};
use crate::store::syncs::sessions::CONNECTOR_SESSION;
use crate::store::syncs::state::SealedState;
use crate::store::syncs::steps::{After, Next};

/// After this time a claim is given back, and queues behind the other parts that are due.
const TURN: Duration = Duration::from_secs(5);
/// This many leases in a row that expire without a commit end a part: no page may take down node after node.
const MOST_LOST: u32 = 10;

/// A part that is being driven.
struct Drive {
    claim: Claim,
    /// The next step, if it has been taken already.
    ahead: Option<Taken>,
    since: Instant,
}

impl Engine {
    /// Drives a part until it is parked, ended or lost, or until its turn is over.
    pub(super) async fn drive(self: Arc<Self>, claim: Claim) {
        let lease = claim.clone();
        tokio::select! {
            () = self.steps(claim) => {}
            () = self.keep_lease(&lease) => {
                self.metrics.count_lost_lease();
                tracing::warn!(batch_id = lease.batch_id, connection_id = lease.connection_id, "lost the lease of a sync");
            }
        }
    }

    /// Renews the lease while a step takes long; commits renew it, too.
    async fn keep_lease(&self, claim: &Claim) {
        let third = LEASE.to_std().unwrap_or_default() / 3;
        loop {
            tokio::time::sleep(third).await;
            match self.store.renew(claim, &*self.clock).await {
                Ok(true) => {}
                Ok(false) => return,
                // The epoch guards writes made in the meantime.
                Err(error) => tracing::warn!(%error, batch_id = claim.batch_id, "cannot renew the lease of a sync"),
            }
        }
    }

    async fn steps(&self, claim: Claim) {
        let mut drive = Drive { claim, ahead: None, since: Instant::now() };
        loop {
            let flow = self.advance(&mut drive).await;
            self.note_trouble(flow.as_ref().err().and_then(StoreError::trouble));
            match flow {
                Ok(Flow::On(Duration::ZERO)) => {}
                Ok(Flow::On(wait)) => tokio::time::sleep(wait).await,
                Ok(Flow::Off) => return,
                Err(error @ StoreError::Database(_)) => {
                    // The lease expires, and then a node tries again.
                    tracing::warn!(%error, batch_id = drive.claim.batch_id, "cannot continue a sync for now");
                    return;
                }
                Err(error) => {
                    tracing::error!(%error, batch_id = drive.claim.batch_id, "a sync cannot go on");
                    self.end_broken(&drive.claim).await;
                    return;
                }
            }
        }
    }

    /// Takes one step, unless it was taken `ahead`, and commits its outcome. While a page is stored, the next step is
    /// taken ahead if the connector requests no wait before it; its outcome is handled after the page is stored.
    async fn advance(&self, drive: &mut Drive) -> Result<Flow, StoreError> {
        let claim = &mut drive.claim;
        if claim.lost >= MOST_LOST {
            tracing::error!(
                batch_id = claim.batch_id,
                lost = claim.lost,
                "a sync lost too many leases in a row without a commit; ending it"
            );
            let code = SyncErrorCode::InternalError;
            return self.end(claim, End::Failed(code, code.message())).await;
        }
        let Some(entry) = self.catalog.of_sync(&claim.id, claim.retailer_id) else {
            let message = "The service does not know this retailer any more.";
            return self.end(claim, End::Failed(SyncErrorCode::RetailerMisconfigured, message)).await;
        };
        if !entry.retailer.sync_config.server_side {
            let message = "This retailer's configuration has a mistake, so that it cannot be synced at present.";
            return self.end(claim, End::Failed(SyncErrorCode::RetailerMisconfigured, message)).await;
        }
        let connector = Arc::clone(&entry.connector);
        let limits = connector.limits();
        match claim.status {
            SyncStatus::Queued => return self.begin(claim, &limits).await,
            SyncStatus::Processing => return self.end(claim, End::Completed).await,
            _ => {}
        }
        if claim.left.is_zero() || claim.worked > limits.whole {
            return self.end(claim, End::TimedOut(SyncErrorCode::RetailerTimeout)).await;
        }
        let taken = match drive.ahead.take() {
            Some(taken) => taken,
            None => self.take_step(claim, &connector).await?,
        };
        let give_back = drive.since.elapsed() > TURN;
        match taken.came {
            Came::CutOff => self.cut_off(claim, taken.elapsed).await,
            Came::Panicked => {
                self.note_panic(claim).await;
                Ok(Flow::Off)
            }
            Came::Failed(error) => self.failed(claim, &error, taken.elapsed, give_back).await,
            Came::Step(step) if matches!(step.outcome, Outcome::Page(_)) && step.wait.is_zero() && !give_back => {
                let (flow, ahead) = self.commit_and_step_ahead(claim, &connector, step, taken.elapsed).await?;
                drive.ahead = Some(ahead);
                Ok(flow)
            }
            Came::Step(step) => self.commit(claim, &limits, step, taken.elapsed, give_back).await,
        }
    }

    /// Commits a page while taking the next step.
    async fn commit_and_step_ahead(
        &self,
        claim: &mut Claim,
        connector: &Arc<dyn Connector>,
        step: Step,
        elapsed: Duration,
    ) -> Result<(Flow, Taken), StoreError> {
        let limits = connector.limits();
        let next = Claim {
            state: Some(self.seal_state(claim, &step)?),
            answer: None,
            attempt: 0,
            left: limits.scanning,
            // Pages come only from an account that was verified.
            other_account: false,
            ..claim.clone()
        };
        let (flow, taken) =
            tokio::join!(self.commit(claim, &limits, step, elapsed, false), self.take_step(&next, connector));
        Ok((flow?, taken?))
    }

    /// Takes the part out of the queue, or leaves it there as long as the retailer has asked for no requests. If that
    /// is longer than a sign-in may last, the sync ends at once: no user wants to follow it for an hour.
    async fn begin(&self, claim: &mut Claim, limits: &PhaseLimits) -> Result<Flow, StoreError> {
        let now = self.user_now(claim).await?;
        if let Some(until) = claim.not_before.filter(|until| *until > now) {
            if until - now <= delta(limits.connecting) {
                return self.store.hold_back(claim, &*self.clock, until).await.map(|_| Flow::Off);
            }
            let message = asked_until(until);
            return self.end(claim, End::Failed(SyncErrorCode::RetailerRateLimited, &message)).await;
        }
        let held = self.store.begin_part(claim, &*self.clock, limits.connecting).await?;
        claim.status = SyncStatus::Connecting;
        claim.left = limits.connecting;
        Ok(on(held))
    }

    async fn commit(
        &self,
        claim: &mut Claim,
        limits: &PhaseLimits,
        step: Step,
        elapsed: Duration,
        release: bool,
    ) -> Result<Flow, StoreError> {
        let sealed = self.seal_state(claim, &step)?;
        let signing_in = claim.status == SyncStatus::Connecting && matches!(step.outcome, Outcome::Working);
        let phase = if signing_in { limits.connecting } else { limits.scanning };
        let left = if step.progress { delta(phase) } else { delta(claim.left) - delta(elapsed) - delta(step.wait) };
        let worked = claim.worked.saturating_add(elapsed).saturating_add(step.wait);
        let next = Next { state: &sealed, wait: step.wait, left, worked, release, by_clock: step.by_clock };
        let clock = &*self.clock;
        let after = match step.outcome {
            Outcome::Working => self.store.commit_state(claim, clock, next).await?,
            Outcome::SignedIn { session } => {
                let session = self.seal_session(claim, session.as_ref())?;
                let after = self.store.commit_signed_in(claim, clock, session.as_deref(), next).await?;
                claim.status = SyncStatus::Scanning;
                claim.session = session.or_else(|| claim.session.take());
                after
            }
            Outcome::Page(page) => {
                let after = self.store.commit_page(claim, clock, &page, next).await?;
                claim.other_account = false;
                after
            }
            Outcome::Done { session, report } => {
                let session = self.seal_session(claim, session.as_ref())?;
                return self.scanned(claim, session.as_deref(), &report).await;
            }
            Outcome::Challenge(challenge) => return self.park(claim, &challenge, claim.codes_left, &sealed).await,
            Outcome::WrongCode(challenge) => {
                let Some(codes_left) = claim.codes_left.checked_sub(1).filter(|left| *left > 0) else {
                    let code = SyncErrorCode::MfaFailed;
                    return self.end(claim, End::Failed(code, code.message())).await;
                };
                return self.park(claim, &challenge, codes_left, &sealed).await;
            }
        };
        claim.state = Some(sealed);
        claim.answer = None;
        claim.attempt = 0;
        claim.left = left.to_std().unwrap_or_default();
        claim.worked = worked;
        Ok(match after {
            After::On(wait) => Flow::On(wait),
            After::Released | After::Fenced => Flow::Off,
        })
    }

    /// Parks the part until the user answers the retailer.
    async fn park(
        &self,
        claim: &Claim,
        challenge: &Challenge,
        codes_left: u32,
        state: &SealedState,
    ) -> Result<Flow, StoreError> {
        let held = self.store.commit_challenge(claim, &*self.clock, challenge, codes_left, state).await?;
        // Whether the part was parked or lost, nothing is left to do here.
        let (Held::Yes | Held::Fenced) = held;
        Ok(Flow::Off)
    }

    pub(super) async fn user_now(&self, claim: &Claim) -> Result<DateTime<Utc>, StoreError> {
        self.store.now_for(&claim.user_id, self.clock.now()).await
    }

    fn seal_state(&self, claim: &Claim, step: &Step) -> Result<SealedState, StoreError> {
        SealedState::seal(&self.keys, &claim.id, &step.state, claim.state.as_ref())
    }

    fn seal_session(&self, claim: &Claim, session: Option<&ConnectorState>) -> Result<Option<Vec<u8>>, StoreError> {
        let place = Place { column: CONNECTOR_SESSION, row: &claim.connection_id };
        Ok(session.map(|bytes| self.keys.seal(&place, bytes)).transpose()?)
    }
}
