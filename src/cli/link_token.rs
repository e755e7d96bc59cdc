//! `ordersync link-token`.

use clap::{Args, Subcommand};

use super::shared::ClientSecretArgs;

/// What the long help of `create` begins with.
const LONG_CREATE: &str = "Create a token that opens the widget for one of your users, and print it.\n\nFor a client's back end: \
    needs a sign-in with the scope users:share and the client secret (ORDERSYNC_CLIENT_SECRET, \
    --client-secret-file, or the one stored by `auth login --client-credentials`).";

/// Arguments of `link-token`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Examples:\n  ordersync link-token create --external-user-id u-4711")]
pub(crate) struct LinkTokenArgs {
    #[command(subcommand)]
    pub command: LinkTokenCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum LinkTokenCommand {
    /// Create a token that opens the widget for one of your users
    #[command(long_about = LONG_CREATE)]
    Create(CreateArgs),
}

/// Arguments of `link-token create`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync link-token create --external-user-id u-4711 --return-url https://app.example/connected\n  export ORDERSYNC_LINK_TOKEN=$(ordersync link-token create --external-user-id u-4711)"
)]
pub(crate) struct CreateArgs {
    /// Your own id of the user, 1 to 255 characters, always the same
    #[arg(long, value_name = "ID")]
    pub external_user_id: String,
    /// Address that the widget leads the user back to; one of the client's registered return URLs
    #[arg(long, value_name = "URL", value_hint = clap::ValueHint::Url)]
    pub return_url: Option<String>,
    #[command(flatten)]
    pub client_secret: ClientSecretArgs,
}
