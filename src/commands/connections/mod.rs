//! `ordersync connections`.

mod remove;

use ordersync_api::{Connection, ConnectionStatus, Id};

use super::shared::active_sessions::{self, Unfinished};
use super::shared::broken_shops;
use super::shared::completeness;
use super::shared::display_name::name;
use super::shared::resolve;
use crate::cli;
use crate::cli::connections::{ConnectionsArgs, ConnectionsCommand, ListArgs};
use crate::client::Client;
use crate::context::Context;
use crate::errors::{Error, Exit, Hint, Result, suggestions};
use crate::output::Mark;
use crate::output::human::{reason, time};
use crate::output::table::{Column, Table};

/// Lists connections, or shows one.
pub(super) async fn run(context: &Context, arguments: ConnectionsArgs) -> Result<()> {
    match arguments.command {
        None => match &arguments.name {
            Some(name) => get(context, name).await.map_err(|error| meant_a_verb(error, name)),
            None => list(context, &arguments.list).await,
        },
        Some(ConnectionsCommand::List(arguments)) => list(context, &arguments).await,
        Some(ConnectionsCommand::Get { id }) => get(context, &id).await,
        Some(ConnectionsCommand::Remove(arguments)) => remove::run(context, &arguments).await,
    }
}

/// A word that names no connection may be a verb of another program.
fn meant_a_verb(error: Error, word: &str) -> Error {
    let is_id = word.contains(['_', '-']);
    match suggestions::instead(&cli::command(), &["connections"], word) {
        Some(instead) if !is_id && error.exit() == Exit::NotFound => {
            Error::not_found(format!("No connection is called \"{word}\".")).hint(instead)
        }
        _ => error,
    }
}

async fn list(context: &Context, arguments: &ListArgs) -> Result<()> {
    let status = arguments.status.map(ConnectionStatus::from);
    let mut connections = context.client().await?.connections(status).await?;
    if status.is_none() {
        context.remember(|known| known.set_connections(&connections));
    }
    if let Some(status) = status {
        // Another deployment may not know the filter.
        connections.retain(|connection| connection.status.is(&status));
    }
    if connections.is_empty() {
        match status {
            Some(status) => context.output.note(format!("No connection is {status}.")),
            None => {
                context.output.note("No retailer is connected.");
                context.output.next(&[context.command("connect")]);
            }
        }
    }
    if context.output.tells_people() {
        let unfinished = unfinished(context, &connections).await;
        context.output.table(&table(&connections, &unfinished))?;
        say_what_helps(context, &connections, &unfinished);
    } else {
        context.output.list(&connections, |connections| table(connections, &[]))?;
    }
    say_broken(context, &connections);
    Ok(())
}

/// Says which of them cannot be synced, because the shop's recipe has a mistake.
fn say_broken(context: &Context, connections: &[Connection]) {
    let concerned = |id: i64| connections.iter().any(|connection| connection.retailer_id == id);
    broken_shops::warn(context, concerned, "cannot be synced");
}

/// Which of them sync still or wait for a code. The service says so of sessions alone; if it cannot be asked, only the reason
/// is missing.
async fn unfinished(context: &Context, connections: &[Connection]) -> Vec<Unfinished> {
    let Ok(client) = context.client().await else { return Vec::new() };
    let sessions = active_sessions::sessions(context, client, connections).await.unwrap_or_default();
    let is_one = |one: &Unfinished| connections.iter().any(|connection| is_of(one, connection));
    active_sessions::among(&sessions).into_iter().filter(is_one).collect()
}

/// Says which connections are not complete, since when and why, each with the command that helps; and how to answer what is
/// waited for.
fn say_what_helps(context: &Context, connections: &[Connection], unfinished: &[Unfinished]) {
    for gap in completeness::gaps(context, connections, unfinished).iter().filter(|gap| !gap.waits) {
        context.output.marked_note(Mark::Attention, gap.told());
    }
    say_how_to_answer(context, connections, unfinished);
}

fn is_of(one: &Unfinished, connection: &Connection) -> bool {
    match &one.connection_id {
        Some(id) => *id == connection.connection_id,
        None => connection.last_batch_id.as_ref() == Some(&one.batch_id) && one.retailer == name(connection),
    }
}

/// Says which command answers what is waited for: one for each session, with the retailers' names if there are several.
fn say_how_to_answer(context: &Context, connections: &[Connection], waiting: &[Unfinished]) {
    let mut sessions: Vec<(&Id, Vec<String>)> = Vec::new();
    for connection in connections {
        for one in waiting.iter().filter(|one| one.waiting && is_of(one, connection)) {
            match sessions.iter_mut().find(|(batch, _)| **batch == one.batch_id) {
                Some((_, names)) => names.push(name(connection)),
                None => sessions.push((&one.batch_id, vec![name(connection)])),
            }
        }
    }
    let is_one = sessions.len() == 1;
    for (batch, names) in sessions {
        let text = if is_one { "Next".to_owned() } else { format!("Next for {}", names.join(", ")) };
        context.output.note(Hint::run(text, context.command(["mfa", "--batch", batch.as_str()])));
    }
}

/// Why a connection is not synced or not complete, in words; what is waited for now comes first.
fn why(connection: &Connection, unfinished: &[Unfinished]) -> String {
    if unfinished.iter().any(|one| one.waiting && is_of(one, connection)) {
        return "waits for a code".to_owned();
    }
    let incomplete = connection.completeness.as_ref().filter(|completeness| !completeness.complete);
    let status_reason =
        connection.status_reason.as_deref().filter(|_| incomplete.is_none() || !connection.is_import_only());
    match (status_reason, incomplete) {
        (Some(code), _) => reason(code),
        (None, Some(completeness)) if connection.status.is(&ConnectionStatus::Valid) => {
            format!("not complete: {}", completeness::why(completeness))
        }
        (None, _) if connection.status.is(&ConnectionStatus::Pending) => "its sync has not ended".to_owned(),
        (None, _) => String::new(),
    }
}

fn table(connections: &[Connection], waiting: &[Unfinished]) -> Table {
    let mut table = Table::new(&[
        Column::whole("CONNECTION").optional(0),
        Column::text("RETAILER").at_least(20),
        Column::state("STATUS"),
        Column::whole("LAST SYNC").optional(1),
        Column::text("REASON"),
    ]);
    for connection in connections {
        table.row([
            connection.connection_id.to_string(),
            name(connection),
            connection.status.to_string(),
            time(connection.last_sync_at.as_ref()),
            why(connection, waiting),
        ]);
    }
    table
}

async fn get(context: &Context, id: &str) -> Result<()> {
    let connection = resolve::connection(context.client().await?, id).await?;
    let one = std::slice::from_ref(&connection);
    let unfinished = match context.output.tells_people() {
        true => unfinished(context, one).await,
        false => Vec::new(),
    };
    let why = why(&connection, &unfinished);
    let missing = connection.completeness.iter().flat_map(|completeness| &completeness.reasons);
    let missing: Vec<String> = missing.flat_map(completeness::details).collect();
    let incomplete_since = connection.completeness.as_ref().and_then(|one| one.incomplete_since.as_ref());
    context.output.record(&connection, |connection| {
        [
            ("Connection", connection.connection_id.to_string()),
            ("Retailer", format!("{} ({})", name(connection), connection.retailer_id)),
            ("Status", connection.status.to_string()),
            ("Reason", why.clone()),
            ("Connected", time(connection.created_at.as_ref())),
            ("Last sync", time(connection.last_sync_at.as_ref())),
            ("Not complete since", time(incomplete_since)),
            ("Missing", missing.join(" ")),
            ("Last session", connection.last_batch_id.as_ref().map(ToString::to_string).unwrap_or_default()),
        ]
    })?;
    let is_told = !completeness::gaps(context, one, &unfinished).is_empty() || !unfinished.is_empty();
    if is_told {
        say_what_helps(context, one, &unfinished);
    } else if connection.status.is(&ConnectionStatus::Invalid) {
        context.output.next(&[context.command(["fix", connection.connection_id.as_str()])]);
    }
    say_broken(context, one);
    Ok(())
}

/// The command that a user needs first: `sync`, or `fix` if no connection is valid. Without a connection, or if they cannot be read, it is
/// `connect`.
pub(super) async fn first_step(client: &Client) -> &'static str {
    let mut connections = client.connections(None).await.unwrap_or_default();
    connections.retain(|connection| !connection.is_import_only());
    let is_invalid = |connection: &Connection| connection.status.is(&ConnectionStatus::Invalid);
    match connections.is_empty() {
        true => "connect",
        false if connections.iter().all(is_invalid) => "fix",
        false => "sync",
    }
}
