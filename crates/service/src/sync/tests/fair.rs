//! One user's syncs do not hold up everyone else's.

use std::sync::Arc;
use std::time::Duration;

use ordersync_api::SyncStatus;
use tokio::sync::Semaphore;

use super::{Call, Scripted, World, limits, scripted, sign_in_and_end, well};
use crate::clock::SystemClock;
use crate::connector::{Outcome, PhaseLimits};

/// Waits in its first step until the test lets it continue.
fn held(until: &Arc<Semaphore>, parallel: Option<usize>) -> Scripted {
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
    let mut connectors: Vec<Scripted> = (0..6).map(|_| held(&gate, None)).collect();
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
    let world = World::running_with(vec![held(&gate, None), well()], |settings| {
        settings.parallel = 3.try_into().unwrap();
        settings.per_retailer = 2.try_into().unwrap();
    })
    .await;
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
        scripted(PhaseLimits { parallel: Some(2), ..limits(1_000, 1_000) }, move |call: Call| {
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
async fn a_long_sync_gives_way_to_others_when_its_turn_is_over_and_it_is_not_preferred_any_more() {
    // There is one place; the long sync would occupy it for half a minute.
    let long = scripted(limits(60_000, 60_000), async |call: Call| {
        if call.step == 0 {
            return Ok(sign_in_and_end(&call));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        Ok(super::next(&call, Outcome::Working).progressed())
    });
    let world = World::running_with(vec![long, well()], |settings| {
        settings.parallel = 1.try_into().unwrap();
        settings.turn = Duration::from_millis(200);
        settings.begun_first = Duration::from_millis(500);
    })
    .await;
    world.syncing("u", 1).await;
    world.called(1, 2).await;
    let other = world.syncing("v", 2).await;
    assert_eq!(world.ended(&other).await, (SyncStatus::Completed, None));
    assert!(world.calls(1).len() < 200, "{}", world.calls(1).len());
    world.stop().await;
}

#[tokio::test]
async fn a_sync_that_has_begun_goes_on_before_others_begin() {
    for (begun_first, order) in [(60, [0, 1, 2, 0, 1, 2, 0, 1, 2]), (0, [0, 0, 0, 1, 1, 1, 2, 2, 2])] {
        let steps = scripted(limits(60_000, 60_000), async |call: Call| {
            Ok(if call.step < 2 {
                super::next(&call, Outcome::SignedIn { session: None })
            } else {
                super::done(&call, None)
            })
        });
        // Each step is a turn.
        let mut world = World::of(vec![steps], Arc::new(SystemClock::default()), |settings| {
            settings.parallel = 1.try_into().unwrap();
            settings.turn = Duration::ZERO;
            settings.begun_first = Duration::from_secs(begun_first);
        })
        .await;
        let mut batches = Vec::new();
        for user in ["a", "b", "c"] {
            batches.push(world.syncing(user, 1).await);
        }
        world.running = Some(world.engine.run());
        for batch in &batches {
            assert_eq!(world.ended(batch).await, (SyncStatus::Completed, None));
        }
        assert_eq!(world.calls(1).iter().map(|call| call.step).collect::<Vec<_>>(), order);
        world.stop().await;
    }
}

#[tokio::test]
async fn what_quick_steps_came_to_is_written_while_the_next_one_takes_long() {
    let gate = Arc::new(Semaphore::new(0));
    let until = Arc::clone(&gate);
    let steps = scripted(limits(60_000, 60_000), move |call: Call| {
        let until = Arc::clone(&until);
        async move {
            Ok(match call.step {
                0 => super::next(&call, Outcome::Working),
                1 => super::next(&call, Outcome::SignedIn { session: None }),
                2 => super::next(&call, Outcome::Page(crate::connector::Page::default())),
                _ => {
                    until.acquire().await.unwrap().forget();
                    super::done(&call, None)
                }
            })
        }
    });
    let world = World::running(vec![steps]).await;
    let batch = world.syncing("u", 1).await;
    let written = async {
        while world.part(&batch).await.0 != SyncStatus::Scanning {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(300), written).await.expect("it is not written");
    assert_eq!(world.calls(1).len(), 4, "the last one still goes on");
    gate.add_permits(1);
    assert_eq!(world.ended(&batch).await, (SyncStatus::Completed, None));
    world.stop().await;
}
