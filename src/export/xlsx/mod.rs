//! The export as a workbook for Excel: typed cells, a header that stays in sight, as many sheets as it takes. Nothing is
//! rounded or cut; memory stays flat.
//!
//! Source: ECMA-376, part 1 (SpreadsheetML) and part 2 (packages).

mod book;
mod cell;

use std::io::{self, Write};

use super::zip::Package;

use super::Sink;
use super::columns::workbook_heading;
use super::csv;
use super::row::{Column, Row};
use crate::errors::{Error, Result};
use crate::time_zone::TimeZone;

/// A sheet of Excel has 1,048,576 rows, of which the header is one.
const ROWS: u32 = 1_048_575;
/// Bytes buffered before compression.
const BYTES: usize = 1 << 16;

/// Writes a workbook.
pub(crate) struct XlsxSink {
    package: Package,
    columns: Vec<Column>,
    zone: TimeZone,
    /// Rows that fit a sheet, beside the header.
    room: u32,
    sheets: u32,
    /// Rows of this sheet, beside the header.
    rows: u32,
    page: Vec<u8>,
}

impl XlsxSink {
    /// Writes to `writer`; `fail` turns its errors into ours.
    pub(crate) fn new<W: Write + Send + 'static>(
        writer: W,
        fail: fn(&io::Error) -> Error,
        columns: Vec<Column>,
        zone: TimeZone,
    ) -> Result<Self> {
        let package = Package::new(writer, fail)?;
        Ok(Self { package, columns, zone, room: ROWS, sheets: 0, rows: 0, page: Vec::new() })
    }

    fn begin_sheet(&mut self) -> Result<()> {
        self.sheets += 1;
        self.rows = 0;
        self.package.file(book::sheet_path(self.sheets))?;
        book::begin_sheet(&mut self.page, self.sheets, &self.columns);
        cell::begin_row(&mut self.page, 1);
        for (index, column) in self.columns.iter().enumerate() {
            cell::push_heading(&mut self.page, index, 1, &workbook_heading(*column, self.zone));
        }
        cell::end_row(&mut self.page);
        Ok(())
    }

    fn end_sheet(&mut self) -> Result<()> {
        book::end_sheet(&mut self.page);
        self.write_page()
    }

    fn write_page(&mut self) -> Result<()> {
        self.package.bytes(std::mem::take(&mut self.page))
    }

    fn whole_file(&mut self, path: &str, text: String) -> Result<()> {
        self.package.file(path.to_owned())?;
        self.package.bytes(text.into_bytes())
    }
}

impl Sink for XlsxSink {
    fn begin(&mut self) -> Result<()> {
        // What tells a program that this is a workbook comes first; what has to know of all sheets, last.
        self.whole_file(book::RELATIONS_PATH, book::relations())?;
        self.whole_file(book::STYLES_PATH, book::styles())?;
        self.begin_sheet()
    }

    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        for row in rows {
            if self.rows == self.room {
                self.end_sheet()?;
                self.begin_sheet()?;
            }
            self.rows += 1;
            let number = self.rows + 1;
            cell::begin_row(&mut self.page, number);
            for (index, column) in self.columns.iter().enumerate() {
                let text = csv::cell(row, *column)?;
                let id = row.text(Column::Id);
                cell::push(&mut self.page, *column, index, number, &text, self.zone)
                    .map_err(|why| why.of_item(id, *column))?;
            }
            cell::end_row(&mut self.page);
            if self.page.len() >= BYTES {
                self.write_page()?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.end_sheet()?;
        self.whole_file(book::WORKBOOK_PATH, book::workbook(self.sheets))?;
        self.whole_file(book::WORKBOOK_RELATIONS_PATH, book::workbook_relations(self.sheets))?;
        self.whole_file(book::CONTENT_TYPES_PATH, book::content_types(self.sheets))?;
        self.package.end()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Keeps what is written, and can be read while the sink lives.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("lock").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn made(room: u32, rows: &[String]) -> Vec<u8> {
        let kept = Kept::default();
        let columns = vec![Column::Id, Column::Price];
        let mut sink = XlsxSink::new(kept.clone(), crate::output::write_error, columns, TimeZone::UTC).expect("sink");
        sink.room = room;
        sink.begin().expect("begin");
        for row in rows {
            sink.rows(&[Row::read(row).expect("JSON")]).expect("row");
        }
        sink.end().expect("end");
        let bytes = kept.0.lock().expect("lock");
        bytes.clone()
    }

    fn text(book: &[u8], path: &str) -> Option<String> {
        let archive = rawzip::ZipArchive::from_slice(book).expect("zip");
        let mut entries = archive.entries();
        let entry = std::iter::from_fn(|| entries.next_entry().expect("entry"))
            .find(|entry| entry.file_path().as_ref() == path.as_bytes())?;
        let entry = archive.get_entry(entry.wayfinder()).expect("entry");
        let mut text = String::new();
        flate2::read::DeflateDecoder::new(entry.data()).read_to_string(&mut text).expect("text");
        Some(text)
    }

    #[test]
    fn rows_go_on_in_the_next_sheet_where_one_is_full() {
        let rows: Vec<String> = (0..5).map(|id| format!("{{\"id\":\"item_{id}\",\"price\":\"1.50\"}}")).collect();
        let book = made(2, &rows);
        assert_eq!(book, made(2, &rows), "the same rows make the same bytes");
        for (sheet, ids) in [(1, 0..2), (2, 2..4), (3, 4..5)] {
            let text = text(&book, &format!("xl/worksheets/sheet{sheet}.xml")).expect("a sheet");
            assert!(text.contains("r=\"A1\"") && text.contains(">Price<"), "{text}");
            for id in 0..5 {
                assert_eq!(text.contains(&format!(">item_{id}<")), ids.contains(&id), "{sheet} {id}");
            }
        }
        assert_eq!(text(&book, "xl/worksheets/sheet4.xml"), None);
        let workbook = text(&book, "xl/workbook.xml").expect("workbook");
        assert!(workbook.contains("name=\"Orders\"") && workbook.contains("name=\"Orders 3\""), "{workbook}");
        let none = made(2, &[]);
        assert!(text(&none, "xl/worksheets/sheet1.xml").expect("a sheet").contains(">Price<"));
        let full = made(5, &rows);
        assert_eq!(text(&full, "xl/worksheets/sheet2.xml"), None, "no sheet without rows");
    }
}
