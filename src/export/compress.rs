//! Compression on a thread of its own, so that the next page is read meanwhile. Only an export that is whole gets the end
//! of its compressed stream, so decompressors report an interrupted one as truncated.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::Sink;
use super::choices::Compression;
use super::row::Row;
use crate::errors::{Error, Result};

/// Pages that may wait for the thread.
const WAITING: usize = 4;

/// A page, or the end of the export.
enum CompressInput {
    Page(Vec<u8>),
    End,
}

/// What hands pages over to the thread.
pub(crate) struct Hand(SyncSender<CompressInput>);

impl Write for Hand {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(CompressInput::Page(bytes.to_vec())).map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A sink whose bytes are compressed. It has no position: an export to a file is spooled first.
pub(crate) struct Compressed {
    running: Option<CompressorThread>,
    fail: fn(&io::Error) -> Error,
}

struct CompressorThread {
    sink: Box<dyn Sink>,
    sender: SyncSender<CompressInput>,
    thread: JoinHandle<io::Result<()>>,
}

impl Compressed {
    /// Compresses what `sink` writes into its [`Hand`], into `writer`.
    pub(crate) fn new<W: Write + Send + 'static>(
        how: Compression,
        writer: W,
        fail: fn(&io::Error) -> Error,
        sink: impl FnOnce(Hand) -> Result<Box<dyn Sink>>,
    ) -> Result<Self> {
        let (sender, messages) = sync_channel(WAITING);
        let sink = sink(Hand(sender.clone()))?;
        let thread = std::thread::Builder::new()
            .name("compress".to_owned())
            .spawn(move || compress(how, writer, &messages))
            .map_err(|why| fail(&why))?;
        Ok(Self { running: Some(CompressorThread { sink, sender, thread }), fail })
    }

    fn on(&mut self, act: impl FnOnce(&mut Box<dyn Sink>) -> Result<()>) -> Result<()> {
        let Some(running) = &mut self.running else { return Ok(()) };
        let done = act(&mut running.sink);
        // If the thread ended, its own reason says more than that it is gone.
        if done.is_err() { self.join().and(done) } else { done }
    }

    fn join(&mut self) -> Result<()> {
        let Some(CompressorThread { sink, sender, thread }) = self.running.take() else { return Ok(()) };
        drop((sink, sender));
        match thread.join() {
            Ok(done) => done.map_err(|why| (self.fail)(&why)),
            Err(_) => Err((self.fail)(&io::Error::other("the compression ended"))),
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

    fn takes_lines(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.sink.takes_lines())
    }

    fn lines(&mut self, lines: &[u8]) -> Result<()> {
        self.on(|sink| sink.lines(lines))
    }

    fn end(&mut self) -> Result<()> {
        self.on(|sink| sink.end())?;
        if let Some(running) = &self.running {
            // If nothing receives it, the thread has failed, and says why.
            let _ = running.sender.send(CompressInput::End);
        }
        self.join()
    }
}

fn compress(how: Compression, writer: impl Write, messages: &Receiver<CompressInput>) -> io::Result<()> {
    match how {
        Compression::Gzip => {
            // Its header has no time, so that the same export is the same file.
            let mut encoder = flate2::write::GzEncoder::new(Gate(Some(writer)), flate2::Compression::default());
            if write(&mut encoder, messages)? {
                return encoder.finish()?.flush();
            }
            // An encoder that is dropped writes the end, which this one must not.
            encoder.get_mut().0 = None;
        }
        #[cfg(feature = "zstd")]
        Compression::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(writer, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            encoder.include_checksum(true)?;
            if write(&mut encoder, messages)? {
                return encoder.finish()?.flush();
            }
        }
        #[cfg(not(feature = "zstd"))]
        Compression::Zstd => return Err(io::ErrorKind::Unsupported.into()),
    }
    Ok(())
}

/// Writes page after page; says whether the end was among the messages.
fn write(encoder: &mut impl Write, messages: &Receiver<CompressInput>) -> io::Result<bool> {
    for message in messages {
        match message {
            CompressInput::Page(page) => encoder.write_all(&page)?,
            CompressInput::End => return Ok(true),
        }
    }
    Ok(false)
}

/// A writer that can be taken away.
struct Gate<W>(Option<W>);

impl<W: Write> Write for Gate<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}
