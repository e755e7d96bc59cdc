//! `ordersync demo`.

use std::path::PathBuf;

use clap::Args;

/// What the long help begins with.
pub(super) const LONG: &str = "Do the whole main job on simulated retailers, each step shown.\n\nLists the retailers, connects one \
    with a verification code, follows the sync to its end and exports the line items. Works on a store \
    of its own that is gone afterwards; asks nothing.";

/// Arguments of `demo`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync demo\n  ordersync demo --out /tmp/orders.csv")]
pub struct DemoArgs {
    /// File to export to; where another file is there, that is left alone and the export goes beside it
    #[arg(long, value_name = "FILE", default_value = "orders.csv")]
    pub out: PathBuf,
}
