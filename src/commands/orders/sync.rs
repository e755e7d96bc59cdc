//! `ordersync orders sync`.

use super::super::{resolve, sync_all};
use crate::cli::orders::SyncArgs;
use crate::context::Context;
use crate::error::Result;

/// Fetches the latest orders and follows the sync.
///
/// # Errors
/// Where it cannot be started or does not end well.
pub(super) async fn run(context: &Context, arguments: SyncArgs) -> Result<()> {
    let client = context.client().await?;
    let retailer = resolve::retailer_id(client, arguments.retailer.as_deref()).await?;
    let sent = client.sync_orders(retailer).await;
    let SyncArgs { mfa, wait, allow_skipped, .. } = &arguments;
    let means = sync_all::Means { full: false, mfa, wait: *wait, allow_skipped: *allow_skipped, retailer };
    sync_all::run(context, client, sent, &means).await
}
