//! `ordersync orders summary`.

use chrono::Local;

use super::{bounds, filter, period, undated};
use crate::auth::token_provider::blocking;
use crate::cli::orders::{FilterArgs, Grouping, SummaryArgs};
use crate::client::{Client, OrderFilter};
use crate::commands::shared::completeness::{self, Gap};
use crate::config::Target;
use crate::context::Context;
use crate::errors::{Error, Hint, Result};
use crate::export::row::Row;
use crate::export::target::{self, Destination};
use crate::export::{self, Sink};
use crate::output::Mark;
use crate::summary::charges::{self, Charges};
use crate::summary::html::{self, Asked, ReportPage};
use crate::summary::orders::{self, Orders};
use crate::summary::payments::Payments;
use crate::summary::{bars, totals::Totals};
use crate::time_zone::TimeZone;

/// Sums up every line item that fits.
pub(super) async fn run(context: &Context, arguments: SummaryArgs) -> Result<()> {
    let is_by_order = arguments.by == Grouping::Order;
    let is_of_charges = arguments.charges || arguments.by == Grouping::Payment;
    if arguments.check && !is_by_order {
        return Err(Error::usage("--check looks at each order.")
            .hint(Hint::run("Name the grouping, too", "ordersync orders summary --by order --check")));
    }
    if (is_by_order || is_of_charges) && (arguments.net || arguments.html.is_some()) {
        let by = if is_by_order { "--by order lists orders one by one" } else { "--by payment sums up charges" };
        return Err(Error::usage(format!("{by}, without --net and --html."))
            .hint("Leave them out, or group by something else: month, retailer, category or brand."));
    }
    let zone = context.time_zone(arguments.filter.time_zone.as_deref())?;
    let arguments = SummaryArgs { filter: period::resolved(&arguments.filter, zone)?, ..arguments };
    let bounds = bounds(&arguments.filter, zone)?;
    let out = arguments.html.as_deref();
    let to_stdout = out.is_some_and(target::is_stdout);
    let must_be_complete = arguments.complete.require_complete;
    if must_be_complete {
        super::require_complete(context, &arguments.filter).await?;
    }
    // Before more is asked of the service: a place that cannot be written is known at once.
    let place = match out.filter(|_| !to_stdout) {
        Some(path) => Some(Destination::open(path, context.deadline).await?),
        None => None,
    };
    let client = context.client().await?;
    let bounds = OrderFilter { with_adjustments: arguments.net || is_by_order || is_of_charges, ..bounds };
    let filter = filter(client, &arguments.filter, bounds).await?;
    if is_by_order {
        return each_order(context, client, &arguments, &filter, zone).await;
    }
    if is_of_charges {
        return of_charges(context, client, &arguments, &filter, zone).await;
    }
    let groupings = if out.is_some() { &Grouping::OF_PAGES[..] } else { &[arguments.by] };
    let totals = Totals::new(groupings, zone);
    let totals = if arguments.net { totals.with_net() } else { totals };
    let Summed { sink: mut totals, report, undated } = read(context, client, &arguments, &filter, totals).await?;
    totals.settle()?;
    if totals.items() == 0 {
        super::nothing_found(context, client, &arguments.filter).await;
    }
    let page = || {
        let service = match context.settings.target {
            Target::Remote(_) => Some(client.base().to_string()),
            Target::Local(_) => None,
        };
        let service = service.as_deref();
        let FilterArgs { retailer, since, until, .. } = &arguments.filter;
        let asked = Asked { retailer: retailer.as_deref(), since: since.as_deref(), until: until.as_deref() };
        let missing: Vec<String> = report.gaps.iter().map(Gap::sentence).collect();
        let undated = undated.as_deref();
        html::page(&ReportPage { totals: &totals, asked, service, missing: &missing, undated, made: Local::now() })
    };
    if to_stdout {
        return context.output.foreign(page().as_bytes());
    }
    let groups = totals.groups(arguments.by);
    context
        .output
        .list(&groups, |groups| bars::table(&totals, arguments.by, groups, context.output.picture_width()))?;
    let notes = [totals.left_out(), totals.other_statuses(), totals.net_lacks(), undated.clone()];
    for note in notes.into_iter().flatten() {
        context.output.marked_note(Mark::Attention, &note);
    }
    if let Some(differing) = totals.net_differs() {
        let check = context.command("orders summary --by order --check");
        context.output.marked_note(Mark::Attention, Hint::run(differing, check));
    }
    if out.is_none() {
        report.note(context);
    }
    if let (Some(place), Some(path)) = (place, out) {
        let page = page();
        blocking(move || place.write(page.as_bytes())).await?;
        let mut text = format!("Wrote {}", path.display());
        report.close(&mut text);
        context.output.marked_note(if report.gaps.is_empty() { Mark::Good } else { Mark::Attention }, text);
    }
    Ok(())
}

/// The items that were read, summed up.
struct Summed<S> {
    sink: S,
    report: completeness::Report,
    /// Says how many items are left out because they have no date.
    undated: Option<String>,
}

/// Reads all items, and what of their retailers is not complete.
async fn read<S: Sink + 'static>(
    context: &Context,
    client: &Client,
    arguments: &SummaryArgs,
    filter: &OrderFilter,
    sink: S,
) -> Result<Summed<S>> {
    let read = export::read_as(context, client, filter, arguments.listing, sink, None).await?;
    if arguments.complete.require_complete {
        completeness::require_still(read.incomplete)?;
    }
    let report = completeness::report(context, client, filter.retailer_id, read.incomplete).await;
    let undated = undated::note(client, filter, arguments.listing.ignore_count).await;
    Ok(Summed { sink: read.sink, report, undated })
}

/// Lists the orders with what their lines, figures and totals are.
async fn each_order(
    context: &Context,
    client: &Client,
    arguments: &SummaryArgs,
    filter: &OrderFilter,
    zone: TimeZone,
) -> Result<()> {
    let Summed { sink, report, undated } = read(context, client, arguments, filter, Orders::default()).await?;
    let (orders, verdict) = sink.settle(arguments.check);
    if verdict.is_empty() {
        super::nothing_found(context, client, &arguments.filter).await;
    }
    context.output.list(&orders, |orders| orders::table(orders, zone))?;
    if arguments.check && !verdict.is_empty() {
        let mark = if verdict.is_good() { Mark::Good } else { Mark::Attention };
        context.output.marked_note(mark, verdict.text());
    }
    if let Some(undated) = undated {
        context.output.marked_note(Mark::Attention, undated);
    }
    report.note(context);
    Ok(())
}

/// Lists the charges, or sums them up by their methods, and says of how many orders none is known.
async fn of_charges(
    context: &Context,
    client: &Client,
    arguments: &SummaryArgs,
    filter: &OrderFilter,
    zone: TimeZone,
) -> Result<()> {
    let Summed { sink: charges, report, undated } =
        read(context, client, arguments, filter, Charges::default()).await?;
    if charges.has_no_orders() {
        super::nothing_found(context, client, &arguments.filter).await;
    }
    let mut notes = charges.notes();
    if arguments.charges {
        let charges = charges.settle();
        let sums = charges::sums(&charges)?;
        context.output.list(&charges, |charges| charges::table(charges, &sums, zone))?;
    } else {
        let payments = Payments::of(&charges)?;
        context.output.list(&payments.groups, |_| payments.table())?;
        notes.extend(payments.lacks());
        if charges.has_refunds() {
            notes.push("Refunds are not subtracted: they do not say to which method they went.".to_owned());
        }
    }
    for note in notes.into_iter().chain(undated) {
        context.output.marked_note(Mark::Attention, &note);
    }
    report.note(context);
    Ok(())
}

// What sums up takes every item and writes nothing.

impl Sink for Totals {
    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        rows.iter().try_for_each(|row| self.add(row))
    }
}

impl Sink for Orders {
    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        rows.iter().try_for_each(|row| self.add(row))
    }
}

impl Sink for Charges {
    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        rows.iter().try_for_each(|row| self.add(row))
    }
}
