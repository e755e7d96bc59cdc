//! `ordersync smoke`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{CredentialArgs, MfaArgs};

/// What the long help begins with.
pub(super) const LONG: &str = "Check an environment end to end, for CI.\n\nPrints a line per check, with its time and, if it \
    failed, what was expected and what was found. A failed check stops only those that depend on it. Reads only, \
    unless --connect is given: then it connects a retailer, syncs it, reads its line items and exports them.";

/// Arguments of `smoke`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync smoke\n  ordersync smoke --require-remote --junit smoke.xml\n  ordersync smoke --connect 12 --credentials-file c.json --mfa-command ./code\n\nExit codes:\n  0    no check failed\n  1    the first failed check is about something else\n  3    the first failed check is about the network\n  4    the first failed check is about the sign-in"
)]
pub(crate) struct SmokeArgs {
    /// Fail unless a service at an address is checked: never the one inside this command
    #[arg(long)]
    pub require_remote: bool,
    /// Also write the results as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Connect this retailer (or sync it, if it is connected), then read and export its line items
    #[arg(long, value_name = "ID|NAME")]
    pub connect: Option<String>,
    #[command(flatten)]
    pub credentials: CredentialArgs,
    #[command(flatten)]
    pub mfa: MfaArgs,
}
