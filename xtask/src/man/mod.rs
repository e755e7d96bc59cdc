//! The man pages.

mod commands;
mod page;
mod topics;

use clap::Command;

use crate::files::Files;

/// Adds the pages of `command` and of its nouns, and those on what they share.
pub(crate) fn pages(command: &Command, files: &mut Files) -> Result<(), String> {
    topics::pages(files);
    commands::pages(command, files)
}
