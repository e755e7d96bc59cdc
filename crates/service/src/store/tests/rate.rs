//! The rate limit over several nodes.

use std::num::NonZeroU32;
use std::time::Duration;

use super::fresh_path;
use crate::config::RateLimit;
use crate::store::Store;

fn limit(requests: u32, window: Duration) -> RateLimit {
    RateLimit { requests: NonZeroU32::new(requests).unwrap(), window }
}

#[tokio::test]
async fn nodes_of_a_shared_store_count_together_and_each_request_once() {
    let (_folder, path) = fresh_path();
    let nodes = [Store::of_test(&path).await, Store::of_test(&path).await];
    if !nodes[0].is_shared() {
        // A file has one node, which counts in memory.
        return;
    }
    let minute = limit(100, Duration::from_secs(60));
    let requests = (0..130).map(|number: usize| nodes[number % 2].count_request("client k", minute));
    let counted: Vec<_> = futures::future::try_join_all(requests).await.unwrap();
    let mut left: Vec<usize> =
        counted.iter().filter(|counted| counted.is_accepted).map(|counted| counted.remaining).collect();
    left.sort_unstable();
    assert_eq!(left, (0..100).collect::<Vec<_>>());
    assert!(counted.iter().all(|counted| counted.wait <= Duration::from_secs(60)));
    // Others are not concerned, and a window that has passed lets requests in again.
    assert!(nodes[0].count_request("client l", minute).await.unwrap().is_accepted);
    let short = limit(1, Duration::from_millis(300));
    assert!(nodes[0].count_request("client m", short).await.unwrap().is_accepted);
    let refused = nodes[1].count_request("client m", short).await.unwrap();
    assert!(!refused.is_accepted);
    tokio::time::sleep(refused.wait).await;
    assert!(nodes[1].count_request("client m", short).await.unwrap().is_accepted);
    nodes[0].forget_callers(chrono::DateTime::<chrono::Utc>::MAX_UTC).await.unwrap();
    assert!(nodes[0].count_request("client k", minute).await.unwrap().is_accepted);
}
