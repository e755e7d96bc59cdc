//! Every line item that matches, each once, in pages, into a file or to standard output.
//!
//! What is relied on: the service lists items newest first (order date, then id), an item keeps its id, and
//! `X-Total-Count` counts the matches. A sync that writes meanwhile can shift items between pages; [`plan`] notices,
//! and the list is read again until one reading was undisturbed. Items that were written once are not written again, so
//! memory holds one page and 16 bytes for each item.

pub mod csv;
pub mod json;
pub mod plan;
pub mod report;
pub mod row;
pub mod target;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::client::{Client, OrderFilter};
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};
use plan::{Pass, Step};
use report::Report;

/// Items in a page: as many as the specification allows.
const PAGE: u32 = ordersync_api::order::MAX_LIMIT;
/// How long undisturbed reading is waited for where no `--timeout` is given.
const PATIENCE: Duration = Duration::from_secs(300);
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LAST_WAIT: Duration = Duration::from_secs(5);

/// What takes the items.
pub trait Sink {
    /// Before the first item.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn begin(&mut self) -> Result<()>;

    /// An item.
    ///
    /// # Errors
    /// Where it cannot be written, or lacks what the form needs.
    fn row(&mut self, row: Value) -> Result<()>;

    /// After the last item of a page, so that a reader gets it.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn flush(&mut self) -> Result<()>;

    /// After the last item.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn end(&mut self) -> Result<()>;
}

/// Exports what matches, and says how many items that were.
///
/// # Errors
/// Where the service cannot be reached or refuses, the sink cannot be written, or the items never stand still.
pub async fn run(context: &Context, client: &Client, filter: &OrderFilter, sink: &mut dyn Sink) -> Result<u64> {
    let give_up = context.deadline.unwrap_or_else(|| Instant::now() + PATIENCE);
    let mut progress = context.output.progress_beside_result();
    let mut written: HashSet<u128> = HashSet::new();
    let mut wait = FIRST_WAIT;
    let report = Report::new(Instant::now()).planned_with(client.budget().await);
    sink.begin()?;
    loop {
        let undisturbed = read_through(client, filter, &mut written, sink, &mut |count, total| {
            progress.count("Export", &report.text(Instant::now(), count as u64, total));
        })
        .await?;
        if undisturbed {
            sink.end()?;
            return Ok(written.len() as u64);
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
        let page = client.orders(filter, PAGE, pass.offset()).await?;
        let ids = page.rows.iter().map(id).collect::<Result<Vec<u128>>>()?;
        for (id, row) in ids.iter().zip(page.rows) {
            if written.insert(*id) {
                sink.row(row)?;
            }
        }
        sink.flush()?;
        report(written.len(), page.total);
        if let Step::End { undisturbed } = pass.take(&ids, page.total) {
            return Ok(undisturbed);
        }
    }
}

/// An item's id as 128 bits: short enough to keep for every item, long enough never to meet twice.
fn id(row: &Value) -> Result<u128> {
    let text = match row.get("id") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => {
            return Err(Error::of(&codes::network::UNEXPECTED_ANSWER, "The service lists an item without an id.")
                .hint("Without one, nobody can tell whether an item was exported already."));
        }
    };
    let digest = Sha256::digest(text.as_bytes());
    Ok(digest.iter().take(16).fold(0, |number, byte| (number << 8) | u128::from(*byte)))
}

fn still_changing() -> Error {
    Error::of(&codes::command::STILL_RUNNING, "Orders kept changing while they were read; the export is not whole.")
        .hint("Wait for the sync to end, then export again: ordersync sessions watch")
}
