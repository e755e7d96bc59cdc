//! The sync engine: claims the parts of sessions that are due, drives their connectors, and ends those that take too
//! long.
//!
//! All state of a session is in the store, and no task waits for a person: a part that needs one is parked. Any number
//! of nodes may share a store; leases and epochs keep them apart.

mod drive;
mod ending;
mod flow;
mod load;
mod sealed;
mod step;
#[cfg(test)]
mod tests;
mod traced;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use self::ending::EndedPart;
use self::load::{Driving, Ended, Threads};
use crate::backoff::Backoff;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::counters::Metrics;
use crate::ids::{NoRandomness, new_id};
use crate::keys::Keys;
use crate::store::syncs::finish::Overdue;
use crate::store::syncs::queue::Room;
use crate::store::{Store, StoreError, StoreTrouble};

pub(crate) use sealed::{GivenCredentials, MfaAnswer, seal_credentials};

/// How many parts of one user a node works on at a time.
const PER_USER: usize = 4;
/// The longest sleep of a node before it looks for work that other nodes put into the store.
const POLL: Duration = Duration::from_secs(1);
/// The shortest sleep if there is work that it has no room for.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
/// How often deadlines are checked while there is always something to claim.
const SWEEP_EVERY: Duration = Duration::from_millis(500);
/// How long a part that could not be ended is left alone.
const LEFT_ALONE: Duration = Duration::from_secs(60);
/// A clock that goes back by more than this has been set; smaller steps are gradual corrections.
const SET_BACK: TimeDelta = TimeDelta::seconds(1);

/// The engine's settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EngineSettings {
    /// How many parts one node works on at a time.
    pub parallel: NonZeroUsize,
    /// How many of one retailer, unless its connector says otherwise.
    pub per_retailer: NonZeroUsize,
    /// After this time a claim is given back, and queues behind the other parts that are due.
    pub turn: Duration,
    /// For so much of its work a part that has begun is claimed before those that have not.
    pub begun_first: Duration,
    /// The wait before the first repetition of a failed step; doubled with each repetition.
    pub retry_base: Duration,
    /// When a step should return its results so far.
    pub step_time: Duration,
    /// When a step is cut off.
    pub step_limit: Duration,
}

impl EngineSettings {
    /// The usual settings.
    pub(crate) const fn new(parallel: NonZeroUsize, per_retailer: NonZeroUsize) -> Self {
        Self {
            parallel,
            per_retailer,
            turn: Duration::from_secs(5),
            begun_first: Duration::from_secs(20),
            retry_base: Duration::from_millis(500),
            step_time: Duration::from_secs(20),
            step_limit: Duration::from_secs(60),
        }
    }
}

/// The engine and its dependencies.
pub(crate) struct Engine {
    store: Store,
    keys: Arc<Keys>,
    catalog: Arc<Catalog>,
    clock: Arc<dyn Clock>,
    metrics: Arc<Metrics>,
    settings: EngineSettings,
    /// This node's name in leases.
    owner: String,
    wake: Notify,
    /// Notified whenever the engine has found nothing more to do.
    idle: Notify,
    /// The threads in which steps run.
    threads: Arc<Threads>,
    /// What is wrong with the store, if the last step could not be kept.
    trouble: Mutex<Option<StoreTrouble>>,
}

/// A running engine.
pub(crate) struct Running {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// State that the engine's loop keeps from turn to turn.
#[derive(Default)]
struct Turns {
    /// The time of day at the last check, and the elapsed time of the clock then.
    time: Option<(DateTime<Utc>, Duration)>,
    swept_at: Option<Duration>,
    /// When something will next fall due, as of the last turn.
    next_due: Option<DateTime<Utc>>,
    /// Parts that could not be ended, and until when they are left alone.
    left_alone: HashMap<String, Duration>,
}

impl Engine {
    /// An engine that is not running yet.
    /// Fails if the system provides no randomness for the node's name.
    pub(crate) fn new(
        store: Store,
        keys: Arc<Keys>,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
        metrics: Arc<Metrics>,
        settings: EngineSettings,
    ) -> Result<Arc<Self>, NoRandomness> {
        let owner = new_id("node")?;
        let (wake, idle, threads, trouble) = (Notify::new(), Notify::new(), Arc::default(), Mutex::default());
        Ok(Arc::new(Self { store, keys, catalog, clock, metrics, settings, owner, wake, idle, threads, trouble }))
    }

    /// Starts the engine.
    pub(crate) fn run(self: &Arc<Self>) -> Running {
        let (stop, stopped) = watch::channel(false);
        Running { stop, task: tokio::spawn(Arc::clone(self).work(stopped)) }
    }

    /// Ends overdue parts before anything is read. A long-running service does that in its turns; a service that runs
    /// only during a command would otherwise show waits that are over.
    pub(crate) async fn end_overdue(&self) {
        if let Err(error) = self.sweep(&mut Turns::default()).await {
            // Reading works all the same, and the next turn tries again.
            tracing::warn!(%error, "cannot end what is overdue");
        }
    }

    /// Reports new work in the store: the engine looks at once.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// What keeps the store from taking the outcome of a step, since the last step that it took.
    pub(crate) fn trouble(&self) -> Option<StoreTrouble> {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_trouble(&self, trouble: Option<StoreTrouble>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// Waits until no work of this user's is due, for at most `at_most`. False: some still is.
    pub(crate) async fn settle(&self, user_id: &str, at_most: Duration) -> Result<bool, StoreError> {
        let settled = async {
            loop {
                let idle = self.idle.notified();
                if !self.store.has_due_work(user_id, &*self.clock).await? {
                    return Ok(());
                }
                self.wake();
                // Another node may do the work: check again soon, notified or not.
                drop(tokio::time::timeout(Duration::from_millis(50), idle).await);
            }
        };
        tokio::time::timeout(at_most, settled)
            .await
            .map_or(Ok(false), |done: Result<(), StoreError>| done.map(|()| true))
    }

    async fn work(self: Arc<Self>, mut stopped: watch::Receiver<bool>) {
        let mut driving = Driving::default();
        let mut turns = Turns::default();
        let mut store = Backoff::new("looking for due and overdue syncs");
        loop {
            while let Some(ended) = driving.ended() {
                self.look_at(ended).await;
            }
            if store.is_due(self.clock.elapsed()) {
                let turn = self.turn(&mut driving, &mut turns).await;
                match store.note(turn, self.clock.elapsed()) {
                    None => {}
                    Some(0) => self.idle.notify_waiters(),
                    Some(_) => continue,
                }
            }
            // Due work that fails must not make this loop spin.
            let pause = match store.remaining(self.clock.elapsed()) {
                Duration::ZERO => self.pause(&turns),
                remaining => remaining,
            };
            tokio::select! {
                _ = stopped.changed() => break,
                () = self.wake.notified() => {}
                Some(ended) = driving.next_ended() => self.look_at(ended).await,
                () = tokio::time::sleep(pause) => {}
            }
        }
        // Cutting off steps here is like a crash, which loses nothing; but the leases are given back at once.
        driving.shutdown().await;
        self.threads.empty(POLL).await;
        match self.store.release_all(&self.owner).await {
            Ok(0) => {}
            Ok(released) => tracing::info!(released, "gave unfinished syncs back to the queue"),
            Err(error) => {
                tracing::error!(%error, "cannot give unfinished syncs back: their leases run out by themselves")
            }
        }
    }

    /// Ends overdue parts and claims those that are due. Returns how many parts it claimed.
    async fn turn(self: &Arc<Self>, driving: &mut Driving, turns: &mut Turns) -> Result<usize, StoreError> {
        self.follow_clock(turns).await?;
        let outlook = self.store.outlook(self.clock.now()).await?;
        turns.next_due = outlook.next;
        if !outlook.is_due {
            return Ok(0);
        }
        let elapsed = self.clock.elapsed();
        let is_to_sweep = turns.swept_at.is_none_or(|at| elapsed.saturating_sub(at) > SWEEP_EVERY);
        if is_to_sweep {
            self.sweep(turns).await?;
        }
        let (users, retailers) = driving.load(&self.threads);
        let per_retailer = |retailer_id: i64| {
            let known = self.catalog.get(retailer_id);
            let own = known.and_then(|entry| entry.connector.limits().parallel);
            own.unwrap_or(self.settings.per_retailer.get())
        };
        let parts = self.settings.parallel.get().saturating_sub(driving.len());
        let begun_first = self.settings.begun_first;
        let mut room = Room { parts, per_user: PER_USER, begun_first, per_retailer: &per_retailer, users, retailers };
        let claims = self.store.claim(&self.owner, &*self.clock, &mut room).await?;
        let claimed = claims.len();
        for claim in claims {
            driving.start(self, claim);
        }
        if claimed == 0 && !is_to_sweep {
            self.sweep(turns).await?;
        }
        Ok(claimed)
    }

    /// If the time of day went back, moves the due times in the store back as well: otherwise each wait would last
    /// longer by the same amount.
    async fn follow_clock(&self, turns: &mut Turns) -> Result<(), StoreError> {
        let (now, elapsed) = (self.clock.now(), self.clock.elapsed());
        if let Some((time, at)) = turns.time {
            let back = time + flow::delta(elapsed.saturating_sub(at)) - now;
            if back > SET_BACK {
                let syncs = self.store.set_back(now, back).await?;
                tracing::warn!(seconds = back.num_seconds(), syncs, "the clock was set back");
            }
        }
        turns.time = Some((now, elapsed));
        Ok(())
    }

    /// Checks how the task of a claim ended.
    async fn look_at(&self, ended: Ended) {
        if let Err((error, claim)) = ended
            && error.is_panic()
        {
            // A panic's message may contain anything; its location is already on stderr.
            tracing::error!(
                batch_id = claim.batch_id,
                connection_id = claim.connection_id,
                retailer_id = claim.retailer_id,
                trace_id = claim.trace_id(),
                "the task of a sync panicked"
            );
            self.note_panic(&claim).await;
        }
    }

    /// The time until the next part falls due, at most the longest sleep of a node.
    fn pause(&self, turns: &Turns) -> Duration {
        let until = |due: DateTime<Utc>| (due - self.clock.now()).to_std().unwrap_or_default();
        turns.next_due.map_or(POLL, |due| until(due).clamp(SHORTEST_PAUSE, POLL))
    }

    /// Ends parts that take too long. A part that cannot be ended is logged and left alone for a while, so that it does
    /// not block the others.
    async fn sweep(&self, turns: &mut Turns) -> Result<(), StoreError> {
        let elapsed = self.clock.elapsed();
        turns.swept_at = Some(elapsed);
        turns.left_alone.retain(|_, until| *until > elapsed);
        let except: Vec<&String> = turns.left_alone.keys().collect();
        let except = serde_json::to_string(&except).map_err(|_| StoreError::Corrupt("part"))?;
        for part in self.store.overdue(self.clock.now(), &except).await? {
            match self.store.end_overdue(&part, &*self.clock).await {
                Ok(None) => {}
                Ok(Some(Overdue { batch_id, connection_id, retailer_id, code })) => {
                    let ended = EndedPart {
                        part_id: &part,
                        batch_id: batch_id.as_str(),
                        connection_id: &connection_id,
                        retailer_id,
                    };
                    self.note_end(&ended, Some(code)).await;
                }
                Err(error) if error.trouble().is_some() => return Err(error),
                Err(error) => {
                    tracing::error!(%error, part, "cannot end a sync whose deadline is over");
                    turns.left_alone.insert(part, elapsed + LEFT_ALONE);
                }
            }
        }
        Ok(())
    }
}

impl Running {
    /// Stops the engine, and gives back its claims.
    pub(crate) async fn stop(self) {
        // The task is gone only if it panicked; then there is nothing to stop.
        let _ = self.stop.send(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the sync engine did not stop cleanly");
        }
    }
}
