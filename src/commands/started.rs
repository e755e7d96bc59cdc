//! What every command does that has started a sync: follow it to its end, or say how to.

use ordersync_api::{ErrorCode, Id, Session, SyncStarted, SyncStartedStatus};
use serde_json::json;

use super::{connections, outcome};
use crate::cli::shared::{MfaArgs, WaitArgs};
use crate::client::Client;
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::follow::answer::Answers;
use crate::follow::follow;
use crate::hint::Hint;
use crate::output::Mark;
use crate::output::people::reason;

/// Starts a sync of one connection.
///
/// # Errors
/// If the service cannot be reached or refuses. A connection that is invalid is named.
pub(super) async fn start(client: &Client, id: &Id, full: bool) -> Result<SyncStarted> {
    match client.sync_connection(id.as_str(), full).await {
        // The service does not repeat which connection was meant; of several, the user would not know which one it is.
        Err(error) if error.is(ErrorCode::ConnectionInvalid) => Err(match client.connection(id.as_str()).await {
            Ok(connection) => {
                let name = connections::name(&connection);
                let why = connection.status_reason.as_deref().map(|code| format!(" ({})", reason(code)));
                error.saying(format!("{name} is invalid{}, so it cannot sync.", why.unwrap_or_default()))
            }
            Err(_) => error,
        }),
        sent => sent,
    }
}

/// Follows what was started, and tells how it ended.
///
/// # Errors
/// Where nothing was started, or the sync does not end well.
pub(super) async fn finish(
    context: &Context,
    client: &Client,
    started: Result<SyncStarted>,
    mfa: &MfaArgs,
    wait: WaitArgs,
) -> Result<()> {
    match followed(context, client, started, mfa, wait).await? {
        Some(session) => outcome::conclude(context, &session),
        None => Ok(()),
    }
}

/// Follows what was started to its end. Where a sync runs already, that one is followed; where there is nothing to
/// follow, or it is left to itself, that is told.
///
/// # Errors
/// Where nothing was started, or the sync cannot be followed to its end.
pub(super) async fn followed(
    context: &Context,
    client: &Client,
    started: Result<SyncStarted>,
    mfa: &MfaArgs,
    wait: WaitArgs,
) -> Result<Option<Session>> {
    let (started, is_new) = match started {
        Ok(started) => (started, true),
        Err(error) if error.is(ErrorCode::SyncInProgress) => (running(error)?, false),
        Err(error) => return Err(error),
    };
    if started.status.is(&SyncStartedStatus::NoRetailers) {
        return nothing_to_sync(context, &started).map(|()| None);
    }
    let batch = batch(&started)?;
    context.remember(|known| known.add_batch(batch.as_str()));
    if !is_new && !wait.no_wait {
        context.output.marked_note(Mark::Attention, runs_already(batch.as_str()));
    }
    if wait.no_wait {
        return leave_running(context, &started, batch.as_str(), is_new).map(|()| None);
    }
    follow(context, client, batch.as_str(), &mut Answers::new(mfa)).await.map(Some)
}

/// The session that was started.
///
/// # Errors
/// If the answer names none.
pub(super) fn batch(started: &SyncStarted) -> Result<Id> {
    started.batch_id.clone().ok_or_else(|| {
        let message = format!("The service answered \"{}\" and named no session to follow.", started.status);
        Error::of(&codes::network::UNEXPECTED_ANSWER, message).hint(Hint::run("See", "ordersync sessions"))
    })
}

/// The sync that runs already, as if it had been started now.
pub(super) fn running(error: Error) -> Result<SyncStarted> {
    let Some(batch) = error.detail("batchId") else { return Err(error) };
    serde_json::from_value(json!({ "batchId": batch, "status": SyncStartedStatus::Syncing })).map_err(|_| error)
}

/// What to say of a sync that was not started, because one ran.
pub(super) fn runs_already(batch: &str) -> String {
    format!("A sync of this connection is already running: session {batch}.")
}

/// Prints the session of a sync that is left to itself. `is_new`: it was started now, and not before.
///
/// # Errors
/// If the result cannot be written.
pub(super) fn print_left(context: &Context, batch: &str, is_new: bool) -> Result<()> {
    if is_new {
        context.output.marked(Mark::Good, format!("Started: session {batch}"))
    } else {
        context.output.marked(Mark::Attention, runs_already(batch))
    }
}

fn nothing_to_sync(context: &Context, started: &SyncStarted) -> Result<()> {
    if context.output.shown(started)? {
        return Ok(());
    }
    context.output.note("There is nothing to sync: no valid connection.");
    context.output.next(&[context.command("connect --retailer ID|NAME"), context.command("fix")]);
    Ok(())
}

/// Leaves a sync to itself. `is_new`: it was started now, and not before.
fn leave_running(context: &Context, started: &SyncStarted, batch: &str, is_new: bool) -> Result<()> {
    if !context.output.shown(started)? {
        print_left(context, batch, is_new)?;
    } else if !is_new {
        context.output.marked_note(Mark::Attention, runs_already(batch));
    }
    if context.is_local() {
        context.output.note("It goes on whenever an ordersync command runs.");
    }
    context.output.next(&[context.command(["sessions", "watch", batch])]);
    Ok(())
}
