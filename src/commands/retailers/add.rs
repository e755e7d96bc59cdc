//! `ordersync retailers add`.

use ordersync_api::look::LookRequest;

use crate::cli::retailers::AddArgs;
use crate::commands::shared::added_shop::{self, Taken};
use crate::config::retailers_file::FILE;
use crate::context::Context;
use crate::errors::Result;

/// Looks at a shop and adds it to the retailers of the profile.
pub(super) async fn run(context: &Context, arguments: &AddArgs) -> Result<()> {
    super::only_local(context, "add")?;
    let client = context.client().await?;
    let catalog = client.retailers().await?;
    let taken: Vec<Taken> = catalog.iter().map(|one| (one.retailer_id, one.display_name.clone())).collect();
    context.output.announce(format!("Looking at {} …", arguments.url));
    let request = LookRequest { url: arguments.url.clone(), allow_private_network: arguments.allow_private_network };
    let look = client
        .look(&request)
        .await
        .map_err(|error| added_shop::not_looked(error, context, &arguments.url, &["retailers", "add"]))?;
    let file = context.settings.folders.config.join(FILE);
    let added = added_shop::add(context, &file, &look, arguments, &taken, super::highest_id(client, &catalog).await?)?;
    added_shop::show(context, &added)?;
    // Of the catalog as it is from the next command on.
    context.output.next(&[context.command(["connect", &added.display_name])]);
    Ok(())
}
