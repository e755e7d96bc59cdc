//! Responses counted since the service started: GET /metrics, in the text format that Prometheus reads.
//!
//! For the operator, on the service's own machine: all other callers get 404. Only routes and statuses are counted, so
//! no identifier gets in.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::http::Problem;
use crate::http::problem::Answered;

/// GET /metrics
pub(crate) async fn read(State(app): State<Arc<App>>, request: Request) -> Answered<Response> {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    // A proxy on this machine is a local peer as well, and names the client behind it.
    let is_forwarded = ["x-forwarded-for", "forwarded"].iter().any(|name| request.headers().contains_key(*name));
    if is_forwarded || !peer.is_some_and(|peer| peer.0.ip().to_canonical().is_loopback()) {
        return Err(Problem::nothing_at(request.uri()));
    }
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], app.metrics.text()).into_response())
}
