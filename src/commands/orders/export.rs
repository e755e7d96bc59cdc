//! `ordersync orders export`.

use std::io::{BufWriter, Write};
use std::path::Path;

use clap::ValueEnum as _;

use super::super::unfinished;
use super::{bounds, filter};
use crate::cli::global::Format;
use crate::cli::orders::{ExportArgs, ExportFormat, FilterArgs};
use crate::config::Target;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::export::csv::CsvSink;
use crate::export::json::JsonSink;
use crate::export::part::{Leftover, Part, What};
use crate::export::target;
use crate::export::{self, Sink};
use crate::follow::items;
use crate::output::{self, Mark};

/// Exports every line item that fits.
///
/// # Errors
/// Where the filter cannot be understood, the target cannot be written, or the service cannot be reached or refuses.
pub(super) async fn run(context: &Context, arguments: ExportArgs) -> Result<()> {
    let bounds = bounds(&arguments.filter)?;
    let default = match context.output.format() {
        Format::Table | Format::Csv => ExportFormat::Csv,
        Format::Json => ExportFormat::Json,
        Format::Jsonl => ExportFormat::Jsonl,
    };
    let format = arguments.format.unwrap_or(default);
    let out = arguments.out.as_deref().filter(|path| *path != Path::new("-"));
    // Before anything is asked of the service: a place that cannot be written is known at once.
    let place = Place::open(context, &arguments, format, out)?;
    let client = context.client().await?;
    let filter = filter(client, &arguments.filter, bounds).await?;
    let count = match place {
        Place::Stdout => {
            let sink = sink(format, BufWriter::new(std::io::stdout()), output::write_error);
            export::read(context, client, &filter, sink).await?.count
        }
        Place::Stream(stream) => {
            let sink = sink(format, BufWriter::new(stream), target::write_error);
            export::read(context, client, &filter, sink).await?.count
        }
        Place::File(part) => {
            let goes_on = format!("Go on: {}", context.command(&again(&arguments)));
            context.if_broken_off(format!("What was exported is kept.\n{goes_on}"));
            if let Some((state, _)) = part.earlier() {
                context.output.note(&format!("Going on after {}.", state.come()));
            }
            let sink = sink(format, part.writer()?, target::write_error);
            let done = export::read_into(context, client, &filter, sink, &part).await;
            let done = done.map_err(|error| if part.is_kept() { error.also(&goes_on) } else { error })?;
            part.commit()?;
            done.count
        }
    };
    if let Some(path) = out {
        context.output.marked_note(Mark::Good, &format!("Wrote {} to {}", items(count), path.display()));
    }
    unfinished::warn_of_export(context).await;
    Ok(())
}

enum Place {
    Stdout,
    Stream(std::fs::File),
    File(Box<Part>),
}

impl Place {
    fn open(context: &Context, arguments: &ExportArgs, format: ExportFormat, out: Option<&Path>) -> Result<Self> {
        let service = match &context.settings.target {
            Target::Remote(remote) => remote.base_url.value.to_string(),
            Target::Local(_) => context.settings.folders.store().display().to_string(),
        };
        let FilterArgs { retailer, since, until } = arguments.filter.clone();
        let what = What { service, retailer, since, until, form: word(format) };
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

fn word(format: ExportFormat) -> String {
    format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// The command line that goes on with this export.
fn again(arguments: &ExportArgs) -> String {
    let FilterArgs { retailer, since, until } = &arguments.filter;
    let out = arguments.out.as_ref().map(|path| path.display().to_string());
    let mut line = "orders export".to_owned();
    for (flag, value) in [
        ("--out", &out),
        ("--format", &arguments.format.map(word)),
        ("--retailer", retailer),
        ("--since", since),
        ("--until", until),
    ] {
        if let Some(value) = value {
            let is_plain = value.chars().all(|letter| letter.is_alphanumeric() || "-_./:+".contains(letter));
            let value = if is_plain { value.clone() } else { format!("'{}'", value.replace('\'', "'\\''")) };
            line.push_str(&format!(" {flag} {value}"));
        }
    }
    line + " --resume"
}

fn sink<W: Write + Send + 'static>(
    format: ExportFormat,
    writer: W,
    fail: fn(&std::io::Error) -> Error,
) -> Box<dyn Sink> {
    match format {
        ExportFormat::Csv => Box::new(CsvSink::new(writer, fail)),
        ExportFormat::Json => Box::new(JsonSink::new(writer, fail)),
        ExportFormat::Jsonl => Box::new(JsonSink::lines(writer, fail)),
    }
}
