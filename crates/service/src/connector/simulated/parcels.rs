//! The parcels of the account `user_parcels`: what was sent of an order is in one parcel, of every second order in two. A line of several
//! pieces is then in both. Every fifth order does not say who carries it.

use ordersync_api::{Open, Shipment, ShipmentStatus};
use rust_decimal::Decimal;

use super::catalog::Shop;
use super::numbers::scatter;
use super::words;
use crate::connector::{LineItem, RetailerOrder};

/// No order has more.
const PARCELS: u32 = 2;

/// Gives the order at this index its parcels.
pub(super) fn add(order: &mut RetailerOrder, shop: &Shop, index: u32, seed: u64) {
    let count = if index % 2 == 1 { PARCELS } else { 1 };
    let parcel = |place: u32| Shipment {
        carrier: (index % 5 != 4).then(|| words::carrier(shop.language).to_owned()),
        tracking_number: Some(scatter("############", index * PARCELS + place, seed)),
    };
    for (line, place) in order.items.iter_mut().zip((0..count).cycle()).filter(|(line, _)| is_sent(line)) {
        let is_split = line.quantity.is_some_and(|quantity| quantity > Decimal::ONE);
        line.shipments = (0..count).filter(|other| is_split || *other == place).map(parcel).collect();
    }
}

/// Whether the goods have left the retailer. Those that can be collected have, too.
fn is_sent(line: &LineItem) -> bool {
    use ShipmentStatus::{Cancelled, Pending, Processing, Unpaid};

    match &line.shipment_status {
        Some(Open::Known(status)) => !matches!(status, Pending | Unpaid | Processing | Cancelled),
        Some(Open::Other(_)) => true,
        None => false,
    }
}
