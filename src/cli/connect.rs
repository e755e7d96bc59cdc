//! `ordersync connect`.

use clap::Args;

use super::shared::ConnectOptions;

/// What the long help begins with.
pub(super) const LONG: &str = "Connect a retailer and fetch its orders.\n\nWithout a retailer, pick one from the catalog: type a \
    part of its name. Prompts for your credentials at the retailer, seals them before they leave this machine, starts the first \
    sync and follows it to the end. If the retailer wants a verification code, you are prompted for it.\n\nSimulated \
    retailers accept user_good, or user_mfa_enter with the code 123456, and the password pass_good.";

/// Arguments of `connect`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync connect\n  ordersync connect merribazaar\n  ordersync connect --retailer 12\n  ordersync connect merribazaar --mfa-option sms\n  ordersync connect --retailer 12 --credentials-file c.json --mfa-command 'oathtool --totp -b @key'\n  ordersync connect amazon.com --cookies cookies.txt\n\nA credentials file holds the retailer's fields: {\"username\": \"…\", \"password\": \"…\"}"
)]
pub(crate) struct ConnectArgs {
    /// Retailer: a name, part of a name, or an id
    #[arg(value_name = "RETAILER")]
    pub name: Option<String>,
    /// The same as RETAILER
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    #[command(flatten)]
    pub options: ConnectOptions,
}
