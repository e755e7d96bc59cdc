//! Compression on a thread of its own, so that the next page is read meanwhile. The end of the compressed stream is
//! written, and its failure told, when the export ends.

use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::Sink;
use super::row::Row;
use crate::cli::orders::Compression;
use crate::error::{Error, Result};

/// Pages that may wait for the thread.
const WAITING: usize = 4;

/// What hands pages over to the thread.
#[derive(Debug)]
pub struct Hand(SyncSender<Vec<u8>>);

impl Write for Hand {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A sink whose bytes are compressed. It has no position: it cannot be gone on with.
pub struct Compressed {
    sink: Option<Box<dyn Sink>>,
    thread: Option<JoinHandle<io::Result<()>>>,
    fail: fn(&io::Error) -> Error,
}

impl Compressed {
    /// Compresses what `sink` writes into its [`Hand`], into `writer`.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn new<W: Write + Send + 'static>(
        how: Compression,
        writer: W,
        fail: fn(&io::Error) -> Error,
        sink: impl FnOnce(Hand) -> Result<Box<dyn Sink>>,
    ) -> Result<Self> {
        let (sender, pages) = sync_channel::<Vec<u8>>(WAITING);
        let thread = std::thread::Builder::new()
            .name("compress".to_owned())
            .spawn(move || compress(how, writer, pages.into_iter()))
            .map_err(|why| fail(&why))?;
        Ok(Self { sink: Some(sink(Hand(sender))?), thread: Some(thread), fail })
    }

    fn on(&mut self, act: impl FnOnce(&mut Box<dyn Sink>) -> Result<()>) -> Result<()> {
        let Some(sink) = &mut self.sink else { return Ok(()) };
        let done = act(sink);
        // Where the thread ended, its own reason tells more than that it is gone.
        if done.is_err() { self.join().and(done) } else { done }
    }

    fn join(&mut self) -> Result<()> {
        self.sink = None;
        match self.thread.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(done)) => done.map_err(|why| (self.fail)(&why)),
            Some(Err(_)) => Err((self.fail)(&io::Error::other("the compression ended"))),
        }
    }
}

impl Sink for Compressed {
    fn begin(&mut self) -> Result<()> {
        self.on(|sink| sink.begin())
    }

    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        self.on(|sink| sink.rows(rows))
    }

    fn end(&mut self) -> Result<()> {
        self.on(|sink| sink.end())?;
        self.join()
    }
}

fn compress(how: Compression, mut writer: impl Write, pages: impl Iterator<Item = Vec<u8>>) -> io::Result<()> {
    match how {
        Compression::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(&mut writer, flate2::Compression::default());
            pages.into_iter().try_for_each(|page| encoder.write_all(&page))?;
            encoder.finish()?;
        }
        Compression::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(&mut writer, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            encoder.include_checksum(true)?;
            pages.into_iter().try_for_each(|page| encoder.write_all(&page))?;
            encoder.finish()?;
        }
    }
    writer.flush()
}
