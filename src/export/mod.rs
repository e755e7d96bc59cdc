//! Every line item that matches, each once, in pages, into a file or to standard output.
//!
//! What is relied on: the service lists items newest first (order date, then id), an item keeps its id, and
//! `X-Total-Count` counts the matches. A sync that writes meanwhile can shift items between pages; [`plan`] notices,
//! and the list is read again until one reading was undisturbed. Items that were written once are not written again, so
//! memory holds one page and 16 bytes for each item.

pub mod columns;
pub mod compress;
pub mod csv;
pub mod excel;
pub mod form;
pub mod json;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod plan;
pub mod report;
pub mod row;
pub mod target;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::client::{Client, OrderFilter};
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use plan::{Pass, Step};
use report::Report;
use row::{Column, Row};

/// Items in a page: as many as the specification allows.
const PAGE: u32 = ordersync_api::order::MAX_LIMIT;
/// How long undisturbed reading is waited for where no `--timeout` is given.
const PATIENCE: Duration = Duration::from_secs(300);
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LAST_WAIT: Duration = Duration::from_secs(5);

/// What takes the items.
pub trait Sink: Send {
    /// Before the first item.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn begin(&mut self) -> Result<()> {
        Ok(())
    }

    /// In place of [`Sink::begin`], where something was written before: it ends at `position` and holds `rows` items.
    ///
    /// # Errors
    /// Where it cannot go on there.
    fn resume(&mut self, _position: u64, _rows: u64) -> Result<()> {
        Err(Error::usage("An export in this form cannot be gone on with."))
    }

    /// Items, in their order; never the same twice.
    ///
    /// # Errors
    /// Where they cannot be written, or lack what the form needs.
    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()>;

    /// After the last item of a page, so that a reader gets it.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    /// After the last item.
    ///
    /// # Errors
    /// Where it cannot be written.
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

    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        (**self).rows(rows)
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
pub struct Done<S> {
    /// How many items.
    pub count: u64,
    /// What took them.
    pub sink: S,
}

/// Reads what matches, page by page, into a sink.
///
/// # Errors
/// Where the service cannot be reached or refuses, the sink cannot be written, or the items never stand still.
pub async fn read<S: Sink + 'static>(
    context: &Context,
    client: &Client,
    filter: &OrderFilter,
    mut sink: S,
) -> Result<Done<S>> {
    let give_up = context.deadline.unwrap_or_else(|| Instant::now() + PATIENCE);
    let mut progress = context.output.progress_beside_result();
    let mut written: HashSet<u128> = HashSet::new();
    let mut wait = FIRST_WAIT;
    let report = Report::new(Instant::now());
    sink.begin()?;
    loop {
        let undisturbed = read_through(client, filter, &mut written, &mut sink, &mut |count, total| {
            progress.count("Export", &report.text(Instant::now(), count as u64, total));
        })
        .await?;
        if undisturbed {
            sink.end()?;
            return Ok(Done { count: written.len() as u64, sink });
        }
        if Instant::now() + wait > give_up {
            return Err(still_changing());
        }
        progress.update("Export", "orders changed while they were read; reading again", "", None);
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LAST_WAIT);
    }
}

/// Reads the list once from its beginning and writes what was not written yet. Says whether nothing shifted.
async fn read_through(
    client: &Client,
    filter: &OrderFilter,
    written: &mut HashSet<u128>,
    sink: &mut dyn Sink,
    report: &mut dyn FnMut(usize, Option<u64>),
) -> Result<bool> {
    let mut pass = Pass::default();
    loop {
        let page = client.orders_page(filter, PAGE, pass.offset()).await?;
        let mut rows = page.rows()?;
        let ids = rows.iter().map(id).collect::<Result<Vec<u128>>>()?;
        let mut fresh = ids.iter().map(|id| written.insert(*id));
        rows.retain(|_| fresh.next().unwrap_or_default());
        sink.rows(&rows)?;
        sink.flush()?;
        report(written.len(), page.total);
        if let Step::End { undisturbed } = pass.take(&ids, page.total) {
            return Ok(undisturbed);
        }
    }
}

/// An item's id as 128 bits: short enough to keep for every item, long enough never to meet twice.
fn id(row: &Row<'_>) -> Result<u128> {
    let Some(text) = row.text(Column::Id) else {
        return Err(Error::of(&codes::network::UNEXPECTED_ANSWER, "The service lists an item without an id.")
            .hint("Without one, nobody can tell whether an item was exported already."));
    };
    let digest = Sha256::digest(text.as_bytes());
    Ok(digest.iter().take(16).fold(0, |number, byte| (number << 8) | u128::from(*byte)))
}

fn still_changing() -> Error {
    Error::of(&codes::command::STILL_RUNNING, "Orders kept changing while they were read; the export is not whole.")
        .hint("Wait for the sync to end, then export again: ordersync sessions watch")
}
