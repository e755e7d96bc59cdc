//! The order in which a sync's changes lock rows. A database with row locks would stop two transactions that lock the
//! same rows in different orders.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ordersync_api::{SyncErrorCode, SyncStatus};
use sqlx::sqlite::SqliteOperation;

use super::{Call, World, done, next, scripted};
use crate::connector::{Challenge, ChallengeKind, ConnectorError, Outcome, Page, PhaseLimits};
use crate::store::Store;
use crate::store::accounts::idempotency::Answer;
use crate::store::db::query_scalar;
use crate::store::syncs::mfa::{AnswerOutcome, MfaLookup};
use crate::sync::MfaAnswer;

/// The part first, the session last.
const ORDER: [&str; 6] = ["retailer_sessions", "mfa_requests", "connections", "orders", "line_items", "sessions"];

/// The changes that transactions made to rows that existed before them.
#[derive(Default)]
struct Seen {
    made: HashSet<(String, i64)>,
    taken: Vec<String>,
    transactions: Vec<Vec<String>>,
}

impl Seen {
    fn change(&mut self, operation: &SqliteOperation, table: &str, rowid: i64) {
        let row = (table.to_owned(), rowid);
        if matches!(operation, SqliteOperation::Insert) {
            self.made.insert(row);
        } else if ORDER.contains(&table) && !self.made.contains(&row) && !self.taken.iter().any(|taken| taken == table)
        {
            self.taken.push(table.to_owned());
        }
    }

    fn end(&mut self) {
        self.made.clear();
        self.transactions.push(std::mem::take(&mut self.taken));
    }
}

async fn watched(store: &Store) -> Arc<Mutex<Seen>> {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut writer = store.writer().sqlite().acquire().await.unwrap();
    let mut handle = writer.lock_handle().await.unwrap();
    let (changes, commits) = (Arc::clone(&seen), Arc::clone(&seen));
    handle.set_update_hook(move |change| {
        changes.lock().unwrap().change(&change.operation, change.table, change.rowid);
    });
    handle.set_commit_hook(move || {
        commits.lock().unwrap().end();
        true
    });
    seen
}

/// Answers the question of a session.
async fn answer(world: &World, batch: &str) {
    let question = async {
        while world.part(batch).await.0 != SyncStatus::UserIntervention {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(300), question).await.expect("nothing is asked");
    let caller = world.user("u").await;
    let id: String = query_scalar("SELECT id FROM mfa_requests").fetch_one(world.store.writer()).await.unwrap();
    let MfaLookup::Pending(pending) = world.store.mfa_request(&caller, &id).await.unwrap() else { panic!() };
    let sealed = MfaAnswer::Code("1".to_owned()).seal(&world.keys, &pending.part_id).unwrap();
    let kept = Answer { status: 202, body: Vec::new() };
    let limit = caller.now + Duration::from_secs(60);
    let outcome = world.store.answer_mfa(&caller, &id, &sealed, limit, (None, &kept)).await.unwrap();
    assert_eq!(outcome, AnswerOutcome::Taken);
    world.engine.wake();
}

#[tokio::test]
async fn every_change_of_a_sync_takes_the_part_first_and_the_session_last() {
    let pages = scripted(PhaseLimits::default(), async |call: Call| {
        Ok(match call.step {
            0 => next(&call, Outcome::SignedIn { session: None }),
            1 => next(&call, Outcome::Page(Page::default())),
            _ => done(&call, None),
        })
    });
    let asks = scripted(PhaseLimits::default(), async |call: Call| {
        let challenge = || Challenge { kind: ChallengeKind::Enter, prompt: "The code?".to_owned() };
        Ok(match call.step {
            0 => next(&call, Outcome::Challenge(challenge())),
            1 => next(&call, Outcome::SignedIn { session: None }),
            _ => done(&call, None),
        })
    });
    let refuses =
        scripted(PhaseLimits::default(), async |_| Err(ConnectorError::new(SyncErrorCode::CredentialsRefused)));
    let world = World::running_on_sqlite(vec![pages, asks, refuses]).await;
    let seen = watched(&world.store).await;
    let (paged, asked, refused) =
        (world.syncing("u", 1).await, world.syncing("u", 2).await, world.syncing("u", 3).await);
    answer(&world, &asked).await;
    for (batch, status) in
        [(paged, SyncStatus::Completed), (asked, SyncStatus::Completed), (refused, SyncStatus::Error)]
    {
        assert_eq!(world.ended(&batch).await.0, status);
    }
    let seen = seen.lock().unwrap();
    let rank = |table: &String| ORDER.iter().position(|other| other == table);
    for taken in &seen.transactions {
        assert!(taken.is_sorted_by_key(rank), "{taken:?}");
    }
    for expected in
        [&["retailer_sessions", "connections", "sessions"][..], &["retailer_sessions", "mfa_requests", "sessions"]]
    {
        assert!(seen.transactions.iter().any(|taken| taken == expected), "{:?}", seen.transactions);
    }
}
