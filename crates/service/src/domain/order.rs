//! Orders as retailers show them.

use chrono::{DateTime, Utc};
use ordersync_api::order::{Mismatch, Shipment};
use ordersync_api::{Adjustment, Open, ShipmentStatus};
use rust_decimal::Decimal;

/// The retailer's account, among the sources of an order.
pub(crate) const ACCOUNT: &str = "account";

/// An order with all of its lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RetailerOrder {
    /// The retailer's own number.
    pub order_id: String,
    /// Says in later syncs whether the order needs to be fetched again; `None`: always.
    pub fingerprint: Option<String>,
    /// When it was placed.
    pub placed_at: Option<DateTime<Utc>>,
    /// Whether the retailer shows the date only; `placed_at` is then noon in its time zone.
    pub is_day_alone: bool,
    /// The total, as the retailer shows it.
    pub total: Option<Decimal>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// Figures that the retailer shows of the order and that do not agree with each other.
    pub mismatch: Vec<Mismatch>,
    /// Those of the order as a whole. `None`: the retailer does not show them, those of the lines included; the store then
    /// keeps what it has.
    pub adjustments: Option<Vec<Adjustment>>,
    /// The kinds of the files that it comes from; first [`ACCOUNT`] if the retailer's account shows it, too. None: the
    /// account alone.
    pub sources: Vec<String>,
    /// When a file stated the status of its lines. `None`: the file has no time of its own, or the status is the account's.
    pub stated_at: Option<DateTime<Utc>>,
    /// In the retailer's order.
    pub items: Vec<LineItem>,
}

/// A line of an order. What the retailer does not give is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineItem {
    /// The retailer's own id of the line; if there is none, SKU or title and occurrence replace it.
    pub line_id: Option<String>,
    pub title: Option<String>,
    pub brand: Option<String>,
    pub department: Option<String>,
    pub category: Option<String>,
    /// Category below the category.
    pub sub_category: Option<String>,
    /// The retailer's number of the article.
    pub sku: Option<String>,
    /// Who sold it, where that is not the retailer.
    pub seller: Option<String>,
    /// How many.
    pub quantity: Option<Decimal>,
    /// Price of one.
    pub unit_price: Option<Decimal>,
    /// Total of the line, as the retailer shows it.
    pub line_total: Option<Decimal>,
    /// Those of this line alone.
    pub adjustments: Vec<Adjustment>,
    /// Shipment status, in our words; where the retailer's own has no word among ours, the retailer's.
    pub shipment_status: Option<Open<ShipmentStatus>>,
    /// Shipment status, in the retailer's words.
    pub shipment_text: Option<String>,
    /// The parcels that it is in, as far as the retailer shows them.
    pub shipments: Vec<Shipment>,
    /// Whether the page that shows SKU, department and categories could not be read this time. The store then keeps what it
    /// has of those of the four that are `None` here, and the title of a line with the same `line_id`, which may be more exact.
    pub secondary_unknown: bool,
    /// Whether the retailer shows no status where others show one. The store then keeps the status that it has.
    pub status_unknown: bool,
}
