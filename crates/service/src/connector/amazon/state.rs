//! What is kept from step to step, and from sync to sync.

use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};

use super::COOKIES;
use super::list::{List, digest};
use crate::connector::egress::CookieJar;
use crate::connector::kit::remembered;
use crate::connector::kit::report::KeptBack;
use crate::connector::{ConnectorState, StepContext};

/// The stages of a sync.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Look whether the cookies show the orders.
    #[default]
    SignIn,
    List,
    Orders,
}

/// The state between two steps. What seldom changes comes first: only blocks that changed are stored.
#[derive(Default, Serialize, Deserialize)]
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
    /// Whether this step has read a page. It stays set when an error ends the step.
    #[serde(skip)]
    pub(super) has_read: bool,
}

impl State {
    /// The state before anything is read.
    pub(super) fn new(jar: CookieJar) -> Self {
        Self { jar, is_lent: true, ..Self::default() }
    }

    /// The same with the cookies that the last sync left, as the website changed them, if it had the cookies that are lent now.
    pub(super) fn recall(context: &StepContext<'_>) -> Option<Self> {
        let jar = remembered::recall(context.session, &lent(context))?;
        Some(Self { is_lent: false, ..Self::new(jar) })
    }

    /// The cookies for the next sync.
    pub(super) fn remember(&self, context: &StepContext<'_>) -> Option<ConnectorState> {
        remembered::remember(&lent(context), &self.jar)
    }

    /// Reads the state that the step before has left. None: another version left it, and the sync begins again.
    pub(super) fn open(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

/// A digest of the cookies that are lent: other ones may be another customer's.
fn lent(context: &StepContext<'_>) -> String {
    digest(context.credentials.get(COOKIES).map_or("", |cookies| cookies.expose_secret()))
}
