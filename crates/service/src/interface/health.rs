//! Health, outside the interface: for monitoring.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::app::App;
use crate::http::Problem;
use crate::http::problem::Answered;

/// GET /healthz: the process is alive.
pub(crate) async fn alive() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// GET /readyz: the store can be read and written, and the node is not about to stop.
pub(crate) async fn ready(State(app): State<Arc<App>>) -> Answered<Json<Value>> {
    if app.readiness.is_draining() {
        return Err(Problem::draining());
    }
    match app.readiness.trouble(&app.store, app.clock.as_ref()).await {
        None => Ok(Json(json!({ "status": "ok" }))),
        Some(trouble) => Err(Problem::unavailable(trouble)),
    }
}
