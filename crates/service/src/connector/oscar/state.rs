//! What the connector keeps from step to step: cookies, forms that wait, and how far the scan has come.
//!
//! Its size is bounded: orders by `max_pages`, products by their number, and all of it by [`MAX_STATE`].

use ordersync_api::SyncErrorCode;
use serde::{Deserialize, Serialize};
use url::Url;

use super::products::Products;
use super::sign_in_page::CodeForm;
use crate::connector::egress::CookieJar;
use crate::connector::kit::scan::Scan;
use crate::connector::kit::sign_in::CredentialsForm;
use crate::connector::kit::turn::Renewals;
use crate::connector::{ConnectorError, ConnectorState};

/// The largest state in bytes. A history of 10,000 orders takes about 800 kB.
const MAX_STATE: usize = 1024 * 1024;
/// How often a scan that cannot be continued begins again.
const MAX_RESTARTS: u8 = 5;
/// The state between two steps.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) cookies: CookieJar,
    pub(super) stage: Stage,
    pub(super) renewals: Renewals,
    /// Whether the shop had forgotten the sign-in while it waited for a code.
    pub(super) is_restarted: bool,
    /// The form for user name and password that is to be sent next.
    pub(super) credentials_form: Option<CredentialsForm>,
    /// The form that waits for the user's code.
    pub(super) code_form: Option<CodeForm>,
    /// Absent until the sign-in is known to hold.
    pub(super) scan: Option<Scan<Products>>,
    /// How often the scan began again, because it was of another version of the program.
    #[serde(default)]
    pub(super) restarts: u8,
    /// Whether this step has read anything that must not be lost.
    #[serde(skip)]
    pub(super) has_read: bool,
}

/// What comes next.
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

impl State {
    /// The shop took the sign-in. A scan that goes on finds out whether it holds.
    ///
    /// A wait for the next request must not forget it: the password would be sent again after each wait.
    pub(super) const fn signed_in(&mut self) {
        self.has_read = true;
        self.stage = if self.scan.is_some() { Stage::Scan } else { Stage::Verify };
    }

    /// Reads the state that the step before has left. `first`: the first page of the order list.
    ///
    /// After an upgrade, it may be of a version that kept another shape of scan. Such a scan begins again from its start: its
    /// orders are read and stored once more. The sign-in and its forms are kept as they are.
    ///
    /// # Errors
    /// `internal_error` if it is no state, or if the scan began again too often.
    pub(super) fn open(bytes: &[u8], first: &Url) -> Result<Self, ConnectorError> {
        if let Ok(state) = serde_json::from_slice(bytes) {
            return Ok(state);
        }
        let unreadable = |_| internal("The state of the sync cannot be read.");
        let mut parts: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(bytes).map_err(unreadable)?;
        parts.remove("scan");
        let mut state: Self = serde_json::from_value(parts.into()).map_err(unreadable)?;
        if state.restarts >= MAX_RESTARTS {
            return Err(internal("The scan began again too often, because its state could not be read."));
        }
        state.restarts += 1;
        state.scan = Some(Scan::new(first.clone()));
        Ok(state)
    }

    pub(super) fn close(&self) -> Result<Vec<u8>, ConnectorError> {
        let bytes = serde_json::to_vec(self).map_err(|_| internal("The state of the sync cannot be kept."))?;
        if bytes.len() > MAX_STATE {
            return Err(ConnectorError::new(SyncErrorCode::RetailerIncomplete)
                .with_message("The customer has more orders than one sync can read."));
        }
        Ok(bytes)
    }
}

/// A sign-in that is remembered for later syncs.
#[derive(Serialize, Deserialize)]
pub(super) struct Remembered {
    /// Whose it is: after a repair with another account's credentials it must not be used.
    pub(super) username: String,
    pub(super) cookies: CookieJar,
}

impl Remembered {
    pub(super) fn close(&self) -> Option<ConnectorState> {
        serde_json::to_vec(self).ok().map(ConnectorState::new)
    }
}

pub(super) fn internal(message: &str) -> ConnectorError {
    ConnectorError::new(SyncErrorCode::InternalError).with_message(message)
}

#[cfg(test)]
mod tests {
    use super::super::products::{MAX_PRODUCTS, Seen};
    use super::*;

    fn list() -> Url {
        "https://shop.test/orders/".parse().unwrap()
    }

    fn state(products: usize, path_length: usize) -> State {
        let mut scan = Scan::<Products>::new(list());
        for number in 0..products {
            scan.kept.insert(format!("/{number:0path_length$}"), Seen::Gone);
        }
        State { scan: Some(scan), ..State::default() }
    }

    #[test]
    fn a_state_that_grows_too_large_ends_the_sync_as_incomplete() {
        let close = |path_length| state(MAX_PRODUCTS, path_length).close();
        assert!(close(1_000).is_ok_and(|bytes| State::open(&bytes, &list()).is_ok()));
        assert_eq!(close(1_400).unwrap_err().code, SyncErrorCode::RetailerIncomplete);
    }

    #[test]
    fn a_scan_of_another_version_begins_again_but_not_for_ever() {
        let mut kept = state(1, 4);
        kept.stage = Stage::SendForm;
        kept.renewals.count().unwrap();
        let mut bytes = kept.close().unwrap();
        let mut restarts = 0;
        let error = loop {
            let text = String::from_utf8(bytes).unwrap().replace("\"unreachable_in_row\"", "\"unknown\"");
            let state = match State::open(text.as_bytes(), &list()) {
                Ok(state) => state,
                Err(error) => break error,
            };
            restarts += 1;
            assert_eq!((state.stage, state.renewals.is_idle()), (Stage::SendForm, true), "the sign-in goes on");
            let begun = serde_json::to_string(&Scan::<Products>::new(list())).unwrap();
            assert_eq!(serde_json::to_string(&state.scan).unwrap(), begun);
            bytes = state.close().unwrap();
        };
        assert_eq!((restarts, error.code), (MAX_RESTARTS, SyncErrorCode::InternalError));
        assert_eq!(State::open(b"[]", &list()).err().map(|error| error.code), Some(SyncErrorCode::InternalError));
    }
}
