//! `ordersync profiles`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What the long help begins with.
pub(super) const LONG: &str = "Manage named environments.\n\n`local` is the service inside this command. `sandbox` and `production` have no \
    address until you give them one. For the signed-in user, see `ordersync profile`.";

/// Arguments of `profiles`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync profiles add production --base-url https://api.example.com\n  ordersync profiles use production\n  ordersync orders list --profile sandbox"
)]
pub(crate) struct ProfilesArgs {
    /// The verb; `list` if none is given.
    #[command(subcommand)]
    pub command: Option<ProfilesCommand>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum ProfilesCommand {
    /// List profiles
    #[command(after_help = "Examples:\n  ordersync profiles list")]
    List,
    /// Switch to a profile
    #[command(after_help = "Examples:\n  ordersync profiles use production\n  ordersync profiles use local")]
    Use {
        /// Name of the profile
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Add or change a profile
    Add(AddArgs),
    /// Remove a profile
    #[command(after_help = "Examples:\n  ordersync profiles remove staging")]
    Remove {
        /// Name of the profile
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// Arguments of `profiles add`. The global --base-url is its address.
#[derive(Debug, Args)]
#[command(
    after_help = "The global --base-url is its address.\n\nExamples:\n  ordersync profiles add production --base-url https://api.example.com --use\n  ordersync profiles add backend --base-url https://api.example.com --client-id client_1 --client-secret-file secret.txt"
)]
pub(crate) struct AddArgs {
    /// Name: letters, digits, - and _
    #[arg(value_name = "NAME")]
    pub name: String,
    /// OAuth client id to sign in with
    #[arg(long, value_name = "ID")]
    pub client_id: Option<String>,
    /// File with the client secret (chmod 600)
    #[arg(long, value_name = "FILE")]
    pub client_secret_file: Option<PathBuf>,
    /// Scopes to ask for, separated by spaces
    #[arg(long, value_name = "SCOPES")]
    pub scopes: Option<String>,
    /// Switch to it, too
    #[arg(long = "use")]
    pub use_it: bool,
}
