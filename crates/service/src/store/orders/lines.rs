//! Line items as the table holds them: their numbers, and what is served of them.

use chrono::{DateTime, Utc};
use ordersync_api::{Open, OrderItem, Timestamp};

use crate::connector::{LineItem, RetailerOrder};
use crate::domain::matching::Candidate;
use crate::store::db::query;
use crate::store::{StoreError, Write, micros, time};

/// How many bits of a line's number say which of its order's lines it is; those above are the order's number. The
/// migration says the same.
pub(in crate::store) const LINE_BITS: u32 = 20;

/// A line that is to be stored, but for what is served of it.
pub(in crate::store) struct NewLine {
    /// Its number: see [`LINE_BITS`].
    pub(in crate::store) item: i64,
    pub(in crate::store) id: String,
    pub(in crate::store) keys: Keys,
    pub(in crate::store) sort_key: i64,
    pub(in crate::store) content: Vec<u8>,
}

/// How a stored line is found again when its order is read.
#[derive(Debug, Default)]
pub(in crate::store) struct Keys {
    /// Its key, if that is not its id.
    pub(in crate::store) line_key: Option<String>,
    /// The retailer's own id of it, in an order that a file has: a later file may tell of other lines.
    pub(in crate::store) line_id: Option<String>,
}

impl Keys {
    pub(in crate::store) fn new(key: &str, id: &str, order: &RetailerOrder, line: &LineItem) -> Self {
        let line_id = if order.sources.is_empty() { None } else { line.line_id.clone() };
        Self { line_key: (key != id).then(|| key.to_owned()), line_id }
    }
}

/// The number of the first line of the order of this number.
pub(in crate::store) const fn first_item(order_number: i64) -> i64 {
    order_number << LINE_BITS
}

/// What is served of a line.
pub(in crate::store) fn parse(document: &str) -> Result<OrderItem, StoreError> {
    serde_json::from_str(document).map_err(|_| StoreError::Corrupt("line item"))
}

/// A stored line as it is compared with those that were read.
pub(in crate::store) fn candidate_of<'a>(key: &'a str, item: &'a OrderItem) -> Candidate<'a> {
    let money = (item.price, item.line_total);
    Candidate::stored(key, item.item_name.as_deref(), item.retailer_sku.as_deref(), item.quantity, money)
}

/// A time as the store can hold it: in whole microseconds.
pub(in crate::store) fn storable(at: DateTime<Utc>) -> Result<Open<Timestamp>, StoreError> {
    time(micros(at)).map(|at| Open::Known(Timestamp(at)))
}

/// Says that the list of the connection's items is another one.
pub(in crate::store) async fn raise_list_version(tx: &mut Write, connection_id: &str) -> Result<(), StoreError> {
    query("UPDATE connections SET list_version = list_version + 1 WHERE id = $1")
        .bind(connection_id)
        .run(&mut *tx)
        .await
}
