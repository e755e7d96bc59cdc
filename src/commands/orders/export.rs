//! `ordersync orders export`.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::super::unfinished;
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
    let count = match place {
        Place::Stdout => {
            let mut sink = sink(format, BufWriter::new(std::io::stdout()), output::write_error);
            export::run(context, client, &filter, sink.as_mut()).await?
        }
        Place::Stream(stream) => {
            let mut sink = sink(format, stream, target::write_error);
            export::run(context, client, &filter, sink.as_mut()).await?
        }
        Place::File(mut file) => {
            let count = {
                let mut sink = sink(format, &mut file, target::write_error);
                export::run(context, client, &filter, sink.as_mut()).await?
            };
            file.commit()?;
            count
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
    Stream(BufWriter<std::fs::File>),
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

fn sink<'a, W: Write + 'a>(format: ExportFormat, writer: W, fail: fn(&std::io::Error) -> Error) -> Box<dyn Sink + 'a> {
    match format {
        ExportFormat::Csv => Box::new(CsvSink::new(writer, fail)),
        ExportFormat::Json => Box::new(JsonSink::new(writer, fail)),
        ExportFormat::Jsonl => Box::new(JsonSink::lines(writer, fail)),
    }
}
