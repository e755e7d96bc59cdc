//! Sync sessions, to follow. A client that has one already can wait for a change: [`Conditions`].

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use ordersync_api::{ErrorCode, Id, Session};

use crate::app::App;
use crate::http::Problem;
use crate::http::conditional::Conditions;
use crate::http::extract::Segment;
use crate::http::linked::Reader;
use crate::http::problem::Answered;
use crate::http::scoped::AccountsRead;

/// GET /sync/sessions/latest
pub(crate) async fn latest(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<AccountsRead>,
    conditions: Conditions,
) -> Answered<Response> {
    let read = || async {
        app.store
            .latest_session(&caller)
            .await?
            .ok_or_else(|| Problem::new(ErrorCode::NotFound, "There is no sync session yet. Connect a retailer first."))
    };
    conditions.answer(&app.readiness, read, state).await
}

/// GET /sync/sessions/{batchId}
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Reader { caller, .. }: Reader<AccountsRead>,
    Segment(batch_id): Segment,
    conditions: Conditions,
) -> Answered<Response> {
    let read = || async {
        app.store.session(&caller, &batch_id).await?.ok_or_else(|| Problem::not_found("session", &batch_id))
    };
    conditions.answer(&app.readiness, read, state).await
}

/// The part of a session whose change ends a wait: its id, and how many events it has. Each change of a status adds an event.
fn state(session: &Session) -> (Id, usize) {
    (session.batch_id.clone(), session.events.len())
}
