//! How parts end, and what that means for their connections.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use chrono::{DateTime, Utc};
use ordersync_api::{Session, SyncErrorCode, SyncStatus};

use super::{Call, Scripted, World, done, next, scripted, sign_in_and_end, well};
use crate::connector::{
    Challenge, ChallengeKind, CheckedOrder, ConnectorError, LineItem, Outcome, Page, PhaseLimits, RetailerOrder,
    ScanReport, Step,
};
use crate::store::db::{query, query_as, query_scalar};
use crate::store::syncs::steps::After;
use crate::traces;

#[tokio::test]
async fn a_failed_check_ends_the_sync_and_leaves_the_connection_valid() {
    let incomplete = scripted(PhaseLimits::default(), async |call: Call| {
        Ok(if call.step == 0 {
            next(&call, Outcome::SignedIn { session: None })
        } else {
            done(&call, Some("The list says 17 orders and shows 16."))
        })
    });
    let world = World::running(vec![incomplete]).await;
    let batch = world.syncing("u", 1).await;
    assert_eq!(world.ended(&batch).await, (SyncStatus::Error, Some("retailer_incomplete".into())));
    assert_eq!(world.part(&batch).await.2.as_deref(), Some("The list says 17 orders and shows 16."));
    let (status, remembered, synced_at): (String, bool, Option<i64>) =
        query_as("SELECT status, session IS NOT NULL, last_sync_at FROM connections")
            .fetch_one(world.store.writer())
            .await
            .unwrap();
    assert_eq!((status.as_str(), remembered, synced_at), ("valid", true, None));
    world.stop().await;
}

/// A sync finds these orders, one line each, and says whether the list was complete.
fn finds(orders: &[&str], listed_all: bool, call: &Call) -> Step {
    let order = |id: &&str| {
        CheckedOrder::invented(RetailerOrder {
            order_id: (*id).into(),
            fingerprint: None,
            placed_at: DateTime::from_timestamp(1_700_000_000, 0),
            is_day_alone: false,
            sources: Vec::new(),
            stated_at: None,
            total: None,
            currency: Some("EUR".into()),
            mismatch: Vec::new(),
            adjustments: None,
            items: vec![LineItem { title: Some("Tea".into()), ..LineItem::default() }],
        })
    };
    let report = ScanReport::invented(listed_all, None);
    next(
        call,
        match call.step {
            0 => Outcome::SignedIn { session: None },
            1 => Outcome::Page(Page { orders: orders.iter().map(order).collect(), ..Page::default() }),
            _ => Outcome::Done { session: None, report },
        },
    )
}

#[tokio::test]
async fn what_a_list_does_not_show_is_missing_only_if_the_list_is_proven_complete() {
    let syncs = AtomicU32::new(0);
    let shop = scripted(PhaseLimits::default(), move |call: Call| {
        let sync = if call.step == 0 { syncs.fetch_add(1, SeqCst) } else { syncs.load(SeqCst) - 1 };
        let step = match sync {
            0 => finds(&["1", "2"], true, &call),
            1 => finds(&["1"], false, &call),
            _ => finds(&["1"], true, &call),
        };
        async move { Ok(step) }
    });
    let world = World::running(vec![shop]).await;
    let mut batch = world.syncing("u", 1).await;
    for missing in [0, 0, 1] {
        assert_eq!(world.ended(&batch).await.0, SyncStatus::Completed);
        let stored: (i64, i64) = query_as("SELECT count(*), count(missing_since) FROM orders")
            .fetch_one(world.store.writer())
            .await
            .unwrap();
        assert_eq!(stored, (2, missing));
        batch = world.sync("u", "u-1").await;
    }
    world.ended(&batch).await;
    world.stop().await;
}

#[tokio::test]
async fn a_first_sync_that_fails_for_a_passing_reason_says_why_and_can_be_repeated() {
    let asked = AtomicU32::new(0);
    let down = scripted(PhaseLimits::default(), move |call: Call| {
        let first = asked.fetch_add(1, SeqCst) == 0;
        async move {
            if first {
                return Err(ConnectorError::new(SyncErrorCode::RetailerUnavailable));
            }
            Ok(sign_in_and_end(&call))
        }
    });
    let world = World::running(vec![down]).await;
    let batch = world.syncing("u", 1).await;
    world.ended(&batch).await;
    assert_eq!(world.status("u-1").await, ("pending".into(), Some("retailer_unavailable".into())));
    let batch = world.sync("u", "u-1").await;
    assert_eq!(world.ended(&batch).await.0, SyncStatus::Completed);
    assert_eq!(world.status("u-1").await, ("valid".into(), None));
    world.stop().await;
}

#[tokio::test]
async fn the_trace_of_the_request_that_started_a_sync_stays_with_it() {
    let world = World::running(vec![well(), well()]).await;
    let given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().ok();
    for (retailer, trace) in [(1, given), (2, None)] {
        let batch = traces::within(trace, world.syncing("u", retailer)).await;
        world.ended(&batch).await;
        let part: String = query_scalar("SELECT id FROM retailer_sessions WHERE batch_id = $1")
            .bind(&batch)
            .fetch_one(world.store.writer())
            .await
            .unwrap();
        assert_eq!(world.store.figures(&part).await.unwrap().unwrap().trace, trace);
    }
    world.stop().await;
}

/// Asks for a code.
fn asks() -> Scripted {
    scripted(PhaseLimits::default(), async |call: Call| {
        let challenge = Challenge { kind: ChallengeKind::Enter, prompt: "The code?".to_owned() };
        Ok(next(&call, Outcome::Challenge(challenge)))
    })
}

#[tokio::test]
async fn one_overdue_part_that_cannot_be_ended_does_not_stop_the_others() {
    let world = World::running(vec![asks(), asks()]).await;
    let (broken, other) = (world.syncing("u", 1).await, world.syncing("u", 2).await);
    for batch in [&broken, &other] {
        while world.part(batch).await.0 != SyncStatus::UserIntervention {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    // A word of a newer version; and this one is overdue first.
    query(
        "UPDATE retailer_sessions SET sync_status = 'dreaming', deadline_at = deadline_at - 1000 WHERE batch_id = $1",
    )
    .bind(&broken)
    .execute(world.store.writer())
    .await
    .unwrap();
    let now: DateTime<Utc> = world.engine.clock.now();
    let advance = crate::store::sandbox::control::ClockChange::Advance(Duration::from_secs(301));
    world.store.change_clock("u", advance, now).await.unwrap();
    world.engine.wake();
    assert_eq!(world.ended(&other).await, (SyncStatus::TimedOut, Some("mfa_expired".into())));
    world.stop().await;
}

#[tokio::test]
async fn a_session_ends_for_a_client_with_the_parts_that_it_sees() {
    let world = World::running(vec![well(), asks()]).await;
    let caller = world.user("u").await;
    for retailer in [1, 2] {
        world.connection("u", retailer).await;
    }
    for statement in [
        "UPDATE connections SET status = 'valid'",
        "INSERT INTO clients (id, name, created_at) VALUES ('other', '', 0)",
        "INSERT INTO connection_shares (user_id, connection_id, client_id, shared_at) VALUES ('u', 'u-1', 'other', 0)",
    ] {
        query(statement).execute(world.store.writer()).await.unwrap();
    }
    let batch = world.started(world.store.sync_every(&caller, false, None).await.unwrap());
    let other = crate::store::accounts::users::Caller { client_id: "other".into(), ..caller.clone() };
    let waits = |session: &Session| session.retailer_sync_sessions.iter().any(|part| session.open_mfa(part).is_some());
    let seen = async |who| world.store.session(who, &batch).await.unwrap().unwrap();
    while seen(&other).await.completed_at.is_none() || !waits(&seen(&caller).await) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let before = seen(&other).await;
    assert_eq!(before.status.to_string(), "normal");
    assert_eq!(before.completed_at, before.updated_at);
    assert_eq!((seen(&caller).await.status.to_string(), seen(&caller).await.completed_at), ("syncing".into(), None));
    // What becomes of the other part changes nothing for this client.
    world.advance("u", Duration::from_secs(301)).await;
    assert_eq!(seen(&other).await, before);
    assert_eq!(seen(&caller).await.status.to_string(), "normal");
    assert_ne!(seen(&caller).await.completed_at, before.completed_at);
    world.stop().await;
}

#[tokio::test]
async fn a_commit_renews_the_lease() {
    use std::sync::Arc;

    use crate::clock::{Clock, SettableClock};
    use crate::store::syncs::queue::Room;

    let clock = Arc::new(SettableClock::at(DateTime::from_timestamp(1_800_000_000, 0).unwrap()));
    let world = World::of(vec![well()], Arc::clone(&clock) as Arc<dyn Clock>, |_| ()).await;
    world.syncing("u", 1).await;
    let mut room = Room {
        parts: 1,
        per_user: 1,
        begun_first: Duration::ZERO,
        per_retailer: &|_| 1,
        users: std::collections::HashMap::new(),
        retailers: std::collections::HashMap::new(),
    };
    let claim = world.store.claim("node", &*clock, &mut room).await.unwrap().pop().unwrap();
    clock.advance(Duration::from_secs(9));
    assert_eq!(world.begun(&claim).await, After::On(Duration::ZERO));
    let until: i64 =
        query_scalar("SELECT lease_until FROM retailer_sessions").fetch_one(world.store.writer()).await.unwrap();
    assert_eq!(until, crate::store::micros(clock.now() + crate::store::syncs::queue::LEASE));
}

#[tokio::test]
async fn a_full_sync_is_full_in_every_step_and_the_next_is_not() {
    let world = World::running(vec![well()]).await;
    let caller = world.user("u").await;
    let connection = world.connection("u", 1).await;
    let batch = world.started(world.store.sync(&caller, &connection, true, None).await.unwrap());
    assert_eq!(world.ended(&batch).await.0, SyncStatus::Completed);
    let batch = world.sync("u", &connection).await;
    assert_eq!(world.ended(&batch).await.0, SyncStatus::Completed);
    let full: Vec<bool> = world.calls(1).iter().map(|call| call.full).collect();
    assert_eq!(full, [true, true, false, false]);
    world.stop().await;
}
