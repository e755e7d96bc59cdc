//! `ordersync orders get`.

use ordersync_api::OrderItem;
use ordersync_api::order::Mismatch;
use rust_decimal::Decimal;

use super::adjustments;
use super::list::{self, parcels, text};
use crate::cli::orders::GetArgs;
use crate::client::{OrderFilter, typed};
use crate::commands::shared::resolve::matches_several;
use crate::context::Context;
use crate::errors::{Exit, Hint, Result};
use crate::export::row::{self, Column, Row};
use crate::export::{self, Sink};
use crate::names::{self, Match, fold};
use crate::output::human::{day, money, time};
use crate::output::sanitize::clean;

/// No more items are searched for a short id or an order.
const MOST_SEARCHED: usize = 100_000;
/// A beginning that so many ids have is too short.
const MOST_FOUND: usize = 100;
/// What is shorter is neither.
const SHORTEST: usize = 2;
/// An id of ours has 31 letters; numbers of orders are shorter.
const LONGEST: usize = 31;

/// Shows a line item, by its id or the beginning of one; or the line items of an order, by its number. Or the adjustments of
/// these.
pub(super) async fn run(context: &Context, arguments: &GetArgs) -> Result<()> {
    let mut items = find(context, arguments).await?;
    if arguments.adjustments {
        return adjustments::show(context, &items);
    }
    // The service gives them with an item, but not in a list: shown is the same, however it was found.
    items.iter_mut().for_each(adjustments::leave_out);
    list::bring_together(&mut items);
    match items.as_slice() {
        [one] => show(context, one),
        several => {
            let zone = context.time_zone(None)?;
            context.output.list(several, |items| list::table(items, zone))
        }
    }
}

/// The item that is meant, or all those of the order.
async fn find(context: &Context, arguments: &GetArgs) -> Result<Vec<OrderItem>> {
    let wanted = arguments.id.as_str();
    let client = context.client().await?;
    let unknown = match client.order(wanted).await {
        Ok(item) => return Ok(vec![item]),
        Err(error) if error.exit() == Exit::NotFound && may_be_short(wanted) => {
            error.saying(format!("There is no line item or order \"{}\".", clean(wanted)))
        }
        Err(error) => return Err(error),
    };
    let filter = OrderFilter { with_adjustments: arguments.adjustments, ..OrderFilter::default() };
    let found = export::read(context, client, &filter, Named::new(wanted)).await?.sink;
    let items = found.items()?;
    match items.as_slice() {
        [] if found.ended_early => Err(unknown.also(Hint::run(
            format!("It is none of the newest {MOST_SEARCHED} line items, either. Give the whole id"),
            "ordersync orders list --fields id,orderId,itemName",
        ))),
        [] => Err(unknown),
        [_] => Ok(items),
        _ if found.is_order => Ok(items),
        several => {
            let shown = several.iter().map(|item| {
                let name = item.item_name.as_deref().unwrap_or_default();
                format!("{}   {name}", item.id)
            });
            Err(matches_several(wanted, "line items", &shown.collect::<Vec<_>>()))
        }
    }
}

/// Whether it is worth reading the list for: whole ids that the service does not know are in no list.
fn may_be_short(wanted: &str) -> bool {
    wanted.trim().chars().count() >= SHORTEST && wanted.len() < LONGEST
}

/// The items that a short id or the number of an order means.
#[derive(Debug)]
struct Named {
    wanted: String,
    folded: String,
    /// As JSON: items of the order with that number, else items whose id begins so.
    found: Vec<String>,
    is_order: bool,
    read: usize,
    ended_early: bool,
}

impl Named {
    fn new(wanted: &str) -> Self {
        let wanted = wanted.trim().to_owned();
        let folded = fold(&wanted);
        Self { wanted, folded, found: Vec::new(), is_order: false, read: 0, ended_early: false }
    }

    fn take(&mut self, row: &Row<'_>) {
        let is_of_order = row.text(Column::OrderId).is_some_and(|number| fold(number) == self.folded);
        if is_of_order && !self.is_order {
            self.is_order = true;
            self.found.clear();
        }
        let begins = !self.is_order && row.text(Column::Id).is_some_and(|id| begins(id, &self.wanted));
        if is_of_order || begins {
            self.found.push(row.document().into_owned());
        }
    }

    fn items(&self) -> Result<Vec<OrderItem>> {
        self.found.iter().map(|item| typed(row::json(item).map_err(list::unreadable)?)).collect()
    }
}

/// Whether an id has this beginning, with or without its prefix, which ends with the first `_`.
fn begins(id: &str, wanted: &str) -> bool {
    let one = [(id, "")];
    matches!(names::find(wanted, &one, |(_, name)| name, |(id, _)| (*id).to_owned()), Match::One(_))
}

impl Sink for Named {
    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        rows.iter().for_each(|row| self.take(row));
        self.read += rows.len();
        self.ended_early = self.read >= MOST_SEARCHED;
        Ok(())
    }

    fn is_full(&self) -> bool {
        // Of more matches than that nobody chooses, and a beginning that fits so many means none of them.
        self.ended_early || (!self.is_order && self.found.len() > MOST_FOUND)
    }
}

fn show(context: &Context, item: &OrderItem) -> Result<()> {
    let (currency, zone) = (item.currency.as_deref(), context.time_zone(None)?);
    context.output.record(item, |item| {
        [
            ("Id", item.id.to_string()),
            ("Retailer", text(item.retailer_name.as_ref())),
            ("Order", text(item.order_id.as_ref())),
            ("Date", day(item.order_date.as_ref(), zone)),
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
            ("Parcels", parcels(&item.shipments)),
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
        (None, None) if check == "shipment" => "shipment: of something that is none of the lines".to_owned(),
        _ => format!("{check}: shown {}, computed {}", figure(shown), figure(computed)),
    };
    all.iter().map(one).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_goes_before_a_short_id() {
        let named = |wanted: &str, items: &[&str]| {
            let mut named = Named::new(wanted);
            items.iter().for_each(|item| named.take(&Row::read(item).expect("a row")));
            let ids = named.items().expect("items").iter().map(|item| item.id.to_string()).collect::<Vec<_>>();
            (named.is_order, ids)
        };
        let items = [
            r#"{"id":"item_abcd1","orderId":"X-1"}"#,
            r#"{"id":"item_abcd2","orderId":"abcd"}"#,
            r#"{"id":"item_ef","orderId":"x-1"}"#,
        ];
        assert_eq!(named("X-1", &items), (true, vec!["item_abcd1".to_owned(), "item_ef".to_owned()]));
        assert_eq!(named("abcd", &items), (true, vec!["item_abcd2".to_owned()]));
        assert_eq!(named("item_abcd1", &items), (false, vec!["item_abcd1".to_owned()]));
        assert_eq!(named("item_abcd", &items).1.len(), 2);
        assert!(named("item_", &items).1.is_empty() && named("e", &items).1.is_empty());
    }

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
