//! `ordersync connections`.

use clap::{Args, Subcommand, ValueEnum};
use ordersync_api::ConnectionStatus;

/// Arguments of `connections`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  ordersync connections\n  ordersync connections --status invalid\n  ordersync connections merribazaar\n  ordersync connections get conn_123 -o json\n  ordersync connections remove Merribazaar"
)]
pub(crate) struct ConnectionsArgs {
    /// The verb; `list` if none is given.
    #[command(subcommand)]
    pub command: Option<ConnectionsCommand>,
    /// Show only this one, as `get` does
    #[arg(value_name = "NAME|ID", conflicts_with = "status")]
    pub name: Option<String>,
    #[command(flatten)]
    pub list: ListArgs,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum ConnectionsCommand {
    /// List connections
    #[command(
        after_help = "Examples:\n  ordersync connections list\n  ordersync connections list --status invalid\n  ordersync connections list --fields connectionId,status -o csv"
    )]
    List(ListArgs),
    /// Show one connection
    #[command(
        after_help = "Examples:\n  ordersync connections get merribazaar\n  ordersync connections get conn_123\n  ordersync connections get conn_123 --jq .status"
    )]
    Get {
        /// The retailer's name, part of it, its id, or the connection's id
        #[arg(value_name = "NAME|ID")]
        id: String,
    },
    /// Disconnect a retailer and delete its orders
    #[command(long_about = REMOVE_LONG, after_help = "Examples:\n  ordersync connections remove Merribazaar\n  ordersync connections remove conn_123 --yes")]
    Remove(RemoveArgs),
}

const REMOVE_LONG: &str = "\
Disconnect a retailer and delete its orders

The service stops sharing the connection with this client. If no other client has access, it deletes the connection: its \
credentials, line items and sessions. Exported files stay. The command says how many line items are affected and asks \
first; in a script, pass --yes. During a sync a connection cannot be removed.";

/// Arguments of `connections remove`.
#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The retailer's whole name, its id, or the connection's id
    #[arg(value_name = "NAME|ID")]
    pub id: String,
    /// Remove without asking
    #[arg(long, short = 'y')]
    pub yes: bool,
}

/// Arguments of `connections list`.
#[derive(Debug, Default, Args)]
pub(crate) struct ListArgs {
    /// Only connections with this status
    #[arg(long, value_enum, value_name = "STATUS")]
    pub status: Option<StatusFilter>,
}

/// The status to filter by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatusFilter {
    /// The last sign-in worked
    Valid,
    /// The retailer refused the last sign-in: repair it with `fix`
    Invalid,
    /// The first sign-in is still going on
    Pending,
}

impl From<StatusFilter> for ConnectionStatus {
    fn from(status: StatusFilter) -> Self {
        match status {
            StatusFilter::Valid => Self::Valid,
            StatusFilter::Invalid => Self::Invalid,
            StatusFilter::Pending => Self::Pending,
        }
    }
}
