//! `ordersync orders`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::shared::{MfaArgs, WaitArgs};

/// Arguments of `orders`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync orders list --since 2026-01-01\n  ordersync orders export --out orders.csv\n  ordersync orders summary --by category\n  ordersync orders sync"
)]
pub struct OrdersArgs {
    /// The verb.
    #[command(subcommand)]
    pub command: OrdersCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum OrdersCommand {
    /// List line items, newest first
    List(ListArgs),
    /// Show one line item
    #[command(
        after_help = "Examples:\n  ordersync orders get item_123\n  ordersync orders get item_123 --jq .shipmentStatus"
    )]
    Get {
        /// Line item, as `orders list -o json` has it
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Export every line item as CSV, JSON, JSON lines or Parquet
    Export(ExportArgs),
    /// Sum up line items by month, retailer, category or brand
    #[command(long_about = SUMMARY_LONG)]
    Summary(SummaryArgs),
    /// Fetch the latest orders
    Sync(SyncArgs),
}

/// Which line items.
#[derive(Debug, Clone, Default, Args)]
pub struct FilterArgs {
    /// Only this retailer's, by id, name, or part of a name
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    /// Only those ordered at or after this date (2025-10-16) or time (2025-10-16T13:50:00Z)
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only those ordered before this date or time
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
}

/// Arguments of `orders list`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync orders list\n  ordersync orders list --retailer merribazaar --since 2026-01-01\n  ordersync orders list --limit 200 -o json"
)]
pub struct ListArgs {
    /// Filter.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// How many
    #[arg(long, short = 'L', value_name = "N", default_value_t = ordersync_api::order::DEFAULT_LIMIT,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// How many to leave out first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u64,
}

/// Arguments of `orders export`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync orders export > orders.csv\n  ordersync orders export --out orders.csv --since 2026-01-01\n  ordersync orders export --out orders.csv.gz --columns orderId,itemName,price\n  ordersync orders export --excel-safe --out for-excel.csv\n  ordersync orders export --format json | jq length\n  ordersync orders export --out orders.csv --resume\n\nA file appears whole or not at all. Each line item is exported once, also where a sync is writing.\nAn export to a file that was broken off goes on with --resume, and ends with the same file."
)]
pub struct ExportArgs {
    /// Filter.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Form of the export; unless given, what -o or the name of --out says, else CSV
    #[arg(long, value_enum, value_name = "FORM")]
    pub format: Option<ExportFormat>,
    /// File to write; standard output where none is given
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Only these columns, in this order, by field or title; without a value: list the columns there are
    #[arg(long, value_name = "A,B,…", num_args = 0..=1)]
    pub columns: Option<Option<String>>,
    /// CSV that Excel opens unchanged: identifiers stay text, nothing becomes a formula
    #[arg(long)]
    pub excel_safe: bool,
    /// Compress; a name of --out that ends in .gz or .zst does too
    #[arg(long, value_enum, value_name = "HOW")]
    pub compress: Option<Compression>,
    /// Go on with an export to the same file that was broken off; where none was, start one
    #[arg(long, requires = "out", conflicts_with = "restart")]
    pub resume: bool,
    /// Start anew where an export to the same file was broken off
    #[arg(long, requires = "out")]
    pub restart: bool,
}

/// How an export is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compression {
    /// Unpacked by zstd, DuckDB and others
    Zstd,
    /// Unpacked by everything
    Gzip,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// The fourteen columns of the specification
    Csv,
    /// An array of line items, as the service gives them
    Json,
    /// The same, a line item a line
    Jsonl,
    /// Typed columns, for analysis; where ordersync was built with the feature parquet
    Parquet,
}

const SUMMARY_LONG: &str = "\
Sum up line items by month, retailer, category or brand

The amount is the price times the quantity, summed exactly and for each currency on its own. What was cancelled, returned \
or refunded is counted, and stands in a column of its own. Items of which price, quantity or currency is not known are \
counted, and are in no sum.";

/// Arguments of `orders summary`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync orders summary\n  ordersync orders summary --by brand --since 2026-01-01\n  ordersync orders summary --by category -o csv > categories.csv\n  ordersync orders summary --html orders.html"
)]
pub struct SummaryArgs {
    /// Filter.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// What makes a group
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Grouping::Month)]
    pub by: Grouping,
    /// Also write a page with charts of all groupings, readable without a network; - for standard output
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// What the line items of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Grouping {
    /// The month of the order
    Month,
    /// The retailer
    Retailer,
    /// The category
    Category,
    /// The brand
    Brand,
}

/// Arguments of `orders sync`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync orders sync\n  ordersync orders sync --retailer merribazaar")]
pub struct SyncArgs {
    /// Only this retailer's, by id, name, or part of a name
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    /// Following.
    #[command(flatten)]
    pub wait: WaitArgs,
    /// MFA.
    #[command(flatten)]
    pub mfa: MfaArgs,
}
