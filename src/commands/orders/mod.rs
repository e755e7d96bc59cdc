//! `ordersync orders`.

mod adjustments;
mod documents;
mod export;
mod get;
mod list;
pub(super) mod period;
mod pick;
mod summary;
mod undated;
mod wrote;

use self::period::bounds;
use super::shared::{completeness, resolve};
use super::{connections, sync};
use crate::cli::orders::{FilterArgs, OrdersArgs, OrdersCommand};
use crate::client::{Client, OrderFilter};
use crate::context::Context;
use crate::errors::Result;

/// Carries out a verb.
pub(super) async fn run(context: &Context, arguments: OrdersArgs) -> Result<()> {
    match arguments.command {
        OrdersCommand::List(arguments) => list::run(context, arguments).await,
        OrdersCommand::Get(arguments) => get::run(context, &arguments).await,
        OrdersCommand::Export(arguments) => Box::pin(export::run(context, arguments)).await,
        OrdersCommand::Summary(arguments) => Box::pin(summary::run(context, arguments)).await,
        OrdersCommand::Documents(arguments) => documents::run(context, &arguments).await,
        OrdersCommand::Sync(arguments) => Box::pin(sync::orders(context, arguments)).await,
    }
}

/// Says that there is nothing, and what to do next: without a connection, a sync would bring nothing.
async fn nothing_found(context: &Context, client: &Client, arguments: &FilterArgs) {
    let FilterArgs { retailer, since, until, .. } = arguments;
    let given = [("--retailer", retailer), ("--since", since), ("--until", until)];
    let given: Vec<&str> = given.iter().filter(|(_, value)| value.is_some()).map(|(flag, _)| *flag).collect();
    let flags = match given.as_slice() {
        [] => {
            context.output.note("No line items yet.");
            context.output.next(&[context.command(connections::first_step(client).await)]);
            return;
        }
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    };
    context.output.note(format!("No line items match. Leave out {flags} to see more."));
}

/// Refuses what is not proven to be complete.
async fn require_complete(context: &Context, arguments: &FilterArgs) -> Result<()> {
    let client = context.client().await?;
    let filter = filter(client, arguments, OrderFilter::default()).await?;
    completeness::require(context, client, filter.retailer_id).await
}

/// The whole filter.
async fn filter(client: &Client, arguments: &FilterArgs, bounds: OrderFilter) -> Result<OrderFilter> {
    let retailer_id = match &arguments.retailer {
        Some(wanted) => Some(resolve::retailer_of_orders(client, wanted).await?),
        None => None,
    };
    Ok(OrderFilter { retailer_id, ..bounds })
}
