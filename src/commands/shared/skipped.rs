//! Connections that a sync skips: which, why, and the command that helps. A scheduled job must learn of them, or it exports
//! stale data night after night.

use chrono::{DateTime, Utc};
use ordersync_api::{Connection, ConnectionStatus, Id, RetailerSyncSession, Session, SyncStatus, text_enum};
use serde::Serialize;
use serde_json::json;

use crate::client::Client;
use crate::commands::shared::{active_sessions, display_name};
use crate::context::Context;
use crate::errors::{Error, Exit, Hint, Result, codes};
use crate::output::human::reason;

/// No more of them are named in an error: each has a line of its own before it.
const MOST_NAMED: usize = 5;

/// A connection that was skipped.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skipped {
    pub(crate) connection_id: Id,
    pub(crate) display_name: String,
    #[serde(rename = "reason")]
    pub(crate) why: Why,
    /// What helps.
    pub(crate) command: String,
    /// None if the service does not show the connection.
    #[serde(skip)]
    retailer_id: Option<i64>,
    /// The session that it is in.
    #[serde(skip)]
    pub(crate) batch: Option<Id>,
    /// The code of what went wrong before.
    #[serde(skip)]
    code: Option<String>,
    /// When its last sync ended well.
    #[serde(skip)]
    ended: Option<DateTime<Utc>>,
    /// An error that says more than the line for each.
    #[serde(skip)]
    pub(crate) error: Option<Error>,
}

text_enum! {
    /// Why a connection was skipped; the gravest first.
    pub(crate) enum Why {
        /// Its sync waits for a code.
        WaitsForCode = "waiting_for_code",
        Invalid = "invalid",
        /// Its last sync failed, and the service did not try again.
        Failed = "failed",
        /// The service did not sync it and does not say why.
        NotSynced = "not_synced",
        /// An earlier sync of it still runs.
        Syncing = "syncing",
    }
}

impl Why {
    const fn text(self) -> &'static str {
        match self {
            Self::WaitsForCode => "it waits for a code",
            Self::Invalid => "it is invalid",
            Self::Failed => "its last sync failed",
            Self::NotSynced => "the service did not sync it",
            Self::Syncing => "it is still syncing",
        }
    }

    /// How the process ends if a connection was skipped for this reason.
    const fn exit(self) -> Exit {
        match self {
            Self::WaitsForCode => Exit::MfaNeeded,
            Self::Invalid | Self::Failed | Self::NotSynced => Exit::SyncFailed,
            Self::Syncing => Exit::StillRunning,
        }
    }
}

/// Finds the connections that are in none of these sessions, and says why.
pub(crate) async fn find(
    context: &Context,
    client: &Client,
    connections: &[Connection],
    batches: &[Id],
) -> Result<Vec<Skipped>> {
    let is_in = |connection: &Connection| connection.last_batch_id.as_ref().is_some_and(|id| batches.contains(id));
    let is_skipped = |connection: &&Connection| !is_in(connection) && !connection.is_import_only();
    let others: Vec<Connection> = connections.iter().filter(is_skipped).cloned().collect();
    // What is invalid may wait for a code all the same: a fix is under way.
    let sessions =
        if others.is_empty() { Vec::new() } else { active_sessions::sessions(context, client, &others).await? };
    let mut skipped: Vec<Skipped> = others.iter().map(|connection| skipped(context, connection, &sessions)).collect();
    skipped.sort_by_key(|one| one.why);
    Ok(skipped)
}

fn skipped(context: &Context, connection: &Connection, sessions: &[Session]) -> Skipped {
    let last = connection.last_batch_id.as_ref();
    let session = sessions.iter().find(|session| Some(&session.batch_id) == last);
    let part = session.and_then(|session| Some((session, part(session, connection)?)));
    let is_invalid = connection.status.is(&ConnectionStatus::Invalid);
    let status = part.and_then(|(_, part)| part.sync_status.known().copied());
    let why = match (part, status) {
        (Some((session, part)), _) if session.open_mfa(part).is_some() => Why::WaitsForCode,
        (Some(_), Some(status)) if !status.is_final() => Why::Syncing,
        _ if is_invalid => Why::Invalid,
        (Some(_), Some(SyncStatus::Error | SyncStatus::TimedOut)) => Why::Failed,
        // It ended well: if a moment ago, it was busy when the others were started, and is up to date.
        (Some(_), Some(_)) => Why::NotSynced,
        // The session is not told to this client, or not asked for: the service skips what is not invalid only if it is busy.
        _ if last.is_some() && session.is_none() => Why::Syncing,
        _ => Why::NotSynced,
    };
    let ended = session.filter(|_| why == Why::NotSynced);
    let ended = ended.and_then(|session| session.completed_at.as_ref().or(session.updated_at.as_ref()));
    let ended = ended.and_then(|at| at.known()).map(|at| at.0);
    Skipped { ended, ..Skipped::named(context, &connection.connection_id, Some(connection), why, None) }
}

impl Skipped {
    /// A connection that was named. `connection` is none if the service does not show it, `code` the reason that it gave.
    pub(crate) fn named(
        context: &Context,
        id: &Id,
        connection: Option<&Connection>,
        why: Why,
        code: Option<&str>,
    ) -> Self {
        let batch = connection.and_then(|connection| connection.last_batch_id.clone());
        let code = code.or_else(|| connection?.status_reason.as_deref());
        Self {
            connection_id: id.clone(),
            display_name: connection.map_or_else(|| format!("Connection {id}"), display_name::name),
            why,
            command: command(context, why, id, batch.as_ref()),
            retailer_id: connection.map(|connection| connection.retailer_id),
            batch,
            code: code.filter(|_| matches!(why, Why::Invalid | Why::Failed)).map(str::to_owned),
            ended: None,
            error: None,
        }
    }
}

fn command(context: &Context, why: Why, id: &Id, batch: Option<&Id>) -> String {
    match (why, batch) {
        (Why::WaitsForCode, Some(batch)) => context.command(["mfa", "--batch", batch.as_str()]),
        (Why::Syncing, Some(batch)) => context.command(["sessions", "watch", batch.as_str()]),
        (Why::Invalid, _) => context.command(["fix", id.as_str()]),
        _ => context.command(["sync", "--connection", id.as_str()]),
    }
}

/// The part of a connection in a session.
pub(crate) fn part<'a>(session: &'a Session, connection: &Connection) -> Option<&'a RetailerSyncSession> {
    let (id, retailer) = (&connection.connection_id, Some(connection.retailer_id));
    session.retailer_sync_sessions.iter().find(|part| is_of(part, id, retailer))
}

fn is_of(part: &RetailerSyncSession, connection: &Id, retailer: Option<i64>) -> bool {
    part.connection_id.as_ref().map_or(retailer == Some(part.retailer_id), |id| id == connection)
}

/// Removes connections that were synced after all: they are in one of `sessions`, or their last sync ended after the first
/// of these began.
pub(crate) fn without_synced(skipped: &mut Vec<Skipped>, sessions: &[Session]) {
    let began = sessions.first().and_then(|session| session.created_at.as_ref()?.known()).map(|at| at.0);
    skipped.retain(|one| one.ended.is_none_or(|ended| began.is_some_and(|began| ended < began)));
    let parts: Vec<&RetailerSyncSession> =
        sessions.iter().flat_map(|session| &session.retailer_sync_sessions).collect();
    skipped.retain(|one| !parts.iter().any(|part| is_of(part, &one.connection_id, one.retailer_id)));
}

/// Says of each connection why it was skipped, and what helps: with `--quiet`, too. An error of its own says it instead, unless
/// that was accepted.
pub(crate) fn report(context: &Context, skipped: &[Skipped], is_accepted: bool) {
    for one in skipped.iter().filter(|one| is_accepted || one.error.is_none()) {
        let code = one.code.as_deref().map(|code| format!(" ({})", reason(code))).unwrap_or_default();
        let text = format!("{} was skipped: {}{code}", one.display_name, one.why.text());
        context.output.warn(Hint::run(text, one.command.as_str()));
    }
}

/// The failure of a sync that skipped these connections; none if it skipped none, or each has an error of its own. With
/// `--no-wait` the others run still as well, so that running is no failure.
pub(crate) fn failure(skipped: &[Skipped], no_wait: bool) -> Option<Error> {
    let counts = skipped.iter().filter(|one| one.error.is_none() && !(no_wait && one.why == Why::Syncing));
    let counts: Vec<&Skipped> = counts.collect();
    let exits = [Exit::MfaNeeded, Exit::SyncFailed, Exit::StillRunning];
    let exit = exits.into_iter().find(|exit| counts.iter().any(|one| one.why.exit() == *exit))?;
    let mut names: Vec<&str> = counts.iter().take(MOST_NAMED).map(|one| one.display_name.as_str()).collect();
    if counts.len() > MOST_NAMED {
        names.push("…");
    }
    let noun =
        if let [_] = counts.as_slice() { "1 connection was" } else { &format!("{} connections were", counts.len()) };
    let row = &codes::command::CONNECTIONS_SKIPPED;
    let error = Error::new(exit, row.code, format!("{noun} not synced: {}.", names.join(", ")));
    Some(error.hint(row.advice()).details(json!({ "skipped": skipped })))
}
