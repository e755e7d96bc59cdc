//! Reading a page that a stranger wrote: off the threads that serve requests.

use ordersync_api::SyncErrorCode;
use scraper::Html;

use super::ConnectorError;

/// The largest page that is read. The largest among the real shops' pages that we know is below 900 kB.
pub(crate) const MAX_PAGE_BYTES: usize = 2 * 1024 * 1024;

/// Parses a page and reads it, on a thread of its own. The parsed page never leaves that thread.
///
/// # Errors
/// What `read` reports; `internal_error` if the thread fails.
#[allow(dead_code, reason = "the connectors move to it next")]
pub(crate) async fn read<T: Send + 'static>(
    body: String,
    read: impl FnOnce(&Html) -> Result<T, ConnectorError> + Send + 'static,
) -> Result<T, ConnectorError> {
    tokio::task::spawn_blocking(move || read(&Html::parse_document(&body))).await.unwrap_or_else(|_| {
        Err(ConnectorError::new(SyncErrorCode::InternalError).with_message("A page of the retailer could not be read."))
    })
}
