//! Orders that come from a file in place of a retailer's account: `POST /sync/imports`.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::completeness::KeptBackOrder;
use crate::open::{Id, Open};
use crate::order::{Adjustment, DatePrecision, Mismatch, Shipment, ShipmentStatus};
use crate::strict;
use crate::timestamp::Timestamp;

/// Where the numbers of retailers begin whose orders come from files, and that no catalog has.
pub const FIRST_RETAILER: i64 = 1_000_000_000;
/// Orders in one request at most.
pub const MOST_ORDERS: usize = 1_000;

/// Some of the orders of a file, each an [`ImportedOrder`]. Sending it again changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "O: Deserialize<'de>"))]
pub struct ImportRequest<O = ImportedOrder> {
    /// Whose orders they are. Null: of a retailer that has orders with these numbers already, so that each of them only adds
    /// to what is stored.
    pub retailer_name: Option<String>,
    /// Where they come from: the kind of the file, such as `amazon-order-history`.
    #[serde(default)]
    pub source: String,
    /// Whether to say what would change, and to store nothing.
    #[serde(default)]
    pub dry_run: bool,
    /// Whether further orders of the retailer follow: its connection is not complete until a request says that none do. It is null
    /// for a file that is sent in one request: that neither begins nor ends such a series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_follow: Option<bool>,
    /// At most [`MOST_ORDERS`].
    #[serde(deserialize_with = "strict::objects")]
    pub orders: Vec<O>,
    /// Orders that the file names, but that cannot be read from it, and why. At most [`MOST_ORDERS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::objects")]
    pub orders_left_out: Vec<OrderLeftOut>,
}

/// An order that a file names, but that cannot be read from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderLeftOut {
    /// The retailer's own number of the order.
    pub order_id: String,
    /// Why it cannot be read.
    pub reason: String,
}

/// An order as a file has it. What the file does not say is null, and leaves what is stored as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportedOrder {
    /// The retailer's own number of the order.
    pub order_id: String,
    /// Whether it only adds to an order that is stored: a refund, whose file says nothing about what was bought.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_adds: bool,
    /// When the file says this of the order: the date of a mail or of a saved page, of several that of the one that its status
    /// is from. None if the file has no time of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_at: Option<Timestamp>,
    /// When it was ordered.
    pub order_date: Option<Timestamp>,
    /// The precision of the order date; none if the file has a time and its zone.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "strict::present")]
    pub order_date_precision: Option<DatePrecision>,
    /// Total of the whole order.
    #[serde(default, serialize_with = "crate::exact::option::serialize", deserialize_with = "strict::number")]
    pub order_total: Option<Decimal>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// Figures of the file that do not agree with each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::mismatches")]
    pub mismatch: Vec<Mismatch>,
    /// Those of the order as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::adjustments")]
    pub adjustments: Vec<Adjustment>,
    /// In the file's order.
    #[serde(default, deserialize_with = "strict::objects")]
    pub items: Vec<ImportedItem>,
}

/// A line of an imported order. What the file does not say is null.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImportedItem {
    /// The retailer's own id of the line, if it stays the same from file to file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line_id: Option<String>,
    /// Title of the item.
    pub item_name: Option<String>,
    /// Brand.
    pub brand_name: Option<String>,
    /// Department.
    pub department: Option<String>,
    /// Category.
    pub category: Option<String>,
    /// Category below the category.
    pub sub_category: Option<String>,
    /// The retailer's number of the article.
    pub retailer_sku: Option<String>,
    /// Who sold it, where that is not the retailer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seller: Option<String>,
    /// How many; may be a fraction, may be 0.
    #[serde(serialize_with = "crate::exact::option::serialize", deserialize_with = "strict::number")]
    pub quantity: Option<Decimal>,
    /// Price of one.
    #[serde(serialize_with = "crate::exact::option::serialize", deserialize_with = "strict::number")]
    pub price: Option<Decimal>,
    /// Total of the line: the price of all its pieces, before discounts and without tax that is added.
    #[serde(serialize_with = "crate::exact::option::serialize", deserialize_with = "strict::number")]
    pub line_total: Option<Decimal>,
    /// Those of this line alone.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::adjustments")]
    pub adjustments: Vec<Adjustment>,
    /// Shipment status, in our words; where the file's own has no word among ours, the file's.
    #[serde(deserialize_with = "strict::word")]
    pub shipment_status: Option<Open<ShipmentStatus>>,
    /// Shipment status, in the file's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shipment_text: Option<String>,
    /// The parcels that it is in.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::objects")]
    pub shipments: Vec<Shipment>,
}

/// The changes that an import made, or would make.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ImportResult {
    /// The connection that has the orders; none if nothing is stored.
    pub connection_id: Option<Id>,
    /// The retailer's number.
    pub retailer_id: Option<i64>,
    /// Orders stored for the first time.
    pub orders_new: u64,
    /// Orders that were stored and are different now.
    pub orders_changed: u64,
    /// Orders that are stored as the file has them, or with more.
    pub orders_unchanged: u64,
    /// Lines stored for the first time.
    pub items_new: u64,
    /// Orders that only add to a stored one, and whose number no stored order has.
    pub orders_unknown: Vec<String>,
    /// Orders that cannot be stored, and why.
    pub orders_kept_back: Vec<KeptBackOrder>,
    /// Orders that were left out of the file and are not stored. The connection is not complete until they are imported.
    pub orders_left_out: Vec<Id>,
    /// Facts that the retailer's account and the file tell differently.
    pub contradictions: Vec<Contradiction>,
    /// Orders that another connection has, too, by their number, day and amount.
    pub orders_elsewhere: Vec<OrderElsewhere>,
    /// Additional fields from the service.
    #[serde(flatten)]
    pub extra: Extra,
}

/// An order of an import that another connection seems to have, too: it may be counted twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderElsewhere {
    /// The order's number.
    pub order_id: String,
    /// The other connection.
    pub connection_id: Id,
    /// Its retailer.
    pub retailer_name: String,
}

/// A fact of an order that its retailer's account and a file tell differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contradiction {
    /// The order's number.
    pub order_id: String,
    /// The fact, by its name in an order item, such as `orderTotal`.
    pub field: String,
    /// As the account has it.
    pub account: Option<String>,
    /// As the file has it.
    pub file: Option<String>,
}
