//! `ordersync orders get`.

use crate::context::Context;
use crate::error::Result;
use crate::output::table::{Column, Table, time};

/// Shows a line item.
///
/// # Errors
/// Where there is none, or the service cannot be reached or refuses.
pub(super) async fn run(context: &Context, id: &str) -> Result<()> {
    let item = context.client().await?.order(id).await?;
    if context.output.is_json() {
        return context.output.json(&item);
    }
    let text = |value: Option<String>| value.unwrap_or_default();
    let mut table = Table::new(&[Column::whole("FIELD"), Column::text("VALUE")]);
    for (field, value) in [
        ("Id", item.id.to_string()),
        ("Retailer", text(item.retailer_name)),
        ("Order", text(item.order_id.map(|id| id.0))),
        ("Date", time(item.order_date.as_ref())),
        ("Item", text(item.item_name)),
        ("Brand", text(item.brand_name)),
        ("Department", text(item.department)),
        ("Category", text(item.category)),
        ("Subcategory", text(item.sub_category)),
        ("SKU", text(item.retailer_sku)),
        ("Quantity", text(item.quantity.map(|quantity| quantity.to_string()))),
        ("Price", text(item.price.map(|price| price.to_string()))),
        ("Order total", text(item.order_total.map(|total| total.to_string()))),
        ("Currency", text(item.currency)),
        ("Shipment", text(item.shipment_status.map(|status| status.to_string()))),
        ("Shipment text", text(item.shipment_text)),
        ("Connection", text(item.connection_id.map(|id| id.0))),
        ("Updated", time(item.updated_at.as_ref())),
    ] {
        if !value.is_empty() {
            table.row([field.to_owned(), value]);
        }
    }
    context.output.table(&table)
}
