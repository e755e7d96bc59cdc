//! The catalog of retailers: the one public part of the interface.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ordersync_api::Retailer;

use crate::app::App;

/// GET /sync/retailers
pub(crate) async fn list(State(app): State<Arc<App>>) -> Json<Vec<Retailer>> {
    Json(app.catalog.list())
}
