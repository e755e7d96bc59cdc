//! The export as CSV: the specification's fourteen columns, quoted after RFC 4180, lines ended by a line feed, exactly as
//! the service writes them. A page is put together in one buffer that is used again for the next.
//!
//! A NUL ends the text for programs that read the file, so it is written as its visible sign.

use std::borrow::Cow;
use std::io::Write;

use ordersync_api::order::Mismatch;
use ordersync_api::{Timestamp, exact};

use super::columns::{self, heading, is_decimal, is_time};
use super::row::{Column, Row};
use super::{Sink, excel};
use crate::errors::{Error, Result};
use crate::time_zone::TimeZone;

/// The sign for a NUL.
const NUL: &str = "␀";

/// How CSV is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// Between columns.
    pub delimiter: u8,
    /// Before the decimals of a number.
    pub decimal: u8,
    /// As Excel has to be given it.
    pub excel_safe: bool,
    /// Of the times that Excel is given without one.
    pub zone: TimeZone,
}

impl Default for Dialect {
    fn default() -> Self {
        Self { delimiter: b',', decimal: b'.', excel_safe: false, zone: TimeZone::UTC }
    }
}

/// Writes CSV.
#[derive(Debug)]
pub(crate) struct CsvSink<W> {
    writer: W,
    fail: fn(&std::io::Error) -> Error,
    page: Vec<u8>,
    position: u64,
    columns: Vec<Column>,
    dialect: Dialect,
}

impl<W: Write> CsvSink<W> {
    /// Writes to `writer`; `fail` turns its errors into ours.
    pub(crate) fn new(writer: W, fail: fn(&std::io::Error) -> Error) -> Self {
        Self { writer, fail, page: Vec::new(), position: 0, columns: columns::specified(), dialect: Dialect::default() }
    }

    /// With these columns.
    pub(crate) fn columns(self, columns: Vec<Column>) -> Self {
        Self { columns, ..self }
    }

    /// Written in this way.
    pub(crate) fn dialect(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    fn end_line(&mut self) {
        self.page.extend_from_slice(if self.dialect.excel_safe { b"\r\n" } else { b"\n" });
    }

    /// The field of a column, after those before it.
    fn push(&mut self, index: usize, field: &str) {
        if index > 0 {
            self.page.push(self.dialect.delimiter);
        }
        if field.is_empty() && self.columns.len() == 1 {
            // Readers skip an empty line.
            return self.page.extend_from_slice(b"\"\"");
        }
        push_field(&mut self.page, field, self.dialect.delimiter);
    }

    fn cell<'a>(&self, row: &'a Row<'_>, column: Column) -> Result<Cow<'a, str>> {
        let cell = cell(row, column)?;
        let cell = if self.dialect.decimal != b'.' && is_decimal(column) {
            cell.replace('.', char::from(self.dialect.decimal).encode_utf8(&mut [0; 4])).into()
        } else {
            cell
        };
        Ok(if self.dialect.excel_safe { excel::safe(column, cell, self.dialect.zone) } else { cell })
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
        if self.dialect.excel_safe {
            self.page.extend_from_slice(excel::BYTE_ORDER_MARK.as_bytes());
        }
        for (index, column) in self.columns.clone().into_iter().enumerate() {
            if self.dialect.excel_safe && is_time(column) {
                self.push(index, &format!("{} ({})", heading(column), self.dialect.zone.name()));
            } else {
                self.push(index, heading(column));
            }
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
            for index in 0..self.columns.len() {
                let cell = self.cell(row, self.columns[index])?;
                self.push(index, &cell);
            }
            self.end_line();
        }
        self.write_page()
    }

    fn takes_lines(&self) -> bool {
        self.dialect == Dialect::default() && self.columns == columns::specified()
    }

    fn lines(&mut self, lines: &[u8]) -> Result<()> {
        for (index, part) in lines.split(|byte| *byte == 0).enumerate() {
            if index > 0 {
                self.page.extend_from_slice(NUL.as_bytes());
            }
            self.page.extend_from_slice(part);
        }
        self.write_page()
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(|why| (self.fail)(&why))
    }

    fn position(&self) -> Option<u64> {
        Some(self.position)
    }
}

/// The text in a column: dates in UTC, decimals written out, digit by digit.
pub(crate) fn cell<'a>(row: &'a Row<'_>, column: Column) -> Result<Cow<'a, str>> {
    if matches!(column, Column::Carrier | Column::TrackingNumber) {
        return Ok(row.of_parcels(column).into());
    }
    let Some(text) = row.text(column) else { return Ok("".into()) };
    match column {
        Column::OrderDate | Column::MissingSince | Column::UpdatedAt if !is_in_utc(text) => {
            Ok(text.parse::<Timestamp>().map_or(text.into(), |date| date.to_string().into()))
        }
        Column::Quantity | Column::Price | Column::LineTotal | Column::OrderTotal if !is_plain(text) => {
            if text.is_empty() {
                return Ok("".into());
            }
            exact::parse(text).map(|decimal| decimal.to_string().into()).map_err(|why| row.unreadable(column, &why))
        }
        Column::Mismatch => Ok(mismatches(text).into()),
        _ => Ok(text.into()),
    }
}

/// `order_total: shown 83.12, computed 166.24; title`: the checks that failed, with their figures if they have any.
fn mismatches(text: &str) -> String {
    let Ok(all) = serde_json::from_str::<Vec<Mismatch>>(text) else { return text.to_owned() };
    let one = |Mismatch { check, shown, computed }: Mismatch| {
        let figures = [("shown", shown), ("computed", computed)];
        let figures = figures.iter().filter_map(|(name, figure)| Some(format!("{name} {}", figure.as_ref()?)));
        let figures = figures.collect::<Vec<_>>().join(", ");
        if figures.is_empty() { check } else { format!("{check}: {figures}") }
    };
    all.into_iter().map(one).collect::<Vec<_>>().join("; ")
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

fn push_field(line: &mut Vec<u8>, field: &str, delimiter: u8) {
    let bytes = field.as_bytes();
    // All of it is looked at, since that is faster than to end early.
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\r' | b'\n' | 0) || *byte == delimiter;
    if !bytes.iter().fold(false, |found, byte| found | is_special(byte)) {
        return line.extend_from_slice(bytes);
    }
    line.push(b'"');
    for byte in bytes {
        match byte {
            b'"' => line.extend_from_slice(b"\"\""),
            0 => line.extend_from_slice(NUL.as_bytes()),
            byte => line.push(*byte),
        }
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

    fn written(columns: &[Column], dialect: Dialect, rows: &[&str]) -> String {
        let mut bytes = Vec::new();
        let mut sink = CsvSink::new(&mut bytes, crate::output::write_error).columns(columns.to_vec()).dialect(dialect);
        sink.begin().expect("header");
        for row in rows {
            sink.rows(&[Row::read(row).expect("json")]).expect("row");
        }
        sink.lines(b"a,\0b\n").expect("a line");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn an_empty_only_field_is_no_empty_line_and_a_nul_is_seen() {
        let rows = [r#"{"id":1,"brandName":null}"#, r#"{"id":2,"brandName":"A\u0000B"}"#];
        let text = written(&[Column::BrandName], Dialect::default(), &rows);
        assert_eq!(text, "Brand\n\"\"\n\"A␀B\"\na,␀b\n");
    }

    #[test]
    fn decimals_and_delimiters_are_those_that_were_chosen() {
        let dialect = Dialect { delimiter: b';', decimal: b',', ..Dialect::default() };
        let row = r#"{"id":1,"itemName":"a;b, 1.5","price":1430.71,"quantity":"2"}"#;
        let text = written(&[Column::ItemName, Column::Price, Column::Quantity], dialect, &[row]);
        assert!(text.starts_with("Item Name;Price;Quantity\n\"a;b, 1.5\";1430,71;2\n"), "{text}");
        let excel = Dialect { excel_safe: true, ..dialect };
        let row = r#"{"id":1,"price":"12345678901234.56","quantity":"1.5"}"#;
        let text = written(&[Column::Price, Column::Quantity], excel, &[row]);
        assert!(text.contains("\"=\"\"12345678901234,56\"\"\";1,5\r\n"), "{text}");
    }

    #[test]
    fn what_does_not_agree_is_readable() {
        let row = r#"{"id":1,"mismatch":[{"check":"order_total","shown":83.12,"computed":"166.24"},{"check":"title","shown":null,"computed":null}]}"#;
        let row = Row::read(row).expect("json");
        assert_eq!(cell(&row, Column::Mismatch).expect("text"), "order_total: shown 83.12, computed 166.24; title");
    }

    #[test]
    fn parcels_have_a_column_for_carriers_and_one_for_their_numbers() {
        let row = r#"{"id":1,"shipments":[{"carrier":"UPS","trackingNumber":"1Z"},{"carrier":"UPS","trackingNumber":"007"},{"carrier":null,"trackingNumber":null}]}"#;
        let text = written(&[Column::Carrier, Column::TrackingNumber], Dialect::default(), &[row, r#"{"id":2}"#]);
        assert!(text.starts_with("carrier,trackingNumber\nUPS,1Z; 007\n,\n"), "{text}");
    }

    #[test]
    fn each_amount_is_that_of_its_own_column() {
        let row = r#"{"id":1,"quantity":2e0,"price":3e0,"lineTotal":6e0,"orderTotal":9e0}"#;
        let row = Row::read(row).expect("json");
        let columns = [Column::Quantity, Column::Price, Column::LineTotal, Column::OrderTotal];
        assert_eq!(columns.map(|column| cell(&row, column).expect("a number").into_owned()), ["2", "3", "6", "9"]);
    }
}
