//! Drives a connector to its end, as the engine does: every step begins with nothing but the bytes that the last left.

use std::collections::HashMap;
use std::sync::Mutex;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ordersync_api::seal::Credentials;
use secrecy::SecretString;

use crate::connector::{
    Challenge, Connector, ConnectorError, ConnectorState, Input, KnownOrders, Outcome, Overlap, RetailerOrder, Step,
    StepContext,
};

/// A connection: what is known of it from one sync to the next.
pub(super) struct Connection {
    credentials: Credentials,
    pub(super) session: Option<ConnectorState>,
    pub(super) fingerprints: Fingerprints,
    pub(super) now: DateTime<Utc>,
}

/// The stored orders, as far as connectors see them.
#[derive(Default)]
pub(super) struct Fingerprints(pub(super) Mutex<HashMap<String, String>>);

#[async_trait]
impl KnownOrders for Fingerprints {
    async fn fingerprints(&self, order_ids: &[String]) -> Result<HashMap<String, String>, ConnectorError> {
        let known = self.0.lock().unwrap();
        Ok(order_ids.iter().filter_map(|id| Some((id.clone(), known.get(id)?.clone()))).collect())
    }

    async fn longest_unread(&self, limit: u32) -> Result<Vec<String>, ConnectorError> {
        let mut ids: Vec<String> = self.0.lock().unwrap().keys().cloned().collect();
        ids.sort();
        ids.truncate(limit as usize);
        Ok(ids)
    }

    async fn overlap(&self, order_ids: &[String]) -> Result<Overlap, ConnectorError> {
        let known = self.0.lock().unwrap();
        Ok(match (known.is_empty(), order_ids.iter().any(|id| known.contains_key(id))) {
            (true, _) => Overlap::NothingStored,
            (false, true) => Overlap::Shared,
            (false, false) => Overlap::Disjoint,
        })
    }
}

/// What a sync found.
#[derive(Debug, Default)]
pub(super) struct Synced {
    pub(super) orders: Vec<RetailerOrder>,
    pub(super) unchanged: Vec<String>,
    pub(super) challenges: Vec<Challenge>,
    pub(super) wrong_codes: usize,
    pub(super) largest_state: usize,
}

impl Connection {
    pub(super) fn of(username: &str, password: &str) -> Self {
        let credentials = [("username", username), ("password", password)]
            .map(|(name, value)| (name.to_owned(), SecretString::from(value.to_owned())))
            .into();
        Self {
            credentials,
            session: None,
            fingerprints: Fingerprints::default(),
            now: DateTime::from_timestamp(1_795_000_000, 0).unwrap(),
        }
    }

    /// One step.
    pub(super) async fn step(
        &self,
        connector: &dyn Connector,
        state: Option<ConnectorState>,
        input: Input<'_>,
    ) -> Result<Step, ConnectorError> {
        let context = StepContext {
            attempt: 0,
            now: self.now,
            connection_id: "c-1",
            credentials: &self.credentials,
            session: self.session.as_deref().map(Vec::as_slice),
            known: &self.fingerprints,
            full: false,
            other_account: false,
            until: tokio::time::Instant::now() + std::time::Duration::from_secs(60),
        };
        connector.step(&context, state, input).await
    }

    /// A whole sync; `code` answers each challenge.
    pub(super) async fn sync(
        &mut self,
        connector: &dyn Connector,
        mut code: impl FnMut(&Challenge) -> String,
    ) -> Result<Synced, ConnectorError> {
        let mut synced = Synced::default();
        let mut step = self.step(connector, None, Input::Login).await?;
        for _ in 0..10_000 {
            synced.largest_state = synced.largest_state.max(step.state.len());
            let answer = match step.outcome {
                Outcome::Working => None,
                Outcome::Challenge(challenge) => Some(challenge),
                Outcome::WrongCode(challenge) => {
                    synced.wrong_codes += 1;
                    Some(challenge)
                }
                Outcome::SignedIn { session } => {
                    self.session = session.or(self.session.take());
                    None
                }
                Outcome::Page(page) => {
                    let mut known = self.fingerprints.0.lock().unwrap();
                    for order in &page.orders {
                        known.remove(&order.order_id);
                        if let Some(fingerprint) = &order.fingerprint {
                            known.insert(order.order_id.clone(), fingerprint.clone());
                        }
                    }
                    synced.orders.extend(page.orders);
                    synced.unchanged.extend(page.unchanged);
                    None
                }
                Outcome::Done { session, .. } => {
                    self.session = session.or(self.session.take());
                    return Ok(synced);
                }
            };
            step = match answer {
                Some(challenge) => {
                    let code = SecretString::from(code(&challenge));
                    synced.challenges.push(challenge);
                    self.step(connector, Some(step.state), Input::MfaCode(&code)).await?
                }
                None => self.step(connector, Some(step.state), Input::Continue).await?,
            };
        }
        panic!("the sync does not come to an end");
    }
}
