//! `ordersync import`.

use std::path::PathBuf;

use clap::Args;

/// What the long help begins with.
pub(super) const LONG: &str = "Store orders from the files that a retailer hands out.\n\nTakes files, folders and zip \
    archives, and knows them by their content: mails (.eml, mbox, Maildir), Amazon's \"Your Orders\" and older exports with \
    their returns and refunds, Google Takeout, Uber Eats, Apple, Costco, Walmart, Etsy, eBay and Shopify, among others. All of it is read and checked before the first order is \
    stored. Each retailer gets a connection without an account, or its orders join those of its connection. The same file \
    again changes nothing, a later one fills and corrects, and nothing is removed because a file lacks it. What a file does \
    not say stays unknown; what contradicts itself is reported with its row.";

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ordersync import \"Your Orders.zip\" --dry-run\n  ordersync import \"Your Orders.zip\"\n  ordersync import Takeout/ costco.json --currency USD\n  ordersync import Inbox.mbox --dry-run\n  ordersync import \"Your Orders.zip\" --keep-documents\n  ordersync import --pages ~/Downloads/amazon --dry-run\n  ordersync import orders.csv --explain > mapping.toml\n  ordersync import orders.csv --map mapping.toml --retailer \"Corner Shop\""
)]
pub(crate) struct ImportArgs {
    /// Files, folders or zip archives
    #[arg(value_name = "FILE", required_unless_present = "pages")]
    pub files: Vec<PathBuf>,
    /// Experimental: read this folder of Amazon's order history and order pages, saved from the browser
    #[arg(long, value_name = "DIR")]
    pub pages: Option<PathBuf>,
    /// The retailer, if the file does not name one
    #[arg(long, short = 'r', value_name = "NAME")]
    pub retailer: Option<String>,
    /// Currency of amounts whose file does not say it (ISO 4217)
    #[arg(long, value_name = "CODE")]
    pub currency: Option<String>,
    /// Time zone of times whose file does not say it, such as Europe/Berlin; without it, only their day is kept
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// Read the files as this mapping describes them
    #[arg(long = "map", value_name = "FILE")]
    pub mapping: Option<PathBuf>,
    /// Keep the documents beside the orders with them: mails, and PDF and HTML files that are named by an order's number
    #[arg(long)]
    pub keep_documents: bool,
    /// Check the files and say what would change, without storing anything
    #[arg(long, short = 'n')]
    pub dry_run: bool,
    /// Print a mapping that describes a file, to be completed by hand
    #[arg(long, conflicts_with_all = ["mapping", "dry_run", "retailer", "pages", "keep_documents"])]
    pub explain: bool,
}
