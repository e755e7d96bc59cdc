//! `ordersync connect`.

use ordersync_api::{ConnectMode, Retailer};

use super::{credentials, resolve, started};
use crate::cli::connect::ConnectArgs;
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};

/// Connects a retailer and follows the first sync.
///
/// # Errors
/// Where the retailer cannot be connected, credentials are missing, or the sync does not end well.
pub(super) async fn run(context: &Context, arguments: ConnectArgs) -> Result<()> {
    let client = context.client().await?;
    let catalog = client.retailers().await?;
    let retailer = match &arguments.retailer {
        Some(wanted) => resolve::retailer(&catalog, wanted)?,
        None => ask(context, &catalog).await?,
    };
    if !retailer.sync_config.server_side {
        let message = format!("{} is in the catalog, but cannot be connected here.", retailer.display_name);
        return Err(Error::of(&codes::service::RETAILER_NOT_CONNECTABLE, message));
    }
    let connected = client.connections(None).await?;
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
        .hint(format!(
            "Fetch what is new: {}\nGive other credentials: {}",
            context.command(&format!("sync --connection {id}")),
            context.command(&format!("fix {id}"))
        )));
    }
    let credentials = credentials::get(context, retailer, &arguments.credentials).await?;
    let sent = credentials::send(client, retailer.retailer_id, ConnectMode::Connect, &credentials).await;
    drop(credentials);
    let finish = started::finish(context, client, sent, &arguments.mfa, arguments.wait).await?;
    if finish == started::Finish::Followed {
        context.output.next(&[context.command("orders export --out orders.csv")]);
    }
    Ok(())
}

async fn ask<'a>(context: &Context, catalog: &'a [Retailer]) -> Result<&'a Retailer> {
    let connectable: Vec<&Retailer> = catalog.iter().filter(|retailer| retailer.sync_config.server_side).collect();
    let names = connectable.iter().map(|retailer| crate::output::clean::clean(&retailer.display_name).into_owned());
    let chosen = context
        .prompt
        .choose("Retailer", names.collect(), "Give --retailer ID|NAME; the catalog: ordersync retailers")
        .await?;
    connectable.get(chosen).copied().ok_or_else(Error::interrupted)
}
