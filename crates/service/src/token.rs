//! Tokens: their prefixes, their lifetimes, and pairs of them.

use chrono::TimeDelta;
use zeroize::Zeroizing;

use crate::environment::Environment;
use crate::ids::{NoRandomness, is_token, new_token};
use crate::keys::token_digest;
use crate::store::accounts::oauth::grants::{NewPair, NewRefresh};

/// How long an access token is valid.
pub(crate) const ACCESS_LIFE: TimeDelta = TimeDelta::hours(1);
/// How long an unused refresh token is valid; each use issues a new one with the same lifetime.
const REFRESH_LIFE: TimeDelta = TimeDelta::days(90);

/// The prefix of a kind of token: those of a sandbox say so, and are refused elsewhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefix {
    live: &'static str,
    sandbox: &'static str,
}

impl Prefix {
    /// Access tokens.
    pub(crate) const ACCESS: Self = Self { live: "ordersync_at", sandbox: "ordersync_sandbox_at" };
    /// Refresh tokens.
    pub(crate) const REFRESH: Self = Self { live: "ordersync_rt", sandbox: "ordersync_sandbox_rt" };
    /// Authorization codes.
    pub(crate) const CODE: Self = Self { live: "ordersync_ac", sandbox: "ordersync_sandbox_ac" };
    /// Device codes.
    pub(crate) const DEVICE: Self = Self { live: "ordersync_dc", sandbox: "ordersync_sandbox_dc" };
    /// Link tokens.
    pub(crate) const LINK: Self = Self { live: "ordersync_lt", sandbox: "ordersync_sandbox_lt" };
    /// Cookies of browsers that are signed in.
    pub(crate) const BROWSER: Self = Self { live: "ordersync_bs", sandbox: "ordersync_sandbox_bs" };

    /// The prefix in this environment.
    pub(crate) const fn of(self, environment: Environment) -> &'static str {
        match environment {
            Environment::Live => self.live,
            Environment::Sandbox => self.sandbox,
        }
    }

    pub(crate) fn new_token(self, environment: Environment) -> Result<String, NoRandomness> {
        new_token(self.of(environment))
    }

    /// The digest by which a token is looked up; `None` if the text does not have a token's format and needs no
    /// look-up.
    pub(crate) fn digest(self, environment: Environment, token: &str) -> Option<[u8; 32]> {
        is_token(self.of(environment), token).then(|| token_digest(token))
    }
}

/// A new access token with its refresh token.
pub(crate) struct Pair {
    pub(crate) access: String,
    pub(crate) refresh: Zeroizing<String>,
}

impl Pair {
    pub(crate) fn new(environment: Environment) -> Result<Self, NoRandomness> {
        Ok(Self {
            access: Prefix::ACCESS.new_token(environment)?,
            refresh: Zeroizing::new(Prefix::REFRESH.new_token(environment)?),
        })
    }

    /// As it is stored.
    pub(crate) fn stored(&self) -> NewPair {
        NewPair {
            access_digest: token_digest(&self.access),
            access_life: ACCESS_LIFE,
            refresh: NewRefresh { digest: token_digest(&self.refresh), life: REFRESH_LIFE },
        }
    }
}
