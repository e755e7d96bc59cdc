//! The settings with which the service starts. Typed; secrets are redacted in `Debug`; a missing setting is an error,
//! never a less safe default.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::database::Database;
use crate::environment::Environment;
use crate::keys::SANDBOX_SECRET_PREFIX;

/// The service's configuration.
#[derive(Debug)]
pub struct Config {
    /// Where the store is.
    pub database: Database,
    /// The root keys, each 32 bytes in base64 or base64url; a sandbox's keys have their own prefix. The first one
    /// seals, and all of them open sealed values.
    pub secrets: Vec<SecretString>,
    /// The address at which the service is reached from outside, without a trailing slash; `None`: the listener's.
    pub public_url: Option<String>,
    /// Certificate and key; `None`: plain HTTP.
    pub tls: Option<TlsFiles>,
    /// Whether there is a proxy in front that terminates TLS and adds the client's address to `X-Forwarded-For`.
    pub behind_proxy: bool,
    /// The operator's retailers (`retailers.toml`).
    pub retailers: Option<PathBuf>,
    /// Requests per client in any window; `None`: no limit.
    pub rate_limit: Option<RateLimit>,
    /// How many syncs run at a time.
    pub parallel_syncs: NonZeroUsize,
    /// How many of them are of one of the operator's retailers.
    pub parallel_syncs_per_retailer: NonZeroUsize,
    /// Simulated retailers and the `/sandbox/*` controls; `None`: neither, and the checks of a live service.
    pub sandbox: Option<SandboxConfig>,
    /// How one-time passwords reach their phones; required outside a sandbox, which sends none.
    pub otp_delivery: Option<OtpDeliveryConfig>,
    /// How many of them are sent, and to which countries; a sandbox sends none.
    pub otp_policy: OtpPolicy,
    /// How many connections may be open at a time.
    pub connections: ConnectionLimits,
    /// For how many days a sync session is kept after its end.
    pub retention_days: u32,
    /// A bearer token that signs in the single local user with every scope: for the service inside a command's own
    /// process.
    pub local_token: Option<SecretString>,
}

/// How many connections may be open at a time. At the limit, the connection that has been idle longest is closed to
/// make room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// In all; fewer if the process is not allowed as many open files.
    pub total: NonZeroU32,
    /// From one address. Behind a proxy all connections come from the proxy's address, and this does not apply.
    pub per_address: NonZeroU32,
}

/// For how many days a sync session is kept, unless configured otherwise.
pub const RETENTION_DAYS: u32 = 90;

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { total: const { NonZeroU32::new(1024).unwrap() }, per_address: const { NonZeroU32::new(256).unwrap() } }
    }
}

/// How many syncs run at a time, unless configured otherwise.
pub const PARALLEL_SYNCS: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// How many syncs of one of the operator's retailers run at a time, unless configured otherwise: few, to spare small shops.
pub const PARALLEL_SYNCS_PER_RETAILER: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// The maximum number of requests in any window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// The requests.
    pub requests: NonZeroU32,
    /// The window, in whole seconds.
    pub window: Duration,
}

impl From<NonZeroU32> for RateLimit {
    /// With the window of the specification, a minute.
    fn from(requests: NonZeroU32) -> Self {
        Self { requests, window: Duration::from_secs(60) }
    }
}

/// The files with certificate and key (PEM).
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
    /// In the log, for trying the service out: anyone who reads the log can sign in as any user.
    Log,
    /// Through an operator's gateway, which receives signed JSON.
    Gateway {
        /// Its address: https, or http on a loopback address.
        url: String,
        /// The key that signs the requests.
        key: SecretString,
    },
}

/// How many one-time passwords are sent, and to which countries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtpPolicy {
    /// How many passwords per hour are sent to unknown places; the same number again may be sent to known ones.
    pub per_hour: u32,
    /// The prefixes that a number may have, such as `+44`; empty: any country.
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
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// How many times faster than real time the simulated retailers answer; at least 1.
    pub speed: f64,
    /// What the sandbox begins with.
    pub seed: Option<PathBuf>,
}

/// A setting that a live service lacks, or that belongs to a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The public address is missing, or is not https.
    #[error("a live service needs its public address, with https: --public-url https://orders.example")]
    PublicUrl,
    /// There is neither TLS nor a proxy that terminates it.
    #[error("a live service needs --tls-certificate and --tls-key, or --behind-proxy where a proxy ends TLS")]
    Tls,
    /// No root key.
    #[error("a live service needs its root key: --key-file FILE")]
    Secret,
    /// Several of these problems.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Several(Vec<ConfigError>),
    /// The sandbox's root key.
    #[error("this root key was made for a sandbox, whose tokens must open nothing else: make one of its own")]
    SandboxSecret,
    /// No delivery of one-time passwords: only a sandbox has a fixed one.
    #[error("a live service needs a way to send one-time passwords: --otp-gateway URL, or --otp-log")]
    Otp,
    /// The token of a command's own process.
    #[error("a live service has no local user")]
    LocalUser,
}

impl Config {
    /// The environment of the service.
    pub const fn environment(&self) -> Environment {
        if self.sandbox.is_some() { Environment::Sandbox } else { Environment::Live }
    }

    /// Whether a live service may start with this configuration.
    /// Fails if something is missing or belongs to a sandbox; the error lists all such problems. A sandbox may start
    /// with any configuration.
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
            database: Database::File("x.sqlite3".into()),
            secrets: vec!["c2VjcmV0".into()],
            public_url: Some("https://orders.example".into()),
            tls: None,
            behind_proxy: true,
            otp_delivery: Some(OtpDeliveryConfig::Log),
            otp_policy: OtpPolicy::default(),
            retailers: None,
            rate_limit: None,
            parallel_syncs: PARALLEL_SYNCS,
            parallel_syncs_per_retailer: PARALLEL_SYNCS_PER_RETAILER,
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
            config.sandbox = Some(SandboxConfig { speed: 1.0, seed: None });
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
