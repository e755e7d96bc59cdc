//! The export as CSV: the specification's fourteen columns, quoted after RFC 4180, lines ended by a line feed, exactly as
//! the service writes them.

use std::io::Write;

use ordersync_api::OrderItem;
use ordersync_api::order::CSV_COLUMNS;
use serde_json::Value;

use super::Sink;
use crate::codes;
use crate::error::{Error, Result};

/// Writes CSV.
pub struct CsvSink<W> {
    writer: W,
    fail: fn(&std::io::Error) -> Error,
}

impl<W: Write> CsvSink<W> {
    /// Writes to `writer`; `fail` turns its errors into ours.
    pub const fn new(writer: W, fail: fn(&std::io::Error) -> Error) -> Self {
        Self { writer, fail }
    }

    fn record<'a>(&mut self, fields: impl Iterator<Item = std::borrow::Cow<'a, str>>) -> Result<()> {
        let mut line = String::new();
        for (index, field) in fields.enumerate() {
            if index > 0 {
                line.push(',');
            }
            push_field(&mut line, &field);
        }
        line.push('\n');
        self.writer.write_all(line.as_bytes()).map_err(|why| (self.fail)(&why))
    }
}

impl<W: Write> Sink for CsvSink<W> {
    fn begin(&mut self) -> Result<()> {
        self.record(CSV_COLUMNS.iter().map(|column| (*column).into()))
    }

    fn row(&mut self, row: Value) -> Result<()> {
        let item: OrderItem = serde_json::from_value(row).map_err(|why| {
            Error::of(&codes::network::UNEXPECTED_ANSWER, format!("An item cannot be understood: {why}."))
        })?;
        let text = |value: Option<String>| value.unwrap_or_default().into();
        self.record(
            [
                text(item.retailer_name),
                text(item.order_id.map(|id| id.0)),
                text(item.order_date.map(|date| date.to_string())),
                text(item.item_name),
                text(item.brand_name),
                text(item.department),
                text(item.category),
                text(item.sub_category),
                text(item.retailer_sku),
                text(item.quantity.map(|quantity| quantity.to_string())),
                text(item.price.map(|price| price.to_string())),
                text(item.currency),
                text(item.shipment_status.map(|status| status.to_string())),
                text(item.order_total.map(|total| total.to_string())),
            ]
            .into_iter(),
        )
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(|why| (self.fail)(&why))
    }

    fn end(&mut self) -> Result<()> {
        self.flush()
    }
}

fn push_field(line: &mut String, field: &str) {
    if field.contains([',', '"', '\r', '\n']) {
        line.push('"');
        line.push_str(&field.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be_and_decimals_keep_their_digits() {
        let mut bytes = Vec::new();
        let mut sink = CsvSink::new(&mut bytes, crate::output::write_error);
        sink.begin().expect("header");
        let row = r#"{"id":1,"retailerName":"A, B","orderId":7,"orderDate":"2025-10-16T15:50:00+02:00",
            "itemName":"27\" screen","quantity":1.50,"price":"1430.71","shipmentStatus":"on its way","orderTotal":null}"#;
        sink.row(serde_json::from_str(row).expect("json")).expect("row");
        sink.end().expect("end");
        assert_eq!(
            String::from_utf8(bytes).expect("text"),
            "Retailer,Retailer Order ID,Order Date,Item Name,Brand,Dept,Category,SubCategory,SKU,Quantity,Price,\
             Currency,Shipment Status,Order Total\n\
             \"A, B\",7,2025-10-16T13:50:00Z,\"27\"\" screen\",,,,,,1.50,1430.71,,on its way,\n"
        );
    }
}
