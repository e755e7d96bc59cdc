//! What a shop's words for the status of an order mean.

use std::collections::HashMap;

use ordersync_api::{Open, ShipmentStatus};

use super::text::undecorated;

/// What a word means: by the shop's own list (`own`, in lower case) first, then by the words that shops share; the word itself
/// if neither knows it. A word that is not known may still change its meaning, so such an order is never settled.
pub(in crate::connector) fn meaning(text: &str, own: &HashMap<String, ShipmentStatus>) -> Open<ShipmentStatus> {
    let word = text.to_lowercase();
    let known = own.get(&word).copied().or(match undecorated(&word) {
        "pending" => Some(ShipmentStatus::Pending),
        "being processed" | "processing" => Some(ShipmentStatus::Processing),
        "shipped" | "dispatched" => Some(ShipmentStatus::Shipped),
        "delivered" => Some(ShipmentStatus::Delivered),
        "complete" | "completed" => Some(ShipmentStatus::Completed),
        "cancelled" | "canceled" => Some(ShipmentStatus::Cancelled),
        "returned" => Some(ShipmentStatus::Returned),
        "refunded" => Some(ShipmentStatus::Refunded),
        _ => None,
    });
    known.map_or_else(|| Open::Other(text.to_owned()), Open::Known)
}
