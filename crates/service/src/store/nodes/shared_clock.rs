//! The time of a store that several nodes share: that of its database. Leases, due times and the ends of tokens then mean the same
//! on every node, however the clocks of the machines differ.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use crate::clock::Clock;
use crate::store::db::query_scalar;
use crate::store::{Store, StoreError, time};

/// How often a node asks for the database's time.
const ASKED_EVERY: Duration = Duration::from_secs(30);
/// A machine's clock that differs by more is worth a line in the log.
const NOTABLE: TimeDelta = TimeDelta::seconds(2);

/// The database's clock. Between two questions it runs with the machine's time since its start, which nobody sets.
pub(crate) struct SharedClock {
    machine: Arc<dyn Clock>,
    read: Mutex<Reading>,
}

/// What the database said, and when.
#[derive(Debug, Clone, Copy)]
struct Reading {
    time: DateTime<Utc>,
    at: Duration,
}

impl SharedClock {
    /// Asks the database for its time.
    pub(crate) async fn of(store: &Store, machine: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let reading = Reading::of(store, &*machine).await?;
        let difference = machine.now() - reading.time;
        if difference.abs() > NOTABLE {
            tracing::warn!(
                seconds = difference.num_seconds(),
                "this machine's clock is not the database's, which is used"
            );
        }
        Ok(Self { machine, read: Mutex::new(reading) })
    }

    /// Keeps asking, for as long as the service runs.
    pub(crate) async fn follow(self: Arc<Self>, store: Store) {
        loop {
            tokio::time::sleep(ASKED_EVERY).await;
            match Reading::of(&store, &*self.machine).await {
                Ok(reading) => *self.read.lock().unwrap_or_else(PoisonError::into_inner) = reading,
                // Meanwhile it runs with the machine's time since its start, which is as good for hours.
                Err(error) => tracing::debug!(%error, "cannot read the database's clock"),
            }
        }
    }
}

impl Reading {
    async fn of(store: &Store, machine: &dyn Clock) -> Result<Self, StoreError> {
        let asked = machine.elapsed();
        let now = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint";
        let micros: i64 = query_scalar(now).fetch_one(&store.pool).await?;
        // It was read between the question and its answer.
        let took = machine.elapsed().saturating_sub(asked);
        Ok(Self { time: time(micros)?, at: asked + took / 2 })
    }
}

impl Clock for SharedClock {
    fn now(&self) -> DateTime<Utc> {
        let Reading { time, at } = *self.read.lock().unwrap_or_else(PoisonError::into_inner);
        time + self.machine.elapsed().saturating_sub(at)
    }

    fn elapsed(&self) -> Duration {
        self.machine.elapsed()
    }
}
