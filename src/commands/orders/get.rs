//! `ordersync orders get`.

use ordersync_api::order::Mismatch;
use rust_decimal::Decimal;

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
            ("Line total", money(item.line_total.as_ref(), currency)),
            ("Order total", money(item.order_total.as_ref(), currency)),
            ("Shipment", text(item.shipment_status.as_ref())),
            ("Shipment text", text(item.shipment_text.as_ref())),
            ("Not listed since", time(item.missing_since.as_ref())),
            ("Does not agree", mismatches(&item.mismatch, currency)),
            ("Connection", text(item.connection_id.as_ref())),
            ("Updated", time(item.updated_at.as_ref())),
        ]
    })
}

/// Figures of the order that do not agree, for example "order_total: shown 10.00 EUR, computed 9.98 EUR".
fn mismatches(all: &[Mismatch], currency: Option<&str>) -> String {
    let figure = |value: &Option<Decimal>| match value {
        Some(_) => money(value.as_ref(), currency),
        None => "unknown".to_owned(),
    };
    let one = |Mismatch { check, shown, computed }: &Mismatch| match (shown, computed) {
        (None, None) if check == "status" => "status: not shown".to_owned(),
        (None, None) if check == "title" => "title: the product has another one".to_owned(),
        _ => format!("{check}: shown {}, computed {}", figure(shown), figure(computed)),
    };
    all.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_do_not_agree_are_shown_side_by_side() {
        let one = |shown: Option<i64>, computed: Option<i64>| Mismatch {
            check: "order_total".to_owned(),
            shown: shown.map(|cents| Decimal::new(cents, 2)),
            computed: computed.map(|cents| Decimal::new(cents, 2)),
        };
        assert_eq!(mismatches(&[], Some("EUR")), "");
        let status = Mismatch { check: "status".to_owned(), ..one(None, None) };
        assert_eq!(mismatches(&[status], Some("EUR")), "status: not shown");
        let title = Mismatch { check: "title".to_owned(), ..one(None, None) };
        assert_eq!(mismatches(&[title], Some("EUR")), "title: the product has another one");
        let text = mismatches(&[one(Some(1_000), Some(998)), one(Some(1), None)], Some("EUR"));
        assert!(text.contains("10.00") && text.contains("9.98") && text.ends_with("computed unknown"), "{text}");
    }
}
