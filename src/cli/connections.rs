//! `ordersync connections`.

use clap::{Args, Subcommand, ValueEnum};
use ordersync_api::ConnectionStatus;

/// Arguments of `connections`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  ordersync connections\n  ordersync connections --status invalid\n  ordersync connections get conn_123 -o json"
)]
pub struct ConnectionsArgs {
    /// The verb; `list` where none is given.
    #[command(subcommand)]
    pub command: Option<ConnectionsCommand>,
    /// Arguments of `list`.
    #[command(flatten)]
    pub list: ListArgs,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum ConnectionsCommand {
    /// List connections
    #[command(
        after_help = "Examples:\n  ordersync connections list\n  ordersync connections list --status invalid\n  ordersync connections list --fields connectionId,status -o csv"
    )]
    List(ListArgs),
    /// Show one connection
    #[command(
        after_help = "Examples:\n  ordersync connections get conn_123\n  ordersync connections get conn_123 --jq .status"
    )]
    Get {
        /// Connection id, from `connections`
        #[arg(value_name = "ID")]
        id: String,
    },
}

/// Arguments of `connections list`.
#[derive(Debug, Default, Args)]
pub struct ListArgs {
    /// Only connections with this status
    #[arg(long, value_enum, value_name = "STATUS")]
    pub status: Option<Status>,
}

/// The status to filter by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Status {
    /// The last sign-in worked
    Valid,
    /// The retailer refused the last sign-in: repair it with `fix`
    Invalid,
    /// The first sign-in is still going on
    Pending,
}

impl From<Status> for ConnectionStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Valid => Self::Valid,
            Status::Invalid => Self::Invalid,
            Status::Pending => Self::Pending,
        }
    }
}
