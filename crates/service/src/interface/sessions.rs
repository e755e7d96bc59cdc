//! Sync sessions, to follow.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use ordersync_api::{ErrorCode, Session};

use crate::app::App;
use crate::http::Problem;
use crate::http::extract::Segment;
use crate::http::linked::Reader;
use crate::http::problem::Answered;
use crate::http::scoped::AccountsRead;

/// GET /sync/sessions/latest
pub(crate) async fn latest(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<AccountsRead>,
) -> Answered<Json<Session>> {
    app.store
        .latest_session(&caller)
        .await?
        .map(Json)
        .ok_or_else(|| Problem::new(ErrorCode::NotFound, "There is no sync session yet. Connect a retailer first."))
}

/// GET /sync/sessions/{batchId}
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<AccountsRead>,
    Segment(batch_id): Segment,
) -> Answered<Json<Session>> {
    app.store.session(&caller, &batch_id).await?.map(Json).ok_or_else(|| Problem::not_found("session", &batch_id))
}
