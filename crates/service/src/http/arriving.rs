//! A request's body on its way in, and the part of it that a response leaves unread.
//!
//! A response that is ready before the whole body was read would end the connection without notice: the client sees a
//! reset, possibly before it has read the response. So a small rest is read and dropped, and if the connection cannot be
//! kept, the response says so (RFC 9112 §9.3, §9.6).

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};

use super::sockets::Socket;

/// How much of a rest is read to keep the connection.
const REST_BYTES: u64 = 64 * 1024;
/// How long the response waits for that.
const REST_TIME: Duration = Duration::from_millis(500);

/// A request's body, which records when it has arrived completely: only from then on is the client waiting for the
/// service.
pub(super) struct Arriving {
    /// `None` while it is being dropped.
    body: Option<Incoming>,
    socket: Arc<Socket>,
    unread: Unread,
}

/// What becomes of a body after its request was answered.
#[derive(Clone)]
pub(super) struct Unread(Arc<Mutex<Rest>>);

enum Rest {
    /// A handler has the body.
    Held,
    /// All of it was read.
    Nothing,
    /// The handler dropped it before its end.
    Some(Incoming),
}

impl Arriving {
    pub(super) fn new(body: Incoming, socket: Arc<Socket>) -> (Self, Unread) {
        socket.step();
        let unread = Unread(Arc::new(Mutex::new(Rest::Held)));
        let mut arriving = Self { body: Some(body), socket, unread: unread.clone() };
        arriving.note_end(false);
        (arriving, unread)
    }

    fn note_end(&mut self, is_over: bool) {
        if is_over || self.is_end_stream() {
            self.socket.begin_work();
            *self.unread.lock() = Rest::Nothing;
        }
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        let mut rest = self.unread.lock();
        if let (Some(body), Rest::Held) = (self.body.take(), &*rest) {
            *rest = Rest::Some(body);
        }
    }
}

impl Unread {
    fn lock(&self) -> MutexGuard<'_, Rest> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all of the body was read, if need be by reading a small rest now, so that the connection can be kept.
    pub(super) async fn is_used_up(&self, is_asked_for: bool) -> bool {
        let rest = std::mem::replace(&mut *self.lock(), Rest::Held);
        match rest {
            Rest::Nothing => true,
            Rest::Held => false,
            Rest::Some(_) if is_asked_for => false,
            Rest::Some(rest) => tokio::time::timeout(REST_TIME, drain(rest)).await.unwrap_or(false),
        }
    }
}

/// Reads a body to its end, and drops it. False: it is too long, or broke.
async fn drain(mut body: Incoming) -> bool {
    let mut left = REST_BYTES;
    if body.size_hint().lower() > left {
        return false;
    }
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let Ok(frame) = frame else { return false };
        let length = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(length as u64) {
            Some(less) => left = less,
            None => return false,
        }
    }
    true
}

impl Body for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let polled = Pin::new(body).poll_frame(context);
        self.note_end(matches!(polled, Poll::Ready(None)));
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}
