//! `ordersync retailers list`.

use ordersync_api::Retailer;

use crate::cli::retailers::ListArgs;
use crate::commands::shared::broken_shops;
use crate::context::Context;
use crate::errors::Result;
use crate::names::fold;
use crate::output::table::{Column, Table};

/// Lists the catalog.
pub(super) async fn run(context: &Context, arguments: &ListArgs) -> Result<()> {
    let mut retailers = context.client().await?.retailers().await?;
    context.remember(|known| known.set_retailers(&retailers));
    if let Some(wanted) = &arguments.search {
        let wanted = fold(wanted);
        retailers.retain(|retailer| fold(&retailer.display_name).contains(&wanted));
    }
    if retailers.is_empty() {
        context.output.note("No retailer matches.");
    }
    context.output.list(&retailers, table)?;
    broken_shops::warn(context, |id| retailers.iter().any(|one| one.retailer_id == id), "cannot be used");
    Ok(())
}

fn table(retailers: &[Retailer]) -> Table {
    let mut table = Table::new(&[Column::number("ID"), Column::text("NAME"), Column::text("NEEDS").optional(0)]);
    for retailer in retailers {
        let needs = if retailer.sync_config.server_side {
            let labels: Vec<&str> = retailer.credential_fields.iter().map(|field| field.label.as_str()).collect();
            labels.join(", ")
        } else {
            "cannot be connected here".to_owned()
        };
        table.row([retailer.retailer_id.to_string(), retailer.display_name.clone(), needs]);
    }
    table
}
