//! Connectors: what knows how to sign in at a retailer and read its orders.
//!
//! A connector never waits for a person and keeps nothing between steps: each step gets the state that the last one
//! left, does a bounded piece of work, and returns its outcome together with the next state. The engine stores
//! both before anything comes of the next step, which it may have begun meanwhile; so a step may be repeated after a crash: a
//! connector's answers are at-least-once, the store makes them exactly-once.

mod amazon;
#[cfg(test)]
mod drive;
pub(crate) mod egress;
mod error;
#[cfg(test)]
mod fake_shop;
pub(crate) mod html;
mod kit;
mod known;
pub(crate) mod queue;
pub(crate) mod recipe;
pub(crate) mod recognize;
pub(crate) mod retailers_file;
mod sent;
pub(crate) mod simulated;
pub(crate) mod trial;
mod woocommerce;

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ordersync_api::seal::Credentials;
use ordersync_api::{CredentialField, SyncErrorCode};
use secrecy::SecretString;
use tokio::time::Instant;
use zeroize::Zeroizing;

pub(crate) use self::error::ConnectorError;
pub(crate) use self::kit::checked_order::CheckedOrder;
pub(crate) use self::kit::compared::Sample;
pub(crate) use self::kit::report::ScanReport;
pub(crate) use self::known::{Compared, KnownOrders, Overlap};
pub(crate) use self::queue::SharedQueue;
pub(crate) use self::sent::SentForms;
pub(crate) use crate::domain::order::{LineItem, RetailerOrder};

/// Bytes that only the connector understands; sealed wherever they rest.
pub(crate) type ConnectorState = Zeroizing<Vec<u8>>;

/// A retailer's own way of signing in and showing orders.
#[async_trait]
pub trait Connector: Send + Sync {
    /// What a user has to give to sign in.
    fn credential_fields(&self) -> Vec<CredentialField>;

    /// The one address that it sends requests to: scheme, host and port. `None`: it sends none.
    fn origin(&self) -> Option<String> {
        None
    }

    /// How long each phase may last before the sync counts as timed out.
    fn limits(&self) -> PhaseLimits {
        PhaseLimits::default()
    }

    /// Takes one step. `state` is what the step before left; absent at the first step of a sync.
    /// Fails if the retailer refuses, fails, or cannot be understood; see [`ConnectorError`].
    async fn step(
        &self,
        context: &StepContext<'_>,
        state: Option<ConnectorState>,
        input: Input<'_>,
    ) -> Result<Step, ConnectorError>;
}

/// In place of the connector of a retailer whose recipe has a mistake.
pub(crate) struct Unusable;

#[async_trait]
impl Connector for Unusable {
    fn credential_fields(&self) -> Vec<CredentialField> {
        Vec::new()
    }

    async fn step(&self, _: &StepContext<'_>, _: Option<ConnectorState>, _: Input<'_>) -> Result<Step, ConnectorError> {
        Err(ConnectorError::new(SyncErrorCode::RetailerMisconfigured))
    }
}

/// How long the phases of a sync may last.
#[derive(Debug, Clone, Copy)]
pub struct PhaseLimits {
    /// Signing in, the time a person takes for MFA not counted.
    pub connecting: Duration,
    /// Fetching, from one step with progress to the next.
    pub scanning: Duration,
    /// Everything together: the steps of a sync and the waits that they ask for. Waiting for the retailer's pace and for a
    /// person does not count.
    pub whole: Duration,
    /// How many syncs of this retailer one node works on at a time. `None`: as many as the service is set to.
    pub parallel: Option<usize>,
}

impl Default for PhaseLimits {
    fn default() -> Self {
        Self {
            connecting: Duration::from_secs(60),
            scanning: Duration::from_secs(300),
            whole: Duration::from_hours(6),
            parallel: None,
        }
    }
}

/// What a step may know.
pub struct StepContext<'a> {
    /// The user's time (a sandbox can move it).
    pub now: DateTime<Utc>,
    /// How often this same step was tried before, and failed in a way that may pass.
    pub attempt: u32,
    /// The connection, for a connector that makes its data from a seed.
    pub connection_id: &'a str,
    /// The credentials that the user gave.
    pub credentials: &'a Credentials,
    /// What the last sync of this connection left to be remembered (cookies, say).
    pub session: Option<&'a [u8]>,
    /// The orders that are stored already.
    pub known: &'a dyn KnownOrders,
    /// The forms with a password or a code that this sync has sent.
    pub sent_forms: &'a dyn SentForms,
    /// The queue at the retailer that all nodes share; `None`: this node has its own.
    pub shared_queue: Option<&'a dyn SharedQueue>,
    /// Whether every order is read again, settled and unchanged ones included.
    pub full: bool,
    /// Whether the credentials were replaced by those of another user name: the sync ends in `account_mismatch`, before
    /// anything is stored, if orders are stored and the retailer lists none of them.
    pub other_account: bool,
    /// For a trial, which stores nothing: no more than this is read.
    pub sample: Option<&'a Sample>,
    /// What a sandbox's store says of the account; `None` outside a sandbox, and for a connection that a version made whose
    /// simulated histories all ended on one day.
    pub invented: Option<Invented>,
    /// When the step should return with what it has. A step that goes on for much longer is cut off and repeated.
    pub until: Instant,
}

/// An account at a simulated retailer, as far as a sandbox's store knows it.
#[derive(Debug, Clone)]
pub struct Invented {
    /// The day on which its history ends, in days since 1970-01-01.
    pub history_end: i64,
    /// Its own orders (JSON), if a seed file gave it any.
    pub orders: Option<String>,
}

/// What drives a step.
pub enum Input<'a> {
    /// The first step of a sync: sign in, with the remembered session where it still holds.
    Login,
    /// The method that the user selected.
    MfaChoice(&'a str),
    /// The code that the user entered.
    MfaCode(&'a SecretString),
    /// Go on from the state.
    Continue,
}

/// The outcome of a step.
pub struct Step {
    /// What happened.
    pub outcome: Outcome,
    /// What the next step needs to know.
    pub state: ConnectorState,
    /// How long to wait before the next step; nothing is held meanwhile.
    pub wait: Duration,
    /// Whether the sync came further: its phase may then last as long as at its start, counted from the next step. A step
    /// without progress, and the wait after it, use up the phase's time.
    pub progress: bool,
    /// Whether a sandbox that stops the user's clock stops this wait, too. Other waits are over then: simulated work needs no
    /// clock.
    pub by_clock: bool,
}

impl Step {
    /// A step to be followed by the next at once.
    pub fn new(outcome: Outcome, state: Vec<u8>) -> Self {
        let progress = !matches!(outcome, Outcome::Working);
        Self { outcome, state: Zeroizing::new(state), wait: Duration::ZERO, progress, by_clock: false }
    }

    /// A step with an outcome, and the wait before the next step. If the step `has_read` anything, an error that may pass does not
    /// lose it: the state is kept, and the next step meets the error again.
    /// Fails with an error that ends it, or if its `state` cannot be kept.
    pub(crate) fn of_reading(
        came: Result<(Outcome, Duration), ConnectorError>,
        has_read: bool,
        state: impl FnOnce() -> Result<Vec<u8>, ConnectorError>,
    ) -> Result<Self, ConnectorError> {
        let (outcome, wait) = match came {
            Ok(came) => came,
            Err(error) if has_read && error.paced => (Outcome::Working, error.retry_after.unwrap_or_default()),
            Err(error) if has_read && error.transient => (Outcome::Working, Duration::ZERO),
            Err(error) => return Err(error),
        };
        let step = Self::new(outcome, state()?).after(wait);
        Ok(if has_read { step.progressed() } else { step })
    }

    /// The same, known to have come further: a part of the list was read, for example.
    #[must_use]
    pub const fn progressed(mut self) -> Self {
        self.progress = true;
        self
    }

    /// The same, with a wait that stands still while the user's clock does.
    #[must_use]
    pub const fn by_the_clock(mut self) -> Self {
        self.by_clock = true;
        self
    }

    /// The same, to be followed by the next no sooner than after `wait`.
    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }
}

/// What happened in a step.
pub enum Outcome {
    /// Nothing yet that anybody needs to know.
    Working,
    /// The retailer asks for MFA.
    Challenge(Challenge),
    /// The code was wrong, and the retailer asks again; the engine counts and ends it after three.
    WrongCode(Challenge),
    /// Signed in: the connection is valid, the scan begins. Bytes to remember for later syncs.
    SignedIn {
        /// As [`StepContext::session`] in later steps and syncs.
        session: Option<ConnectorState>,
    },
    /// Orders to store.
    Page(Page),
    /// Every order was seen.
    Done {
        /// As [`StepContext::session`] in later syncs; what was remembered before stays where this is `None`.
        session: Option<ConnectorState>,
        /// What the scan has proven.
        report: ScanReport,
    },
}

/// What a retailer asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    /// A method or a code.
    pub kind: ChallengeKind,
    /// What to show to the user.
    pub prompt: String,
}

/// A method to choose, or a code to enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChallengeKind {
    /// Choose among these.
    Choose(Vec<ChallengeOption>),
    /// Enter a code.
    Enter,
}

/// A method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChallengeOption {
    /// What comes back as [`Input::MfaChoice`], for example `sms`.
    pub id: String,
    /// What to show to the user, for example "Text message to ···42".
    pub label: String,
}

/// A part of the history, stored in one transaction.
#[derive(Debug, Default)]
pub struct Page {
    /// Orders as they are now, whole: lines that are stored but not in here are removed.
    pub orders: Vec<CheckedOrder>,
    /// Orders that were seen to be unchanged, and left as they are.
    pub unchanged: Vec<String>,
    /// Orders that are listed but failed a hard check: what is stored of them stays as it is.
    pub kept_back: Vec<KeptBackOrder>,
}

/// An order that failed a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptBackOrder {
    /// The retailer's number of it.
    pub order_id: String,
    /// Which check, and what was found.
    pub reason: String,
}
