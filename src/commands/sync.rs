//! `ordersync sync`.

use ordersync_api::{Connection, ConnectionStatus, Id, SyncStarted, SyncStartedStatus};

use super::{connections, named, started, unfinished};
use crate::cli::sync::SyncArgs;
use crate::client::Client;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::output::Mark;
use crate::output::people::reason;

/// Starts a sync and follows it.
///
/// # Errors
/// If it cannot be started or does not end well.
pub(super) async fn run(context: &Context, arguments: SyncArgs) -> Result<()> {
    let client = context.client().await?;
    match named::ids(client, &arguments).await?.as_slice() {
        [] => all(context, client, &arguments).await,
        [id] => {
            let sent = client.sync_connection(id.as_str(), arguments.full).await;
            started::finish(context, client, sent, &arguments.mfa, arguments.wait).await
        }
        several => named::sync(context, client, several, &arguments).await,
    }
}

/// Syncs every connection.
async fn all(context: &Context, client: &Client, arguments: &SyncArgs) -> Result<()> {
    let sent = client.sync_all(arguments.full).await;
    if sent.as_ref().is_ok_and(|started| started.status.is(&SyncStartedStatus::NoRetailers)) {
        let pending = client.connections(Some(ConnectionStatus::Pending)).await?;
        if !pending.is_empty() {
            return one_by_one(context, client, &pending, arguments).await;
        }
    }
    let left_out = match &sent {
        // The sync has begun: that it cannot be told what it leaves out is no failure of it.
        Ok(started) => left_out(context, client, started).await.unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    let result = started::finish(context, client, sent, &arguments.mfa, arguments.wait).await;
    for line in left_out {
        context.output.marked_note(Mark::Attention, &line);
    }
    result
}

/// Syncs connections of which none ever worked: the service starts them only one by one. All are tried; the last failure is
/// the command's, and those before it are reported.
async fn one_by_one(context: &Context, client: &Client, pending: &[Connection], arguments: &SyncArgs) -> Result<()> {
    let mut failed: Option<Error> = None;
    for connection in pending {
        let why = connection.status_reason.as_deref().map(|code| format!(": {}", reason(code))).unwrap_or_default();
        let text = format!("{} is pending{why}. Syncing it.", connections::name(connection));
        context.output.marked_note(Mark::Attention, &text);
        let sent = client.sync_connection(connection.connection_id.as_str(), arguments.full).await;
        if let Err(error) = started::finish(context, client, sent, &arguments.mfa, arguments.wait).await
            && let Some(earlier) = failed.replace(error)
        {
            context.output.error(&earlier);
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Which connections the sync leaves out, why, and what to do: a line for each.
async fn left_out(context: &Context, client: &Client, started: &SyncStarted) -> Result<Vec<String>> {
    let mut others = client.connections(None).await?;
    if let Some(batch) = &started.batch_id {
        others.retain(|connection| connection.last_batch_id.as_ref() != Some(batch));
    }
    let busy: Vec<Connection> =
        others.iter().filter(|one| !one.status.is(&ConnectionStatus::Invalid)).cloned().collect();
    let sessions = if busy.is_empty() { Vec::new() } else { unfinished::sessions(context, client, &busy).await? };
    let unfinished = unfinished::among(&sessions);
    Ok(others
        .iter()
        .filter_map(|connection| {
            let id: &Id = &connection.connection_id;
            let running = unfinished.iter().find(|one| one.connection_id.as_ref() == Some(id));
            let (why, command) = match running {
                Some(one) if one.waiting => ("it waits for a code", format!("mfa --batch {}", one.batch_id)),
                Some(one) => ("it is syncing already", format!("sessions watch {}", one.batch_id)),
                None if connection.status.is(&ConnectionStatus::Invalid) => ("it is invalid", format!("fix {id}")),
                None => return None,
            };
            let code = connection.status_reason.as_deref().filter(|_| running.is_none());
            let code = code.map(|code| format!(" ({})", reason(code))).unwrap_or_default();
            let name = connections::name(connection);
            Some(format!("{name} was left out: {why}{code}: {}", context.command(&command)))
        })
        .collect())
}
