//! Completions, for every shell that is supported.

use clap::{Command, ValueEnum};
use clap_complete::{Generator, Shell};

use crate::files::Files;

/// Adds one file per shell that the program knows, under the name that the shell looks for.
pub(crate) fn scripts(mut command: Command, files: &mut Files) {
    for shell in Shell::value_variants().iter().filter(|shell| **shell != Shell::PowerShell) {
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut command, "ordersync", &mut script);
        files.add(
            format!("completions/{}", shell.file_name("ordersync")),
            String::from_utf8_lossy(&script).into_owned(),
        );
    }
}
