//! The queue at a retailer over several nodes.

use std::time::Duration;

use super::fresh_path;
use crate::connector::queue::{Queue, SharedQueue, Turn};
use crate::store::Store;
use crate::store::nodes::retailer_queue::RetailerQueue;

const INTERVAL: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

/// What the queue says, and at which time.
async fn ask(store: &Store, retailer: i64, key: &str, patience: Duration) -> (Duration, Turn) {
    let mut said = None;
    let mut ask = |queue: &mut Queue, now: Duration| said = Some((now, queue.ask(now, INTERVAL, key, patience)));
    RetailerQueue::of(store, retailer).unwrap().change(&mut ask).await.unwrap();
    said.unwrap()
}

#[tokio::test]
async fn nodes_of_a_shared_store_keep_the_pace_of_a_retailer_together() {
    let (_folder, path) = fresh_path();
    let nodes = [Store::of_test(&path).await, Store::of_test(&path).await];
    if !nodes[0].is_shared() {
        assert!(RetailerQueue::of(&nodes[0], 7).is_none(), "the only node of a file keeps the queue in memory");
        return;
    }
    let keys: Vec<String> = (0..40).map(|number| format!("conn_{number}")).collect();
    let asked = keys.iter().enumerate().map(|(number, key)| ask(&nodes[number % 2], 7, key, HOUR));
    let mut turns: Vec<Duration> = futures::future::join_all(asked)
        .await
        .into_iter()
        .map(|(now, turn)| match turn {
            Turn::Taken(wait) => now + wait,
            other => panic!("{other:?}"),
        })
        .collect();
    turns.sort_unstable();
    assert!(turns.windows(2).all(|pair| pair[1] - pair[0] >= INTERVAL), "{turns:?}");
    assert!(turns[39] - turns[0] < 41 * INTERVAL, "no turn is lost: {turns:?}");

    // A place that one node was given is kept for its owner, whichever node it asks next.
    assert_eq!(ask(&nodes[0], 8, "first", Duration::ZERO).await.1, Turn::Taken(Duration::ZERO));
    let (now, Turn::Later(wait)) = ask(&nodes[0], 8, "second", Duration::ZERO).await else { panic!("no place") };
    let (later, Turn::Later(behind)) = ask(&nodes[1], 8, "third", Duration::ZERO).await else { panic!("no place") };
    assert_eq!(later + behind - (now + wait), INTERVAL);
    let (now, Turn::Later(again)) = ask(&nodes[1], 8, "second", Duration::ZERO).await else { panic!("no place") };
    assert_eq!(later + behind - (now + again), INTERVAL);

    // What the retailer said to one node holds for all, and for this retailer only.
    let mut leave = |queue: &mut Queue, now: Duration| queue.hold_off(now, HOUR);
    RetailerQueue::of(&nodes[0], 8).unwrap().change(&mut leave).await.unwrap();
    let (_, Turn::HeldOff(left)) = ask(&nodes[1], 8, "third", Duration::ZERO).await else { panic!("it was asked") };
    assert!(left > HOUR / 2);
    assert_eq!(ask(&nodes[1], 9, "third", Duration::ZERO).await.1, Turn::Taken(Duration::ZERO));
}
