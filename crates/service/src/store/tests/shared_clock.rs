//! The clock of a shared store.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta};

use super::fresh;
use crate::clock::{Clock as _, SettableClock, SystemClock};
use crate::store::nodes::shared_clock::SharedClock;

#[tokio::test]
async fn nodes_whose_machines_are_years_apart_have_one_time_and_it_goes_on() {
    let (_folder, store) = fresh().await;
    if !store.is_shared() {
        // A file has the clock of its machine.
        return;
    }
    let long_ago = Arc::new(SettableClock::at(DateTime::UNIX_EPOCH));
    let one = SharedClock::of(&store, long_ago.clone()).await.unwrap();
    let other = SharedClock::of(&store, Arc::new(SystemClock::default())).await.unwrap();
    assert!((one.now() - other.now()).abs() < TimeDelta::seconds(5));
    let before = one.now();
    long_ago.advance(Duration::from_secs(60));
    assert_eq!(one.now() - before, TimeDelta::seconds(60));
}
