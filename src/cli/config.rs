//! `ordersync config`.

use clap::{Args, Subcommand};

use crate::config::keys;

/// What the long help begins with.
pub(super) const LONG: &str = "Settings, and where each of them comes from.\n\nA flag goes before the environment, that before \
    the profile in config.toml, that before the default. But for `profile`, a setting is of the profile that is worked \
    on. Secrets are not among them.";

/// What the help ends with: which settings there are, and examples.
fn after_help() -> String {
    let settings: String = keys::all().map(|key| super::row(18, key.name, key.help)).collect();
    format!(
        "Settings:\n{settings}\nExamples:\n  ordersync config list\n  ordersync config set token_store file --profile \
         production\n  ordersync config set endpoints.orders_list /v2/orders --profile staging"
    )
}

/// Arguments of `config`.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = after_help()
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
    #[command(
        after_help = "Examples:\n  ordersync config get base_url\n  ordersync config get scopes --profile production"
    )]
    Get {
        /// Setting; `config --help` says which there are
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Write a setting into config.toml, for the profile that is worked on
    #[command(
        after_help = "Examples:\n  ordersync config set profile production\n  ordersync config set base_url https://api.example.com --profile production"
    )]
    Set {
        /// Setting; `config --help` says which there are
        #[arg(value_name = "KEY")]
        key: String,
        /// Its value
        #[arg(value_name = "VALUE")]
        value: String,
    },
    /// Remove a setting from config.toml
    #[command(after_help = "Examples:\n  ordersync config unset scopes --profile production")]
    Unset {
        /// Setting; `config --help` says which there are
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// List every setting with its value and where that came from
    #[command(after_help = "Examples:\n  ordersync config list\n  ordersync config list --profile production -o json")]
    List,
    /// Print where config.toml is
    #[command(after_help = "Examples:\n  ordersync config path\n  \"$EDITOR\" \"$(ordersync config path)\"")]
    Path,
}
