//! A small engine: repeats what failed in passing, answers MFA, keeps orders in a map.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::DateTime;
use ordersync_api::SyncErrorCode;
use ordersync_api::seal::Credentials;
use secrecy::SecretString;

use super::super::{PASSWORD, retailers};
use crate::connector::sent::SentHere;
use crate::connector::{
    ChallengeKind, Connector, ConnectorError, ConnectorState, Input, KnownOrders, Outcome, Overlap, RetailerOrder,
    StepContext,
};

pub(super) struct Account {
    connector: Arc<dyn Connector>,
    pub(super) credentials: Credentials,
    pub(super) session: Option<ConnectorState>,
    pub(super) orders: BTreeMap<String, RetailerOrder>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sync {
    /// The outcome of each step that anybody sees.
    pub(super) seen: Vec<&'static str>,
    pub(super) error: Option<SyncErrorCode>,
    pub(super) prompts: Vec<String>,
    /// Waits before the sign-in had worked, and after.
    pub(super) connecting: Duration,
    pub(super) scanning: Duration,
    pub(super) pages: usize,
    pub(super) largest_page: usize,
    pub(super) reported: usize,
    pub(super) unchanged: usize,
    pub(super) largest_state: usize,
}

impl Account {
    pub(super) fn new(retailer: i64, user: &str) -> Self {
        Self::at_speed(retailer, user, 1.0)
    }

    pub(super) fn at_speed(retailer: i64, user: &str, speed: f64) -> Self {
        let (_, connector) = retailers(speed).into_iter().find(|(entry, _)| entry.retailer_id == retailer).unwrap();
        let fields = [("username", user), ("password", PASSWORD), ("postcode", "12345")];
        let credentials =
            fields.into_iter().map(|(name, value)| (name.to_owned(), SecretString::from(value))).collect();
        Self { connector, credentials, session: None, orders: BTreeMap::new() }
    }

    pub(super) fn with(mut self, field: &str, value: &str) -> Self {
        self.credentials.insert(field.to_owned(), SecretString::from(value));
        self
    }

    /// All line items that are stored.
    pub(super) fn items(&self) -> usize {
        self.orders.values().map(|order| order.items.len()).sum()
    }

    /// Syncs to the end, or to the third wrong code, or past the limit of a phase. Answers are taken in turn.
    pub(super) async fn sync(&mut self, answers: &[&str]) -> Sync {
        let mut sync = Sync::default();
        if let Err(error) = self.drive(&mut sync, answers.iter().map(|answer| (*answer).to_owned()).collect()).await {
            sync.error = Some(error.code);
        }
        sync
    }

    async fn drive(&mut self, sync: &mut Sync, mut answers: VecDeque<String>) -> Result<(), ConnectorError> {
        let (mut state, mut asked, mut signed_in) = (None::<ConnectorState>, None::<ChallengeKind>, false);
        let mut login = true;
        loop {
            let answer = asked.as_ref().map(|_| answers.pop_front().expect("an answer to each challenge"));
            let code = answer.clone().map(SecretString::from).unwrap_or_default();
            let mut attempt = 0;
            let step = loop {
                let input = match (&asked, login) {
                    (_, true) => Input::Login,
                    (Some(ChallengeKind::Choose(_)), _) => Input::MfaChoice(answer.as_deref().unwrap_or_default()),
                    (Some(ChallengeKind::Enter), _) => Input::MfaCode(&code),
                    (None, false) => Input::Continue,
                };
                let context = StepContext {
                    now: DateTime::UNIX_EPOCH,
                    connection_id: "c1",
                    credentials: &self.credentials,
                    session: self.session.as_ref().map(|bytes| bytes.as_slice()),
                    known: &Stored(&self.orders),
                    sent_forms: &SentHere::default(),
                    shared_queue: None,
                    attempt,
                    full: false,
                    other_account: false,
                    sample: None,
                    invented: None,
                    until: tokio::time::Instant::now() + std::time::Duration::from_secs(60),
                };
                match self.connector.step(&context, state.clone(), input).await {
                    Err(error) if error.transient && attempt < 3 => {
                        sync.seen.push("failure");
                        attempt += 1;
                    }
                    other => break other?,
                }
            };
            login = false;
            asked = None;
            sync.largest_state = sync.largest_state.max(step.state.len());
            state = Some(step.state);
            match step.outcome {
                Outcome::Working => {}
                Outcome::Challenge(challenge) => {
                    sync.seen.push(match challenge.kind {
                        ChallengeKind::Choose(_) => "choose",
                        ChallengeKind::Enter => "enter",
                    });
                    sync.prompts.push(challenge.prompt);
                    asked = Some(challenge.kind);
                }
                Outcome::WrongCode(challenge) => {
                    sync.seen.push("wrong");
                    if sync.seen.iter().filter(|seen| **seen == "wrong").count() == 3 {
                        return Err(ConnectorError::new(SyncErrorCode::MfaFailed));
                    }
                    sync.prompts.push(challenge.prompt);
                    asked = Some(challenge.kind);
                }
                Outcome::SignedIn { session } => {
                    sync.seen.push("signed in");
                    self.session = session.or(self.session.take());
                    signed_in = true;
                }
                Outcome::Page(page) => {
                    sync.pages += 1;
                    if sync.seen.last() != Some(&"pages") {
                        sync.seen.push("pages");
                    }
                    sync.largest_page = sync.largest_page.max(page.orders.iter().map(|order| order.items.len()).sum());
                    sync.reported += page.orders.len();
                    sync.unchanged += page.unchanged.len();
                    for order in page.orders {
                        self.orders.insert(order.order_id.clone(), RetailerOrder::clone(&order));
                    }
                }
                Outcome::Done { session, .. } => {
                    sync.seen.push("done");
                    self.session = session.or(self.session.take());
                    return Ok(());
                }
            }
            let phase = if signed_in { &mut sync.scanning } else { &mut sync.connecting };
            *phase += step.wait;
            if sync.connecting > self.connector.limits().connecting {
                return Err(ConnectorError::new(SyncErrorCode::RetailerTimeout));
            }
        }
    }
}

pub(super) struct Stored<'a>(pub(super) &'a BTreeMap<String, RetailerOrder>);

#[async_trait]
impl KnownOrders for Stored<'_> {
    async fn fingerprints(&self, order_ids: &[String]) -> Result<HashMap<String, String>, ConnectorError> {
        let known = order_ids.iter().filter_map(|id| Some((id.clone(), self.0.get(id)?.fingerprint.clone()?)));
        Ok(known.collect())
    }

    async fn longest_unread(&self, limit: u32) -> Result<Vec<String>, ConnectorError> {
        Ok(self.0.keys().take(limit as usize).cloned().collect())
    }

    async fn overlap(&self, order_ids: &[String]) -> Result<Overlap, ConnectorError> {
        Ok(match (self.0.is_empty(), order_ids.iter().any(|id| self.0.contains_key(id))) {
            (true, _) => Overlap::NothingStored,
            (false, true) => Overlap::Shared,
            (false, false) => Overlap::Disjoint,
        })
    }
}
