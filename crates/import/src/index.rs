//! Where the rows of each order are: 24 bytes for a row, however long it is.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use crate::build::key;
use crate::document::Records;
use crate::finding::{Finding, FindingCode, Findings, Refused};
use crate::format::{Field, Format};
use crate::input::Input;
use crate::layout::{Dates, Kind, Layout};
use crate::mail;
use crate::mailbox::{Mail, Mailbox};
use crate::number::is_rounded;
use crate::reading::{At, Data, View};
use crate::saved;
use crate::table::{Row, Table};
use crate::told::Told;

/// A row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    /// Of the order's number.
    pub(crate) hash: u64,
    /// Which layout, and the first byte in its file.
    place: u64,
    row: u32,
    line: u32,
}

const OFFSET_BITS: u32 = 40;

impl Entry {
    pub(crate) const fn layout(self) -> usize {
        (self.place >> OFFSET_BITS) as usize
    }

    pub(crate) const fn offset(self) -> u64 {
        self.place & ((1 << OFFSET_BITS) - 1)
    }

    pub(crate) const fn at(self) -> At {
        At { row: self.row, line: self.line }
    }
}

/// The rows of one order, or of a few whose numbers have one hash.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    start: u32,
    count: u32,
    /// Where its first row is.
    pub(crate) first: u64,
    /// Whose it is, by number.
    pub(crate) kind: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Index {
    entries: Vec<Entry>,
    groups: Vec<Group>,
    /// Keyed at random, so that nobody can write a file whose orders all have one hash.
    hasher: RandomState,
}

impl Index {
    /// Reads all files once.
    pub(crate) fn read(inputs: &[Input], layouts: &mut [Layout], findings: &mut Findings) -> Result<Self, Refused> {
        let hasher = RandomState::new();
        let mut entries = Vec::new();
        for (number, layout) in layouts.iter_mut().enumerate() {
            let input = &inputs[layout.input];
            let place = |offset: u64| ((number as u64) << OFFSET_BITS) | offset;
            if input.length() >> OFFSET_BITS > 0 || number >> (64 - OFFSET_BITS) > 0 {
                let message = "There are more or larger files than the import reads. Import a part of them.";
                return Err(Finding::new(FindingCode::TooLarge, &input.shown, message).into());
            }
            let format = layout.format.clone();
            let (first, mut in_doubt) = (entries.len(), Vec::new());
            let mut add = |seen: Seen, row: &Row| {
                let entry = |key: &str| {
                    let hash = hasher.hash_one((format.family(), key));
                    Entry { hash, place: place(row.offset), row: row.row, line: row.line }
                };
                match seen {
                    Seen::Order(key) => entries.push(entry(&key)),
                    Seen::InDoubt(key) => in_doubt.push(entry(&key)),
                    Seen::Problem((code, message)) => {
                        findings.add(Finding::new(code, &input.shown, message).at(row.row, row.line));
                    }
                }
            };
            layout.rows = rows(input, layout, &format, &mut add)?;
            if !in_doubt.is_empty() {
                let known: HashSet<u64> = entries[first..].iter().map(|entry: &Entry| entry.hash).collect();
                let (of_orders, others): (Vec<_>, Vec<_>) =
                    in_doubt.into_iter().partition(|entry| known.contains(&entry.hash));
                entries.extend(of_orders);
                for Entry { row, line, .. } in others {
                    let message = "The row has neither a title nor a date, like a row of totals, and was left out. If it is \
                                   an order, add its date.";
                    let finding = Finding::new(FindingCode::RowWithoutOrder, &input.shown, message);
                    findings.add(finding.at(row, line));
                }
            }
            if let Kind::Csv { charset, .. } = &layout.kind
                && charset.is_presumed()
            {
                let message = "The file is not UTF-8, and was read as Windows-1252. If titles look wrong, name its encoding in a \
                               mapping.";
                findings.add(Finding::new(FindingCode::EncodingPresumed, &input.shown, message));
            }
            if let Some((one, other)) = layout.dates.doubt() {
                let remedy = match format.is_own {
                    true => "Delete the wrong one from `date_format` in the mapping.".to_owned(),
                    false => format!(
                        "Name the right one in a mapping: `like = \"{}\"` and `date_format = \"{one}\"`, and use it with --map.",
                        format.name
                    ),
                };
                let message = format!(
                    "Nothing in the file proves whether its dates are \"{one}\" or \"{other}\". {remedy} Nothing was stored."
                );
                return Err(Finding::new(FindingCode::DateOrderUnknown, &input.shown, message).into());
            }
        }
        entries.sort_unstable();
        let mut groups: Vec<Group> = Vec::new();
        let mut before: Option<u64> = None;
        for (index, entry) in entries.iter().enumerate() {
            match groups.last_mut() {
                Some(group) if before == Some(entry.hash) => group.count += 1,
                _ => {
                    let start = u32::try_from(index).map_err(|_| {
                        let message = "There are more rows than the import reads. Import a part of the files.";
                        Refused::from(Finding::new(FindingCode::TooLarge, "", message))
                    })?;
                    groups.push(Group { start, count: 1, first: entry.place, kind: u32::MAX });
                }
            }
            before = Some(entry.hash);
        }
        groups.sort_unstable_by_key(|group| group.first);
        Ok(Self { entries, groups, hasher })
    }

    /// The hash of an order's number.
    pub(crate) fn hash(&self, format: &Format, number: &str) -> u64 {
        self.hasher.hash_one((format.family(), number))
    }

    pub(crate) fn take_groups(&mut self) -> Vec<Group> {
        std::mem::take(&mut self.groups)
    }

    pub(crate) fn put_groups(&mut self, groups: Vec<Group>) {
        self.groups = groups;
    }

    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The rows of a group, in the order of the files.
    pub(crate) fn entries(&self, group: &Group) -> &[Entry] {
        let start = group.start as usize;
        self.entries.get(start..start + group.count as usize).unwrap_or_default()
    }
}

/// Why a row is left out.
type Problem = (FindingCode, String);

/// A row, and the number of its order.
enum Seen {
    Order(String),
    /// A row of a table that has neither a title nor a date. If no other row has its number, it is a total.
    InDoubt(String),
    Problem(Problem),
}

impl From<Result<String, Problem>> for Seen {
    fn from(found: Result<String, Problem>) -> Self {
        found.map_or_else(Self::Problem, Self::Order)
    }
}

/// Calls `add` with each row and the number of its order.
fn rows(input: &Input, layout: &mut Layout, format: &Format, add: &mut dyn FnMut(Seen, &Row)) -> Result<u64, Refused> {
    let dates = &mut layout.dates;
    let prove = |view: &View<'_>, dates: &mut Dates| {
        if let Some(text) = format.source(Field::OrderDate).and_then(|source| view.text(source, format)) {
            dates.prove(&text);
        }
        let missing = || (FindingCode::RowWithoutOrder, "The row has no order number, and was left out.".to_owned());
        let number = key(view, format, dates).ok_or_else(missing)?;
        if format.source(Field::OrderId).is_some() && is_rounded(&number) {
            let message = format!(
                "The number of the order is \"{number}\": a spreadsheet rounded it, and its digits are lost. The row was left \
                 out. Get the file again, and import it as it is."
            );
            return Err((FindingCode::OrderNumberRounded, message));
        }
        Ok(number)
    };
    let mut count = 0;
    match &mut layout.kind {
        Kind::Csv { delimiter, charset, columns, width } => {
            let mut table = Table::new(input.open()?, &input.shown, *delimiter, *charset)?;
            let header = table.next()?.unwrap_or_default();
            let is_header =
                |row: &Row| row.cells.iter().zip(&header.cells).all(|(cell, name)| cell.trim() == name.trim());
            let sign = char::from(*delimiter);
            let mut read = || loop {
                match table.next()? {
                    Some(row) if format.is_footer(&row.cells) => {}
                    row => return Ok::<_, Refused>(row.map(|row| (row, table.has_odd_quote))),
                }
            };
            let mut next = read()?;
            while let Some((row, has_odd_quote)) = next {
                // What a row begins with and nothing ends is a row that was cut off.
                next = read()?;
                let is_last = next.is_none();
                let beyond = row.cells.iter().skip(*width);
                if row.cells.len() < *width || beyond.into_iter().any(|cell| !cell.is_empty()) {
                    return Err(wrong_width(&row, *width, is_last, &input.shown));
                }
                count += 1;
                if is_header(&row) {
                    let message = "The row repeats the header, as in files that were joined, and was left out.";
                    add(Seen::Problem((FindingCode::RowWithoutOrder, message.to_owned())), &row);
                    continue;
                }
                if let Some(message) = odd_quotes(&row.cells, has_odd_quote, sign, *width) {
                    add(Seen::Problem((FindingCode::QuoteOpen, message.to_owned())), &row);
                }
                let view = View { at: At { row: row.row, line: row.line }, data: Data::Cells(&row.cells, columns) };
                let seen = match prove(&view, dates) {
                    Ok(number) if may_be_total(&view, format, &number) => Seen::InDoubt(number),
                    found => found.into(),
                };
                add(seen, &row);
            }
            *charset = table.charset;
        }
        Kind::Json => {
            let mut records = Records::of(input)?;
            while let Some((row, value)) = records.next()? {
                count += 1;
                let orders = format.orders(&value);
                for order in &orders {
                    let data = Data::Json { order, group: order, line: order };
                    add(prove(&View { at: At { row: row.row, line: row.line }, data }, dates).into(), &row);
                }
                if orders.is_empty() {
                    let message = "The record has no orders, and was left out.";
                    add(Seen::Problem((FindingCode::RowWithoutOrder, message.to_owned())), &row);
                }
            }
        }
        Kind::Page => {
            let told = saved::open(input)?.map_or_else(|_| Told::default(), |page| page.told);
            let row = Row { offset: 0, row: 0, line: 0, cells: Vec::new() };
            for order in &told.orders {
                count += 1;
                let data = Data::Json { order, group: order, line: order };
                add(prove(&View { at: At { row: 0, line: 0 }, data }, dates).into(), &row);
            }
            told.problems.into_iter().for_each(|problem| add(Seen::Problem(problem), &row));
        }
        Kind::Mails { is_mbox, without_orders } => {
            let mut mailbox = Mailbox::new(input.open()?, &input.shown, *is_mbox, 0)?;
            while let Some(Mail { row, bytes }) = mailbox.next()? {
                count += 1;
                let told = bytes.map(|bytes| mail::read(&bytes, format)).unwrap_or_else(Told::too_long);
                *without_orders += u64::from(!told.says_something());
                for order in &told.orders {
                    let data = Data::Json { order, group: order, line: order };
                    add(prove(&View { at: At { row: row.row, line: row.line }, data }, dates).into(), &row);
                }
                told.problems.into_iter().for_each(|problem| add(Seen::Problem(problem), &row));
            }
        }
    }
    Ok(count)
}

/// True if a row has neither a title nor a date, like one of totals. The orders of a mapping may lack both, but its numbers
/// have digits.
fn may_be_total(view: &View<'_>, format: &Format, number: &str) -> bool {
    let lacks = |field| format.source(field).is_some_and(|source| view.text(source, format).is_none());
    lacks(Field::ItemName) && lacks(Field::OrderDate) && !(format.is_own && number.chars().any(char::is_numeric))
}

/// The finding about the quotes of a row. A quote that nobody closes ends at the next one, and the lines up to there are in
/// one cell: all of them together have the delimiters of whole rows.
fn odd_quotes(cells: &[String], has_odd_quote: bool, delimiter: char, width: usize) -> Option<&'static str> {
    if has_odd_quote {
        return Some(
            "Text follows the closing quote of a cell. It was read as it is: look whether a quote within the text was \
             meant, which has to be doubled.",
        );
    }
    let of_lines = |cell: &&String| cell.contains(['\n', '\r']);
    let breaks = |cell: &String| cell.matches('\n').count().max(cell.matches('\r').count());
    let breaks: usize = cells.iter().filter(of_lines).map(breaks).sum();
    let within: usize = cells.iter().filter(of_lines).map(|cell| cell.matches(delimiter).count()).sum();
    let are_rows = width >= 5 && breaks > 0 && within + cells.len() == (breaks + 1) * (width - 1) + 1;
    are_rows.then_some(
        "A cell of the row has line breaks and as many delimiters as whole rows: if its quote was opened by mistake, it \
         holds other rows, which are not read. Look at the row, and correct the quote.",
    )
}

fn wrong_width(row: &Row, width: usize, is_last: bool, shown: &str) -> Refused {
    let cells = match row.cells.len() {
        1 => "1 cell".to_owned(),
        count => format!("{count} cells"),
    };
    let (code, message) = if is_last && row.cells.len() < width {
        let message = format!(
            "The last row has {cells} in place of {width}: the file is cut off. Download it again. Nothing was stored."
        );
        (FindingCode::CutOff, message)
    } else {
        let message = format!(
            "The row has {cells}, and the header has {width}: nobody can tell which is which. Correct the row, or get the \
             file again. Nothing was stored."
        );
        (FindingCode::RowWidth, message)
    };
    Finding::new(code, shown, message).at(row.row, row.line).into()
}
