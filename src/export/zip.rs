//! A zip archive, compressed on a thread of its own. Its times are fixed, so
//! that the same rows make the same bytes. An interrupted one has no directory, which every program notices.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::time::UtcDateTime;
use rawzip::{CompressionMethod, ZipArchiveWriter};

use crate::errors::{Error, Result};

/// Messages that may wait for the thread.
const WAITING: usize = 4;
/// The first moment of 1980, where the time of zip archives begins.
const TIME: i64 = 315_532_800;

enum PackageInput {
    /// What follows belongs to the file with this path.
    File(String),
    Bytes(Vec<u8>),
    End,
}

/// A package that is being written.
pub(crate) struct Package {
    running: Option<PackageThread>,
    fail: fn(&io::Error) -> Error,
}

struct PackageThread {
    sender: SyncSender<PackageInput>,
    thread: JoinHandle<io::Result<()>>,
}

impl Package {
    pub(crate) fn new<W: Write + Send + 'static>(writer: W, fail: fn(&io::Error) -> Error) -> Result<Self> {
        let (sender, messages) = sync_channel(WAITING);
        let thread = std::thread::Builder::new()
            .name("zip".to_owned())
            .spawn(move || write(writer, &messages))
            .map_err(|why| fail(&why))?;
        Ok(Self { running: Some(PackageThread { sender, thread }), fail })
    }

    /// Begins a file; the one before it is whole.
    pub(crate) fn file(&mut self, path: String) -> Result<()> {
        self.send(PackageInput::File(path))
    }

    pub(crate) fn bytes(&mut self, bytes: Vec<u8>) -> Result<()> {
        self.send(PackageInput::Bytes(bytes))
    }

    /// Ends the package.
    pub(crate) fn end(&mut self) -> Result<()> {
        self.send(PackageInput::End)?;
        self.join()
    }

    fn send(&mut self, message: PackageInput) -> Result<()> {
        let Some(running) = &self.running else { return Ok(()) };
        // If nothing receives it, the thread has failed, and says why.
        if running.sender.send(message).is_err() { self.join() } else { Ok(()) }
    }

    fn join(&mut self) -> Result<()> {
        let Some(PackageThread { sender, thread }) = self.running.take() else { return Ok(()) };
        drop(sender);
        match thread.join() {
            Ok(done) => done.map_err(|why| (self.fail)(&why)),
            Err(_) => Err((self.fail)(&io::Error::other("the compression ended"))),
        }
    }
}

fn write(writer: impl Write, messages: &Receiver<PackageInput>) -> io::Result<()> {
    let mut archive = ZipArchiveWriter::new(writer);
    let mut next = messages.recv();
    while let Ok(PackageInput::File(path)) = &next {
        let file = archive.new_file(path.as_str()).compression_method(CompressionMethod::DEFLATE);
        let (mut entry, config) = file.last_modified(UtcDateTime::from_unix(TIME)).start().map_err(told)?;
        let mut data = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
        next = loop {
            match messages.recv() {
                Ok(PackageInput::Bytes(bytes)) => data.write_all(&bytes)?,
                other => break other,
            }
        };
        let (encoder, described) = data.finish().map_err(told)?;
        encoder.finish()?;
        entry.finish(described).map_err(told)?;
    }
    match next {
        Ok(PackageInput::End) => archive.finish().map_err(told)?.flush(),
        // The export was interrupted.
        _ => Ok(()),
    }
}

fn told(why: rawzip::Error) -> io::Error {
    match why.kind() {
        rawzip::ErrorKind::IO(why) => io::Error::new(why.kind(), why.to_string()),
        _ => io::Error::other(why),
    }
}
