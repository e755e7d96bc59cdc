//! `ordersync orders get --adjustments`: the amounts of an order and its lines beside the prices.
//!
//! A service that does not report them, and an order of which they are not known, is an error: an empty list would say that
//! there are none.

use ordersync_api::{Adjustment, Id, OrderItem};
use serde::{Deserialize as _, Serialize};
use serde_json::Value;

use super::list;
use crate::client::adjustments_not_reported;
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};
use crate::export::row;
use crate::output::human::{day, money};
use crate::output::table::{Column, Table};
use crate::time_zone::TimeZone;

/// The fields of an item that are lists of adjustments.
const OF_LINE: &str = row::Column::LineAdjustments.name();
const OF_ORDER: &str = row::Column::OrderAdjustments.name();

/// An adjustment, and of what.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    /// `order` or `line`.
    of: &'static str,
    order_id: Option<Id>,
    /// Of an adjustment of a line.
    item_id: Option<Id>,
    item_name: Option<String>,
    #[serde(flatten)]
    adjustment: Adjustment,
}

/// Lists the adjustments of the items' order, and of these items.
pub(super) fn show(context: &Context, items: &[OrderItem]) -> Result<()> {
    let mut shown = Vec::new();
    if let Some(first) = items.first() {
        let order_id = &first.order_id;
        shown.extend(read(first, OF_ORDER)?.into_iter().map(|adjustment| Shown {
            of: "order",
            order_id: order_id.clone(),
            item_id: None,
            item_name: None,
            adjustment,
        }));
    }
    for item in items {
        shown.extend(read(item, OF_LINE)?.into_iter().map(|adjustment| Shown {
            of: "line",
            order_id: item.order_id.clone(),
            item_id: Some(item.id.clone()),
            item_name: item.item_name.clone(),
            adjustment,
        }));
    }
    if shown.is_empty() {
        context.output.note("There are no adjustments: the prices are all.");
    }
    let zone = context.time_zone(None)?;
    context.output.list(&shown, |shown| table(shown, zone))
}

/// Takes the adjustments off an item.
pub(super) fn leave_out(item: &mut OrderItem) {
    for field in [OF_LINE, OF_ORDER] {
        item.extra.shift_remove(field);
    }
}

fn read(item: &OrderItem, field: &str) -> Result<Vec<Adjustment>> {
    match item.extra.get(field) {
        None => Err(adjustments_not_reported()),
        Some(Value::Null) => Err(Error::of(
            &codes::command::ADJUSTMENTS_UNKNOWN,
            "The adjustments of this order are not known: the retailer does not show them, or the order was last read by a \
             version of the service that did not keep them.",
        )
        .hint(Hint::run("Read all orders again", "ordersync sync --full"))),
        Some(list) => Vec::deserialize(list).map_err(list::unreadable),
    }
}

fn table(all: &[Shown], zone: TimeZone) -> Table {
    let mut table = Table::new(&[
        Column::text("OF").at_least(20),
        Column::whole("TYPE"),
        Column::amount("AMOUNT"),
        Column::whole("DATE").optional(0),
        Column::text("TEXT"),
    ]);
    for Shown { of, item_name, adjustment, .. } in all {
        let Adjustment { kind, amount, currency, date, text, included } = adjustment;
        let mut text = text.clone().unwrap_or_default();
        if *included {
            text.push_str(if text.is_empty() { "included" } else { " (included)" });
        }
        table.row([
            item_name.clone().unwrap_or_else(|| (*of).to_owned()),
            kind.to_string(),
            money(Some(amount), currency.as_deref()),
            day(date.as_ref(), zone),
            text,
        ]);
    }
    table
}
