//! Response bodies made of chunks in memory. The chunks are sent one after the other without being copied into one, and
//! with a known length.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

/// The chunks still to be sent, in reverse order: the next one is last.
struct Chunks(Vec<Bytes>);

/// A body of these chunks.
pub(crate) fn body_of<const N: usize>(chunks: [Bytes; N]) -> Body {
    Body::new(Chunks(chunks.into_iter().rev().filter(|chunk| !chunk.is_empty()).collect()))
}

impl hyper::body::Body for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop().map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|chunk| chunk.len() as u64).sum())
    }
}
