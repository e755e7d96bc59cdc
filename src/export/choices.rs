//! What can be chosen of the form of an export.

use clap::ValueEnum;

/// What the line items of a file have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitBy {
    /// Retailer: orders-merribazaar.csv
    Retailer,
    /// Month of the order: orders-2026-01.csv
    Month,
}

/// How an export is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compression {
    /// For zstd, DuckDB and others
    Zstd,
    /// For every program
    Gzip,
}

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
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
