//! What every command does that has started a sync: follow it to its end, or say how to.

use ordersync_api::{ErrorCode, Extra, Id, Session, SyncStarted, SyncStartedStatus};

use super::sync_report;
use crate::cli::shared::{MfaArgs, WaitArgs};
use crate::client::Client;
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};
use crate::follow::follow;
use crate::follow::mfa::Answers;
use crate::output::Mark;

/// Follows what was started, and reports how it ended.
pub(crate) async fn finish(
    context: &Context,
    client: &Client,
    started: Result<SyncStarted>,
    mfa: &MfaArgs,
    wait: WaitArgs,
) -> Result<()> {
    match followed(context, client, started, mfa, wait).await? {
        Some(session) => sync_report::conclude(context, &session),
        None => Ok(()),
    }
}

/// Follows what was started to its end. If a sync runs already, that one is followed; if there is nothing to
/// follow, or it is left to itself, the command says so.
pub(crate) async fn followed(
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
    let ran_before = (!is_new).then(|| runs_already(Some("this connection"), batch.as_str()));
    if wait.no_wait {
        return leave_running(context, &started, batch.as_str(), ran_before.as_deref()).map(|()| None);
    }
    if let Some(text) = ran_before {
        context.output.marked_note(Mark::Attention, &text);
    }
    follow(context, client, batch.as_str(), &mut Answers::new(mfa)).await.map(Some)
}

/// The session that was started.
pub(crate) fn batch(started: &SyncStarted) -> Result<Id> {
    started.batch_id.clone().ok_or_else(|| {
        let message = format!("The service answered \"{}\" and named no session to follow.", started.status);
        Error::of(&codes::network::UNEXPECTED_ANSWER, message).hint(Hint::run("See", "ordersync sessions"))
    })
}

/// The sync that runs already, as if it had been started now.
pub(crate) fn running(error: Error) -> Result<SyncStarted> {
    error.detail("batchId").map(|batch| syncing(batch.into())).ok_or(error)
}

/// The service's answer about a sync that has begun.
pub(crate) fn syncing(batch: Id) -> SyncStarted {
    let (batch_id, status) = (Some(batch), SyncStartedStatus::Syncing.into());
    SyncStarted { batch_id, status, connection_id: None, extra: Extra::default() }
}

/// What to say of a sync that was not started, because one ran. `who` is the connection, if it is one.
pub(crate) fn runs_already(who: Option<&str>, batch: &str) -> String {
    let of = who.map(|who| format!(" of {who}")).unwrap_or_default();
    format!("A sync{of} is already running: session {batch}.")
}

/// Prints the session of a sync that is left to itself; `ran_before` is what to say if it was not started now.
pub(crate) fn print_left(context: &Context, batch: &str, ran_before: Option<&str>) -> Result<()> {
    match ran_before {
        None => context.output.marked(Mark::Good, format!("Started: session {batch}")),
        Some(text) => context.output.marked(Mark::Attention, text),
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

/// Leaves a sync to itself; `ran_before` is what to say if it was not started now.
fn leave_running(context: &Context, started: &SyncStarted, batch: &str, ran_before: Option<&str>) -> Result<()> {
    if !context.output.shown(started)? {
        print_left(context, batch, ran_before)?;
    } else if let Some(text) = ran_before {
        context.output.marked_note(Mark::Attention, text);
    }
    if context.is_local() {
        context.output.note("It continues whenever an ordersync command runs.");
    }
    context.output.next(&[context.command(["sessions", "watch", batch])]);
    Ok(())
}
