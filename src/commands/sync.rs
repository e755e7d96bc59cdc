//! `ordersync sync`.

use super::{resolve, started};
use crate::cli::sync::SyncArgs;
use crate::context::Context;
use crate::error::Result;

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
        (None, None) => client.sync_all().await,
    };
    started::finish(context, client, sent, &arguments.mfa, arguments.wait).await
}
