//! `ordersync sync`.

use clap::Args;

use super::shared::SyncOptions;

/// Arguments of `sync`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync sync\n  ordersync sync merribazaar\n  ordersync sync merribazaar threadmoor\n  ordersync sync --all --no-wait\n  ordersync sync --full\n\nIf a sync of the connection is already running, that one is followed."
)]
pub(crate) struct SyncArgs {
    /// Connections to sync: the retailer's name, part of it, its id, or the connection's id; default: all
    #[arg(value_name = "NAME|ID")]
    pub names: Vec<String>,
    /// Sync every connection that is not invalid (the default)
    #[arg(long, conflicts_with_all = ["names", "connection", "retailer"])]
    pub all: bool,
    /// Sync this connection; the same as NAME|ID
    #[arg(long, short = 'c', value_name = "ID|NAME")]
    pub connection: Option<String>,
    /// Sync the connection to this retailer; the same as NAME|ID
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    /// Read every order again, settled and unchanged ones included
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    pub options: SyncOptions,
}
