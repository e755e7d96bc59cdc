//! Reading a page that a stranger wrote: within the bounds of `ordersync-html`, and off the threads that serve requests.
//!
//! A thread that reads cannot be stopped. When its time is over, nobody waits for it any more, its place goes to the next
//! page, and its retailer's pages are refused until it ends: one retailer keeps at most as many threads as places.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::Duration;

use ordersync_api::SyncErrorCode;
pub(crate) use ordersync_html::MAX_PAGE_BYTES;
use ordersync_html::{Refusal, Spent};
use scraper::Html;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::ConnectorError;
use crate::counters::PAGES_CUT_OFF;

/// Time to parse and to read. No page of a shop takes a second on an idle machine.
const MAX_READING: Duration = Duration::from_secs(30);

impl From<Refusal> for ConnectorError {
    fn from(refusal: Refusal) -> Self {
        let error = Self::new(SyncErrorCode::RetailerChanged)
            .with_message(format!("The retailer's page {refusal}, so it was not read. Sync again later."));
        // A machine under load is slow with good pages, too.
        if matches!(refusal, Refusal::Time | Refusal::Reading) { error.transient() } else { error }
    }
}

/// Half of the cores may parse at a time, so that pages never take all of them. A waiting task holds no thread.
static PARSERS: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Semaphore::new((cores / 2).max(1))
});

/// Reads the pages of one retailer.
#[derive(Debug)]
pub(crate) struct Reader {
    /// The retailer's name, for the log.
    retailer: String,
    max_reading: Duration,
    has_warned: AtomicBool,
    /// Threads for which nobody waits any more: alive as long as they run, and since when they run.
    left: Mutex<Vec<(Weak<AtomicBool>, Instant)>>,
}

/// Tells the thread that nobody waits for the page any more, and remembers it until it ends.
struct Waiting<'a> {
    reader: &'a Reader,
    abandoned: Weak<AtomicBool>,
    since: Instant,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(abandoned) = self.abandoned.upgrade() else { return };
        abandoned.store(true, Ordering::Relaxed);
        let mut left = self.reader.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.push((Weak::clone(&self.abandoned), self.since));
    }
}

impl Reader {
    pub(crate) fn new(retailer: &str) -> Self {
        let (has_warned, left) = (AtomicBool::new(false), Mutex::default());
        Self { retailer: retailer.to_owned(), max_reading: MAX_READING, has_warned, left }
    }

    /// Parses a page and reads it, on a thread of its own. The parsed page never leaves that thread.
    /// Fails with what `read` reports; `retailer_changed` for a page that exceeds the bounds; `internal_error` if the
    /// thread fails.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        body: String,
        read: impl FnOnce(&Html) -> Result<T, ConnectorError> + Send + 'static,
    ) -> Result<T, ConnectorError> {
        let failed = || {
            ConnectorError::new(SyncErrorCode::InternalError).with_message("A page of the retailer could not be read.")
        };
        // Held here and not on the thread, which may never end.
        let _permit = PARSERS.acquire().await.map_err(|_| failed())?;
        if self.is_stuck() {
            return Err(Refusal::Reading.into());
        }
        let abandoned = Arc::new(AtomicBool::new(false));
        let waiting = Waiting { reader: self, abandoned: Arc::downgrade(&abandoned), since: Instant::now() };
        let thread = tokio::task::spawn_blocking(move || {
            let mut spent = Spent::default();
            let page = ordersync_html::parse_until(&body, &abandoned, &mut spent).inspect_err(|refusal| {
                tracing::info!(bytes = spent.bytes, nodes = spent.nodes, "a retailer's page {refusal}");
            })?;
            read(&page)
        });
        let result = tokio::time::timeout(self.max_reading, thread).await;
        drop(waiting);
        match result {
            Ok(read) => read.unwrap_or_else(|error| {
                tracing::error!(%error, "the thread that reads a retailer's page failed");
                Err(failed())
            }),
            Err(_) => Err(self.cut_off()),
        }
    }

    /// Whether a page is still being read whose time is over.
    fn is_stuck(&self) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.retain(|(thread, _)| thread.strong_count() > 0);
        left.iter().any(|(_, since)| since.elapsed() >= self.max_reading)
    }

    fn cut_off(&self) -> ConnectorError {
        if let Some(counter) = &*PAGES_CUT_OFF {
            counter.inc();
        }
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                retailer = self.retailer,
                "a page takes too long to read, and was given up: a selector of the recipe, or the page, is too much"
            );
        }
        Refusal::Reading.into()
    }
}

/// Parses a page within the same bounds, on the caller's thread.
/// Fails with `retailer_changed` for a page that exceeds the bounds.
#[cfg(test)]
pub(crate) fn parse(body: &str) -> Result<Html, ConnectorError> {
    Ok(ordersync_html::parse(body)?)
}
