//! Sends spans with OTLP over HTTP, as OpenTelemetry's environment variables say. What cannot be sent is lost, counted and logged; nothing
//! ever waits for it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{Context, InstrumentationScope, KeyValue};
use opentelemetry_otlp::{SpanExporter as Otlp, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    BatchSpanProcessor, Config, SamplingDecision, ShouldSample, SpanData, SpanEvents, SpanExporter, SpanLinks,
    SpanProcessor,
};
use ordersync_api::TraceContext;
use tokio::runtime::Handle;

use super::span::{Finished, Kind, Recorder, Value};
use crate::clock::{Clock as _, SystemClock};
use crate::ids::new_id;

/// How long one attempt to send may take, whatever the variables say of all attempts.
const ATTEMPT: Duration = Duration::from_secs(10);

pub(super) struct Exporting {
    processor: BatchSpanProcessor,
    sampler: Box<dyn ShouldSample>,
    scope: InstrumentationScope,
    clock: SystemClock,
}

impl Exporting {
    /// Starts the thread that collects spans. Must be called within a Tokio runtime, which sends them.
    /// Fails if the variables cannot be used; the text has no secret.
    pub(super) fn start() -> Result<Self, String> {
        // A second call changes nothing.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .user_agent(concat!("ordersync/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .timeout(ATTEMPT)
            .build()
            .map_err(|why| why.to_string())?;
        let exporter = Otlp::builder().with_http().with_http_client(client).build();
        let mut exporter = exporter.map_err(|why| why.to_string())?;
        exporter.set_resource(&resource()?);
        let sender = Sender { otlp: Arc::new(exporter), runtime: Handle::current(), lost: AtomicUsize::new(0) };
        Ok(Self {
            processor: BatchSpanProcessor::builder(sender).build(),
            sampler: Config::default().sampler,
            scope: InstrumentationScope::builder("ordersync").with_version(env!("CARGO_PKG_VERSION")).build(),
            clock: SystemClock::default(),
        })
    }
}

impl Recorder for Exporting {
    fn samples(&self, parent: Option<TraceContext>, trace_id: [u8; 16]) -> bool {
        let parent = parent.map(|parent| Context::new().with_remote_span_context(span_context(parent, true)));
        let trace_id = TraceId::from_bytes(trace_id);
        let sampled = self.sampler.should_sample(parent.as_ref(), trace_id, "request", &SpanKind::Server, &[], &[]);
        sampled.decision == SamplingDecision::RecordAndSample
    }

    fn take(&self, finished: Finished) {
        let Finished { context, parent, kind, name, took, attributes, failed } = finished;
        let end_time = SystemTime::from(self.clock.now());
        self.processor.on_end(SpanData {
            span_context: span_context(context, false),
            parent_span_id: parent.map_or(SpanId::INVALID, |parent| SpanId::from_bytes(parent.span_id)),
            parent_span_is_remote: parent.is_some_and(|parent| parent.is_remote),
            span_kind: match kind {
                Kind::Server => SpanKind::Server,
                Kind::Client => SpanKind::Client,
                Kind::Internal => SpanKind::Internal,
            },
            name,
            start_time: end_time.checked_sub(took).unwrap_or(end_time),
            end_time,
            attributes: attributes.into_iter().map(attribute).collect(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: failed.map_or(Status::Unset, Status::error),
            instrumentation_scope: self.scope.clone(),
        });
    }

    fn stop(&self, limit: Duration) {
        // What went wrong was logged where it did.
        let _ = self.processor.shutdown_with_timeout(limit);
    }
}

fn span_context(context: TraceContext, is_remote: bool) -> SpanContext {
    let flags = if context.sampled { TraceFlags::SAMPLED } else { TraceFlags::default() };
    let (trace_id, span_id) = (TraceId::from_bytes(context.trace_id), SpanId::from_bytes(context.span_id));
    SpanContext::new(trace_id, span_id, flags, is_remote, TraceState::default())
}

fn attribute((name, value): (&'static str, Value)) -> KeyValue {
    match value {
        Value::Text(text) => KeyValue::new(name, text),
        Value::Number(number) => KeyValue::new(name, number),
    }
}

/// What this process is called, unless the variables name it.
fn resource() -> Result<Resource, String> {
    let node = new_id("node").map_err(|why| why.to_string())?;
    let named = Resource::builder().build();
    let is_ours = |name: &str| {
        named.get(&name.to_owned().into()).is_none_or(|value| value.as_str().starts_with("unknown_service"))
    };
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let ours = [("service.name", "ordersync".to_owned()), ("service.version", version), ("service.instance.id", node)];
    let ours = ours.into_iter().filter(|(name, _)| is_ours(name));
    Ok(Resource::builder().with_attributes(ours.map(|(name, value)| KeyValue::new(name, value))).build())
}

/// Sends batches in the runtime of the service: the thread that collects them has none.
struct Sender {
    otlp: Arc<Otlp>,
    runtime: Handle,
    /// Spans that could not be sent since the last batch that could.
    lost: AtomicUsize,
}

impl fmt::Debug for Sender {
    /// Without the headers, which hold a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender")
    }
}

impl SpanExporter for Sender {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let (otlp, spans) = (Arc::clone(&self.otlp), batch.len());
        let sent = self.runtime.spawn(async move { otlp.export(batch).await }).await;
        let sent = sent.map_err(|why| why.to_string()).and_then(|sent| sent.map_err(|why| why.to_string()));
        match sent {
            Ok(()) => {
                let lost = self.lost.swap(0, Ordering::Relaxed);
                if lost > 0 {
                    tracing::warn!(spans = lost, "traces are sent again; these spans were lost");
                }
            }
            Err(why) => {
                if self.lost.fetch_add(spans, Ordering::Relaxed) == 0 {
                    tracing::warn!(why, "traces cannot be sent: their spans are lost until they can");
                }
            }
        }
        Ok(())
    }

    fn shutdown_with_timeout(&self, _limit: Duration) -> OTelSdkResult {
        let lost = self.lost.load(Ordering::Relaxed);
        if lost > 0 {
            tracing::warn!(spans = lost, "these spans were lost: they could not be sent");
        }
        Ok(())
    }
}
