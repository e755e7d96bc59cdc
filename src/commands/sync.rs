//! `ordersync sync`.

use super::{resolve, started, sync_all};
use crate::cli::sync::SyncArgs;
use crate::context::Context;
use crate::error::Result;

/// Starts a sync and follows it.
///
/// # Errors
/// If it cannot be started or does not end well.
pub(super) async fn run(context: &Context, arguments: SyncArgs) -> Result<()> {
    let client = context.client().await?;
    let id = match (&arguments.connection, &arguments.retailer) {
        (Some(id), _) => id.clone(),
        (None, Some(wanted)) => resolve::connection_to(client, wanted).await?.connection_id.to_string(),
        (None, None) => {
            let SyncArgs { full, mfa, wait, allow_skipped, .. } = &arguments;
            let (full, wait, allow_skipped) = (*full, *wait, *allow_skipped);
            let means = sync_all::Means { full, mfa, wait, allow_skipped, retailer: None };
            return sync_all::run(context, client, client.sync_all(full).await, &means).await;
        }
    };
    let sent = client.sync_connection(&id, arguments.full).await;
    started::finish(context, client, sent, &arguments.mfa, arguments.wait).await
}
