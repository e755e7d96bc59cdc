//! Drives one claimed part step by step. Steps that follow each other quickly are written together: a commit costs more than
//! such a step.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::{SyncErrorCode, SyncStatus};
use tokio::time::Instant;

use super::Engine;
use super::ending::asked_until;
use super::flow::{Flow, delta};
use super::step::{Came, Taken};
use super::traced;
use crate::connector::{Challenge, Connector, ConnectorState, Outcome, PhaseLimits, Step};
use crate::keys::Place;
use crate::store::syncs::finish::End;
use crate::store::syncs::lease::Held;
use crate::store::syncs::queue::{Claim, LEASE};
use crate::store::syncs::sessions::CONNECTOR_SESSION;
use crate::store::syncs::state::SealedState;
use crate::store::syncs::steps::{After, Next, Unwritten, What};
use crate::store::{DAMAGED, StoreError, StoreTrouble};

/// This many leases in a row that expire without a commit end a part: no page may take down node after node.
const MOST_LOST: u32 = 10;

/// A part that is being driven.
struct Drive {
    /// As the last step left it, but for the state, which is what the store has.
    claim: Claim,
    /// Its state.
    status: SyncStatus,
    /// What the store does not have of it yet.
    unwritten: Unwritten,
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
                let Claim { batch_id, connection_id, .. } = &lease;
                tracing::warn!(batch_id, connection_id, trace_id = lease.trace_id(), "lost the lease of a sync");
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
                Err(error) => {
                    let (batch_id, trace_id) = (&claim.batch_id, claim.trace_id());
                    tracing::warn!(%error, batch_id, trace_id, "cannot renew the lease of a sync");
                }
            }
        }
    }

    async fn steps(&self, claim: Claim) {
        let mut drive = Drive { status: claim.status, claim, unwritten: Unwritten::default(), since: Instant::now() };
        loop {
            let flow = self.advance(&mut drive).await;
            self.note_trouble(flow.as_ref().err().and_then(StoreError::trouble));
            match flow {
                Ok(Flow::On(Duration::ZERO)) => {}
                Ok(Flow::On(wait)) => tokio::time::sleep(wait).await,
                Ok(Flow::Off) => return,
                Err(error @ StoreError::Database(_)) if error.trouble() != Some(StoreTrouble::Damaged) => {
                    // The lease expires, and then a node tries again.
                    let (batch_id, trace_id) = (&drive.claim.batch_id, drive.claim.trace_id());
                    tracing::warn!(%error, batch_id, trace_id, "cannot continue a sync for now");
                    return;
                }
                Err(error) => {
                    let (batch_id, trace_id) = (&drive.claim.batch_id, drive.claim.trace_id());
                    tracing::error!(%error, batch_id, trace_id, "a sync cannot go on");
                    let is_damaged = error.trouble() == Some(StoreTrouble::Damaged);
                    let message = if is_damaged { DAMAGED } else { SyncErrorCode::InternalError.message() };
                    self.end_broken(&drive.claim, message).await;
                    return;
                }
            }
        }
    }

    /// Takes one step. Its outcome is written with that of the next ones, unless a wait follows or it takes too long.
    async fn advance(&self, drive: &mut Drive) -> Result<Flow, StoreError> {
        let claim = &drive.claim;
        if claim.lost >= MOST_LOST {
            tracing::error!(
                batch_id = claim.batch_id,
                trace_id = claim.trace_id(),
                lost = claim.lost,
                "a sync lost too many leases in a row without a commit; ending it"
            );
            let code = SyncErrorCode::InternalError;
            return self.end(claim, End::Failed(code, code.message())).await;
        }
        let Some(entry) = self.catalog.of_sync(&claim.id, claim.retailer_id) else {
            let message = "The service does not know this retailer any more.";
            return self.write_and_end(drive, End::Failed(SyncErrorCode::RetailerMisconfigured, message)).await;
        };
        if !entry.retailer.sync_config.server_side {
            let message = "This retailer's configuration has a mistake, so that it cannot be synced at present.";
            return self.write_and_end(drive, End::Failed(SyncErrorCode::RetailerMisconfigured, message)).await;
        }
        let connector = Arc::clone(&entry.connector);
        let limits = connector.limits();
        match drive.status {
            SyncStatus::Queued => return self.begin(drive, &limits).await,
            SyncStatus::Processing => return self.end(claim, End::Completed).await,
            _ => {}
        }
        if claim.left.is_zero() || claim.worked > limits.whole {
            return self.write_and_end(drive, End::TimedOut(SyncErrorCode::RetailerTimeout)).await;
        }
        let Some(Taken { came, elapsed }) = self.step_and_write(drive, &connector).await? else {
            return Ok(Flow::Off);
        };
        let give_back = drive.since.elapsed() > self.settings.turn;
        match came {
            Came::Step(step) => self.keep(drive, &limits, step, elapsed, give_back).await,
            _ if !self.write(drive).await? => Ok(Flow::Off),
            Came::Failed(error) => self.failed(&mut drive.claim, &error, elapsed, give_back).await,
            Came::CutOff => self.cut_off(&drive.claim, elapsed).await,
            Came::Panicked => {
                self.note_panic(&drive.claim).await;
                Ok(Flow::Off)
            }
        }
    }

    /// Takes a step. What is unwritten is written meanwhile, when it has waited long enough. `None`: the claim was lost.
    async fn step_and_write(
        &self,
        drive: &mut Drive,
        connector: &Arc<dyn Connector>,
    ) -> Result<Option<Taken>, StoreError> {
        let taken = {
            let mut step = pin!(self.take_step(&drive.claim, drive.status, connector));
            let Some(due) = drive.unwritten.due() else { return step.await.map(Some) };
            tokio::select! {
                biased;
                taken = &mut step => return taken.map(Some),
                () = tokio::time::sleep_until(due.into()) => {}
            }
            let written = self.commit(drive, drive.next());
            let (written, taken) = tokio::join!(written, step);
            if written? == After::Fenced {
                return Ok(None);
            }
            taken
        };
        drive.is_written();
        taken.map(Some)
    }

    /// Takes the part out of the queue, or leaves it there as long as the retailer has asked for no requests. If that
    /// is longer than a sign-in may last, the sync ends at once: no user wants to follow it for an hour.
    async fn begin(&self, drive: &mut Drive, limits: &PhaseLimits) -> Result<Flow, StoreError> {
        let claim = &mut drive.claim;
        if let Some(until) = claim.not_before {
            let now = self.user_now(claim).await?;
            if until > now && until - now <= delta(limits.connecting) {
                return self.store.hold_back(claim, &*self.clock, until).await.map(|_| Flow::Off);
            }
            if until > now {
                let message = asked_until(until);
                return self.end(claim, End::Failed(SyncErrorCode::RetailerRateLimited, &message)).await;
            }
        }
        if let (Some(span), Some(due_at)) = (traced::span(claim), claim.due_at) {
            let waited = self.user_now(claim).await? - due_at;
            traced::queued(span, claim, waited.to_std().unwrap_or_default());
        }
        claim.left = limits.connecting;
        drive.unwritten.push((drive.status, claim.other_account), self.clock.now(), What::Begun);
        drive.status = SyncStatus::Connecting;
        Ok(Flow::On(Duration::ZERO))
    }

    /// Keeps the outcome of a step.
    async fn keep(
        &self,
        drive: &mut Drive,
        limits: &PhaseLimits,
        step: Step,
        elapsed: Duration,
        release: bool,
    ) -> Result<Flow, StoreError> {
        let at = self.clock.now();
        let sealed = self.seal_state(&drive.claim, &step)?;
        let signing_in = drive.status == SyncStatus::Connecting && matches!(step.outcome, Outcome::Working);
        let what = match step.outcome {
            Outcome::Working => What::State,
            Outcome::SignedIn { session } => What::SignedIn(self.seal_session(&drive.claim, session.as_ref())?),
            Outcome::Page(page) => What::Page(page),
            _ if !self.write(drive).await? => return Ok(Flow::Off),
            Outcome::Done { session, report } => {
                let session = self.seal_session(&drive.claim, session.as_ref())?;
                return self.scanned(&drive.claim, session.as_deref(), &report).await;
            }
            Outcome::Challenge(challenge) => {
                return self.park(&drive.claim, &challenge, drive.claim.codes_left, &sealed).await;
            }
            Outcome::WrongCode(challenge) => {
                let Some(codes_left) = drive.claim.codes_left.checked_sub(1).filter(|left| *left > 0) else {
                    let code = SyncErrorCode::MfaFailed;
                    return self.end(&drive.claim, End::Failed(code, code.message())).await;
                };
                return self.park(&drive.claim, &challenge, codes_left, &sealed).await;
            }
        };
        let claim = &mut drive.claim;
        let phase = if signing_in { limits.connecting } else { limits.scanning };
        let left = if step.progress { delta(phase) } else { delta(claim.left) - delta(elapsed) - delta(step.wait) };
        let before = (drive.status, claim.other_account);
        match &what {
            What::SignedIn(session) => {
                drive.status = SyncStatus::Scanning;
                claim.session = session.clone().or_else(|| claim.session.take());
            }
            // Pages come only from an account that was verified.
            What::Page(_) => claim.other_account = false,
            What::Begun | What::State => {}
        }
        drive.unwritten.push(before, at, what);
        claim.state = Some(sealed);
        claim.answer = None;
        claim.attempt = 0;
        claim.left = left.to_std().unwrap_or_default();
        claim.worked = claim.worked.saturating_add(elapsed).saturating_add(step.wait);
        if step.wait.is_zero() && !step.by_clock && !release {
            return Ok(Flow::On(Duration::ZERO));
        }
        let next = Next { wait: step.wait, left, release, by_clock: step.by_clock, ..drive.next() };
        let after = self.commit(drive, next).await?;
        drive.is_written();
        Ok(match after {
            After::On(wait) => Flow::On(wait),
            After::Released | After::Fenced => Flow::Off,
        })
    }

    /// Writes what is unwritten. False: the claim was lost.
    async fn write(&self, drive: &mut Drive) -> Result<bool, StoreError> {
        if drive.unwritten.is_empty() {
            return Ok(true);
        }
        let after = self.commit(drive, drive.next()).await?;
        drive.is_written();
        Ok(after != After::Fenced)
    }

    async fn commit(&self, drive: &Drive, next: Next<'_>) -> Result<After, StoreError> {
        let Drive { claim, unwritten, .. } = drive;
        let counts = || vec![("ordersync.items", unwritten.lines().into())];
        let work = self.store.commit_steps(claim, &*self.clock, unwritten, next);
        traced::in_store(claim, "sync.store", counts, work).await
    }

    async fn write_and_end(&self, drive: &mut Drive, end: End<'_>) -> Result<Flow, StoreError> {
        if self.write(drive).await? { self.end(&drive.claim, end).await } else { Ok(Flow::Off) }
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

impl Drive {
    /// What the next step needs.
    fn next(&self) -> Next<'_> {
        let Claim { state, left, worked, .. } = &self.claim;
        Next {
            state: state.as_ref(),
            wait: Duration::ZERO,
            left: delta(*left),
            worked: *worked,
            release: false,
            by_clock: false,
        }
    }

    fn is_written(&mut self) {
        self.unwritten = Unwritten::default();
        self.claim.status = self.status;
        if let Some(state) = &mut self.claim.state {
            state.is_written();
        }
    }
}
