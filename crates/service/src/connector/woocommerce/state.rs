//! What the connector keeps from step to step: cookies, the form that waits, and how far the scan has come.

use ordersync_api::SyncErrorCode;
use serde::{Deserialize, Serialize};

use super::store_api::StoreApi;
use crate::connector::egress::CookieJar;
use crate::connector::kit::scan::Scan;
use crate::connector::kit::sign_in::CredentialsForm;
use crate::connector::kit::turn::Renewals;
use crate::connector::{ConnectorError, ConnectorState};

/// The largest state in bytes.
const MAX_STATE: usize = 1024 * 1024;

/// The state between two steps.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) cookies: CookieJar,
    pub(super) stage: Stage,
    pub(super) renewals: Renewals,
    /// The form for user name and password that is to be sent next.
    pub(super) credentials_form: Option<CredentialsForm>,
    /// Absent until the sign-in is known to hold.
    pub(super) scan: Option<Scan<StoreApi>>,
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

    pub(super) fn open(bytes: &[u8]) -> Result<Self, ConnectorError> {
        serde_json::from_slice(bytes).map_err(|_| internal("The state of the sync cannot be read."))
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
