//! The pace of one retailer, over all syncs of this node, or of all nodes if they share their store.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::answer;
use super::visitor::Visitor;
use crate::connector::ConnectorError;
use crate::connector::queue::{Queue, QueueLost, Turn};

/// If the shared queue cannot be read, nothing is sent, and the visitor comes back after this time.
const ASKED_AGAIN_AFTER: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Pace {
    min_interval: Duration,
    own: Arc<NodeQueue>,
}

/// This node's queue at a shop, for visitors who bring no shared one.
#[derive(Debug)]
pub(crate) struct NodeQueue {
    started: Instant,
    queue: Mutex<Queue>,
}

impl Default for NodeQueue {
    fn default() -> Self {
        Self { started: Instant::now(), queue: Mutex::default() }
    }
}

impl Pace {
    pub(super) const fn new(min_interval: Duration, own: Arc<NodeQueue>) -> Self {
        Self { min_interval, own }
    }

    /// The moment at which the visitor may send its request.
    /// Fails with [`ConnectorError::paced`] if it has to come back; `retailer_rate_limited` if the retailer wants to be
    /// left alone.
    pub(super) async fn turn(&self, visitor: Visitor<'_>) -> Result<Instant, ConnectorError> {
        // Also what could not be kept in the shared queue.
        if let Some(wait) = self.change_own(|queue, now| queue.held_off(now)) {
            return Err(answer::held_off(wait));
        }
        let ask = |queue: &mut Queue, now| queue.ask(now, self.min_interval, visitor.key, visitor.patience);
        match self.change(visitor, ask).await.map_err(|QueueLost| ConnectorError::paced(ASKED_AGAIN_AFTER))? {
            (Turn::Taken(wait), asked) => Ok(asked + wait),
            (Turn::Later(wait), asked) => Err(ConnectorError::paced(wait.saturating_sub(asked.elapsed()))),
            (Turn::HeldOff(wait), _) => Err(answer::held_off(wait)),
        }
    }

    /// The next turn, before everybody who waits: for the next request of an exchange that has begun.
    pub(super) async fn next(&self, visitor: Visitor<'_>) -> Instant {
        match self.change(visitor, |queue, now| queue.next(now, self.min_interval)).await {
            Ok((wait, asked)) => asked + wait,
            // To give the exchange up would repeat it.
            Err(QueueLost) => Instant::now() + self.min_interval,
        }
    }

    /// Notes that the retailer asked to be left alone for so long.
    pub(super) async fn hold_off(&self, visitor: Visitor<'_>, wait: Duration) {
        self.change_own(|queue, now| queue.hold_off(now, wait));
        if visitor.shared_queue.is_some() {
            // If it fails, this node still keeps away, and the retailer answers the others itself.
            let _told = self.change(visitor, |queue, now| queue.hold_off(now, wait)).await;
        }
    }

    /// What a change of the visitor's queue said, and when the queue's time was read.
    async fn change<T: Send>(
        &self,
        visitor: Visitor<'_>,
        mut change: impl FnMut(&mut Queue, Duration) -> T + Send,
    ) -> Result<(T, Instant), QueueLost> {
        let mut said = None;
        let mut noted = |queue: &mut Queue, now: Duration| said = Some((change(queue, now), Instant::now()));
        match visitor.shared_queue {
            Some(shared) => shared.change(&mut noted).await?,
            None => self.change_own(noted),
        }
        said.ok_or(QueueLost)
    }

    fn change_own<T>(&self, change: impl FnOnce(&mut Queue, Duration) -> T) -> T {
        // Each change is a whole one, so a panic elsewhere leaves nothing half done.
        let NodeQueue { started, queue } = &*self.own;
        change(&mut queue.lock().unwrap_or_else(PoisonError::into_inner), started.elapsed())
    }
}
