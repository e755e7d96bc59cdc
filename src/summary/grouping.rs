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
    /// Order: its lines, the figures beside them, and its total
    Order,
    /// Payment method: what was charged
    Payment,
}

impl Grouping {
    /// Those whose groups are few, which a page shows.
    pub(crate) const OF_PAGES: [Self; 4] = [Self::Month, Self::Retailer, Self::Category, Self::Brand];
}
