//! Spans: what took how long in a trace that somebody records. They name routes, retailers and ids as the log does, and count; they hold
//! nothing that the log must not hold.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ordersync_api::TraceContext;
use sha2::{Digest as _, Sha256};

/// What takes finished spans, once it is set.
pub(super) static RECORDER: OnceLock<Box<dyn Recorder>> = OnceLock::new();

/// Takes finished spans. It never waits.
pub(super) trait Recorder: Send + Sync {
    /// Whether a trace is recorded, which is decided where a request enters it.
    fn samples(&self, parent: Option<TraceContext>, trace_id: [u8; 16]) -> bool;
    fn take(&self, finished: Finished);
    /// Sends what it has, and takes no more. Waits for at most that long.
    fn stop(&self, limit: Duration);
}

/// A finished span.
#[cfg_attr(not(feature = "otlp"), expect(dead_code, reason = "only an exporter reads it"))]
pub(super) struct Finished {
    pub(super) context: TraceContext,
    pub(super) parent: Option<Parent>,
    pub(super) kind: Kind,
    pub(super) name: Cow<'static, str>,
    /// It has just ended.
    pub(super) took: Duration,
    pub(super) attributes: Vec<(&'static str, Value)>,
    /// The code of a failure.
    pub(super) failed: Option<String>,
}

#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "otlp"), expect(dead_code, reason = "only an exporter reads it"))]
pub(super) struct Parent {
    pub(super) span_id: [u8; 8],
    /// Whether it is another program's.
    pub(super) is_remote: bool,
}

/// Who is at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A client that waits for an answer.
    Server,
    /// A retailer that is asked.
    Client,
    /// Nobody.
    Internal,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(Cow<'static, str>),
    Number(i64),
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

/// A span that is recorded when it ends. One that is dropped is not.
pub(crate) struct Span {
    context: TraceContext,
    parent: Option<Parent>,
    kind: Kind,
    began: Instant,
}

impl Span {
    /// Of a request: with this id, below the caller's span.
    pub(super) fn of_request(context: TraceContext, parent: Option<TraceContext>) -> Self {
        let parent = parent.map(|parent| Parent { span_id: parent.span_id, is_remote: true });
        Self { context, parent, kind: Kind::Server, began: Instant::now() }
    }

    /// Below another span; `None` if nothing records its trace.
    pub(crate) fn below(parent: Option<TraceContext>, kind: Kind) -> Option<Self> {
        let parent = is_recorded(parent)?;
        let context = TraceContext { span_id: super::random_bytes().ok()?, ..parent };
        let parent = Some(Parent { span_id: parent.span_id, is_remote: false });
        Some(Self { context, parent, kind, began: Instant::now() })
    }

    /// Within a sync that a request started.
    pub(crate) fn in_sync(request: Option<TraceContext>, part_id: &str) -> Option<Self> {
        Self::below(Some(within_sync(is_recorded(request)?, part_id)), Kind::Internal)
    }

    /// Of a whole sync, below the request that started it.
    pub(crate) fn of_sync(request: Option<TraceContext>, part_id: &str) -> Option<Self> {
        let request = is_recorded(request)?;
        let parent = Some(Parent { span_id: request.span_id, is_remote: true });
        Some(Self { context: within_sync(request, part_id), parent, kind: Kind::Internal, began: Instant::now() })
    }

    pub(crate) const fn context(&self) -> TraceContext {
        self.context
    }

    /// Records it, from when it was made until now.
    pub(crate) fn end(
        self,
        name: impl Into<Cow<'static, str>>,
        attributes: Vec<(&'static str, Value)>,
        failed: Option<String>,
    ) {
        let took = self.began.elapsed();
        self.end_after(took, name, attributes, failed);
    }

    /// Records it, of this length until now.
    pub(crate) fn end_after(
        self,
        took: Duration,
        name: impl Into<Cow<'static, str>>,
        attributes: Vec<(&'static str, Value)>,
        failed: Option<String>,
    ) {
        let Self { context, parent, kind, .. } = self;
        if let Some(recorder) = RECORDER.get() {
            recorder.take(Finished { context, parent, kind, name: name.into(), took, attributes, failed });
        }
    }
}

/// The place in a trace of the steps of a sync. Its span's id is made from the part's: every node knows it, and whichever ends the
/// sync records that span.
fn within_sync(request: TraceContext, part_id: &str) -> TraceContext {
    let digest = Sha256::new().chain_update("span of ").chain_update(part_id).finalize();
    let mut span_id = [0; 8];
    span_id.copy_from_slice(&digest[..8]);
    TraceContext { span_id, ..request }
}

fn is_recorded(context: Option<TraceContext>) -> Option<TraceContext> {
    context.filter(|context| context.sampled && RECORDER.get().is_some())
}
