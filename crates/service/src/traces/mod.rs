//! The trace that an operation belongs to (W3C Trace Context): read from requests, kept while they are handled, stored with the
//! syncs that they start, and passed on to the operator's own systems. No retailer ever gets it.

#[cfg(feature = "otlp")]
mod otlp;
mod span;

use std::time::Duration;

use axum::http::HeaderMap;
use ordersync_api::TraceContext;
use ordersync_api::trace_context::TRACEPARENT;

use crate::ids::random_bytes;

pub(crate) use self::span::{Kind, Span, Value};

/// How long the end of the service waits until the last spans are sent.
const LAST_SPANS: Duration = Duration::from_secs(5);

tokio::task_local! {
    static CURRENT: Option<TraceContext>;
}

/// Does this within a trace.
pub(crate) async fn within<F: Future>(context: Option<TraceContext>, task: F) -> F::Output {
    CURRENT.scope(context, task).await
}

/// The trace of the present task.
pub(crate) fn current() -> Option<TraceContext> {
    CURRENT.try_with(|context| *context).ok().flatten()
}

/// Its id, for the log.
pub(crate) fn id() -> Option<String> {
    current().map(|context| context.trace())
}

/// The present task's trace, as a request to one of the operator's own systems carries it.
pub(crate) fn header() -> Option<(&'static str, String)> {
    Some((TRACEPARENT, current()?.to_string()))
}

/// The trace that a request continues, or else a new one: also if its header is malformed, or if there are several (§4.3).
/// `None` without randomness. With the request's span, if it is recorded; if not, what comes next stays below the caller's.
pub(crate) fn of_request(headers: &HeaderMap) -> (Option<TraceContext>, Option<Span>) {
    let mut given = headers.get_all(TRACEPARENT).iter();
    let only = given.next().filter(|_| given.next().is_none());
    let parent: Option<TraceContext> = only.and_then(|value| value.to_str().ok()?.parse().ok());
    let Some(recorder) = span::RECORDER.get() else { return (parent.or_else(begin), None) };
    let Some(begun) = begin() else { return (parent, None) };
    let trace_id = parent.map_or(begun.trace_id, |parent| parent.trace_id);
    if !recorder.samples(parent, trace_id) {
        return (Some(TraceContext { sampled: false, ..parent.unwrap_or(begun) }), None);
    }
    let context = TraceContext { trace_id, sampled: true, ..begun };
    (Some(context), Some(Span::of_request(context, parent)))
}

/// A new trace. Its flag says that nothing records it.
fn begin() -> Option<TraceContext> {
    let (trace_id, span_id) = (random_bytes().ok()?, random_bytes().ok()?);
    Some(TraceContext { trace_id, span_id, sampled: false })
}

/// Sends spans from now on, as OpenTelemetry's environment variables say, of which `variable` is set. Must be called within a Tokio
/// runtime. If that is not possible, the log says why.
pub fn export(variable: &str) {
    #[cfg(feature = "otlp")]
    match otlp::Exporting::start() {
        Ok(exporting) => {
            // A second call changes nothing.
            let _ = span::RECORDER.set(Box::new(exporting));
            tracing::info!(variable, "traces are sent");
        }
        Err(why) => tracing::error!(variable, why, "no traces are sent"),
    }
    #[cfg(not(feature = "otlp"))]
    tracing::warn!("{variable} is set, but no traces are sent: this program was built without the feature otlp");
}

/// Sends the last spans. Waits for a few seconds at most.
pub async fn stop() {
    if let Some(recorder) = span::RECORDER.get() {
        // It fails only if the runtime stops, which waits for nothing either.
        let _ = tokio::task::spawn_blocking(|| recorder.stop(LAST_SPANS)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn headers(values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (TRACEPARENT.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn a_request_continues_its_trace_and_one_without_a_valid_one_begins_its_own() {
        let of = |values: &[&str]| of_request(&headers(values)).0.unwrap();
        assert_eq!(of(&[GIVEN]).to_string(), GIVEN);
        let mut begun = Vec::new();
        for other in [&[][..], &["00-4bf9"], &[&GIVEN.to_uppercase()], &[GIVEN, GIVEN]] {
            let context = of(other);
            assert_eq!(context.to_string().parse(), Ok(context));
            assert!(!context.sampled && context.trace() != of(&[GIVEN]).trace(), "{other:?}");
            begun.push(context.trace());
        }
        begun.sort();
        begun.dedup();
        assert_eq!(begun.len(), 4);
    }

    #[tokio::test]
    async fn a_trace_is_known_within_its_task_alone() {
        let given = GIVEN.parse().ok();
        let within_it = within(given, async { (current(), header()) }).await;
        assert_eq!(within_it, (given, Some((TRACEPARENT, GIVEN.to_owned()))));
        assert_eq!((current(), header()), (None, None));
    }
}
