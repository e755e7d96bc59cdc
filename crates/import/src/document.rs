//! Records of JSON files: the elements of the outermost list, or the one value that the file is.

use std::fmt;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};

use serde::Deserialize as _;
use serde::de::{self, DeserializeSeed as _, Deserializer as _, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::finding::{Finding, FindingCode, Refused};
use crate::input::Input;
use crate::section::Section;
use crate::table::{Row, unreadable};

/// JSON is read as a whole.
const MAX_BYTES: u64 = 64 << 20;
/// A record takes up to fifty times its length in memory.
const MAX_RECORD: usize = 16 << 20;

/// Whether a file that begins so is JSON.
pub(crate) fn is_json(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    matches!(start.trim_ascii_start().first(), Some(b'[' | b'{'))
}

/// The first record of a file that begins so; none if it is longer than that, or no JSON.
pub(crate) fn first(text: &str) -> Option<Value> {
    let text = text.trim_start();
    let text = text.strip_prefix('[').unwrap_or(text);
    let raw = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>().next()?.ok()?;
    serde_json::from_str(Some(raw.get()).filter(|raw| raw.len() <= MAX_RECORD)?).ok()
}

/// The whole text of a file.
pub(crate) fn text(input: &Input) -> Result<String, Refused> {
    if input.length() > MAX_BYTES {
        let message = format!(
            "The JSON file has more than {} MiB, which is more than is read at once. Export a shorter period, or split its \
             list into several files.",
            MAX_BYTES >> 20
        );
        return Err(Finding::new(FindingCode::TooLarge, &input.shown, message).into());
    }
    let mut bytes = Vec::new();
    input.open()?.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|why| unreadable(&input.shown, &why))?;
    let text = String::from_utf8(bytes).map_err(|_| {
        let message = "The JSON file is not UTF-8. Get it again, or save it as UTF-8.";
        Refused::from(Finding::new(FindingCode::EncodingUnknown, &input.shown, message))
    })?;
    // As many bytes as before, so that offsets stay.
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => format!("   {rest}"),
        None => text,
    })
}

/// Calls `each` with every record of a file.
pub(crate) fn records(
    text: &str,
    shown: &str,
    each: &mut dyn FnMut(Row, Value) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let mut reader = Reader { text, seen: 0, row: 0, line: 1, each, refused: None };
    let mut parser = serde_json::Deserializer::from_str(text);
    let read = if text.trim_start().starts_with('[') {
        parser.deserialize_seq(&mut reader)
    } else {
        Element(&mut reader).deserialize(&mut parser)
    };
    let read = read.and_then(|()| parser.end());
    if let Some(refused) = reader.refused {
        return Err(refused);
    }
    read.map_err(|why| {
        let line = u32::try_from(why.line()).unwrap_or(u32::MAX);
        let row = reader.row + 1;
        let (code, what) = match why.classify() {
            serde_json::error::Category::Eof => (FindingCode::CutOff, "The file ends within a value: it is cut off"),
            _ => (FindingCode::JsonInvalid, "The file is not well-formed JSON"),
        };
        let message = format!("{what} ({why}). Get the file again. Nothing was stored.");
        Finding::new(code, shown, message).at(row, line).into()
    })
}

/// Reads a record again.
pub(crate) fn again(file: Section, offset: u64, shown: &str) -> Result<Value, Refused> {
    let mut file = BufReader::new(file);
    file.seek(SeekFrom::Start(offset)).map_err(|why| unreadable(shown, &why))?;
    let mut parser = serde_json::Deserializer::from_reader(file);
    Value::deserialize(&mut parser).map_err(|why| unreadable(shown, &why.into()))
}

struct Reader<'a> {
    text: &'a str,
    /// Bytes in which lines were counted.
    seen: usize,
    row: u32,
    line: u32,
    each: &'a mut dyn FnMut(Row, Value) -> Result<(), Refused>,
    refused: Option<Refused>,
}

impl Reader<'_> {
    fn record<E: de::Error>(&mut self, raw: &RawValue) -> Result<(), E> {
        let offset = raw.get().as_ptr().addr() - self.text.as_ptr().addr();
        let between = self.text.get(self.seen..offset).unwrap_or_default();
        let lines = between.bytes().filter(|byte| *byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.seen = offset;
        self.row += 1;
        if raw.get().len() > MAX_RECORD {
            return Err(E::custom("a record is longer than 16 MiB"));
        }
        let value = serde_json::from_str(raw.get()).map_err(E::custom)?;
        let row = Row { offset: offset as u64, row: self.row, line: self.line, cells: Vec::new() };
        (self.each)(row, value).map_err(|refused| {
            self.refused = Some(refused);
            E::custom("refused")
        })
    }
}

/// One record.
struct Element<'r, 'a>(&'r mut Reader<'a>);

impl<'de> de::DeserializeSeed<'de> for Element<'_, '_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        let raw = <&'de RawValue>::deserialize(parser)?;
        self.0.record(raw)
    }
}

impl<'de> Visitor<'de> for &mut Reader<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Element(&mut *self))?.is_some() {}
        Ok(())
    }
}
