//! `ordersync sync`.

use clap::Args;

use super::shared::{MfaArgs, WaitArgs};

/// Arguments of `sync`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync sync\n  ordersync sync --retailer merribazaar\n  ordersync sync --all --no-wait\n\nWhere a sync of the connection is running already, that one is followed."
)]
pub struct SyncArgs {
    /// Every valid connection (what happens where nothing is given)
    #[arg(long, conflicts_with_all = ["connection", "retailer"])]
    pub all: bool,
    /// One connection
    #[arg(long, short = 'c', value_name = "ID", conflicts_with = "retailer")]
    pub connection: Option<String>,
    /// The connection to this retailer, by id, name, or part of a name
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    /// Following.
    #[command(flatten)]
    pub wait: WaitArgs,
    /// MFA.
    #[command(flatten)]
    pub mfa: MfaArgs,
}
