//! Rows in the binary form of PostgreSQL's `COPY`, which needs no escapes, and digests of rows in this form.
//!
//! <https://www.postgresql.org/docs/current/sql-copy.html>, "Binary Format".

use bytes::{Buf as _, BytesMut};
use sha2::{Digest as _, Sha256};
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use crate::store::operator::copy::plan::{Kind, Table};
use crate::store::operator::copy::report::Content;

/// The signature, flags, and the length of an extension.
pub(super) const HEADER: [u8; 19] = *b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// In place of a row's number of columns.
pub(super) const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();

/// A value of a row that PostgreSQL cannot hold.
#[derive(Debug)]
pub(super) struct BadValue {
    pub(super) column: String,
    pub(super) why: &'static str,
}

/// Why a row cannot be written.
#[derive(Debug)]
pub(super) enum NotWritten {
    Value(BadValue),
    Database(sqlx::Error),
}

impl From<sqlx::Error> for NotWritten {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

/// Appends a row of the file.
pub(super) fn write(row: &SqliteRow, table: &Table, to: &mut Vec<u8>) -> Result<(), NotWritten> {
    to.extend(i16::try_from(table.columns.len()).unwrap_or(i16::MAX).to_be_bytes());
    for (index, column) in table.columns.iter().enumerate() {
        let bad = |why| NotWritten::Value(BadValue { column: column.name.clone(), why });
        let mut field = |value: &[u8]| -> Result<(), NotWritten> {
            let length = i32::try_from(value.len()).map_err(|_| bad("is larger than PostgreSQL's values may be"))?;
            to.extend(length.to_be_bytes());
            to.extend(value);
            Ok(())
        };
        // The columns of the file are typed (STRICT): a value is of the column's kind, or NULL.
        match column.kind {
            Kind::Integer => match row.try_get_unchecked::<Option<i64>, _>(index)? {
                Some(value) => field(&value.to_be_bytes())?,
                None => to.extend((-1_i32).to_be_bytes()),
            },
            Kind::Text | Kind::Blob => match row.try_get_unchecked::<Option<&[u8]>, _>(index)? {
                Some(value) => {
                    if column.kind == Kind::Text {
                        if value.contains(&0) {
                            return Err(bad("has a NUL character, which PostgreSQL cannot hold"));
                        }
                        if std::str::from_utf8(value).is_err() {
                            return Err(bad("is not UTF-8, which PostgreSQL cannot hold"));
                        }
                    }
                    field(value)?;
                }
                None => to.extend((-1_i32).to_be_bytes()),
            },
        }
    }
    Ok(())
}

/// The digest of a table's rows, whatever their order: the sum of the SHA-256 of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RowDigest {
    sum: [u64; 4],
    pub(super) rows: u64,
}

impl RowDigest {
    /// Adds a row in the binary form.
    pub(super) fn add(&mut self, row: &[u8]) {
        let digest = Sha256::digest(row);
        for (lane, bytes) in self.sum.iter_mut().zip(digest.as_chunks::<8>().0) {
            *lane = lane.wrapping_add(u64::from_be_bytes(*bytes));
        }
        self.rows += 1;
    }

    pub(super) fn hex(&self) -> String {
        self.sum.iter().map(|lane| format!("{lane:016x}")).collect()
    }
}

impl From<RowDigest> for Content {
    fn from(digest: RowDigest) -> Self {
        Self { rows: digest.rows, digest: digest.hex() }
    }
}

/// Takes the rows out of a stream in the binary form, whatever pieces it comes in.
#[derive(Debug, Default)]
pub(super) struct Rows {
    buffer: BytesMut,
    is_begun: bool,
    is_over: bool,
}

/// The stream is not in the binary form.
#[derive(Debug)]
pub(super) struct Garbled;

impl Rows {
    /// Gives each row that is whole now to `take`.
    pub(super) fn feed(&mut self, piece: &[u8], mut take: impl FnMut(&[u8])) -> Result<(), Garbled> {
        self.buffer.extend_from_slice(piece);
        if !self.is_begun {
            if self.buffer.len() < HEADER.len() {
                return Ok(());
            }
            if !self.buffer.starts_with(&HEADER) {
                return Err(Garbled);
            }
            self.buffer.advance(HEADER.len());
            self.is_begun = true;
        }
        while !self.is_over {
            if self.buffer.starts_with(&TRAILER) {
                self.is_over = true;
                self.buffer.advance(TRAILER.len());
                break;
            }
            let Some(length) = row_length(&self.buffer)? else { return Ok(()) };
            take(&self.buffer.split_to(length));
        }
        if self.buffer.is_empty() { Ok(()) } else { Err(Garbled) }
    }

    /// Whether the end was there.
    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }
}

/// The length of the first row, if it is whole.
fn row_length(bytes: &[u8]) -> Result<Option<usize>, Garbled> {
    let Some(columns) = bytes.first_chunk::<2>() else { return Ok(None) };
    let mut end = 2;
    for _ in 0..u16::try_from(i16::from_be_bytes(*columns)).map_err(|_| Garbled)? {
        let Some(length) = bytes.get(end..).and_then(|rest| rest.first_chunk::<4>()) else { return Ok(None) };
        end += 4;
        match i32::from_be_bytes(*length) {
            -1 => {}
            length => end += usize::try_from(length).map_err(|_| Garbled)?,
        }
    }
    Ok((bytes.len() >= end).then_some(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(fields: &[Option<&[u8]>]) -> Vec<u8> {
        let mut bytes = i16::try_from(fields.len()).unwrap().to_be_bytes().to_vec();
        for field in fields {
            bytes.extend(field.map_or(-1, |field| i32::try_from(field.len()).unwrap()).to_be_bytes());
            bytes.extend(field.unwrap_or_default());
        }
        bytes
    }

    #[test]
    fn rows_are_found_in_a_stream_of_any_pieces() {
        let rows = [row(&[Some(b"a"), None]), row(&[]), row(&[Some(b""), Some(&[0xff; 300])])];
        let stream = [&HEADER[..], &rows.concat(), &TRAILER].concat();
        for size in [1, 2, 3, 7, 19, 1_000] {
            let (mut reader, mut found) = (Rows::default(), Vec::new());
            for piece in stream.chunks(size) {
                reader.feed(piece, |row| found.push(row.to_vec())).unwrap();
            }
            assert!(reader.is_over());
            assert_eq!(found, rows, "{size}");
        }
        assert!(Rows::default().feed(&[b'x'; 30], |_| ()).is_err());
        assert!(Rows::default().feed(&[&stream[..], b"more"].concat(), |_| ()).is_err());
        let mut cut = Rows::default();
        cut.feed(&stream[..stream.len() - 1], |_| ()).unwrap();
        assert!(!cut.is_over());
    }

    #[test]
    fn a_digest_does_not_depend_on_the_order_but_on_every_row() {
        let of = |rows: &[&[u8]]| {
            let mut digest = RowDigest::default();
            rows.iter().for_each(|row| digest.add(row));
            digest
        };
        assert_eq!(of(&[b"a", b"b", b"b"]), of(&[b"b", b"a", b"b"]));
        assert_ne!(of(&[b"a", b"b"]).hex(), of(&[b"a", b"c"]).hex());
        assert_ne!(of(&[b"a", b"b"]), of(&[b"a", b"b", b"b"]));
        // Two equal rows do not cancel each other.
        assert_ne!(of(&[b"a", b"a"]).hex(), of(&[]).hex());
    }
}
