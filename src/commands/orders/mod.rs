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

/// The whole filter.
async fn filter(client: &Client, arguments: &FilterArgs, bounds: OrderFilter) -> Result<OrderFilter> {
    let retailer_id = resolve::retailer_id(client, arguments.retailer.as_deref()).await?;
    Ok(OrderFilter { retailer_id, ..bounds })
}
