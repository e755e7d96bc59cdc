//! `ordersync admin retailers`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::StoreOption;

use crate::cli::retailers::{AddArgs, RemoveArgs};

/// Arguments of `admin retailers`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync admin retailers add https://shop.example --retailers /etc/ordersync/retailers.toml\n  ordersync admin retailers remove 101 --retailers /etc/ordersync/retailers.toml --database /srv/ordersync/serve.sqlite3\n  ordersync admin retailers pause 101 --reason \"shop is being moved\"\n\nA running service reads the file again when it gets SIGHUP."
)]
pub(crate) struct AdminRetailersArgs {
    /// File of retailers that `serve --retailers` reads; `add` creates it if it does not exist
    #[arg(long = "retailers", global = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub store: StoreOption,
    #[command(subcommand)]
    pub command: AdminRetailersCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminRetailersCommand {
    /// Add a shop by its address
    #[command(
        after_help = "Examples:\n  ordersync admin retailers add https://shop.example --retailers retailers.toml"
    )]
    Add(AddArgs),
    /// Remove a shop that no user of the service has connected
    #[command(after_help = "Examples:\n  ordersync admin retailers remove 101 --retailers retailers.toml")]
    Remove(RemoveArgs),
    /// List retailers that users have connected, with their syncs and pauses
    #[command(after_help = "Examples:\n  ordersync admin retailers list --database /srv/ordersync/serve.sqlite3")]
    List,
    /// Let all syncs of a retailer wait
    #[command(
        long_about = "Let all syncs of a retailer wait, until `resume`.\n\nA running service stops within seconds to take up syncs of \
            it; one in progress ends its turn first. Syncs that users ask for meanwhile are queued. Waiting does not count \
            against their deadlines. For a retailer that is paused, --reason replaces the reason.",
        after_help = "Examples:\n  ordersync admin retailers pause 101 --reason \"shop is being moved\""
    )]
    Pause {
        /// Retailer id
        #[arg(value_name = "ID")]
        id: i64,
        /// Why, for other operators
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Let the syncs of a paused retailer go on
    #[command(after_help = "Examples:\n  ordersync admin retailers resume 101")]
    Resume {
        /// Retailer id
        #[arg(value_name = "ID")]
        id: i64,
    },
}
