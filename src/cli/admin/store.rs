//! `ordersync admin store`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::StoreOption;

/// Arguments of `admin store`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin store backup copy.sqlite3\n  ordersync admin store check --database copy.sqlite3\n  ordersync admin store migrate --dry-run\n  ordersync admin store copy --from db.sqlite3 --to postgres://orders@db.example/shop"
)]
pub(crate) struct StoreArgs {
    #[command(flatten)]
    pub store: StoreOption,
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
        #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath, required = true)]
        to: Option<PathBuf>,
        /// The same, as the exports have it
        #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "to", hide = true)]
        out: Option<PathBuf>,
    },
    /// Check that the store is sound: its file, references and counts
    #[command(
        after_help = "Examples:\n  ordersync admin store check\n  ordersync admin store check --database copy.sqlite3"
    )]
    Check,
    /// Bring the store up to date with this version of ordersync
    #[command(
        long_about = "Bring the store up to date with this version of ordersync, apart from `serve`, which does the same when it \
            starts. In an empty PostgreSQL database, it creates the store.\n\nIf several are started at once, one does the work, \
            and the others wait for it. Make a backup before: an earlier version may refuse the store afterwards.",
        after_help = "Examples:\n  ordersync admin store migrate --dry-run\n  ordersync admin store migrate --database postgres://orders@db.example/shop"
    )]
    Migrate {
        /// Only list what would be done
        #[arg(long)]
        dry_run: bool,
    },
    /// Copy a whole store from an SQLite file into an empty PostgreSQL database
    #[command(
        long_about = "Copy a whole store from an SQLite file into an empty PostgreSQL database: users, clients, tokens, sealed \
            credentials, orders, the audit log, and syncs under way, which continue there.\n\nStop the service first: the file \
            must not be in use. The file keeps its contents; only what a service that was killed left beside it is written into it \
            first. After an interruption, the same command continues; until it has \
            finished, no service starts on the database. At the end, it reads both back, and compares the number of rows and a \
            digest of all rows of each table.\n\nThe root key is not in the store: give the nodes the same one.",
        after_help = "Examples:\n  ordersync admin store copy --from /var/lib/ordersync/db.sqlite3 --to postgres://orders@db.example/shop\n  ordersync admin store copy --from db.sqlite3 --to @address.txt -o json"
    )]
    Copy(CopyArgs),
}

/// Arguments of `admin store copy`.
#[derive(Debug, Args)]
pub(crate) struct CopyArgs {
    /// SQLite file to copy
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub from: PathBuf,
    /// Database to copy to: postgres://USER@HOST/DATABASE, or @FILE with such an address; default: ORDERSYNC_DATABASE_URL
    #[arg(long, value_name = "URL|@FILE", value_hint = clap::ValueHint::FilePath)]
    pub to: Option<String>,
}
