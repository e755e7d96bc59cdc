//! Many users of one sandbox at the same time, each with a clock that is moved by other steps: none disturbs another, and every
//! healthy sync completes with the orders that it has undisturbed.
//!
//! With `ORDERSYNC_LONG_TESTS=1`, each of the sandbox's hundred phone numbers takes part; otherwise a few do.

use ordersync_api::{Session, SessionStatus, SyncStatus};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{User, World, refusal};

/// By how many seconds a user's clock is moved each time, until the sync has ended.
const STEPS: [u32; 10] = [1, 2, 5, 20, 60, 301, 3_600, 86_400, 1_000_000, 40 * 86_400];
/// What is synced: healthy accounts, of which one asks for a code.
const ACCOUNTS: [&str; 4] = ["user_good", "user_items_500", "user_slow", "user_mfa_enter"];
const RETAILER: i64 = 12;

fn is_long() -> bool {
    std::env::var("ORDERSYNC_LONG_TESTS").is_ok_and(|value| value == "1")
}

/// The endings of the phone numbers that take part.
fn endings() -> impl Iterator<Item = u8> {
    (0..if is_long() { 100 } else { 12 }).map(|place| place * if is_long() { 1 } else { 7 })
}

async fn sandbox(speed: f64) -> World {
    World::with(|config| config.sandbox.as_mut().unwrap().speed = speed).await
}

/// What the user has of an order, without what differs from user to user.
fn shown(orders: &[Value]) -> Vec<Value> {
    let mut shown = orders.to_vec();
    for line in &mut shown {
        for own in ["id", "connectionId", "updatedAt"] {
            assert!(line.as_object_mut().unwrap().remove(own).is_some());
        }
    }
    shown
}

/// Moves the user's clock, again and again by that many seconds, until the sync has ended. The code is given as soon as it is
/// asked for, which is within the five minutes that there are for it.
async fn moved_to_the_end(user: &User, batch_id: &str, seconds: u32) -> Session {
    let mut moves = 0;
    loop {
        let session = user.session(batch_id).await;
        if session.status.is(&SessionStatus::Normal) {
            return session;
        }
        let part = &session.retailer_sync_sessions[0];
        if let Some((req_id, _)) = session.open_mfa(part) {
            let body = json!({ "eventType": "enter", "reqId": req_id, "otpValue": "123456" });
            assert_eq!(user.post("/sync/mfa", &body).await.status(), 202);
        }
        user.advance(seconds).await;
        moves += 1;
        assert!(moves < 1_000, "{seconds} s: {session:#?}");
    }
}

/// A sync of that account, with a clock that is moved in its course.
async fn disturbed(user: User, account: &'static str, seconds: u32) -> (Session, Vec<Value>) {
    let batch_id = user.connect(RETAILER, account).await;
    if account.starts_with("user_mfa") {
        // A clock moved past what is asked expires it, which is right: so the code is asked for before it is moved.
        user.asked(&batch_id).await;
    }
    let session = moved_to_the_end(&user, &batch_id, seconds).await;
    (session, user.all_orders().await)
}

/// All of them at the same time; each has to have the orders of the undisturbed history.
async fn all_complete(speed: f64) {
    let world = sandbox(speed).await;
    let mut expected = Vec::new();
    let undisturbed = sandbox(1_000_000.0).await;
    for (ending, account) in (1..).zip(ACCOUNTS) {
        let user = undisturbed.node.user(ending).await;
        let batch_id = user.connect(RETAILER, account).await;
        let session = if account.starts_with("user_mfa") {
            user.asked(&batch_id).await;
            moved_to_the_end(&user, &batch_id, 0).await
        } else {
            user.ended(&batch_id).await
        };
        assert_eq!(session.retailer_sync_sessions[0].sync_status.to_string(), "completed");
        expected.push(shown(&user.all_orders().await));
    }
    let mut running = JoinSet::new();
    for (turn, ending) in endings().enumerate() {
        // Every account with every step, as far as there are phone numbers.
        let (account, seconds) = (turn % ACCOUNTS.len(), STEPS[(turn / ACCOUNTS.len() + turn) % STEPS.len()]);
        let user = world.node.user(ending).await;
        running.spawn(async move { (account, seconds, disturbed(user, ACCOUNTS[account], seconds).await) });
    }
    while let Some(done) = running.join_next().await {
        let (account, seconds, (session, orders)) = done.unwrap();
        let part = &session.retailer_sync_sessions[0];
        let name = ACCOUNTS[account];
        assert_eq!(part.sync_status.to_string(), "completed", "{name}, {seconds} s: {session:#?}");
        assert_eq!(part.items_new, Some(expected[account].len() as u64), "{name}, {seconds} s");
        assert!(shown(&orders) == expected[account], "{name}, {seconds} s");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn healthy_syncs_complete_however_each_moves_its_own_clock() {
    all_complete(1.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn healthy_syncs_complete_a_hundred_times_faster_than_life() {
    all_complete(100.0).await;
}

#[tokio::test]
async fn a_sync_under_a_clock_that_stands_still_completes() {
    for speed in [1.0, 100.0] {
        let world = sandbox(speed).await;
        for (ending, account) in (1..).zip(["user_good", "user_adjustments", "user_items_500", "user_flaky"]) {
            let user = world.node.user(ending).await;
            let frozen: Value = user.post("/sandbox/clock", &json!({ "freeze": true })).await.json().await.unwrap();
            let session = user.connected(RETAILER, account).await;
            assert_eq!(session.retailer_sync_sessions[0].sync_status.to_string(), "completed", "{account}");
            let session = serde_json::to_value(&session).unwrap();
            for moment in ["createdAt", "completedAt"] {
                assert_eq!(session[moment], frozen["now"], "{account}");
            }
        }
    }
}

#[tokio::test]
async fn a_sync_that_is_on_its_way_when_the_clock_is_stopped_completes() {
    let world = sandbox(1.0).await;
    let user = world.node.user(1).await;
    let batch_id = user.connect(RETAILER, "user_good").await;
    user.until(&batch_id, |session| session.retailer_sync_sessions[0].sync_status.is(&SyncStatus::Connecting)).await;
    let stopped: Value = user.post("/sandbox/clock", &json!({ "freeze": true })).await.json().await.unwrap();
    assert_eq!(stopped["frozen"], true);
    let session = user.ended(&batch_id).await;
    assert_eq!(session.retailer_sync_sessions[0].sync_status.to_string(), "completed");
}

#[tokio::test]
async fn the_slow_account_holds_while_the_clock_stands_still_and_then_goes_on() {
    for speed in [1.0, 20.0] {
        let world = sandbox(speed).await;
        let user = world.node.user(1).await;
        user.post("/sandbox/clock", &json!({ "freeze": true })).await;
        let batch_id = user.connect(RETAILER, "user_slow").await;
        user.until(&batch_id, |session| session.retailer_sync_sessions[0].items_found > Some(0)).await;
        user.advance(0).await;
        assert_eq!(user.session(&batch_id).await.status.to_string(), "syncing");
        user.advance(60).await;
        let session = user.session(&batch_id).await;
        assert_eq!(session.retailer_sync_sessions[0].sync_status.to_string(), "completed");
    }
}

#[tokio::test]
async fn a_retailer_that_never_answers_times_out_only_when_the_clock_moves() {
    let world = sandbox(1.0).await;
    let user = world.node.user(1).await;
    user.post("/sandbox/clock", &json!({ "freeze": true })).await;
    let batch_id = user.connect(RETAILER, "user_timeout").await;
    user.advance(10).await;
    assert_eq!(user.session(&batch_id).await.status.to_string(), "syncing");
    user.advance(60).await;
    let session = user.session(&batch_id).await;
    assert_eq!(session.retailer_sync_sessions[0].sync_status.to_string(), "timed_out");
}

#[tokio::test]
async fn the_latest_of_several_sessions_of_one_moment_is_the_one_started_last() {
    let (world, user) = World::with_user().await;
    user.post("/sandbox/clock", &json!({ "freeze": true })).await;
    for retailer_id in 1..=12 {
        let session = user.connected(retailer_id, "user_empty").await;
        assert_eq!(user.get_json("/sync/sessions/latest").await["batchId"], session.batch_id.as_str());
    }
    // A user whose clock stands still does not stop those of others.
    let other = world.node.user(2).await;
    other.connected(1, "user_good").await;
    assert_eq!(refusal(user.post("/sandbox/clock", &json!({})).await, 400).await.0, "INVALID_REQUEST");
}
