//! Bodies of pieces that are in memory, sent one after the other without being copied into one, and with their length.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

/// What is left to be sent, the next piece last.
struct Pieces(Vec<Bytes>);

/// A body of these pieces.
pub(crate) fn body_of<const N: usize>(pieces: [Bytes; N]) -> Body {
    Body::new(Pieces(pieces.into_iter().rev().filter(|piece| !piece.is_empty()).collect()))
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.iter().map(|piece| piece.len() as u64).sum())
    }
}
