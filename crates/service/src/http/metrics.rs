//! What the service answered, counted since its start: GET /metrics, in the text format that Prometheus reads.
//!
//! For whoever runs the service, on its own machine: anybody else is told that there is nothing here. Routes and statuses
//! are all that is counted, so that no identifier gets in.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use super::problem::Answered;
use super::{App, Problem};

/// Answers by route and status.
#[derive(Debug, Default)]
pub struct Metrics {
    answers: Mutex<BTreeMap<(String, u16), u64>>,
}

impl Metrics {
    pub(super) fn count(&self, route: Option<&str>, status: StatusCode) {
        let key = (route.unwrap_or("none").to_owned(), status.as_u16());
        *self.answers.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default() += 1;
    }

    fn text(&self) -> String {
        let mut text = "# HELP ordersync_http_requests_total Requests answered, by route and status.\n\
                        # TYPE ordersync_http_requests_total counter\n"
            .to_owned();
        for ((route, status), count) in self.answers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = writeln!(text, "ordersync_http_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}");
        }
        text
    }
}

/// GET /metrics
pub(crate) async fn read(State(app): State<Arc<App>>, request: Request) -> Answered<Response> {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    // A proxy on this machine is a local peer as well, and names who is behind it.
    let is_forwarded = ["x-forwarded-for", "forwarded"].iter().any(|name| request.headers().contains_key(*name));
    if is_forwarded || !peer.is_some_and(|peer| peer.0.ip().to_canonical().is_loopback()) {
        return Err(Problem::nothing_at(request.uri()));
    }
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], app.metrics.text()).into_response())
}
