//! `ordersync orders export`.

use std::io::{BufWriter, IsTerminal as _};
use std::path::Path;

use serde::Serialize;

use super::super::unfinished;
use super::{bounds, filter};
use crate::cli::global::Format;
use crate::cli::orders::{ExportArgs, ExportFormat, FilterArgs};
use crate::client::{Client, OrderFilter};
use crate::codes;
use crate::config::Target;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::export::form::Form;
use crate::export::json::JsonSink;
use crate::export::part::{Leftover, Part, What};
use crate::export::render::render;
use crate::export::{self, row, split, target};
use crate::follow::items;
use crate::output::table::{Column, Table};
use crate::output::{self, Mark};

/// Exports every line item that fits.
///
/// # Errors
/// Where the filter cannot be understood, the target cannot be written, or the service cannot be reached or refuses.
pub(super) async fn run(context: &Context, arguments: ExportArgs) -> Result<()> {
    if arguments.columns == Some(None) {
        return columns(context);
    }
    let bounds = bounds(&arguments.filter)?;
    let output = match context.output.format() {
        Format::Table => None,
        Format::Csv => Some(ExportFormat::Csv),
        Format::Json => Some(ExportFormat::Json),
        Format::Jsonl => Some(ExportFormat::Jsonl),
    };
    let form = Form::of(&arguments, output)?;
    let out = arguments.out.as_deref().filter(|path| *path != Path::new("-"));
    if out.is_none() && form.is_binary() && std::io::stdout().is_terminal() {
        return Err(Error::usage("A terminal cannot show an export in this form.")
            .hint("Give it a file: ordersync orders export --out FILE"));
    }
    if arguments.split_by.is_some() && out.is_none_or(target::is_stream) {
        return Err(Error::usage("--split-by needs the name of a file, from which it makes those of several.")
            .hint("Give it one: ordersync orders export --out orders.csv --split-by month"));
    }
    // Before anything is asked of the service: a place that cannot be written is known at once.
    let place = Place::open(context, &arguments, &form, out)?;
    let wrote = match place {
        Place::Stdout => {
            let (client, filter) = asked(context, &arguments.filter, bounds).await?;
            let sink = form.sink(BufWriter::new(std::io::stdout()), output::write_error)?;
            Wrote::one(export::read(context, client, &filter, sink).await?.count)
        }
        Place::Stream(stream) => {
            let (client, filter) = asked(context, &arguments.filter, bounds).await?;
            let sink = form.sink(BufWriter::new(stream), target::write_error)?;
            Wrote::one(export::read(context, client, &filter, sink).await?.count)
        }
        Place::File(part) => {
            let goes_on = format!("Go on: {}", context.command(&again(&arguments, &form)));
            context.if_broken_off(format!("What was exported is kept.\n{goes_on}"));
            if let Some((state, _)) = part.earlier() {
                context.output.note(&format!("Going on after {}.", state.come()));
            }
            if form.is_spooled() {
                through_spool(context, &arguments.filter, bounds, &form, *part, &goes_on).await?
            } else {
                let (client, filter) = asked(context, &arguments.filter, bounds).await?;
                let sink = form.sink(part.writer()?, target::write_error)?;
                let done = export::read_into(context, client, &filter, sink, &part).await;
                let done = done.map_err(|error| if part.is_kept() { error.also(&goes_on) } else { error })?;
                part.commit()?;
                Wrote::one(done.count)
            }
        }
    };
    if let Some(path) = out {
        wrote.tell(context, path, form.split().is_some());
    }
    unfinished::warn_of_export(context).await;
    Ok(())
}

/// What was exported.
#[derive(Debug, Clone, Copy)]
struct Wrote {
    items: u64,
    files: usize,
}

impl Wrote {
    const fn one(items: u64) -> Self {
        Self { items, files: 1 }
    }

    fn tell(self, context: &Context, path: &Path, is_split: bool) {
        let Self { items: count, files } = self;
        if files == 0 {
            return context.output.note("No line item fits, so no file was written.");
        }
        let text = if is_split {
            let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
            format!("Wrote {} to {files}, {}", items(count), split::path(path, "*").display())
        } else {
            format!("Wrote {} to {}", items(count), path.display())
        };
        context.output.marked_note(Mark::Good, &text);
    }
}

/// The service, and the whole filter.
async fn asked<'a>(
    context: &'a Context,
    arguments: &FilterArgs,
    bounds: OrderFilter,
) -> Result<(&'a Client, OrderFilter)> {
    let client = context.client().await?;
    Ok((client, filter(client, arguments, bounds).await?))
}

/// Exports in a form that cannot be appended to. Where an earlier command has spooled all items, nothing is asked of the
/// service.
async fn through_spool(
    context: &Context,
    arguments: &FilterArgs,
    bounds: OrderFilter,
    form: &Form,
    part: Part,
    goes_on: &str,
) -> Result<Wrote> {
    let kept = |error: Error, part: &Part| if part.is_kept() { error.also(goes_on) } else { error };
    let count = match part.whole() {
        Some(count) => count,
        None => {
            let (client, filter) = asked(context, arguments, bounds).await?;
            let sink = JsonSink::lines(part.writer()?, target::write_error);
            let done = export::read_into(context, client, &filter, sink, &part).await;
            let count = done.map_err(|error| kept(error, &part))?.count;
            part.close(count).map_err(|error| kept(error, &part))?;
            count
        }
    };
    match render(context, form, &part, count).await {
        Ok(files) => {
            part.discard();
            Ok(Wrote { items: count, files })
        }
        // What the form cannot hold, it cannot hold the next time either.
        Err(error) if error.code() == codes::network::UNEXPECTED_ANSWER.code => {
            part.discard();
            Err(error)
        }
        Err(error) => Err(kept(error, &part)),
    }
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

enum Place {
    Stdout,
    Stream(std::fs::File),
    File(Box<Part>),
}

impl Place {
    fn open(context: &Context, arguments: &ExportArgs, form: &Form, out: Option<&Path>) -> Result<Self> {
        let service = match &context.settings.target {
            Target::Remote(remote) => remote.base_url.value.to_string(),
            Target::Local(_) => context.settings.folders.store().display().to_string(),
        };
        let FilterArgs { retailer, since, until } = arguments.filter.clone();
        let what = What { service, retailer, since, until, form: form.to_string() };
        let leftover = match (arguments.resume, arguments.restart) {
            (true, _) => Leftover::Resume,
            (_, true) => Leftover::Restart,
            _ => Leftover::Tell,
        };
        match out {
            None => Ok(Self::Stdout),
            Some(path) if target::is_stream(path) => target::open_stream(path).map(Self::Stream),
            Some(path) => Part::open(path, what, leftover).map(|part| Self::File(Box::new(part))),
        }
    }
}

/// The command line that goes on with this export.
fn again(arguments: &ExportArgs, form: &Form) -> String {
    let FilterArgs { retailer, since, until } = &arguments.filter;
    let out = arguments.out.as_ref().map(|path| path.display().to_string());
    let mut line = "orders export".to_owned();
    for (flag, value) in [
        ("--out", &out),
        ("--format", &form.said()),
        ("--columns", &form.columns()),
        ("--compress", &form.compression_said()),
        ("--split-by", &form.split_said()),
        ("--retailer", retailer),
        ("--since", since),
        ("--until", until),
    ] {
        if let Some(value) = value {
            let is_plain = value.chars().all(|letter| letter.is_alphanumeric() || "-_./:+,".contains(letter));
            let value = if is_plain { value.clone() } else { format!("'{}'", value.replace('\'', "'\\''")) };
            line.push_str(&format!(" {flag} {value}"));
        }
    }
    if arguments.excel_safe {
        line.push_str(" --excel-safe");
    }
    line + " --resume"
}
