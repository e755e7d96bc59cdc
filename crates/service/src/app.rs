//! The state that the handlers share: data only.

use std::sync::Arc;

use secrecy::SecretString;

use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::config::OtpPolicy;
use crate::counters::Metrics;
use crate::delivery::OtpDelivery;
use crate::environment::Environment;
use crate::keys::Keys;
use crate::limits::RateLimiter;
use crate::links::Links;
use crate::own_hosts::OwnHosts;
use crate::signin::SignIn;
use crate::signin::passes::Passes;
use crate::store::Store;
use crate::store::nodes::readiness::Readiness;
use crate::sync::Engine;

/// The state of every handler.
pub(crate) type Shared = Arc<App>;

/// The state that the handlers share.
pub(crate) struct App {
    pub(crate) store: Store,
    pub(crate) keys: Arc<Keys>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) engine: Arc<Engine>,
    /// Requests per client; `None`: no limit.
    pub(crate) limiter: Option<RateLimiter>,
    /// What is counted and measured.
    pub(crate) metrics: Arc<Metrics>,
    /// Whether requests should come to this node.
    pub(crate) readiness: Arc<Readiness>,
    /// The token of the single local user, for the service inside a command's own process.
    pub(crate) local_token: Option<SecretString>,
    /// Passes that sign a browser in as that user.
    pub(crate) passes: Passes,
    /// The address under which the service is reached from outside: the issuer (RFC 8414 §2). Without a trailing slash.
    pub(crate) issuer: String,
    /// Whether a proxy in front adds the client's address to the request.
    pub(crate) behind_proxy: bool,
    /// The hosts that it answers to, if it serves only its own machine.
    pub(crate) own_hosts: Option<OwnHosts>,
    /// Sends one-time passwords to phones.
    pub(crate) otp_delivery: Arc<dyn OtpDelivery>,
    /// How many one-time passwords are sent, and to which countries.
    pub(crate) otp_policy: OtpPolicy,
    /// Whether it is a sandbox, which has the `/sandbox/*` controls.
    pub(crate) environment: Environment,
}

impl App {
    /// The dependencies of creating and opening link tokens.
    pub(crate) fn links(&self) -> Links<'_> {
        let Self { store, keys, environment, .. } = self;
        Links { store, keys, clock: &*self.clock, environment: *environment }
    }

    /// The dependencies of a sign-in.
    pub(crate) fn sign_in(&self) -> SignIn<'_> {
        SignIn {
            store: &self.store,
            keys: &self.keys,
            clock: &*self.clock,
            delivery: &*self.otp_delivery,
            policy: &self.otp_policy,
            environment: self.environment,
            is_https: self.is_https(),
        }
    }

    /// Whether it is reached over https.
    pub(crate) fn is_https(&self) -> bool {
        self.issuer.starts_with("https://")
    }
}
