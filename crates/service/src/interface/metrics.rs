//! What the service counts and measures: GET /metrics, in the text format that Prometheus reads (version 0.0.4).
//!
//! For the operator: on the service's own machine, where all other callers get 404, and at an address of its own if there is
//! one, which has nothing else. No label is an identifier.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus::TEXT_FORMAT;

use crate::app::App;
use crate::clock::Clock;
use crate::counters::Metrics;
use crate::http::Problem;
use crate::http::problem::Answered;
use crate::store::Store;

/// What the figures are of.
#[derive(Clone)]
pub(crate) struct Measured {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) metrics: Arc<Metrics>,
}

impl Measured {
    async fn page(&self) -> Answered<Response> {
        // A store that does not answer is a reason to look at the other figures.
        let queue = self.store.queue_level(self.clock.now()).await.ok();
        let text = self.metrics.text(queue.as_ref(), &self.store.connections_in_use());
        let text = text.map_err(|why| Problem::internal(why.to_string()))?;
        Ok(([(CONTENT_TYPE, TEXT_FORMAT)], text).into_response())
    }
}

/// The figures at an address of their own, for everybody that reaches it.
pub(crate) fn alone(measured: Measured) -> Router {
    let page = async |State(measured): State<Measured>| {
        let began = Instant::now();
        let page = measured.page().await.into_response();
        measured.metrics.count_request(Some("/metrics"), page.status().as_u16(), began.elapsed());
        page
    };
    Router::new().route("/metrics", get(page)).fallback(async || StatusCode::NOT_FOUND).with_state(measured)
}

/// GET /metrics
pub(crate) async fn read(State(app): State<Arc<App>>, request: Request) -> Answered<Response> {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    // A proxy on this machine is a local peer as well, and names the client behind it.
    let is_forwarded = ["x-forwarded-for", "forwarded"].iter().any(|name| request.headers().contains_key(*name));
    if is_forwarded || !peer.is_some_and(|peer| peer.0.ip().to_canonical().is_loopback()) {
        return Err(Problem::nothing_at(request.uri()));
    }
    let App { store, clock, metrics, .. } = &*app;
    Measured { store: store.clone(), clock: Arc::clone(clock), metrics: Arc::clone(metrics) }.page().await
}
