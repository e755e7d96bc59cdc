//! Time: which waits count against a phase, which do not, and which move its deadline.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::{SyncErrorCode, SyncStatus};

use super::{Call, World, limits, next, scripted, sign_in_and_end};
use crate::clock::{Clock, SystemClock};
use crate::connector::{ConnectorError, Outcome, PhaseLimits};
use crate::store::db::query;

const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test]
async fn waiting_for_pace_takes_nothing_from_the_phase_and_is_no_attempt() {
    // Each of the long waits is longer than the phase.
    let polite = scripted(limits(60_000, 60_000), {
        let asked = std::sync::atomic::AtomicU32::new(0);
        move |call: Call| {
            let turn = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            async move {
                // Long waits, for which the claim is given back, and short waits.
                match turn {
                    0..4 => Err(ConnectorError::paced(HOUR)),
                    4..8 => Err(ConnectorError::paced(Duration::from_millis(5))),
                    _ => Ok(sign_in_and_end(&call)),
                }
            }
        }
    });
    let world = World::running(vec![polite]).await;
    let batch = world.syncing("u", 1).await;
    for waited in 1..=4 {
        world.called(1, waited).await;
        assert!(world.engine.settle("u", Duration::from_secs(20)).await.unwrap());
        world.advance("u", HOUR).await;
    }
    assert_eq!(world.ended(&batch).await, (SyncStatus::Completed, None));
    assert!(world.calls(1).iter().all(|call| call.attempt == 0), "{:?}", world.calls(1));
    world.stop().await;
}

/// Signs in, then takes this many further steps, each with a wait of two thirds of the phase.
fn slow(steps: u8, progress: bool, whole: Duration) -> super::Scripted {
    scripted(PhaseLimits { whole, ..limits(60_000, 300_000) }, move |call: Call| async move {
        if call.step == 0 || call.step > steps {
            return Ok(sign_in_and_end(&call));
        }
        let step = next(&call, Outcome::Working).after(Duration::from_secs(200));
        Ok(if progress { step.progressed() } else { step })
    })
}

#[tokio::test]
async fn steps_with_progress_may_take_longer_than_a_phase_and_steps_without_may_not() {
    let world = World::running(vec![slow(10, true, 24 * HOUR), slow(10, false, 24 * HOUR)]).await;
    let (with, without) = (world.syncing("u", 1).await, world.syncing("v", 2).await);
    for user in ["u", "v"] {
        world.advance(user, HOUR).await;
    }
    assert_eq!(world.ended(&with).await, (SyncStatus::Completed, None));
    assert_eq!(world.ended(&without).await, (SyncStatus::TimedOut, Some("retailer_timeout".into())));
    world.stop().await;
}

#[tokio::test]
async fn progress_without_end_ends_at_the_cap_of_the_whole_scan() {
    let world = World::running(vec![slow(250, true, Duration::from_secs(2_000))]).await;
    let batch = world.syncing("u", 1).await;
    world.advance("u", HOUR).await;
    assert_eq!(world.ended(&batch).await, (SyncStatus::TimedOut, Some("retailer_timeout".into())));
    // The sign-in, and ten steps of 200 s; one more would exceed the cap.
    assert_eq!(world.calls(1).len(), 11);
    world.stop().await;
}

#[tokio::test]
async fn a_step_that_was_too_slow_is_taken_again_and_keeps_what_was_committed() {
    let slow_once = scripted(limits(10_000, 10_000), async |call: Call| {
        if call.step == 1 && call.attempt == 0 {
            std::future::pending::<()>().await;
        }
        Ok(sign_in_and_end(&call))
    });
    let world = World::running_with(vec![slow_once], |settings| settings.step_limit = Duration::from_millis(500)).await;
    let batch = world.syncing("u", 1).await;
    assert_eq!(world.ended(&batch).await, (SyncStatus::Completed, None));
    let steps: Vec<(u8, u32)> = world.calls(1).iter().map(|call| (call.step, call.attempt)).collect();
    assert_eq!(steps, [(0, 0), (1, 0), (1, 1)], "the sign-in is not repeated");
    world.stop().await;
}

/// Refuses the first request with that Retry-After.
fn refusing(retry_after: Duration) -> super::Scripted {
    let asked = std::sync::atomic::AtomicU32::new(0);
    scripted(limits(60_000, 60_000), move |call: Call| {
        let first = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
        async move {
            if first {
                let mut error = ConnectorError::new(SyncErrorCode::RetailerUnavailable).transient();
                error.retry_after = Some(retry_after);
                return Err(error);
            }
            Ok(sign_in_and_end(&call))
        }
    })
}

#[tokio::test]
async fn a_retailer_that_asked_to_be_left_alone_for_an_hour_is_not_asked_by_the_next_sync() {
    let world = World::running(vec![refusing(Duration::from_secs(3600))]).await;
    let first = world.syncing("u", 1).await;
    assert_eq!(world.ended(&first).await, (SyncStatus::Error, Some("retailer_unavailable".into())));
    let second = world.sync("u", "u-1").await;
    assert_eq!(world.ended(&second).await, (SyncStatus::Error, Some("retailer_rate_limited".into())));
    let message = world.part(&second).await.2.unwrap();
    assert!(message.starts_with("The retailer asked for no requests before 20"), "{message}");
    assert_eq!(world.calls(1).len(), 1, "the retailer was asked");
    assert_eq!(world.status("u-1").await, ("pending".into(), Some("retailer_rate_limited".into())));

    world.advance("u", Duration::from_secs(3601)).await;
    let third = world.sync("u", "u-1").await;
    assert_eq!(world.ended(&third).await, (SyncStatus::Completed, None));
    assert_eq!(world.status("u-1").await, ("valid".into(), None));
    world.stop().await;
}

#[tokio::test]
async fn a_sync_that_has_to_wait_a_little_for_the_retailer_stays_queued_until_then() {
    let world = World::running(vec![super::well()]).await;
    world.user("u").await;
    let connection = world.connection("u", 1).await;
    let until = crate::store::micros(world.user("u").await.now + Duration::from_secs(50));
    query("UPDATE connections SET not_before = $1").bind(until).execute(world.store.writer()).await.unwrap();
    let batch = world.sync("u", &connection).await;
    assert!(world.engine.settle("u", Duration::from_secs(20)).await.unwrap());
    assert_eq!(world.part(&batch).await.0, SyncStatus::Queued);
    assert!(world.calls(1).is_empty());
    world.advance("u", Duration::from_secs(51)).await;
    assert_eq!(world.ended(&batch).await, (SyncStatus::Completed, None));
    world.stop().await;
}

#[tokio::test]
async fn a_clock_that_jumps_ends_no_sync_that_somebody_works_on() {
    let slow = scripted(limits(60_000, 60_000), async |call: Call| {
        tokio::time::sleep(Duration::from_millis(300)).await;
        Ok(sign_in_and_end(&call).after(Duration::from_secs(5)))
    });
    let world = World::running(vec![slow]).await;
    let batch = world.syncing("u", 1).await;
    world.called(1, 1).await;
    world.advance("u", Duration::from_secs(86_400)).await;
    assert_eq!(world.part(&batch).await.0, SyncStatus::Completed, "done when the clock has moved");
    world.stop().await;
}

/// The machine's clock, which a test can set back.
#[derive(Default)]
struct SetBack {
    clock: SystemClock,
    by: Mutex<TimeDelta>,
}

impl Clock for SetBack {
    fn now(&self) -> DateTime<Utc> {
        self.clock.now() - *self.by.lock().unwrap()
    }

    fn elapsed(&self) -> Duration {
        self.clock.elapsed()
    }
}

#[tokio::test]
async fn a_clock_that_is_set_back_keeps_no_sync_waiting() {
    const WAIT: Duration = Duration::from_secs(2);
    let patient = || scripted(limits(60_000, 60_000), async |call: Call| Ok(sign_in_and_end(&call).after(WAIT)));
    let clock = Arc::new(SetBack::default());
    let mut world = World::of(vec![patient(), patient()], Arc::clone(&clock) as Arc<dyn Clock>, |_| ()).await;
    // A sync whose node died.
    let orphan = world.syncing("v", 2).await;
    let lease = crate::store::micros(clock.now() + TimeDelta::seconds(10));
    query("UPDATE retailer_sessions SET lease_owner = 'dead', lease_until = $1")
        .bind(lease)
        .execute(world.store.writer())
        .await
        .unwrap();
    world.running = Some(world.engine.run());
    let began = Instant::now();
    let batch = world.syncing("u", 1).await;
    world.called(1, 1).await;
    assert!(world.engine.settle("u", Duration::from_secs(20)).await.unwrap());
    *clock.by.lock().unwrap() = TimeDelta::days(2);
    assert_eq!(world.ended(&batch).await, (SyncStatus::Completed, None));
    assert!(began.elapsed() >= WAIT, "the wait is as long as before");
    assert_eq!(world.ended(&orphan).await, (SyncStatus::Completed, None));
    world.stop().await;
}
