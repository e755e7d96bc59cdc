//! `ordersync sandbox`.

use clap::{ArgGroup, Args, Subcommand};

/// Arguments of `sandbox`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync sandbox break conn_123\n  ordersync sandbox clock --advance 300\n  ordersync sandbox fail --status 503 --count 3\n  ordersync sandbox reset"
)]
pub(crate) struct SandboxArgs {
    #[command(subcommand)]
    pub command: SandboxCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum SandboxCommand {
    /// Print an access token for one of the sandbox's users
    Token(TokenArgs),
    /// Delete a user's connections, sessions, orders and bindings
    Reset(ResetArgs),
    /// Unbind a client's identifier from its user
    #[command(
        after_help = "Examples:\n  ordersync sandbox unbind customer-1\n  ordersync sandbox unbind customer-1 --client-id my-app"
    )]
    Unbind {
        /// Identifier that the client has for the user
        #[arg(value_name = "EXTERNAL_USER_ID")]
        external_user_id: String,
        /// Client; default: that of your token
        #[arg(long, value_name = "ID")]
        client_id: Option<String>,
    },
    /// Make a connection invalid, as if its sign-in had expired
    #[command(after_help = "Examples:\n  ordersync sandbox break merribazaar\n  ordersync sandbox break conn_123")]
    Break {
        /// Connection, by its id, or the name of its retailer
        #[arg(value_name = "CONNECTION")]
        connection: String,
    },
    /// Advance, freeze or unfreeze the user's clock
    Clock(ClockArgs),
    /// List the one-time passwords sent to a user's phone
    #[command(
        after_help = "Examples:\n  ordersync sandbox otp +15550100\n  ordersync sandbox otp +15550100 --jq \".[0].otp\""
    )]
    Otp {
        /// Phone number of the signed-in user: +15550100 to +15550199
        #[arg(value_name = "PHONE")]
        phone: String,
    },
    /// Make the next requests of the user, or of a client, fail, wait or lose their answer
    Fail(FailArgs),
}

/// Arguments of `sandbox token`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  export ORDERSYNC_BASE_URL=http://127.0.0.1:8080\n  export ORDERSYNC_TOKEN=$(ordersync sandbox token)\n  ordersync sandbox token --phone +15550142 --scopes \"orders:read\""
)]
pub(crate) struct TokenArgs {
    /// Phone number of the user: +15550100 to +15550199
    #[arg(long, value_name = "NUMBER", default_value = "+15550100")]
    pub phone: String,
    /// Client to issue the token to; default: the sandbox's own
    #[arg(long, value_name = "ID")]
    pub client_id: Option<String>,
    /// Scopes, separated by spaces; default: all
    #[arg(long, value_name = "SCOPES")]
    pub scopes: Option<String>,
}

/// Arguments of `sandbox reset`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync sandbox reset\n  ordersync sandbox reset --yes\n  ordersync sandbox reset --all"
)]
pub(crate) struct ResetArgs {
    /// Reset all users, not just the signed-in one
    #[arg(long)]
    pub all: bool,
    /// Do not ask; on the local profile the command asks before it deletes anything
    #[arg(long, short = 'y')]
    pub yes: bool,
}

/// Arguments of `sandbox clock`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync sandbox clock --advance 300\n  ordersync sandbox clock --freeze")]
#[group(required = true, multiple = false)]
pub(crate) struct ClockArgs {
    /// Move forward by this many seconds and wait until everything due by then is done
    #[arg(long, value_name = "SECONDS")]
    pub advance: Option<u32>,
    /// Stop the clock
    #[arg(long)]
    pub freeze: bool,
    /// Let the clock run again
    #[arg(long)]
    pub unfreeze: bool,
}

/// Arguments of `sandbox fail`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync sandbox fail --status 503 --count 3\n  ordersync sandbox fail --code TOO_MANY_REQUESTS --retry-after 30\n  ordersync sandbox fail --drop --path /sync/orders --after-page 2\n  ordersync sandbox fail --latency 2000 --count 10\n  ordersync sandbox fail --client-id my-app --status 503 --path /oauth/token\n  ordersync sandbox fail --clear"
)]
#[command(group = ArgGroup::new("failure").required(true).multiple(true).args(["status", "code", "drop", "latency", "clear"]))]
#[group(skip)]
pub(crate) struct FailArgs {
    /// Answer with this HTTP status, 400 to 599
    #[arg(long, value_name = "STATUS", conflicts_with_all = ["code", "drop"])]
    pub status: Option<u16>,
    /// Answer with this error code and its status, `UNAVAILABLE` for example
    #[arg(long, value_name = "CODE", conflicts_with = "drop")]
    pub code: Option<String>,
    /// Carry the request out, but close the connection without an answer
    #[arg(long)]
    pub drop: bool,
    /// Wait this long before the answer
    #[arg(long, value_name = "MILLISECONDS")]
    pub latency: Option<u64>,
    /// How many requests this happens to
    #[arg(long, value_name = "N", default_value = "1")]
    pub count: u32,
    /// Requests of this client, for any user: its own at /oauth/token and /v1/ as well; default: your user's
    #[arg(long, value_name = "ID")]
    pub client_id: Option<String>,
    /// Only requests with this method
    #[arg(long, value_name = "METHOD")]
    pub method: Option<String>,
    /// Only requests to this path, /sync/orders/{id} for example
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// Value of the header Retry-After; 1 for a 429 or 503 if not given
    #[arg(long, value_name = "SECONDS", conflicts_with = "drop")]
    pub retry_after: Option<u64>,
    /// Only requests for later pages of a list than this one
    #[arg(long, value_name = "PAGE")]
    pub after_page: Option<u64>,
    /// With --drop: send this much of the answer's body first
    #[arg(long, value_name = "BYTES", requires = "drop", conflicts_with_all = ["status", "code"])]
    pub after_bytes: Option<u64>,
    /// Forget the failures that are still waiting for requests
    #[arg(long, conflicts_with_all = [
        "status", "code", "drop", "latency", "count", "method", "path", "retry_after", "after_page", "after_bytes",
    ])]
    pub clear: bool,
}
