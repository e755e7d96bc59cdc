//! `ordersync retailers`.

use clap::{Args, Subcommand};

/// Arguments of `retailers`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  ordersync retailers\n  ordersync retailers --search book\n  ordersync retailers -o json"
)]
pub(crate) struct RetailersArgs {
    /// The verb; `list` if none is given.
    #[command(subcommand)]
    pub command: Option<RetailersCommand>,
    /// Arguments of `list`.
    #[command(flatten)]
    pub list: ListArgs,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum RetailersCommand {
    /// List the retailers you can connect
    #[command(
        after_help = "Examples:\n  ordersync retailers list\n  ordersync retailers list --search book\n  ordersync retailers list --jq \".[].displayName\""
    )]
    List(ListArgs),
}

/// Arguments of `retailers list`.
#[derive(Debug, Default, Args)]
pub(crate) struct ListArgs {
    /// Only retailers whose name contains this text; case and accents do not matter
    #[arg(long, short = 's', value_name = "TEXT")]
    pub search: Option<String>,
}
