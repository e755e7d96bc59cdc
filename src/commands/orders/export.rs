//! `ordersync orders export`.

use std::io::{BufWriter, IsTerminal as _};
use std::path::Path;

use super::{bounds, filter};
use crate::cli::global::Format;
use crate::cli::orders::{ExportArgs, ExportFormat};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::export;
use crate::export::form::Form;
use crate::export::row::Column;
use crate::export::target::{self, FileTarget};
use crate::follow::items;
use crate::output::{self, Mark};

/// Exports every line item that fits.
///
/// # Errors
/// Where the filter cannot be understood, the target cannot be written, or the service cannot be reached or refuses.
pub(super) async fn run(context: &Context, arguments: ExportArgs) -> Result<()> {
    let bounds = bounds(&arguments.filter)?;
    if arguments.columns.as_deref().is_some_and(|text| text.trim().is_empty()) {
        let names: Vec<&str> = Column::ALL.iter().map(|column| column.name()).collect();
        return context.output.raw(format!("{}\n", names.join("\n")).as_bytes());
    }
    let output = match context.output.format() {
        Format::Table => None,
        Format::Csv => Some(ExportFormat::Csv),
        Format::Json => Some(ExportFormat::Json),
        Format::Jsonl => Some(ExportFormat::Jsonl),
    };
    let form = Form::of(&arguments, output)?;
    let out = arguments.out.as_deref().filter(|path| *path != Path::new("-"));
    if out.is_none() && form.is_binary() && std::io::stdout().is_terminal() {
        return Err(Error::usage("The export is not for reading on a terminal.")
            .hint("Give it a file: ordersync orders export --out FILE"));
    }
    // Before anything is asked of the service: a place that cannot be written is known at once.
    let place = Place::open(out)?;
    let client = context.client().await?;
    let filter = filter(client, &arguments.filter, bounds).await?;
    let sink = match &place {
        Place::Stdout => form.sink(BufWriter::new(std::io::stdout()), output::write_error)?,
        Place::Stream(stream) => {
            let stream = stream.try_clone().map_err(|why| target::write_error(&why))?;
            form.sink(BufWriter::new(stream), target::write_error)?
        }
        Place::File(file) => form.sink(file.writer()?, target::write_error)?,
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
