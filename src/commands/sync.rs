//! `ordersync sync`.

use ordersync_api::{Connection, ConnectionStatus, Id, SyncStarted};

use super::{connections, resolve, started, unfinished};
use crate::cli::sync::SyncArgs;
use crate::client::Client;
use crate::context::Context;
use crate::error::Result;
use crate::output::Mark;
use crate::output::people::reason;

/// Starts a sync and follows it.
///
/// # Errors
/// Where it cannot be started or does not end well.
pub(super) async fn run(context: &Context, arguments: SyncArgs) -> Result<()> {
    let client = context.client().await?;
    let sent = match (&arguments.connection, &arguments.retailer) {
        (Some(id), _) => client.sync_connection(id).await,
        (None, Some(wanted)) => {
            let connection = resolve::connection_to(client, wanted).await?;
            client.sync_connection(connection.connection_id.as_str()).await
        }
        (None, None) => {
            let sent = client.sync_all().await;
            let left_out = match &sent {
                // The sync has begun: that it cannot be told what it leaves out is no failure of it.
                Ok(started) => left_out(context, client, started).await.unwrap_or_default(),
                Err(_) => Vec::new(),
            };
            let result = started::finish(context, client, sent, &arguments.mfa, arguments.wait).await;
            for line in left_out {
                context.output.marked_note(Mark::Attention, &line);
            }
            return result;
        }
    };
    started::finish(context, client, sent, &arguments.mfa, arguments.wait).await
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
