//! `--since-last`: an export of what is new or changed since the last successful one of the same name.
//!
//! The whole list is read, since changed items may be anywhere in it; if the service says that it is the same list as
//! then ([`Sink::list`]), only its first page is read. The state of a name advances only after the export is in its
//! final place: if the command dies in between, an item can be exported twice, but none is ever left out.

mod fingerprints;

use std::fs::{File, TryLockError};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

pub(crate) use fingerprints::{Difference, Header};
use fingerprints::{Fingerprint, KnownItems, RECORD};

use super::Sink;
use super::digest::{digest, first_bits};
use super::row::{Column, Row};
use crate::client::OrderFilter;
use crate::errors::{Error, Result, codes};
use crate::files::private::create_private_folder;

/// Letters of a name at most.
const LONGEST_NAME: usize = 64;

/// The exports of one name: what the last one held, and what this one holds so far.
#[derive(Debug)]
pub(crate) struct Increment {
    name: String,
    path: PathBuf,
    pending_path: PathBuf,
    pending: File,
    known: Option<Arc<KnownItems>>,
    about: Header,
    /// Locked as long as this exists.
    _lock: File,
}

impl Increment {
    /// Takes up what is known of a name, in this folder. What was read so far belongs to `target`, where the export goes:
    /// an interrupted one resumes with its own, whatever was exported elsewhere meanwhile.
    pub(crate) fn open(folder: &Path, name: &str, about: Header, target: &str) -> Result<Self> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if name.is_empty() || name.len() > LONGEST_NAME || name.starts_with('.') || !name.chars().all(is_plain) {
            return Err(Error::usage(format!("`{name}` cannot be the name of an export."))
                .hint(format!("Letters, digits, - _ and . make a name, {LONGEST_NAME} at most.")));
        }
        let path = folder.join(format!("{name}.known"));
        let pending_path = folder.join(format!("{name}.{:032x}.pending", digest(target)));
        create_private_folder(folder)?;
        let open = |path: &Path| {
            let file = File::options().read(true).append(true).create(true).open(path);
            file.map_err(|why| Error::file("write", path, &why))
        };
        let lock = open(&folder.join(format!("{name}.lock")))?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return Err(Error::usage(format!("Another command is exporting under the name `{name}`."))
                .hint("Wait for it to end, or give another name with --since-last."));
        }
        let known = KnownItems::open(&path).map_err(|why| {
            Error::file("read", &path, &why).hint("Move it away to export everything under this name again.")
        })?;
        if let Some(difference) = known.as_ref().and_then(|known| known.about.selection.difference(&about.selection)) {
            return Err(Error::usage(format!("The exports named `{name}` have another {difference}."))
                .hint("Give these another name: --since-last NAME"));
        }
        let (known, pending) = (known.map(Arc::new), open(&pending_path)?);
        Ok(Self { name: name.to_owned(), path, pending_path, pending, known, about, _lock: lock })
    }

    /// Puts in front of `sink` what leaves out all that is known. `filter` is what the service is asked for.
    pub(crate) fn before<S: Sink>(&self, sink: S, filter: &OrderFilter) -> Result<Changes<S>> {
        let pending = self.pending.try_clone().map_err(|why| self.failed(&why))?;
        let known = self.known.clone();
        let (list, path) = (List::of(filter), self.pending_path.clone());
        Ok(Changes { sink, known, pending: BufWriter::new(pending), list, path, count: 0 })
    }

    /// After the export is where it belongs: what it held is known from now on. If that fails, everything that was
    /// exported counts as new or changed the next time, too.
    pub(crate) fn commit(mut self, list: List) -> Result<Difference> {
        let difference = if list == List::Known {
            Difference::default()
        } else {
            self.about.list = list.name();
            fingerprints::replace(&self.path, &self.pending, self.known.as_deref(), &self.about).map_err(|why| {
                self.failed(&why)
                    .hint("The export is whole, but the next one under this name will hold all of it again.")
            })?
        };
        let _ = std::fs::remove_file(&self.pending_path);
        Ok(difference)
    }

    fn failed(&self, why: &std::io::Error) -> Error {
        Error::io(&codes::command::FILE, format!("What is known of the exports `{}` cannot be kept", self.name), why)
    }
}

/// Which list was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum List {
    /// Nothing was read yet; the filter.
    Unread(String),
    /// All of it was of this version.
    One(String),
    /// It changed, or has no version.
    Many,
    /// That of the last export.
    Known,
}

impl List {
    fn of(filter: &OrderFilter) -> Self {
        let OrderFilter { retailer_id, since, until, days: _, with_adjustments } = filter;
        // What earlier versions kept stays comparable.
        let with = if *with_adjustments { " adjustments" } else { "" };
        Self::Unread(format!("{retailer_id:?} {since:?} {until:?}{with}"))
    }

    fn name(self) -> Option<String> {
        match self {
            Self::One(name) => Some(name),
            _ => None,
        }
    }
}

/// Lets through what is new or changed, marked.
pub(crate) struct Changes<S> {
    sink: S,
    known: Option<Arc<KnownItems>>,
    pending: BufWriter<File>,
    path: PathBuf,
    list: List,
    /// Items that it let through.
    count: u64,
}

impl<S> Changes<S> {
    /// How many items it let through, and of which list.
    pub(crate) fn finish(self) -> (u64, List) {
        (self.count, self.list)
    }

    fn failed(&self, why: &std::io::Error) -> Error {
        Error::file("write", &self.path, why)
    }

    /// What an item is by comparison; `None`: the same as before.
    fn mark(&self, record: Fingerprint) -> Option<&'static str> {
        match self.known.as_ref().and_then(|known| known.content(record.id)) {
            None => Some("new"),
            Some(content) if content != record.content => Some("changed"),
            Some(_) => None,
        }
    }

    fn take(&mut self, row: &Row<'_>) -> std::io::Result<Option<&'static str>> {
        let record = Fingerprint { id: digest(row.text(Column::Id).unwrap_or_default()), content: content(row) };
        self.pending.write_all(&record.bytes())?;
        Ok(self.mark(record))
    }

    /// Takes up what an earlier command had read: so many rows, all of which are pending.
    fn take_up(&mut self, rows: u64) -> std::io::Result<()> {
        self.pending.get_ref().set_len(rows * RECORD as u64)?;
        let mut count = 0;
        for record in fingerprints::first(self.pending.get_ref(), rows)? {
            count += u64::from(self.mark(record?).is_some());
        }
        self.count += count;
        Ok(())
    }
}

impl<S: Sink> Sink for Changes<S> {
    fn begin(&mut self) -> Result<()> {
        self.pending.get_ref().set_len(0).map_err(|why| self.failed(&why))?;
        self.sink.begin()
    }

    fn resume(&mut self, position: u64, rows: u64) -> Result<()> {
        let length = self.pending.get_ref().metadata().map_err(|why| self.failed(&why))?.len();
        if length < rows * RECORD as u64 {
            return Err(Error::usage("The rows that the interrupted export had read are missing.")
                .hint("Start anew: the same command with --restart"));
        }
        self.take_up(rows).map_err(|why| self.failed(&why))?;
        // Who knows which versions the rows were of.
        self.list = List::Many;
        self.sink.resume(position, rows)
    }

    fn list(&mut self, version: Option<&str>) -> bool {
        self.list = match (std::mem::replace(&mut self.list, List::Many), version) {
            (List::Unread(filter), Some(version)) => {
                let name = format!("{version} {filter}");
                if self.known.as_ref().is_some_and(|known| known.about.list.as_ref() == Some(&name)) {
                    List::Known
                } else {
                    List::One(name)
                }
            }
            (List::One(name), Some(version)) if name.split(' ').next() == Some(version) => List::One(name),
            _ => List::Many,
        };
        self.list == List::Known
    }

    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        let mut fresh = Vec::new();
        for row in rows {
            if let Some(mark) = self.take(row).map_err(|why| self.failed(&why))? {
                fresh.push(row.clone().marked(mark));
            }
        }
        self.count += fresh.len() as u64;
        if fresh.is_empty() { Ok(()) } else { self.sink.rows(&fresh) }
    }

    fn flush(&mut self) -> Result<()> {
        self.pending.flush().map_err(|why| self.failed(&why))?;
        self.sink.flush()
    }

    fn end(&mut self) -> Result<()> {
        self.pending.flush().map_err(|why| self.failed(&why))?;
        self.sink.end()
    }

    fn position(&self) -> Option<u64> {
        self.sink.position()
    }
}

/// All that an item is, but when the service wrote it and its line total: services fill that in later. What earlier versions
/// of this command kept stays comparable: a field that came later counts only if it is there.
fn content(row: &Row<'_>) -> u128 {
    let mut digest = Sha256::new();
    let counts = |column: &Column| !matches!(column, Column::UpdatedAt | Column::LineTotal);
    for column in Column::SERVED.into_iter().filter(counts) {
        match row.text(column) {
            None if column == Column::MissingSince => {}
            None => digest.update([0]),
            Some(text) => {
                digest.update([1]);
                digest.update((text.len() as u64).to_be_bytes());
                digest.update(text);
            }
        }
    }
    for column in [Column::LineAdjustments, Column::OrderAdjustments, Column::Shipments] {
        if let Some(text) = row.text(column) {
            digest.update(format!("{} {} {text}", column.name(), text.len()));
        }
    }
    first_bits(&digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_total_is_no_change_and_a_missing_order_is_one() {
        let content = |json: &str| content(&Row::read(json).expect("a row"));
        let before = content(r#"{"id":"a","price":1.50,"orderTotal":3.00,"updatedAt":"2026-01-01T00:00:00Z"}"#);
        assert_eq!(content(r#"{"id":"a","price":1.50,"lineTotal":3.00,"orderTotal":3.00}"#), before);
        // The digest that version 974d485 kept of this item.
        assert_eq!(format!("{before:032x}"), "7beb126e31ad1f06188ad15aea85f84f");
        assert_ne!(content(r#"{"id":"a","price":1.60,"orderTotal":3.00}"#), before);
        let adjusted = content(r#"{"id":"a","price":1.50,"orderTotal":3.00,"orderAdjustments":[{"amount":1}]}"#);
        assert_ne!(adjusted, before);
        assert_ne!(content(r#"{"id":"a","price":1.50,"orderTotal":3.00,"lineAdjustments":[{"amount":1}]}"#), adjusted);
        assert_eq!(content(r#"{"id":"a","price":1.50,"orderTotal":3.00,"orderAdjustments":null}"#), before);
        assert_ne!(
            content(r#"{"id":"a","price":1.50,"orderTotal":3.00,"missingSince":"2026-01-02T00:00:00Z"}"#),
            before
        );
    }
}
