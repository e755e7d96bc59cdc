//! The sync engine: takes parts of sessions that are due, drives their connectors, and ends what lasts too long.
//!
//! All state of a session is in the store, and no task waits for a person: a part that needs one is parked. Any number of
//! nodes may run on one store; leases and epochs keep them apart.

mod drive;
mod sealed;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::backoff::Backoff;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::ids::{NoRandomness, new_id};
use crate::keys::Keys;
use crate::store::{Store, StoreError};

pub(crate) use sealed::{MfaAnswer, seal_credentials};

/// How many parts one node drives at once.
const PARALLEL: usize = 8;
/// How long a node sleeps at most before it looks for work that other nodes put into the store.
const POLL: Duration = Duration::from_secs(1);

/// What the engine works with.
pub struct Engine {
    store: Store,
    keys: Arc<Keys>,
    catalog: Arc<Catalog>,
    clock: Arc<dyn Clock>,
    /// The wait before the first repetition of a step that failed; doubled with each.
    retry_base: Duration,
    /// This node's name in leases.
    owner: String,
    wake: Notify,
    /// Told whenever the engine found nothing more to do.
    idle: Notify,
}

/// A running engine.
pub struct Running {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Engine {
    /// An engine that does not run yet.
    ///
    /// # Errors
    /// Where the system gives no randomness for the node's name.
    pub fn new(
        store: Store,
        keys: Arc<Keys>,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
        retry_base: Duration,
    ) -> Result<Arc<Self>, NoRandomness> {
        let owner = new_id("node")?;
        Ok(Arc::new(Self { store, keys, catalog, clock, retry_base, owner, wake: Notify::new(), idle: Notify::new() }))
    }

    /// Starts to work.
    #[must_use]
    pub fn run(self: &Arc<Self>) -> Running {
        let (stop, stopped) = watch::channel(false);
        Running { stop, task: tokio::spawn(Arc::clone(self).work(stopped)) }
    }

    /// Something new is in the store: look at once.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Waits until nothing of this user's can be done at once, for `at_most` so long. False: something still can.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn settle(&self, user_id: &str, at_most: Duration) -> Result<bool, StoreError> {
        let settled = async {
            loop {
                let idle = self.idle.notified();
                if !self.store.has_due_work(user_id, self.clock.now()).await? {
                    return Ok(());
                }
                self.wake();
                // Another node may do the work: look again soon, told or not.
                drop(tokio::time::timeout(Duration::from_millis(50), idle).await);
            }
        };
        tokio::time::timeout(at_most, settled)
            .await
            .map_or(Ok(false), |done: Result<(), StoreError>| done.map(|()| true))
    }

    async fn work(self: Arc<Self>, mut stopped: watch::Receiver<bool>) {
        let mut driving = JoinSet::new();
        let mut sweeping = Backoff::new("ending overdue syncs");
        let mut claiming = Backoff::new("looking for due syncs");
        loop {
            while driving.try_join_next().is_some() {}
            if sweeping.is_due(self.clock.elapsed()) {
                sweeping.note(self.sweep().await, self.clock.elapsed());
            }
            let has_room = driving.len() < PARALLEL;
            let claimed = if has_room && claiming.is_due(self.clock.elapsed()) {
                claiming.note(self.store.claim(&self.owner, self.clock.now()).await, self.clock.elapsed())
            } else {
                None
            };
            if let Some(claim) = claimed.flatten() {
                driving.spawn(Arc::clone(&self).drive(claim));
                continue;
            }
            self.idle.notify_waiters();
            // Something that is due and fails must not make this loop spin.
            let now = self.clock.elapsed();
            let pause = match claiming.remaining(now) {
                remaining if !remaining.is_zero() => remaining,
                _ if !has_room || !sweeping.is_due(now) => POLL,
                _ => self.pause().await,
            };
            tokio::select! {
                _ = stopped.changed() => break,
                () = self.wake.notified() => {}
                Some(_) = driving.join_next(), if !driving.is_empty() => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
        // What is cut off here is like a crash, which loses nothing; but the leases are given back at once.
        driving.shutdown().await;
        match self.store.release_all(&self.owner).await {
            Ok(0) => {}
            Ok(released) => tracing::info!(released, "gave unfinished syncs back to the queue"),
            Err(error) => {
                tracing::error!(%error, "cannot give unfinished syncs back: their leases run out by themselves")
            }
        }
    }

    /// Until the next thing falls due, or for as long as a node sleeps at most.
    async fn pause(&self) -> Duration {
        match self.store.next_due().await {
            Ok(Some(due)) => {
                (due - self.clock.now()).to_std().unwrap_or_default().clamp(Duration::from_millis(1), POLL)
            }
            Ok(None) => POLL,
            Err(error) => {
                tracing::debug!(%error, "cannot see what falls due next");
                POLL
            }
        }
    }

    /// Ends what lasts too long.
    async fn sweep(&self) -> Result<(), StoreError> {
        let ended = self.store.end_overdue(self.clock.now()).await?;
        if ended > 0 {
            tracing::info!(ended, "ended syncs that took too long");
        }
        Ok(())
    }
}

impl Running {
    /// Stops, and gives back what was claimed.
    pub async fn stop(self) {
        // The task is gone only if it panicked; there is nothing to stop then.
        let _ = self.stop.send(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the sync engine did not stop cleanly");
        }
    }
}
