//! Taking one step of a connector, in a thread of its own: a step that panics or hangs harms nothing but its part.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::{SyncErrorCode, SyncStatus};
use secrecy::{ExposeSecret, SecretString};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::Engine;
use super::sealed::{MfaAnswer, Opened};
use super::traced::{self, FAILED, Told};
use crate::connector::{Connector, ConnectorError, Input, Invented, Outcome, SharedQueue, Step, StepContext};
use crate::keys::Keys;
use crate::store::nodes::retailer_queue::RetailerQueue;
use crate::store::orders::list::StoredOrders;
use crate::store::syncs::queue::Claim;
use crate::store::syncs::sent_forms::PartForms;
use crate::store::{Store, StoreError};
use crate::traces::{self, Span};

/// A step that has been taken.
pub(super) struct Taken {
    pub(super) came: Came,
    /// How long it took, regardless of changes to the time of day.
    pub(super) elapsed: Duration,
}

/// The outcome of a step.
pub(super) enum Came {
    Step(Step),
    Failed(ConnectorError),
    /// It took too long.
    CutOff,
    Panicked,
}

impl Came {
    /// What its span says of it.
    fn told(&self) -> Told {
        let step = match self {
            Self::Step(step) => step,
            Self::Failed(error) if error.paced => return ("paced", Vec::new(), None),
            Self::Failed(error) => return (FAILED, Vec::new(), Some(error.code)),
            Self::CutOff => return ("cut_off", Vec::new(), Some(SyncErrorCode::RetailerTimeout)),
            Self::Panicked => return ("panicked", Vec::new(), Some(SyncErrorCode::InternalError)),
        };
        let word = match &step.outcome {
            Outcome::Working => "working",
            Outcome::Challenge(_) => "challenge",
            Outcome::WrongCode(_) => "wrong_code",
            Outcome::SignedIn { .. } => "signed_in",
            Outcome::Done { .. } => "done",
            Outcome::Page(page) => {
                let items: usize = page.orders.iter().map(|order| order.items.len()).sum();
                let counts = vec![
                    ("ordersync.orders", page.orders.len().into()),
                    ("ordersync.items", items.into()),
                    ("ordersync.orders_unchanged", page.unchanged.len().into()),
                    ("ordersync.orders_kept_back", page.kept_back.len().into()),
                ];
                return ("page", counts, None);
            }
        };
        (word, Vec::new(), None)
    }
}

/// Everything that a step needs to run by itself.
struct Job {
    store: Store,
    keys: Arc<Keys>,
    connector: Arc<dyn Connector>,
    claim: Claim,
    /// The user's time.
    now: DateTime<Utc>,
    until: Instant,
}

impl Engine {
    /// Takes a step within the time that is left for it.
    pub(super) async fn take_step(
        &self,
        claim: &Claim,
        status: SyncStatus,
        connector: &Arc<dyn Connector>,
    ) -> Result<Taken, StoreError> {
        let started = Instant::now();
        let job = Job {
            store: self.store.clone(),
            keys: Arc::clone(&self.keys),
            connector: Arc::clone(connector),
            claim: claim.clone(),
            now: self.user_now(claim).await?,
            until: started + self.settings.step_time,
        };
        let span = traced::span(claim);
        let trace = span.as_ref().map(Span::context);
        let entered = self.threads.enter(claim.retailer_id);
        // Dropped with this future: a step whose result is no longer needed stops at its next await point.
        let (_wanted, unwanted) = oneshot::channel::<()>();
        let handle = Handle::current();
        let thread = tokio::task::spawn_blocking(move || {
            let _entered = entered;
            handle.block_on(async move {
                tokio::select! {
                    biased;
                    _ = unwanted => None,
                    result = traces::within(trace, job.run()) => Some(result),
                }
            })
        });
        let limit = self.settings.step_limit.min(claim.left);
        let came = match tokio::time::timeout(limit, thread).await {
            Err(_late) => Came::CutOff,
            Ok(Ok(Some(result))) => result?.map_or_else(Came::Failed, Came::Step),
            Ok(Err(error)) if error.is_panic() => Came::Panicked,
            // The runtime is stopping.
            Ok(Ok(None) | Err(_)) => Came::CutOff,
        };
        let elapsed = started.elapsed();
        self.metrics.count_step(status.as_str(), elapsed);
        if let Some(span) = span {
            traced::step(span, claim, status, came.told());
        }
        Ok(Taken { came, elapsed })
    }
}

impl Job {
    /// What the store says of a simulated account.
    async fn invented(&self, opened: &Opened) -> Result<Option<Invented>, StoreError> {
        let Some(history_end) = self.claim.history_end else { return Ok(None) };
        let name = opened.given.credentials.get("username").map(ExposeSecret::expose_secret);
        let orders = match name {
            Some(name) => self.store.own_orders(self.claim.retailer_id, &name.trim().to_lowercase()).await?,
            None => None,
        };
        Ok(Some(Invented { history_end, orders }))
    }

    async fn run(self) -> Result<Result<Step, ConnectorError>, StoreError> {
        let opened = Opened::of(&self.keys, &self.claim)?;
        // Cookies, tokens and codes are those of these credentials, so that this holds for them, too.
        if let Err(error) = opened.given.check_origin(self.connector.origin().as_deref()) {
            return Ok(Err(error));
        }
        let known = StoredOrders { store: &self.store, owner: self.claim.orders() };
        let queue = RetailerQueue::of(&self.store, self.claim.retailer_id);
        let context = StepContext {
            now: self.now,
            attempt: self.claim.attempt,
            connection_id: &self.claim.connection_id,
            credentials: &opened.given.credentials,
            session: opened.session.as_deref().map(Vec::as_slice),
            known: &known,
            sent_forms: &PartForms { store: &self.store, claim: &self.claim },
            shared_queue: queue.as_ref().map(|queue| queue as &dyn SharedQueue),
            full: self.claim.full,
            other_account: self.claim.other_account,
            sample: None,
            invented: self.invented(&opened).await?,
            until: self.until,
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
        Ok(self.connector.step(&context, opened.state.clone(), input).await)
    }
}
