//! What completion knows of the commands: it gets them, since it is below them.

use std::ffi::OsString;

use clap::Command;

/// The commands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree {
    /// The whole tree of commands.
    pub command: fn() -> Command,
    /// What can be explained besides commands: words, and what each is about.
    pub topics: fn() -> Vec<(String, String)>,
    /// The fields that a record of a command line's result has; none where it has no records, or cannot be read.
    pub fields: fn(Vec<OsString>) -> &'static [&'static str],
}
