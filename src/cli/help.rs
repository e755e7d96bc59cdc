//! `ordersync help` and `ordersync version`: what many type before they know of `--help` and `--version`.

use clap::Args;

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

/// What can be explained besides commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    /// Options of every command.
    Options,
    /// Environment variables.
    Environment,
    /// Exit codes.
    ExitCodes,
    /// Settings of `config.toml`.
    Settings,
}

impl Topic {
    /// All of them, in the order of the help.
    pub(crate) const ALL: [Self; 4] = [Self::Options, Self::Environment, Self::ExitCodes, Self::Settings];

    /// The word that asks for it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Options => "options",
            Self::Environment => "environment",
            Self::ExitCodes => "exit-codes",
            Self::Settings => "settings",
        }
    }

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
        Topic::ALL.into_iter().find(|topic| word == topic.name())
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
