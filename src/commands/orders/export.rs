//! `ordersync orders export`.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::{bounds, filter};
use crate::cli::global::Format;
use crate::cli::orders::{ExportArgs, ExportFormat};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::export::csv::CsvSink;
use crate::export::json::JsonSink;
use crate::export::target::{self, FileTarget};
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
    let place = Place::open(out)?;
    let client = context.client().await?;
    let filter = filter(client, &arguments.filter, bounds).await?;
    let sink = match &place {
        Place::Stdout => sink(format, BufWriter::new(std::io::stdout()), output::write_error),
        Place::Stream(stream) => sink(
            format,
            BufWriter::new(stream.try_clone().map_err(|why| target::write_error(&why))?),
            target::write_error,
        ),
        Place::File(file) => sink(format, file.writer()?, target::write_error),
    };
    let count = export::read(context, client, &filter, sink).await?.count;
    if let Place::File(file) = place {
        file.commit()?;
    }
    if let Some(path) = out {
        context.output.marked_note(Mark::Good, &format!("Wrote {} to {}", items(count), path.display()));
    }
    Ok(())
}

enum Place {
    Stdout,
    Stream(std::fs::File),
    File(FileTarget),
}

impl Place {
    fn open(out: Option<&Path>) -> Result<Self> {
        match out {
            None => Ok(Self::Stdout),
            Some(path) if target::is_stream(path) => target::open_stream(path).map(Self::Stream),
            Some(path) => FileTarget::create(path).map(Self::File),
        }
    }
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
