//! `ordersync connect`.

use ordersync_api::{ConnectMode, Connection, ConnectionStatus, Retailer};

use super::{credentials, resolve, started};
use crate::cli::connect::ConnectArgs;
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::prompt::Question;

/// Connects a retailer and follows the first sync.
///
/// # Errors
/// Where the retailer cannot be connected, credentials are missing, or the sync does not end well.
pub(super) async fn run(context: &Context, arguments: ConnectArgs) -> Result<()> {
    let client = context.client().await?;
    let catalog = client.retailers().await?;
    let connected = client.connections(None).await?;
    let retailer = match &arguments.retailer {
        Some(wanted) => resolve::retailer(&catalog, wanted)?,
        None => ask(context, &catalog, &connected).await?,
    };
    if !retailer.sync_config.server_side {
        let message = format!("{} is in the catalog, but cannot be connected here.", retailer.display_name);
        return Err(Error::of(&codes::service::RETAILER_NOT_CONNECTABLE, message));
    }
    context.remember(|known| {
        known.set_retailers(&catalog);
        known.set_connections(&connected);
    });
    if let Some(connection) = connected.iter().find(|connection| connection.retailer_id == retailer.retailer_id) {
        // Said before anybody types a password; the service would say the same after it.
        let id = &connection.connection_id;
        return Err(Error::of(
            &codes::service::CONNECTION_EXISTS,
            format!("{} is connected already ({id}, {}).", retailer.display_name, connection.status),
        )
        .hint(if connection.status.is(&ConnectionStatus::Invalid) {
            format!("Repair it: {}", context.command(&format!("fix {id}")))
        } else {
            format!(
                "Fetch what is new: {}\nGive other credentials: {}",
                context.command(&format!("sync --connection {id}")),
                context.command(&format!("fix {id}"))
            )
        }));
    }
    context.if_broken_off(format!(
        "Nothing was sent.\nStart again: {}",
        context.command(&format!("connect --retailer {}", retailer.retailer_id))
    ));
    let credentials = credentials::get(context, retailer, &arguments.credentials).await?;
    context.if_broken_off(format!("It may have been sent already.\nSee: {}", context.command("sessions")));
    let sent = credentials::send(client, retailer.retailer_id, ConnectMode::Connect, &credentials).await;
    drop(credentials);
    started::finish(context, client, sent, &arguments.mfa, arguments.wait).await
}

/// Lets the user choose one of the retailers that can be connected; those that are connected already say so.
async fn ask<'a>(context: &Context, catalog: &'a [Retailer], connected: &[Connection]) -> Result<&'a Retailer> {
    let question = Question::new("Retailer", "Give --retailer ID|NAME; the catalog: ordersync retailers");
    let connectable: Vec<&Retailer> = catalog.iter().filter(|retailer| retailer.sync_config.server_side).collect();
    let names = connectable.iter().map(|retailer| {
        let is_connected = connected.iter().any(|connection| connection.retailer_id == retailer.retailer_id);
        let is_shared = connectable.iter().filter(|other| other.display_name == retailer.display_name).count() > 1;
        let id = if is_shared { format!(" ({})", retailer.retailer_id) } else { String::new() };
        format!("{}{id}{}", retailer.display_name, if is_connected { " · connected" } else { "" })
    });
    let names = names.collect();
    context.if_broken_off(format!("Nothing was sent.\nStart again: {}", context.command("connect")));
    let chosen = context.prompt.choose(&question, names).await?;
    chosen.and_then(|chosen| connectable.get(chosen).copied()).ok_or_else(Error::interrupted)
}
