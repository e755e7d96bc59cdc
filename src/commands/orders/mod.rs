//! `ordersync orders`.

mod export;
mod get;
mod list;
mod period;
mod pick;
mod summary;
mod sync;

use self::period::bounds;
use super::resolve;
use crate::cli::orders::{FilterArgs, OrdersArgs, OrdersCommand};
use crate::client::{Client, OrderFilter};
use crate::context::Context;
use crate::error::Result;

/// Carries out a verb.
///
/// # Errors
/// What the verb fails with.
pub(super) async fn run(context: &Context, arguments: OrdersArgs) -> Result<()> {
    match arguments.command {
        OrdersCommand::List(arguments) => list::run(context, arguments).await,
        OrdersCommand::Get { id } => get::run(context, &id).await,
        OrdersCommand::Export(arguments) => Box::pin(export::run(context, arguments)).await,
        OrdersCommand::Summary(arguments) => Box::pin(summary::run(context, arguments)).await,
        OrdersCommand::Sync(arguments) => Box::pin(sync::run(context, arguments)).await,
    }
}

/// The whole filter.
async fn filter(client: &Client, arguments: &FilterArgs, bounds: OrderFilter) -> Result<OrderFilter> {
    let retailer_id = resolve::retailer_id(client, arguments.retailer.as_deref()).await?;
    Ok(OrderFilter { retailer_id, ..bounds })
}
