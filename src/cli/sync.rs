//! `ordersync sync`.

use clap::Args;

use super::shared::{MfaArgs, WaitArgs};

/// Arguments of `sync`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync sync\n  ordersync sync --retailer merribazaar\n  ordersync sync --all --no-wait\n  ordersync sync --full\n\nIf a sync of the connection is already running, that one is followed."
)]
pub struct SyncArgs {
    /// Sync every connection that is not invalid (the default)
    #[arg(long, conflicts_with_all = ["connection", "retailer"])]
    pub all: bool,
    /// Sync this connection
    #[arg(long, short = 'c', value_name = "ID", conflicts_with = "retailer")]
    pub connection: Option<String>,
    /// Sync the connection to this retailer: an id, a name, or part of a name
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    /// Read every order again, settled and unchanged ones included
    #[arg(long)]
    pub full: bool,
    /// Do not fail if connections are skipped because they are invalid, wait for a code or are still syncing
    #[arg(long)]
    pub allow_skipped: bool,
    /// Following.
    #[command(flatten)]
    pub wait: WaitArgs,
    /// MFA.
    #[command(flatten)]
    pub mfa: MfaArgs,
}
