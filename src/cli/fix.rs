//! `ordersync fix`.

use clap::Args;

use super::shared::ConnectOptions;

/// What the long help begins with.
pub(super) const LONG: &str = "Repair an invalid connection.\n\nPrompts for the credentials again, as `connect` does, and syncs. \
    Without a connection or a retailer, pick one of the invalid ones; in a script, name one, or pass --yes if there is \
    only one.";

/// Arguments of `fix`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync fix\n  ordersync fix merribazaar\n  ordersync fix conn_123\n  ordersync fix --retailer 12 --credentials-file c.json"
)]
pub(crate) struct FixArgs {
    /// Connection: the retailer's name, part of it, its id, or the connection's id
    #[arg(value_name = "NAME|ID")]
    pub connection: Option<String>,
    /// The same as NAME|ID
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    #[command(flatten)]
    pub options: ConnectOptions,
}
