//! What completion knows about the commands. They pass it in, since completion is a layer below them.

use std::ffi::OsString;

use clap::Command;

/// The commands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree {
    pub command: fn() -> Command,
    /// The help topics besides commands: each word, and its subject.
    pub topics: fn() -> Vec<(String, String)>,
    /// The fields of a record in a command line's result; empty if the result has no records or the command line cannot
    /// be parsed.
    pub fields: fn(Vec<OsString>) -> &'static [&'static str],
}
