//! `ordersync config`.

use clap::{Args, Subcommand};

/// What the long help begins with.
pub(super) const LONG: &str = "Settings, and where each of them comes from.\n\nA flag goes before the environment, that before \
    the profile in config.toml, that before the default. Settings of a profile: base_url, client_id, \
    client_secret_file, scopes, token_store (auto, keyring, file), endpoints.NAME (a path that \
    differs there). For all: profile (the one to work on). Secrets are not among them.";

/// Arguments of `config`.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Examples:\n  ordersync config list\n  ordersync config set token_store file --profile production\n  ordersync config set endpoints.orders_list /v2/orders --profile staging"
)]
pub struct ConfigArgs {
    /// The verb.
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print a setting's value
    Get {
        /// Setting
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Write a setting into config.toml, for the profile that is worked on
    Set {
        /// Setting
        #[arg(value_name = "KEY")]
        key: String,
        /// Its value
        #[arg(value_name = "VALUE")]
        value: String,
    },
    /// Remove a setting from config.toml
    Unset {
        /// Setting
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// List every setting with its value and where that came from
    List,
    /// Print where config.toml is
    Path,
}
