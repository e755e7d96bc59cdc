//! The spool of an export, read back: line items as received, one to a line. Memory holds a page, however many there
//! are.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::ops::Range;

use super::row::Row;
use crate::errors::{Error, Result, codes};

/// Rows of a page.
const ROWS: usize = 1000;
/// A page ends after so many bytes, too: items may be long.
const BYTES: usize = 1 << 20;

/// A spool that is whole.
#[derive(Debug)]
pub(crate) struct Spool {
    reader: BufReader<File>,
    length: u64,
}

/// Rows of a spool, each with where its line begins.
pub(crate) type SpooledPage<'a> = Vec<(u64, Row<'a>)>;

impl Spool {
    /// Reads from this file.
    pub(crate) fn new(file: File) -> Result<Self> {
        let length = file.metadata().map_err(|why| failed(&why))?.len();
        Ok(Self { reader: BufReader::with_capacity(1 << 16, file), length })
    }

    /// Where its last line ends.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// Gives out, page by page, the rows whose lines begin in a range of its bytes; a line begins where the range does.
    pub(crate) fn pages(
        &mut self,
        range: Range<u64>,
        mut take: impl FnMut(SpooledPage<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut at = self.reader.seek(SeekFrom::Start(range.start)).map_err(|why| failed(&why))?;
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        while at < range.end {
            text.clear();
            ends.clear();
            while ends.len() < ROWS && text.len() < BYTES && at + (text.len() as u64) < range.end {
                if self.reader.read_until(b'\n', &mut text).map_err(|why| failed(&why))? == 0 {
                    return Err(damaged("its end is missing"));
                }
                ends.push(text.len());
            }
            take(rows(&text, &ends, at)?)?;
            at += text.len() as u64;
        }
        Ok(())
    }
}

fn rows<'a>(text: &'a [u8], ends: &[usize], at: u64) -> Result<SpooledPage<'a>> {
    let mut begin = 0;
    let row = |end: &usize| {
        let start = std::mem::replace(&mut begin, *end);
        let line = text.get(start..*end).unwrap_or_default().trim_ascii_end();
        let line = std::str::from_utf8(line).map_err(damaged)?;
        Ok((at + start as u64, Row::read(line).map_err(damaged)?))
    };
    ends.iter().map(row).collect()
}

fn failed(why: &io::Error) -> Error {
    Error::io(&codes::command::FILE, "What was exported cannot be read again", why)
}

fn damaged(why: impl std::fmt::Display) -> Error {
    Error::of(&codes::command::FILE, format!("What was exported cannot be read again: {why}."))
        .hint("Start anew: the same command with --restart")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::super::row::Column;
    use super::*;

    #[test]
    fn each_row_of_a_range_is_read_once_with_its_place() {
        let mut file = tempfile::tempfile().expect("file");
        let lines: Vec<String> = (0..2500).map(|id| format!("{{\"id\":{id},\"itemName\":\"ü\"}}\n")).collect();
        file.write_all(lines.concat().as_bytes()).expect("write");
        let mut spool = Spool::new(file).expect("spool");
        let mut read = |range: Range<u64>| {
            let mut found = Vec::new();
            let took = spool.pages(range, |page| {
                assert!(page.len() <= ROWS);
                found.extend(page.iter().map(|(at, row)| (*at, row.text(Column::Id).expect("id").to_owned())));
                Ok(())
            });
            took.map(|()| found)
        };
        let mut at = 0;
        let mut places = Vec::new();
        for (id, line) in lines.iter().enumerate() {
            places.push((at, id.to_string()));
            at += line.len() as u64;
        }
        assert_eq!(read(0..at).expect("rows"), places);
        let (begin, end) = (places[1200].0, places[2300].0);
        assert_eq!(read(begin..end).expect("rows"), places[1200..2300]);
        assert_eq!(read(begin..begin + 1).expect("row"), places[1200..=1200]);
        assert!(read(0..at + 1).is_err(), "shorter than it was");
    }
}
