//! Values that the engine stores sealed, and opens for the duration of a step.

use std::collections::BTreeMap;

use ordersync_api::SyncErrorCode;
use ordersync_api::seal::Credentials;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::connector::{ConnectorError, ConnectorState};
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

/// The member beside the fields of credentials that has their origin. No field has this name.
const ORIGIN: &str = "@origin";

/// Credentials, sealed for their connection together with the origin that they are given for: without the key, neither
/// can be changed.
pub(crate) fn seal_credentials(
    keys: &Keys,
    connection_id: &str,
    origin: Option<&str>,
    credentials: &Credentials,
) -> Result<Vec<u8>, StoreError> {
    let exposed: BTreeMap<&str, &str> = credentials
        .iter()
        .map(|(name, value)| (name.as_str(), value.expose_secret()))
        .chain(origin.map(|origin| (ORIGIN, origin)))
        .collect();
    let json = Zeroizing::new(serde_json::to_vec(&exposed).map_err(|_| StoreError::Corrupt("credentials"))?);
    Ok(keys.seal(&Place { column: CREDENTIALS, row: connection_id }, &json)?)
}

/// The credentials of a connection, opened.
pub(crate) struct GivenCredentials {
    pub(crate) credentials: Credentials,
    /// What they were given for. `None`: a retailer that gets no requests.
    origin: Option<String>,
}

impl GivenCredentials {
    pub(crate) fn open(keys: &Keys, connection_id: &str, sealed: &[u8]) -> Result<Self, StoreError> {
        let json = keys.open(&Place { column: CREDENTIALS, row: connection_id }, sealed)?;
        let mut fields: BTreeMap<String, String> =
            serde_json::from_slice(&json).map_err(|_| StoreError::Corrupt("credentials"))?;
        let origin = fields.remove(ORIGIN);
        let credentials = fields.into_iter().map(|(name, value)| (name, SecretString::from(value))).collect();
        Ok(Self { credentials, origin })
    }

    /// Makes sure that everything that this connection has stored may go to a retailer with this origin.
    /// Fails with `retailer_moved`, if the credentials were given for another one.
    pub(crate) fn check_origin(&self, origin: Option<&str>) -> Result<(), ConnectorError> {
        let given = self.origin.as_deref();
        if given == origin || given.zip(origin).is_some_and(|(given, now)| is_secured(given, now)) {
            return Ok(());
        }
        let [given, now] = [given, origin].map(|origin| origin.unwrap_or("an unknown address"));
        Err(ConnectorError::new(SyncErrorCode::RetailerMoved).with_message(format!(
            "The credentials were given for {given}, but the retailer's address is now {now}. Nothing was sent there."
        )))
    }
}

/// Whether the second origin is the first one with TLS, each at its usual port: a safer way to the same host.
fn is_secured(given: &str, now: &str) -> bool {
    given.strip_prefix("http://").is_some_and(|host| !host.contains(':') && now.strip_prefix("https://") == Some(host))
}

/// A claim's sealed values, opened for one step.
pub(super) struct Opened {
    pub(super) given: GivenCredentials,
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
            given: GivenCredentials::open(keys, &claim.connection_id, &claim.credentials)?,
            session: open(CONNECTOR_SESSION, &claim.connection_id, &claim.session)?,
            state: claim.state.as_ref().map(|state| state.open(keys, &claim.id)).transpose()?,
            answer: open(ANSWER, &claim.id, &claim.answer)?
                .map(|json| serde_json::from_slice(&json).map_err(|_| StoreError::Corrupt("MFA answer")))
                .transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: Option<&str>, now: Option<&str>) -> Result<(), String> {
        let keys = Keys::from_secret(&"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=".into()).unwrap();
        let credentials = Credentials::from([("password".to_owned(), SecretString::from("p"))]);
        let sealed = seal_credentials(&keys, "conn_1", given, &credentials).unwrap();
        let opened = GivenCredentials::open(&keys, "conn_1", &sealed).unwrap();
        assert_eq!(opened.credentials.keys().collect::<Vec<_>>(), ["password"], "the origin is no field");
        opened.check_origin(now).map_err(|error| error.message)
    }

    #[test]
    fn a_new_root_key_leaves_the_origin_as_it_is() {
        let [old, new] =
            ["AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=", "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI="]
                .map(SecretString::from);
        let (shop, other) = (Some("https://shop.example"), Some("https://other.example"));
        let place = Place { column: CREDENTIALS, row: "conn_1" };
        let sealed = seal_credentials(&Keys::from_secret(&old).unwrap(), "conn_1", shop, &Credentials::new()).unwrap();
        let both = Keys::from_ring(&[new.clone(), old]).unwrap();
        let resealed = both.seal(&place, &both.open(&place, &sealed).unwrap()).unwrap();
        let opened = GivenCredentials::open(&Keys::from_secret(&new).unwrap(), "conn_1", &resealed).unwrap();
        assert!(opened.check_origin(shop).is_ok() && opened.check_origin(other).is_err());
    }

    #[test]
    fn credentials_go_to_the_origin_that_they_were_given_for_or_to_it_with_tls() {
        for (given, now, may_go) in [
            (Some("https://shop.example"), Some("https://shop.example"), true),
            (Some("http://shop.example"), Some("https://shop.example"), true),
            (None, None, true),
            (Some("https://shop.example"), Some("http://shop.example"), false),
            (Some("https://shop.example"), Some("https://www.shop.example"), false),
            (Some("https://www.shop.example"), Some("https://shop.example"), false),
            (Some("https://shop.example"), Some("https://shop.example:8443"), false),
            (Some("http://shop.example:8080"), Some("https://shop.example:8080"), false),
            (Some("http://shop.example:8080"), Some("https://shop.example"), false),
            (Some("http://shop.example"), Some("https://shop.example:8443"), false),
            (Some("https://shop.example"), None, false),
            // Of a simulated retailer, or stored before origins were.
            (None, Some("https://shop.example"), false),
        ] {
            let checked = check(given, now);
            assert_eq!(checked.is_ok(), may_go, "{given:?} {now:?}");
            if let (Err(message), Some(given), Some(now)) = (checked, given, now) {
                assert!(message.contains(given) && message.contains(now), "{message}");
            }
        }
    }
}
