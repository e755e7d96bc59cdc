//! `ordersync demo`.

use std::path::PathBuf;

use clap::Args;

/// What the long help begins with.
pub(super) const LONG: &str = "Run the whole workflow on simulated retailers.\n\nLists retailers, connects one with a verification code, syncs it, \
    exports its line items, and repairs the connection when it breaks. Each step is shown as the command that does it. \
    Never prompts; its data is deleted at the end, the export stays.";

/// Arguments of `demo`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync demo\n  ordersync demo --out /tmp/orders.csv")]
pub(crate) struct DemoArgs {
    /// File to export to; if another file is there, it is kept and the export goes beside it
    #[arg(long, value_name = "FILE", default_value = "orders.csv")]
    pub out: PathBuf,
}
