//! The archive of `admin users export`, read from its file, which may be anybody's: nothing is unpacked to the disk, and no more of
//! it is in memory than what is read at once.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::DeflateDecoder;
use ordersync_service::admin::{MANIFEST, UserArchive};
use rawzip::{CompressionMethod, FileReader, RECOMMENDED_BUFFER_SIZE, ZipArchive, ZipArchiveEntryWayfinder};

use crate::errors::{Error, Hint, Result};

/// More files than any archive of a user has.
const MAX_FILES: usize = 100;
/// How long a name is shown.
const MAX_NAME: usize = 100;
/// A file that unpacks to more than this has to be larger than a part of it: rows compress to a hundredth at most.
const SMALL: u64 = 16 << 20;
const MAX_RATIO: u64 = 250;

/// A file in the archive.
#[derive(Debug, Clone, Copy)]
struct Member {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    packed: u64,
}

/// An archive that is read.
#[derive(Debug)]
pub(super) struct Archive {
    zip: ZipArchive<FileReader>,
    members: BTreeMap<String, Member>,
}

impl Archive {
    /// Fails if there is none at the path, or if it has files that no export writes.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let unreadable = |why: &io::Error| Error::file("read", path, why);
        let file = File::open(path).map_err(|why| unreadable(&why))?;
        if !file.metadata().map_err(|why| unreadable(&why))?.is_file() {
            return Err(Error::usage(format!("{} is no regular file.", path.display())));
        }
        let refused = |why: String| {
            Error::usage(format!("{} is no archive of a user: {why}.", path.display()))
                .hint(Hint::run("To write one", "ordersync admin users export USER --out user.zip"))
        };
        let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
        let zip = ZipArchive::from_file(file, &mut buffer).map_err(|why| refused(why.to_string()))?;
        let mut members = BTreeMap::new();
        let mut entries = zip.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(|why| refused(why.to_string()))? {
            let path = entry.file_path();
            let name: String = String::from_utf8_lossy(path.as_ref()).chars().take(MAX_NAME).collect();
            let shown = format!("\"{}\"", name.escape_debug());
            if entry.flags().is_encrypted() {
                return Err(refused(format!("{shown} is encrypted")));
            }
            let member = Member {
                place: entry.wayfinder(),
                method: entry.compression_method(),
                packed: entry.compressed_size_hint(),
            };
            if members.insert(name, member).is_some() {
                return Err(refused(format!("{shown} is there twice")));
            }
            if members.len() > MAX_FILES {
                return Err(refused(format!("it has more than {MAX_FILES} files")));
            }
        }
        if !members.contains_key(MANIFEST) {
            return Err(refused(format!("it has no {MANIFEST}")));
        }
        Ok(Self { zip, members })
    }
}

impl UserArchive for Archive {
    fn files(&self) -> Vec<String> {
        self.members.keys().cloned().collect()
    }

    fn open(&self, file: &str) -> io::Result<Box<dyn BufRead + '_>> {
        let member = self.members.get(file).ok_or_else(|| io::Error::other("the archive does not have this file"))?;
        let entry = self.zip.get_entry(member.place).map_err(io::Error::other)?;
        let packed: Box<dyn Read + '_> = match member.method {
            CompressionMethod::STORE => Box::new(entry.reader()),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(entry.reader())),
            _ => return Err(io::Error::other("it is compressed in a way that no export uses")),
        };
        let reader = entry.verifying_reader(packed);
        Ok(Box::new(BufReader::with_capacity(1 << 16, Bounded { reader, packed: member.packed, read: 0 })))
    }
}

/// Refuses to unpack what is a thousand times as large as its file.
struct Bounded<R> {
    reader: R,
    packed: u64,
    read: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.read += count as u64;
        if self.read > SMALL && self.read / MAX_RATIO > self.packed {
            return Err(io::Error::other("it unpacks to more than any export would"));
        }
        Ok(count)
    }
}
