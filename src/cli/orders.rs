//! `ordersync orders`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, Subcommand};
use ordersync_api::text_enum;

use super::shared::SyncOptions;
use crate::export::How;
pub(crate) use crate::export::choices::{Compression, ExportFormat, SplitBy};
use crate::export::format::Choice;
pub(crate) use crate::summary::grouping::Grouping;
use crate::time_zone::TimeZone;

/// Arguments of `orders`.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(
    after_help = "Examples:\n  ordersync orders list --since 30d\n  ordersync orders export --out orders.csv\n  ordersync orders summary --by category\n  ordersync orders sync"
)]
pub(crate) struct OrdersArgs {
    #[command(subcommand)]
    pub command: OrdersCommand,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum OrdersCommand {
    /// List line items, newest first
    List(ListArgs),
    /// Show one line item, or those of an order
    #[command(
        long_about = GET_LONG,
        after_help = "Examples:\n  ordersync orders get item_123\n  ordersync orders get 112-0399923-3070642\n  ordersync orders get 112-0399923-3070642 --adjustments\n  ordersync orders get item_123 --jq .shipmentStatus"
    )]
    Get(GetArgs),
    /// Export every line item as CSV, JSON, JSON lines, an Excel workbook or Parquet
    #[command(long_about = EXPORT_LONG)]
    Export(ExportArgs),
    /// Sum up line items by month, retailer, category or brand
    #[command(long_about = SUMMARY_LONG)]
    Summary(SummaryArgs),
    /// List the documents that are kept with orders, or write them to files
    #[command(
        long_about = DOCUMENTS_LONG,
        after_help = "Examples:\n  ordersync orders documents\n  ordersync orders documents 112-0399923-3070642 --out .\n  ordersync orders documents --retailer amazon.de --out receipts"
    )]
    Documents(DocumentsArgs),
    /// Fetch the latest orders
    Sync(SyncArgs),
}

const DOCUMENTS_LONG: &str = "\
List the documents that are kept with orders, or write them to files

They are the invoices, receipts and mails that `ordersync import --keep-documents` found beside the orders. --out writes them to \
DIR/RETAILER/ORDER/NAME, readable by you alone. A file that is there already is never written over.";

/// Arguments of `orders documents`.
#[derive(Debug, Args)]
pub(crate) struct DocumentsArgs {
    /// Only those of this order: its number
    #[arg(value_name = "ORDER")]
    pub order: Option<String>,
    /// Only those of this retailer: an id, a name, or part of a name
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    /// Write them to this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

const GET_LONG: &str = "\
Show one line item, or those of an order

An order number shows the line items of that order: one as a record, several as a list. Short ids and order numbers are \
searched for in the newest 100,000 line items, page by page.

--adjustments lists the amounts beside the prices, as the retailer shows them: those of the order, and those of its lines. \
Money back is negative (refunds, returns, discounts); shipping, taxes and fees are positive. What is marked \
(included) is not to be added: the line totals contain it, or it paid a part of the total, as a gift card may.";

/// Arguments of `orders get`.
#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// Line item id or its first characters, or an order number
    #[arg(value_name = "ID|ORDER")]
    pub id: String,
    /// List the discounts, shipping, taxes, fees, returns and refunds instead
    #[arg(long)]
    pub adjustments: bool,
}

/// Which line items.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FilterArgs {
    /// Only this retailer: an id, a name, or part of a name
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    /// Only items ordered at or after this date (2025-10-16, 2026-06, yesterday, 30d, 2w, 3m, 1y) or time
    /// (2025-10-16T13:50:00Z)
    #[arg(long, value_name = "DATE")]
    pub since: Option<String>,
    /// Only items ordered before this date or time
    #[arg(long, value_name = "DATE")]
    pub until: Option<String>,
    /// Time zone of days and months, and of times that a file shows without one (America/New_York, UTC); default: TZ, else
    /// the system's
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
}

/// What is done about retailers of which not all orders are known.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct CompleteArgs {
    /// Fail (exit code 10), and write nothing, unless all orders of the retailers are known
    #[arg(long)]
    pub require_complete: bool,
}

const LIST_LONG: &str = "\
List line items, newest first

--search, --status, --undelivered and --sort work with any service: the command reads the list page by page and stops at --limit. Sorting \
takes all items that match, 100,000 at most; items without the value are last. With --all, --jq sees every item that \
matches.";

/// Arguments of `orders list`.
#[derive(Debug, Args)]
#[command(
    long_about = LIST_LONG,
    after_help = "Examples:\n  ordersync orders list\n  ordersync orders list --retailer merribazaar --since 30d\n  ordersync orders list --search coffee --status delivered\n  ordersync orders list --undelivered\n  ordersync orders list --since 2026-06 --until 2026-07 --sort -price --limit 10\n  ordersync orders list --all --jq length"
)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Maximum number of items
    #[arg(long, short = 'L', value_name = "N", default_value_t = ordersync_api::order::DEFAULT_LIMIT,
          value_parser = crate::values::whole(1..=1000))]
    pub limit: u32,
    /// Number of items to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u64,
    /// All items, however many there are; memory holds them
    #[arg(long, conflicts_with_all = ["limit", "offset"])]
    pub all: bool,
    /// Only items with this text in their name, brand, retailer or order number; case and accents do not matter
    #[arg(long, short = 's', value_name = "TEXT")]
    pub search: Option<String>,
    /// Only items with this status: pending, unpaid, processing, shipped, delivered, completed, cancelled, returned, refunded, or
    /// missing if the retailer no longer lists the order
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Only items that are on their way or still to be sent, with carrier and tracking number where the retailer shows them
    #[arg(long, conflicts_with = "status")]
    pub undelivered: bool,
    /// Sort by date, price, total (of the order), item or retailer; -price and so on: descending
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true, hide_possible_values = true,
          value_parser = PossibleValuesParser::new(Sort::ALL).try_map(|text| text.parse::<Sort>()))]
    pub sort: Option<Sort>,
    /// Sort in descending order
    #[arg(long, requires = "sort")]
    pub desc: bool,
    #[command(flatten)]
    pub complete: CompleteArgs,
}

/// An order of line items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sort {
    /// By what.
    pub by: SortBy,
    /// Whether the greatest is first.
    pub descending: bool,
}

text_enum! {
    /// By which of their values line items are sorted.
    pub(crate) enum SortBy {
        /// The date of the order.
        Date = "date",
        /// The price of one.
        Price = "price",
        /// The total of the order.
        Total = "total",
        /// The name of the item.
        Item = "item",
        /// The name of the retailer.
        Retailer = "retailer",
    }
}

impl Sort {
    /// Everything that can be given.
    pub(crate) const ALL: [&str; 10] =
        ["date", "-date", "price", "-price", "total", "-total", "item", "-item", "retailer", "-retailer"];
}

impl FromStr for Sort {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, descending) = text.strip_prefix('-').map_or((text, false), |name| (name, true));
        let by: SortBy = name.parse().map_err(|_| format!("line items cannot be sorted by {name}"))?;
        Ok(Self { by, descending })
    }
}

const EXPORT_LONG: &str = "\
Export every line item as CSV, JSON, JSON lines, an Excel workbook or Parquet

Writes to standard output, or to the file of --out, whose ending decides about format and compression. Values are exact: \
decimals with all their digits, times in UTC unless a spreadsheet would lose the zone, which is then in the heading. Filters leave out what another retailer sold or was ordered at another time; \
--columns chooses and orders columns, and --since-last exports only what is new or changed since the last export of that \
name. Discounts, shipping, taxes and refunds are exported if --columns names lineAdjustments or orderAdjustments.";

/// Arguments of `orders export`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync orders export > orders.csv\n  ordersync orders export --out orders.csv --since 2026-01-01\n  ordersync orders export --out june.csv --since 2026-06 --until 2026-07\n  ordersync orders export --out orders.csv.gz --columns orderId,itemName,price\n  ordersync orders export --out orders.xlsx\n  ordersync orders export --out orders.csv --split-by month\n  ordersync orders export --out new.csv --since-last\n  ordersync orders export --format json | jq length\n  ordersync orders export --out orders.csv --resume\n\nThe file is written completely or not at all. Each line item is exported once, even during a sync.\nAn interrupted export to a file continues with --resume; if the list is unchanged, it ends with the same file."
)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Export format; default: that of -o, else that of the file name (orders.jsonl), else csv
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ExportFormat>,
    /// File to write to; default: standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Export only these columns, in this order, or add some to the usual ones: +lineTotal,+mismatch,+lineNumber; without
    /// a value, list them
    #[arg(long, value_name = "A,B,…", num_args = 0..=1)]
    pub columns: Option<Option<String>>,
    /// Write CSV that is safe to open in Excel: ids stay text, nothing becomes a formula
    #[arg(long)]
    pub excel_safe: bool,
    /// Separate the columns of CSV with a comma, a semicolon, a tab (tab) or a bar (|)
    #[arg(long, value_name = "CHAR", value_parser = delimiter)]
    pub delimiter: Option<char>,
    /// Write decimals in CSV with a point or a comma; a German, French, Italian, Spanish or Dutch Excel opens a file with
    /// --excel-safe --delimiter ';' --decimal ,
    #[arg(long, value_name = "CHAR", value_parser = decimal)]
    pub decimal: Option<char>,
    /// Compress the export; default: as the file name says (.gz, .zst), else not
    #[arg(long, value_enum, value_name = "METHOD")]
    pub compress: Option<Compression>,
    /// Write a file for each month or retailer: orders-2026-01.csv
    #[arg(long, value_enum, value_name = "WHAT", requires = "out")]
    pub split_by: Option<SplitBy>,
    /// Export only what is new or changed since the last export of this name, marked as such; into a file
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "default")]
    pub since_last: Option<String>,
    /// With --since-last: replace a file that still holds earlier changes, and write one even if nothing is new
    #[arg(long, requires_all = ["since_last", "out"])]
    pub replace: bool,
    #[command(flatten)]
    pub listing: How,
    /// With --since-last and a pipe: count as exported what is written to the pipe, read or not
    #[arg(long, requires = "since_last")]
    pub assume_read: bool,
    /// Continue an interrupted export to the same file; by itself, the last hour's if the list is unchanged
    #[arg(long, requires = "out", conflicts_with = "restart")]
    pub resume: bool,
    /// Discard an interrupted export to the same file and start over
    #[arg(long, requires = "out")]
    pub restart: bool,
    #[command(flatten)]
    pub complete: CompleteArgs,
}

impl ExportArgs {
    /// What they say of the form.
    pub(crate) fn choice(&self, zone: TimeZone) -> Choice<'_> {
        Choice {
            zone,
            out: self.out.as_deref(),
            format: self.format,
            compress: self.compress,
            columns: self.columns.as_ref().and_then(Option::as_deref),
            excel_safe: self.excel_safe,
            delimiter: self.delimiter,
            decimal: self.decimal,
            split_by: self.split_by,
            since_last: self.since_last.as_deref(),
            assume_read: self.assume_read,
        }
    }
}

fn delimiter(text: &str) -> Result<char, String> {
    match text {
        "," | ";" | "|" => Ok(text.chars().next().unwrap_or(',')),
        "tab" | "\t" | "\\t" => Ok('\t'),
        _ => Err("columns are separated by , or ; or | or tab".to_owned()),
    }
}

fn decimal(text: &str) -> Result<char, String> {
    match text {
        "." => Ok('.'),
        "," => Ok(','),
        _ => Err("decimals follow a point or a comma".to_owned()),
    }
}

const SUMMARY_LONG: &str = "\
Sum up line items by month, retailer, category or brand

The amount of an item is its line total, or its price times its quantity if the retailer shows none, summed exactly and \
for each currency on its own. Negative lines lower the sum. What was cancelled, returned, refunded or not paid is counted, \
and has a column of its own. Items without a known amount or currency are counted, but not summed; a note says how many and how much.

--net also sums up what was paid in the end: with shipping, taxes, fees and discounts, less refunds and returns. Those of an order \
count once. What was paid back for items that are not in the amount is not subtracted again.

--charges lists the payments that retailers show, also those by gift card or with rewards, the newest first; --by payment sums \
them up by their methods. Notes say how many orders show none, and how many whose charges do not add up to their totals. Refunds \
are not among them: they do not say to which method they went.";

/// Arguments of `orders summary`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync orders summary\n  ordersync orders summary --by brand --since 2026-01\n  ordersync orders summary --since 1y\n  ordersync orders summary --by category -o csv > categories.csv\n  ordersync orders summary --by retailer --net\n  ordersync orders summary --by payment\n  ordersync orders summary --charges\n  ordersync orders summary --html orders.html"
)]
pub(crate) struct SummaryArgs {
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Group line items by
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Grouping::Month)]
    pub by: Grouping,
    /// Also sum up what was paid in the end: with shipping, taxes, fees and discounts, less refunds
    #[arg(long, conflicts_with = "html")]
    pub net: bool,
    /// With --by order: list only the orders whose lines, figures and total do not add up
    #[arg(long, conflicts_with_all = ["html", "net"])]
    pub check: bool,
    /// List what was charged instead, one charge a row: when, by which method, for which order
    #[arg(long, conflicts_with_all = ["by", "check", "html", "net"])]
    pub charges: bool,
    #[command(flatten)]
    pub listing: How,
    /// Also write an HTML page with charts of all groupings; - for standard output
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub complete: CompleteArgs,
}

/// Arguments of `orders sync`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync orders sync\n  ordersync orders sync merribazaar\n  ordersync orders sync merribazaar threadmoor --no-wait\n\nIf a sync of the connection is already running, that one is followed."
)]
pub(crate) struct SyncArgs {
    /// Connections to sync: the retailer's name, part of it, its id, or the connection's id; default: all
    #[arg(value_name = "NAME|ID")]
    pub names: Vec<String>,
    /// Sync the connection to this retailer; the same as NAME|ID
    #[arg(long, short = 'r', value_name = "ID|NAME")]
    pub retailer: Option<String>,
    #[command(flatten)]
    pub options: SyncOptions,
}
