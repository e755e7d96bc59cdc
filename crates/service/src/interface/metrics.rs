//! What the service counts and measures: GET /metrics, in the text format that Prometheus reads (version 0.0.4).
//!
//! For the operator, on the service's own machine: all other callers get 404. No label is an identifier.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use prometheus::TEXT_FORMAT;

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
    // A store that does not answer is a reason to look at the other figures.
    let queue = app.store.queue_level(app.clock.now()).await.ok();
    let text = app.metrics.text(queue.as_ref(), &app.store.connections_in_use());
    let text = text.map_err(|why| Problem::internal(why.to_string()))?;
    Ok(([(CONTENT_TYPE, TEXT_FORMAT)], text).into_response())
}
