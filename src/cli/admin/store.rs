//! `ordersync admin store`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `admin store`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin store backup copy.sqlite3\n  ordersync admin store check --database copy.sqlite3"
)]
pub(crate) struct StoreArgs {
    /// Store of the service: an SQLite file, postgres://USER@HOST/DATABASE, or @FILE with such an address; default:
    /// ORDERSYNC_DATABASE_URL, or serve.sqlite3 in your data folder
    #[arg(long, global = true, value_name = "PATH|URL|@FILE", value_hint = clap::ValueHint::FilePath)]
    pub database: Option<String>,
    /// The verb.
    #[command(subcommand)]
    pub command: StoreCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Write a copy of the store as it is at one moment
    #[command(
        long_about = "Write a copy of the store as it is at one moment, and check it. The service may be running.\n\nThe copy is \
            readable only by you. It holds nothing that was deleted. Its sealed values need the service's root key, which is not \
            in it: back that up in another place.",
        after_help = "Examples:\n  ordersync admin store backup /backup/ordersync-2026-11-23.sqlite3"
    )]
    Backup {
        /// File to write; one that exists is not replaced
        #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
        to: PathBuf,
    },
    /// Check that the store is sound: its file, references and counts
    #[command(
        after_help = "Examples:\n  ordersync admin store check\n  ordersync admin store check --database copy.sqlite3"
    )]
    Check,
}
