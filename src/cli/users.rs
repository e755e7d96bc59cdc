//! `ordersync users`.

use clap::{Args, Subcommand};

use super::shared::ClientSecretArgs;

/// What the long help of `share` begins with.
const LONG_SHARE: &str = "Show what one of your users shares with you.\n\nFor a client's back end: needs a sign-in with \
    the scope users:share, the client secret and a link token of that user.";

/// Arguments of `users`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync link-token create --external-user-id u-4711 | ordersync users share --link-token -"
)]
pub(crate) struct UsersArgs {
    #[command(subcommand)]
    pub command: UsersCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum UsersCommand {
    /// Show what one of your users shares with you
    #[command(long_about = LONG_SHARE)]
    Share(ShareArgs),
}

/// Arguments of `users share`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync link-token create --external-user-id u-4711 | ordersync users share --link-token -\n  ORDERSYNC_LINK_TOKEN=… ordersync users share"
)]
pub(crate) struct ShareArgs {
    /// Link token, or `-` to read it from standard input; prefer `-` or ORDERSYNC_LINK_TOKEN: others on this machine
    /// can see arguments
    #[arg(long, value_name = "TOKEN|-")]
    pub link_token: Option<String>,
    #[command(flatten)]
    pub client_secret: ClientSecretArgs,
}
