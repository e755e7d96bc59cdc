//! Every line item that matches, each once, in pages, into a file or to standard output.
//!
//! What is relied on: the service lists items newest first (order date, then id), and an item keeps both. A sync that writes
//! meanwhile can shift items between pages; [`plan`] finds its place again. While the service says that the list stands still,
//! CSV is passed through unchanged. Memory holds a few pages, however long the history.

pub(crate) mod checkpoint;
pub(crate) mod choices;
pub(crate) mod columns;
pub(crate) mod compress;
pub(crate) mod csv;
mod digest;
pub(crate) mod eta;
pub(crate) mod excel;
mod fetch;
pub(crate) mod format;
pub(crate) mod json;
pub(crate) mod list_version;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub(crate) mod plan;
pub(crate) mod render;
pub(crate) mod selection;
pub(crate) mod since_last;
pub(crate) mod sort_order;
pub(crate) mod split;
pub(crate) mod spool;
pub(crate) mod target;
pub(crate) mod xlsx;
pub(crate) mod zip;

use std::time::Duration;

use clap::Args;

pub(crate) use crate::client::row;
use crate::client::{Client, Incomplete, OrderFilter};
use crate::context::Context;
use crate::errors::{Error, Result, codes};
use crate::values::whole;
use checkpoint::PartFile;
use fetch::Writer;
use plan::Plan;
use row::Row;

/// Items in a page: as many as the specification allows.
const PAGE: u32 = crate::client::paging::LARGEST;
/// How long undisturbed reading is waited for where no `--timeout` is given.
const PATIENCE: Duration = Duration::from_secs(300);

/// How a service's list is read to its end.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct How {
    /// Ignore the service's count of items (X-Total-Count), if it counts something else
    #[arg(long)]
    pub ignore_count: bool,
    /// Most items per request, 2 to 1000; default: 1000, and fewer if the service refuses that
    #[arg(long, value_name = "N", value_parser = whole(2..=1000))]
    pub page_size: Option<u32>,
}

/// What takes the items.
pub(crate) trait Sink: Send {
    /// Before the first item.
    fn begin(&mut self) -> Result<()> {
        Ok(())
    }

    /// In place of [`Sink::begin`], where something was written before: it ends at `position` and holds `rows` items.
    /// Fails if it cannot resume there.
    fn resume(&mut self, _position: u64, _rows: u64) -> Result<()> {
        Err(Error::usage("An export in this format cannot be resumed."))
    }

    /// Of which version of the list the items are that come next, where the service says so. Answers whether all of that
    /// list is known already; before the first item, nothing more is read then.
    fn list(&mut self, _version: Option<&str>) -> bool {
        false
    }

    /// Items, in their order; never the same twice.
    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()>;

    /// Whether no more items are wanted: then no more pages are read.
    fn is_full(&self) -> bool {
        false
    }

    /// Whether lines of CSV can be taken as the service writes them: [`Sink::lines`].
    fn takes_lines(&self) -> bool {
        false
    }

    /// Items as the service writes them in CSV, without the header.
    fn lines(&mut self, _lines: &[u8]) -> Result<()> {
        Err(Error::of(&codes::command::FAULT, "This form of an export takes no lines of CSV."))
    }

    /// After the last item of a page, so that a reader gets it.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    /// After the last item.
    fn end(&mut self) -> Result<()> {
        self.flush()
    }

    /// How many bytes were written, where it can go on by writing after them.
    fn position(&self) -> Option<u64> {
        None
    }
}

impl<S: Sink + ?Sized> Sink for Box<S> {
    fn begin(&mut self) -> Result<()> {
        (**self).begin()
    }

    fn resume(&mut self, position: u64, rows: u64) -> Result<()> {
        (**self).resume(position, rows)
    }

    fn list(&mut self, version: Option<&str>) -> bool {
        (**self).list(version)
    }

    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        (**self).rows(rows)
    }

    fn is_full(&self) -> bool {
        (**self).is_full()
    }

    fn takes_lines(&self) -> bool {
        (**self).takes_lines()
    }

    fn lines(&mut self, lines: &[u8]) -> Result<()> {
        (**self).lines(lines)
    }

    fn flush(&mut self) -> Result<()> {
        (**self).flush()
    }

    fn end(&mut self) -> Result<()> {
        (**self).end()
    }

    fn position(&self) -> Option<u64> {
        (**self).position()
    }
}

/// What was read, and the sink that took it.
#[derive(Debug)]
pub(crate) struct Done<S> {
    /// How many items.
    pub count: u64,
    /// What the service said of the connections behind the list.
    pub incomplete: Incomplete,
    /// The version of the list when the export began, if the service reports one.
    pub version: Option<String>,
    /// What took them.
    pub sink: S,
}

/// Reads what matches, page by page, into a sink.
pub(crate) async fn read<S: Sink + 'static>(
    context: &Context,
    client: &Client,
    filter: &OrderFilter,
    sink: S,
) -> Result<Done<S>> {
    read_as(context, client, filter, How::default(), sink, None).await
}

/// Reads all line items in a certain way; into a file that is being exported, from its current position.
pub(crate) async fn read_as<S: Sink + 'static>(
    context: &Context,
    client: &Client,
    filter: &OrderFilter,
    how: How,
    mut sink: S,
    part: Option<&PartFile>,
) -> Result<Done<S>> {
    let mut plan = Plan::default();
    match part.map(PartFile::earlier) {
        None => sink = apart(sink, S::begin).await?,
        Some(None) => sink.begin()?,
        Some(Some((state, bytes))) => {
            sink.resume(bytes, state.written())?;
            plan = Plan::resumed(state);
        }
    }
    let checkpoint = part.map(PartFile::checkpoint_writer).transpose()?;
    let plan = plan.ignoring_count(how.ignore_count);
    let is_automatic = part.is_some_and(PartFile::is_resumed_unasked);
    let writer = Writer { plan, sink, checkpoint, filter: *filter, is_automatic };
    let done = fetch::read(context, client, filter, how.page_size, part.is_none(), writer).await?;
    Ok(Done { sink: apart(done.sink, S::end).await?, ..done })
}

/// Lets a sink write on a thread of its own: the reader of a pipe may stop reading, and Ctrl-C and `--timeout` have to end
/// the command all the same.
async fn apart<S: Sink + 'static>(mut sink: S, write: fn(&mut S) -> Result<()>) -> Result<S> {
    let written = tokio::task::spawn_blocking(move || write(&mut sink).map(|()| sink)).await;
    written.map_err(|why| Error::of(&codes::command::FAULT, format!("A thread failed: {why}.")))?
}
