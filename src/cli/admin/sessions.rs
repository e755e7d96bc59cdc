//! `ordersync admin sessions`.

use clap::{Args, Subcommand};

use super::StoreOption;

/// Arguments of `admin sessions`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin sessions list\n  ordersync admin sessions show batch_1\n  ordersync admin sessions cancel batch_1"
)]
pub(crate) struct AdminSessionsArgs {
    #[command(flatten)]
    pub store: StoreOption,
    #[command(subcommand)]
    pub command: AdminSessionsCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminSessionsCommand {
    /// List the syncs of all users that are not over, with what they wait for
    #[command(
        after_help = "Examples:\n  ordersync admin sessions list\n  ordersync admin sessions list --failed\n  ordersync admin sessions list --jq '.[] | select(.failures > 0)'"
    )]
    List {
        /// List the newest syncs that failed instead
        #[arg(long)]
        failed: bool,
    },
    /// Show the syncs of a session
    #[command(after_help = "Examples:\n  ordersync admin sessions show batch_1 -o json")]
    Show {
        /// Session id, from `admin sessions list`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// End the syncs of a session; what they have stored stays
    #[command(
        long_about = "End the syncs of a session; what they have stored stays.\n\nThey end with the error \
            `cancelled`. The connections stay valid, and their users can sync again.",
        after_help = "Examples:\n  ordersync admin sessions cancel batch_1"
    )]
    Cancel {
        /// Session id, from `admin sessions list`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Let the syncs of a session go on at once; start those again that failed
    #[command(
        long_about = "Let the syncs of a session go on at once; start those again that failed.\n\nA retailer that asked for a pause \
            is still given it. Syncs that wait for a user's code, and connections that are invalid, need their users.",
        after_help = "Examples:\n  ordersync admin sessions retry batch_1"
    )]
    Retry {
        /// Session id, from `admin sessions list`
        #[arg(value_name = "ID")]
        id: String,
    },
}
