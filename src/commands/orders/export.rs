//! `ordersync orders export`.

use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::Path;

use ordersync_api::Id;
use serde::Serialize;

use super::wrote::{ReadItems, Wrote};
use super::{bounds, filter, period};
use crate::cli::orders::{ExportArgs, ExportFormat, FilterArgs};
use crate::client::{OrderFilter, PageForm};
use crate::commands::shared::{active_sessions, completeness};
use crate::config::Target;
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};
use crate::export::checkpoint::{ExportIdentity, OnExisting, PartFile};
use crate::export::format::FileFormat;
use crate::export::json::JsonSink;
use crate::export::list_version::ListChange;
use crate::export::plan::PlanState;
use crate::export::render::render;
use crate::export::selection::Selection;
use crate::export::since_last::{Difference, Header, Increment, List};
use crate::export::target::Existing;
use crate::export::{self, How, Sink, row, target};
use crate::flags::Format;
use crate::output::table::{Column, Table};
use crate::output::visible::Visible;
use crate::output::{self, Mark};
use crate::time_zone::TimeZone;

/// Exports every line item that fits.
pub(super) async fn run(context: &Context, arguments: ExportArgs) -> Result<()> {
    if arguments.columns == Some(None) {
        return columns(context);
    }
    // A name of exports keeps the period as it was typed; everything else, the command that resumes included, the dates.
    let typed = arguments.filter.clone();
    let zone = context.time_zone(typed.time_zone.as_deref())?;
    let arguments = ExportArgs { filter: period::resolved(&typed, zone)?, ..arguments };
    let bounds = bounds(&arguments.filter, zone)?;
    let output = match context.output.format() {
        Format::Table => None,
        Format::Csv => Some(ExportFormat::Csv),
        Format::Json => Some(ExportFormat::Json),
        Format::Jsonl => Some(ExportFormat::Jsonl),
    };
    if context.flags().output == Some(Format::Table) && arguments.format.is_none() {
        return Err(Error::usage("An export is not a table.").hint([
            Hint::say("Name a format: --format csv, json, jsonl, xlsx or parquet"),
            Hint::run("For a table", "ordersync orders list"),
        ]));
    }
    let form = FileFormat::of(arguments.choice(zone), output)?;
    let out = arguments.out.as_deref().filter(|path| !target::is_stdout(path));
    if out.is_none() && form.is_binary() && std::io::stdout().is_terminal() {
        return Err(Error::usage("A terminal cannot show an export in this form.")
            .hint(Hint::run("Give it a file", "ordersync orders export --out FILE")));
    }
    if arguments.split_by.is_some() && out.is_none_or(target::is_stream) {
        return Err(Error::usage("--split-by needs the name of a file, from which it makes those of several.")
            .hint(Hint::run("Give it one", "ordersync orders export --out orders.csv --split-by month")));
    }
    let is_read_by_others = out.map_or_else(|| target::stdout_file().is_none(), target::is_stream);
    if form.needs_files() && is_read_by_others {
        let message = "--since-last needs a file: what the reader of a pipe has not read yet would count as exported.";
        return Err(Error::usage(message).hint([
            Hint::say("Write to a file: --out changes.csv"),
            Hint::say("If all that is written to the pipe counts as exported: --assume-read"),
        ]));
    }
    if let Some(misnamed) = out.and_then(|path| form.misnamed(path)) {
        context.output.note(&misnamed);
    }
    let require_complete = arguments.complete.require_complete;
    if require_complete {
        super::require_complete(context, &arguments.filter).await?;
    }
    // Before more is asked of the service: a place that cannot be written is known at once.
    let place = ExportTarget::open(context, &arguments, &form, out).await?;
    let increment = form.since_last().map(|name| increment(context, name, &typed, zone, out)).transpose()?;
    let how = arguments.listing;
    // What a name exported once does not come again.
    let existing = if increment.is_some() && !arguments.replace { Existing::Kept } else { Existing::Replaced };
    let bounds = OrderFilter { with_adjustments: form.has_adjustments(), ..bounds };
    let (filter, increment_of) = (&arguments.filter, increment.as_ref());
    let reading = Reading { context, arguments: filter, bounds, increment: increment_of, how, require_complete };
    let wrote = match place {
        ExportTarget::Stdout => {
            let sink = || form.sink(context.output.stream()?, output::write_error);
            let read = reading.read(sink, None).await?;
            if let (Some(file), true) = (target::stdout_file(), increment.is_some()) {
                file.sync_all().map_err(|why| output::write_error(&why))?;
            }
            Wrote::one(read)
        }
        ExportTarget::Stream(stream) => {
            let is_terminal = stream.is_terminal();
            let stream = BufWriter::new(stream);
            let to = || -> Box<dyn Write + Send> {
                if is_terminal { Box::new(Visible::new(stream)) } else { Box::new(stream) }
            };
            Wrote::one(reading.read(|| form.sink(to(), target::write_error), None).await?)
        }
        ExportTarget::File(mut part) => {
            let goes_on = Hint::run("Go on", context.command(words(&again(&arguments, &form)).as_slice()));
            let (is_kept, resume) = (part.kept(), goes_on.clone());
            context.if_broken_off_then(move || {
                is_kept().then(|| [Hint::say("What was exported is kept."), resume.clone()].into())
            });
            if let Some((state, _)) = part.earlier().filter(|_| !part.is_resumed_unasked()) {
                context.output.note(format!("Resuming after {}.", state.come()));
            }
            if let Some(why) = part.discarded() {
                context.output.note(format!("Starting over. {why}"));
            }
            if form.is_spooled() {
                through_spool(reading, &form, *part, &goes_on, existing).await?
            } else {
                let sink = |part: &PartFile| form.sink(part.writer()?, target::write_error);
                let read = reading.read_into(sink, &mut part).await;
                let read = match read {
                    Ok(read) => read,
                    Err(error) => return Err(failed(error, *part, &goes_on)),
                };
                if existing == Existing::Kept && read.count == 0 {
                    part.discard();
                    Wrote { files: 0, read }
                } else {
                    part.commit(existing)?;
                    Wrote::one(read)
                }
            }
        }
    };
    let difference = increment.map(|increment| increment.commit(wrote.read.list.clone())).transpose()?;
    // Items that a moving period has left behind are listed still.
    let difference =
        difference.map(|all| if period::is_relative(&typed) { Difference { gone: 0, ..all } } else { all });
    if wrote.files > 0 {
        context.if_broken_off("The export is written. Only the check for what it lacks was interrupted.");
    }
    let report = wrote.report(context, &arguments.filter).await;
    let undated = wrote.undated(context, &arguments).await;
    if let Some(path) = out {
        wrote.tell(context, path, &form, difference, &report);
    }
    if let Some(undated) = undated {
        context.output.marked_note(Mark::Attention, undated);
    }
    let incomplete: Vec<&Id> = report.gaps.iter().map(|gap| &gap.connection_id).collect();
    active_sessions::warn_of_export(context, &incomplete).await;
    Ok(())
}

/// What is known of the exports of that name.
fn increment(
    context: &Context,
    name: &str,
    filter: &FilterArgs,
    zone: TimeZone,
    out: Option<&Path>,
) -> Result<Increment> {
    let about = Header { selection: selection(context, filter, zone), list: None };
    let folder = context.settings.folders.data.join("exports").join(&context.settings.profile.value);
    let target = out.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    Increment::open(&folder, name, about, &target.unwrap_or_default().to_string_lossy())
}

/// What is read from the service.
#[derive(Clone, Copy)]
struct Reading<'a> {
    context: &'a Context,
    arguments: &'a FilterArgs,
    bounds: OrderFilter,
    increment: Option<&'a Increment>,
    how: How,
    require_complete: bool,
}

impl Reading<'_> {
    /// Reads into a file. What was resumed by itself and cannot be resumed after all is begun again.
    async fn read_into(
        self,
        sink: impl Fn(&PartFile) -> Result<Box<dyn Sink>>,
        part: &mut PartFile,
    ) -> Result<ReadItems> {
        let is_automatic = part.is_resumed_unasked();
        match self.read(|| sink(part), Some(part)).await {
            Err(why) if is_automatic && why.code() == codes::command::USAGE.code => {
                self.context.output.note(format!("Starting over. {why}"));
                part.start_over()?;
                self.read(|| sink(part), Some(part)).await
            }
            read => read,
        }
    }

    /// Reads into a sink, which is made after the service is known to be there; and into the file that it writes, where it
    /// is one.
    async fn read(self, sink: impl FnOnce() -> Result<Box<dyn Sink>>, part: Option<&PartFile>) -> Result<ReadItems> {
        let Self { context, arguments, bounds, increment, how, .. } = self;
        let client = context.client().await?;
        let filter = filter(client, arguments, bounds).await?;
        let sink = sink()?;
        let (count, list, incomplete, version) = match increment {
            None => {
                let done = export::read_as(context, client, &filter, how, sink, part).await?;
                (done.count, List::Many, done.incomplete, done.version)
            }
            Some(increment) => {
                let sink = increment.before(sink, &filter)?;
                let done = export::read_as(context, client, &filter, how, sink, part).await?;
                let (count, list) = done.sink.finish();
                (count, list, done.incomplete, done.version)
            }
        };
        if self.require_complete {
            completeness::require_still(incomplete)?;
        }
        Ok(ReadItems { count, list, incomplete, version, filter: Some(filter) })
    }

    /// Compares the list with that of the rows which an earlier command has spooled.
    async fn change_since(self, spooled: &PlanState) -> Result<ListChange> {
        let Some(before) = &spooled.version else { return Ok(ListChange::Unknown) };
        let client = self.context.client().await?;
        let filter = filter(client, self.arguments, self.bounds).await?;
        let page = client.orders_page(&filter, 1, 0, PageForm::Json).await?;
        Ok(ListChange::between(Some(before), page.told().version))
    }

    /// All the items, if an earlier command has spooled them. Without --resume, they are used only if the list is unchanged.
    async fn spooled(self, part: &mut PartFile) -> Result<Option<ReadItems>> {
        let Some(state) = part.whole().cloned() else { return Ok(None) };
        let output = &self.context.output;
        let change = self.change_since(&state).await;
        if part.is_resumed_unasked() {
            if let Err(why) = change?.require_none() {
                output.note(format!("Starting over. {why}"));
                part.start_over()?;
                return Ok(None);
            }
            output.note(format!("Resuming after {}.", state.come()));
        } else if let Some(warning) = change.unwrap_or(ListChange::Unknown).warning() {
            // All rows are here: the service may be gone.
            output.warn(warning);
        }
        let PlanState { rows: count, incomplete, version, .. } = state;
        Ok(Some(ReadItems { count, list: List::Many, incomplete, version, filter: None }))
    }
}

/// Exports in a form that cannot be appended to. If an earlier command has spooled all items, the service is only asked for
/// the version of its list.
async fn through_spool(
    reading: Reading<'_>,
    form: &FileFormat,
    mut part: PartFile,
    goes_on: &Hint,
    existing: Existing,
) -> Result<Wrote> {
    let read = match reading.spooled(&mut part).await {
        Err(error) => return Err(failed(error, part, goes_on)),
        Ok(Some(spooled)) => spooled,
        Ok(None) => {
            let sink =
                |part: &PartFile| Ok(Box::new(JsonSink::lines(part.writer()?, target::write_error)) as Box<dyn Sink>);
            let read = reading.read_into(sink, &mut part).await;
            match read.and_then(|read| part.close(read.count, read.incomplete, read.version.clone()).map(|()| read)) {
                Ok(read) => read,
                Err(error) => return Err(failed(error, part, goes_on)),
            }
        }
    };
    if existing == Existing::Kept && read.count == 0 {
        part.discard();
        return Ok(Wrote { files: 0, read });
    }
    match render(reading.context, form, &part, read.count, existing).await {
        Ok(files) => {
            part.discard();
            Ok(Wrote { files, read })
        }
        // What the form cannot hold, it cannot hold the next time either.
        Err(error) if error.code() == codes::network::UNEXPECTED_ANSWER.code => {
            part.discard();
            Err(error)
        }
        Err(error) => Err(failed(error, part, goes_on)),
    }
}

/// What ended an export to a file: it can go on later, unless the next one has to begin anew, or none can be made.
fn failed(error: Error, part: PartFile, goes_on: &Hint) -> Error {
    let rows = [&codes::command::CHANGES_NOT_TAKEN, &codes::command::NOT_COMPLETE, &codes::network::UNSOUND_LIST];
    if rows.iter().any(|row| row.code == error.code()) {
        part.discard();
        return error;
    }
    // What cannot be resumed has its own advice.
    let may_go_on = error.code() != codes::command::USAGE.code && part.is_kept();
    if may_go_on { error.also(goes_on.clone()) } else { error }
}

/// What `--columns` can name.
fn columns(context: &Context) -> Result<()> {
    #[derive(Serialize)]
    struct Named {
        field: &'static str,
        title: Option<&'static str>,
    }
    let all = row::Column::ALL.map(|column| Named { field: column.name(), title: column.title() });
    context.output.list(&all, |all| {
        let mut table = Table::new(&[Column::whole("FIELD"), Column::text("TITLE")]);
        for Named { field, title } in all {
            table.row([(*field).to_owned(), title.unwrap_or_default().to_owned()]);
        }
        table
    })
}

fn selection(context: &Context, filter: &FilterArgs, zone: TimeZone) -> Selection {
    let service = match &context.settings.target {
        Target::Remote(remote) => remote.base_url.value.to_string(),
        Target::Local(_) => context.settings.folders.store().display().to_string(),
    };
    let FilterArgs { retailer, since, until, .. } = filter.clone();
    let has_days = !zone.is_utc() && (since.is_some() || until.is_some());
    let time_zone = has_days.then(|| zone.name().to_owned());
    Selection { service, retailer, since, until, time_zone }
}

enum ExportTarget {
    Stdout,
    Stream(std::fs::File),
    File(Box<PartFile>),
}

impl ExportTarget {
    async fn open(context: &Context, arguments: &ExportArgs, form: &FileFormat, out: Option<&Path>) -> Result<Self> {
        let what = ExportIdentity {
            selection: selection(context, &arguments.filter, form.zone()),
            form: form.to_string(),
            complete: arguments.complete.require_complete,
        };
        match out {
            None => output::stdout().map(|_| Self::Stdout),
            Some(path) if target::is_stream(path) => {
                target::open_stream(path, context.deadline).await.map(Self::Stream)
            }
            Some(path) => PartFile::open(path, what, on_existing(arguments)).map(|part| Self::File(Box::new(part))),
        }
    }
}

/// What to do with an earlier export that was interrupted.
const fn on_existing(arguments: &ExportArgs) -> OnExisting {
    match (arguments.resume, arguments.restart) {
        (true, _) => OnExisting::Resume,
        (_, true) => OnExisting::Restart,
        _ => OnExisting::Auto,
    }
}

/// The command line that resumes this export.
fn again(arguments: &ExportArgs, form: &FileFormat) -> Vec<String> {
    let FilterArgs { retailer, since, until, time_zone } = &arguments.filter;
    let out = arguments.out.as_ref().map(|path| path.display().to_string());
    let mut words = vec!["orders".to_owned(), "export".to_owned()];
    for (flag, value) in [
        ("--out", &out),
        ("--format", &form.said()),
        ("--columns", &form.columns()),
        ("--delimiter", &form.delimiter()),
        ("--decimal", &form.decimal()),
        ("--compress", &form.compression_said()),
        ("--split-by", &form.split_said()),
        ("--retailer", retailer),
        ("--since", since),
        ("--until", until),
        ("--time-zone", time_zone),
        ("--since-last", &arguments.since_last),
    ] {
        if let Some(value) = value {
            words.extend([flag.to_owned(), value.clone()]);
        }
    }
    let given = [
        ("--excel-safe", arguments.excel_safe),
        ("--replace", arguments.replace),
        ("--assume-read", arguments.assume_read),
        ("--require-complete", arguments.complete.require_complete),
        ("--ignore-count", arguments.listing.ignore_count),
    ];
    words.extend(given.into_iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| flag.to_owned()));
    if let Some(size) = arguments.listing.page_size {
        words.extend(["--page-size".to_owned(), size.to_string()]);
    }
    words.push("--resume".to_owned());
    words
}

fn words(of: &[String]) -> Vec<&str> {
    of.iter().map(String::as_str).collect()
}
