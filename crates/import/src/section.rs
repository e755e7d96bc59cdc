//! An open file, or a part of one. All members of an archive are in one file, since a process may open only so many.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

/// Several of one file may be read at once.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    file: Arc<File>,
    start: u64,
    length: u64,
    at: u64,
}

impl Section {
    pub(crate) const fn new(file: Arc<File>, start: u64, length: u64) -> Self {
        Self { file, start, length, at: 0 }
    }

    pub(crate) const fn length(&self) -> u64 {
        self.length
    }
}

impl Read for Section {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        let count = self.file.read_at(&mut buffer[..most], self.start + self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Section {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
