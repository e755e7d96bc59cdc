//! How line items are grouped for sums.

use clap::ValueEnum;

/// What the line items of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Grouping {
    /// Month of the order
    Month,
    /// Retailer
    Retailer,
    /// Category
    Category,
    /// Brand
    Brand,
}
