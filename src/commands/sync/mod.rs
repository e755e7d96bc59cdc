//! `ordersync sync` and `ordersync orders sync`: every connection, or those that are named, synced and followed to the end.
//! There is one result, whatever was named, and nothing that was skipped is missing from it.

mod batch;
mod document;
mod round;
mod start;

use ordersync_api::{Id, SyncStarted};

use self::round::Round;
use super::shared::resolve;
use crate::cli::shared::SyncOptions;
use crate::cli::{orders, sync};
use crate::client::Client;
use crate::context::Context;
use crate::errors::Result;

/// `ordersync sync`.
pub(super) async fn run(context: &Context, arguments: sync::SyncArgs) -> Result<()> {
    let client = context.client().await?;
    let sync::SyncArgs { names, all: _, connection, retailer, full, options } = &arguments;
    let named = named(client, names, &[connection, retailer]).await?;
    Box::pin(carry_out(context, client, (options, *full), &named, client.sync_all(*full))).await
}

/// `ordersync orders sync`.
pub(super) async fn orders(context: &Context, arguments: orders::SyncArgs) -> Result<()> {
    let client = context.client().await?;
    let orders::SyncArgs { names, retailer, options } = &arguments;
    let named = named(client, names, &[retailer]).await?;
    Box::pin(carry_out(context, client, (options, false), &named, client.sync_orders())).await
}

/// The connections that are named, as arguments or with options; none: every one is meant.
async fn named(client: &Client, names: &[String], options: &[&Option<String>]) -> Result<Vec<Id>> {
    let mut groups: Vec<Vec<&str>> = vec![names.iter().map(String::as_str).collect()];
    groups.extend(options.iter().map(|option| option.as_deref().into_iter().collect()));
    resolve::same_connection_ids(client, &groups).await
}

/// Syncs those that are named, else every connection, which `every` starts.
async fn carry_out(
    context: &Context,
    client: &Client,
    (options, full): (&SyncOptions, bool),
    named: &[Id],
    every: impl Future<Output = Result<SyncStarted>>,
) -> Result<()> {
    let mut round = Round::new(context, client, options, full);
    if named.is_empty() {
        round.start_every(every.await).await?;
    } else {
        round.start_named(named).await?;
    }
    if options.wait.no_wait {
        return round.leave();
    }
    round.take_up();
    let ended = round.follow().await;
    round.conclude(ended)
}
