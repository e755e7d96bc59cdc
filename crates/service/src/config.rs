//! What the service is told at its start. Typed; secrets are redacted in `Debug`; what is missing is an error, never a
//! default that would be less safe.

use std::num::NonZeroU32;
use std::path::PathBuf;

use secrecy::SecretString;

/// The service's configuration.
#[derive(Debug)]
pub struct Config {
    /// The SQLite database file; made where there is none.
    pub database: PathBuf,
    /// The root of every key of the service: 32 bytes, base64 or base64url.
    pub secret: SecretString,
    /// The address under which the service is reached from outside, without a trailing slash; `None`: the listener's.
    pub public_url: Option<String>,
    /// The operator's retailers (`retailers.toml`).
    pub retailers: Option<PathBuf>,
    /// Requests per client in any 60 seconds; `None`: no limit.
    pub rate_limit: Option<NonZeroU32>,
    /// Simulated retailers and the `/sandbox/*` controls; `None`: neither.
    pub sandbox: Option<SandboxConfig>,
    /// How one-time passwords reach their phones; needed outside a sandbox, where nothing is sent.
    pub otp_delivery: Option<OtpDeliveryConfig>,
    /// A bearer token that signs in the one local user with every scope: for the service inside a command's own process.
    pub local_token: Option<SecretString>,
}

/// How one-time passwords reach their phones.
#[derive(Debug)]
pub enum OtpDeliveryConfig {
    /// In the log, for trying the service out: whoever reads it can sign in as anybody.
    Log,
    /// By a gateway of the operator's, which is sent signed JSON.
    Gateway {
        /// Its address: https, or http on a loopback address.
        url: String,
        /// What the requests are signed with.
        key: SecretString,
    },
}

/// How the sandbox behaves.
#[derive(Debug, Clone, Copy)]
pub struct SandboxConfig {
    /// How many times faster than life the simulated retailers answer; at least 1.
    pub speed: f64,
}
