//! Line items in the forms in which they are served: a JSON document, and a line of the specification's CSV, quoted as in
//! RFC 4180 §2, ended by a line feed, dates in UTC, decimals as they are, unknown as empty.
//!
//! An item is written once, when it is stored, and from then on only copied.

use ordersync_api::OrderItem;
use ordersync_api::order::CSV_COLUMNS;

/// An item that cannot be written. None that a connector can give is such a one.
#[derive(Debug, thiserror::Error)]
#[error("a line item cannot be written")]
pub struct Unwritable;

/// An item, written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Its JSON.
    pub document: String,
    /// Its CSV, with the line's end.
    pub csv: String,
}

/// Writes items.
pub struct Renderer {
    csv: csv::Writer<Vec<u8>>,
}

impl Default for Renderer {
    fn default() -> Self {
        Self { csv: csv::Writer::from_writer(Vec::new()) }
    }
}

impl Renderer {
    /// Writes an item.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn render(&mut self, item: &OrderItem) -> Result<Rendered, Unwritable> {
        let document = serde_json::to_string(item).map_err(|_| Unwritable)?;
        let before = self.csv.get_ref().len();
        self.csv.write_record(record(item)).map_err(|_| Unwritable)?;
        self.csv.flush().map_err(|_| Unwritable)?;
        let line = self.csv.get_ref().get(before..).ok_or(Unwritable)?;
        Ok(Rendered { document, csv: String::from_utf8(line.to_vec()).map_err(|_| Unwritable)? })
    }
}

fn record(item: &OrderItem) -> [String; CSV_COLUMNS.len()] {
    fn shown<T: ToString>(value: Option<&T>) -> String {
        value.map(ToString::to_string).unwrap_or_default()
    }
    [
        shown(item.retailer_name.as_ref()),
        shown(item.order_id.as_ref()),
        shown(item.order_date.as_ref()),
        shown(item.item_name.as_ref()),
        shown(item.brand_name.as_ref()),
        shown(item.department.as_ref()),
        shown(item.category.as_ref()),
        shown(item.sub_category.as_ref()),
        shown(item.retailer_sku.as_ref()),
        shown(item.quantity.as_ref()),
        shown(item.price.as_ref()),
        shown(item.currency.as_ref()),
        shown(item.shipment_status.as_ref()),
        shown(item.order_total.as_ref()),
    ]
}
