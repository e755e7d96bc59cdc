//! Whether requests should come to this node: its store takes writes, and it is not about to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;

use crate::clock::Clock;
use crate::store::{Store, StoreTrouble};

/// How long a result is used again. Many probes then cost one write a second, whatever their origin.
const REUSED_FOR: Duration = Duration::from_secs(1);
/// How long the store has to take a write.
const PROBE_TIME: Duration = Duration::from_secs(5);

/// Whether the store takes writes, as found by the last probe, and whether the node is about to stop.
#[derive(Debug, Default)]
pub(crate) struct Readiness {
    /// Held while the store is probed, so that requests at the same time share one probe.
    last: Mutex<Option<Probed>>,
    is_draining: AtomicBool,
}

#[derive(Debug, Clone, Copy)]
struct Probed {
    at: Duration,
    trouble: Option<StoreTrouble>,
}

impl Readiness {
    /// The node is about to stop.
    pub(crate) fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Writes to the store and reads from it, unless that was done a moment ago. Returns what is wrong with it, if
    /// anything is.
    pub(crate) async fn trouble(&self, store: &Store, clock: &dyn Clock) -> Option<StoreTrouble> {
        let mut last = self.last.lock().await;
        if let Some(probed) = last.filter(|probed| clock.elapsed().saturating_sub(probed.at) < REUSED_FOR) {
            return probed.trouble;
        }
        let trouble = match tokio::time::timeout(PROBE_TIME, store.probe(clock.now())).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                tracing::debug!(%error, "the store does not take a write");
                Some(error.trouble().unwrap_or(StoreTrouble::Failing))
            }
            Err(_elapsed) => Some(StoreTrouble::Busy),
        };
        // One line per change: the disk that the log goes to may be the one that is full.
        match (last.and_then(|probed| probed.trouble), trouble) {
            (before, Some(now)) if before != Some(now) => tracing::error!(trouble = ?now, "not ready"),
            (Some(_), None) => tracing::info!("ready again"),
            _ => {}
        }
        *last = Some(Probed { at: clock.elapsed(), trouble });
        trouble
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use tempfile::TempDir;

    use super::*;
    use crate::clock::SettableClock;

    #[tokio::test]
    async fn a_store_that_takes_no_write_is_not_ready_and_is_probed_once_a_second() {
        let folder = TempDir::new().unwrap();
        let store = Store::open(&folder.path().join("s")).await.unwrap();
        let clock = SettableClock::at(DateTime::UNIX_EPOCH);
        let readiness = Readiness::default();
        store.limit_to_its_size().await;
        assert_eq!(readiness.trouble(&store, &clock).await, Some(StoreTrouble::Full));
        // There is room for the connection that replaces the limited one, but nobody looks before a second has passed.
        assert_eq!(readiness.trouble(&store, &clock).await, Some(StoreTrouble::Full));
        clock.advance(REUSED_FOR);
        assert_eq!(readiness.trouble(&store, &clock).await, None);
    }
}
