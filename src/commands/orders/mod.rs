//! `ordersync orders`.

mod export;
mod get;
mod list;
mod summary;
mod sync;

use ordersync_api::timestamp::parse_date_bound;

use super::resolve;
use crate::cli::orders::{FilterArgs, OrdersArgs, OrdersCommand};
use crate::client::{Client, OrderFilter};
use crate::context::Context;
use crate::error::{Error, Result};

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

/// The bounds of a filter; what is wrong with them is told before the service is asked anything.
fn bounds(arguments: &FilterArgs) -> Result<OrderFilter> {
    let bound = |flag: &str, text: &Option<String>| {
        text.as_deref()
            .map(|text| parse_date_bound(text).map_err(|why| Error::usage(format!("{flag}: {why}."))))
            .transpose()
    };
    let (since, until) = (bound("--since", &arguments.since)?, bound("--until", &arguments.until)?);
    if let (Some(since), Some(until)) = (since, until)
        && since >= until
    {
        return Err(Error::usage("--since is not before --until, so nothing can lie between them."));
    }
    Ok(OrderFilter { retailer_id: None, since, until })
}

/// Says that there is nothing, and what to do next.
fn nothing_found(context: &Context, arguments: &FilterArgs) {
    let is_filtered = arguments.retailer.is_some() || arguments.since.is_some() || arguments.until.is_some();
    if is_filtered {
        context.output.note("No line items match. Leave out --retailer, --since or --until to see more.");
    } else {
        context.output.note("No line items yet.");
        context.output.next(&[context.command("connect"), context.command("sync")]);
    }
}

/// The whole filter.
async fn filter(client: &Client, arguments: &FilterArgs, bounds: OrderFilter) -> Result<OrderFilter> {
    let retailer_id = resolve::retailer_id(client, arguments.retailer.as_deref()).await?;
    Ok(OrderFilter { retailer_id, ..bounds })
}
