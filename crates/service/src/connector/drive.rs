//! Drives a connector to its end, as the engine does: every step begins with nothing but the bytes that the last left.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ordersync_api::SyncErrorCode;
use ordersync_api::seal::Credentials;
use secrecy::SecretString;

use crate::connector::sent::SentHere;
use crate::connector::{
    Challenge, Compared, Connector, ConnectorError, ConnectorState, Input, KnownOrders, Outcome, Overlap, Page,
    RetailerOrder, ScanReport, Step, StepContext,
};

/// A connection: what is known of it from one sync to the next.
pub(super) struct Connection {
    credentials: Credentials,
    pub(super) session: Option<ConnectorState>,
    pub(super) fingerprints: Fingerprints,
    sent_forms: SentHere,
    pub(super) now: DateTime<Utc>,
    pub(super) full: bool,
    pub(super) other_account: bool,
    /// How long a step may take.
    pub(super) step_time: Duration,
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

    async fn compared(&self, order_ids: &[String]) -> Result<Compared, ConnectorError> {
        let known = self.0.lock().unwrap();
        let listed = order_ids.iter().filter(|id| known.contains_key(*id)).count();
        Ok(Compared { listed, unlisted: known.len() - listed, was_not_proven: false })
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
    pub(super) kept_back: Vec<String>,
    pub(super) report: ScanReport,
    /// How often a step was repeated.
    pub(super) repetitions: u32,
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
            sent_forms: SentHere::default(),
            now: DateTime::from_timestamp(1_795_000_000, 0).unwrap(),
            full: false,
            other_account: false,
            step_time: Duration::from_secs(60),
        }
    }

    /// One step.
    pub(super) async fn step(
        &self,
        connector: &dyn Connector,
        state: Option<ConnectorState>,
        input: Input<'_>,
    ) -> Result<Step, ConnectorError> {
        self.attempt(connector, state, input, 0).await
    }

    /// One step, repeated as the engine repeats it.
    async fn repeated(
        &self,
        connector: &dyn Connector,
        state: Option<ConnectorState>,
        code: Option<&SecretString>,
        synced: &mut Synced,
    ) -> Result<Step, ConnectorError> {
        let mut attempt = 0;
        loop {
            let input = match (&state, code) {
                (None, _) => Input::Login,
                (_, Some(code)) => Input::MfaCode(code),
                (_, None) => Input::Continue,
            };
            match self.attempt(connector, state.clone(), input, attempt).await {
                Err(error) if error.paced => tokio::time::sleep(error.retry_after.unwrap_or_default()).await,
                Err(error) if error.transient && attempt < 4 => {
                    attempt += 1;
                    synced.repetitions += 1;
                }
                result => return result,
            }
        }
    }

    async fn attempt(
        &self,
        connector: &dyn Connector,
        state: Option<ConnectorState>,
        input: Input<'_>,
        attempt: u32,
    ) -> Result<Step, ConnectorError> {
        let context = StepContext {
            attempt,
            now: self.now,
            connection_id: "c-1",
            credentials: &self.credentials,
            session: self.session.as_deref().map(Vec::as_slice),
            known: &self.fingerprints,
            sent_forms: &self.sent_forms,
            shared_queue: None,
            full: self.full,
            other_account: self.other_account,
            sample: None,
            invented: None,
            until: tokio::time::Instant::now() + self.step_time,
        };
        connector.step(&context, state, input).await
    }

    /// A whole sync that ends as the engine ends it: in an error if a check failed. `code` answers each challenge.
    pub(super) async fn sync(
        &mut self,
        connector: &dyn Connector,
        code: impl FnMut(&Challenge) -> String,
    ) -> Result<Synced, ConnectorError> {
        let synced = self.run(connector, code).await?;
        match synced.report.incomplete() {
            Some(message) => Err(ConnectorError::new(SyncErrorCode::RetailerIncomplete).with_message(message)),
            None => Ok(synced),
        }
    }

    /// A whole sync, whatever it has proven.
    pub(super) async fn run(
        &mut self,
        connector: &dyn Connector,
        code: impl FnMut(&Challenge) -> String,
    ) -> Result<Synced, ConnectorError> {
        self.run_on(connector, None, code).await
    }

    /// The rest of a sync that has come to this state.
    pub(super) async fn run_on(
        &mut self,
        connector: &dyn Connector,
        state: Option<ConnectorState>,
        mut code: impl FnMut(&Challenge) -> String,
    ) -> Result<Synced, ConnectorError> {
        if state.is_none() {
            self.sent_forms = SentHere::default();
        }
        let mut synced = Synced::default();
        let mut step = self.repeated(connector, state, None, &mut synced).await?;
        for _ in 0..10_000 {
            synced.largest_state = synced.largest_state.max(step.state.len());
            tokio::time::sleep(step.wait).await;
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
                    self.store(&page);
                    synced.orders.extend(page.orders.iter().map(|order| RetailerOrder::clone(order)));
                    synced.unchanged.extend(page.unchanged);
                    synced.kept_back.extend(page.kept_back.into_iter().map(|order| order.order_id));
                    None
                }
                Outcome::Done { session, report } => {
                    self.session = session.or(self.session.take());
                    synced.report = report;
                    return Ok(synced);
                }
            };
            let code = answer.map(|challenge| {
                let code = SecretString::from(code(&challenge));
                synced.challenges.push(challenge);
                code
            });
            step = self.repeated(connector, Some(step.state), code.as_ref(), &mut synced).await?;
        }
        panic!("the sync does not come to an end");
    }

    fn store(&self, page: &Page) {
        let mut known = self.fingerprints.0.lock().unwrap();
        for order in &page.orders {
            known.remove(&order.order_id);
            if let Some(fingerprint) = &order.fingerprint {
                known.insert(order.order_id.clone(), fingerprint.clone());
            }
        }
    }
}
