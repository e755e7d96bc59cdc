//! Health, outside the interface: for whoever watches the service.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ordersync_api::ErrorCode;
use serde_json::{Value, json};

use super::problem::Answered;
use super::{App, Problem};

/// GET /healthz: the process is alive.
pub(super) async fn alive() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

/// GET /readyz: the store can be reached.
pub(super) async fn ready(State(app): State<Arc<App>>) -> Answered<Json<Value>> {
    match app.store.ping().await {
        Ok(()) => Ok(Json(json!({ "status": "ok" }))),
        Err(error) => {
            tracing::error!(%error, "the store cannot be reached");
            Err(Problem::new(ErrorCode::Unavailable, "The store cannot be reached."))
        }
    }
}
