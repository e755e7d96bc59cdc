//! The export as CSV: the specification's fourteen columns, quoted after RFC 4180, lines ended by a line feed, exactly as
//! the service writes them. A page is put together in one buffer that is used again for the next.

use std::borrow::Cow;
use std::io::Write;

use ordersync_api::{OrderItem, Timestamp};

use super::Sink;
use super::row::{Column, Row};
use crate::codes;
use crate::error::{Error, Result};

/// Writes CSV.
#[derive(Debug)]
pub struct CsvSink<W> {
    writer: W,
    fail: fn(&std::io::Error) -> Error,
    page: Vec<u8>,
    position: u64,
}

impl<W: Write> CsvSink<W> {
    /// Writes to `writer`; `fail` turns its errors into ours.
    pub const fn new(writer: W, fail: fn(&std::io::Error) -> Error) -> Self {
        Self { writer, fail, page: Vec::new(), position: 0 }
    }

    /// What it wrote to.
    pub fn into_inner(self) -> W {
        self.writer
    }

    fn write_page(&mut self) -> Result<()> {
        self.writer.write_all(&self.page).map_err(|why| (self.fail)(&why))?;
        self.position += self.page.len() as u64;
        self.page.clear();
        Ok(())
    }
}

impl<W: Write + Send> Sink for CsvSink<W> {
    fn begin(&mut self) -> Result<()> {
        for (index, title) in Column::ALL.iter().filter_map(|column| column.title()).enumerate() {
            separate(&mut self.page, index);
            push_field(&mut self.page, title);
        }
        self.page.push(b'\n');
        self.write_page()
    }

    fn resume(&mut self, position: u64, _: u64) -> Result<()> {
        self.position = position;
        Ok(())
    }

    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        for row in rows {
            let columns = Column::ALL.iter().filter(|column| column.title().is_some());
            for (index, column) in columns.enumerate() {
                separate(&mut self.page, index);
                push_field(&mut self.page, &cell(row, *column)?);
            }
            self.page.push(b'\n');
        }
        self.write_page()
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(|why| (self.fail)(&why))
    }

    fn end(&mut self) -> Result<()> {
        self.flush()
    }

    fn position(&self) -> Option<u64> {
        Some(self.position)
    }
}

/// What stands in a column: dates in UTC, decimals written out, digit by digit.
///
/// # Errors
/// Where a number is none.
pub fn cell<'a>(row: &'a Row<'_>, column: Column) -> Result<Cow<'a, str>> {
    let Some(text) = row.text(column) else { return Ok("".into()) };
    match column {
        Column::OrderDate if !is_in_utc(text) => {
            Ok(text.parse::<Timestamp>().map_or(text.into(), |date| date.to_string().into()))
        }
        Column::Quantity | Column::Price | Column::OrderTotal if !is_plain(text) => {
            let item: OrderItem = serde_json::from_str(row.raw()).map_err(|why| {
                Error::of(&codes::network::UNEXPECTED_ANSWER, format!("An item cannot be understood: {why}."))
            })?;
            let decimal = match column {
                Column::Quantity => item.quantity,
                Column::Price => item.price,
                _ => item.order_total,
            };
            Ok(decimal.map(|decimal| decimal.to_string()).unwrap_or_default().into())
        }
        _ => Ok(text.into()),
    }
}

/// `2025-10-16T13:50:00Z`: the most usual form needs no work.
fn is_in_utc(text: &str) -> bool {
    text.len() == 20 && text.ends_with('Z') && text.as_bytes().get(10) == Some(&b'T')
}

fn is_plain(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let first_is_digit =
        digits.first().is_some_and(u8::is_ascii_digit) && digits.last().is_some_and(u8::is_ascii_digit);
    // Longer ones may not fit a decimal, which has to be told.
    first_is_digit
        && digits.len() <= 28
        && digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
        && digits.iter().filter(|byte| **byte == b'.').count() <= 1
}

fn separate(line: &mut Vec<u8>, index: usize) {
    if index > 0 {
        line.push(b',');
    }
}

fn push_field(line: &mut Vec<u8>, field: &str) {
    let bytes = field.as_bytes();
    if !bytes.iter().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
        return line.extend_from_slice(bytes);
    }
    line.push(b'"');
    for byte in bytes {
        if *byte == b'"' {
            line.push(b'"');
        }
        line.push(*byte);
    }
    line.push(b'"');
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
        sink.rows(&[Row::read(row).expect("json")]).expect("row");
        sink.end().expect("end");
        assert!(sink.rows(&[Row::read(r#"{"id":1,"price":"much"}"#).expect("json")]).is_err());
        assert_eq!(sink.position(), Some(bytes.len() as u64));
        assert_eq!(
            String::from_utf8(bytes).expect("text"),
            "Retailer,Retailer Order ID,Order Date,Item Name,Brand,Dept,Category,SubCategory,SKU,Quantity,Price,\
             Currency,Shipment Status,Order Total\n\
             \"A, B\",7,2025-10-16T13:50:00Z,\"27\"\" screen\",,,,,,1.50,1430.71,,on its way,\n"
        );
    }
}
