//! `ordersync serve`.

use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::values::{RateLimit, parse_rate_limit, parse_speed};

/// What the long help begins with.
pub(super) const LONG: &str = "Run the service.\n\nA live service needs a public https address, its own TLS certificate or a proxy that \
    terminates TLS, a root key, and a way to send one-time passwords; without any of them it does not start. \
    With --sandbox it needs nothing: it has simulated retailers, issues access tokens without a sign-in page \
    (`ordersync sandbox token`), and can be controlled with `ordersync sandbox`. Stops on Ctrl-C or SIGTERM; running \
    syncs are resumed at the next start.";

/// Arguments of `serve`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync serve --sandbox\n  ordersync serve --sandbox --listen 127.0.0.1:0 --rate-limit off\n  ordersync serve --sandbox --retailers retailers.toml --log json\n  ordersync serve --public-url https://orders.example --behind-proxy --key-file root.key --otp-gateway https://sms.example/send --otp-gateway-secret-file gateway.secret"
)]
pub(crate) struct ServeArgs {
    /// Serve simulated retailers and the sandbox controls
    #[arg(long)]
    pub sandbox: bool,
    /// Public address of the service; default in a sandbox: the one it listens on
    #[arg(long, value_name = "URL", value_parser = parse_public_url)]
    pub public_url: Option<String>,
    /// Serve https with this certificate chain (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// Private key of the certificate (PEM, chmod 600)
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Trust a proxy in front that terminates TLS and sets X-Forwarded-For
    #[arg(long)]
    pub behind_proxy: bool,
    /// POST one-time passwords to this address, signed with --otp-gateway-secret-file or ORDERSYNC_OTP_GATEWAY_SECRET
    #[arg(long, value_name = "URL", conflicts_with_all = ["sandbox", "otp_log"])]
    pub otp_gateway: Option<String>,
    /// File with the secret that signs requests to --otp-gateway (chmod 600); unused without a gateway
    #[arg(long, value_name = "FILE", conflicts_with = "sandbox")]
    pub otp_gateway_secret_file: Option<PathBuf>,
    /// Log one-time passwords, for trying out: anyone who reads the log can sign in as any user
    #[arg(long, conflicts_with = "sandbox")]
    pub otp_log: bool,
    /// One-time passwords sent in any hour at most; as many again where the phone's owner has signed in before
    #[arg(long, value_name = "N", default_value = "500", conflicts_with = "sandbox")]
    pub otp_per_hour: NonZeroU32,
    /// Send one-time passwords only to numbers that begin with one of these, such as +1,+44; default: to any
    #[arg(long, value_name = "PREFIXES", value_delimiter = ',', value_parser = parse_prefix, conflicts_with = "sandbox")]
    pub otp_prefixes: Vec<String>,
    /// Address to listen on; port 0 picks a free port and prints it
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Show /metrics, and nothing else, at this address as well, to everybody who reaches it, without TLS
    #[arg(long, value_name = "ADDR:PORT")]
    pub metrics_listen: Option<SocketAddr>,
    /// Let --metrics-listen take an address outside loopback and private networks, such as 0.0.0.0
    #[arg(long, requires = "metrics_listen")]
    pub metrics_public: bool,
    /// Store: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an address; default:
    /// ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder
    #[arg(long, value_name = "PATH|URL|@FILE", value_hint = clap::ValueHint::FilePath)]
    pub database: Option<String>,
    /// Read the operator's own retailers from this TOML file
    #[arg(long, value_name = "FILE")]
    pub retailers: Option<PathBuf>,
    /// Requests allowed per client in any 60 seconds, or in another window (100/6s), or `off`
    #[arg(long, value_name = "N[/TIME]|off", default_value = "100", value_parser = parse_rate_limit)]
    pub rate_limit: RateLimit,
    /// Connections open at a time; at the limit, the one idle longest is closed
    #[arg(long, value_name = "N", default_value = "1024")]
    pub max_connections: NonZeroU32,
    /// Connections open at a time from one address; does not apply with --behind-proxy
    #[arg(long, value_name = "N", default_value = "256")]
    pub max_connections_per_address: NonZeroU32,
    /// Keep a finished sync session and its events for this many days; a connection's latest one stays
    #[arg(long, value_name = "DAYS", default_value = "90", value_parser = crate::values::whole(1..=36_500))]
    pub retention: u32,
    /// Number of syncs to work on at a time
    #[arg(long, value_name = "N", default_value = "256")]
    pub parallel_syncs: NonZeroUsize,
    /// Number of syncs of one of the operator's retailers to work on at a time
    #[arg(long, value_name = "N", default_value = "8")]
    pub parallel_syncs_per_retailer: NonZeroUsize,
    /// Before it stops, serve on for this long while /readyz answers 503, so that a load balancer can turn to other nodes
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = crate::values::whole(0..=3600))]
    pub drain: u32,
    /// Log format, on standard error
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub log: LogForm,
    /// Speed of the simulated retailers; 1 = real time
    #[arg(long, value_name = "FACTOR", requires = "sandbox", default_value = "1", value_parser = parse_speed)]
    pub speed: f64,
    /// Begin with the clients, users, connections and orders of this TOML file; a store takes one such file
    #[arg(long, value_name = "FILE", requires = "sandbox", value_hint = clap::ValueHint::FilePath)]
    pub seed: Option<PathBuf>,
    /// File with the root key (32 bytes in base64, chmod 600); a sandbox creates one next to its database. Repeatable, and
    /// a file may have several lines: the first key seals, all of them open what was sealed
    #[arg(long = "key-file", value_name = "FILE")]
    pub key_files: Vec<PathBuf>,
}

/// The form of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum LogForm {
    /// A JSON object per line
    Json,
    /// Text
    #[default]
    Text,
}

fn parse_prefix(text: &str) -> Result<String, String> {
    let text = text.trim();
    let digits = text.strip_prefix('+').unwrap_or_default();
    if (1..=15).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Ok(text.to_owned());
    }
    Err("give a plus sign and digits, such as +44".to_owned())
}

fn parse_public_url(text: &str) -> Result<String, String> {
    let url = url::Url::parse(text).map_err(|why| why.to_string())?;
    let bare = url.query().is_none() && url.fragment().is_none() && url.path() == "/" && url.username().is_empty();
    if !matches!(url.scheme(), "http" | "https") || !bare {
        return Err("give scheme, host and port only: https://orders.example".to_owned());
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}
