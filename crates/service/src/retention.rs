//! Removes expired data while the service runs.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use tokio::task::JoinHandle;

use crate::backoff::Backoff;
use crate::clock::Clock;
use crate::environment::Environment;
use crate::store::{Store, StoreError};

/// How often it runs.
const EVERY: Duration = Duration::from_secs(600);

/// The running task.
pub(crate) struct Retention(JoinHandle<()>);

impl Retention {
    /// Starts to remove expired data, and sync sessions that ended longer ago than `history`.
    pub(crate) fn run(store: Store, clock: Arc<dyn Clock>, environment: Environment, history: TimeDelta) -> Self {
        Self(tokio::spawn(async move {
            let mut pruning = Backoff::new("removing what has expired");
            loop {
                let pruned = prune(&store, &*clock, environment, history).await;
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

async fn prune(
    store: &Store,
    clock: &dyn Clock,
    environment: Environment,
    history: TimeDelta,
) -> Result<u64, StoreError> {
    let now = match environment {
        Environment::Live => clock.now(),
        // Most of what expires is in its user's time, which a sandbox may hold back.
        Environment::Sandbox => store.earliest_time(clock.now()).await?,
    };
    store.prune(now, history).await
}
