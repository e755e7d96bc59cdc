//! Records of CSV files: RFC 4180 with any delimiter, and with what shops and spreadsheets make of it. A record knows where
//! it begins, so that it can be read again.

use std::io::{BufRead, BufReader, Seek, SeekFrom};

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::finding::{Finding, FindingCode, Refused};
use crate::section::Section;

/// The longest record, in bytes.
pub(crate) const MAX_RECORD: usize = 1 << 20;
const MAX_COLUMNS: usize = 4_096;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A record, and where it is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    /// Its first byte.
    pub(crate) offset: u64,
    /// From 1, which is the header.
    pub(crate) row: u32,
    /// The line on which it begins, from 1.
    pub(crate) line: u32,
    pub(crate) cells: Vec<String>,
}

/// How the text of a file is encoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Charset {
    encoding: &'static Encoding,
    is_given: bool,
    /// Whether a character beyond ASCII was read.
    was_used: bool,
}

impl Charset {
    /// By its label. Without one, UTF-8; or Windows-1252, if the first character beyond ASCII is not UTF-8.
    pub(crate) fn new(label: Option<&str>) -> Self {
        let given = label.and_then(|label| Encoding::for_label(label.as_bytes()));
        Self { encoding: given.unwrap_or(UTF_8), is_given: given.is_some(), was_used: false }
    }

    pub(crate) fn is_presumed(&self) -> bool {
        !self.is_given && self.encoding == WINDOWS_1252
    }

    fn decode(&mut self, bytes: Vec<u8>) -> Option<String> {
        if bytes.is_ascii() {
            return String::from_utf8(bytes).ok();
        }
        let first = !self.was_used;
        self.was_used = true;
        if let Some(text) = self.encoding.decode_without_bom_handling_and_without_replacement(&bytes) {
            return Some(text.into_owned());
        }
        (first && !self.is_given).then(|| {
            self.encoding = WINDOWS_1252;
            WINDOWS_1252.decode_without_bom_handling(&bytes).0.into_owned()
        })
    }
}

/// Reads one record after the other.
pub(crate) struct Table {
    input: BufReader<Section>,
    shown: String,
    delimiter: u8,
    pub(crate) charset: Charset,
    /// True if text follows the closing quote of a cell in the record that was read last.
    pub(crate) has_odd_quote: bool,
    offset: u64,
    row: u32,
    line: u32,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum At {
    /// Before the first byte of a cell.
    Start,
    Plain,
    Quoted,
    /// Behind a quote within quotes.
    Quote,
    /// Behind the white space that follows such a quote.
    Closed,
}

impl Table {
    pub(crate) fn new(file: Section, shown: &str, delimiter: u8, charset: Charset) -> Result<Self, Refused> {
        let mut input = BufReader::with_capacity(1 << 13, file);
        let has_bom = input.fill_buf().map_err(|why| unreadable(shown, &why))?.starts_with(BOM);
        let mut offset = if has_bom { BOM.len() } else { 0 };
        input.consume(offset);
        let declared = declared(input.fill_buf().map_err(|why| unreadable(shown, &why))?);
        let mut line = 1;
        if let Some((_, length)) = declared {
            input.consume(length);
            (offset, line) = (offset + length, 2);
        }
        let (shown, offset) = (shown.to_owned(), offset as u64);
        Ok(Self { input, shown, delimiter, charset, has_odd_quote: false, offset, row: 0, line })
    }

    /// Goes to a record that was read before.
    pub(crate) fn go(&mut self, offset: u64, row: u32, line: u32) -> Result<(), Refused> {
        let from = i64::try_from(offset).unwrap_or(i64::MAX) - i64::try_from(self.offset).unwrap_or(0);
        let moved = if from.unsigned_abs() < (1 << 13) {
            self.input.seek_relative(from)
        } else {
            self.input.seek(SeekFrom::Start(offset)).map(|_| ())
        };
        moved.map_err(|why| unreadable(&self.shown, &why))?;
        (self.offset, self.row, self.line) = (offset, row - 1, line);
        Ok(())
    }

    /// The next record; none at the end. Rows without any text are no records, but count as rows do in spreadsheets.
    /// Fails if the file ends within a quote, if a quote is open, or if the record has no bounds or no known encoding.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, Refused> {
        loop {
            let Some(row) = self.record()? else { return Ok(None) };
            if row.cells.iter().any(|cell| !cell.trim().is_empty()) {
                return Ok(Some(row));
            }
        }
    }

    fn record(&mut self) -> Result<Option<Row>, Refused> {
        let (offset, line, row) = (self.offset, self.line, self.row + 1);
        let fault = |code, message: String| Refused::from(Finding::new(code, &self.shown, message).at(row, line));
        let (mut cells, mut cell, mut at) = (Vec::new(), Vec::new(), At::Start);
        let (mut read, mut ended, mut after_return, mut has_odd_quote) = (0_usize, false, false, false);
        'record: loop {
            let buffer = self.input.fill_buf().map_err(|why| unreadable(&self.shown, &why))?;
            if buffer.is_empty() {
                if read == 0 {
                    return Ok(None);
                }
                if at == At::Quoted {
                    let message = "The file ends within quotes: it is cut off, or a quote is never closed. Get the file \
                                   again, or correct it. Nothing was stored.";
                    return Err(fault(FindingCode::CutOff, message.to_owned()));
                }
                cells.push(cell);
                break;
            }
            let mut used = 0;
            for &byte in buffer {
                // A line ends with LF, CR LF or CR.
                if after_return {
                    used += usize::from(byte == b'\n');
                    ended = true;
                    break;
                }
                used += 1;
                if byte == b'\n' || (byte == b'\r' && at != At::Quoted) {
                    self.line = self.line.saturating_add(1);
                }
                match (at, byte) {
                    (At::Start, b'"') => at = At::Quoted,
                    (At::Quoted, b'"') => at = At::Quote,
                    (At::Quote, b'"') => {
                        cell.push(byte);
                        at = At::Quoted;
                    }
                    (At::Quoted, _) => cell.push(byte),
                    (_, b'\n') => ended = true,
                    (_, b'\r') => after_return = true,
                    (_, sign) if sign == self.delimiter => {
                        cells.push(std::mem::take(&mut cell));
                        at = At::Start;
                    }
                    (At::Quote | At::Closed, b' ' | b'\t') => {
                        cell.push(byte);
                        at = At::Closed;
                    }
                    // A quote that nobody closes ends at the next one, in a later row.
                    (At::Quote | At::Closed, _) if cell.iter().any(|byte| matches!(byte, b'\n' | b'\r')) => {
                        let message = "A quote opens a cell here and closes it only in a later line, where more text follows. \
                                       Either the quote is not closed, or a quote within the text is not doubled. Correct it, \
                                       or get the file again. Nothing was stored.";
                        return Err(fault(FindingCode::QuoteOpen, message.to_owned()));
                    }
                    _ => {
                        has_odd_quote |= matches!(at, At::Quote | At::Closed);
                        cell.push(byte);
                        at = At::Plain;
                    }
                }
                if ended {
                    break;
                }
            }
            self.input.consume(used);
            read += used;
            self.offset += used as u64;
            if read > MAX_RECORD || cells.len() > MAX_COLUMNS {
                let message = format!(
                    "The row has more than {MAX_RECORD} bytes or {MAX_COLUMNS} cells. Either the file is no CSV file, or a \
                     quote is never closed. Nothing was stored."
                );
                return Err(fault(FindingCode::TooLarge, message));
            }
            if ended {
                cells.push(cell);
                break 'record;
            }
        }
        self.row = row;
        let decode = |cell| self.charset.decode(cell);
        let Some(cells) = cells.into_iter().map(decode).collect() else {
            let message = "The text is not in the encoding of the file. Save the file as UTF-8, or name its encoding in a \
                           mapping, such as `encoding = \"windows-1252\"`.";
            return Err(Finding::new(FindingCode::EncodingUnknown, &self.shown, message).at(row, line).into());
        };
        self.has_odd_quote = has_odd_quote;
        Ok(Some(Row { offset, row, line, cells }))
    }
}

/// The error for a file that the system does not read.
pub(crate) fn unreadable(shown: &str, why: &std::io::Error) -> Refused {
    Finding::new(FindingCode::FileUnreadable, shown, format!("The file cannot be read: {why}")).into()
}

/// The delimiter that the line `sep=;` names, as spreadsheets write it above the header, and the length of the line.
fn declared(start: &[u8]) -> Option<(u8, usize)> {
    let (name, rest) = start.split_at_checked(4)?;
    let (sign, end) = rest.split_first()?;
    let length = match end {
        [b'\r', b'\n', ..] => 7,
        [b'\r' | b'\n', ..] => 6,
        _ => return None,
    };
    (name.eq_ignore_ascii_case(b"sep=") && sign.is_ascii() && !matches!(sign, b'"' | b'\r' | b'\n'))
        .then_some((*sign, length))
}

/// The delimiter of a CSV file: as it names it, or by its first line that has any, the sign that makes the most cells.
pub(crate) fn delimiter(start: &[u8]) -> u8 {
    let start = start.strip_prefix(BOM).unwrap_or(start);
    if let Some((sign, _)) = declared(start) {
        return sign;
    }
    let mut counts = [(b',', 0_usize), (b';', 0), (b'\t', 0), (b'|', 0)];
    let mut is_quoted = false;
    for byte in start {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted && counts.iter().any(|(_, count)| *count > 0) => break,
            _ if is_quoted => {}
            _ => counts.iter_mut().filter(|(sign, _)| sign == byte).for_each(|(_, count)| *count += 1),
        }
    }
    // Of equals, the first.
    counts.iter().rev().max_by_key(|(_, count)| *count).map_or(b',', |(sign, _)| *sign)
}
