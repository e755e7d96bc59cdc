//! `ordersync sync`.

use super::{named, started, sync_all};
use crate::cli::sync::SyncArgs;
use crate::context::Context;
use crate::error::Result;

/// Starts a sync and follows it.
///
/// # Errors
/// If it cannot be started or does not end well.
pub(super) async fn run(context: &Context, arguments: SyncArgs) -> Result<()> {
    let client = context.client().await?;
    match named::ids(client, &arguments).await?.as_slice() {
        [] => {
            let SyncArgs { full, mfa, wait, allow_skipped, .. } = &arguments;
            let (full, wait, allow_skipped) = (*full, *wait, *allow_skipped);
            let means = sync_all::Means { full, mfa, wait, allow_skipped, retailer: None };
            sync_all::run(context, client, client.sync_all(full).await, &means).await
        }
        [id] => {
            let sent = started::start(client, id, arguments.full).await;
            started::finish(context, client, sent, &arguments.mfa, arguments.wait).await
        }
        several => named::sync(context, client, several, &arguments).await,
    }
}
