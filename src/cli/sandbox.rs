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
    /// Delete a user's connections, sessions and orders
    Reset(ResetArgs),
    /// Make a connection invalid, as if the password had changed
    #[command(after_help = "Examples:\n  ordersync sandbox break conn_123")]
    Break {
        /// Connection id, from `connections`
        #[arg(value_name = "CONNECTION")]
        connection: String,
    },
    /// Advance, freeze or unfreeze the user's clock
    Clock(ClockArgs),
}

/// Arguments of `sandbox token`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  export ORDERSYNC_BASE_URL=http://127.0.0.1:8080\n  export ORDERSYNC_TOKEN=$(ordersync sandbox token)\n  ordersync sandbox token --phone +15550142 --scopes \"orders:read\""
)]
pub struct TokenArgs {
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
#[command(after_help = "Examples:\n  ordersync sandbox reset\n  ordersync sandbox reset --all")]
pub struct ResetArgs {
    /// Reset all users, not just the signed-in one
    #[arg(long)]
    pub all: bool,
}

/// Arguments of `sandbox clock`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync sandbox clock --advance 300\n  ordersync sandbox clock --freeze")]
#[group(required = true, multiple = false)]
pub struct ClockArgs {
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
