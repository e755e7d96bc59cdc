//! `ordersync orders sync`.

use super::super::{resolve, started};
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
    started::finish(context, client, sent, &arguments.mfa, arguments.wait).await.map(|_| ())
}
