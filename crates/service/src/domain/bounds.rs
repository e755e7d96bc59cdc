//! What may be stored of an order, whichever connector read it: texts of at most 2 KiB, without control characters.
//!
//! A control character is shown as U+FFFD, and tabs and line ends as spaces. A text that is too long is never cut: an order
//! that has one is kept back, which the session reports.

use std::borrow::Cow;

use ordersync_api::{Adjustment, Open};

use crate::domain::order::{LineItem, RetailerOrder};

/// Bytes of a text at most.
pub(crate) const LONGEST_TEXT: usize = 2_048;
/// Bytes of an order's number at most.
pub(crate) const LONGEST_ORDER_ID: usize = 256;
/// Bytes of the reason why an order is kept back.
const LONGEST_REASON: usize = 1024;
/// Lines of an order at most: what the numbers of lines in the store have room for.
pub(crate) const MOST_LINES: usize = 1 << 20;
/// Figures of an order that do not agree, at most.
const MOST_MISMATCHES: usize = 32;
/// Adjustments of an order and of each of its lines, at most.
const MOST_ADJUSTMENTS: usize = 1_024;
/// Parcels that a line is in, at most.
const MOST_SHIPMENTS: usize = 1_024;

/// Why an order cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum OutOfBounds {
    /// Its number is empty, too long, or has control characters.
    #[error("its number is not usable")]
    OrderId,
    /// A text is longer than [`LONGEST_TEXT`].
    #[error("a text of it is longer than 2 KiB")]
    Text,
    /// It has more than [`MOST_LINES`].
    #[error("it has too many line items")]
    Lines,
    /// It has more mismatches than an order has figures.
    #[error("it has too many figures that do not agree")]
    Mismatches,
    /// It, or a line of it, has more than [`MOST_ADJUSTMENTS`].
    #[error("it has too many adjustments")]
    Adjustments,
    /// A line of it is in more parcels than [`MOST_SHIPMENTS`].
    #[error("a line of it is in too many parcels")]
    Shipments,
}

/// The order as it may be stored.
/// Fails if a part of it is too long.
pub(crate) fn bounded(order: &RetailerOrder) -> Result<Cow<'_, RetailerOrder>, OutOfBounds> {
    let id = order.order_id.as_str();
    if id.is_empty() || id.len() > LONGEST_ORDER_ID || id.contains(char::is_control) {
        return Err(OutOfBounds::OrderId);
    }
    if order.items.len() > MOST_LINES {
        return Err(OutOfBounds::Lines);
    }
    if order.mismatch.len() > MOST_MISMATCHES {
        return Err(OutOfBounds::Mismatches);
    }
    let of_lines = order.items.iter().map(|line| &line.adjustments);
    if order.adjustments.iter().chain(of_lines).any(|all| all.len() > MOST_ADJUSTMENTS) {
        return Err(OutOfBounds::Adjustments);
    }
    if order.items.iter().any(|line| line.shipments.len() > MOST_SHIPMENTS) {
        return Err(OutOfBounds::Shipments);
    }
    let mut is_clean = true;
    for text in texts(order) {
        if text.len() > LONGEST_TEXT {
            return Err(OutOfBounds::Text);
        }
        is_clean &= !text.contains(char::is_control);
    }
    Ok(if is_clean { Cow::Borrowed(order) } else { Cow::Owned(cleaned(order.clone())) })
}

/// The beginning of any text, for a message or a key: at most 256 bytes, without control characters.
pub(crate) fn shown(text: &str) -> String {
    cut(text, LONGEST_ORDER_ID)
}

/// Why an order was kept back, as it may be stored and shown.
pub(crate) fn shown_reason(text: &str) -> String {
    cut(text, LONGEST_REASON)
}

fn cut(text: &str, most: usize) -> String {
    let mut shown = without_controls(text.get(..text.floor_char_boundary(most)).unwrap_or_default());
    shown.truncate(shown.floor_char_boundary(most));
    shown
}

fn texts(order: &RetailerOrder) -> impl Iterator<Item = &str> {
    let lines = order.items.iter().flat_map(texts_of_line).flatten();
    let parcels = order.items.iter().flat_map(|line| &line.shipments);
    let parcels = parcels.flat_map(|parcel| [parcel.carrier.as_deref(), parcel.tracking_number.as_deref()]).flatten();
    let checks = order.mismatch.iter().map(|mismatch| mismatch.check.as_str());
    let adjustments = adjustments(order).flat_map(texts_of_adjustment).flatten();
    order
        .currency
        .as_deref()
        .into_iter()
        .chain(order.fingerprint.as_deref())
        .chain(checks)
        .chain(adjustments)
        .chain(lines)
        .chain(parcels)
}

/// Those of the order and of its lines.
fn adjustments(order: &RetailerOrder) -> impl Iterator<Item = &Adjustment> {
    order.adjustments.iter().flatten().chain(order.items.iter().flat_map(|line| &line.adjustments))
}

fn texts_of_adjustment(adjustment: &Adjustment) -> [Option<&str>; 2] {
    [adjustment.text.as_deref(), adjustment.currency.as_deref()]
}

fn texts_of_line(line: &LineItem) -> [Option<&str>; 9] {
    let status = line.shipment_status.as_ref().and_then(|status| match status {
        Open::Other(word) => Some(word.as_str()),
        Open::Known(_) => None,
    });
    [
        line.title.as_deref(),
        line.brand.as_deref(),
        line.department.as_deref(),
        line.category.as_deref(),
        line.sub_category.as_deref(),
        line.sku.as_deref(),
        line.seller.as_deref(),
        line.shipment_text.as_deref(),
        status,
    ]
}

fn cleaned(mut order: RetailerOrder) -> RetailerOrder {
    let clean = |text: &mut Option<String>| {
        if let Some(text) = text {
            *text = without_controls(text);
        }
    };
    clean(&mut order.currency);
    clean(&mut order.fingerprint);
    for mismatch in &mut order.mismatch {
        mismatch.check = without_controls(&mismatch.check);
    }
    let of_lines = order.items.iter_mut().flat_map(|line| &mut line.adjustments);
    for adjustment in order.adjustments.iter_mut().flatten().chain(of_lines) {
        clean(&mut adjustment.text);
        clean(&mut adjustment.currency);
    }
    for line in &mut order.items {
        for text in [
            &mut line.title,
            &mut line.brand,
            &mut line.department,
            &mut line.category,
            &mut line.sub_category,
            &mut line.sku,
            &mut line.seller,
            &mut line.shipment_text,
        ] {
            clean(text);
        }
        for parcel in &mut line.shipments {
            clean(&mut parcel.carrier);
            clean(&mut parcel.tracking_number);
        }
        if let Some(Open::Other(word)) = &mut line.shipment_status {
            *word = without_controls(word);
        }
    }
    order
}

/// The text with U+FFFD for control characters, and with spaces for tabs and line ends.
pub(crate) fn without_controls(text: &str) -> String {
    let plain = |letter: char| match letter {
        '\t' | '\n' | '\r' => ' ',
        letter if letter.is_control() => char::REPLACEMENT_CHARACTER,
        letter => letter,
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(title: &str) -> RetailerOrder {
        RetailerOrder {
            order_id: "N-1".into(),
            fingerprint: None,
            placed_at: None,
            is_day_alone: false,
            sources: Vec::new(),
            stated_at: None,
            total: None,
            currency: Some("EUR".into()),
            mismatch: Vec::new(),
            adjustments: None,
            items: vec![LineItem { title: Some(title.into()), ..LineItem::default() }],
        }
    }

    #[test]
    fn control_characters_are_replaced_and_all_else_stays() {
        let stored = |title: &str| bounded(&order(title)).unwrap().items[0].title.clone().unwrap();
        assert_eq!(stored("Té 茶 🍵, \"500 g\""), "Té 茶 🍵, \"500 g\"");
        assert_eq!(stored("a\0b\u{1b}[31m\u{85}c\td\r\ne"), "a\u{fffd}b\u{fffd}[31m\u{fffd}c d  e");
        assert!(matches!(bounded(&order("plain")), Ok(Cow::Borrowed(_))));
        let mut other = order("x");
        other.items[0].shipment_status = Some(Open::Other("gone\0".into()));
        assert_eq!(bounded(&other).unwrap().items[0].shipment_status, Some(Open::Other("gone\u{fffd}".into())));
    }

    #[test]
    fn a_text_that_is_too_long_is_refused_and_not_cut() {
        assert!(bounded(&order(&"x".repeat(LONGEST_TEXT))).is_ok());
        assert_eq!(bounded(&order(&"x".repeat(LONGEST_TEXT + 1))), Err(OutOfBounds::Text));
        for id in ["", "a\0", &"1".repeat(LONGEST_ORDER_ID + 1)] {
            assert_eq!(bounded(&RetailerOrder { order_id: id.into(), ..order("x") }), Err(OutOfBounds::OrderId));
        }
        let many = vec![LineItem::default(); MOST_LINES + 1];
        assert_eq!(bounded(&RetailerOrder { items: many, ..order("x") }), Err(OutOfBounds::Lines));
    }

    #[test]
    fn what_is_shown_of_a_text_is_short_and_plain() {
        assert_eq!(shown("N\0-1"), "N\u{fffd}-1");
        assert_eq!(shown(&"\0".repeat(1_000)).len(), 255);
        assert_eq!(shown("12345"), "12345");
    }
}
