//! The engine with connectors made for the test, on a real store.

mod bounds;
mod claims;
mod deadly;
mod ends;
mod fair;
mod locks;

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::TimeDelta;
use futures::future::BoxFuture;
use ordersync_api::retailer::SyncConfig;
use ordersync_api::{CredentialField, Extra, Retailer, SyncStatus};
use secrecy::SecretString;
use tempfile::TempDir;

use super::{Engine, EngineSettings, Running, seal_credentials};
use crate::catalog::Catalog;
use crate::clock::{Clock, SystemClock};
use crate::connector::{
    Connector, ConnectorError, ConnectorState, Input, Outcome, PhaseLimits, ScanReport, Step, StepContext,
};
use crate::keys::Keys;
use crate::store::Store;
use crate::store::accounts::users::Caller;
use crate::store::db::{query, query_as};
use crate::store::sandbox::control::ClockChange;
use crate::store::syncs::queue::Claim;
use crate::store::syncs::start::StartOutcome;
use crate::store::syncs::steps::{After, Next, Unwritten, What};

/// The call that a connector made for a test receives for each step.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// How many steps of this sync have returned a result before.
    pub(super) step: u8,
    pub(super) attempt: u32,
    pub(super) full: bool,
}

type Act = Box<dyn Fn(Call) -> BoxFuture<'static, Result<Step, ConnectorError>> + Send + Sync>;

/// A connector that does what the test says and records every call.
pub(super) struct Scripted {
    limits: PhaseLimits,
    act: Act,
    calls: Arc<Mutex<Vec<Call>>>,
}

pub(super) fn scripted<F>(limits: PhaseLimits, act: impl Fn(Call) -> F + Send + Sync + 'static) -> Scripted
where
    F: Future<Output = Result<Step, ConnectorError>> + Send + 'static,
{
    Scripted { limits, act: Box::new(move |call| Box::pin(act(call))), calls: Arc::default() }
}

/// A connector that signs in and finds no orders.
pub(super) fn well() -> Scripted {
    scripted(PhaseLimits::default(), async |call: Call| Ok(sign_in_and_end(&call)))
}

/// The next step of a sync that signs in and finds no orders.
pub(super) fn sign_in_and_end(call: &Call) -> Step {
    if call.step == 0 { next(call, Outcome::SignedIn { session: None }) } else { done(call, None) }
}

pub(super) fn done(call: &Call, incomplete: Option<&str>) -> Step {
    let report = ScanReport::invented(true, incomplete.map(str::to_owned));
    next(call, Outcome::Done { session: Some(zeroize::Zeroizing::new(b"cookies".to_vec())), report })
}

pub(super) fn next(call: &Call, outcome: Outcome) -> Step {
    Step::new(outcome, vec![call.step + 1])
}

#[async_trait]
impl Connector for Scripted {
    fn credential_fields(&self) -> Vec<CredentialField> {
        vec![CredentialField::new("username", "Username", false)]
    }

    fn limits(&self) -> PhaseLimits {
        self.limits
    }

    async fn step(
        &self,
        context: &StepContext<'_>,
        state: Option<ConnectorState>,
        _input: Input<'_>,
    ) -> Result<Step, ConnectorError> {
        let step = state.and_then(|state| state.first().copied()).unwrap_or(0);
        let call = Call { step, attempt: context.attempt, full: context.full };
        self.calls.lock().unwrap().push(call.clone());
        (self.act)(call).await
    }
}

/// An engine with the test's connectors, and users with connections to them.
pub(super) struct World {
    pub(super) store: Store,
    pub(super) engine: Arc<Engine>,
    keys: Arc<Keys>,
    calls: Vec<Arc<Mutex<Vec<Call>>>>,
    running: Option<Running>,
    _folder: TempDir,
}

impl World {
    /// Retailers 1, 2, … with these connectors; the engine is running.
    pub(super) async fn running(connectors: Vec<Scripted>) -> Self {
        Self::running_with(connectors, |_| ()).await
    }

    /// With other settings.
    pub(super) async fn running_with(connectors: Vec<Scripted>, change: impl FnOnce(&mut EngineSettings)) -> Self {
        let mut world = Self::of(connectors, Arc::new(SystemClock::default()), change).await;
        world.running = Some(world.engine.run());
        world
    }

    pub(super) async fn of(
        connectors: Vec<Scripted>,
        clock: Arc<dyn Clock>,
        change: impl FnOnce(&mut EngineSettings),
    ) -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::of_test(&folder.path().join("s")).await;
        Self::over(store, folder, connectors, clock, change).await
    }

    /// On SQLite, also if the tests run on PostgreSQL.
    pub(super) async fn running_on_sqlite(connectors: Vec<Scripted>) -> Self {
        let folder = TempDir::new().unwrap();
        let store = Store::open(&folder.path().join("s")).await.unwrap();
        let mut world = Self::over(store, folder, connectors, Arc::new(SystemClock::default()), |_| ()).await;
        world.running = Some(world.engine.run());
        world
    }

    async fn over(
        store: Store,
        folder: TempDir,
        connectors: Vec<Scripted>,
        clock: Arc<dyn Clock>,
        change: impl FnOnce(&mut EngineSettings),
    ) -> Self {
        let keys =
            Arc::new(Keys::from_secret(&SecretString::from("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=")).unwrap());
        let mut catalog = Catalog::default();
        let mut calls = Vec::new();
        for (retailer_id, connector) in (1..).zip(connectors) {
            calls.push(Arc::clone(&connector.calls));
            let retailer = Retailer {
                retailer_id,
                display_name: format!("Shop {retailer_id}"),
                logo: None,
                sync_config: SyncConfig::default(),
                credential_fields: connector.credential_fields(),
                extra: Extra::new(),
            };
            catalog.add(retailer, Arc::new(connector)).unwrap();
        }
        let mut settings = EngineSettings {
            retry_base: Duration::from_millis(1),
            ..EngineSettings::new(NonZeroUsize::new(16).unwrap(), NonZeroUsize::new(8).unwrap())
        };
        change(&mut settings);
        let metrics = Arc::new(crate::counters::Metrics::new(clock.now()).unwrap());
        let engine =
            Engine::new(store.clone(), Arc::clone(&keys), Arc::new(catalog), Arc::clone(&clock), metrics, settings)
                .unwrap();
        query("INSERT INTO clients (id, name, created_at) VALUES ('k', 'k', 0)").execute(store.writer()).await.unwrap();
        Self { store, engine, keys, calls, running: None, _folder: folder }
    }

    pub(super) async fn user(&self, id: &str) -> Caller {
        query(
            "INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ($1, $2, '', 0) ON CONFLICT DO NOTHING",
        )
        .bind(id)
        .bind(id.as_bytes())
        .execute(self.store.writer())
        .await
        .unwrap();
        Caller {
            user_id: id.into(),
            client_id: "k".into(),
            scopes: Vec::new(),
            now: self.engine.clock.now(),
            widget: false,
        }
    }

    /// Connects a user to a retailer, without a sync. Returns the connection's id.
    pub(super) async fn connection(&self, user: &str, retailer_id: i64) -> String {
        let id = format!("{user}-{retailer_id}");
        let credentials = [("username".to_owned(), SecretString::from(user))].into();
        let sealed = seal_credentials(&self.keys, &id, None, &credentials).unwrap();
        query(
            "INSERT INTO connections (id, user_id, number, retailer_id, display_name, status, credentials, created_at)
             VALUES ($1, $2, $3, $3, '', 'pending', $4, 0)",
        )
        .bind(&id)
        .bind(user)
        .bind(retailer_id)
        .bind(sealed)
        .execute(self.store.writer())
        .await
        .unwrap();
        query("INSERT INTO connection_shares (user_id, connection_id, client_id, shared_at) VALUES ($1, $2, 'k', 0)")
            .bind(user)
            .bind(&id)
            .execute(self.store.writer())
            .await
            .unwrap();
        id
    }

    /// Starts a sync of a connection of the user. Returns the session.
    pub(super) async fn sync(&self, user: &str, connection: &str) -> String {
        let caller = self.user(user).await;
        self.started(self.store.sync(&caller, connection, false, None).await.unwrap())
    }

    /// The session of a sync that has started.
    fn started(&self, outcome: StartOutcome) -> String {
        let StartOutcome::Started(answer) = &outcome else { panic!("{outcome:?}") };
        let body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
        self.engine.wake();
        body["batchId"].as_str().unwrap().to_owned()
    }

    /// Connects and starts a sync. Returns the session.
    pub(super) async fn syncing(&self, user: &str, retailer_id: i64) -> String {
        self.user(user).await;
        let connection = self.connection(user, retailer_id).await;
        self.sync(user, &connection).await
    }

    /// The state of a session's only part: status, error code, message.
    pub(super) async fn part(&self, batch: &str) -> (SyncStatus, Option<String>, Option<String>) {
        let (status, code, message): (String, Option<String>, Option<String>) =
            query_as("SELECT sync_status, error_code, error_message FROM retailer_sessions WHERE batch_id = $1")
                .bind(batch)
                .fetch_one(self.store.writer())
                .await
                .unwrap();
        (status.parse().unwrap(), code, message)
    }

    /// The result of that part, once it has ended: status and error code.
    pub(super) async fn ended(&self, batch: &str) -> (SyncStatus, Option<String>) {
        let ended = async {
            loop {
                let (status, code, _) = self.part(batch).await;
                if status.is_final() {
                    return (status, code);
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(300), ended).await.expect("the sync does not end")
    }

    pub(super) async fn status(&self, connection: &str) -> (String, Option<String>) {
        query_as("SELECT status, status_reason FROM connections WHERE id = $1")
            .bind(connection)
            .fetch_one(self.store.writer())
            .await
            .unwrap()
    }

    /// Writes that a claimed part has begun.
    pub(super) async fn begun(&self, claim: &Claim) -> After {
        let clock = &*self.engine.clock;
        let mut unwritten = Unwritten::default();
        unwritten.push((claim.status, claim.other_account), clock.now(), What::Begun);
        let next = Next {
            state: None,
            wait: Duration::ZERO,
            left: TimeDelta::seconds(60),
            worked: Duration::ZERO,
            release: false,
            by_clock: false,
        };
        self.store.commit_steps(claim, clock, &unwritten, next).await.unwrap()
    }

    /// Moves the user's clock forward, and waits until all work that fell due is done.
    pub(super) async fn advance(&self, user: &str, by: Duration) {
        self.store.change_clock(user, ClockChange::Advance(by), self.engine.clock.now()).await.unwrap();
        assert!(self.engine.settle(user, Duration::from_secs(20)).await.unwrap(), "what fell due is not done");
    }

    /// The calls that the connector of a retailer got.
    pub(super) fn calls(&self, retailer_id: usize) -> Vec<Call> {
        self.calls[retailer_id - 1].lock().unwrap().clone()
    }

    /// Waits until the connector of a retailer has been called this many times.
    pub(super) async fn called(&self, retailer_id: usize, times: usize) {
        let called = async {
            while self.calls(retailer_id).len() < times {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(300), called).await.expect("the connector is not called");
    }

    pub(super) async fn stop(self) {
        if let Some(running) = self.running {
            running.stop().await;
        }
    }
}

pub(super) fn limits(connecting: u64, scanning: u64) -> PhaseLimits {
    PhaseLimits {
        connecting: Duration::from_millis(connecting),
        scanning: Duration::from_millis(scanning),
        ..PhaseLimits::default()
    }
}
