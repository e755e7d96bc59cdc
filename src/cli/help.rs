//! `ordersync help` and `ordersync version`: what many type before they know of `--help` and `--version`.

use clap::Args;
use ordersync_api::text_enum;

/// Arguments of `help`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync help\n  ordersync help orders export\n  ordersync help exit-codes",
    after_long_help = "Topics besides the commands: options, environment, exit-codes, settings\n\nExamples:\n  ordersync help\n  ordersync help orders export\n  ordersync help exit-codes"
)]
pub(crate) struct HelpArgs {
    /// Command, or topic: options, environment, exit-codes, settings
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}

text_enum! {
    /// A topic that can be explained besides commands, by the word that asks for it; in the order of the help.
    pub(crate) enum Topic {
        Options = "options",
        Environment = "environment",
        ExitCodes = "exit-codes",
        Settings = "settings",
    }
}

impl Topic {
    /// What it explains.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Self::Options => "Options of every command",
            Self::Environment => "Environment variables",
            Self::ExitCodes => "Exit codes",
            Self::Settings => "Settings of config.toml",
        }
    }
}

impl HelpArgs {
    /// The topic that is asked for.
    pub(crate) fn topic(&self) -> Option<Topic> {
        let [word] = self.command.as_slice() else { return None };
        word.parse().ok()
    }

    /// The command line with the flag that asks the same.
    pub(super) fn as_flag(&self) -> Vec<String> {
        let words = self.command.iter().filter(|word| !word.starts_with('-')).cloned();
        ["ordersync".to_owned()].into_iter().chain(words).chain(["--help".to_owned()]).collect()
    }
}

/// Arguments of `version`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync version")]
pub(crate) struct VersionArgs {}
