//! Orders as files and saved pages tell them.

use chrono::{DateTime, Utc};
use ordersync_api::import::FIRST_RETAILER;
use ordersync_api::{ImportedItem, ImportedOrder};
use sha2::{Digest as _, Sha256};

use super::order::{LineItem, RetailerOrder};

/// How many numbers there are for retailers that no catalog has.
const RETAILERS: u64 = 1_000_000_000;

/// The number of a retailer that no catalog has, by its name.
pub(crate) fn retailer_of_files(name: &str) -> i64 {
    let digest = Sha256::digest(name.to_lowercase());
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    FIRST_RETAILER + i64::try_from(number % RETAILERS).unwrap_or_default()
}

impl RetailerOrder {
    /// An order as these sources tell it. None: as the account does.
    pub(crate) fn imported(order: ImportedOrder, sources: Vec<String>, now: DateTime<Utc>) -> Self {
        Self {
            order_id: order.order_id,
            fingerprint: None,
            placed_at: order.order_date.map(|at| at.0),
            is_day_alone: order.order_date_precision.is_some(),
            total: order.order_total,
            currency: order.currency,
            mismatch: order.mismatch,
            adjustments: Some(order.adjustments),
            sources,
            // A mail with a wrong date in the future must not outlive those that follow.
            stated_at: order.stated_at.map(|at| at.0.min(now)),
            items: order.items.into_iter().map(line_item).collect(),
        }
    }
}

/// An empty text says nothing.
fn known(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn line_item(item: ImportedItem) -> LineItem {
    LineItem {
        line_id: known(item.line_id),
        title: known(item.item_name),
        brand: known(item.brand_name),
        department: known(item.department),
        category: known(item.category),
        sub_category: known(item.sub_category),
        sku: known(item.retailer_sku),
        seller: known(item.seller),
        quantity: item.quantity,
        unit_price: item.price,
        line_total: item.line_total,
        adjustments: item.adjustments,
        shipment_status: item.shipment_status,
        shipment_text: known(item.shipment_text),
        shipments: item.shipments,
        ..LineItem::default()
    }
}
