//! The retailers' own words for where the goods are.

use ordersync_api::{Open, ShipmentStatus};

use super::catalog::Language;

/// Goods that wait in a shop: a status that has no word among ours.
pub(super) const fn ready_for_collection(language: Language) -> &'static str {
    match language {
        Language::English => "Ready for collection",
        Language::German => "Abholbereit",
        Language::Japanese => "店舗受取可能",
    }
}

/// The status as the retailer's page says it.
pub(super) fn shipment(language: Language, status: &Open<ShipmentStatus>) -> String {
    let [english, german, japanese] = match status {
        Open::Other(text) => return text.clone(),
        Open::Known(ShipmentStatus::Pending) => ["Order received", "Bestellung eingegangen", "ご注文受付"],
        Open::Known(ShipmentStatus::Processing) => ["Getting it ready", "In Bearbeitung", "発送準備中"],
        Open::Known(ShipmentStatus::Shipped) => ["On its way", "Unterwegs", "発送済み"],
        Open::Known(ShipmentStatus::Delivered) => ["Delivered", "Zugestellt", "配達完了"],
        Open::Known(ShipmentStatus::Completed) => ["Complete", "Abgeschlossen", "完了"],
        Open::Known(ShipmentStatus::Cancelled) => ["Cancelled: out of stock", "Storniert", "キャンセル済み"],
        Open::Known(ShipmentStatus::Returned) => ["Return received", "Rücksendung erhalten", "返品済み"],
        Open::Known(ShipmentStatus::Refunded) => ["Refunded", "Erstattet", "返金済み"],
    };
    let words = match language {
        Language::English => english,
        Language::German => german,
        Language::Japanese => japanese,
    };
    words.to_owned()
}
