//! Steps that panic or hang, and parts that take down the node working on them.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use ordersync_api::SyncStatus;

use super::{Call, World, limits, scripted, sign_in_and_end, well};
use crate::clock::{Clock, SettableClock};
use crate::connector::{PhaseLimits, SentForms as _};
use crate::store::syncs::queue::{Claim, Room};
use crate::store::syncs::sent_forms::PartForms;
use crate::store::syncs::steps::After;

#[tokio::test]
async fn a_step_that_panics_three_times_ends_its_sync_and_disturbs_no_other() {
    let deadly = scripted(PhaseLimits::default(), async |_: Call| panic!("on purpose"));
    let world = World::running(vec![deadly, well()]).await;
    let batch = world.syncing("u", 1).await;
    world.called(1, 1).await;
    // The waits between the tries fall due as the clock moves.
    for _ in 0..2 {
        world.advance("u", Duration::from_secs(10)).await;
    }
    assert_eq!(world.ended(&batch).await, (SyncStatus::Error, Some("internal_error".into())));
    assert_eq!(world.calls(1).len(), 3);
    assert_eq!(world.status("u-1").await, ("pending".into(), Some("internal_error".into())));
    let other = world.syncing("v", 2).await;
    assert_eq!(world.ended(&other).await, (SyncStatus::Completed, None));
    world.stop().await;
}

#[tokio::test]
async fn panics_on_different_steps_are_not_counted_together() {
    let clumsy = scripted(PhaseLimits::default(), {
        let tries = Arc::new(Mutex::new([0_u8; 2]));
        move |call: Call| {
            let tries = Arc::clone(&tries);
            async move {
                let tried = {
                    let mut tries = tries.lock().unwrap();
                    tries[usize::from(call.step)] += 1;
                    tries[usize::from(call.step)]
                };
                assert!(tried > 2, "on purpose");
                Ok(sign_in_and_end(&call))
            }
        }
    });
    let world = World::running(vec![clumsy]).await;
    let batch = world.syncing("u", 1).await;
    world.called(1, 1).await;
    for _ in 0..5 {
        world.advance("u", Duration::from_secs(10)).await;
    }
    assert_eq!(world.ended(&batch).await, (SyncStatus::Completed, None));
    world.stop().await;
}

#[tokio::test]
async fn a_step_that_hangs_its_thread_is_cut_off_and_disturbs_no_other() {
    let held = Arc::new((Mutex::new(true), Condvar::new()));
    let hanging = scripted(limits(300, 300), {
        let held = Arc::clone(&held);
        move |call: Call| {
            let held = Arc::clone(&held);
            async move {
                let guard = held.0.lock().unwrap();
                drop(held.1.wait_while(guard, |held| *held).unwrap());
                Ok(sign_in_and_end(&call))
            }
        }
    });
    let world =
        World::running_with(vec![hanging, well()], |settings| settings.step_limit = Duration::from_millis(60)).await;
    let batch = world.syncing("u", 1).await;
    world.called(1, 1).await;
    let other = world.syncing("v", 2).await;
    assert_eq!(world.ended(&other).await, (SyncStatus::Completed, None));
    assert_eq!(world.ended(&batch).await, (SyncStatus::TimedOut, Some("retailer_timeout".into())));
    // Cut off, and tried again until the phase was over.
    assert!(world.calls(1).len() > 1, "{:?}", world.calls(1));
    *held.0.lock().unwrap() = false;
    held.1.notify_all();
    world.stop().await;
}

async fn claimed(world: &World, clock: &SettableClock) -> Option<Claim> {
    let mut room = Room {
        parts: 8,
        per_user: 8,
        begun_first: Duration::ZERO,
        per_retailer: &|_| 8,
        users: std::collections::HashMap::new(),
        retailers: std::collections::HashMap::new(),
    };
    world.store.claim("node", clock, &mut room).await.unwrap().pop()
}

#[tokio::test]
async fn a_part_whose_lease_runs_out_ten_times_without_a_commit_ends() {
    let clock = Arc::new(SettableClock::at(chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap()));
    let mut world = World::of(vec![well()], Arc::clone(&clock) as Arc<dyn Clock>, |_| ()).await;
    let batch = world.syncing("u", 1).await;
    let mut waits = Vec::new();
    for lost in 0..10 {
        let mut waited = 0;
        let claim = loop {
            match claimed(&world, &clock).await {
                Some(claim) => break claim,
                None => {
                    clock.advance(Duration::from_secs(1));
                    waited += 1;
                }
            }
        };
        assert_eq!(claim.lost, lost);
        waits.push(waited);
    }
    assert_eq!(waits[..4], [0, 10, 12, 14], "the waits grow");
    clock.advance(Duration::from_secs(100));
    world.running = Some(world.engine.run());
    assert_eq!(world.ended(&batch).await, (SyncStatus::Error, Some("internal_error".into())));
    assert!(world.calls(1).is_empty());
    world.stop().await;
}

#[tokio::test]
async fn a_claim_that_is_given_back_or_commits_does_not_count() {
    let clock = Arc::new(SettableClock::at(chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap()));
    let world = World::of(vec![well()], Arc::clone(&clock) as Arc<dyn Clock>, |_| ()).await;
    world.syncing("u", 1).await;
    for _ in 0..20 {
        assert_eq!(claimed(&world, &clock).await.unwrap().lost, 0);
        assert_eq!(world.store.release_all("node").await.unwrap(), 1);
    }
    // Nine nodes are killed, one commits, and nine are killed again.
    for lost in 0..=9 {
        clock.advance(Duration::from_secs(100));
        let claim = claimed(&world, &clock).await.unwrap();
        assert_eq!(claim.lost, lost);
        if lost == 9 {
            assert_eq!(world.begun(&claim).await, After::On(Duration::ZERO));
        }
    }
    clock.advance(Duration::from_secs(100));
    assert_eq!(claimed(&world, &clock).await.unwrap().lost, 1);
}

#[tokio::test]
async fn a_form_that_is_sent_counts_although_its_node_is_killed_or_stopped() {
    let clock = Arc::new(SettableClock::at(chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap()));
    let world = World::of(vec![well()], Arc::clone(&clock) as Arc<dyn Clock>, |_| ()).await;
    world.syncing("u", 1).await;
    let killed = claimed(&world, &clock).await.unwrap();
    let sent = |claim| PartForms { store: &world.store, claim };
    assert_eq!(sent(&killed).count().await.unwrap(), 1);
    clock.advance(Duration::from_secs(100));
    let stopped = claimed(&world, &clock).await.unwrap();
    assert_eq!(sent(&stopped).count().await.unwrap(), 2);
    assert!(sent(&killed).count().await.is_err(), "another node has the sync: nothing may be sent");
    world.store.release_all("node").await.unwrap();
    let claim = claimed(&world, &clock).await.unwrap();
    assert_eq!((sent(&claim).count().await.unwrap(), claim.lost), (3, 1), "counting is no sign of progress");
}
