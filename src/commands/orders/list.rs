//! `ordersync orders list`.

use ordersync_api::OrderItem;

use super::{bounds, filter};
use crate::cli::orders::ListArgs;
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::output::table::{Column, Table};

/// Lists a page of line items.
///
/// # Errors
/// Where the filter cannot be understood, or the service cannot be reached or refuses.
pub(super) async fn run(context: &Context, arguments: ListArgs) -> Result<()> {
    let bounds = bounds(&arguments.filter)?;
    let client = context.client().await?;
    let filter = filter(client, &arguments.filter, bounds).await?;
    let page = client.orders(&filter, arguments.limit, arguments.offset).await?;
    if context.output.is_json() {
        return context.output.json(&page.rows);
    }
    if page.rows.is_empty() {
        context.output.note("No line item fits.");
        return Ok(());
    }
    let shown = page.rows.len() as u64;
    let items =
        page.rows.into_iter().map(serde_json::from_value).collect::<Result<Vec<OrderItem>, _>>().map_err(|why| {
            Error::of(&codes::network::UNEXPECTED_ANSWER, format!("An item cannot be understood: {why}."))
        })?;
    context.output.table(&table(&items))?;
    if let Some(total) = page.total.filter(|total| *total > shown + arguments.offset) {
        context.output.note(&format!("{shown} of {total} line items. All of them: ordersync orders export"));
    }
    Ok(())
}

fn table(items: &[OrderItem]) -> Table {
    let mut table = Table::new(&[
        Column::whole("ID").optional(1),
        Column::whole("DATE"),
        Column::text("RETAILER").optional(2),
        Column::text("ORDER").optional(0),
        Column::text("ITEM"),
        Column::number("QTY"),
        Column::number("PRICE"),
        Column::whole(""),
        Column::whole("STATUS"),
    ]);
    for item in items {
        let date = item.order_date.as_ref().map(ToString::to_string).unwrap_or_default();
        table.row([
            item.id.to_string(),
            date.split('T').next().unwrap_or_default().to_owned(),
            item.retailer_name.clone().unwrap_or_default(),
            text(item.order_id.as_ref()),
            item.item_name.clone().unwrap_or_default(),
            text(item.quantity.as_ref()),
            text(item.price.as_ref()),
            item.currency.clone().unwrap_or_default(),
            text(item.shipment_status.as_ref()),
        ]);
    }
    table
}

fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}
