//! `ordersync open`.

use clap::Args;

/// What the long help begins with.
pub(super) const LONG: &str = "Show your orders in the browser: search, filters, each order with its lines, and what is missing.\n\nOn the \
    local profile, the service runs inside the command until Ctrl-C, a signal or --timeout ends it. The browser is signed in by a link \
    that works once, within a minute. At any other service, the page asks you to sign in.";

/// Arguments of `open`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync open\n  ordersync open --no-browser")]
pub(crate) struct OpenArgs {
    /// Print the address of the page instead of opening a browser
    #[arg(long)]
    pub no_browser: bool,
}
