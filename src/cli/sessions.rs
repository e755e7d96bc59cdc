//! `ordersync sessions`.

use clap::{Args, Subcommand};

use super::shared::MfaArgs;

/// Arguments of `sessions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync sessions\n  ordersync sessions get batch_123 -o json\n  ordersync sessions watch batch_123"
)]
pub struct SessionsArgs {
    /// The verb; `latest` where none is given.
    #[command(subcommand)]
    pub command: Option<SessionsCommand>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// Show the latest session
    #[command(after_help = "Examples:\n  ordersync sessions latest\n  ordersync sessions latest --jq .status")]
    Latest,
    /// Show a session
    #[command(after_help = "Examples:\n  ordersync sessions get batch_123\n  ordersync sessions get batch_123 -o json")]
    Get {
        /// Session id (batchId)
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Follow a session to its end
    Watch(WatchArgs),
}

/// Arguments of `sessions watch`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync sessions watch\n  ordersync sessions watch batch_123 --mfa-option sms")]
pub struct WatchArgs {
    /// Session id (batchId); default: the latest session
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// MFA.
    #[command(flatten)]
    pub mfa: MfaArgs,
}
