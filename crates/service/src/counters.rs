//! What the service counts and measures, for `/metrics`. Labels are routes, statuses, phases and codes, never identifiers.

use std::sync::LazyLock;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::SyncErrorCode;
use prometheus::{
    Encoder as _, HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Opts, Registry,
    TextEncoder,
};

/// Seconds. Most answers take a few milliseconds; a request may take half a minute.
const REQUEST_BUCKETS: &[f64] = &[0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
/// Seconds. A step may take a minute.
const STEP_BUCKETS: &[f64] = &[0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0];

/// The result of a sync that worked.
const COMPLETED: &str = "completed";

/// Pages of retailers that were given up, in this process. Their readers have no metrics at hand.
pub(crate) static PAGES_CUT_OFF: LazyLock<Option<IntCounter>> = LazyLock::new(|| {
    IntCounter::new("ordersync_pages_cut_off_total", "Pages of retailers that took too long to read.").ok()
});

/// The metrics of a process.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    request_time: HistogramVec,
    step_time: HistogramVec,
    syncs: IntCounterVec,
    leases_lost: IntCounter,
    queue: IntGaugeVec,
    queue_age: IntGaugeVec,
    connections: IntGaugeVec,
}

/// What waits in the store, for all processes of the service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct QueueLevel {
    /// Why syncs wait, how many, and for how many seconds the first of them.
    pub waiting: Vec<(&'static str, i64, i64)>,
}

impl Metrics {
    /// The metrics of a process that started at this time. Fails if two metrics had the same name.
    pub(crate) fn new(started: DateTime<Utc>) -> Result<Self, prometheus::Error> {
        let registry = Registry::new();
        let counters = |name: &str, help: &str, labels: &[&str]| {
            let counters = IntCounterVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(counters.clone())).map(|()| counters)
        };
        let gauges = |name: &str, help: &str, labels: &[&str]| {
            let gauges = IntGaugeVec::new(Opts::new(name, help), labels)?;
            registry.register(Box::new(gauges.clone())).map(|()| gauges)
        };
        let times = |name: &str, help: &str, label: &str, buckets: &[f64]| {
            let times = HistogramVec::new(HistogramOpts::new(name, help).buckets(buckets.to_vec()), &[label])?;
            registry.register(Box::new(times.clone())).map(|()| times)
        };
        let leases_lost =
            IntCounter::new("ordersync_sync_leases_lost_total", "Syncs that this process lost to another one.")?;
        registry.register(Box::new(leases_lost.clone()))?;
        if let Some(cut_off) = &*PAGES_CUT_OFF {
            registry.register(Box::new(cut_off.clone()))?;
        }
        let build = gauges("ordersync_build_info", "The version of the program.", &["version"])?;
        build.with_label_values(&[env!("CARGO_PKG_VERSION")]).set(1);
        // The name that Prometheus gives it for every kind of process.
        let start = IntGauge::new("process_start_time_seconds", "When the process started, in seconds since 1970.")?;
        start.set(started.timestamp());
        registry.register(Box::new(start))?;
        let syncs = counters(
            "ordersync_syncs_total",
            "Syncs that ended, by result: completed or the error code.",
            &["result"],
        )?;
        // From 0 on: of a counter that begins with its first event, Prometheus does not count that event.
        for result in SyncErrorCode::ALL.iter().map(|code| code.as_str()).chain([COMPLETED]) {
            syncs.with_label_values(&[result]).inc_by(0);
        }
        Ok(Self {
            requests: counters(
                "ordersync_http_requests_total",
                "Requests answered, by route and status.",
                &["route", "status"],
            )?,
            request_time: times(
                "ordersync_http_request_duration_seconds",
                "Time until the head of the answer, by route.",
                "route",
                REQUEST_BUCKETS,
            )?,
            step_time: times(
                "ordersync_sync_step_duration_seconds",
                "Time of the steps of syncs, by phase.",
                "phase",
                STEP_BUCKETS,
            )?,
            syncs,
            leases_lost,
            queue: gauges("ordersync_sync_queue", "Syncs that are not over, by what they wait for.", &["waits_for"])?,
            queue_age: gauges(
                "ordersync_sync_queue_oldest_seconds",
                "How long the first of them waits, by what it waits for.",
                &["waits_for"],
            )?,
            connections: gauges(
                "ordersync_store_connections",
                "Connections to the store, by pool and state.",
                &["pool", "state"],
            )?,
            registry,
        })
    }

    /// Counts a response; `route`: `None` if the path is not a route.
    pub(crate) fn count_request(&self, route: Option<&str>, status: u16, took: Duration) {
        let route = route.unwrap_or("none");
        self.requests.with_label_values(&[route, &status.to_string()]).inc();
        self.request_time.with_label_values(&[route]).observe(took.as_secs_f64());
    }

    pub(crate) fn count_step(&self, phase: &str, took: Duration) {
        self.step_time.with_label_values(&[phase]).observe(took.as_secs_f64());
    }

    /// Counts a sync that has ended; `None`: completed.
    pub(crate) fn count_sync(&self, failed: Option<SyncErrorCode>) {
        self.syncs.with_label_values(&[failed.map_or(COMPLETED, SyncErrorCode::as_str)]).inc();
    }

    pub(crate) fn count_lost_lease(&self) {
        self.leases_lost.inc();
    }

    /// In the text format that Prometheus reads. `queue`: `None` if the store does not say.
    pub(crate) fn text(
        &self,
        queue: Option<&QueueLevel>,
        pools: &[(&str, u32, usize)],
    ) -> Result<String, prometheus::Error> {
        self.queue.reset();
        self.queue_age.reset();
        for (reason, count, oldest) in queue.iter().flat_map(|queue| &queue.waiting) {
            self.queue.with_label_values(&[*reason]).set(*count);
            self.queue_age.with_label_values(&[*reason]).set(*oldest);
        }
        for (pool, size, idle) in pools {
            let idle = i64::try_from(*idle).unwrap_or(i64::MAX);
            self.connections.with_label_values(&[*pool, "idle"]).set(idle);
            self.connections.with_label_values(&[*pool, "busy"]).set(i64::from(*size) - idle);
        }
        let mut text = Vec::new();
        TextEncoder::new().encode(&self.registry.gather(), &mut text)?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}
