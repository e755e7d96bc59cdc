//! `ordersync completions`.

use clap::Args;

use crate::complete::Shell;

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync completions bash > ~/.local/share/bash-completion/completions/ordersync\n  ordersync completions zsh > \"${fpath[1]}/_ordersync\"\n  ordersync completions fish > ~/.config/fish/completions/ordersync.fish"
)]
pub(crate) struct CompletionsArgs {
    /// Shell to print the script for
    #[arg(value_enum)]
    pub shell: Shell,
}
