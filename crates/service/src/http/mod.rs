//! The HTTP interface: one file per resource, and what all of them share.
//!
//! A handler reads like its specification: who may call it is an extractor, what went wrong is a [`Problem`], and the
//! gate in front of every route gives the request its id, finds out who calls, and counts it against the rate limit.

pub(crate) mod connections;
pub(crate) mod extract;
mod failures;
pub(crate) mod fields;
pub(crate) mod gate;
mod health;
mod host;
pub(crate) mod idempotency;
mod links;
mod metrics;
mod mfa;
pub(crate) mod orders;
mod orders_csv;
mod paced;
mod pieces;
pub(crate) mod place;
pub(crate) mod problem;
mod profile;
mod rate_limit;
mod retailers;
pub(crate) mod sandbox;
mod server;
mod sessions;
mod sockets;
pub(crate) mod tls;
mod totp;

use std::sync::Arc;

use axum::Router;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::routing::{MethodRouter, delete, get, post, put};
use secrecy::SecretString;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::SizeAbove;

pub use health::Readiness;
pub use host::OwnHosts;
pub use metrics::Metrics;
pub use problem::Problem;
pub use rate_limit::{CallerKey, RateLimiter};
pub use server::Server;
pub use sockets::SocketLimits;
pub use tls::TlsError;

use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::keys::Keys;
use crate::oauth::delivery::OtpDelivery;
use crate::oauth::otp_limits::OtpPolicy;
use crate::store::Store;
use crate::sync::Engine;

/// What the handlers work with.
pub struct App {
    /// The store.
    pub store: Store,
    /// The service's keys.
    pub keys: Arc<Keys>,
    /// The retailers.
    pub catalog: Arc<Catalog>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// What drives the syncs.
    pub engine: Arc<Engine>,
    /// Requests per client; `None`: no limit.
    pub limiter: Option<RateLimiter>,
    /// What was answered.
    pub metrics: Metrics,
    /// Whether the store takes writes.
    pub readiness: Readiness,
    /// The token of the one local user, in the service inside a command's own process.
    pub local_token: Option<SecretString>,
    /// The address under which the service is reached from outside: the issuer (RFC 8414 §2). Without a trailing slash.
    pub issuer: String,
    /// Whether a proxy stands in front and names the client's address.
    pub behind_proxy: bool,
    /// What brings one-time passwords to their phones.
    pub otp_delivery: Arc<dyn OtpDelivery>,
    /// The hosts that it answers to, if it serves its own machine only.
    pub own_hosts: Option<OwnHosts>,
    /// How many of them are sent, and where to.
    pub otp_policy: OtpPolicy,
    /// Whether the `/sandbox/*` controls are there.
    pub sandbox: bool,
}

/// From how many bytes on a list is compressed.
const COMPRESSED_ABOVE: u64 = 1024;

/// Hands out access tokens for the asking.
const SANDBOX_TOKEN: &str = "/sandbox/token";

/// The one local user, and the client through which it acts.
pub const LOCAL: &str = "local";

pub(crate) type Shared = Arc<App>;

/// A route: the contract is held against these.
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path, with `{name}` for what varies.
    pub path: &'static str,
    pub(crate) handler: MethodRouter<Shared>,
}

impl Route {
    pub(crate) const fn get(path: &'static str, handler: MethodRouter<Shared>) -> Self {
        Self { method: Method::GET, path, handler }
    }

    pub(crate) const fn post(path: &'static str, handler: MethodRouter<Shared>) -> Self {
        Self { method: Method::POST, path, handler }
    }
}

/// Every route that the service has; those of the sandbox only where it is one.
#[must_use]
pub fn routes(with_sandbox: bool) -> Vec<Route> {
    let read = Route::get;
    let create = Route::post;
    let mut routes = vec![
        read("/sync/retailers", get(retailers::list)),
        read("/sync/connections", get(connections::list)),
        create("/sync/connections/connect", post(connections::connect)),
        create("/sync/connections/sync", post(connections::sync_all)),
        read("/sync/connections/{connectionId}", get(connections::read)),
        Route { method: Method::PUT, path: "/sync/connections/{connectionId}", handler: put(connections::fix) },
        Route {
            method: Method::DELETE,
            path: "/sync/connections/{connectionId}",
            handler: delete(connections::remove),
        },
        create("/sync/connections/{connectionId}/sync", post(connections::sync_one)),
        read("/sync/orders", get(orders::list).layer(compressed())),
        create("/sync/orders/sync", post(orders::sync)),
        read("/sync/orders/{id}", get(orders::read)),
        read("/sync/sessions/latest", get(sessions::latest)),
        read("/sync/sessions/{batchId}", get(sessions::read)),
        create("/sync/mfa", post(mfa::submit)),
        read("/sync/auth/totp", get(totp::issue)),
        read("/sync/profile", get(profile::read)),
        create("/v1/link/token", post(links::create)),
        read("/v1/users/share", get(links::share)),
        read("/healthz", get(health::alive)),
        read("/readyz", get(health::ready)),
        read("/metrics", get(metrics::read)),
    ];
    routes.extend(crate::oauth::routes());
    routes.extend(crate::web::routes());
    if with_sandbox {
        routes.extend([
            read("/", get(crate::web::landing::show)),
            create(SANDBOX_TOKEN, post(sandbox::token)),
            create("/sandbox/reset", post(sandbox::reset)),
            create("/sandbox/break", post(sandbox::break_connection)),
            create("/sandbox/clock", post(sandbox::clock)),
            read("/sandbox/otp", get(sandbox::one_time_passwords)),
            create("/sandbox/fail", post(failures::fail)),
            Route { method: Method::DELETE, path: "/sandbox/fail", handler: delete(failures::clear) },
        ]);
    }
    routes
}

/// Compresses a list for whoever asks for it: quickly rather than well. Nothing else is compressed: an answer that holds a
/// secret beside something that another party chose would tell of the secret by its length (BREACH).
fn compressed() -> CompressionLayer<SizeAbove> {
    CompressionLayer::new().quality(CompressionLevel::Fastest).compress_when(SizeAbove::new(COMPRESSED_ABOVE))
}

/// The whole interface as one service.
pub fn router(app: Shared) -> Router {
    // Inside a command, the token of that command is the only one that the sandbox's controls take.
    let has_tokens = app.local_token.is_none();
    let router = routes(app.sandbox)
        .into_iter()
        .filter(|route| has_tokens || route.path != SANDBOX_TOKEN)
        .fold(Router::new(), |router, route| router.route(route.path, route.handler))
        .method_not_allowed_fallback(problem::method_not_allowed)
        .fallback(problem::no_such_path)
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(from_fn_with_state(Arc::clone(&app), idempotency::keep_refusals));
    let router = match app.sandbox {
        true => router.layer(from_fn_with_state(Arc::clone(&app), failures::force)),
        false => router,
    };
    router
        .layer(from_fn_with_state(Arc::clone(&app), gate::gate))
        .layer(from_fn_with_state(Arc::clone(&app), crate::web::errors_as_pages))
        .with_state(app)
}
