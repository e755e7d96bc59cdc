//! The identity and the content of a line item.
//!
//! A line's key is made from the retailer's own id of the line if there is one, else from the SKU or the normalised title,
//! and from which occurrence of it this is within the order. The key of a new line becomes its id. A line whose title, SKU
//! or price is corrected later keeps that id: see [`super::matching`]. The shipment status is no part of the identity.

use std::collections::HashMap;
use std::fmt::Write as _;

use ordersync_api::Open;
use rust_decimal::Decimal;
use sha2::{Digest, Sha256};

use crate::domain::order::{LineItem, RetailerOrder};
use crate::ids::id_from;

/// Bytes of the digest of what the line itself is.
const PURCHASE: usize = 32;
/// Bytes of the digest of what its place and its figures are: line total, mismatches and the line's number.
const PLACE: usize = 16;

/// A line with its key and a digest of its content.
#[derive(Debug)]
pub(crate) struct IdentifiedLine<'a> {
    /// The line's key, under which it is stored and served if it is new.
    pub id: String,
    /// Its position in the order, from 1.
    pub number: u32,
    /// Changes with anything that is served of the line.
    pub content: Content,
    pub item: &'a LineItem,
}

/// A digest of what is served of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Content([u8; PURCHASE + PLACE]);

impl Content {
    /// The digest of the line of this order that has this number.
    pub(crate) fn of(retailer_name: &str, order: &RetailerOrder, item: &LineItem, number: u32) -> Self {
        let mut digest = [0; PURCHASE + PLACE];
        let (purchase, place) = digest.split_at_mut(PURCHASE);
        purchase.copy_from_slice(&purchase_digest(retailer_name, order, item));
        place.copy_from_slice(&place_digest(order, item, number)[..PLACE]);
        Self(digest)
    }

    /// As it is stored.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// How a stored digest compares with this one.
    pub(crate) fn compare(&self, stored: &[u8]) -> Comparison {
        if stored == self.0 {
            Comparison::Same
        } else if stored.get(..PURCHASE) == self.0.get(..PURCHASE) {
            Comparison::PlaceDiffers
        } else {
            Comparison::Different
        }
    }
}

/// How the stored content of a line compares with what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// Nothing changed.
    Same,
    /// The line total, the mismatches or the line's number differ, and nothing else.
    PlaceDiffers,
    /// Something else changed.
    Different,
}

/// The lines of an order with their keys, in the retailer's order.
pub(crate) fn identify<'a>(
    connection_id: &str,
    retailer_name: &str,
    order: &'a RetailerOrder,
) -> Vec<IdentifiedLine<'a>> {
    let identified = stems(order).into_iter().zip(&order.items).zip(1..).map(|(((stem, occurrence), item), number)| {
        IdentifiedLine {
            id: line_id(connection_id, &order.order_id, &stem, &occurrence.to_string()),
            number,
            content: Content::of(retailer_name, order, item, number),
            item,
        }
    });
    identified.collect()
}

/// Keys that tell the lines of an order apart, in the retailer's order. Two readings of an order have equal keys.
pub(crate) fn keys(order: &RetailerOrder) -> Vec<String> {
    stems(order).into_iter().map(|(stem, occurrence)| format!("{occurrence} {stem}")).collect()
}

/// For each line, a text that lines of the same article share, and how many lines up to it have that text.
fn stems(order: &RetailerOrder) -> Vec<(String, u32)> {
    let mut occurrences = HashMap::<String, u32>::with_capacity(order.items.len());
    let stem = |item| {
        let stem = key_stem(item);
        let occurrence = occurrences.entry(stem.clone()).or_default();
        *occurrence += 1;
        (stem, *occurrence)
    };
    order.items.iter().map(stem).collect()
}

/// The id of a line. Items of one moment, such as those of one order, are listed by id. The upper half does not depend on
/// the connection, so that the same purchases are listed in the same order for every user, on every machine.
fn line_id(connection_id: &str, order_id: &str, stem: &str, occurrence: &str) -> String {
    let of_connection = first_128_bits(&digest([connection_id, order_id, stem, occurrence].map(Some)));
    const LOWER: u128 = u64::MAX as u128;
    let of_line = first_128_bits(&digest([order_id, stem, occurrence].map(Some)));
    id_from("item", of_line & !LOWER | of_connection & LOWER)
}

/// The id of a new line whose key is another line's id already. `number` is the line's own in the store.
pub(crate) fn other_id(key: &str, number: i64) -> String {
    id_from("item", first_128_bits(&digest([Some(key), Some(&number.to_string())])))
}

/// Whether the line's key says only which occurrence of its title or SKU it is, so that it can pass to another line of the
/// same title when lines move or go.
pub(crate) fn is_numbered(item: &LineItem) -> bool {
    let Some(line_id) = &item.line_id else { return true };
    let number = item.title.as_ref().and_then(|title| line_id.strip_prefix(title.as_str())?.strip_prefix('#'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn key_stem(item: &LineItem) -> String {
    match (&item.line_id, &item.sku, &item.title) {
        (Some(id), _, _) => format!("id {id}"),
        (None, Some(sku), _) => format!("sku {sku}"),
        (None, None, Some(title)) => format!("title {}", normalised(title)),
        (None, None, None) => String::new(),
    }
}

/// The title without differences of case and white space, which are presentation.
pub(super) fn normalised(title: &str) -> String {
    title.split_whitespace().fold(String::with_capacity(title.len()), |mut text, word| {
        let _ = write!(text, "{}{}", if text.is_empty() { "" } else { " " }, word.to_lowercase());
        text
    })
}

fn purchase_digest(retailer_name: &str, order: &RetailerOrder, item: &LineItem) -> [u8; PURCHASE] {
    let decimal = |value: Option<Decimal>| value.map(|value| value.to_string());
    let placed_at = order.placed_at.map(|at| at.timestamp_micros().to_string());
    let status = item.shipment_status.as_ref().map(|status| match status {
        Open::Known(status) => status.as_str(),
        Open::Other(word) => word,
    });
    let (quantity, price, total) = (decimal(item.quantity), decimal(item.unit_price), decimal(order.total));
    let parcels = item.shipments.iter().flat_map(|parcel| [&parcel.carrier, &parcel.tracking_number]);
    let texts = [
        Some(retailer_name),
        placed_at.as_deref(),
        total.as_deref(),
        order.currency.as_deref(),
        item.title.as_deref(),
        item.brand.as_deref(),
        item.department.as_deref(),
        item.category.as_deref(),
        item.sub_category.as_deref(),
        item.sku.as_deref(),
        quantity.as_deref(),
        price.as_deref(),
        status,
        item.shipment_text.as_deref(),
    ];
    let seller = item.seller.as_deref().map(Some);
    digest(texts.into_iter().chain(parcels.map(Option::as_deref)).chain(seller))
}

fn place_digest(order: &RetailerOrder, item: &LineItem, number: u32) -> [u8; 32] {
    let mut hasher = Sha256::new();
    let decimal = |hasher: &mut Sha256, value: Option<Decimal>| {
        feed(hasher, value.map(|value| value.to_string()).as_deref());
    };
    decimal(&mut hasher, item.line_total);
    for mismatch in &order.mismatch {
        feed(&mut hasher, Some(&mismatch.check));
        decimal(&mut hasher, mismatch.shown);
        decimal(&mut hasher, mismatch.computed);
    }
    hasher.update(number.to_be_bytes());
    hasher.update([u8::from(order.is_day_alone)]);
    for source in &order.sources {
        feed(&mut hasher, Some(source));
    }
    hasher.finalize().into()
}

/// SHA-256 over parts with their lengths, so that absent differs from empty and no part runs into the next.
fn digest<'a>(parts: impl IntoIterator<Item = Option<&'a str>>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        feed(&mut hasher, part);
    }
    hasher.finalize().into()
}

fn feed(hasher: &mut Sha256, part: Option<&str>) {
    match part {
        None => hasher.update([0]),
        Some(text) => {
            hasher.update([1]);
            hasher.update((text.len() as u64).to_be_bytes());
            hasher.update(text.as_bytes());
        }
    }
}

fn first_128_bits(digest: &[u8; 32]) -> u128 {
    let mut bits = [0; 16];
    bits.copy_from_slice(&digest[..16]);
    u128::from_be_bytes(bits)
}

#[cfg(test)]
mod tests {
    use ordersync_api::ShipmentStatus;
    use ordersync_api::order::Shipment;

    use super::*;

    fn line(title: &str) -> LineItem {
        LineItem { title: Some(title.into()), ..LineItem::default() }
    }

    fn ids(items: Vec<LineItem>) -> Vec<String> {
        identify("conn_1", "Shop", &order(items)).into_iter().map(|line| line.id).collect()
    }

    fn order(items: Vec<LineItem>) -> RetailerOrder {
        RetailerOrder {
            order_id: "1".into(),
            fingerprint: None,
            placed_at: None,
            is_day_alone: false,
            sources: Vec::new(),
            stated_at: None,
            total: None,
            currency: None,
            mismatch: Vec::new(),
            adjustments: None,
            items,
        }
    }

    #[test]
    fn two_lines_of_one_title_are_two_lines() {
        let ids = ids(vec![line("Tea"), line(" tea "), line("Salt")]);
        assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), 3);
    }

    #[test]
    fn ids_of_two_connections_sort_alike_and_differ() {
        let items = || (0..40).map(|number| line(&format!("Tea {number}"))).collect::<Vec<_>>();
        let ids = |connection: &str| -> Vec<String> {
            identify(connection, "Shop", &order(items())).into_iter().map(|line| line.id).collect()
        };
        let ranks = |ids: &[String]| -> Vec<usize> {
            ids.iter().map(|id| ids.iter().filter(|other| *other < id).count()).collect()
        };
        let (one, other) = ("conn_1", "conn_2");
        assert_eq!(ranks(&ids(one)), ranks(&ids(other)));
        let all: std::collections::HashSet<String> = ids(one).into_iter().chain(ids(other)).collect();
        assert_eq!(all.len(), 80);
    }

    #[test]
    fn a_line_stays_the_same_line_when_it_is_shipped_and_its_content_changes() {
        let shipped = LineItem { shipment_status: Some(ShipmentStatus::Shipped.into()), ..line("Tea") };
        assert_eq!(ids(vec![line("Tea")]), ids(vec![shipped.clone()]));
        let content = |item| identify("conn_1", "Shop", &order(vec![item]))[0].content;
        assert_eq!(content(line("Tea")), content(line("Tea")));
        assert_ne!(content(line("Tea")), content(shipped));
        let parcel = Shipment { carrier: None, tracking_number: Some("1Z".into()) };
        let sent = LineItem { shipments: vec![parcel], ..line("Tea") };
        assert_eq!(content(sent).compare(content(line("Tea")).bytes()), Comparison::Different);
    }

    #[test]
    fn a_line_total_or_a_mismatch_is_told_from_another_purchase() {
        let content = |order: &RetailerOrder| identify("conn_1", "Shop", order)[0].content;
        let before = order(vec![line("Tea")]);
        let stored = content(&before);
        let filled = order(vec![LineItem { line_total: Some(Decimal::ONE), ..line("Tea") }]);
        assert_eq!(content(&filled).compare(stored.bytes()), Comparison::PlaceDiffers);
        assert_eq!(content(&before).compare(stored.bytes()), Comparison::Same);
        let mismatch = ordersync_api::order::Mismatch { check: "order_total".into(), shown: None, computed: None };
        let marked = RetailerOrder { mismatch: vec![mismatch], ..before };
        assert_eq!(content(&marked).compare(stored.bytes()), Comparison::PlaceDiffers);
        assert_eq!(content(&order(vec![line("Salt")])).compare(stored.bytes()), Comparison::Different);
    }

    /// If these change, every stored row looks changed.
    #[test]
    fn ids_and_digests_stay_as_they_are() {
        let mut order = order(vec![LineItem { sku: Some("A-1".into()), quantity: Some(Decimal::TWO), ..line("Tea") }]);
        order.total = Some(Decimal::new(1_250, 2));
        let line = &identify("conn_1", "Shop", &order)[0];
        let hex: String = line.content.bytes()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((line.id.as_str(), hex.as_str()), ("item_42ccm6qv6k6034rr8bfzqvft0p", "5852df5c4ab54d6a"));
    }

    #[test]
    fn a_key_made_of_the_title_and_a_number_is_no_id_of_the_retailers() {
        let with = |line_id: Option<&str>| LineItem { line_id: line_id.map(Into::into), ..line("Tea") };
        assert!(is_numbered(&with(None)) && is_numbered(&with(Some("Tea#12"))));
        assert!(["7", "Tea#", "Tea#1a", "Tea", "Salt#1"].iter().all(|id| !is_numbered(&with(Some(id)))));
    }

    #[test]
    fn the_retailers_own_id_goes_before_sku_and_sku_before_title() {
        let with = |line_id: Option<&str>, sku: Option<&str>, title| {
            ids(vec![LineItem { line_id: line_id.map(Into::into), sku: sku.map(Into::into), ..line(title) }])
        };
        assert_eq!(with(Some("7"), Some("A"), "Tea"), with(Some("7"), Some("B"), "Salt"));
        assert_eq!(with(None, Some("A"), "Tea"), with(None, Some("A"), "Salt"));
        assert_ne!(with(None, Some("A"), "Tea"), with(None, None, "A"));
    }
}
