//! The files of an archive, line by line: a row of a table each. No more of a file is in memory than its longest row, which has a
//! bound.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, Read as _};

use chrono::DateTime;
use ordersync_api::hex;
use serde::de::{DeserializeSeed, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::refusal::ImportRefusal;
use crate::store::db::Argument;
use crate::store::micros;
use crate::store::operator::user_export::{is_embeddable, time_text};
use crate::store::operator::user_tables::{Column, Kind};

/// The longest row, in bytes.
const MAX_ROW: u64 = 16 << 20;
/// How much of a name that is not known is shown.
const SHOWN: usize = 60;

/// An archive of a user.
pub trait UserArchive {
    /// The names of its files.
    fn files(&self) -> Vec<String>;

    /// Opens a file. A failure to read it says what is wrong with the archive.
    /// Fails if there is none.
    fn open(&self, file: &str) -> io::Result<Box<dyn BufRead + '_>>;
}

/// The name of a table's file.
pub(crate) fn file_of(table: &str) -> String {
    format!("{table}.jsonl")
}

/// A name or a text from the archive, as an error shows it.
pub(super) fn shown(text: &str) -> String {
    let start: String = text.chars().take(SHOWN).collect();
    format!("\"{}{}\"", start.escape_debug(), if start.len() < text.len() { "…" } else { "" })
}

/// The rows of a file.
pub(super) struct Lines<'a> {
    reader: Box<dyn BufRead + 'a>,
    pub(super) file: String,
    pub(super) row: u64,
    line: Vec<u8>,
}

impl<'a> Lines<'a> {
    pub(super) fn open(archive: &'a dyn UserArchive, table: &str) -> Result<Self, ImportRefusal> {
        let file = file_of(table);
        let reader = archive.open(&file).map_err(|why| unreadable(&file, &why))?;
        Ok(Self { reader, file, row: 0, line: Vec::new() })
    }

    /// The values of the next row, in the order of the columns; none at the end of the file.
    pub(super) fn next(&mut self, columns: &[Column]) -> Result<Option<Vec<Argument>>, ImportRefusal> {
        self.line.clear();
        self.row += 1;
        let read = self.reader.by_ref().take(MAX_ROW + 1).read_until(b'\n', &mut self.line);
        read.map_err(|why| unreadable(&self.file, &why))?;
        if self.line.is_empty() {
            self.row -= 1;
            return Ok(None);
        }
        if self.line.pop() != Some(b'\n') {
            let is_long = self.line.len() as u64 >= MAX_ROW;
            return Err(self.refused(if is_long { "the row is longer than 16 MiB" } else { "the row has no end" }));
        }
        parse(&self.line, columns).map(Some).map_err(|why| self.refused(why))
    }

    /// Refuses the row that was read last.
    pub(super) fn refused(&self, why: impl Into<String>) -> ImportRefusal {
        ImportRefusal::Archive { file: self.file.clone(), row: Some(self.row), why: why.into() }
    }
}

pub(super) fn unreadable(file: &str, why: &io::Error) -> ImportRefusal {
    ImportRefusal::Archive { file: file.to_owned(), row: None, why: why.to_string() }
}

/// The values of a row: each column exactly once, and no other.
fn parse(line: &[u8], columns: &[Column]) -> Result<Vec<Argument>, String> {
    let text = std::str::from_utf8(line).map_err(|_| "the row is not UTF-8".to_owned())?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let values = Row { columns }.deserialize(&mut reader);
    let read = values.and_then(|values| reader.end().map(|()| values));
    // The position of an error in a line of JSON says nothing.
    let values = read.map_err(|why| {
        let why = why.to_string();
        why.rsplit_once(" at line ").map_or(why.clone(), |(said, _)| said.to_owned())
    })?;
    let missing = columns.iter().zip(&values).find(|(_, value)| value.is_none());
    if let Some((column, _)) = missing {
        return Err(format!("the column \"{}\" is missing", column.name));
    }
    Ok(values.into_iter().flatten().collect())
}

/// Reads a row.
struct Row<'a> {
    columns: &'a [Column],
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = Vec<Option<Argument>>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = Vec<Option<Argument>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    /// Ends with the first column that is not known, so that a row of a million of them takes no memory.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = vec![None; self.columns.len()];
        while let Some(name) = map.next_key::<Cow<'de, str>>()? {
            let found = self.columns.iter().zip(&mut values).find(|(column, _)| column.name == name);
            let Some((column, value)) = found else {
                return Err(A::Error::custom(format_args!("the column {} is not known", shown(&name))));
            };
            if value.is_some() {
                return Err(A::Error::custom(format_args!("the column {} is there twice", shown(&name))));
            }
            let raw = map.next_value::<&'de RawValue>()?.get();
            let read = argument(column.kind, raw);
            *value = Some(read.map_err(|why| A::Error::custom(format_args!("the column \"{name}\" {why}")))?);
        }
        Ok(values)
    }
}

fn argument(kind: Kind, raw: &str) -> Result<Argument, &'static str> {
    let is_null = raw == "null";
    let text = || serde_json::from_str::<String>(raw).ok().filter(|text| !text.contains('\0'));
    Ok(match kind {
        Kind::Integer if is_null => Argument::Integer(None),
        Kind::Integer => Argument::Integer(Some(raw.parse().map_err(|_| "is no whole number of 64 bits")?)),
        Kind::Time if is_null => Argument::Integer(None),
        Kind::Time => Argument::Integer(Some(text().and_then(|text| time_of(&text)).ok_or("is no time")?)),
        Kind::Text | Kind::Json if is_null => Argument::Text(None),
        Kind::Text => Argument::Text(Some(text().ok_or("is no text, or has a NUL character")?)),
        Kind::Json => Argument::Text(Some(json_of(raw).ok_or("is no JSON object or list")?)),
        Kind::Digest if is_null => Argument::Blob(None),
        Kind::Digest => Argument::Blob(Some(text().and_then(|text| hex::decode(&text)).ok_or("is no octets")?)),
    })
}

/// A time exactly as an export writes it: any other text could be another moment.
fn time_of(text: &str) -> Option<i64> {
    let at = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
    (time_text(at) == text).then(|| micros(at))
}

/// A text that is JSON; one that cannot be a part of a line is a string in it.
fn json_of(raw: &str) -> Option<String> {
    if is_embeddable(raw) {
        return Some(raw.to_owned());
    }
    let text = serde_json::from_str::<String>(raw).ok()?;
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
    (is_json && !is_embeddable(&text)).then_some(text)
}
