//! Orders at line-item level, and their form as CSV.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::open::{Id, Open};
use crate::text_enum::text_enum;
use crate::timestamp::Timestamp;

/// The default of `limit` where orders are listed (`interface.md`, Limits).
pub const DEFAULT_LIMIT: u32 = 50;
/// The largest `limit` where orders are listed (`interface.md`, Limits).
pub const MAX_LIMIT: u32 = 1000;

/// The CSV header row, in the specification's order.
pub const CSV_COLUMNS: [&str; 14] = [
    "Retailer",
    "Retailer Order ID",
    "Order Date",
    "Item Name",
    "Brand",
    "Dept",
    "Category",
    "SubCategory",
    "SKU",
    "Quantity",
    "Price",
    "Currency",
    "Shipment Status",
    "Order Total",
];

text_enum! {
    /// Where the goods are, in words that all retailers share.
    pub enum ShipmentStatus {
        /// Ordered, not yet taken up.
        Pending = "pending",
        /// Ordered, not paid: the payment is awaited, or has failed.
        Unpaid = "unpaid",
        /// Being made ready.
        Processing = "processing",
        /// Handed to a carrier.
        Shipped = "shipped",
        /// Received.
        Delivered = "delivered",
        /// Done, in whichever way this retailer ends an order.
        Completed = "completed",
        /// Called off before it was shipped.
        Cancelled = "cancelled",
        /// Sent back.
        Returned = "returned",
        /// Paid back.
        Refunded = "refunded",
    }
}

impl ShipmentStatus {
    /// The status that a word of another service means: in any case, and in American spelling.
    pub fn meant(word: &str) -> Option<Self> {
        match word.to_lowercase().as_str() {
            "canceled" => Some(Self::Cancelled),
            word => word.parse().ok(),
        }
    }

    /// Whether the retailer is not expected to change it any more.
    pub const fn is_settled(self) -> bool {
        !matches!(self, Self::Pending | Self::Unpaid | Self::Processing | Self::Shipped)
    }

    /// Whether the goods were not kept or not paid, so that they cost nothing in the end.
    pub const fn is_undone(self) -> bool {
        matches!(self, Self::Unpaid | Self::Cancelled | Self::Returned | Self::Refunded)
    }
}

text_enum! {
    /// What an adjustment is.
    pub enum AdjustmentType {
        /// Money paid back.
        Refund = "refund",
        /// Money paid back for goods that were sent back.
        Return = "return",
        /// A price reduction: a coupon, an offer, credit.
        Discount = "discount",
        /// The price of delivery.
        Shipping = "shipping",
        /// A tax.
        Tax = "tax",
        /// A price for anything else, such as gift wrapping.
        Fee = "fee",
        /// How it was paid: no part of what the order costs.
        Payment = "payment",
        /// A gift card or voucher that was bought: taken off the total, or a way to pay it.
        GiftCard = "gift_card",
        /// Points or credit of the retailer: taken off the total, or a way to pay it.
        Reward = "reward",
        /// Extra money for those who serve or deliver.
        Tip = "tip",
        /// Money that may come back, for bottles for example, or that was paid beforehand.
        Deposit = "deposit",
        /// An amount whose label is none of these.
        Other = "other",
    }
}

/// An amount of an order or of one of its lines beside the price of the goods, as the retailer shows it. It is part of no
/// price and no line total.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Adjustment {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: Open<AdjustmentType>,
    /// What it adds to the sum that the customer pays: less than zero if it is money back. Of a payment, what was paid.
    #[serde(with = "crate::exact::required")]
    pub amount: Decimal,
    /// ISO 4217.
    pub currency: Option<String>,
    /// When it was granted or charged, if that is shown and differs from the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Open<Timestamp>>,
    /// The retailer's own label.
    pub text: Option<String>,
    /// Whether it is not to be added: the line totals contain it already, as they may contain tax, or it is a gift card, a
    /// reward, a tip or a deposit that is no part of the order's total.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub included: bool,
}

/// A figure that the retailer shows, beside the same figure computed from others that it shows. Both are reported as they
/// are; nothing is corrected. The checks `status` (the retailer shows no status of
/// the order), `title` (a product has another title) and `product` (the page of a product could not be read, so that its SKU
/// and categories are not known) have no figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mismatch {
    /// What was compared, for example `order_total`.
    pub check: String,
    /// The figure that the retailer shows.
    #[serde(with = "crate::exact::option")]
    pub shown: Option<Decimal>,
    /// The figure that follows from the others.
    #[serde(with = "crate::exact::option")]
    pub computed: Option<Decimal>,
}

/// A parcel that a line is in. What the retailer does not show is null.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shipment {
    /// Who carries it, in the retailer's words.
    pub carrier: Option<String>,
    /// The carrier's number of it.
    #[serde(default, deserialize_with = "crate::open::text")]
    pub tracking_number: Option<String>,
}

text_enum! {
    /// The precision of an order date.
    pub enum DatePrecision {
        /// The retailer shows the date only; the time is noon in its time zone.
        Day = "day",
    }
}

/// One item of an order. What a retailer does not give is null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderItem {
    /// Identifier; stays the same over syncs.
    pub id: Id,
    /// The connection that it came through.
    pub connection_id: Option<Id>,
    /// The retailer's number.
    #[serde(default, deserialize_with = "crate::open::integer")]
    pub retailer_id: Option<i64>,
    /// The retailer's name.
    pub retailer_name: Option<String>,
    /// The retailer's own number of the order.
    pub order_id: Option<Id>,
    /// When it was ordered.
    pub order_date: Option<Open<Timestamp>>,
    /// The precision of the order date; none if the retailer shows a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_date_precision: Option<Open<DatePrecision>>,
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
    #[serde(default, deserialize_with = "crate::open::text")]
    pub retailer_sku: Option<String>,
    /// How many; may be a fraction (weight), may be 0 (cancelled).
    #[serde(default, with = "crate::exact::option")]
    pub quantity: Option<Decimal>,
    /// Price of one.
    #[serde(default, with = "crate::exact::option")]
    pub price: Option<Decimal>,
    /// Total of the line, as the retailer shows it: the price of all its pieces, before discounts on the whole order.
    #[serde(default, with = "crate::exact::option", skip_serializing_if = "Option::is_none")]
    pub line_total: Option<Decimal>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// Shipment status, in our words; where the retailer's own has no word among ours, the retailer's.
    pub shipment_status: Option<Open<ShipmentStatus>>,
    /// Shipment status, in the retailer's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shipment_text: Option<String>,
    /// Total of the whole order, as the retailer shows it.
    #[serde(default, with = "crate::exact::option")]
    pub order_total: Option<Decimal>,
    /// Figures of the order that the retailer shows and that do not agree with each other.
    #[serde(default, deserialize_with = "crate::open::list", skip_serializing_if = "Vec::is_empty")]
    pub mismatch: Vec<Mismatch>,
    /// Since when the retailer no longer lists the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_since: Option<Open<Timestamp>>,
    /// When the row last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Open<Timestamp>>,
    /// Position of the line in its order as the retailer shows it, from 1; none for lines that were read before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_number: Option<u32>,
    /// The parcels that the line is in, as far as the retailer shows them.
    #[serde(default, deserialize_with = "crate::open::list", skip_serializing_if = "Vec::is_empty")]
    pub shipments: Vec<Shipment>,
    /// Who sold it, where that is not the retailer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seller: Option<String>,
    /// Where the order comes from: `account` and the kinds of files. None: the retailer's account alone.
    #[serde(default, deserialize_with = "crate::open::list", skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// What else the service said.
    #[serde(flatten)]
    pub extra: Extra,
}
