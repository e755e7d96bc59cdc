//! The export as CSV: the specification's fourteen columns, quoted after RFC 4180, lines ended by a line feed, exactly as
//! the service writes them. A page is put together in one buffer that is used again for the next.

use std::borrow::Cow;
use std::io::Write;

use ordersync_api::{OrderItem, Timestamp};

use super::columns::{self, heading};
use super::row::{Column, Row};
use super::{Sink, excel};
use crate::codes;
use crate::error::{Error, Result};

/// Writes CSV.
#[derive(Debug)]
pub(crate) struct CsvSink<W> {
    writer: W,
    fail: fn(&std::io::Error) -> Error,
    page: Vec<u8>,
    position: u64,
    columns: Vec<Column>,
    excel_safe: bool,
}

impl<W: Write> CsvSink<W> {
    /// Writes to `writer`; `fail` turns its errors into ours.
    pub(crate) fn new(writer: W, fail: fn(&std::io::Error) -> Error) -> Self {
        Self { writer, fail, page: Vec::new(), position: 0, columns: columns::specified(), excel_safe: false }
    }

    /// With these columns.
    #[must_use]
    pub(crate) fn columns(self, columns: Vec<Column>) -> Self {
        Self { columns, ..self }
    }

    /// As Excel has to be given it.
    #[must_use]
    pub(crate) fn excel_safe(self, excel_safe: bool) -> Self {
        Self { excel_safe, ..self }
    }

    fn end_line(&mut self) {
        self.page.extend_from_slice(if self.excel_safe { b"\r\n" } else { b"\n" });
    }

    /// What it wrote to.
    pub(crate) fn into_inner(self) -> W {
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
        if self.excel_safe {
            self.page.extend_from_slice(excel::BYTE_ORDER_MARK.as_bytes());
        }
        for (index, column) in self.columns.iter().enumerate() {
            separate(&mut self.page, index);
            push_field(&mut self.page, heading(*column));
        }
        self.end_line();
        self.write_page()
    }

    fn resume(&mut self, position: u64, _: u64) -> Result<()> {
        self.position = position;
        Ok(())
    }

    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        for row in rows {
            for (index, column) in self.columns.iter().enumerate() {
                separate(&mut self.page, index);
                let cell = cell(row, *column)?;
                push_field(&mut self.page, &if self.excel_safe { excel::safe(*column, cell) } else { cell });
            }
            self.end_line();
        }
        self.write_page()
    }

    fn takes_lines(&self) -> bool {
        !self.excel_safe && self.columns == columns::specified()
    }

    fn lines(&mut self, lines: &[u8]) -> Result<()> {
        self.writer.write_all(lines).map_err(|why| (self.fail)(&why))?;
        self.position += lines.len() as u64;
        Ok(())
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

/// The text in a column: dates in UTC, decimals written out, digit by digit.
///
/// # Errors
///
/// If a number is not valid.
pub(crate) fn cell<'a>(row: &'a Row<'_>, column: Column) -> Result<Cow<'a, str>> {
    let Some(text) = row.text(column) else { return Ok("".into()) };
    match column {
        Column::OrderDate | Column::MissingSince | Column::UpdatedAt if !is_in_utc(text) => {
            Ok(text.parse::<Timestamp>().map_or(text.into(), |date| date.to_string().into()))
        }
        Column::Quantity | Column::Price | Column::LineTotal | Column::OrderTotal if !is_plain(text) => {
            let item: OrderItem = serde_json::from_str(row.raw()).map_err(|why| {
                Error::of(&codes::network::UNEXPECTED_ANSWER, format!("An item cannot be understood: {why}."))
            })?;
            let decimal = match column {
                Column::Quantity => item.quantity,
                Column::Price => item.price,
                Column::LineTotal => item.line_total,
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
    // Longer ones may not fit a decimal, which has to be reported.
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
    // All of it is looked at, since that is faster than to end early.
    let is_special = |byte: &u8| matches!(byte, b',' | b'"' | b'\r' | b'\n');
    if !bytes.iter().fold(false, |found, byte| found | is_special(byte)) {
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

    #[test]
    fn each_amount_is_that_of_its_own_column() {
        let row = r#"{"id":1,"quantity":2e0,"price":3e0,"lineTotal":6e0,"orderTotal":9e0}"#;
        let row = Row::read(row).expect("json");
        let columns = [Column::Quantity, Column::Price, Column::LineTotal, Column::OrderTotal];
        assert_eq!(columns.map(|column| cell(&row, column).expect("a number").into_owned()), ["2", "3", "6", "9"]);
    }
}
