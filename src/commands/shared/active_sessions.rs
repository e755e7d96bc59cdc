//! Syncs that run, and retailers that wait for a code. The interface has no list of sessions: they are found through the
//! connections, each of which names the session that it was in last.

use std::cmp::Reverse;

use ordersync_api::{Connection, ConnectionStatus, Id, Session};
use serde::Serialize;

use crate::client::Client;
use crate::context::Context;
use crate::errors::{Exit, Hint, Result};
use crate::follow::label::label;
use crate::output::Mark;

/// No more sessions are asked for at an address: each is a request, and a service may count them.
pub(crate) const MOST: usize = 8;

/// A retailer whose sync has not ended.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unfinished {
    /// What it is called.
    pub(crate) retailer: String,
    pub(crate) connection_id: Option<Id>,
    pub(crate) batch_id: Id,
    /// Whether it waits for an answer of the user's.
    pub(crate) waiting: bool,
}

impl Unfinished {
    /// What helps: an answer, or to follow it.
    pub(crate) fn command(&self, context: &Context) -> String {
        let (verb, how) = if self.waiting { ("mfa", "--batch") } else { ("sessions", "watch") };
        context.command([verb, how, self.batch_id.as_str()])
    }
}

/// The sessions that these connections were in last, each once, the most recent first.
pub(crate) async fn sessions(context: &Context, client: &Client, of: &[Connection]) -> Result<Vec<Session>> {
    let mut of: Vec<&Connection> = of.iter().collect();
    of.sort_by_key(|connection| {
        let synced = connection.last_sync_at.as_ref().and_then(|at| at.known()).map(|at| at.0);
        (!connection.status.is(&ConnectionStatus::Pending), Reverse(synced))
    });
    let mut batches = batches(of);
    if !context.is_local() {
        batches.truncate(MOST);
    }
    let mut sessions = Vec::with_capacity(batches.len());
    for batch in batches {
        match client.session(batch.as_str()).await {
            Ok(session) => sessions.push(session),
            // The client that started it may see more of it than this user's client.
            Err(error) if error.exit() == Exit::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    sessions.sort_by_key(|session| Reverse(session.created_at.as_ref().and_then(|at| at.known()).map(|at| at.0)));
    Ok(sessions)
}

/// The sessions that these connections were in last, each once.
pub(crate) fn batches<'a>(of: impl IntoIterator<Item = &'a Connection>) -> Vec<Id> {
    let mut batches: Vec<Id> = Vec::new();
    for batch in of.into_iter().filter_map(|connection| connection.last_batch_id.as_ref()) {
        if !batches.contains(batch) {
            batches.push(batch.clone());
        }
    }
    batches
}

/// What has not ended in these sessions.
pub(crate) fn among(sessions: &[Session]) -> Vec<Unfinished> {
    let parts = sessions
        .iter()
        .flat_map(|session| session.retailer_sync_sessions.iter().map(move |retailer| (session, retailer)));
    parts
        .filter(|(_, retailer)| retailer.sync_status.known().is_some_and(|status| !status.is_final()))
        .map(|(session, retailer)| Unfinished {
            retailer: label(session, retailer),
            connection_id: retailer.connection_id.clone(),
            batch_id: session.batch_id.clone(),
            waiting: session.open_mfa(retailer).is_some(),
        })
        .collect()
}

/// What has not ended of all; nothing if that cannot be read.
pub(crate) async fn unfinished(context: &Context, client: &Client) -> Vec<Unfinished> {
    let Ok(connections) = client.connections(None).await else { return Vec::new() };
    sessions(context, client, &connections).await.map(|sessions| among(&sessions)).unwrap_or_default()
}

/// Says of an export what may be missing from it, since its retailer is syncing still. Not at an address, where it would
/// cost requests that a rate limit may lack; nor does it fail, since the export has not.
/// Of those of which not all orders are known, that is said already.
pub(crate) async fn warn_of_export(context: &Context, incomplete: &[&Id]) {
    if !context.is_local() {
        return;
    }
    let Ok(client) = context.client().await else { return };
    for one in unfinished(context, client).await {
        if one.connection_id.as_ref().is_some_and(|id| incomplete.contains(&id)) {
            continue;
        }
        let what = match one.waiting {
            true => "waits for a code, and has not ended; answer it, then export again",
            false => "is still syncing; export again when it is done",
        };
        let hint = Hint::run(format!("{} {what}", one.retailer), one.command(context));
        context.output.marked_note(Mark::Attention, hint);
    }
}
