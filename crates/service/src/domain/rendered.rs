//! Line items in the forms in which they are served: a JSON document, and a line of the specification's CSV, quoted as in
//! RFC 4180 §2, ended by a line feed, dates in UTC, decimals as they are, unknown as empty.
//!
//! An item is written once, when it is stored, and from then on only copied.

use std::fmt::{Display, Write as _};

use ordersync_api::OrderItem;
use ordersync_api::open::Id;

/// An item that cannot be written. None that a connector can give is such a one.
#[derive(Debug, thiserror::Error)]
#[error("a line item cannot be written")]
pub(crate) struct Unwritable;

/// An item, written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rendered {
    /// Its JSON.
    pub document: String,
    /// Its CSV, with the line's end.
    pub csv: String,
    /// The JSON list of its adjustments, if it has any: these are no part of the document.
    pub adjustments: Option<String>,
}

/// Writes items.
pub(crate) struct Renderer {
    csv: csv::Writer<Vec<u8>>,
    /// Where values are written before it is known whether they need quotes.
    shown: String,
}

impl Default for Renderer {
    fn default() -> Self {
        Self { csv: csv::Writer::from_writer(Vec::new()), shown: String::new() }
    }
}

impl Renderer {
    /// Writes an item.
    pub(crate) fn render(&mut self, item: &OrderItem) -> Result<Rendered, Unwritable> {
        let document = serde_json::to_string(item).map_err(|_| Unwritable)?;
        let before = self.csv.get_ref().len();
        self.write_record(item).map_err(|_| Unwritable)?;
        self.csv.flush().map_err(|_| Unwritable)?;
        let line = self.csv.get_ref().get(before..).ok_or(Unwritable)?;
        Ok(Rendered { document, csv: String::from_utf8(line.to_vec()).map_err(|_| Unwritable)?, adjustments: None })
    }

    fn write_record(&mut self, item: &OrderItem) -> csv::Result<()> {
        self.text(item.retailer_name.as_deref())?;
        self.text(item.order_id.as_ref().map(Id::as_str))?;
        self.value(item.order_date.as_ref())?;
        self.text(item.item_name.as_deref())?;
        self.text(item.brand_name.as_deref())?;
        self.text(item.department.as_deref())?;
        self.text(item.category.as_deref())?;
        self.text(item.sub_category.as_deref())?;
        self.text(item.retailer_sku.as_deref())?;
        self.value(item.quantity.as_ref())?;
        self.value(item.price.as_ref())?;
        self.text(item.currency.as_deref())?;
        self.value(item.shipment_status.as_ref())?;
        self.value(item.order_total.as_ref())?;
        self.csv.write_record(None::<&[u8]>)
    }

    fn text(&mut self, field: Option<&str>) -> csv::Result<()> {
        self.csv.write_field(field.unwrap_or_default())
    }

    fn value(&mut self, field: Option<&impl Display>) -> csv::Result<()> {
        self.shown.clear();
        if let Some(value) = field {
            // Writing to a string does not fail.
            let _ = write!(self.shown, "{value}");
        }
        self.csv.write_field(&self.shown)
    }
}
