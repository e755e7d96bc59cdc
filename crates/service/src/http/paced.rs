//! A stream whose writes must make progress: a client that does not read its responses must not keep them in memory,
//! and the connection open, forever.
//!
//! It also ends a connection in an order that loses no response: if the client may still be sending, the service first
//! says that it writes no more, and then reads for a while (RFC 9112 §9.6). Closed at once, the system would answer what
//! still arrives with a reset, which takes the response from a client that has not read it yet.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use super::sockets::Socket;

/// How much a client has to read within the time limit. A client that reads a byte now and then counts as stalled.
const LEAST_BYTES: usize = 64 * 1024;
/// How long, and how much, is read from a client that is still sending after the last response.
const LINGER_TIME: Duration = Duration::from_secs(2);
const LINGER_BYTES: usize = 4 * 1024 * 1024;
/// A write that has to wait this soon after the last one belongs to the same stall.
const SAME_STALL: Duration = Duration::from_secs(1);

/// A stream with a limit on how long its writes may wait.
#[derive(Debug)]
pub(super) struct Paced<S> {
    stream: S,
    socket: Arc<Socket>,
    patience: Duration,
    stall: Option<Stall>,
    linger: Option<Linger>,
}

/// The time after the last response in which the client may still be sending.
#[derive(Debug)]
struct Linger {
    over: Pin<Box<Sleep>>,
    /// How much has come since.
    bytes: usize,
}

/// A period in which the client reads more slowly than the service writes.
#[derive(Debug)]
struct Stall {
    over: Pin<Box<Sleep>>,
    /// How much the client has read since.
    bytes: usize,
    /// When a write last succeeded; `None` while one is waiting.
    wrote_at: Option<Instant>,
}

impl<S> Paced<S> {
    pub(super) const fn new(stream: S, socket: Arc<Socket>, patience: Duration) -> Self {
        Self { stream, socket, patience, stall: None, linger: None }
    }

    fn wrote(&mut self, bytes: usize) {
        self.socket.step();
        if let Some(stall) = &mut self.stall {
            stall.bytes += bytes;
            stall.wrote_at = Some(Instant::now());
            if stall.bytes >= LEAST_BYTES {
                self.stall = None;
            }
        }
    }

    /// Called when a write has to wait. Ready once this write, together with those before it, has waited too long.
    fn poll_stalled(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let went_on = |stall: &Stall| stall.wrote_at.is_some_and(|at| at.elapsed() > SAME_STALL);
        if self.stall.as_ref().is_none_or(went_on) {
            self.stall = Some(Stall { over: Box::pin(sleep(self.patience)), bytes: 0, wrote_at: None });
        }
        if let Some(stall) = &mut self.stall {
            stall.wrote_at = None;
            ready!(stall.over.as_mut().poll(context));
        }
        Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, "the client does not read its answers"))
    }

    fn written(&mut self, context: &mut Context<'_>, tried: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match tried {
            Poll::Pending => self.poll_stalled(context).map(Err),
            Poll::Ready(Ok(bytes)) => {
                self.wrote(bytes);
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
        }
    }

    fn done(&mut self, context: &mut Context<'_>, tried: Poll<io::Result<()>>) -> Poll<io::Result<()>> {
        if tried.is_pending() { self.poll_stalled(context).map(Err) } else { tried }
    }
}

impl<S: AsyncRead + Unpin> Paced<S> {
    /// Ready when the client has closed its side, too, or has had enough time for that.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let linger = self.linger.get_or_insert_with(|| Linger { over: Box::pin(sleep(LINGER_TIME)), bytes: 0 });
        let mut into = [0; 8 * 1024];
        while linger.bytes < LINGER_BYTES && linger.over.as_mut().poll(context).is_pending() {
            let mut into = ReadBuf::new(&mut into);
            let Ok(()) = ready!(Pin::new(&mut self.stream).poll_read(context, &mut into)) else { break };
            match into.filled().len() {
                0 => break,
                bytes => linger.bytes += bytes,
            }
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, tried)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.written(context, tried)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_flush(context);
        self.done(context, tried)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            let tried = Pin::new(&mut self.stream).poll_shutdown(context);
            ready!(self.done(context, tried))?;
        }
        if self.socket.is_lingering() { self.poll_linger(context).map(Ok) } else { Poll::Ready(Ok(())) }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::super::sockets::{SocketLimits, Sockets};
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    /// Writes a megabyte to a client with a buffer of 4 KiB that reads `bytes` each `every`. Returns how long it took,
    /// and the result. The time is tokio's, which jumps while every task waits.
    async fn time_to_write(bytes: usize, every: Duration) -> (Duration, io::Result<()>) {
        let (server, client) = duplex(4096);
        let sockets = Sockets::new(SocketLimits { total: 1, per_address: None });
        let seat = sockets.admit([127, 0, 0, 1].into()).unwrap();
        let mut stream = Paced::new(server, Arc::clone(&seat.socket), PATIENCE);
        let reading = tokio::spawn(read_slowly(client, bytes, every));
        let started = Instant::now();
        let written = stream.write_all(&vec![0; 1024 * 1024]).await;
        reading.abort();
        (started.elapsed(), written)
    }

    async fn read_slowly(mut client: DuplexStream, bytes: usize, every: Duration) {
        let mut into = vec![0; bytes];
        loop {
            tokio::time::sleep(every).await;
            if client.read_exact(&mut into).await.is_err() {
                return;
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_loses_its_connection_in_time() {
        let (took, written) = time_to_write(1, Duration::from_secs(3600)).await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(took >= PATIENCE && took < PATIENCE + SAME_STALL, "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_a_byte_now_and_then_loses_it_as_soon() {
        let (took, written) = time_to_write(1, Duration::from_millis(500)).await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(took < PATIENCE + SAME_STALL, "{took:?}");
        let (took, written) = time_to_write(1, Duration::from_secs(20)).await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(took < 2 * PATIENCE, "{took:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_client_that_goes_on_reading_gets_everything() {
        let (took, written) = time_to_write(4096, Duration::from_secs(1)).await;
        assert!(written.is_ok());
        assert!(took > 4 * PATIENCE, "{took:?}");
    }
}
