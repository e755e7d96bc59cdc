//! `ordersync help` and `ordersync version`: what many type before they know of `--help` and `--version`.

use clap::Args;

/// Arguments of `help`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync help\n  ordersync help orders export")]
pub struct HelpArgs {
    /// Command to explain
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}

impl HelpArgs {
    /// The command line with the flag that asks the same.
    pub(super) fn as_flag(&self) -> Vec<String> {
        let words = self.command.iter().filter(|word| !word.starts_with('-')).cloned();
        ["ordersync".to_owned()].into_iter().chain(words).chain(["--help".to_owned()]).collect()
    }
}

/// Arguments of `version`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync version")]
pub struct VersionArgs {}
