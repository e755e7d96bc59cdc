//! Mails as files have them: one in each (`.eml`, Maildir), or many behind `From ` lines (mbox, in each of the ways to quote such
//! lines in mails). One mail is held at a time, so that a mailbox may have any length.

use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};

use crate::finding::Refused;
use crate::section::Section;
use crate::table::{Row, unreadable};

/// The longest mail that is read, in bytes.
const MAX_MAIL: usize = 64 << 20;
/// A longer line is read in pieces.
const MAX_LINE: u64 = 1 << 16;
/// Headers of which a mail has at least two.
const HEADERS: [&str; 10] = [
    "date",
    "delivered-to",
    "from",
    "message-id",
    "mime-version",
    "received",
    "reply-to",
    "return-path",
    "subject",
    "to",
];

/// How other headers begin that may stand first in a mail.
const FIRST_HEADERS: [&str; 16] = [
    "arc-",
    "authentication-",
    "bcc",
    "cc",
    "content-",
    "dkim-",
    "fcc",
    "in-reply-to",
    "list-",
    "precedence",
    "received-",
    "references",
    "sender",
    "thread-",
    "user-agent",
    "x-",
];

/// Whether a file that begins so is a mail (false) or a mailbox (true).
pub(crate) fn recognise(start: &[u8]) -> Option<bool> {
    let written = start.trim_ascii_start();
    let end = written.iter().position(|byte| *byte == b'\n').map_or(written.len(), |end| end + 1);
    let (first, rest) = written.split_at(end);
    if is_from_line(first) || is_short_from_line(first) {
        return has_headers(rest).then_some(true);
    }
    has_headers(start).then_some(false)
}

fn has_headers(start: &[u8]) -> bool {
    let (mut known, mut wrong) = (0_u32, 0);
    for line in start.split(|byte| *byte == b'\n') {
        match (line.trim_ascii_end(), header(line)) {
            ([], _) => break,
            ([b' ' | b'\t', ..], _) => {}
            (_, Some(name)) => {
                let place = HEADERS.iter().position(|header| name.eq_ignore_ascii_case(header.as_bytes()));
                known |= place.map_or(0, |place| 1 << place);
            }
            (_, None) => wrong += 1,
        }
    }
    known.count_ones() >= 2 && wrong < known.count_ones()
}

/// The name of the header that a line begins with.
fn header(line: &[u8]) -> Option<&[u8]> {
    let name = line.split(|byte| *byte == b':').next().filter(|name| name.len() < line.len())?;
    (!name.is_empty() && name.iter().all(u8::is_ascii_graphic)).then_some(name)
}

/// Whether a line is a header that may stand first in a mail.
fn is_first_header(line: &[u8]) -> bool {
    let Some(name) = header(line).map(<[u8]>::to_ascii_lowercase) else { return false };
    HEADERS.iter().any(|header| name == header.as_bytes())
        || FIRST_HEADERS.iter().any(|begins| name.starts_with(begins.as_bytes()))
}

/// Whether a line is what mailboxes have before each mail: `From `, the sender, and a time with its year.
fn is_from_line(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else { return false };
    let mut words = rest.split(u8::is_ascii_whitespace);
    let is_time =
        |word: &[u8]| matches!(word, [h, m, b':', s, t, ..] if [h, m, s, t].iter().all(|it| it.is_ascii_digit()));
    let is_year = |word: &[u8]| matches!(word, [b'1', b'9', ..] | [b'2', b'0', ..]) && word.len() == 4;
    words.any(is_time) && rest.split(u8::is_ascii_whitespace).any(is_year)
}

/// Whether a line may be what comes before a mail, although it has no time: `From`, and at most a sender and one word more, such as
/// Thunderbird writes. In a mail, such a line may be text.
fn is_short_from_line(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"From").filter(|rest| rest.first().is_none_or(u8::is_ascii_whitespace));
    rest.is_some_and(|rest| rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() <= 2)
}

/// A mail, and where it is.
pub(crate) struct Mail {
    pub(crate) row: Row,
    /// None if it is too long to be read.
    pub(crate) bytes: Option<Vec<u8>>,
}

/// Reads one mail after the other.
pub(crate) struct Mailbox {
    input: BufReader<Section>,
    shown: String,
    is_mbox: bool,
    /// The line that comes next, and the one after it; empty at the end.
    lines: [Vec<u8>; 2],
    /// Where the next line begins.
    offset: u64,
    line: u32,
    row: u32,
}

impl Mailbox {
    /// Begins at a mail that was read before, or at 0.
    pub(crate) fn new(mut file: Section, shown: &str, is_mbox: bool, offset: u64) -> Result<Self, Refused> {
        file.seek(SeekFrom::Start(offset)).map_err(|why| unreadable(shown, &why))?;
        let (input, lines) = (BufReader::with_capacity(MAX_LINE as usize, file), [Vec::new(), Vec::new()]);
        let mut mailbox = Self { input, shown: shown.to_owned(), is_mbox, lines, offset, line: 1, row: 0 };
        mailbox.advance()?;
        mailbox.advance()?;
        Ok(mailbox)
    }

    fn advance(&mut self) -> Result<(), Refused> {
        let [next, after] = &mut self.lines;
        self.offset += next.len() as u64;
        self.line = self.line.saturating_add(u32::from(next.ends_with(b"\n")));
        std::mem::swap(next, after);
        after.clear();
        let read = (&mut self.input).take(MAX_LINE).read_until(b'\n', after);
        read.map(|_| ()).map_err(|why| unreadable(&self.shown, &why))
    }

    /// The next mail.
    pub(crate) fn next(&mut self) -> Result<Option<Mail>, Refused> {
        while self.is_mbox && self.row == 0 && is_blank(&self.lines[0]) {
            self.advance()?;
        }
        if self.lines[0].is_empty() {
            return Ok(None);
        }
        self.row = self.row.saturating_add(1);
        let row = Row { offset: self.offset, row: self.row, line: self.line, cells: Vec::new() };
        if self.is_mbox && (is_from_line(&self.lines[0]) || is_short_from_line(&self.lines[0])) {
            self.advance()?;
        }
        let (mut bytes, mut is_line_start, mut is_after_blank) = (Some(Vec::new()), true, false);
        while !self.lines[0].is_empty() {
            let [next, after] = &self.lines;
            let mut line = next.as_slice();
            if self.is_mbox && is_line_start {
                let is_end = is_from_line(line) && header(after).is_some()
                    || is_after_blank && is_short_from_line(line) && is_first_header(after);
                if is_end {
                    break;
                }
                let signs = line.iter().take_while(|byte| **byte == b'>').count();
                if signs > 0 && line[signs..].starts_with(b"From ") {
                    line = &line[1..];
                }
            }
            is_after_blank = is_blank(line);
            is_line_start = line.ends_with(b"\n");
            bytes = bytes.filter(|bytes| bytes.len() + line.len() <= MAX_MAIL);
            if let Some(bytes) = &mut bytes {
                bytes.extend_from_slice(line);
            }
            self.advance()?;
        }
        Ok(Some(Mail { row, bytes }))
    }
}

/// Whether a line has a line break and nothing else.
fn is_blank(line: &[u8]) -> bool {
    !line.is_empty() && line.trim_ascii().is_empty()
}

/// The mail at a place; none if it is too long to be read.
pub(crate) fn again(file: Section, shown: &str, is_mbox: bool, offset: u64) -> Result<Option<Vec<u8>>, Refused> {
    let mail = Mailbox::new(file, shown, is_mbox, offset)?.next()?;
    Ok(mail.and_then(|mail| mail.bytes))
}
