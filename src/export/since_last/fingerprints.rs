//! What an earlier export held: for each item a digest of its id and one of its content, in one file after a JSON line
//! that describes the selection. All of them are in memory while an export is compared with it: 70 MB for a million
//! items.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Seek as _, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::export::digest::first_bits;
use crate::export::selection::Selection;
use crate::files::atomic;

/// Bytes of a record.
pub(super) const RECORD: usize = 32;

/// An item: digests of its id and its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fingerprint {
    pub(super) id: u128,
    pub(super) content: u128,
}

/// What the items were selected by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Header {
    /// As the user said it.
    #[serde(flatten)]
    pub selection: Selection,
    /// The resolved bounds, and the version of the list, if the service gave one that did not change.
    pub list: Option<String>,
}

/// How an export differs from the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Items that were not in it.
    pub new: u64,
    /// Items that were otherwise in it.
    pub changed: u64,
    /// Items that were in it, and are not any more.
    pub gone: u64,
}

/// The items of an earlier export.
#[derive(Debug)]
pub(super) struct KnownItems {
    /// The digest of the content, by that of the id.
    contents: HashMap<u128, u128>,
    pub(super) about: Header,
}

impl Fingerprint {
    pub(super) fn bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        let (id, content) = bytes.split_at_mut(16);
        id.copy_from_slice(&self.id.to_be_bytes());
        content.copy_from_slice(&self.content.to_be_bytes());
        bytes
    }

    fn read(bytes: &[u8; RECORD]) -> Self {
        let (id, content) = bytes.split_at(16);
        Self { id: first_bits(id), content: first_bits(content) }
    }
}

impl KnownItems {
    /// Reads what an earlier export left; `None`: there was none.
    pub(super) fn open(path: &Path) -> io::Result<Option<Self>> {
        let file = match File::open(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let length = file.metadata()?.len();
        let mut reader = BufReader::with_capacity(1 << 16, file);
        let mut line = String::new();
        let start = reader.read_line(&mut line)? as u64;
        let about = serde_json::from_str(&line)?;
        let length = length - start;
        if !length.is_multiple_of(RECORD as u64) {
            return Err(io::Error::other("it has been cut"));
        }
        let count = length / RECORD as u64;
        let mut contents = HashMap::with_capacity(count as usize);
        for record in records(reader, count) {
            let Fingerprint { id, content } = record?;
            contents.insert(id, content);
        }
        Ok(Some(Self { contents, about }))
    }

    /// The content that an item had.
    pub(super) fn content(&self, id: u128) -> Option<u128> {
        self.contents.get(&id).copied()
    }
}

/// The first records of a file.
pub(super) fn first(mut file: &File, count: u64) -> io::Result<impl Iterator<Item = io::Result<Fingerprint>>> {
    file.rewind()?;
    Ok(records(BufReader::with_capacity(1 << 16, file), count))
}

fn records(mut reader: impl Read, count: u64) -> impl Iterator<Item = io::Result<Fingerprint>> {
    (0..count).map(move |_| {
        let mut bytes = [0; RECORD];
        reader.read_exact(&mut bytes).map(|()| Fingerprint::read(&bytes))
    })
}

/// Replaces the known records with those of `pending`. `known` are the ones before.
pub(super) fn replace(
    path: &Path,
    pending: &File,
    known: Option<&KnownItems>,
    about: &Header,
) -> io::Result<Difference> {
    let file = NamedTempFile::with_prefix_in(".ordersync-", atomic::folder(path))?;
    let mut writer = BufWriter::with_capacity(1 << 16, &file);
    serde_json::to_writer(&mut writer, about)?;
    writer.write_all(b"\n")?;
    let mut difference =
        Difference { gone: known.map_or(0, |known| known.contents.len() as u64), ..Difference::default() };
    for record in first(pending, pending.metadata()?.len() / RECORD as u64)? {
        let record = record?;
        writer.write_all(&record.bytes())?;
        match known.and_then(|known| known.content(record.id)) {
            None => difference.new += 1,
            Some(content) => {
                difference.changed += u64::from(content != record.content);
                difference.gone = difference.gone.saturating_sub(1);
            }
        }
    }
    writer.flush()?;
    drop(writer);
    atomic::place(file, path)?;
    Ok(difference)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::digest::digest;

    fn about() -> Header {
        let selection =
            Selection { service: "s".to_owned(), retailer: None, since: None, until: None, time_zone: None };
        Header { selection, list: None }
    }

    fn record(id: u32, content: u128) -> Fingerprint {
        Fingerprint { id: digest(&id.to_string()), content }
    }

    fn file_of(records: impl Iterator<Item = Fingerprint>) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        records.for_each(|record| file.write_all(&record.bytes()).expect("written"));
        file
    }

    #[test]
    fn what_is_kept_is_found_and_what_differs_is_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("known");
        assert!(KnownItems::open(&path).expect("none").is_none());
        let count = 10_017;
        let first = file_of((0..count).map(|id| record(id, u128::from(id))));
        let difference = replace(&path, &first, None, &about()).expect("kept");
        assert_eq!(difference, Difference { new: u64::from(count), changed: 0, gone: 0 });
        let known = KnownItems::open(&path).expect("kept").expect("there");
        assert_eq!(known.about, about());
        for id in (0..count).step_by(97).chain(count..count + 500) {
            let expected = (id < count).then_some(u128::from(id));
            assert_eq!(known.content(record(id, 0).id), expected, "{id}");
        }
        for outer in [0, 1, u128::MAX - 1, u128::MAX] {
            assert_eq!(known.content(outer), None);
        }
        let second = file_of((5..count + 7).map(|id| record(id, u128::from(id) + u128::from(id % 1000 == 999))));
        let difference = replace(&path, &second, Some(&known), &about()).expect("kept");
        assert_eq!(difference, Difference { new: 7, changed: u64::from((count + 7) / 1000), gone: 5 });
    }

    #[test]
    fn a_file_that_was_cut_is_not_taken_for_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("known");
        replace(&path, &file_of((0..9).map(|id| record(id, 1))), None, &about()).expect("kept");
        let bytes = std::fs::read(&path).expect("read");
        std::fs::write(&path, &bytes[..bytes.len() - 1]).expect("written");
        assert!(KnownItems::open(&path).is_err());
        std::fs::write(&path, "nonsense").expect("written");
        assert!(KnownItems::open(&path).is_err());
    }

    #[test]
    fn fuzz_known_exports() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("x");
        let about = br#"{"service":"s","retailer":null,"since":"2026","until":null,"list":"v 1"}"#;
        let records: Vec<u8> = (0..40_u8).flat_map(|id| [[id; 16], [7; 16]].concat()).collect();
        let whole = [&about[..], b"\n", &records].concat();
        crate::fuzzing::fuzz(
            "known exports",
            &[whole.as_slice(), about],
            &["\n", "{", "\"", "\0\0\0\0"],
            |input, random| {
                std::fs::write(&path, input).expect("write");
                let Ok(Some(known)) = KnownItems::open(&path) else { return };
                let _ = known.content(first_bits(&[random.number() as u8; 16]));
            },
        );
    }
}
