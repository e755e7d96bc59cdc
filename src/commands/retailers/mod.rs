//! `ordersync retailers`.

mod add;
mod check;
mod draft;
mod list;
mod remove;

use ordersync_api::Retailer;
use ordersync_api::import::FIRST_RETAILER;

use crate::cli::retailers::{RetailersArgs, RetailersCommand};
use crate::client::Client;
use crate::context::Context;
use crate::errors::{Error, Hint, Result};

/// Carries out a verb.
pub(super) async fn run(context: &Context, arguments: RetailersArgs) -> Result<()> {
    match arguments.command {
        None => list::run(context, &arguments.list).await,
        Some(RetailersCommand::List(arguments)) => list::run(context, &arguments).await,
        Some(RetailersCommand::Add(arguments)) => Box::pin(add::run(context, &arguments)).await,
        Some(RetailersCommand::Check(arguments)) => Box::pin(check::run(context, &arguments)).await,
        Some(RetailersCommand::Draft(arguments)) => Box::pin(draft::run(context, &arguments)).await,
        Some(RetailersCommand::Remove(arguments)) => remove::run(context, &arguments).await,
    }
}

/// The highest id of a retailer that the service has or had: an entry that was taken out of the file by hand may still have
/// connections, whose credentials no other shop must get.
async fn highest_id(client: &Client, catalog: &[Retailer]) -> Result<i64> {
    let connections = client.connections(None).await?;
    let ids = catalog.iter().map(|one| one.retailer_id).chain(connections.iter().map(|one| one.retailer_id));
    Ok(ids.filter(|id| *id < FIRST_RETAILER).max().unwrap_or_default())
}

/// Refuses a service of somebody else's, whose shops its operator chooses.
fn only_local(context: &Context, verb: &str) -> Result<()> {
    if context.is_local() {
        return Ok(());
    }
    Err(Error::usage(format!(
        "`retailers {verb}` is for the local profile: the operator of a service chooses its shops."
    ))
    .hint([
        Hint::run("On your own machine", format!("ordersync retailers {verb} … --profile local")),
        Hint::run("As the operator, on the service's machine", format!("ordersync admin retailers {verb} …")),
    ]))
}
