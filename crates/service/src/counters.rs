//! Responses counted since the service started.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

/// Responses by route and status.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    answers: Mutex<BTreeMap<(String, u16), u64>>,
}

impl Metrics {
    /// Counts a response; `route`: `None` if the path is not a route.
    pub(crate) fn count(&self, route: Option<&str>, status: u16) {
        let key = (route.unwrap_or("none").to_owned(), status);
        *self.answers.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default() += 1;
    }

    /// In the text format that Prometheus reads.
    pub(crate) fn text(&self) -> String {
        let mut text = "# HELP ordersync_http_requests_total Requests answered, by route and status.\n\
                        # TYPE ordersync_http_requests_total counter\n"
            .to_owned();
        for ((route, status), count) in self.answers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = writeln!(text, "ordersync_http_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
        }
        text
    }
}
