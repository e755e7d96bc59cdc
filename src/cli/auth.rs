//! `ordersync auth`.

use clap::{Args, Subcommand};

use super::shared::ClientSecretArgs;

/// What the long help of `status` begins with.
const LONG_STATUS: &str = "Show who is signed in, what that allows, until when, and where it is kept.\n\nEnds with 4 where \
    nobody is, or the sign-in is good no more; so it can be asked in scripts.";

/// What the long help of `token` begins with.
const LONG_TOKEN: &str = "Print the access token, renewed where needed, for another program to use.\n\nWho has it can do \
    what it allows until it ends: keep it out of logs and shell history.";

/// What the long help of `login` begins with.
const LONG_LOGIN: &str = "Sign in at the service.\n\nOpens the service's page in your browser, where you sign in with your \
    phone number, and waits until you come back. The sign-in is kept in the system's keyring, or in \
    a file that only you can read where there is no keyring; it is said which. It is kept for the \
    profile and the address that you are working on.";

/// Arguments of `auth`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync auth login\n  ordersync auth status\n  ordersync auth logout --profile staging"
)]
pub struct AuthArgs {
    /// The verb.
    #[command(subcommand)]
    pub command: AuthCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum AuthCommand {
    /// Sign in at the service
    #[command(long_about = LONG_LOGIN)]
    Login(LoginArgs),
    /// End the sign-in, here and at the service
    Logout(LogoutArgs),
    /// Show who is signed in, what that allows, until when, and where it is kept
    #[command(long_about = LONG_STATUS)]
    #[command(
        after_help = "Examples:\n  ordersync auth status\n  ordersync auth status -o json --fields user,scopes,expiresAt"
    )]
    Status,
    /// Print the access token, renewed where needed
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
pub struct LoginArgs {
    /// How to sign in.
    #[command(flatten)]
    pub way: WayArgs,
    /// Scopes to ask for, separated by spaces; the service's default where none are given
    #[arg(long, value_name = "SCOPES", conflicts_with = "with_token")]
    pub scopes: Option<String>,
    /// OAuth client; `ordersync-cli` where none is given
    #[arg(long, value_name = "ID", conflicts_with = "with_token")]
    pub client_id: Option<String>,
    /// The client's secret.
    #[command(flatten)]
    pub client_secret: ClientSecretArgs,
}

/// How to sign in.
#[derive(Debug, Clone, Copy, Default, Args)]
#[group(multiple = false)]
pub struct WayArgs {
    /// On a page in the browser of this machine (what happens where nothing is given)
    #[arg(long)]
    pub browser: bool,
    /// The same, but only print the page's address
    #[arg(long)]
    pub no_browser: bool,
    /// On any other device, by entering a code there
    #[arg(long)]
    pub device: bool,
    /// With an access token from elsewhere, read from standard input
    #[arg(long)]
    pub with_token: bool,
    /// As the client itself, for a back end: with ORDERSYNC_CLIENT_ID and ORDERSYNC_CLIENT_SECRET
    #[arg(long)]
    pub client_credentials: bool,
}

/// Arguments of `auth logout`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync auth logout\n  ordersync auth logout --profile production\n  ordersync auth logout --local"
)]
pub struct LogoutArgs {
    /// Forget the sign-in here without telling the service, where that cannot be reached any more
    #[arg(long)]
    pub local: bool,
}
