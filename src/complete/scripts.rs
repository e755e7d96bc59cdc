//! The scripts that request completions from this command, one per shell.

use super::Shell;

pub(crate) const fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("../../completions/ordersync.bash"),
        Shell::Elvish => include_str!("../../completions/ordersync.elv"),
        Shell::Fish => include_str!("../../completions/ordersync.fish"),
        Shell::Zsh => include_str!("../../completions/_ordersync"),
    }
}
