//! Reading a page that a stranger wrote: with bounds on its size, its elements and the time, and off the threads that
//! serve requests.

mod build;
mod tags;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use ordersync_api::SyncErrorCode;
use scraper::Html;
use tokio::sync::Semaphore;

use self::build::Spent;
use super::ConnectorError;

/// The largest page that is read. The largest of the real shops' pages that we know has 858 kB.
pub(crate) const MAX_PAGE_BYTES: usize = 2 * 1024 * 1024;

/// The bounds on one page. Each is far above what pages of shops have, and low enough that a page of any other making
/// takes a fraction of a second. Parsing takes time by the square of the depth, and of the attributes of a tag.
#[derive(Debug, Clone, Copy)]
struct Limits {
    bytes: usize,
    /// Elements within elements.
    depth: u32,
    /// Elements, comments and attributes, those included that the HTML standard repeats for misnested tags.
    nodes: usize,
    /// Attributes of one tag.
    attributes: usize,
    /// Bytes of all attributes, those of repeated elements included.
    attribute_bytes: usize,
    /// Time to parse, without the time to read the parsed page.
    time: Duration,
}

/// The most that 200 recorded pages of real shops have: depth 36, 8,303 nodes and attributes, 23 attributes in a tag.
const LIMITS: Limits = Limits {
    bytes: MAX_PAGE_BYTES,
    depth: 256,
    nodes: 100_000,
    attributes: 256,
    attribute_bytes: 2 * MAX_PAGE_BYTES,
    time: Duration::from_secs(3),
};

/// Why a page was not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Bytes,
    Depth,
    Nodes,
    Attributes,
    Time,
    /// Nobody waits for the page any more.
    Abandoned,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "is larger than any page of a shop",
            Self::Depth => "is nested more deeply than any page of a shop",
            Self::Nodes => "has more elements than any page of a shop",
            Self::Attributes => "has a tag with more attributes than any page of a shop",
            Self::Time => "takes too long to parse",
            Self::Abandoned => "is no longer needed",
        })
    }
}

impl From<Refusal> for ConnectorError {
    fn from(refusal: Refusal) -> Self {
        let error = Self::new(SyncErrorCode::RetailerChanged).with_message(format!(
            "The retailer's page {refusal}, so it was not read. Sync again later; if this stays, tell the operator."
        ));
        // A machine under load is slow with good pages, too.
        if refusal == Refusal::Time { error.transient() } else { error }
    }
}

/// Half of the cores may parse at a time, so that pages never take all of them. A waiting task holds no thread.
static PARSERS: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Semaphore::new((cores / 2).max(1))
});

/// Tells the thread that parses when nobody waits for the page any more.
#[derive(Default)]
struct Abandon(Arc<AtomicBool>);

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Parses a page and reads it, on a thread of its own. The parsed page never leaves that thread.
///
/// # Errors
/// What `read` reports; `retailer_changed` for a page that exceeds the bounds; `internal_error` if the thread fails.
pub(crate) async fn read<T: Send + 'static>(
    body: String,
    read: impl FnOnce(&Html) -> Result<T, ConnectorError> + Send + 'static,
) -> Result<T, ConnectorError> {
    let failed =
        || ConnectorError::new(SyncErrorCode::InternalError).with_message("A page of the retailer could not be read.");
    let permit = PARSERS.acquire().await.map_err(|_| failed())?;
    let abandon = Abandon::default();
    let abandoned = Arc::clone(&abandon.0);
    let thread = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let mut spent = Spent::default();
        let page = build::parse(&body, LIMITS, &abandoned, &mut spent).inspect_err(|refusal| {
            tracing::info!(bytes = spent.bytes, nodes = spent.nodes, "a retailer's page {refusal}");
        })?;
        read(&page)
    });
    let result = thread.await;
    drop(abandon);
    result.unwrap_or_else(|error| {
        tracing::error!(%error, "the thread that reads a retailer's page failed");
        Err(failed())
    })
}

/// Parses a page within the same bounds, on the caller's thread.
///
/// # Errors
/// `retailer_changed` for a page that exceeds the bounds.
#[cfg(test)]
pub(crate) fn parse(body: &str) -> Result<Html, ConnectorError> {
    Ok(build::parse(body, LIMITS, &AtomicBool::new(false), &mut Spent::default())?)
}
