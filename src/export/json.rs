//! The export as JSON: an array of the items as the service gave them, one to a line; or the lines alone.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;

use serde_json::Value;
use serde_json::value::RawValue;

use super::Sink;
use super::row::{Column, Row};
use crate::errors::{Error, Result, codes};

/// Writes JSON.
#[derive(Debug)]
pub(crate) struct JsonSink<W> {
    writer: W,
    fail: fn(&std::io::Error) -> Error,
    page: Vec<u8>,
    position: u64,
    is_array: bool,
    columns: Option<Vec<Column>>,
    is_empty: bool,
}

impl<W: Write> JsonSink<W> {
    /// Writes an array to `writer`; `fail` turns its errors into ours.
    pub(crate) const fn new(writer: W, fail: fn(&std::io::Error) -> Error) -> Self {
        Self { writer, fail, page: Vec::new(), position: 0, columns: None, is_array: true, is_empty: true }
    }

    /// JSON Lines: an item to a line.
    pub(crate) const fn lines(writer: W, fail: fn(&std::io::Error) -> Error) -> Self {
        Self { writer, fail, page: Vec::new(), position: 0, columns: None, is_array: false, is_empty: true }
    }

    /// With these fields alone, in this order; what an item lacks is null.
    pub(crate) fn columns(self, columns: Option<Vec<Column>>) -> Self {
        Self { columns, ..self }
    }

    fn write_page(&mut self) -> Result<()> {
        self.writer.write_all(&self.page).map_err(|why| (self.fail)(&why))?;
        self.position += self.page.len() as u64;
        self.page.clear();
        Ok(())
    }
}

impl<W: Write + Send> Sink for JsonSink<W> {
    fn begin(&mut self) -> Result<()> {
        if self.is_array {
            self.page.push(b'[');
        }
        self.write_page()
    }

    fn resume(&mut self, position: u64, _: u64) -> Result<()> {
        self.position = position;
        // Nothing, or the bracket that opens the array.
        self.is_empty = position <= 1;
        Ok(())
    }

    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        for row in rows {
            if self.is_array {
                self.page.extend_from_slice(if self.is_empty { b"\n" } else { b",\n" });
                self.is_empty = false;
            }
            match &self.columns {
                Some(columns) => push_line(&mut self.page, &selected(row, columns)?),
                None => push_line(&mut self.page, &row.document()),
            }
            if !self.is_array {
                self.page.push(b'\n');
            }
        }
        self.write_page()
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(|why| (self.fail)(&why))
    }

    fn end(&mut self) -> Result<()> {
        if self.is_array {
            self.page.extend_from_slice(if self.is_empty { b"]\n" } else { b"\n]\n" });
        }
        self.write_page()?;
        self.flush()
    }

    fn position(&self) -> Option<u64> {
        Some(self.position)
    }
}

/// The item with these fields alone, each as received.
fn selected(row: &Row<'_>, columns: &[Column]) -> Result<String> {
    let document = row.document();
    let fields: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(&document).map_err(|why| {
        Error::of(&codes::network::UNEXPECTED_ANSWER, format!("An item cannot be understood: {why}."))
    })?;
    let mut text = String::from("{");
    for (index, column) in columns.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let value = fields.get(column.name()).map_or("null", |value| value.get());
        text.push_str(&format!("{separator}\"{}\":{value}", column.name()));
    }
    text.push('}');
    Ok(text)
}

/// The item in one line: a service may spread it over several.
fn push_line(page: &mut Vec<u8>, raw: &str) {
    match raw.contains(['\n', '\r']).then(|| serde_json::from_str::<Value>(raw)) {
        Some(Ok(value)) => page.extend_from_slice(value.to_string().as_bytes()),
        _ => page.extend_from_slice(raw.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_written_as_they_came() {
        for rows in [vec![], vec![r#"{"id":1,"price":12.50}"#], vec![r#"{"id":"a"}"#, r#"{"b":null,"id":2}"#]] {
            let mut bytes = Vec::new();
            let mut sink = JsonSink::new(&mut bytes, crate::output::write_error);
            sink.begin().expect("begin");
            for row in &rows {
                sink.rows(&[Row::read(row).expect("json")]).expect("row");
            }
            sink.end().expect("end");
            let text = String::from_utf8(bytes).expect("text");
            assert_eq!(text.replace('\n', ""), format!("[{}]", rows.join(",")));
        }
    }
}
