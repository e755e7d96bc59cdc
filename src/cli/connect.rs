//! `ordersync connect`.

use clap::Args;

use super::shared::{CredentialArgs, MfaArgs, WaitArgs};

/// Arguments of `connect`.
#[derive(Debug, Args)]
#[command(
    long_about = "Connect a retailer and fetch its orders.\n\nAsks for what the retailer needs to sign in, seals it before it leaves this machine, starts the first\nsync and follows it to the end. What the retailer asks for in between (a code by text message, say)\nis asked here.",
    after_help = "Examples:\n  ordersync connect --retailer 12\n  ordersync connect --retailer \"northwind\" --mfa-option sms\n  ordersync connect --retailer 12 --credentials-file c.json --mfa-command 'oathtool --totp -b @key'\n\nA credentials file holds the retailer's fields: {\"username\": \"…\", \"password\": \"…\"}"
)]
pub struct ConnectArgs {
    /// Retailer, by id, name, or part of a name
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    /// Credentials.
    #[command(flatten)]
    pub credentials: CredentialArgs,
    /// MFA.
    #[command(flatten)]
    pub mfa: MfaArgs,
    /// Following.
    #[command(flatten)]
    pub wait: WaitArgs,
}
