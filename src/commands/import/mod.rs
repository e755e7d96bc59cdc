//! `ordersync import`.

mod documents;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use ordersync_api::completeness::name_orders;
use ordersync_api::{DocumentsResult, Id, ImportResult, OrderElsewhere};
use ordersync_import::{Checked, FileRead, Finding, FindingCode, Options, Refused, Report, Request};
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::auth::token_provider::blocking;
use crate::cli::import::ImportArgs;
use crate::client::Client;
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};
use crate::output::Mark;
use crate::output::human::counted;
use crate::output::table::{Column, Table};
use crate::time_zone::TimeZone;

/// Findings that have a line of their own.
const TOLD: usize = 20;
/// Contradictions that have a line of their own.
const CONTRADICTIONS: usize = 5;
/// Requests that are ready before they are sent.
const READY: usize = 2;
/// After an import that was not finished.
const AGAIN: &str = "The orders sent so far are stored, and exports say that others may be missing. Import again to store the rest; \
                     nothing is stored twice.";

/// The result of an import: the files, the report of their check, and the changes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Imported<'a> {
    dry_run: bool,
    files: &'a [FileRead],
    report: &'a Report,
    results: &'a [OfRetailer],
}

/// The changes of one retailer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OfRetailer {
    /// None: refunds of orders that are stored already, of any retailer.
    retailer_name: Option<String>,
    #[serde(flatten)]
    result: ImportResult,
    /// The outcome for its documents, if they are to be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    documents: Option<DocumentsResult>,
}

impl OfRetailer {
    /// Whether an order is stored.
    fn says_something(&self) -> bool {
        let result = &self.result;
        result.orders_new + result.orders_changed + result.orders_unchanged > 0
    }
}

/// Checks the files, then stores their orders.
pub(super) async fn run(context: &Context, arguments: ImportArgs) -> Result<()> {
    if arguments.explain {
        return explain(context, &arguments).await;
    }
    let dry_run = arguments.dry_run;
    let files: Vec<_> = arguments.files.iter().chain(&arguments.pages).cloned().collect();
    let options = options(&arguments)?;
    let is_mapped = options.mapping.is_some();
    let check = move || ordersync_import::check(&files, &options);
    let checked = blocking(move || check().map_err(|why| refused(why, is_mapped))).await?;
    let checked = Arc::new(checked);
    for file in checked.files() {
        let unit = match file.format.as_str() {
            ordersync_import::MAILS => "mail",
            format if format.ends_with(ordersync_import::PAGES) => "order",
            _ => "row",
        };
        context.output.note(format!("{}: {}, {}", file.name, file.format, counted(file.rows, unit)));
    }
    tell(context, checked.files(), checked.report());
    if arguments.keep_documents {
        let documents = counted(checked.report().documents, "document");
        context.output.note(format!("{documents} found beside the orders"));
    }
    context.if_broken_off(if dry_run { "Nothing was stored." } else { AGAIN });
    let mut results = send(context, &checked, dry_run).await?;
    if arguments.keep_documents && !dry_run {
        documents::send(context, &checked, &mut results).await?;
    }
    let imported = Imported { dry_run, files: checked.files(), report: checked.report(), results: &results };
    if !context.output.shown(&imported)? && results.iter().any(OfRetailer::says_something) {
        context.output.table(&table(&results))?;
    }
    conclude(context, &results, dry_run)
}

async fn explain(context: &Context, arguments: &ImportArgs) -> Result<()> {
    let [file] = &arguments.files[..] else {
        return Err(Error::usage("--explain takes one file.").hint("Give the file that the mapping is for."));
    };
    let file = file.clone();
    let mapping = blocking(move || ordersync_import::explain(&file).map_err(|why| refused(why, false))).await?;
    context.output.raw(mapping.as_bytes())
}

fn options(arguments: &ImportArgs) -> Result<Options> {
    let time_zone = arguments.time_zone.as_deref().map(|name| TimeZone::named("--time-zone", name)).transpose()?;
    Ok(Options {
        currency: arguments.currency.as_deref().map(|code| code.trim().to_ascii_uppercase()),
        time_zone: time_zone.and_then(TimeZone::iana),
        retailer: arguments.retailer.clone(),
        mapping: arguments.mapping.clone(),
        pages: arguments.pages.is_some(),
        keep_documents: arguments.keep_documents,
    })
}

/// The files cannot be imported: nothing was sent.
fn refused(refused: Refused, is_mapped: bool) -> Error {
    let details = serde_json::to_value(&refused).unwrap_or_default();
    let error = Error::of(&codes::command::IMPORT_REFUSED, refused.message).details(details);
    match refused.code {
        FindingCode::MappingInvalid | FindingCode::FormatUnknown | FindingCode::MissingColumn if is_mapped => {
            error.hint("Correct the mapping, and try it with --dry-run.")
        }
        FindingCode::FileUnreadable => error.hint("Name a file or folder that exists and that you may read."),
        _ => error,
    }
}

/// Says what the check found.
fn tell(context: &Context, files: &[FileRead], report: &Report) {
    if report.mails > 0 {
        let mails = counted(report.mails, "mail");
        context.output.note(format!("{mails} read, {} of them without an order", report.mails_without_orders));
    }
    for note in &report.notes {
        context.output.note(note);
    }
    // Files that were left out come first. Mails are named by their folder.
    let is_of = |finding: &Finding, file: &FileRead| {
        finding.file.strip_prefix(&file.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let is_read = |finding: &&Finding| files.iter().any(|file| is_of(finding, file));
    let (of_rows, of_files): (Vec<_>, Vec<_>) = report.findings.iter().partition(is_read);
    for finding in of_files.into_iter().chain(of_rows).take(TOLD) {
        context.output.marked_note(Mark::Attention, sentence(finding));
    }
    let found: u64 = report.counts.values().sum();
    let more = found.saturating_sub(TOLD as u64);
    if more > 0 {
        let of_each: Vec<String> = report.counts.iter().map(|(code, count)| format!("{count} × {code}")).collect();
        let all = format!("… and {more} more ({}). All of them", of_each.join(", "));
        context.output.marked_note(Mark::Attention, Hint::run(all, context.command("import … -o json")));
    }
    if report.rows_skipped > 0 {
        let unit = if report.mails > 0 { "row or mail" } else { "row" };
        let is = if report.rows_skipped == 1 { "is" } else { "are" };
        let rows = counted(report.rows_skipped, unit).replace("row or mails", "rows or mails");
        context.output.marked_note(Mark::Attention, format!("{rows} {is} left out."));
    }
}

fn sentence(finding: &Finding) -> String {
    let place = match (finding.row, finding.line) {
        (Some(row), Some(line)) if row != line => format!(", row {row} (line {line})"),
        (Some(row), _) => format!(", row {row}"),
        (None, Some(line)) => format!(", line {line}"),
        (None, None) => String::new(),
    };
    let of_order = finding.order_id.as_ref().map(|id| format!(", order {id}")).unwrap_or_default();
    let figures = match (&finding.shown, &finding.computed) {
        (Some(shown), Some(computed)) => format!(" ({shown} in the file, {computed} computed)"),
        _ => String::new(),
    };
    format!("{}{place}{of_order}: {}{figures}", finding.file, finding.message)
}

/// Sends the orders, and sums up what the service says of each retailer.
async fn send(context: &Context, checked: &Arc<Checked>, dry_run: bool) -> Result<Vec<OfRetailer>> {
    let client = context.client().await?;
    let mut requests = Ahead::new(checked, |checked, ready| pass_on(checked.requests(), &ready));
    let mut results: Vec<OfRetailer> = Vec::new();
    let mut progress = context.output.progress();
    let (mut sent, all) = (0, checked.report().orders);
    let mut ready: VecDeque<_> = requests.items.recv().await.into_iter().collect();
    ready.extend(requests.items.recv().await);
    // A single request is stored whole, or not at all.
    let is_in_parts = ready.len() > 1 && !dry_run;
    if is_in_parts {
        say_whether_more_follow(client, checked, true).await?;
    }
    while let Some(request) = match ready.pop_front() {
        Some(request) => Some(request),
        None => requests.items.recv().await,
    } {
        let mut request = request.map_err(|why| match sent {
            1.. if !dry_run => Error::of(&codes::command::ORDERS_NOT_STORED, why.message).hint(AGAIN),
            _ => refused(why, false),
        })?;
        (request.dry_run, request.more_follow) = (dry_run, is_in_parts.then_some(true));
        let result = client.import(&request).await.map_err(|why| if is_in_parts { why.also(AGAIN) } else { why })?;
        sent += request.orders.len();
        progress.count("Orders", &format!("{sent} of {all}"));
        let known = results.iter().position(|one| one.retailer_name == request.retailer_name);
        match known.and_then(|known| results.get_mut(known)) {
            Some(one) => add(&mut one.result, result),
            None => results.push(OfRetailer { retailer_name: request.retailer_name, result, documents: None }),
        }
    }
    drop(progress);
    requests.end().await?;
    if is_in_parts {
        say_whether_more_follow(client, checked, false).await?;
    }
    Ok(results)
}

/// Says of every retailer whether orders of the files follow, so that exports know it if they never come.
async fn say_whether_more_follow(client: &Client, checked: &Checked, more_follow: bool) -> Result<()> {
    let source = checked.files().first().map(|file| file.format.clone()).unwrap_or_default();
    for retailer in checked.retailers() {
        let request = Request {
            retailer_name: Some(retailer.clone()),
            source: source.clone(),
            dry_run: false,
            more_follow: Some(more_follow),
            orders: Vec::new(),
            orders_left_out: Vec::new(),
        };
        client.import(&request).await?;
    }
    Ok(())
}

/// Reads files in the background, a few items ahead of what is sent.
struct Ahead<T> {
    items: mpsc::Receiver<T>,
    reading: JoinHandle<()>,
}

impl<T: Send + 'static> Ahead<T> {
    fn new(checked: &Arc<Checked>, read: impl FnOnce(&Checked, mpsc::Sender<T>) + Send + 'static) -> Self {
        let (ready, items) = mpsc::channel(READY);
        let checked = Arc::clone(checked);
        Self { items, reading: tokio::task::spawn_blocking(move || read(&checked, ready)) }
    }

    /// Fails if the reading ended with a panic, which must not look like the end of the items.
    async fn end(self) -> Result<()> {
        let ended = |_| Error::of(&codes::command::FAULT, "A step of the command has ended unexpectedly.");
        self.reading.await.map_err(ended)
    }
}

/// Passes items on until nobody takes them any more.
fn pass_on<T>(items: impl Iterator<Item = T>, ready: &mpsc::Sender<T>) {
    for item in items {
        if ready.blocking_send(item).is_err() {
            return;
        }
    }
}

fn add(sum: &mut ImportResult, more: ImportResult) {
    sum.connection_id = sum.connection_id.take().or(more.connection_id);
    sum.retailer_id = sum.retailer_id.or(more.retailer_id);
    sum.orders_new += more.orders_new;
    sum.orders_changed += more.orders_changed;
    sum.orders_unchanged += more.orders_unchanged;
    sum.items_new += more.items_new;
    sum.orders_unknown.extend(more.orders_unknown);
    sum.orders_kept_back.extend(more.orders_kept_back);
    sum.orders_left_out.extend(more.orders_left_out);
    sum.contradictions.extend(more.contradictions);
    sum.orders_elsewhere.extend(more.orders_elsewhere);
}

fn table(results: &[OfRetailer]) -> Table {
    let mut table = Table::new(&[
        Column::text("RETAILER").at_least(20),
        Column::number("NEW ORDERS"),
        Column::number("CHANGED"),
        Column::number("UNCHANGED"),
        Column::number("NEW ITEMS"),
    ]);
    for OfRetailer { retailer_name, result, .. } in results.iter().filter(|one| one.says_something()) {
        let name = retailer_name.clone().unwrap_or_else(|| "(orders stored before)".to_owned());
        let counts = [result.orders_new, result.orders_changed, result.orders_unchanged, result.items_new];
        let [new, changed, unchanged, items] = counts.map(|count| count.to_string());
        table.row([name, new, changed, unchanged, items]);
    }
    table
}

/// Says what could not be stored, and what comes next.
fn conclude(context: &Context, results: &[OfRetailer], dry_run: bool) -> Result<()> {
    let mut kept_back = Vec::new();
    for OfRetailer { retailer_name, result, .. } in results {
        if !result.orders_unknown.is_empty() {
            let (count, named) = (result.orders_unknown.len(), named(&result.orders_unknown));
            let orders = if count == 1 { "1 refund".to_owned() } else { format!("Refunds of {count} orders") };
            let message =
                format!("{orders} not stored, as no stored order has the number: {named}. Import the orders first.");
            context.output.marked_note(Mark::Attention, message);
        }
        if !result.orders_left_out.is_empty() {
            let count = result.orders_left_out.len() as u64;
            let named = name_orders(result.orders_left_out.iter().map(Id::as_str), count);
            let orders = counted(count, "order");
            let message =
                format!("{orders} left out ({named}). Exports say so until an import stores what is missing.");
            context.output.marked_note(Mark::Attention, message);
        }
        for told in result.contradictions.iter().take(CONTRADICTIONS) {
            let [account, file] = [&told.account, &told.file].map(|value| value.as_deref().unwrap_or("nothing"));
            let message =
                format!("Order {}: {} is {account} in the account and {file} in the file.", told.order_id, told.field);
            context.output.marked_note(Mark::Attention, message);
        }
        let more = result.contradictions.len().saturating_sub(CONTRADICTIONS);
        if more > 0 {
            let all = format!("… and {more} more that the account and the file tell differently. All of them");
            context.output.marked_note(Mark::Attention, Hint::run(all, context.command("import … -o json")));
        }
        tell_elsewhere(context, retailer_name.as_deref().unwrap_or_default(), &result.orders_elsewhere);
        kept_back.extend(result.orders_kept_back.iter().map(|one| format!("{} ({})", one.order_id, one.reason)));
    }
    if !kept_back.is_empty() {
        let orders = if kept_back.len() == 1 { "1 order".to_owned() } else { format!("{} orders", kept_back.len()) };
        let message = format!("{orders} cannot be stored: {}.", named(&kept_back));
        return Err(Error::of(&codes::command::ORDERS_NOT_STORED, message));
    }
    documents::tell(context, results);
    if dry_run {
        context.output.marked_note(Mark::Good, "Nothing was stored (--dry-run).");
        context.output.note("To store it: the same command without --dry-run");
    } else if results.iter().any(OfRetailer::says_something) {
        context.output.next(&[context.command("orders list"), context.command("orders export --out orders.csv")]);
    }
    Ok(())
}

/// Says which orders seem to be stored with another retailer, too: one shop may have several names.
fn tell_elsewhere(context: &Context, retailer: &str, orders: &[OrderElsewhere]) {
    let mut by_retailer = BTreeMap::<&str, Vec<&str>>::new();
    for order in orders {
        by_retailer.entry(&order.retailer_name).or_default().push(&order.order_id);
    }
    for (other, ids) in by_retailer {
        let (count, named) = (ids.len() as u64, name_orders(ids.iter().copied(), ids.len() as u64));
        let (orders, seem) = (counted(count, "order"), if count == 1 { "seems" } else { "seem" });
        let message = format!(
            "{orders} of {retailer} {seem} to be at {other}, too, by number, day and amount: {named}. If so, they count \
             twice. `connections remove` removes one of the two retailers with its orders."
        );
        context.output.marked_note(Mark::Attention, message);
    }
}

fn named(all: &[String]) -> String {
    name_orders(all.iter().map(String::as_str), all.len() as u64)
}
