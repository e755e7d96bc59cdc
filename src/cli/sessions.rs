//! `ordersync sessions`.

use clap::{Args, Subcommand};

use super::shared::MfaArgs;

/// Arguments of `sessions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync sessions\n  ordersync sessions list\n  ordersync sessions get batch_123 -o json\n  ordersync sessions watch batch_123"
)]
pub(crate) struct SessionsArgs {
    /// The verb; `latest` if none is given.
    #[command(subcommand)]
    pub command: Option<SessionsCommand>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// Show the latest session
    #[command(after_help = "Examples:\n  ordersync sessions latest\n  ordersync sessions latest --jq .status")]
    Latest,
    /// List the latest session of each connection
    #[command(
        long_about = "List the latest session of each connection.\n\nThe service has no list of all sessions, but each connection \
                      names its last one: these are shown, the most recent first; at most 8 where the service is at an \
                      address. To show an older one: ordersync sessions get ID",
        after_help = "Examples:\n  ordersync sessions list\n  ordersync sessions list --jq '.[].batchId'"
    )]
    List,
    /// Show a session
    #[command(
        after_help = "Examples:\n  ordersync sessions get batch_123\n  ordersync sessions get merribazaar\n  ordersync sessions get batch_123 -o json"
    )]
    Get {
        /// Session id (batchId), its first characters, or a retailer: its last session
        #[arg(value_name = "ID|NAME")]
        id: String,
    },
    /// Follow a session to its end
    Watch(WatchArgs),
}

/// Arguments of `sessions watch`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync sessions watch\n  ordersync sessions watch batch_123 --mfa-option sms")]
pub(crate) struct WatchArgs {
    /// Session id (batchId), its first characters, or a retailer: its last session; default: the latest session
    #[arg(value_name = "ID|NAME")]
    pub id: Option<String>,
    #[command(flatten)]
    pub mfa: MfaArgs,
}
