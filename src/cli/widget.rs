//! `ordersync widget`.

use clap::{Args, Subcommand};

use super::shared::ClientSecretArgs;

/// What the long help of `open` begins with.
const LONG_OPEN: &str = "Create a link token and open the widget with it in the browser.\n\nIn a sandbox nothing has to be set up. On \
    the local profile a sandbox runs inside the command until Ctrl-C; its data is deleted at the end. At any other service this \
    needs what `link-token create` needs, and your own id of the user.";

/// Arguments of `widget`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Examples:\n  ordersync widget open\n  ordersync widget open --no-browser")]
pub(crate) struct WidgetArgs {
    #[command(subcommand)]
    pub command: WidgetCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum WidgetCommand {
    /// Open the widget for one of your users in the browser
    #[command(long_about = LONG_OPEN)]
    Open(OpenArgs),
}

/// Arguments of `widget open`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync widget open\n  ordersync widget open --base-url http://127.0.0.1:8080 --no-browser\n  ordersync widget open --external-user-id u-4711 --client-secret-file secret.txt"
)]
pub(crate) struct OpenArgs {
    /// Your own id of the user, 1 to 255 characters; default in a sandbox: a new one each time
    #[arg(long, value_name = "ID")]
    pub external_user_id: Option<String>,
    /// Address that the widget leads the user back to; one of the client's registered return URLs
    #[arg(long, value_name = "URL", value_hint = clap::ValueHint::Url)]
    pub return_url: Option<String>,
    /// Print the address of the page instead of opening a browser
    #[arg(long)]
    pub no_browser: bool,
    #[command(flatten)]
    pub client_secret: ClientSecretArgs,
}
