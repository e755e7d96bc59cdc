//! The retailers' own words for where the goods are.

use ordersync_api::{AdjustmentType, Open, ShipmentStatus};

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
        Open::Known(ShipmentStatus::Unpaid) => ["Awaiting payment", "Zahlung ausstehend", "支払い待ち"],
        Open::Known(ShipmentStatus::Processing) => ["Getting it ready", "In Bearbeitung", "発送準備中"],
        Open::Known(ShipmentStatus::Shipped) => ["On its way", "Unterwegs", "発送済み"],
        Open::Known(ShipmentStatus::Delivered) => ["Delivered", "Zugestellt", "配達完了"],
        Open::Known(ShipmentStatus::Completed) => ["Complete", "Abgeschlossen", "完了"],
        Open::Known(ShipmentStatus::Cancelled) => ["Cancelled: out of stock", "Storniert", "キャンセル済み"],
        Open::Known(ShipmentStatus::Returned) => ["Return received", "Rücksendung erhalten", "返品済み"],
        Open::Known(ShipmentStatus::Refunded) => ["Refunded", "Erstattet", "返金済み"],
    };
    in_language(language, [english, german, japanese])
}

/// Who carries parcels.
pub(super) const fn carrier(language: Language) -> &'static str {
    match language {
        Language::English => "Swiftmarch",
        Language::German => "Eilpost Nord",
        Language::Japanese => "つばくろ便",
    }
}

/// The label of an adjustment.
pub(super) fn adjustment(language: Language, kind: AdjustmentType) -> String {
    let words = match kind {
        AdjustmentType::Refund => ["Refund", "Erstattung", "返金"],
        AdjustmentType::Return => ["Return", "Rücksendung", "返品"],
        AdjustmentType::Discount => ["Coupon WELCOME10", "Gutschein WELCOME10", "クーポン WELCOME10"],
        AdjustmentType::Shipping => ["Delivery", "Versand", "送料"],
        AdjustmentType::Tax => ["Tax", "MwSt.", "消費税"],
        AdjustmentType::Fee => ["Gift wrapping", "Geschenkverpackung", "ラッピング料"],
        AdjustmentType::Payment => ["Paid by card", "Mit Karte bezahlt", "カード払い"],
        AdjustmentType::GiftCard => ["Gift card", "Geschenkkarte", "ギフト券"],
        AdjustmentType::Reward => ["Points", "Punkte", "ポイント"],
        AdjustmentType::Tip => ["Tip", "Trinkgeld", "チップ"],
        AdjustmentType::Deposit => ["Deposit", "Pfand", "保証金"],
        AdjustmentType::Other => ["Rounding", "Rundung", "端数調整"],
    };
    in_language(language, words)
}

fn in_language(language: Language, [english, german, japanese]: [&str; 3]) -> String {
    let words = match language {
        Language::English => english,
        Language::German => german,
        Language::Japanese => japanese,
    };
    words.to_owned()
}
