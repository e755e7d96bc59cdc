//! Values that the engine stores sealed, and opens for the duration of a step.

use std::collections::BTreeMap;

use ordersync_api::seal::Credentials;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::connector::ConnectorState;
use crate::keys::{Keys, Place, Unsealable};
use crate::store::StoreError;
use crate::store::syncs::mfa::ANSWER;
use crate::store::syncs::queue::Claim;
use crate::store::syncs::sessions::{CONNECTOR_SESSION, CREDENTIALS};

/// The user's answer to MFA, as it is stored sealed.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum MfaAnswer {
    /// The chosen method.
    Choice(String),
    Code(String),
}

impl MfaAnswer {
    /// The answer, sealed for the part that waits for it.
    pub(crate) fn seal(&self, keys: &Keys, part_id: &str) -> Result<Vec<u8>, StoreError> {
        let json = Zeroizing::new(serde_json::to_vec(self).map_err(|_| StoreError::Corrupt("MFA answer"))?);
        Ok(keys.seal(&Place { column: ANSWER, row: part_id }, &json)?)
    }
}

/// Credentials, sealed for their connection.
pub(crate) fn seal_credentials(
    keys: &Keys,
    connection_id: &str,
    credentials: &Credentials,
) -> Result<Vec<u8>, StoreError> {
    let exposed: BTreeMap<&str, &str> =
        credentials.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
    let json = Zeroizing::new(serde_json::to_vec(&exposed).map_err(|_| StoreError::Corrupt("credentials"))?);
    Ok(keys.seal(&Place { column: CREDENTIALS, row: connection_id }, &json)?)
}

/// The credentials of a connection, opened.
pub(crate) fn credentials_of(keys: &Keys, connection_id: &str, sealed: &[u8]) -> Result<Credentials, StoreError> {
    let json = keys.open(&Place { column: CREDENTIALS, row: connection_id }, sealed)?;
    let fields: BTreeMap<String, String> =
        serde_json::from_slice(&json).map_err(|_| StoreError::Corrupt("credentials"))?;
    Ok(fields.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect())
}

/// A claim's sealed values, opened for one step.
pub(super) struct Opened {
    pub(super) credentials: Credentials,
    pub(super) session: Option<Zeroizing<Vec<u8>>>,
    pub(super) state: Option<ConnectorState>,
    pub(super) answer: Option<MfaAnswer>,
}

impl Opened {
    pub(super) fn of(keys: &Keys, claim: &Claim) -> Result<Self, StoreError> {
        let open = |column, row: &str, sealed: &Option<Vec<u8>>| -> Result<_, Unsealable> {
            sealed.as_ref().map(|sealed| keys.open(&Place { column, row }, sealed)).transpose()
        };
        Ok(Self {
            credentials: credentials_of(keys, &claim.connection_id, &claim.credentials)?,
            session: open(CONNECTOR_SESSION, &claim.connection_id, &claim.session)?,
            state: claim.state.as_ref().map(|state| state.open(keys, &claim.id)).transpose()?,
            answer: open(ANSWER, &claim.id, &claim.answer)?
                .map(|json| serde_json::from_slice(&json).map_err(|_| StoreError::Corrupt("MFA answer")))
                .transpose()?,
        })
    }
}
