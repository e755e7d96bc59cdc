//! A node's work: the tasks that drive parts, and the threads in which steps run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::{Id, JoinError, JoinSet};

use super::Engine;
use crate::store::syncs::queue::Claim;

/// How the task of a claim ended: normally, or by an error, which comes with the claim.
pub(super) type Ended = Result<(), (JoinError, Box<Claim>)>;

/// The tasks that drive parts.
#[derive(Default)]
pub(super) struct Driving {
    tasks: JoinSet<()>,
    claims: HashMap<Id, Claim>,
}

impl Driving {
    pub(super) fn start(&mut self, engine: &Arc<Engine>, claim: Claim) {
        // Keep only the fields that identify the part and its owner; the rest may be large.
        let known = Claim { state: None, answer: None, credentials: Vec::new(), session: None, ..claim.clone() };
        let task = self.tasks.spawn(Arc::clone(engine).drive(claim));
        self.claims.insert(task.id(), known);
    }

    pub(super) fn len(&self) -> usize {
        self.tasks.len()
    }

    /// The result of a task that has already ended, if there is one.
    pub(super) fn ended(&mut self) -> Option<Ended> {
        let ended = self.tasks.try_join_next_with_id()?;
        Some(self.forget(ended))
    }

    /// Waits until a task ends. `None`: no task is running.
    pub(super) async fn next_ended(&mut self) -> Option<Ended> {
        let ended = self.tasks.join_next_with_id().await?;
        Some(self.forget(ended))
    }

    pub(super) async fn shutdown(&mut self) {
        self.tasks.shutdown().await;
    }

    fn forget(&mut self, ended: Result<(Id, ()), JoinError>) -> Ended {
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, ())| *id);
        match (ended, self.claims.remove(&id)) {
            (Err(error), Some(claim)) => Err((error, Box::new(claim))),
            _ => Ok(()),
        }
    }

    /// How many parts the node works on, by user and by retailer. A step that was cut off, but whose thread still runs,
    /// counts for its retailer.
    pub(super) fn load(&self, threads: &Threads) -> (HashMap<String, usize>, HashMap<i64, usize>) {
        let (mut users, mut retailers) = (HashMap::new(), HashMap::new());
        for claim in self.claims.values() {
            *users.entry(claim.user_id.clone()).or_default() += 1;
            *retailers.entry(claim.retailer_id).or_default() += 1;
        }
        for (retailer, running) in threads.lock().iter() {
            let parts: &mut usize = retailers.entry(*retailer).or_default();
            *parts = (*parts).max(*running);
        }
        (users, retailers)
    }
}

/// How many threads run steps, by retailer.
#[derive(Default)]
pub(super) struct Threads {
    running: Mutex<HashMap<i64, usize>>,
    left: Notify,
}

impl Threads {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<i64, usize>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a thread until the returned guard is dropped.
    pub(super) fn enter(self: &Arc<Self>, retailer_id: i64) -> Entered {
        *self.lock().entry(retailer_id).or_default() += 1;
        Entered { threads: Arc::clone(self), retailer_id }
    }

    /// Waits until no thread runs a step, for at most `at_most`.
    pub(super) async fn empty(&self, at_most: Duration) {
        let empty = async {
            loop {
                let left = self.left.notified();
                if self.lock().is_empty() {
                    return;
                }
                left.await;
            }
        };
        if tokio::time::timeout(at_most, empty).await.is_err() {
            tracing::warn!("a step of a sync does not stop");
        }
    }
}

/// A counted thread.
pub(super) struct Entered {
    threads: Arc<Threads>,
    retailer_id: i64,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut running = self.threads.lock();
        if let Some(count) = running.get_mut(&self.retailer_id) {
            *count -= 1;
            if *count == 0 {
                running.remove(&self.retailer_id);
            }
        }
        drop(running);
        self.threads.left.notify_waiters();
    }
}
