//! `ordersync profile`.

use clap::Args;

/// What the long help begins with.
pub(super) const LONG: &str = "Show the signed-in user.\n\nOf the phone number, only the last four digits are known. For named environments, see \
    `ordersync profiles`.";

/// Arguments of `profile`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync profile\n  ordersync profile -o json")]
pub(crate) struct ProfileArgs {}
