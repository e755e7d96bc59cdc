//! `ordersync sandbox`.

use clap::{Args, Subcommand};

/// Arguments of `sandbox`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync sandbox break conn_123\n  ordersync sandbox clock --advance 300\n  ordersync sandbox reset"
)]
pub struct SandboxArgs {
    /// The verb.
    #[command(subcommand)]
    pub command: SandboxCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum SandboxCommand {
    /// Print an access token for one of the sandbox's users
    Token(TokenArgs),
    /// Forget what a user has: connections, sessions, orders
    Reset(ResetArgs),
    /// Make a connection invalid, as if the retailer had ended the sign-in
    #[command(after_help = "Examples:\n  ordersync sandbox break conn_123")]
    Break {
        /// Connection, as `connections list` has it
        #[arg(value_name = "CONNECTION")]
        connection: String,
    },
    /// Move or stop the user's time
    Clock(ClockArgs),
}

/// Arguments of `sandbox token`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  export ORDERSYNC_BASE_URL=http://127.0.0.1:8080\n  export ORDERSYNC_TOKEN=$(ordersync sandbox token)\n  ordersync sandbox token --phone +15550142 --scopes \"orders:read\""
)]
pub struct TokenArgs {
    /// One of +15550100 to +15550199
    #[arg(long, value_name = "NUMBER", default_value = "+15550100")]
    pub phone: String,
    /// Client that the token is for; the sandbox's own where none is given
    #[arg(long, value_name = "ID")]
    pub client_id: Option<String>,
    /// Scopes, separated by spaces; all where none are given
    #[arg(long, value_name = "SCOPES")]
    pub scopes: Option<String>,
}

/// Arguments of `sandbox reset`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync sandbox reset\n  ordersync sandbox reset --all")]
pub struct ResetArgs {
    /// All users, not the token's alone
    #[arg(long)]
    pub all: bool,
}

/// Arguments of `sandbox clock`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync sandbox clock --advance 300\n  ordersync sandbox clock --freeze")]
#[group(required = true, multiple = false)]
pub struct ClockArgs {
    /// Move forward by this many seconds; returns once what falls due by then is done
    #[arg(long, value_name = "SECONDS")]
    pub advance: Option<u32>,
    /// Stop it where it is
    #[arg(long)]
    pub freeze: bool,
    /// Let it run again
    #[arg(long)]
    pub unfreeze: bool,
}
