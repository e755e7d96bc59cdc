//! Requests at the same time on several nodes: the constraints of the tables let one of them win.

use chrono::DateTime;
use futures::future::join_all;
use tempfile::TempDir;

use super::{caller, share, with_user};
use crate::environment::Environment;
use crate::store::Store;
use crate::store::start::{NewConnection, Stamp, StartOutcome};

const TIMES: usize = 8;

async fn nodes(folder: &TempDir) -> Vec<Store> {
    let path = folder.path().join("s");
    let first = Store::open(&path).await.unwrap();
    with_user(&first).await;
    vec![first, Store::open(&path).await.unwrap(), Store::open(&path).await.unwrap()]
}

async fn count(store: &Store, query: &'static str) -> i64 {
    sqlx::query_scalar(query).fetch_one(&store.pool).await.unwrap()
}

#[tokio::test]
async fn of_connects_to_one_retailer_one_makes_the_connection_and_the_others_name_it() {
    let folder = TempDir::new().unwrap();
    let nodes = nodes(&folder).await;
    let connect = async |number: usize| {
        let (id, stamp) = (format!("conn_{number}"), format!("stamp {number}"));
        let new = NewConnection {
            id: &id,
            retailer_id: 12,
            display_name: "Shop",
            credentials: b"sealed",
            stamp: Stamp { stamp: &stamp, expires_at: DateTime::UNIX_EPOCH },
        };
        nodes[number % nodes.len()].connect(&caller(), &new, None).await.unwrap()
    };
    let outcomes = join_all((0..TIMES).map(connect)).await;
    let made: String = sqlx::query_scalar("SELECT id FROM connections WHERE retailer_id = 12")
        .fetch_one(&nodes[0].pool)
        .await
        .unwrap();
    let started = outcomes.iter().filter(|outcome| matches!(outcome, StartOutcome::Started(_))).count();
    let named = outcomes.iter().filter(|o| matches!(o, StartOutcome::Exists(id) if id.as_str() == made)).count();
    assert_eq!((started, named), (1, TIMES - 1), "{outcomes:?}");
    // Those that were refused used up no stamp, and left nothing behind.
    assert_eq!(count(&nodes[0], "SELECT COUNT(*) FROM used_stamps").await, 1);
    assert_eq!(count(&nodes[0], "SELECT COUNT(*) FROM sessions").await, 1);
}

#[tokio::test]
async fn of_requests_to_sync_a_connection_one_starts_a_sync_and_the_others_name_it() {
    let folder = TempDir::new().unwrap();
    let nodes = nodes(&folder).await;
    share(&nodes[0], &["c1", "c2"]).await;
    let sync = async |number: usize| nodes[number % nodes.len()].sync(&caller(), "c1", false, None).await.unwrap();
    let outcomes = join_all((0..TIMES).map(sync)).await;
    let batch: String = sqlx::query_scalar("SELECT id FROM sessions").fetch_one(&nodes[0].pool).await.unwrap();
    let started = outcomes.iter().filter(|outcome| matches!(outcome, StartOutcome::Started(_))).count();
    let named = outcomes.iter().filter(|o| matches!(o, StartOutcome::InProgress(id) if id.as_str() == batch)).count();
    assert_eq!((started, named), (1, TIMES - 1), "{outcomes:?}");
    // A request to sync all takes those that are idle; the next one finds none.
    let StartOutcome::Started(answer) = nodes[1].sync_every(&caller(), false, None).await.unwrap() else { panic!() };
    assert!(String::from_utf8(answer.body).unwrap().contains("\"connectionId\":\"c2\""));
    assert!(matches!(nodes[2].sync_every(&caller(), false, None).await.unwrap(), StartOutcome::InProgress(_)));
    assert_eq!(count(&nodes[0], "SELECT COUNT(*) FROM sessions").await, 2);
    assert_eq!(count(&nodes[0], "SELECT SUM(position) FROM retailer_sessions").await, 0);
}

#[tokio::test]
async fn of_services_that_claim_a_fresh_store_one_decides_its_environment() {
    let folder = TempDir::new().unwrap();
    let nodes = nodes(&folder).await;
    let claims = join_all((0..TIMES).map(|number| {
        let environment = if number % 2 == 0 { Environment::Sandbox } else { Environment::Live };
        nodes[number % nodes.len()].claim_environment(environment, caller().now)
    }))
    .await;
    let decided = nodes[0].environment().await.unwrap().unwrap();
    assert!(claims.into_iter().all(|claim| claim.unwrap() == decided));
    assert_eq!(count(&nodes[0], "SELECT COUNT(*) FROM environment").await, 1);
}
