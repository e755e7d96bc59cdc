//! Starting syncs, and the answer to an attempt to start one.

use axum::response::Response;
use ordersync_api::{ErrorCode, Id};
use serde_json::json;

use crate::app::App;
use crate::http::fields::Params;
use crate::http::problem::Answered;
use crate::http::{Problem, idempotency};
use crate::sealing::Rejected;
use crate::store::accounts::idempotency::IdempotencyKey;
use crate::store::accounts::users::Caller;
use crate::store::syncs::start::StartOutcome;

/// Whether settled and unchanged orders are read again.
pub(crate) fn full(params: &Params) -> Answered<bool> {
    Ok(params.read("full", "true or false")?.unwrap_or(false))
}

/// Starts a sync of every valid connection, and of those that are pending after a first sync that failed.
pub(crate) async fn sync_every(
    app: &App,
    caller: &Caller,
    key: Option<&IdempotencyKey>,
    full: bool,
) -> Answered<Response> {
    let start = app.store.sync_every(caller, full, key).await?;
    started(app, caller, key, start).await
}

/// Starts a sync of a connection.
pub(crate) async fn start_sync(
    app: &App,
    caller: &Caller,
    key: Option<&IdempotencyKey>,
    connection_id: &str,
    full: bool,
) -> Answered<Response> {
    let start = app.store.sync(caller, connection_id, full, key).await?;
    started(app, caller, key, start).await
}

pub(super) async fn started(
    app: &App,
    caller: &Caller,
    key: Option<&IdempotencyKey>,
    start: StartOutcome,
) -> Answered<Response> {
    match start {
        StartOutcome::Started(answer) => {
            app.engine.wake();
            Ok(idempotency::json_response(&answer))
        }
        StartOutcome::Exists(connection_id) => {
            let message = "This retailer is connected already. To repair the connection, fix it.";
            let details = json!({ "connectionId": connection_id });
            Err(Problem::new(ErrorCode::ConnectionExists, message).with_details(details))
        }
        StartOutcome::InProgress(batch_id) => Err(Problem::sync_in_progress(&batch_id)),
        StartOutcome::StampUsed => Err(Rejected.into()),
        StartOutcome::Gone(connection_id) => Err(Problem::not_found("connection", connection_id.as_str())),
        StartOutcome::NotShared => Err(Problem::not_shared()),
        StartOutcome::Invalid(connection_id, reason) => {
            let message = "This connection is invalid: the retailer refused its credentials, ended the sign-in, or has another \
                address than they were given for.";
            let details = json!({ "connectionId": connection_id, "statusReason": reason });
            Err(Problem::new(ErrorCode::ConnectionInvalid, message).with_details(details))
        }
        StartOutcome::NoAccount(connection_id) => Err(no_account(&connection_id)),
        StartOutcome::AnsweredMeanwhile => Ok(idempotency::answered_meanwhile(app, key, caller).await),
    }
}

/// The orders of this connection come from files.
pub(super) fn no_account(connection_id: &Id) -> Problem {
    let message = "This connection has no account to sync or fix: its orders come from files. Import a newer file.";
    Problem::new(ErrorCode::ConnectionHasNoAccount, message).with_details(json!({ "connectionId": connection_id }))
}
