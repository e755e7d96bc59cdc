//! What is kept from step to step: cookies, forms that wait, and how far the scan has come.
//!
//! Its size is bounded: orders by `max_pages`, what a platform keeps by the platform, and all of it by [`MAX_STATE`].

use std::time::Duration;

use ordersync_api::SyncErrorCode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use super::remembered;
use super::scan::Scan;
use super::sign_in::CredentialsForm;
use super::site::{CodeForm, credential};
use super::turn::Renewals;
use crate::connector::egress::CookieJar;
use crate::connector::{ConnectorError, ConnectorState, StepContext};

/// Raise it if the meaning of a scan changes. A change of its shape is noticed without it.
const VERSION: u32 = 1;
/// The largest state in bytes. A history of 10,000 orders takes about 800 kB; it is stored in blocks, of which a step writes those that
/// changed.
const MAX_STATE: usize = 16 * 1024 * 1024;
/// How often a scan that cannot be continued begins again.
const MAX_RESTARTS: u8 = 5;

/// The state between two steps. `K` is what the platform keeps in the course of a scan.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "K: Default + DeserializeOwned + Send + Sync"))]
pub(super) struct State<K> {
    #[serde(default)]
    version: u32,
    /// Absent until the sign-in is known to hold. It comes first, as its list does in it: what seldom changes stays where it is.
    pub(super) scan: Option<Scan<K>>,
    pub(super) cookies: CookieJar,
    pub(super) stage: Stage,
    pub(super) renewals: Renewals,
    /// Whether the shop had forgotten the sign-in while it waited for a code.
    #[serde(default)]
    pub(super) is_restarted: bool,
    /// The form for user name and password that is to be sent next.
    pub(super) credentials_form: Option<CredentialsForm>,
    /// The form that waits for the user's code.
    pub(super) code_form: Option<CodeForm>,
    /// How often the scan began again, because it was of another version of the program.
    #[serde(default)]
    restarts: u8,
    /// How long to leave the shop alone after a password that it gave no answer to that can be read.
    #[serde(skip)]
    pub(super) rest: Duration,
    /// Whether this step has read a page. It stays set when an error ends the step.
    #[serde(skip)]
    pub(super) has_read: bool,
}

/// The stages of a sync.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Look whether the remembered sign-in holds.
    Recall,
    /// Fetch the form for user name and password.
    #[default]
    FetchForm,
    SendForm,
    /// Look whether the sign-in that the shop took holds.
    Verify,
    Scan,
}

impl<K> Default for State<K> {
    fn default() -> Self {
        Self {
            version: VERSION,
            cookies: CookieJar::default(),
            stage: Stage::default(),
            renewals: Renewals::default(),
            is_restarted: false,
            credentials_form: None,
            code_form: None,
            scan: None,
            restarts: 0,
            rest: Duration::ZERO,
            has_read: false,
        }
    }
}

impl<K: Default + Serialize + DeserializeOwned + Send + Sync> State<K> {
    /// The state of the first step: with the remembered sign-in, or without any.
    pub(super) fn begin(context: &StepContext<'_>) -> Self {
        match recall(context) {
            Some(cookies) => Self { cookies, stage: Stage::Recall, ..Self::default() },
            None => Self::default(),
        }
    }

    /// The shop took the sign-in. A scan that goes on finds out whether it holds.
    ///
    /// A wait for the next request must not forget it: the password would be sent again after each wait.
    pub(super) const fn signed_in(&mut self) {
        self.has_read = true;
        self.stage = if self.scan.is_some() { Stage::Scan } else { Stage::Verify };
    }

    /// Reads the state that the step before has left. `first`: the first page of the order list.
    ///
    /// After an upgrade, it may be of a version that kept another scan. Such a scan begins again from its start: its orders
    /// are read and stored once more. The sign-in and its forms are kept, as far as they can be read.
    /// Fails with `retailer_incomplete` if the scan began again too often: versions that do not read each other's scans
    /// take turns.
    pub(super) fn open(bytes: &[u8], first: &Url) -> Result<Self, ConnectorError> {
        match serde_json::from_slice::<Self>(bytes) {
            Ok(state) if state.version == VERSION => Ok(state),
            _ => Self::of_other_version(serde_json::from_slice(bytes).unwrap_or_default(), first),
        }
    }

    fn of_other_version(parts: Map<String, Value>, first: &Url) -> Result<Self, ConnectorError> {
        let mut state = Self {
            cookies: part(&parts, "cookies"),
            stage: part(&parts, "stage"),
            renewals: part(&parts, "renewals"),
            is_restarted: part(&parts, "is_restarted"),
            credentials_form: part(&parts, "credentials_form"),
            code_form: part(&parts, "code_form"),
            restarts: part(&parts, "restarts"),
            ..Self::default()
        };
        if state.stage == Stage::SendForm && state.credentials_form.is_none() {
            state.stage = Stage::FetchForm;
        }
        let had_scan = parts.get("scan").is_some_and(|scan| !scan.is_null());
        if had_scan || state.stage == Stage::Scan {
            if state.restarts >= MAX_RESTARTS {
                return Err(ConnectorError::new(SyncErrorCode::RetailerIncomplete).with_message(
                    "The sync began again too often, because several versions of the service took turns at it. Sync again.",
                ));
            }
            state.restarts += 1;
            state.scan = Some(Scan::new(first.clone()));
        }
        Ok(state)
    }

    pub(super) fn close(&self) -> Result<Vec<u8>, ConnectorError> {
        written(self)
    }
}

/// The state as it is kept.
/// Fails if it is too large.
pub(in crate::connector) fn written(state: &impl Serialize) -> Result<Vec<u8>, ConnectorError> {
    let bytes = serde_json::to_vec(state).map_err(|_| internal("The state of the sync cannot be kept."))?;
    if bytes.len() > MAX_STATE {
        return Err(ConnectorError::new(SyncErrorCode::RetailerIncomplete)
            .with_message("The customer has more orders than one sync can read."));
    }
    Ok(bytes)
}

fn part<T: Default + DeserializeOwned>(parts: &Map<String, Value>, name: &str) -> T {
    parts.get(name).and_then(|part| T::deserialize(part).ok()).unwrap_or_default()
}

/// The sign-in as it is remembered for later syncs.
pub(super) fn remember(context: &StepContext<'_>, cookies: &CookieJar) -> Option<ConnectorState> {
    remembered::remember(credential(context, "username").ok()?, cookies)
}

/// The cookies of the sign-in that earlier syncs left, if it is this user's.
fn recall(context: &StepContext<'_>) -> Option<CookieJar> {
    remembered::recall(context.session, credential(context, "username").ok()?)
}

pub(super) fn internal(message: &str) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::InternalError).with_message(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    type State = super::State<Vec<String>>;

    fn list() -> Url {
        "https://shop.test/orders/".parse().unwrap()
    }

    fn state(kept: usize) -> State {
        let mut scan = Scan::<Vec<String>>::new(list());
        scan.kept.push("x".repeat(kept));
        State { scan: Some(scan), ..State::default() }
    }

    #[test]
    fn a_state_that_grows_too_large_ends_the_sync_as_incomplete() {
        assert!(state(16_000_000).close().is_ok_and(|bytes| State::open(&bytes, &list()).is_ok()));
        assert_eq!(state(17_000_000).close().unwrap_err().code, SyncErrorCode::RetailerIncomplete);
    }

    #[test]
    fn the_list_comes_first_and_stays_where_it_is_while_orders_are_read() {
        let mut kept = state(4);
        let before = kept.close().unwrap();
        kept.renewals.count().unwrap();
        kept.stage = Stage::Scan;
        kept.scan.as_mut().unwrap().kept.push("a product".to_owned());
        let after = kept.close().unwrap();
        let list = serde_json::to_string(&kept.scan).unwrap();
        let list = list.split(",\"next\"").next().unwrap();
        assert!(before.starts_with(&after[..after.len().min(list.len())]), "{}", String::from_utf8_lossy(&after));
    }

    #[test]
    fn a_scan_of_another_version_begins_again_but_not_for_ever() {
        for (from, to) in [("\"unreachable_in_row\"", "\"unknown\""), ("\"version\":1", "\"version\":2")] {
            let mut kept = state(4);
            kept.stage = Stage::Verify;
            kept.renewals.count().unwrap();
            let mut bytes = kept.close().unwrap();
            let mut restarts = 0;
            let error = loop {
                let text = String::from_utf8(bytes).unwrap().replace(from, to);
                let state = match State::open(text.as_bytes(), &list()) {
                    Ok(state) => state,
                    Err(error) => break error,
                };
                restarts += 1;
                assert_eq!((state.stage, state.renewals.is_idle()), (Stage::Verify, true), "the sign-in goes on");
                let begun = serde_json::to_string(&Scan::<Vec<String>>::new(list())).unwrap();
                assert_eq!(serde_json::to_string(&state.scan).unwrap(), begun);
                bytes = state.close().unwrap();
            };
            assert_eq!((restarts, error.code), (MAX_RESTARTS, SyncErrorCode::RetailerIncomplete), "{from}");
        }
    }

    #[test]
    fn whatever_was_kept_the_sync_goes_on() {
        for (kept, stage, has_scan) in [
            ("[]", Stage::FetchForm, false),
            ("{\"stage\":\"Scan\"}", Stage::Scan, true),
            ("{\"stage\":\"SendForm\",\"credentials_form\":{\"new\":1}}", Stage::FetchForm, false),
            ("{\"stage\":\"Dream\",\"scan\":{}}", Stage::FetchForm, true),
        ] {
            let state = State::open(kept.as_bytes(), &list()).unwrap();
            assert_eq!((state.stage, state.scan.is_some()), (stage, has_scan), "{kept}");
        }
    }
}
