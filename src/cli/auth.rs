//! `ordersync auth`.

use clap::{Args, Subcommand};

use super::shared::ClientSecretArgs;

/// What the long help of `status` begins with.
const LONG_STATUS: &str = "Show who is signed in, with which scopes, until when, and where the sign-in is stored.\n\nExits with 4 if \
    nobody is signed in or the sign-in is no longer valid, so scripts can check it.";

/// What the long help of `token` begins with.
const LONG_TOKEN: &str = "Print the access token, refreshed if needed, for another program to use.\n\nWhoever has it can act for you \
    until it expires: keep it out of logs and shell history.";

/// What the long help of `login` begins with.
const LONG_LOGIN: &str = "Sign in to the service.\n\nOpens the service's sign-in page in your browser and waits until you are done. The \
    sign-in is stored in the system's keyring or, if there is none, in a file that only you can read; the command \
    says which. Each profile and address has its own.\n\nWithout a terminal, or with --no-input or CI set, a bare `auth login` is an error; \
    --browser, --no-browser and --device still wait for you: they are answered in a browser, not in the terminal.";

/// Arguments of `auth`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync auth login\n  ordersync auth status\n  ordersync auth logout --profile staging"
)]
pub(crate) struct AuthArgs {
    #[command(subcommand)]
    pub command: AuthCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum AuthCommand {
    /// Sign in to the service
    #[command(long_about = LONG_LOGIN)]
    Login(LoginArgs),
    /// Sign out, here and at the service
    Logout(LogoutArgs),
    /// Show who is signed in, and with which scopes
    #[command(long_about = LONG_STATUS)]
    #[command(
        after_help = "Examples:\n  ordersync auth status\n  ordersync auth status -o json --fields user,scopes,expiresAt"
    )]
    Status,
    /// Print the access token, refreshed if needed
    #[command(
        long_about = LONG_TOKEN,
        after_help = "Examples:\n  curl -H \"Authorization: Bearer $(ordersync auth token)\" https://api.example.com/sync/orders"
    )]
    Token,
}

/// Arguments of `auth login`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync auth login --profile production\n  ordersync auth login --device\n  ordersync auth login --with-token < token.txt\n  ORDERSYNC_CLIENT_ID=… ORDERSYNC_CLIENT_SECRET=… ordersync auth login --client-credentials"
)]
pub(crate) struct LoginArgs {
    #[command(flatten)]
    pub way: WayArgs,
    /// Scopes to ask for, separated by spaces; default: the service's
    #[arg(long, value_name = "SCOPES", conflicts_with = "with_token")]
    pub scopes: Option<String>,
    /// OAuth client id; default: ordersync-cli
    #[arg(long, value_name = "ID", conflicts_with = "with_token")]
    pub client_id: Option<String>,
    #[command(flatten)]
    pub client_secret: ClientSecretArgs,
}

/// How to sign in.
#[derive(Debug, Clone, Copy, Default, Args)]
#[group(multiple = false)]
pub(crate) struct WayArgs {
    /// Open the sign-in page in your browser (the default)
    #[arg(long)]
    pub browser: bool,
    /// Print the address of the sign-in page instead of opening it
    #[arg(long)]
    pub no_browser: bool,
    /// Sign in on another device by entering a code there
    #[arg(long)]
    pub device: bool,
    /// Read an access token from standard input
    #[arg(long)]
    pub with_token: bool,
    /// Sign in as the client itself, for a back end (ORDERSYNC_CLIENT_ID, ORDERSYNC_CLIENT_SECRET)
    #[arg(long)]
    pub client_credentials: bool,
}

/// Arguments of `auth logout`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync auth logout\n  ordersync auth logout --profile production\n  ordersync auth logout --local"
)]
pub(crate) struct LogoutArgs {
    /// Delete the sign-in here without telling the service
    #[arg(long)]
    pub local: bool,
}
