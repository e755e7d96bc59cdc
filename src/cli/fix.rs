//! `ordersync fix`.

use clap::Args;

use super::shared::{CredentialArgs, MfaArgs, WaitArgs};

/// What the long help begins with.
pub(super) const LONG: &str = "Repair an invalid connection.\n\nAsks for the credentials again, as `connect` does, and syncs. \
    With neither a connection nor a retailer given, offers the invalid ones; a script names one, or takes the only one \
    with --yes.";

/// Arguments of `fix`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync fix\n  ordersync fix conn_123\n  ordersync fix --retailer 12 --credentials-file c.json"
)]
pub struct FixArgs {
    /// Connection to repair
    #[arg(value_name = "CONNECTION")]
    pub connection: Option<String>,
    /// The connection to this retailer, by id, name, or part of a name
    #[arg(long, short = 'r', value_name = "ID|NAME", conflicts_with = "connection")]
    pub retailer: Option<String>,
    /// Following.
    #[command(flatten)]
    pub wait: WaitArgs,
    /// Credentials.
    #[command(flatten)]
    pub credentials: CredentialArgs,
    /// MFA.
    #[command(flatten)]
    pub mfa: MfaArgs,
}
