//! `ordersync orders get`.

use crate::context::Context;
use crate::error::Result;
use crate::output::people::{day, money, time};

/// Shows a line item.
///
/// # Errors
/// Where there is none, or the service cannot be reached or refuses.
pub(super) async fn run(context: &Context, id: &str) -> Result<()> {
    let item = context.client().await?.order(id).await?;
    let currency = item.currency.as_deref();
    context.output.record(&item, |item| {
        [
            ("Id", item.id.to_string()),
            ("Retailer", text(item.retailer_name.as_ref())),
            ("Order", text(item.order_id.as_ref())),
            ("Date", day(item.order_date.as_ref())),
            ("Item", text(item.item_name.as_ref())),
            ("Brand", text(item.brand_name.as_ref())),
            ("Department", text(item.department.as_ref())),
            ("Category", text(item.category.as_ref())),
            ("Subcategory", text(item.sub_category.as_ref())),
            ("SKU", text(item.retailer_sku.as_ref())),
            ("Quantity", text(item.quantity.as_ref())),
            ("Price", money(item.price.as_ref(), currency)),
            ("Order total", money(item.order_total.as_ref(), currency)),
            ("Shipment", text(item.shipment_status.as_ref())),
            ("Shipment text", text(item.shipment_text.as_ref())),
            ("Connection", text(item.connection_id.as_ref())),
            ("Updated", time(item.updated_at.as_ref())),
        ]
    })
}

fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}
