//! `ordersync smoke`.

use std::path::PathBuf;

use clap::Args;

use super::shared::{CredentialArgs, MfaArgs};

/// What the long help begins with.
pub(super) const LONG: &str = "Check an environment end to end, for CI.\n\nA line per check, each with the time it took: what was \
    expected and what came, where it failed. One that fails stops no other that does not need it. Only reads, unless \
    --connect is given: then a retailer is connected and synced, and its line items are read back and exported.";

/// Arguments of `smoke`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync smoke\n  ordersync smoke --profile production --junit smoke.xml\n  ordersync smoke --connect 12 --credentials-file c.json --mfa-command ./code\n\nExit codes:\n  0    no check failed\n  1    the first that failed is about neither of these two\n  3    the first that failed is about the network\n  4    the first that failed is about the sign-in"
)]
pub struct SmokeArgs {
    /// Write the result as JUnit XML, too
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Connect this retailer, sync, export and read back; what is connected already is synced
    #[arg(long, value_name = "ID|NAME")]
    pub connect: Option<String>,
    /// Credentials.
    #[command(flatten)]
    pub credentials: CredentialArgs,
    /// Verification.
    #[command(flatten)]
    pub mfa: MfaArgs,
}
