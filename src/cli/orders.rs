//! `ordersync orders`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::shared::{MfaArgs, WaitArgs};
use crate::export::How;

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
        /// Line item id, from `orders list -o json`
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Export every line item as CSV, JSON, JSON lines, an Excel workbook or Parquet
    #[command(long_about = EXPORT_LONG)]
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
    /// Only this retailer: an id, a name, or part of a name
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    /// Only items ordered at or after this date (2025-10-16) or time (2025-10-16T13:50:00Z)
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only items ordered before this date or time
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
}

/// How a service's list is read to its end.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ListingArgs {
    /// Ignore the service's count of items (X-Total-Count), if it counts something else
    #[arg(long)]
    pub ignore_count: bool,
    /// Most items per request; default: 1000, and fewer if the service refuses that
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub page_size: Option<u32>,
}

impl ListingArgs {
    /// The same for the export.
    #[must_use]
    pub const fn how(self) -> How {
        How { ignores_count: self.ignore_count, page_size: self.page_size }
    }
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
    /// Maximum number of items
    #[arg(long, short = 'L', value_name = "N", default_value_t = ordersync_api::order::DEFAULT_LIMIT,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Number of items to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u64,
}

const EXPORT_LONG: &str = "\
Export every line item as CSV, JSON, JSON lines, an Excel workbook or Parquet

Writes to standard output, or to the file of --out, whose ending decides about format and compression. Values are exact: \
decimals with all their digits, times in UTC. Filters leave out what another retailer sold or was ordered at another time; \
--columns chooses and orders columns, and --since-last exports only what is new or changed since the last export of that \
name.";

/// Arguments of `orders export`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync orders export > orders.csv\n  ordersync orders export --out orders.csv --since 2026-01-01\n  ordersync orders export --out orders.csv.gz --columns orderId,itemName,price\n  ordersync orders export --out orders.xlsx\n  ordersync orders export --out orders.csv --split-by month\n  ordersync orders export --out new.csv --since-last\n  ordersync orders export --format json | jq length\n  ordersync orders export --out orders.csv --resume\n\nThe file is written completely or not at all. Each line item is exported once, even during a sync.\nAn interrupted export to a file continues with --resume and ends with the same file."
)]
pub struct ExportArgs {
    /// Filter.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Export format; default: that of -o, else that of the file name (orders.jsonl), else csv
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ExportFormat>,
    /// File to write to; default: standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Export only these columns, in this order; without a value, list them
    #[arg(long, value_name = "A,B,…", num_args = 0..=1)]
    pub columns: Option<Option<String>>,
    /// Write CSV that is safe to open in Excel: ids stay text, nothing becomes a formula
    #[arg(long)]
    pub excel_safe: bool,
    /// Compress the export; default: as the file name says (.gz, .zst), else not
    #[arg(long, value_enum, value_name = "METHOD")]
    pub compress: Option<Compression>,
    /// Write a file for each month or retailer: orders-2026-01.csv
    #[arg(long, value_enum, value_name = "WHAT", requires = "out")]
    pub split_by: Option<SplitBy>,
    /// Export only what is new or changed since the last export of this name, marked as such; into a file
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default")]
    pub since_last: Option<String>,
    /// Listing.
    #[command(flatten)]
    pub listing: ListingArgs,
    /// With --since-last and a pipe: count as exported what is written to the pipe, read or not
    #[arg(long, requires = "since_last")]
    pub assume_read: bool,
    /// Continue an interrupted export to the same file, however old; by itself, the last hour's
    #[arg(long, requires = "out", conflicts_with = "restart")]
    pub resume: bool,
    /// Discard an interrupted export to the same file and start over
    #[arg(long, requires = "out")]
    pub restart: bool,
}

/// What the line items of a file have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SplitBy {
    /// Retailer: orders-merribazaar.csv
    Retailer,
    /// Month of the order in UTC: orders-2026-01.csv
    Month,
}

/// How an export is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compression {
    /// For zstd, DuckDB and others
    Zstd,
    /// For every program
    Gzip,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// The standard fourteen columns
    Csv,
    /// An array of line items, as the service returns them
    Json,
    /// One line item per line
    Jsonl,
    /// A workbook for Excel and other spreadsheets
    Xlsx,
    /// Typed columns, for analysis
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
    /// Group line items by
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Grouping::Month)]
    pub by: Grouping,
    /// Listing.
    #[command(flatten)]
    pub listing: ListingArgs,
    /// Also write an HTML page with charts of all groupings; - for standard output
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// What the line items of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Grouping {
    /// Month of the order
    Month,
    /// Retailer
    Retailer,
    /// Category
    Category,
    /// Brand
    Brand,
}

/// Arguments of `orders sync`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ordersync orders sync\n  ordersync orders sync --retailer merribazaar")]
pub struct SyncArgs {
    /// Only this retailer: an id, a name, or part of a name
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    /// Do not fail if connections are skipped because they are invalid, wait for a code or are still syncing
    #[arg(long)]
    pub allow_skipped: bool,
    /// Following.
    #[command(flatten)]
    pub wait: WaitArgs,
    /// MFA.
    #[command(flatten)]
    pub mfa: MfaArgs,
}
