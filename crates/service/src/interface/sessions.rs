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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_or_another_session_changes_the_state_and_a_count_does_not() {
        let of = |id: &str, found: u64, events: usize| {
            let event = json!({ "type": "status" });
            let part = json!({ "retailerId": 1, "syncStatus": "scanning", "itemsFound": found });
            let session = json!({
                "batchId": id, "status": "syncing", "retailerSyncSessions": [part], "events": vec![event; events],
            });
            state(&serde_json::from_value(session).unwrap())
        };
        let known = of("batch_1", 1, 3);
        assert_eq!(of("batch_1", 2, 3), known);
        assert_ne!(of("batch_1", 1, 4), known);
        assert_ne!(of("batch_2", 1, 3), known);
    }
}
