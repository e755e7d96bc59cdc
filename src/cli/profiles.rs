//! `ordersync profiles`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What the long help begins with.
pub(super) const LONG: &str = "Named environments to work on.\n\n`local` is the service inside this command. `sandbox` and \
    `production` are names without an address until you give them one. (The user's profile is \
    `ordersync profile`.)";

/// Arguments of `profiles`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync profiles add production --base-url https://api.example.com\n  ordersync profiles use production\n  ordersync orders list --profile sandbox"
)]
pub struct ProfilesArgs {
    /// The verb; `list` where none is given.
    #[command(subcommand)]
    pub command: Option<ProfilesCommand>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum ProfilesCommand {
    /// List them
    #[command(after_help = "Examples:\n  ordersync profiles list")]
    List,
    /// Work on this one from now on
    #[command(after_help = "Examples:\n  ordersync profiles use production\n  ordersync profiles use local")]
    Use {
        /// Profile
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Add one
    Add(AddArgs),
    /// Remove one
    #[command(after_help = "Examples:\n  ordersync profiles remove staging")]
    Remove {
        /// Profile
        #[arg(value_name = "NAME")]
        name: String,
    },
}

/// Arguments of `profiles add`. The global --base-url is its address.
#[derive(Debug, Args)]
#[command(
    after_help = "Its address is the global --base-url.\n\nExamples:\n  ordersync profiles add production --base-url https://api.example.com --use\n  ordersync profiles add backend --base-url https://api.example.com --client-id client_1 --client-secret-file secret.txt"
)]
pub struct AddArgs {
    /// Letters, digits, - and _
    #[arg(value_name = "NAME")]
    pub name: String,
    /// OAuth client to sign in with
    #[arg(long, value_name = "ID")]
    pub client_id: Option<String>,
    /// File with that client's secret, private to you
    #[arg(long, value_name = "FILE")]
    pub client_secret_file: Option<PathBuf>,
    /// Scopes to ask for, separated by spaces
    #[arg(long, value_name = "SCOPES")]
    pub scopes: Option<String>,
    /// Work on it from now on
    #[arg(long = "use")]
    pub use_it: bool,
}
