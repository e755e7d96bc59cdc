//! `ordersync orders list`.

use ordersync_api::OrderItem;
use ordersync_api::order::{Shipment, ShipmentStatus};
use serde_json::Value;

use super::pick::{MISSING, Picking, Wanted};
use super::{bounds, filter, period, undated};
use crate::cli::orders::{FilterArgs, ListArgs, Sort, SortBy};
use crate::client::{Client, Incomplete, OrderFilter, row, typed};
use crate::commands::shared::completeness;
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};
use crate::export::{self, Done};
use crate::names::fold;
use crate::output::Mark;
use crate::output::amount::money;
use crate::output::human::day;
use crate::output::table::{Column, Table};
use crate::time_zone::TimeZone;

/// Lists line items: the next so many of the service's list, or those of all pages that were searched or sorted for.
pub(super) async fn run(context: &Context, arguments: ListArgs) -> Result<()> {
    let zone = context.time_zone(arguments.filter.time_zone.as_deref())?;
    let arguments = ListArgs { filter: period::resolved(&arguments.filter, zone)?, ..arguments };
    let bounds = bounds(&arguments.filter, zone)?;
    let client = context.client().await?;
    let filter = filter(client, &arguments.filter, bounds).await?;
    let must_be_complete = arguments.complete.require_complete;
    if must_be_complete {
        completeness::require(context, client, filter.retailer_id).await?;
    }
    let is_wanted = arguments.search.is_some() || arguments.status.is_some() || arguments.undelivered;
    let is_picked = is_wanted || arguments.sort.is_some();
    if is_picked || arguments.all || filter.days.is_some() {
        return picked(context, client, &arguments, &filter, zone).await;
    }
    let page = client.orders(&filter, arguments.limit, arguments.offset).await?;
    if must_be_complete {
        completeness::require_still(page.incomplete)?;
    }
    if page.rows.is_empty() {
        match page.total {
            Some(total) if arguments.offset > 0 && total > 0 => {
                context.output.note(format!("--offset is past the end: there are {total} line items."));
            }
            _ => super::nothing_found(context, client, &arguments.filter).await,
        }
    }
    let shown = page.rows.len() as u64;
    show(context, page.rows, zone, true)?;
    if let Some(total) = page.total.filter(|total| *total > shown + arguments.offset) {
        let FilterArgs { retailer, since, until, time_zone } = &arguments.filter;
        let mut words = vec!["orders", "export"];
        let flags = [("--retailer", retailer), ("--since", since), ("--until", until), ("--time-zone", time_zone)];
        for (flag, value) in flags {
            words.extend(value.as_deref().into_iter().flat_map(|value| [flag, value]));
        }
        // JSON is read by programs and filters, which take all of it here; rows go into a file.
        if !context.output.is_table() {
            words[1] = "list";
            words.push("--all");
        }
        let all = context.command(words.as_slice());
        context.output.note(Hint::run(format!("{shown} of {total} line items. All of them"), all));
    }
    note_gaps(context, client, &filter, page.incomplete).await;
    Ok(())
}

/// Reads page by page, as an export does: exact during a sync, and with services whose pages are smaller.
async fn picked(
    context: &Context,
    client: &Client,
    arguments: &ListArgs,
    filter: &OrderFilter,
    zone: TimeZone,
) -> Result<()> {
    let wanted = Wanted::new(arguments.search.as_deref(), arguments.status.as_deref(), arguments.undelivered);
    let sort = arguments.sort.map(|sort| Sort { descending: sort.descending || arguments.desc, ..sort });
    let limit = if arguments.all { u32::MAX } else { arguments.limit };
    let picking = Picking::new(wanted, sort, arguments.offset, limit);
    let Done { sink, incomplete, .. } = export::read(context, client, filter, picking).await?;
    if arguments.complete.require_complete {
        completeness::require_still(incomplete)?;
    }
    let found = sink.found();
    let rows: Vec<Value> =
        found.items.iter().map(|item| row::json(item)).collect::<Result<_, _>>().map_err(unreadable)?;
    let shown = rows.len() as u64;
    match (&arguments.search, &arguments.status) {
        _ if !rows.is_empty() => {}
        (None, None) if arguments.all => super::nothing_found(context, client, &arguments.filter).await,
        (_, status) => context.output.note(nothing_matches(status.as_deref())),
    }
    let is_by_date = sort.is_none_or(|sort| sort.by == SortBy::Date);
    show(context, rows, zone, is_by_date)?;
    if found.mixes_currencies {
        context.output.note("The amounts are in several currencies; they were compared by number.");
    }
    if let Some(which) = which(shown, found.total, arguments) {
        context.output.note(format!("{which}. More: --limit or --offset"));
    }
    note_gaps(context, client, filter, incomplete).await;
    Ok(())
}

/// Says what is not in the list: items without a date, and what its retailers lack.
async fn note_gaps(context: &Context, client: &Client, filter: &OrderFilter, incomplete: Incomplete) {
    if let Some(undated) = undated::note(client, filter, false).await {
        context.output.marked_note(Mark::Attention, undated);
    }
    completeness::report(context, client, filter.retailer_id, incomplete).await.note(context);
}

/// Which of the line items are shown; none if nothing comes after them.
fn which(shown: u64, total: Option<u64>, arguments: &ListArgs) -> Option<String> {
    let FilterArgs { retailer, since, until, .. } = &arguments.filter;
    let filters = [retailer, since, until, &arguments.search, &arguments.status];
    let matching = if filters.iter().any(|filter| filter.is_some()) { " that match" } else { "" };
    match (total, arguments.offset) {
        (Some(total), offset) if total > shown + offset => Some(format!("{shown} of {total} line items{matching}")),
        (None, offset) if shown == u64::from(arguments.limit) => {
            let which = match (offset, shown) {
                (0, 1) => "The first".to_owned(),
                (0, _) => format!("The first {shown}"),
                (_, 1) => format!("Number {}", offset + 1),
                _ => format!("Numbers {} to {}", offset + 1, offset + shown),
            };
            Some(format!("{which} of the line items{matching}"))
        }
        _ => None,
    }
}

fn show(context: &Context, rows: Vec<Value>, zone: TimeZone, is_by_date: bool) -> Result<()> {
    if !rows.is_empty() {
        context.remember(|known| known.set_orders(&rows));
    }
    if context.output.shown(&rows)? {
        return Ok(());
    }
    let mut items = rows.into_iter().map(typed).collect::<Result<Vec<_>>>()?;
    if is_by_date {
        bring_together(&mut items);
    }
    context.output.table(&table(&items, zone))
}

/// Brings the lines of an order together, in the retailer's order, among items of one moment: services list these by id.
pub(super) fn bring_together(items: &mut [OrderItem]) {
    for same in items.chunk_by_mut(|one, other| one.order_date == other.order_date) {
        same.sort_by_cached_key(|item| {
            let order = item.order_id.as_ref().map(ToString::to_string);
            (item.retailer_id, order, item.line_number.is_none(), item.line_number)
        });
    }
}

/// A status that is none of those that services share may be one of the retailer's, or misspelt.
fn nothing_matches(status: Option<&str>) -> String {
    let shared = ShipmentStatus::ALL.iter().map(|status| status.as_str()).chain([MISSING]);
    match status {
        Some(status) if shared.clone().all(|known| known != fold(status.trim())) => {
            format!("No line items match. Usual values of --status: {}", shared.collect::<Vec<_>>().join(", "))
        }
        _ => "No line items match.".to_owned(),
    }
}

pub(super) fn unreadable(why: serde_json::Error) -> Error {
    Error::of(&codes::network::UNEXPECTED_ANSWER, format!("An item cannot be understood: {why}."))
}

pub(super) fn table(items: &[OrderItem], zone: TimeZone) -> Table {
    let mut columns = vec![
        Column::whole("ID").optional(0),
        Column::whole("DATE"),
        Column::text("RETAILER").optional(2),
        Column::text("ORDER").optional(1),
        Column::text("ITEM").at_least(20),
        Column::amount("QTY").optional(3),
        Column::amount("PRICE"),
        Column::state("STATUS").optional(4),
    ];
    let has_parcels = items.iter().any(|item| !item.shipments.is_empty());
    columns.extend(has_parcels.then(|| Column::whole("PARCELS").optional(5)));
    let mut table = Table::new(&columns).titled(1, zone.heading("DATE"));
    for item in items {
        let mut cells = vec![
            item.id.to_string(),
            day(item.order_date.as_ref(), zone),
            item.retailer_name.clone().unwrap_or_default(),
            text(item.order_id.as_ref()),
            item.item_name.clone().unwrap_or_default(),
            text(item.quantity.as_ref()),
            money(item.price.as_ref(), item.currency.as_deref()),
            status(item),
        ];
        cells.extend(has_parcels.then(|| parcels(&item.shipments)));
        table.row(cells);
    }
    table
}

/// For example "UPS 1Z999; DHL 00340434".
pub(super) fn parcels(all: &[Shipment]) -> String {
    let one = |parcel: &Shipment| {
        let texts = [parcel.carrier.as_deref(), parcel.tracking_number.as_deref()];
        texts.into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    all.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// The shipment status; an order that the retailer no longer lists is `missing`, whatever its goods were last.
fn status(item: &OrderItem) -> String {
    match item.missing_since {
        Some(_) => MISSING.to_owned(),
        None => text(item.shipment_status.as_ref()),
    }
}

/// A value, or nothing.
pub(super) fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_an_order_are_together_in_the_retailers_order() {
        let item = |id: &str, order: &str, more: &str| -> OrderItem {
            let json = format!(r#"{{"id":"{id}","orderId":"{order}","orderDate":"2026-01-01T00:00:00Z"{more}}}"#);
            serde_json::from_str(&json).expect("an item")
        };
        let mut items = vec![
            item("a", "2", r#","lineNumber":2"#),
            item("b", "1", r#","lineNumber":10"#),
            item("c", "2", r#","lineNumber":1"#),
            item("d", "1", ""),
            item("e", "1", r#","lineNumber":9"#),
        ];
        bring_together(&mut items);
        assert_eq!(items.iter().map(|item| item.id.to_string()).collect::<String>(), "ebdca");
    }

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
