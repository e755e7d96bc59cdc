//! What an earlier export held: for each item a digest of its id and one of its content, sorted, in one file after a
//! JSON line that describes the selection. Digests are spread evenly, so the position of one can be estimated, and a
//! read or two finds it; however many items the list has, none of them is in memory.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::atomic_file;
use crate::export::digest::first_bits;
use crate::export::selection::Selection;

/// Bytes of a record.
pub(super) const RECORD: usize = 32;
/// How many records a search reads at once.
const BLOCK: u64 = 128;
/// Records that are sorted in memory.
const SORTED_AT_ONCE: u64 = 1 << 16;
/// Buckets into which records are spread before they are sorted: each has a buffer.
const MOST_BUCKETS: u64 = 1 << 12;
const BUFFER: usize = 4096;
/// After so many reads at the estimated position, the search for a digest is binary.
const LOOKS: u32 = 3;

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
    file: File,
    start: u64,
    count: u64,
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

    pub(super) fn read(bytes: &[u8; RECORD]) -> Self {
        let (id, content) = bytes.split_at(16);
        Self { id: first_bits(id), content: first_bits(content) }
    }
}

impl KnownItems {
    /// Opens what an earlier export left; `None`: there was none.
    pub(super) fn open(path: &Path) -> io::Result<Option<Self>> {
        let mut file = match File::open(path) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut line = String::new();
        let start = BufReader::new(&mut file).read_line(&mut line)? as u64;
        let about = serde_json::from_str(&line)?;
        let length = file.metadata()?.len() - start;
        if !length.is_multiple_of(RECORD as u64) {
            return Err(io::Error::other("it has been cut"));
        }
        Ok(Some(Self { file, start, count: length / RECORD as u64, about }))
    }

    /// The content that an item had.
    pub(super) fn content(&self, id: u128) -> io::Result<Option<u128>> {
        let (mut low, mut high) = (0, self.count);
        let place = |id: u128| ((id >> 64) * u128::from(self.count)) >> 64;
        let (mut guess, mut looks) = (place(id) as u64, 0);
        while low < high {
            let from = guess.saturating_sub(BLOCK / 2).clamp(low, high - 1);
            let block = records(&self.file, self.start, from, BLOCK.min(high - from))?;
            let (Some(first), Some(last)) = (block.first(), block.last()) else { break };
            let end = from + block.len() as u64;
            if id < first.id {
                high = from;
                guess = from.saturating_sub(place(first.id - id) as u64);
            } else if id > last.id {
                low = end;
                guess = end + place(id - last.id) as u64;
            } else {
                let found = block.binary_search_by_key(&id, |record| record.id).ok();
                return Ok(found.and_then(|index| block.get(index)).map(|record| record.content));
            }
            looks += 1;
            if looks > LOOKS {
                guess = low + (high - low) / 2;
            }
        }
        Ok(None)
    }
}

fn records(mut file: &File, start: u64, from: u64, count: u64) -> io::Result<Vec<Fingerprint>> {
    file.seek(SeekFrom::Start(start + from * RECORD as u64))?;
    let mut bytes = vec![0; count as usize * RECORD];
    file.read_exact(&mut bytes)?;
    Ok(bytes.as_chunks().0.iter().map(Fingerprint::read).collect())
}

/// Every one of so many records, from a place in the file on.
pub(super) fn each(
    mut file: &File,
    start: u64,
    count: u64,
) -> io::Result<impl Iterator<Item = io::Result<Fingerprint>>> {
    file.seek(SeekFrom::Start(start))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    Ok((0..count).map(move |_| {
        let mut bytes = [0; RECORD];
        reader.read_exact(&mut bytes).map(|()| Fingerprint::read(&bytes))
    }))
}

/// Sorts the records of `pending`, and replaces the known ones with them. `known` are the ones before.
pub(super) fn replace(
    path: &Path,
    pending: &File,
    known: Option<&KnownItems>,
    about: &Header,
) -> io::Result<Difference> {
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut file = NamedTempFile::with_prefix_in(".ordersync-", folder)?;
    serde_json::to_writer(&mut file, about)?;
    file.write_all(b"\n")?;
    let start = file.stream_position()?;
    let count = pending.metadata()?.len() / RECORD as u64;
    let sizes = spread(pending, count, file.as_file(), start)?;
    let difference = sort(file.as_file(), start, &sizes, known)?;
    atomic_file::place(file, path)?;
    Ok(difference)
}

/// Writes the records by buckets, of which each has greater ids than the one before it; how many are in each.
fn spread(pending: &File, count: u64, mut out: &File, start: u64) -> io::Result<Vec<u64>> {
    let buckets = (count / SORTED_AT_ONCE).next_power_of_two().min(MOST_BUCKETS) as usize;
    let bucket = |record: &Fingerprint| ((record.id >> 96) as usize * buckets) >> 32;
    let mut sizes = vec![0; buckets];
    for record in each(pending, 0, count)? {
        sizes[bucket(&record?)] += 1;
    }
    let mut places = Vec::with_capacity(buckets);
    let mut place = start;
    for size in &sizes {
        places.push(place);
        place += size * RECORD as u64;
    }
    let mut buffers = vec![Vec::with_capacity(BUFFER); buckets];
    let mut write = |bucket: usize, buffer: &mut Vec<u8>| {
        out.seek(SeekFrom::Start(places[bucket]))?;
        out.write_all(buffer)?;
        places[bucket] += buffer.len() as u64;
        buffer.clear();
        io::Result::Ok(())
    };
    for record in each(pending, 0, count)? {
        let record = record?;
        let bucket = bucket(&record);
        let buffer = &mut buffers[bucket];
        buffer.extend_from_slice(&record.bytes());
        if buffer.len() >= BUFFER {
            write(bucket, buffer)?;
        }
    }
    for (bucket, buffer) in buffers.iter_mut().enumerate() {
        write(bucket, buffer)?;
    }
    Ok(sizes)
}

/// Sorts each bucket, and compares the whole with what was known.
fn sort(mut out: &File, start: u64, sizes: &[u64], known: Option<&KnownItems>) -> io::Result<Difference> {
    let mut difference = Difference::default();
    let earlier = known.map(|known| each(&known.file, known.start, known.count)).transpose()?;
    let mut earlier = earlier.into_iter().flatten().peekable();
    let mut from = 0;
    for size in sizes {
        let mut bucket = records(out, start, from, *size)?;
        bucket.sort_unstable_by_key(|record| record.id);
        out.seek(SeekFrom::Start(start + from * RECORD as u64))?;
        let mut writer = BufWriter::new(out);
        for record in bucket {
            writer.write_all(&record.bytes())?;
            // Up to this item; what cannot be read is taken, too, and ends the comparison.
            let mut same = None;
            while let Some(next) = earlier.next_if(|next| !next.as_ref().is_ok_and(|next| next.id > record.id)) {
                match next? {
                    next if next.id == record.id => same = Some(next),
                    _ => difference.gone += 1,
                }
            }
            match same {
                None => difference.new += 1,
                Some(next) => difference.changed += u64::from(next.content != record.content),
            }
        }
        writer.flush()?;
        from += size;
    }
    for next in earlier {
        next?;
        difference.gone += 1;
    }
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
        // More than one bucket, so that all of it is passed.
        let count = SORTED_AT_ONCE as u32 * 2 + 17;
        let first = file_of((0..count).map(|id| record(id, u128::from(id))));
        let difference = replace(&path, &first, None, &about()).expect("kept");
        assert_eq!(difference, Difference { new: u64::from(count), changed: 0, gone: 0 });
        let known = KnownItems::open(&path).expect("kept").expect("there");
        assert_eq!(known.about, about());
        for id in (0..count).step_by(97).chain(count..count + 500) {
            let expected = (id < count).then_some(u128::from(id));
            assert_eq!(known.content(record(id, 0).id).expect("read"), expected, "{id}");
        }
        for outer in [0, 1, u128::MAX - 1, u128::MAX] {
            assert_eq!(known.content(outer).expect("read"), None);
        }
        let second = file_of((5..count + 7).map(|id| record(id, u128::from(id) + u128::from(id % 1000 == 999))));
        let difference = replace(&path, &second, Some(&known), &about()).expect("kept");
        assert_eq!(difference, Difference { new: 7, changed: u64::from((count + 7) / 1000), gone: 5 });
    }

    #[test]
    fn ids_that_are_not_spread_evenly_are_found_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("known");
        let ids: Vec<u128> = (0..3000).chain((0..3000).map(|id| u128::MAX - id * id)).collect();
        let pending = file_of(ids.iter().map(|id| Fingerprint { id: *id, content: *id }));
        replace(&path, &pending, None, &about()).expect("kept");
        let known = KnownItems::open(&path).expect("kept").expect("there");
        for id in ids {
            assert_eq!(known.content(id).expect("read"), Some(id));
        }
        assert_eq!(known.content(5000).expect("read"), None);
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
                for _ in 0..4 {
                    // Of records in no order, some are not found; none is made up.
                    let id = [random.number() as u8; 16];
                    let _ = known.content(first_bits(&id)).expect("it is read");
                }
            },
        );
    }
}
