//! `ordersync sync NAME…`: the connections that are named, one after the other.

use ordersync_api::{Id, SyncStarted};

use super::{outcome, resolve, started};
use crate::cli::sync::SyncArgs;
use crate::client::Client;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::Mark;

/// The connections that are named, as arguments or with options; none: all are meant.
///
/// # Errors
/// If a name matches none or several, or arguments and options name different connections.
pub(super) async fn ids(client: &Client, arguments: &SyncArgs) -> Result<Vec<Id>> {
    let names = arguments.names.iter().map(String::as_str).collect();
    let [connection, retailer] =
        [&arguments.connection, &arguments.retailer].map(|one| one.as_deref().into_iter().collect());
    resolve::same_connection_ids(client, &[names, connection, retailer]).await
}

/// Starts all of them, then follows each to its end. All are tried; the last failure is the command's, and those before it
/// are printed. One document holds all sessions.
///
/// # Errors
/// If one cannot be started or does not end well.
pub(super) async fn sync(context: &Context, client: &Client, ids: &[Id], arguments: &SyncArgs) -> Result<()> {
    let mut all = Vec::with_capacity(ids.len());
    for id in ids {
        all.push(started::start(client, id, arguments.full).await);
    }
    if arguments.wait.no_wait {
        return leave_running(context, all);
    }
    let (mut sessions, mut failed) = (Vec::new(), None);
    for sent in all {
        match started::followed(context, client, sent, &arguments.mfa, arguments.wait).await {
            Ok(session) => sessions.extend(session),
            // Whoever ends a question ends the command.
            Err(error) if error.exit() == Exit::Interrupted => return Err(error),
            Err(error) => report(context, failed.replace(error)),
        }
    }
    // One document holds all sessions, and at a terminal each has its lines.
    let is_shown = context.output.shown(&sessions)?;
    for session in &sessions {
        if let Err(error) = outcome::settle(context, session, is_shown) {
            report(context, failed.replace(error));
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Prints what was started, in one document.
fn leave_running(context: &Context, all: Vec<Result<SyncStarted>>) -> Result<()> {
    let (mut started, mut failed) = (Vec::new(), None);
    for sent in all {
        match sent {
            Ok(one) => started.push(one),
            Err(error) => report(context, failed.replace(error)),
        }
    }
    let is_shown = context.output.shown(&started)?;
    for one in &started {
        let Some(batch) = &one.batch_id else { continue };
        context.remember(|known| known.add_batch(batch.as_str()));
        if !is_shown {
            context.output.marked(Mark::Good, format!("Started: session {batch}"))?;
        }
        context.output.next(&[context.command(["sessions", "watch", batch.as_str()])]);
    }
    if context.is_local() && !started.is_empty() {
        context.output.note("They go on whenever an ordersync command runs.");
    }
    failed.map_or(Ok(()), Err)
}

/// Prints a failure that another one follows.
fn report(context: &Context, earlier: Option<Error>) {
    if let Some(earlier) = earlier {
        context.output.error(&earlier);
    }
}
