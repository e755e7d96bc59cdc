//! Requests at the same time on several nodes: the constraints of the tables let one of them win.

use chrono::DateTime;
use futures::future::join_all;
use tempfile::TempDir;

use super::root_keys::{at, ring};
use super::{caller, fresh_path, share, with_user};
use crate::environment::Environment;
use crate::store::Store;
use crate::store::db::{query, query_scalar};
use crate::store::syncs::start::{NewConnection, NewCredentials, Stamp, StartOutcome};

const TIMES: usize = 8;

async fn nodes() -> (TempDir, Vec<Store>) {
    let (folder, path) = fresh_path();
    let first = Store::of_test(&path).await;
    with_user(&first).await;
    (folder, vec![first, Store::of_test(&path).await, Store::of_test(&path).await])
}

/// A request to connect the retailer 12, at one of the nodes.
async fn connect(nodes: &[Store], number: usize) -> StartOutcome {
    let (id, stamp) = (format!("conn_{number}"), format!("stamp {number}"));
    let new = NewConnection {
        id: &id,
        history_end: None,
        retailer_id: 12,
        display_name: "Shop",
        credentials: b"sealed",
        stamp: Stamp { stamp: &stamp, expires_at: DateTime::UNIX_EPOCH },
    };
    nodes[number % nodes.len()].connect(&caller(), &new, None).await.unwrap()
}

/// Asserts that one of the requests started a sync, and that the others were refused. Returns its index.
fn one_starts(outcomes: &[StartOutcome], is_refused: impl Fn(&StartOutcome) -> bool) -> usize {
    let is_started = |index: &usize| matches!(outcomes[*index], StartOutcome::Started(_));
    let started: Vec<usize> = (0..outcomes.len()).filter(is_started).collect();
    let refused = outcomes.iter().filter(|outcome| is_refused(outcome)).count();
    assert_eq!((started.len(), refused), (1, TIMES - 1), "{outcomes:?}");
    started[0]
}

async fn count(store: &Store, query: &'static str) -> i64 {
    query_scalar(query).fetch_one(&store.pool).await.unwrap()
}

#[tokio::test]
async fn of_connects_to_one_retailer_one_makes_the_connection_and_the_others_name_it() {
    let (_folder, nodes) = nodes().await;
    let outcomes = join_all((0..TIMES).map(|number| connect(&nodes, number))).await;
    let made: String =
        query_scalar("SELECT id FROM connections WHERE retailer_id = 12").fetch_one(&nodes[0].pool).await.unwrap();
    one_starts(&outcomes, |outcome| matches!(outcome, StartOutcome::Exists(id) if id.as_str() == made));
    // Those that were refused used up no stamp, and left nothing behind.
    assert_eq!(count(&nodes[0], "SELECT COUNT(*) FROM used_stamps").await, 1);
    assert_eq!(count(&nodes[0], "SELECT COUNT(*) FROM sessions").await, 1);
}

#[tokio::test]
async fn a_connect_beside_a_removal_makes_the_connection_or_names_the_one_that_was_there() {
    let (_folder, nodes) = nodes().await;
    let connect = |number: usize| connect(&nodes, number);
    let remove = async |number: usize| {
        let store = &nodes[number % nodes.len()];
        query("DELETE FROM connections WHERE retailer_id = 12").execute(&store.writer).await.unwrap();
    };
    for round in 0..20 {
        let numbers = round * TIMES..(round + 1) * TIMES;
        let (outcomes, _) = tokio::join!(join_all(numbers.clone().map(connect)), join_all(numbers.map(remove)));
        for outcome in outcomes {
            assert!(matches!(outcome, StartOutcome::Started(_) | StartOutcome::Exists(_)), "{outcome:?}");
        }
    }
}

#[tokio::test]
async fn of_requests_to_sync_a_connection_one_starts_a_sync_and_the_others_name_it() {
    let (_folder, nodes) = nodes().await;
    share(&nodes[0], &["c1", "c2"]).await;
    let sync = async |number: usize| nodes[number % nodes.len()].sync(&caller(), "c1", false, None).await.unwrap();
    let outcomes = join_all((0..TIMES).map(sync)).await;
    let batch: String = query_scalar("SELECT id FROM sessions").fetch_one(&nodes[0].pool).await.unwrap();
    one_starts(&outcomes, |outcome| matches!(outcome, StartOutcome::InProgress(id) if id.as_str() == batch));
    // A request to sync all takes those that are idle; the next one finds none.
    let StartOutcome::Started(answer) = nodes[1].sync_every(&caller(), false, None).await.unwrap() else { panic!() };
    assert!(String::from_utf8(answer.body).unwrap().contains("\"connectionId\":\"c2\""));
    assert!(matches!(nodes[2].sync_every(&caller(), false, None).await.unwrap(), StartOutcome::InProgress(_)));
    assert_eq!(count(&nodes[0], "SELECT COUNT(*) FROM sessions").await, 2);
    assert_eq!(count(&nodes[0], "SELECT CAST(SUM(position) AS BIGINT) FROM retailer_sessions").await, 0);
}

#[tokio::test]
async fn of_services_that_claim_a_fresh_store_one_decides_its_environment() {
    let (_folder, nodes) = nodes().await;
    let claims = join_all((0..TIMES).map(|number| {
        let environment = if number % 2 == 0 { Environment::Sandbox } else { Environment::Live };
        nodes[number % nodes.len()].claim_environment(environment, caller().now)
    }))
    .await;
    let decided = nodes[0].environment().await.unwrap().unwrap();
    assert!(claims.into_iter().all(|claim| claim.unwrap() == decided));
    assert_eq!(count(&nodes[0], "SELECT COUNT(*) FROM environment").await, 1);
}

#[tokio::test]
async fn of_services_that_claim_a_fresh_store_with_other_root_keys_one_is_let_in() {
    let (_folder, nodes) = nodes().await;
    // The row of the environment is what such claims wait for.
    assert!(nodes[0].claim_root_keys(&ring(&[1]), at(0)).await.is_err());
    nodes[0].claim_environment(Environment::Live, at(0)).await.unwrap();
    let claims = join_all((0..TIMES).map(async |number| {
        let fill = if number % 2 == 0 { 1 } else { 2 };
        nodes[number % nodes.len()].claim_root_keys(&ring(&[fill]), at(0)).await.unwrap()
    }))
    .await;
    assert_eq!(claims.iter().filter(|claim| claim.is_ok()).count(), TIMES / 2, "{claims:?}");
    assert_eq!(count(&nodes[0], "SELECT COUNT(*) FROM root_keys").await, 1);
}

#[tokio::test]
async fn of_fixes_of_a_connection_one_counts_and_the_others_change_nothing() {
    let (_folder, nodes) = nodes().await;
    share(&nodes[0], &["c1"]).await;
    let fix = async |number: usize, stamp: &str| {
        let sealed = [u8::try_from(number).unwrap()];
        let stamp = Stamp { stamp, expires_at: DateTime::UNIX_EPOCH };
        let new = NewCredentials { connection_id: "c1", credentials: &sealed, is_same_account: &|_| false, stamp };
        nodes[number % nodes.len()].fix(&caller(), &new, None).await.unwrap()
    };
    let stamps: Vec<String> = (0..TIMES).map(|number| format!("stamp {number}")).collect();
    let outcomes = join_all(stamps.iter().enumerate().map(|(number, stamp)| fix(number, stamp))).await;
    let batch: String = query_scalar("SELECT id FROM sessions").fetch_one(&nodes[0].pool).await.unwrap();
    let winner =
        one_starts(&outcomes, |outcome| matches!(outcome, StartOutcome::InProgress(id) if id.as_str() == batch));
    assert_eq!(count(&nodes[0], "SELECT COUNT(*) FROM used_stamps").await, 1);
    let credentials = "SELECT credentials FROM connections WHERE id = 'c1'";
    let stored: Vec<u8> = query_scalar(credentials).fetch_one(&nodes[0].pool).await.unwrap();
    assert_eq!(stored, [u8::try_from(winner).unwrap()]);
    // Who repeats a request that was carried out learns of the sync, not that its stamp is used up.
    assert!(matches!(fix(winner, &stamps[winner]).await, StartOutcome::InProgress(_)));
    query("UPDATE retailer_sessions SET active = 0").execute(&nodes[0].writer).await.unwrap();
    assert!(matches!(fix(9, &stamps[winner]).await, StartOutcome::StampUsed));
    let after: Vec<u8> = query_scalar(credentials).fetch_one(&nodes[0].pool).await.unwrap();
    assert_eq!((after, count(&nodes[0], "SELECT COUNT(*) FROM sessions").await), (stored, 1));
}

#[tokio::test]
async fn a_phone_number_that_two_users_have_stays_with_both() {
    let (_folder, nodes) = nodes().await;
    let (earlier, present) = ([1; 32], [2; 32]);
    // A node that knows only the present root key made a user of its own.
    let old = nodes[0].user_by_phone(&earlier, "0001", at(0)).await.unwrap();
    let new = nodes[1].user_by_phone(&present, "0001", at(0)).await.unwrap();
    let move_phone =
        async |number: usize, from, to| nodes[number % nodes.len()].move_phone(&[[0; 32], from], &to).await.unwrap();
    join_all((0..TIMES).map(|number| move_phone(number, earlier, present))).await;
    assert_eq!(nodes[2].user_by_phone(&earlier, "0001", at(0)).await.unwrap(), old);
    assert_eq!(nodes[2].user_by_phone(&present, "0001", at(0)).await.unwrap(), new);
    // The transaction that failed is over, and the number of a user who has one is moved by one of several.
    let other = nodes[0].user_by_phone(&[3; 32], "0003", at(0)).await.unwrap();
    join_all((0..TIMES).map(|number| move_phone(number, [3; 32], [4; 32]))).await;
    assert_eq!(nodes[2].user_by_phone(&[4; 32], "0003", at(0)).await.unwrap(), other);
}
