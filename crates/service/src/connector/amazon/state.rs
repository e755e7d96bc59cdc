//! What is kept from step to step, and from sync to sync.

use ordersync_api::SyncErrorCode;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::COOKIES;
use super::list::List;
use crate::connector::egress::CookieJar;
use crate::connector::kit::report::KeptBack;
use crate::connector::{ConnectorError, ConnectorState, StepContext};

/// In bytes: a list of 50,000 orders.
const MAX_STATE: usize = 16 << 20;

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Look whether the cookies show the orders.
    SignIn,
    List,
    Orders,
}

/// The state between two steps. What seldom changes comes first: only blocks that changed are stored.
#[derive(Serialize, Deserialize)]
pub(super) struct State {
    pub(super) list: List,
    /// Settled orders to read again.
    pub(super) again: Vec<String>,
    pub(super) jar: CookieJar,
    /// Whether these are the cookies that the customer lent, and not those that an earlier sync left.
    pub(super) is_lent: bool,
    pub(super) stage: Stage,
    /// The first order that is not dealt with.
    pub(super) next: usize,
    pub(super) kept_back: KeptBack,
    pub(super) any_passed: bool,
    /// Orders in a row whose page could not be fetched.
    pub(super) unreachable: u8,
    /// Whether this step has read anything that must not be lost.
    #[serde(skip)]
    pub(super) has_read: bool,
}

/// Cookies that a sync left for the next one: websites change them.
#[derive(Serialize, Deserialize)]
struct Remembered {
    /// Of the cookies that were lent: others may be of another customer.
    lent: [u8; 32],
    jar: CookieJar,
}

impl State {
    /// The state before anything is read.
    pub(super) fn new(jar: CookieJar) -> Self {
        Self {
            list: List::default(),
            again: Vec::new(),
            jar,
            is_lent: true,
            stage: Stage::SignIn,
            next: 0,
            kept_back: KeptBack::default(),
            any_passed: false,
            unreachable: 0,
            has_read: false,
        }
    }

    /// The same with the cookies that the last sync left, if it had the cookies that are lent now.
    pub(super) fn recall(context: &StepContext<'_>) -> Option<Self> {
        let remembered: Remembered = serde_json::from_slice(context.session?).ok()?;
        let is_same = remembered.lent == lent(context) && !remembered.jar.is_empty();
        is_same.then(|| Self { is_lent: false, ..Self::new(remembered.jar) })
    }

    /// The cookies for the next sync.
    pub(super) fn remember(&self, context: &StepContext<'_>) -> Option<ConnectorState> {
        let remembered = Remembered { lent: lent(context), jar: self.jar.clone() };
        serde_json::to_vec(&remembered).ok().map(ConnectorState::new)
    }

    /// Reads the state that the step before has left. None: another version left it, and the sync begins again.
    pub(super) fn open(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Fails if the list is too long to be kept.
    pub(super) fn close(&self) -> Result<Vec<u8>, ConnectorError> {
        let bytes = serde_json::to_vec(self).map_err(|_| {
            ConnectorError::new(SyncErrorCode::InternalError).with_message("The state of the sync cannot be kept.")
        })?;
        if bytes.len() > MAX_STATE {
            return Err(ConnectorError::new(SyncErrorCode::RetailerIncomplete)
                .with_message("The customer has more orders than one sync can read."));
        }
        Ok(bytes)
    }
}

fn lent(context: &StepContext<'_>) -> [u8; 32] {
    Sha256::digest(context.credentials.get(COOKIES).map_or("", |cookies| cookies.expose_secret())).into()
}
