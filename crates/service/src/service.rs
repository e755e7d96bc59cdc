//! The service as a whole: assembled, started, stopped.

use std::net::SocketAddr;
use std::sync::Arc;

use chrono::TimeDelta;
use ordersync_api::sandbox::CLIENT;
use tokio::task::JoinHandle;

use crate::app::App;
use crate::catalog::DuplicateRetailer;
use crate::clock::Clock;
use crate::config::{Config, ConfigError, ConnectionLimits, OtpDeliveryConfig};
use crate::connector::retailers_file::RetailersFileError;
use crate::counters::Metrics;
use crate::delivery::{self, BadGateway, OtpDelivery};
use crate::environment::Environment;
use crate::http::{Server, SocketLimits, TlsError, tls};
use crate::ids::NoRandomness;
use crate::interface::metrics::{self, Measured};
use crate::keys::{BadSecret, Keys};
use crate::known_clients::{LOCAL, command_line, sandbox_client};
use crate::limits::RateLimiter;
use crate::own_hosts::OwnHosts;
use crate::reload::{ReloadError, Reloadable, Reloaded};
use crate::retention::Retention;
use crate::router::router;
use crate::seed::{self, NotApplied, SeedError, Site};
use crate::signin::passes::Passes;
use crate::store::accounts::clients::Client;
use crate::store::nodes::readiness::Readiness;
use crate::store::nodes::root_keys::WrongRootKey;
use crate::store::nodes::shared_clock::SharedClock;
use crate::store::schema::version;
use crate::store::{Store, StoreError, StoreTrouble};
use crate::sync::{Engine, EngineSettings, Running};
use crate::web::assets;

/// Open files reserved for the store, the syncs and the system, which connections may not use.
const FILES_RESERVED: usize = 128;
/// Connections to the address of the metrics.
const METRICS_CONNECTIONS: usize = 32;

/// A running service.
pub struct Service {
    address: SocketAddr,
    server: Server,
    engine: Running,
    syncing: Arc<Engine>,
    deletion: JoinHandle<()>,
    /// Keeps a shared clock right.
    following: Option<JoinHandle<()>>,
    /// Notices when a newer node changes the store.
    version: JoinHandle<()>,
    /// Keeps the files of the pages known to other nodes.
    page_files: JoinHandle<()>,
    retention: Retention,
    reloadable: Reloadable,
    readiness: Arc<Readiness>,
    clock: Arc<dyn Clock>,
    store: Store,
    metrics: Arc<Metrics>,
    /// What the service measures, at an address of its own.
    measured: Option<Server>,
}

/// Why the service did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The secret is not a key.
    #[error(transparent)]
    Secret(#[from] BadSecret),
    /// A setting that a live service needs is missing, or belongs to a sandbox.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The certificate or the key is invalid.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The store belongs to the other environment.
    #[error("the store {path} belongs to a {claimed} service, and cannot serve another: give it a store of its own")]
    Environment {
        /// The database file.
        path: String,
        /// The environment that it belongs to.
        claimed: String,
    },
    /// The store cannot be opened.
    #[error("the store {path} cannot be opened: {error}")]
    Store {
        /// The database file.
        path: String,
        /// Why.
        error: StoreError,
    },
    /// The root keys are not those that the store was used with before.
    #[error("the root key does not belong to the store {path}: {error}")]
    RootKey {
        /// The database file.
        path: String,
        /// Why.
        error: WrongRootKey,
    },
    /// The operator's retailers cannot be read.
    #[error(transparent)]
    RetailersFile(#[from] RetailersFileError),
    /// Two retailers share a number.
    #[error(transparent)]
    Retailers(#[from] DuplicateRetailer),
    /// A sandbox, whose one-time password is public, is configured to reach real phones.
    #[error("a sandbox sends no one-time passwords: leave out how they reach their phones")]
    OtpDeliveryInSandbox,
    /// The gateway for one-time passwords cannot be used.
    #[error(transparent)]
    OtpGateway(#[from] BadGateway),
    /// The seed file cannot be applied.
    #[error(transparent)]
    Seed(#[from] SeedError),
    /// The listener cannot be used.
    #[error("cannot listen: {0}")]
    Listener(#[from] std::io::Error),
    /// The system provides no randomness.
    #[error(transparent)]
    Randomness(#[from] NoRandomness),
    /// The metrics contradict each other.
    #[error("the metrics cannot be set up: {0}")]
    Metrics(#[from] prometheus::Error),
}

impl From<ReloadError> for StartError {
    fn from(error: ReloadError) -> Self {
        match error {
            ReloadError::Tls(error) => Self::Tls(error),
            ReloadError::RetailersFile(error) => Self::RetailersFile(error),
            ReloadError::Retailers(error) => Self::Retailers(error),
        }
    }
}

impl Service {
    /// Starts the service on a listener that is already bound. Must be called within a Tokio runtime.
    /// Fails if something that it needs is missing or invalid; then nothing is running.
    pub async fn start(
        config: Config,
        clock: Arc<dyn Clock>,
        listener: std::net::TcpListener,
    ) -> Result<Self, StartError> {
        config.check()?;
        let environment = config.environment();
        let reloadable = Reloadable::load(&config, clock.now())?;
        let tls = reloadable.certificate().map(tls::acceptor).transpose()?;
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let address = listener.local_addr()?;
        let mut keys = Keys::from_ring(&config.secrets)?;
        let root_key = keys.fingerprints().next().unwrap_or_default().to_owned();
        let earlier_root_keys = keys.fingerprints().skip(1).collect::<Vec<_>>().join(" ");
        let catalog = reloadable.catalog();
        let otp_delivery = otp_delivery(config.otp_delivery, environment, &clock)?;
        let failed = |error| StartError::Store { path: config.database.to_string(), error };
        let store = Store::open_database(&config.database).await.map_err(failed)?;
        let version = store.version().await.map_err(failed)?;
        // With nodes that share a store, it is their database's.
        let shared = if store.is_shared() {
            Some(Arc::new(SharedClock::of(&store, Arc::clone(&clock)).await.map_err(failed)?))
        } else {
            None
        };
        let clock = shared.clone().map_or(clock, |shared| shared as Arc<dyn Clock>);
        store.keep_page_files(assets::files(), clock.now()).await.map_err(failed)?;
        let claimed = store.claim_environment(environment, clock.now()).await.map_err(failed)?;
        if claimed != environment.as_str() {
            return Err(StartError::Environment { path: config.database.to_string(), claimed });
        }
        if let Err(error) = store.claim_root_keys(&keys, clock.now()).await.map_err(failed)? {
            return Err(StartError::RootKey { path: config.database.to_string(), error });
        }
        keys.also_look_up_by(store.phone_keys(&keys).await.map_err(failed)?);
        let keys = Arc::new(keys);
        store.ensure_client(&command_line(clock.now())).await.map_err(failed)?;
        if environment.is_sandbox() && config.local_token.is_none() {
            let client = sandbox_client(CLIENT, clock.now());
            store.ensure_client(&client).await.map_err(failed)?;
        }
        if config.local_token.is_some() {
            store.ensure_client(&Client::open(LOCAL, clock.now())).await.map_err(failed)?;
            store.ensure_local_user(LOCAL, &keys.phone_digest(LOCAL), clock.now()).await.map_err(failed)?;
        }
        let (seeds_keys, seeds_catalog, seeds_clock) = (Arc::clone(&keys), Arc::clone(&catalog), Arc::clone(&clock));
        let site = Site { store: &store, keys: &seeds_keys, catalog: &seeds_catalog, clock: &*seeds_clock };
        let seed = config.sandbox.as_ref().and_then(|sandbox| sandbox.seed.as_deref());
        let unapplied = |error| match error {
            NotApplied::Seed(error) => StartError::Seed(error),
            NotApplied::Store(error) => failed(error),
        };
        let seed = match seed {
            Some(path) => seed::prepare(path, &store, clock.now()).await.map_err(unapplied)?,
            None => None,
        };
        let seeding = match seed {
            Some(prepared) => Some(prepared.begin(site).await.map_err(unapplied)?),
            None => None,
        };
        let settings = EngineSettings::new(config.parallel_syncs, config.parallel_syncs_per_retailer);
        let metrics = Arc::new(Metrics::new(clock.now())?);
        let engine = Engine::new(
            store.clone(),
            Arc::clone(&keys),
            Arc::clone(&catalog),
            Arc::clone(&clock),
            Arc::clone(&metrics),
            settings,
        )?;
        if config.local_token.is_some() {
            engine.end_overdue().await;
        }
        let sockets = socket_limits(config.connections, config.behind_proxy);
        let readiness = Arc::new(Readiness::default());
        let app = App {
            store: store.clone(),
            keys,
            catalog,
            clock: Arc::clone(&clock),
            engine: Arc::clone(&engine),
            limiter: config.rate_limit.map(RateLimiter::new),
            metrics: Arc::clone(&metrics),
            readiness: Arc::clone(&readiness),
            own_hosts: (environment.is_sandbox() && address.ip().is_loopback())
                .then(|| OwnHosts::new(config.public_url.as_deref())),
            local_token: config.local_token,
            passes: Passes::default(),
            behind_proxy: config.behind_proxy,
            issuer: config
                .public_url
                .unwrap_or_else(|| format!("{}://{address}", if tls.is_some() { "https" } else { "http" })),
            otp_delivery,
            otp_policy: config.otp_policy,
            environment,
        };
        tracing::info!(
            version = env!("CARGO_PKG_VERSION"),
            store = %config.database,
            store_version = version.store,
            clients = store.clients().await.map_err(failed)?.len(),
            root_key,
            earlier_root_keys = (!earlier_root_keys.is_empty()).then_some(earlier_root_keys),
            "started"
        );
        version::say(version);
        let history = TimeDelta::days(config.retention_days.into());
        let retention = Retention::run(store.clone(), Arc::clone(&clock), history);
        let syncing = Arc::clone(&engine);
        let engine = engine.run();
        if let Some(seeding) = seeding
            && let Err(error) = seeding.finish(site, &syncing).await
        {
            engine.stop().await;
            store.close().await;
            return Err(unapplied(error));
        }
        let deletion = tokio::spawn(store.clone().delete_removed_connections());
        let following = shared.map(|shared| tokio::spawn(shared.follow(store.clone())));
        let page_files = tokio::spawn({
            let (store, clock) = (store.clone(), Arc::clone(&clock));
            async move { store.keep_on_keeping_page_files(assets::files, &*clock).await }
        });
        let version = tokio::spawn(store.clone().follow_version(version));
        let server = Server::run(listener, tls, router(Arc::new(app)), sockets);
        Ok(Self {
            address,
            server,
            engine,
            syncing,
            deletion,
            following,
            version,
            page_files,
            retention,
            store,
            reloadable,
            readiness,
            clock,
            metrics,
            measured: None,
        })
    }

    /// Shows what the service measures, and nothing else, to everybody who reaches this listener. Returns its address.
    /// Fails if the listener cannot be used.
    pub fn show_metrics(&mut self, listener: std::net::TcpListener) -> std::io::Result<SocketAddr> {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let address = listener.local_addr()?;
        let (store, clock, metrics) = (self.store.clone(), Arc::clone(&self.clock), Arc::clone(&self.metrics));
        let limits = SocketLimits { total: METRICS_CONNECTIONS, per_address: None };
        self.measured = Some(Server::run(listener, None, metrics::alone(Measured { store, clock, metrics }), limits));
        Ok(address)
    }

    /// The address that it listens on.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Reads certificate, key and retailers again, without ending a connection or a request. If one of them is invalid,
    /// the error is logged and nothing changes.
    pub fn reload(&self) {
        match self.reloadable.reload(self.clock.now()) {
            Ok(Reloaded { certificate, added, changed, removed, unchanged, broken }) => tracing::info!(
                certificate = Some(certificate).filter(|it| !it.is_empty()),
                retailers_added = added,
                retailers_changed = changed,
                retailers_removed = removed,
                retailers_unchanged = unchanged,
                retailers_broken = (broken > 0).then_some(broken),
                "reloaded"
            ),
            Err(error) => tracing::error!(%error, "not reloaded: the previous configuration stays in force"),
        }
    }

    /// Says that it stops soon: `/readyz` answers 503 from now on, so that a load balancer sends requests to other nodes.
    /// Everything else is served as before.
    pub fn drain(&self) {
        self.readiness.drain();
        tracing::info!("draining");
    }

    /// What keeps the store from taking what syncs find, if anything does: they are tried again until it can.
    pub fn store_trouble(&self) -> Option<StoreTrouble> {
        self.syncing.trouble()
    }

    /// Returns when a newer node has changed the store such that this one must not use it. It refuses requests then, and has to be
    /// stopped.
    pub async fn outgrown(&self) -> StoreError {
        self.store.outgrown().await
    }

    /// Deletes what is left of removed connections, which a service that runs on does in the background.
    pub async fn finish_removals(&self) {
        if let Err(error) = self.store.finish_removals(None).await {
            tracing::warn!(%error, "cannot delete the rows of a removed connection; the next command tries again");
        }
    }

    /// Stops: current requests are answered, unfinished syncs go back to the queue, the store is closed.
    pub async fn stop(self) {
        // Requests that wait for a change are answered now.
        self.readiness.drain();
        self.server.stop().await;
        if let Some(measured) = self.measured {
            measured.stop().await;
        }
        self.engine.stop().await;
        // The next start continues where it stopped.
        self.deletion.abort();
        self.version.abort();
        self.page_files.abort();
        if let Some(following) = self.following {
            following.abort();
        }
        self.retention.stop().await;
        self.store.close().await;
    }
}

/// How many connections may be open. Each uses an open file of the process, which needs some for itself.
fn socket_limits(limits: ConnectionLimits, behind_proxy: bool) -> SocketLimits {
    let wanted = limits.total.get() as usize;
    let total = max_files().map_or(wanted, |files| wanted.min(files - FILES_RESERVED.min(files / 2)).max(1));
    if total < wanted {
        tracing::warn!(wanted, total, "fewer connections than configured: raise the limit on open files (ulimit -n)");
    }
    let per_address = (!behind_proxy).then_some(limits.per_address.get() as usize);
    SocketLimits { total, per_address }
}

/// How many files the process may have open, if the system says so.
fn max_files() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};

    getrlimit(Resource::Nofile).current.and_then(|files| usize::try_from(files).ok())
}

fn otp_delivery(
    config: Option<OtpDeliveryConfig>,
    environment: Environment,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<dyn OtpDelivery>, StartError> {
    match (config, environment) {
        (None, Environment::Sandbox) => Ok(Arc::new(delivery::Sandbox)),
        (None, Environment::Live) => Err(ConfigError::Otp.into()),
        (Some(_), Environment::Sandbox) => Err(StartError::OtpDeliveryInSandbox),
        (Some(OtpDeliveryConfig::Log), Environment::Live) => Ok(Arc::new(delivery::Log)),
        (Some(OtpDeliveryConfig::Gateway { url, key }), Environment::Live) => {
            Ok(Arc::new(delivery::Gateway::new(&url, key, Arc::clone(clock))?))
        }
    }
}
