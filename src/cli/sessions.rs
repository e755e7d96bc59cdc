//! `ordersync sessions`.

use clap::{Args, Subcommand};

use super::shared::MfaArgs;

/// Arguments of `sessions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync sessions\n  ordersync sessions list\n  ordersync sessions get batch_123 -o json\n  ordersync sessions watch batch_123"
)]
pub struct SessionsArgs {
    /// The verb; `latest` where none is given.
    #[command(subcommand)]
    pub command: Option<SessionsCommand>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// Show the most recent session
    #[command(after_help = "Examples:\n  ordersync sessions latest\n  ordersync sessions latest --jq .status")]
    Latest,
    /// List the sessions that connections were in last
    #[command(
        long_about = "List the sessions that connections were in last.\n\nThe interface has no list of all sessions: each \
                      connection names the last one that it was in, and these are shown, each once, the most recent \
                      first; at an address, at most 8. An older one is shown by its id: ordersync sessions get ID",
        after_help = "Examples:\n  ordersync sessions list\n  ordersync sessions list --jq '.[].batchId'"
    )]
    List,
    /// Show a session
    #[command(after_help = "Examples:\n  ordersync sessions get batch_123\n  ordersync sessions get batch_123 -o json")]
    Get {
        /// Session (batch)
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Follow a session to its end, answering what it asks for
    Watch(WatchArgs),
}

/// Arguments of `sessions watch`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync sessions watch\n  ordersync sessions watch batch_123 --mfa-option sms")]
pub struct WatchArgs {
    /// Session (batch); the most recent where none is given
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// MFA.
    #[command(flatten)]
    pub mfa: MfaArgs,
}
