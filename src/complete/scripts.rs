//! The scripts that request completions from this command, one per shell.

use clap_complete::Shell;

/// The script of a shell; `None` if it has none.
#[must_use]
pub(crate) fn script(shell: Shell) -> Option<&'static str> {
    Some(match shell {
        Shell::Bash => include_str!("scripts/ordersync.bash"),
        Shell::Zsh => include_str!("scripts/_ordersync"),
        Shell::Fish => include_str!("scripts/ordersync.fish"),
        Shell::PowerShell => include_str!("scripts/ordersync.ps1"),
        Shell::Elvish => include_str!("scripts/ordersync.elv"),
        _ => return None,
    })
}
