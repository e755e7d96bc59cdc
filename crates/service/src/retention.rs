//! Removes expired data while the service runs.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use tokio::task::JoinHandle;

use crate::backoff::Backoff;
use crate::clock::Clock;
use crate::store::Store;

/// How often it runs.
const EVERY: Duration = Duration::from_secs(600);

/// The running task.
pub(crate) struct Retention(JoinHandle<()>);

impl Retention {
    /// Starts to remove expired data, and sync sessions that ended longer ago than `history`.
    pub(crate) fn run(store: Store, clock: Arc<dyn Clock>, history: TimeDelta) -> Self {
        Self(tokio::spawn(async move {
            let mut pruning = Backoff::new("removing what has expired");
            loop {
                let pruned = store.prune(clock.now(), history).await;
                if let Some(removed) = pruning.note(pruned, clock.elapsed()).filter(|removed| *removed > 0) {
                    tracing::debug!(removed, "removed what has expired");
                }
                let wait = pruning.remaining(clock.elapsed());
                tokio::time::sleep(if wait.is_zero() { EVERY } else { wait }).await;
            }
        }))
    }

    /// Stops. An interrupted transaction is rolled back, and its rows are removed the next time.
    pub(crate) async fn stop(self) {
        self.0.abort();
        if let Err(error) = self.0.await
            && error.is_panic()
        {
            tracing::error!("removing what has expired panicked");
        }
    }
}
