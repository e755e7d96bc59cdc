//! `ordersync orders list`.

use ordersync_api::OrderItem;

use super::{bounds, filter};
use crate::cli::orders::ListArgs;
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::output::amount::money;
use crate::output::people::day;
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
    if page.rows.is_empty() {
        super::nothing_found(context, &arguments.filter);
    }
    let shown = page.rows.len() as u64;
    if !context.output.shown(&page.rows)? {
        context.output.table(&table(&items(page.rows)?))?;
    }
    if let Some(total) = page.total.filter(|total| *total > shown + arguments.offset) {
        context.output.note(&format!("{shown} of {total} line items. All of them: ordersync orders export"));
    }
    Ok(())
}

fn items(rows: Vec<serde_json::Value>) -> Result<Vec<OrderItem>> {
    rows.into_iter()
        .map(serde_json::from_value)
        .collect::<Result<_, _>>()
        .map_err(|why| Error::of(&codes::network::UNEXPECTED_ANSWER, format!("An item cannot be understood: {why}.")))
}

fn table(items: &[OrderItem]) -> Table {
    let mut table = Table::new(&[
        Column::whole("ID").optional(0),
        Column::whole("DATE"),
        Column::text("RETAILER").optional(2),
        Column::text("ORDER").optional(1),
        Column::text("ITEM").at_least(20),
        Column::amount("QTY").optional(3),
        Column::amount("PRICE"),
        Column::state("STATUS").optional(4),
    ]);
    for item in items {
        table.row([
            item.id.to_string(),
            day(item.order_date.as_ref()),
            item.retailer_name.clone().unwrap_or_default(),
            text(item.order_id.as_ref()),
            item.item_name.clone().unwrap_or_default(),
            text(item.quantity.as_ref()),
            money(item.price.as_ref(), item.currency.as_deref()),
            status(item),
        ]);
    }
    table
}

/// The shipment status; an order that the retailer no longer lists is `missing`, whatever its goods were last.
fn status(item: &OrderItem) -> String {
    match item.missing_since {
        Some(_) => "missing".to_owned(),
        None => text(item.shipment_status.as_ref()),
    }
}

fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_whose_order_is_not_listed_any_more_is_missing() {
        let item = |more: &str| {
            let json = format!(r#"{{"id":"a","shipmentStatus":"delivered"{more}}}"#);
            status(&serde_json::from_str(&json).expect("an item"))
        };
        assert_eq!(item(""), "delivered");
        assert_eq!(item(r#","missingSince":"2026-01-01T00:00:00Z""#), "missing");
    }
}
