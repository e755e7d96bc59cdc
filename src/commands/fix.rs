//! `ordersync fix`.

use ordersync_api::{ConnectMode, Connection, ConnectionStatus};

use super::{credentials, resolve, started};
use crate::cli::fix::FixArgs;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::output::clean::clean;

/// Repairs a connection and follows the sync.
///
/// # Errors
/// Where there is no such connection, credentials are missing, or the sync does not end well.
pub(super) async fn run(context: &Context, arguments: FixArgs) -> Result<()> {
    let client = context.client().await?;
    let connection = match (&arguments.connection, &arguments.retailer) {
        (Some(id), _) => client.connection(id).await?,
        (None, Some(wanted)) => resolve::connection_to(client, wanted).await?,
        (None, None) => match broken(context).await? {
            Some(connection) => connection,
            None => return Ok(()),
        },
    };
    let catalog = client.retailers().await?;
    let retailer = resolve::retailer(&catalog, &connection.retailer_id.to_string())?;
    let credentials = credentials::get(context, retailer, &arguments.credentials).await?;
    let sent = credentials::send(client, connection.retailer_id, ConnectMode::Fix, &credentials).await;
    drop(credentials);
    started::finish(context, client, sent, &arguments.mfa, arguments.wait).await.map(|_| ())
}

/// The one invalid connection, or the one that the user chooses.
async fn broken(context: &Context) -> Result<Option<Connection>> {
    let mut invalid = context.client().await?.connections(Some(ConnectionStatus::Invalid)).await?;
    // Another deployment may not know the filter.
    invalid.retain(|connection| connection.status.is(&ConnectionStatus::Invalid));
    if invalid.is_empty() {
        context.output.note("Nothing to fix: no connection is invalid.");
        return Ok(None);
    }
    if invalid.len() == 1 {
        return Ok(invalid.pop());
    }
    let labels = invalid.iter().map(|connection| clean(&label(connection)).into_owned()).collect();
    let instead = invalid.iter().map(|connection| context.command(&format!("fix {}", connection.connection_id)));
    let instead = format!("Name it:\n{}", instead.collect::<Vec<_>>().join("\n"));
    let chosen = context.prompt.choose("Connection to fix", labels, &instead).await?;
    invalid.into_iter().nth(chosen).map(Some).ok_or_else(Error::interrupted)
}

fn label(connection: &Connection) -> String {
    let name = connection.display_name.clone().unwrap_or_else(|| format!("Retailer {}", connection.retailer_id));
    match &connection.status_reason {
        Some(reason) => format!("{name} ({reason})"),
        None => name,
    }
}
