//! Driving one claimed part: step by step, each committed before anything comes of the next.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::{SyncErrorCode, SyncStatus};
use secrecy::SecretString;
use tokio::time::error::Elapsed;

use super::Engine;
use super::sealed::{MfaAnswer, Opened, STATE};
use crate::connector::{Connector, ConnectorError, ConnectorState, Input, Outcome, Step, StepContext};
use crate::keys::Place;
use crate::store::StoreError;
use crate::store::orders::StoredOrders;
use crate::store::progress::{End, Held, Next};
use crate::store::queue::{Claim, LEASE};
use crate::store::sessions::CONNECTOR_SESSION;

/// Waits up to this are slept through under the claim; for longer ones the claim is given back.
const INLINE_WAIT: Duration = Duration::from_millis(250);
/// How long a step goes on before it returns with what it has.
const STEP_TIME: Duration = Duration::from_secs(20);
/// How often a step that fails in a way that may pass is repeated.
const REPETITIONS: u32 = 4;
/// The longest wait between repetitions.
const LONGEST_BACKOFF: Duration = Duration::from_secs(30);

/// A step that was taken, unless it took too long.
type Taken = Result<Result<Step, ConnectorError>, Elapsed>;

/// How it goes on after a step.
enum Flow {
    /// With the next step, after a wait under the claim.
    On(Duration),
    /// Not here: it is parked, ended, or another node's.
    Off,
}

impl Engine {
    /// Drives a part until it is parked, ended or lost.
    pub(super) async fn drive(self: Arc<Self>, mut claim: Claim) {
        let lease = claim.clone();
        tokio::select! {
            () = self.steps(&mut claim) => {}
            () = self.keep_lease(&lease) => {
                tracing::warn!(batch_id = lease.batch_id, connection_id = lease.connection_id, "lost the lease of a sync");
            }
        }
    }

    async fn keep_lease(&self, claim: &Claim) {
        let third = LEASE.to_std().unwrap_or_default() / 3;
        loop {
            tokio::time::sleep(third).await;
            match self.store.renew(claim, self.clock.now()).await {
                Ok(true) => {}
                Ok(false) => return,
                // The epoch guards what is written meanwhile.
                Err(error) => tracing::error!(%error, "cannot renew the lease of a sync"),
            }
        }
    }

    async fn steps(&self, claim: &mut Claim) {
        let mut ahead = None;
        loop {
            match self.advance(claim, &mut ahead).await {
                Ok(Flow::On(Duration::ZERO)) => {}
                Ok(Flow::On(wait)) => tokio::time::sleep(wait).await,
                Ok(Flow::Off) => return,
                Err(error @ StoreError::Database(_)) => {
                    // The lease runs out, and then somebody tries again.
                    tracing::error!(%error, batch_id = claim.batch_id, "cannot go on with a sync");
                    return;
                }
                Err(error) => {
                    tracing::error!(%error, batch_id = claim.batch_id, "a sync cannot go on");
                    let code = SyncErrorCode::InternalError;
                    if let Err(error) = self.end(claim, End::Failed(code, code.message())).await {
                        tracing::error!(%error, batch_id = claim.batch_id, "cannot end a sync");
                    }
                    return;
                }
            }
        }
    }

    /// Takes one step, where it is not taken `ahead`, and commits what came of it. While a page is stored, the next step is
    /// taken ahead, as far as the connector wants no wait before it; what came of that is looked at after the page is stored.
    async fn advance(&self, claim: &mut Claim, ahead: &mut Option<Taken>) -> Result<Flow, StoreError> {
        let Some(entry) = self.catalog.get(claim.retailer_id) else {
            let message = "The service does not know this retailer any more.";
            return self.end(claim, End::Failed(SyncErrorCode::RetailerMisconfigured, message)).await;
        };
        let connector = Arc::clone(&entry.connector);
        match claim.status {
            SyncStatus::Queued => return self.begin(claim, connector.as_ref()).await,
            SyncStatus::Processing => return self.end(claim, End::Completed).await,
            _ => {}
        }
        let taken = match ahead.take() {
            Some(taken) => taken,
            None => self.take_step(claim, connector.as_ref()).await?,
        };
        match taken {
            Err(_elapsed) => self.end(claim, End::TimedOut(SyncErrorCode::RetailerTimeout)).await,
            Ok(Err(error)) => self.failed(claim, &error).await,
            Ok(Ok(step)) if matches!(step.outcome, Outcome::Page(_)) && step.wait.is_zero() => {
                let next = Claim {
                    state: Some(self.seal_state(claim, &step)?),
                    answer: None,
                    attempt: 0,
                    deadline_at: Some(self.user_now(claim).await? + connector.limits().scanning),
                    ..claim.clone()
                };
                let (flow, taken) = tokio::join!(
                    self.commit(claim, connector.as_ref(), step),
                    self.take_step(&next, connector.as_ref())
                );
                let flow = flow?;
                *ahead = Some(taken?);
                Ok(flow)
            }
            Ok(Ok(step)) => self.commit(claim, connector.as_ref(), step).await,
        }
    }

    /// Takes a step within the time that is left for it.
    async fn take_step(&self, claim: &Claim, connector: &dyn Connector) -> Result<Taken, StoreError> {
        let now = self.user_now(claim).await?;
        let left = (claim.deadline_at.unwrap_or(now) - now).to_std().unwrap_or_default();
        tokio::time::timeout(left, self.step(claim, connector, now))
            .await
            .map_or_else(|late| Ok(Err(late)), |step| step.map(Ok))
    }

    async fn begin(&self, claim: &mut Claim, connector: &dyn Connector) -> Result<Flow, StoreError> {
        let now = self.user_now(claim).await?;
        let deadline_at = now + connector.limits().connecting;
        let held = self.store.begin_part(claim, now, deadline_at).await?;
        claim.status = SyncStatus::Connecting;
        claim.deadline_at = Some(deadline_at);
        Ok(on(held, Duration::ZERO))
    }

    async fn step(
        &self,
        claim: &Claim,
        connector: &dyn Connector,
        now: DateTime<Utc>,
    ) -> Result<Result<Step, ConnectorError>, StoreError> {
        let opened = Opened::of(&self.keys, claim)?;
        let known = StoredOrders { store: &self.store, connection_id: &claim.connection_id };
        let context = StepContext {
            now,
            attempt: claim.attempt,
            connection_id: &claim.connection_id,
            credentials: &opened.credentials,
            session: opened.session.as_deref().map(Vec::as_slice),
            known: &known,
            full: claim.full,
            other_account: false,
            until: tokio::time::Instant::now() + STEP_TIME,
        };
        let code;
        let input = match (&opened.state, &opened.answer) {
            (None, _) => Input::Login,
            (Some(_), None) => Input::Continue,
            (Some(_), Some(MfaAnswer::Choice(option))) => Input::MfaChoice(option),
            (Some(_), Some(MfaAnswer::Code(text))) => {
                code = SecretString::from(text.as_str());
                Input::MfaCode(&code)
            }
        };
        Ok(connector.step(&context, opened.state.clone(), input).await)
    }

    async fn commit(&self, claim: &mut Claim, connector: &dyn Connector, step: Step) -> Result<Flow, StoreError> {
        let now = self.user_now(claim).await?;
        let sealed = self.seal_state(claim, &step)?;
        let release = step.wait > INLINE_WAIT;
        let next = |deadline_at| Next { state: &sealed, due_at: now + step.wait, deadline_at, release };
        let page_deadline = now + connector.limits().scanning;
        let held = match &step.outcome {
            Outcome::Working => self.store.commit_state(claim, now, next(claim.deadline_at.unwrap_or(now))).await?,
            Outcome::SignedIn { session } => {
                let session = self.seal_session(claim, session.as_ref())?;
                let next = next(page_deadline);
                let held = self.store.commit_signed_in(claim, now, session.as_deref(), next).await?;
                claim.status = SyncStatus::Scanning;
                claim.deadline_at = Some(page_deadline);
                claim.session = session.or_else(|| claim.session.take());
                held
            }
            Outcome::Page(page) => {
                let held = self.store.commit_page(claim, now, page, next(page_deadline)).await?;
                claim.deadline_at = Some(page_deadline);
                held
            }
            Outcome::Done { session, report } => {
                let session = self.seal_session(claim, session.as_ref())?;
                if report.listed_all && self.store.mark_missing(claim, now).await? == Held::Fenced {
                    return Ok(Flow::Off);
                }
                let kept_back = self.store.why_kept_back(claim).await?;
                if let Some(message) = report.incomplete.as_ref().or(kept_back.as_ref()) {
                    return self.end(claim, End::Failed(SyncErrorCode::RetailerIncomplete, message)).await;
                }
                let held = self.store.commit_scanned(claim, now, session.as_deref()).await?;
                claim.status = SyncStatus::Processing;
                return Ok(on(held, Duration::ZERO));
            }
            Outcome::Challenge(challenge) => {
                let codes_left = claim.codes_left;
                return self
                    .store
                    .commit_challenge(claim, now, challenge, codes_left, &sealed)
                    .await
                    .map(|_| Flow::Off);
            }
            Outcome::WrongCode(challenge) => {
                let Some(codes_left) = claim.codes_left.checked_sub(1).filter(|left| *left > 0) else {
                    let code = SyncErrorCode::MfaFailed;
                    return self.end(claim, End::Failed(code, code.message())).await;
                };
                return self
                    .store
                    .commit_challenge(claim, now, challenge, codes_left, &sealed)
                    .await
                    .map(|_| Flow::Off);
            }
        };
        claim.state = Some(sealed);
        claim.answer = None;
        claim.attempt = 0;
        Ok(if release { Flow::Off } else { on(held, step.wait) })
    }

    /// The step failed: it is repeated later, or ends the part.
    async fn failed(&self, claim: &Claim, error: &ConnectorError) -> Result<Flow, StoreError> {
        let backoff = self.retry_base.saturating_mul(1 << claim.attempt.min(16)).min(LONGEST_BACKOFF);
        let due_at = self.user_now(claim).await? + error.retry_after.unwrap_or(backoff);
        let in_time = claim.deadline_at.is_none_or(|deadline| due_at < deadline);
        if error.transient && claim.attempt < REPETITIONS && in_time {
            tracing::info!(
                batch_id = claim.batch_id,
                connection_id = claim.connection_id,
                code = error.code.as_str(),
                attempt = claim.attempt,
                "a step of a sync failed and will be repeated"
            );
            return self.store.commit_retry(claim, due_at).await.map(|_| Flow::Off);
        }
        self.end(claim, End::Failed(error.code, &error.message)).await
    }

    async fn end(&self, claim: &Claim, end: End<'_>) -> Result<Flow, StoreError> {
        let now = self.user_now(claim).await?;
        if self.store.finish(claim, now, end).await? == Held::Yes {
            let code = match end {
                End::Completed => None,
                End::Failed(code, _) | End::TimedOut(code) => Some(code.as_str()),
            };
            tracing::info!(
                batch_id = claim.batch_id,
                connection_id = claim.connection_id,
                retailer_id = claim.retailer_id,
                code,
                "a sync ended"
            );
        }
        Ok(Flow::Off)
    }

    async fn user_now(&self, claim: &Claim) -> Result<DateTime<Utc>, StoreError> {
        self.store.now_for(&claim.user_id, self.clock.now()).await
    }

    fn seal_state(&self, claim: &Claim, step: &Step) -> Result<Vec<u8>, StoreError> {
        Ok(self.keys.seal(&Place { column: STATE, row: &claim.id }, &step.state)?)
    }

    fn seal_session(&self, claim: &Claim, session: Option<&ConnectorState>) -> Result<Option<Vec<u8>>, StoreError> {
        let place = Place { column: CONNECTOR_SESSION, row: &claim.connection_id };
        Ok(session.map(|bytes| self.keys.seal(&place, bytes)).transpose()?)
    }
}

const fn on(held: Held, wait: Duration) -> Flow {
    match held {
        Held::Yes => Flow::On(wait),
        Held::Fenced => Flow::Off,
    }
}
