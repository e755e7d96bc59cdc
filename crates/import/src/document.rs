//! Records of JSON files: the elements of the outermost list, the objects of JSON lines, or the one value that the file is. They
//! are read one by one, so that a file may have any length.

use std::io::{self, BufRead as _, BufReader, Read, Seek as _, SeekFrom};

use serde::Deserialize as _;
use serde_json::Value;

use crate::finding::{Finding, FindingCode, Refused};
use crate::input::Input;
use crate::section::Section;
use crate::table::{Row, unreadable};

/// A record takes up to fifty times its length in memory.
const MAX_RECORD: u64 = 16 << 20;
/// The longest number or word outside of lists and objects.
const MAX_WORD: usize = 1 << 10;

/// Whether a file that begins so is JSON.
pub(crate) fn is_json(start: &[u8]) -> bool {
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    matches!(start.trim_ascii_start().first(), Some(b'[' | b'{'))
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a record again.
pub(crate) fn again(mut file: Section, offset: u64, shown: &str) -> Result<Value, Refused> {
    file.seek(SeekFrom::Start(offset)).map_err(|why| unreadable(shown, &why))?;
    let mut parser = serde_json::Deserializer::from_reader(BufReader::new(file).take(MAX_RECORD));
    Value::deserialize(&mut parser).map_err(|why| unreadable(shown, &why.into()))
}

/// The records of a file.
pub(crate) struct Records<'a> {
    input: &'a Input,
    source: Source,
    state: State,
    row: u32,
    /// The line on which the last record ended.
    ended: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the outermost value.
    Start,
    /// In the outermost list, before its first element.
    First,
    /// In it, behind an element.
    Next,
    /// Behind an object that is in no list. The next one begins on another line.
    Lines,
    /// Behind the outermost value.
    End,
}

impl<'a> Records<'a> {
    pub(crate) fn of(input: &'a Input) -> Result<Self, Refused> {
        let mut source = Source { reader: BufReader::new(input.open()?), offset: 0, line: 1 };
        source.pass_over_mark().map_err(|why| unreadable(&input.shown, &why))?;
        Ok(Self { input, source, state: State::Start, row: 0, ended: 0 })
    }

    /// The next record, and its place.
    pub(crate) fn next(&mut self) -> Result<Option<(Row, Value)>, Refused> {
        loop {
            let next = self.peek()?;
            match (self.state, next) {
                (State::End | State::Lines, None) => return Ok(None),
                (State::Lines, Some(b'{')) if self.source.line > self.ended => {
                    return self.record(b'{', State::Lines).map(Some);
                }
                (State::End | State::Lines, Some(_)) => return Err(self.invalid("something follows its end")),
                (_, None) => return Err(self.cut_off()),
                (State::Start, Some(b'[')) => self.step(State::First)?,
                (State::First | State::Next, Some(b']')) => self.step(State::End)?,
                (State::Next, Some(b',')) => {
                    self.step(State::Next)?;
                    return match self.peek()? {
                        Some(next) => self.record(next, State::Next).map(Some),
                        None => Err(self.cut_off()),
                    };
                }
                (State::Next, Some(_)) => return Err(self.invalid("a comma is missing")),
                (State::First, Some(next)) => return self.record(next, State::Next).map(Some),
                (State::Start, Some(b'{')) => return self.record(b'{', State::Lines).map(Some),
                (State::Start, Some(next)) => return self.record(next, State::End).map(Some),
            }
        }
    }

    fn peek(&mut self) -> Result<Option<u8>, Refused> {
        self.source.peek().map_err(|why| self.io(&why))
    }

    /// Passes over one byte.
    fn step(&mut self, state: State) -> Result<(), Refused> {
        self.state = state;
        self.source.read_exact(&mut [0]).map_err(|why| self.io(&why))
    }

    /// The record that begins here with `first`.
    fn record(&mut self, first: u8, state: State) -> Result<(Row, Value), Refused> {
        self.state = state;
        self.row += 1;
        let row = Row { offset: self.source.offset, row: self.row, line: self.source.line, cells: Vec::new() };
        if !matches!(first, b'{' | b'[' | b'"') {
            let word = self.source.word().map_err(|why| self.io(&why))?;
            return match (serde_json::from_slice(&word), self.peek()?) {
                (Ok(value), _) => Ok((row, value)),
                (Err(_), None) => Err(self.cut_off()),
                (Err(_), Some(_)) => Err(self.invalid("a value is missing or not valid")),
            };
        }
        let mut limited = self.source.by_ref().take(MAX_RECORD);
        let read = Value::deserialize(&mut serde_json::Deserializer::from_reader(&mut limited));
        let is_too_long = limited.limit() == 0;
        self.ended = self.source.line;
        let why = match read {
            Ok(value) => return Ok((row, value)),
            Err(why) => why,
        };
        Err(match why.classify() {
            serde_json::error::Category::Io => self.io(&why.into()),
            _ if is_too_long => {
                let message = format!(
                    "A record of the JSON file has more than {} MiB, which is more than is read at once. Export a shorter \
                     period, or split it into several files.",
                    MAX_RECORD >> 20
                );
                Finding::new(FindingCode::TooLarge, &self.input.shown, message).at(row.row, row.line).into()
            }
            serde_json::error::Category::Eof => self.cut_off(),
            _ => {
                let why = why.to_string();
                // The parser counts from the beginning of the record.
                self.invalid(why.split(" at line ").next().unwrap_or_default())
            }
        })
    }

    fn io(&self, why: &io::Error) -> Refused {
        unreadable(&self.input.shown, why)
    }

    fn cut_off(&self) -> Refused {
        let message = "The file ends within a value: it is cut off. Get the file again. Nothing was stored.";
        Finding::new(FindingCode::CutOff, &self.input.shown, message).at(self.row.max(1), self.source.line).into()
    }

    fn invalid(&self, why: &str) -> Refused {
        let (code, message) = if self.input.open().is_ok_and(is_utf8) {
            let message = format!("The file is not well-formed JSON ({why}). Get the file again. Nothing was stored.");
            (FindingCode::JsonInvalid, message)
        } else {
            let message = "The JSON file is not UTF-8. Get it again, or save it as UTF-8.";
            (FindingCode::EncodingUnknown, message.to_owned())
        };
        Finding::new(code, &self.input.shown, message).at(self.row.max(1), self.source.line).into()
    }
}

fn is_utf8(mut file: Section) -> bool {
    let (mut buffer, mut kept) = (vec![0; 1 << 16], 0);
    loop {
        let count = file.read(&mut buffer[kept..]).unwrap_or_default();
        let end = kept + count;
        match std::str::from_utf8(&buffer[..end]) {
            Ok(_) => kept = 0,
            // A character goes on in what is read next.
            Err(why) if why.error_len().is_none() && count > 0 => {
                buffer.copy_within(why.valid_up_to()..end, 0);
                kept = end - why.valid_up_to();
            }
            Err(_) => return false,
        }
        if count == 0 {
            return true;
        }
    }
}

/// A file that knows its place.
struct Source {
    reader: BufReader<Section>,
    offset: u64,
    line: u32,
}

impl Source {
    fn pass_over_mark(&mut self) -> io::Result<()> {
        if self.reader.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
            self.read_exact(&mut [0; BYTE_ORDER_MARK.len()])?;
        }
        Ok(())
    }

    /// The next byte that is not whitespace. It stays unread.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            let bytes = self.reader.fill_buf()?;
            let spaces = bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
            let (is_empty, next) = (bytes.is_empty(), bytes.get(spaces).copied());
            let lines = bytes.iter().take(spaces).filter(|byte| **byte == b'\n').count();
            self.reader.consume(spaces);
            self.passed(spaces, lines);
            if is_empty || next.is_some() {
                return Ok(next);
            }
        }
    }

    /// A number, or a word such as `null`: up to the byte that ends it.
    fn word(&mut self) -> io::Result<Vec<u8>> {
        let mut word = Vec::new();
        while word.len() < MAX_WORD {
            match self.reader.fill_buf()?.first() {
                None | Some(b',' | b']' | b' ' | b'\t' | b'\r' | b'\n') => break,
                Some(byte) => word.push(*byte),
            }
            self.reader.consume(1);
            self.passed(1, 0);
        }
        Ok(word)
    }

    fn passed(&mut self, bytes: usize, lines: usize) {
        self.offset += bytes as u64;
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        let lines = buffer.iter().take(count).filter(|byte| **byte == b'\n').count();
        self.passed(count, lines);
        Ok(count)
    }
}
