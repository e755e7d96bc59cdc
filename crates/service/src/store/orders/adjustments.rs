//! Adjustments in the form in which they are stored and served: a JSON list of an order, and one of each line that has any.
//!
//! They are no part of a line's document, because they are served on request. Those of an order are `NULL` until they are
//! known: then nobody can say that it has none.

use ordersync_api::Adjustment;

use crate::domain::order::{LineItem, RetailerOrder};
use crate::store::StoreError;

/// Those of an order as a whole; `None`: not known.
pub(in crate::store) fn of_order(order: &RetailerOrder) -> Result<Option<String>, StoreError> {
    order.adjustments.as_deref().map(written).transpose()
}

/// Those of a line, if it has any.
pub(in crate::store) fn of_line(line: &LineItem) -> Result<Option<String>, StoreError> {
    if line.adjustments.is_empty() { Ok(None) } else { written(&line.adjustments).map(Some) }
}

fn written(adjustments: &[Adjustment]) -> Result<String, StoreError> {
    serde_json::to_string(adjustments).map_err(|_| StoreError::Corrupt("adjustment"))
}

/// The SQL of a line's document with its adjustments and those of its order; `line` is what the query calls the line.
pub(in crate::store) fn document_with(line: &str) -> String {
    // Digits are copied, and never read as a number.
    format!(
        "substr({line}.document, 1, length({line}.document) - 1) || ',' || COALESCE((
            SELECT '\"lineAdjustments\":' || COALESCE({line}.adjustments, '[]') || ',\"orderAdjustments\":' || o.adjustments
            FROM orders o
            WHERE o.user_id = {line}.user_id AND o.connection = {line}.connection AND o.number = {line}.item >> 20),
            '\"lineAdjustments\":null,\"orderAdjustments\":null') || '}}'"
    )
}
