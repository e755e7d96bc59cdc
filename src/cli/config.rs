//! `ordersync config`.

use clap::{Args, Subcommand};

use crate::config::keys;

/// What the long help begins with.
pub(super) const LONG: &str = "Show and change settings.\n\nFlags override environment variables, which override the profile in config.toml, \
    which overrides the defaults. Except for `profile`, a setting belongs to the profile in use. Secrets are not \
    settings.";

const EXAMPLES: &str = "Examples:\n  ordersync config list\n  ordersync config set token_store file --profile \
    production\n  ordersync config set endpoints.orders_list /v2/orders --profile staging";

/// What the long help ends with: which settings there are, and examples.
fn after_help() -> String {
    let settings: String = keys::all().map(|key| super::row(18, key.name, key.help)).collect();
    format!("Settings:\n{settings}\n{EXAMPLES}")
}

/// Arguments of `config`.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = EXAMPLES,
    after_long_help = after_help()
)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub command: ConfigCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print a setting's value
    #[command(
        after_help = "Examples:\n  ordersync config get base_url\n  ordersync config get scopes --profile production"
    )]
    Get {
        /// Setting; see `config --help`
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// Save a setting in config.toml, for the profile in use
    #[command(
        after_help = "Examples:\n  ordersync config set profile production\n  ordersync config set base_url https://api.example.com --profile production"
    )]
    Set {
        /// Setting; see `config --help`
        #[arg(value_name = "KEY")]
        key: String,
        /// New value
        #[arg(value_name = "VALUE")]
        value: String,
    },
    /// Remove a setting from config.toml
    #[command(after_help = "Examples:\n  ordersync config unset scopes --profile production")]
    Unset {
        /// Setting; see `config --help`
        #[arg(value_name = "KEY")]
        key: String,
    },
    /// List all settings, their values and where they come from
    #[command(after_help = "Examples:\n  ordersync config list\n  ordersync config list --profile production -o json")]
    List,
    /// Print the path of config.toml
    #[command(after_help = "Examples:\n  ordersync config path\n  \"$EDITOR\" \"$(ordersync config path)\"")]
    Path,
}
