//! `ordersync connections`.

use ordersync_api::{Connection, ConnectionStatus};

use super::{remove, resolve};
use crate::cli::connections::{ConnectionsArgs, ConnectionsCommand, ListArgs};
use crate::cli::meant;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::output::people::{reason, time};
use crate::output::table::{Column, Table};

/// Lists connections, or shows one.
///
/// # Errors
/// Where there is no such connection, or the service cannot be reached or refuses.
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
    match meant::instead(&["connections"], word) {
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
                context.output.next(&[context.command("connect --retailer ID|NAME")]);
            }
        }
    }
    context.output.list(&connections, table)
}

fn table(connections: &[Connection]) -> Table {
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
            connection.status_reason.as_deref().map(reason).unwrap_or_default(),
        ]);
    }
    table
}

async fn get(context: &Context, id: &str) -> Result<()> {
    let connection = resolve::connection(context.client().await?, id).await?;
    context.output.record(&connection, |connection| {
        [
            ("Connection", connection.connection_id.to_string()),
            ("Retailer", format!("{} ({})", name(connection), connection.retailer_id)),
            ("Status", connection.status.to_string()),
            ("Reason", connection.status_reason.as_deref().map(reason).unwrap_or_default()),
            ("Connected", time(connection.created_at.as_ref())),
            ("Last sync", time(connection.last_sync_at.as_ref())),
            ("Last session", connection.last_batch_id.as_ref().map(ToString::to_string).unwrap_or_default()),
        ]
    })?;
    if connection.status.is(&ConnectionStatus::Invalid) {
        context.output.next(&[context.command(["fix", connection.connection_id.as_str()])]);
    }
    Ok(())
}

/// What a connection's retailer is called.
pub(super) fn name(connection: &Connection) -> String {
    connection.display_name.clone().unwrap_or_else(|| format!("Retailer {}", connection.retailer_id))
}
