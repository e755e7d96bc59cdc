//! The export as JSON: an array of the items as the service gave them, one to a line; or the lines alone.

use std::io::Write;

use serde_json::Value;

use super::Sink;
use crate::error::{Error, Result};

/// Writes JSON.
pub struct JsonSink<W> {
    writer: W,
    fail: fn(&std::io::Error) -> Error,
    is_array: bool,
    is_empty: bool,
}

impl<W: Write> JsonSink<W> {
    /// Writes an array to `writer`; `fail` turns its errors into ours.
    pub const fn new(writer: W, fail: fn(&std::io::Error) -> Error) -> Self {
        Self { writer, fail, is_array: true, is_empty: true }
    }

    /// The same with an item to a line and nothing around them.
    pub const fn lines(writer: W, fail: fn(&std::io::Error) -> Error) -> Self {
        Self { writer, fail, is_array: false, is_empty: true }
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.writer.write_all(text.as_bytes()).map_err(|why| (self.fail)(&why))
    }
}

impl<W: Write> Sink for JsonSink<W> {
    fn begin(&mut self) -> Result<()> {
        if self.is_array { self.write("[") } else { Ok(()) }
    }

    fn row(&mut self, row: Value) -> Result<()> {
        if !self.is_array {
            return self.write(&format!("{row}\n"));
        }
        let separator = if self.is_empty { "\n" } else { ",\n" };
        self.is_empty = false;
        self.write(&format!("{separator}{row}"))
    }

    fn flush(&mut self) -> Result<()> {
        self.writer.flush().map_err(|why| (self.fail)(&why))
    }

    fn end(&mut self) -> Result<()> {
        if self.is_array {
            self.write(if self.is_empty { "]\n" } else { "\n]\n" })?;
        }
        self.flush()
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
                sink.row(serde_json::from_str(row).expect("json")).expect("row");
            }
            sink.end().expect("end");
            let text = String::from_utf8(bytes).expect("text");
            assert_eq!(text.replace('\n', ""), format!("[{}]", rows.join(",")));
        }
    }
}
