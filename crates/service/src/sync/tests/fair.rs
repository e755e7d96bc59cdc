//! One user's syncs do not hold up everyone else's.

use std::sync::Arc;
use std::time::Duration;

use ordersync_api::SyncStatus;
use tokio::sync::Semaphore;

use super::{Call, Scripted, World, limits, scripted, sign_in_and_end, well};
use crate::connector::PhaseLimits;

/// Waits in its first step until the test lets it continue.
fn held(until: &Arc<Semaphore>, parallel: usize) -> Scripted {
    let until = Arc::clone(until);
    scripted(PhaseLimits { parallel, ..limits(60_000, 60_000) }, move |call: Call| {
        let until = Arc::clone(&until);
        async move {
            until.acquire().await.unwrap().forget();
            Ok(sign_in_and_end(&call))
        }
    })
}

#[tokio::test]
async fn the_syncs_of_one_user_leave_room_for_those_of_others() {
    let gate = Arc::new(Semaphore::new(0));
    let mut connectors: Vec<Scripted> = (0..6).map(|_| held(&gate, 8)).collect();
    connectors.push(well());
    // As many places as the first user has syncs.
    let world = World::running_with(connectors, |settings| settings.parallel = 6.try_into().unwrap()).await;
    let mut batches = Vec::new();
    for retailer in 1..=6 {
        batches.push(world.syncing("u", retailer).await);
    }
    for retailer in 1..=super::super::PER_USER {
        world.called(retailer, 1).await;
    }
    let other = world.syncing("v", 7).await;
    assert_eq!(world.ended(&other).await, (SyncStatus::Completed, None));
    assert!(world.calls(5).is_empty() && world.calls(6).is_empty(), "more than the user's share runs");
    gate.add_permits(100);
    for batch in &batches {
        assert_eq!(world.ended(batch).await, (SyncStatus::Completed, None));
    }
    world.stop().await;
}

#[tokio::test]
async fn the_syncs_of_one_slow_retailer_leave_room_for_those_of_others() {
    let gate = Arc::new(Semaphore::new(0));
    let world =
        World::running_with(vec![held(&gate, 2), well()], |settings| settings.parallel = 3.try_into().unwrap()).await;
    let mut batches = Vec::new();
    for user in ["a", "b", "c", "d"] {
        batches.push(world.syncing(user, 1).await);
    }
    world.called(1, 2).await;
    let other = world.syncing("v", 2).await;
    assert_eq!(world.ended(&other).await, (SyncStatus::Completed, None));
    assert_eq!(world.calls(1).len(), 2);
    gate.add_permits(100);
    for batch in &batches {
        assert_eq!(world.ended(batch).await, (SyncStatus::Completed, None));
    }
    world.stop().await;
}

#[tokio::test]
async fn a_retailer_whose_steps_hang_their_threads_gets_no_more_of_them() {
    let gate = Arc::new((std::sync::Mutex::new(true), std::sync::Condvar::new()));
    let hanging = {
        let gate = Arc::clone(&gate);
        scripted(PhaseLimits { parallel: 2, ..limits(1_000, 1_000) }, move |call: Call| {
            let gate = Arc::clone(&gate);
            async move {
                let guard = gate.0.lock().unwrap();
                drop(gate.1.wait_while(guard, |held| *held).unwrap());
                Ok(sign_in_and_end(&call))
            }
        })
    };
    let world = World::running(vec![hanging, well()]).await;
    for user in ["a", "b"] {
        let batch = world.syncing(user, 1).await;
        assert_eq!(world.ended(&batch).await.0, SyncStatus::TimedOut);
    }
    // Both threads still hang, so the third sync gets none.
    let waiting = world.syncing("c", 1).await;
    let other = world.syncing("v", 2).await;
    assert_eq!(world.ended(&other).await, (SyncStatus::Completed, None));
    assert_eq!((world.part(&waiting).await.0, world.calls(1).len()), (SyncStatus::Queued, 2));
    *gate.0.lock().unwrap() = false;
    gate.1.notify_all();
    assert_eq!(world.ended(&waiting).await, (SyncStatus::Completed, None));
    world.stop().await;
}

#[tokio::test]
async fn a_long_sync_gives_way_to_others_when_its_turn_is_over() {
    // There is one place; the long sync would occupy it for half a minute.
    let long = scripted(limits(60_000, 60_000), async |call: Call| {
        if call.step == 0 {
            return Ok(sign_in_and_end(&call));
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        Ok(super::next(&call, crate::connector::Outcome::Working).progressed())
    });
    let world = World::running_with(vec![long, well()], |settings| settings.parallel = 1.try_into().unwrap()).await;
    world.syncing("u", 1).await;
    world.called(1, 2).await;
    let other = world.syncing("v", 2).await;
    assert_eq!(world.ended(&other).await, (SyncStatus::Completed, None));
    assert!(world.calls(1).len() < 20, "{}", world.calls(1).len());
    world.stop().await;
}
