//! The identity and the content of a line item.
//!
//! A line keeps its identity over syncs whatever the retailer changes about it: its own id where there is one, else the
//! SKU or the normalised title, and which occurrence of it this is within the order. Where the goods are is no part of it.

use std::collections::HashMap;
use std::fmt::Write as _;

use ordersync_api::Open;
use sha2::{Digest, Sha256};

use crate::connector::{LineItem, RetailerOrder};
use crate::ids::{id_from, sorts_alike};

/// A line with its identity and a digest of its content.
#[derive(Debug)]
pub struct IdentifiedLine<'a> {
    /// The identifier under which it is stored and served.
    pub id: String,
    /// Changes with anything that is served of the line.
    pub content: [u8; 32],
    /// The line.
    pub item: &'a LineItem,
}

/// The lines of an order with their identities, in the retailer's order.
#[must_use]
pub fn identify<'a>(connection_id: &str, retailer_name: &str, order: &'a RetailerOrder) -> Vec<IdentifiedLine<'a>> {
    let stems: Vec<String> = order.items.iter().map(key_stem).collect();
    let mut occurrences = HashMap::<&str, u32>::with_capacity(stems.len());
    let identified = stems.iter().zip(&order.items).map(|(stem, item)| {
        let occurrence = occurrences.entry(stem).or_default();
        *occurrence += 1;
        IdentifiedLine {
            id: line_id(connection_id, &order.order_id, stem, &occurrence.to_string()),
            content: content(retailer_name, order, item),
            item,
        }
    });
    identified.collect()
}

/// The id of a line. Items of one moment, such as those of one order, are listed by id. The upper half does not depend on
/// the connection, so that the same purchases are listed in the same order for every user, on every machine. Connections
/// made by versions that did not do this keep the ids that their items have.
fn line_id(connection_id: &str, order_id: &str, stem: &str, occurrence: &str) -> String {
    let of_connection = first_128_bits(&digest([connection_id, order_id, stem, occurrence].map(Some)));
    if !sorts_alike(connection_id) {
        return id_from("item", of_connection);
    }
    const LOWER: u128 = u64::MAX as u128;
    let of_line = first_128_bits(&digest([order_id, stem, occurrence].map(Some)));
    id_from("item", of_line & !LOWER | of_connection & LOWER)
}

fn key_stem(item: &LineItem) -> String {
    match (&item.line_id, &item.sku, &item.title) {
        (Some(id), _, _) => format!("id {id}"),
        (None, Some(sku), _) => format!("sku {sku}"),
        (None, None, Some(title)) => format!("title {}", normalised(title)),
        (None, None, None) => String::new(),
    }
}

/// Case and white space are presentation.
fn normalised(title: &str) -> String {
    title.split_whitespace().fold(String::with_capacity(title.len()), |mut text, word| {
        let _ = write!(text, "{}{}", if text.is_empty() { "" } else { " " }, word.to_lowercase());
        text
    })
}

fn content(retailer_name: &str, order: &RetailerOrder, item: &LineItem) -> [u8; 32] {
    let decimal = |value: Option<rust_decimal::Decimal>| value.map(|value| value.to_string());
    let placed_at = order.placed_at.map(|at| at.timestamp_micros().to_string());
    let status = item.shipment_status.as_ref().map(|status| match status {
        Open::Known(status) => status.as_str(),
        Open::Other(word) => word,
    });
    let (quantity, price, total) = (decimal(item.quantity), decimal(item.unit_price), decimal(order.total));
    digest([
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
    ])
}

/// SHA-256 over parts with their lengths, so that absent differs from empty and no part runs into the next.
fn digest<const N: usize>(parts: [Option<&str>; N]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        match part {
            None => hasher.update([0]),
            Some(text) => {
                hasher.update([1]);
                hasher.update((text.len() as u64).to_be_bytes());
                hasher.update(text.as_bytes());
            }
        }
    }
    hasher.finalize().into()
}

fn first_128_bits(digest: &[u8; 32]) -> u128 {
    let mut bits = [0; 16];
    bits.copy_from_slice(&digest[..16]);
    u128::from_be_bytes(bits)
}

#[cfg(test)]
mod tests {
    use ordersync_api::ShipmentStatus;

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
            total: None,
            currency: None,
            mismatch: Vec::new(),
            items,
        }
    }

    #[test]
    fn two_lines_of_one_title_are_two_lines() {
        let ids = ids(vec![line("Tea"), line(" tea "), line("Salt")]);
        assert_eq!(ids.iter().collect::<std::collections::HashSet<_>>().len(), 3);
    }

    #[test]
    fn a_connection_of_before_keeps_its_ids_and_those_of_new_ones_sort_alike() {
        let items = || (0..40).map(|number| line(&format!("Tea {number}"))).collect::<Vec<_>>();
        let ids = |connection: &str| -> Vec<String> {
            identify(connection, "Shop", &order(items())).into_iter().map(|line| line.id).collect()
        };
        let ranks = |ids: &[String]| -> Vec<usize> {
            ids.iter().map(|id| ids.iter().filter(|other| *other < id).count()).collect()
        };
        // Pinned: what a store of an earlier version holds has to be found again.
        assert_eq!(ids("conn_1")[0], "item_1bnm4cksqnremqk7q2f023qdck");
        let (one, other) = ("conn_8000000000000000000000000a", "conn_f000000000000000000000000b");
        assert_eq!(ranks(&ids(one)), ranks(&ids(other)));
        assert_ne!(ranks(&ids(one)), ranks(&ids("conn_0000000000000000000000000a")));
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
