//! The settings of the service at its start. Typed; secrets are redacted in `Debug`; what is missing is an error, never
//! a default that would be less safe.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::environment::Environment;
use crate::keys::SANDBOX_SECRET_PREFIX;

/// The service's configuration.
#[derive(Debug)]
pub struct Config {
    /// The SQLite database file; created if there is none.
    pub database: PathBuf,
    /// The root keys, each 32 bytes in base64 or base64url, a sandbox's with a prefix of its own. The first one seals, all
    /// open what was sealed.
    pub secrets: Vec<SecretString>,
    /// The address under which the service is reached from outside, without a trailing slash; `None`: the listener's.
    pub public_url: Option<String>,
    /// Certificate and key; `None`: plain HTTP.
    pub tls: Option<TlsFiles>,
    /// Whether there is a proxy in front, which ends TLS and names the client's address in `X-Forwarded-For`.
    pub behind_proxy: bool,
    /// The operator's retailers (`retailers.toml`).
    pub retailers: Option<PathBuf>,
    /// Requests per client in any window; `None`: no limit.
    pub rate_limit: Option<RateLimit>,
    /// How many syncs run at a time.
    pub parallel_syncs: NonZeroUsize,
    /// Simulated retailers and the `/sandbox/*` controls; `None`: neither, and the checks of a live service.
    pub sandbox: Option<SandboxConfig>,
    /// How one-time passwords reach their phones; needed outside a sandbox, where nothing is sent.
    pub otp_delivery: Option<OtpDeliveryConfig>,
    /// How many of them are sent, and to which countries; a sandbox sends none.
    pub otp_policy: OtpPolicy,
    /// How many connections may be open at a time.
    pub connections: ConnectionLimits,
    /// For how many days a sync session is kept after its end.
    pub retention_days: u32,
    /// A bearer token that signs in the one local user with every scope: for the service inside a command's own process.
    pub local_token: Option<SecretString>,
}

/// How many connections may be open at a time. At the limit, the one that has been idle longest makes room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// In all; fewer if the process may not open as many files.
    pub total: NonZeroU32,
    /// From one address. Behind a proxy all connections come from the proxy's address, and this does not apply.
    pub per_address: NonZeroU32,
}

/// For how many days a sync session is kept, unless configured.
pub const RETENTION_DAYS: u32 = 90;

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { total: const { NonZeroU32::new(1024).unwrap() }, per_address: const { NonZeroU32::new(256).unwrap() } }
    }
}

/// How many syncs run at a time, unless configured otherwise.
pub const PARALLEL_SYNCS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// So many requests in any window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// The requests.
    pub requests: NonZeroU32,
    /// The window, in whole seconds.
    pub window: Duration,
}

impl From<NonZeroU32> for RateLimit {
    /// The window of the specification, a minute.
    fn from(requests: NonZeroU32) -> Self {
        Self { requests, window: Duration::from_secs(60) }
    }
}

/// Where certificate and key are (PEM).
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The chain, the service's own certificate first.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// How one-time passwords reach their phones.
#[derive(Debug)]
pub enum OtpDeliveryConfig {
    /// In the log, for trying the service out: anyone who reads it can sign in as any user.
    Log,
    /// By a gateway of the operator's, which is sent signed JSON.
    Gateway {
        /// Its address: https, or http on a loopback address.
        url: String,
        /// What the requests are signed with.
        key: SecretString,
    },
}

/// How many one-time passwords are sent, and where to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtpPolicy {
    /// How many passwords are sent in any hour to places that are not known, and as many again to those that are.
    pub per_hour: u32,
    /// What a number has to begin with, as in `+44`; empty: any country.
    pub prefixes: Vec<String>,
}

impl Default for OtpPolicy {
    fn default() -> Self {
        Self { per_hour: 500, prefixes: Vec::new() }
    }
}

impl OtpPolicy {
    /// Whether passwords are sent to this number.
    pub(crate) fn reaches(&self, phone: &str) -> bool {
        self.prefixes.is_empty() || self.prefixes.iter().any(|prefix| phone.starts_with(prefix))
    }
}

/// How the sandbox behaves.
#[derive(Debug, Clone, Copy)]
pub struct SandboxConfig {
    /// How many times faster than life the simulated retailers answer; at least 1.
    pub speed: f64,
}

/// What a live service lacks, or has of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// No public address, or not https.
    #[error("a live service needs its public address, with https: --public-url https://orders.example")]
    PublicUrl,
    /// Neither TLS nor a proxy that ends it.
    #[error("a live service needs --tls-certificate and --tls-key, or --behind-proxy where a proxy ends TLS")]
    Tls,
    /// No root key.
    #[error("a live service needs its root key: --key-file FILE")]
    Secret,
    /// Several of these.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Several(Vec<ConfigError>),
    /// The sandbox's root key.
    #[error("this root key was made for a sandbox, whose tokens must open nothing else: make one of its own")]
    SandboxSecret,
    /// The sandbox's fixed one-time password.
    #[error("a live service needs a way to send one-time passwords: --otp-gateway URL, or --otp-log")]
    Otp,
    /// The token of a command's own process.
    #[error("a live service has no local user")]
    LocalUser,
}

impl Config {
    /// The environment that the service serves.
    #[must_use]
    pub const fn environment(&self) -> Environment {
        if self.sandbox.is_some() { Environment::Sandbox } else { Environment::Live }
    }

    /// Whether a live service may start with this.
    ///
    /// # Errors
    /// If something is missing or belongs to a sandbox, with all of it. A sandbox may start with anything.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.sandbox.is_some() {
            return Ok(());
        }
        let https =
            self.public_url.as_ref().and_then(|url| Url::parse(url).ok()).is_some_and(|url| url.scheme() == "https");
        let is_sandboxs = |secret: &SecretString| secret.expose_secret().trim().starts_with(SANDBOX_SECRET_PREFIX);
        let mut faults = Vec::new();
        for (is_fault, fault) in [
            (self.secrets.is_empty(), ConfigError::Secret),
            (!https, ConfigError::PublicUrl),
            (self.tls.is_none() && !self.behind_proxy, ConfigError::Tls),
            (self.secrets.iter().any(is_sandboxs), ConfigError::SandboxSecret),
            (self.otp_delivery.is_none(), ConfigError::Otp),
            (self.local_token.is_some(), ConfigError::LocalUser),
        ] {
            if is_fault {
                faults.push(fault);
            }
        }
        match faults.len() {
            0 | 1 => faults.pop().map_or(Ok(()), Err),
            _ => Err(ConfigError::Several(faults)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live() -> Config {
        Config {
            database: "x.sqlite3".into(),
            secrets: vec!["c2VjcmV0".into()],
            public_url: Some("https://orders.example".into()),
            tls: None,
            behind_proxy: true,
            otp_delivery: Some(OtpDeliveryConfig::Log),
            otp_policy: OtpPolicy::default(),
            retailers: None,
            rate_limit: None,
            parallel_syncs: PARALLEL_SYNCS,
            sandbox: None,
            connections: ConnectionLimits::default(),
            retention_days: RETENTION_DAYS,
            local_token: None,
        }
    }

    #[test]
    fn a_live_service_starts_with_everything_and_without_anything_of_it_not() {
        type Change = fn(&mut Config);
        let lacking: [(Change, ConfigError); 6] = [
            (|config| config.public_url = None, ConfigError::PublicUrl),
            (|config| config.public_url = Some("http://orders.example".into()), ConfigError::PublicUrl),
            (|config| config.behind_proxy = false, ConfigError::Tls),
            (|config| config.secrets.push(format!("{SANDBOX_SECRET_PREFIX}x").into()), ConfigError::SandboxSecret),
            (|config| config.otp_delivery = None, ConfigError::Otp),
            (|config| config.local_token = Some("t".into()), ConfigError::LocalUser),
        ];
        assert_eq!(live().check(), Ok(()));
        for (change, error) in lacking {
            let mut config = live();
            change(&mut config);
            assert_eq!(config.check(), Err(error));
            config.sandbox = Some(SandboxConfig { speed: 1.0 });
            assert_eq!(config.check(), Ok(()));
        }
    }

    #[test]
    fn only_numbers_of_the_allowed_countries_are_reached() {
        let policy = OtpPolicy { prefixes: vec!["+1".into(), "+44".into()], ..OtpPolicy::default() };
        assert!(policy.reaches("+14155550123") && policy.reaches("+447700900123"));
        assert!(!policy.reaches("+4930123456") && OtpPolicy::default().reaches("+4930123456"));
    }
}
