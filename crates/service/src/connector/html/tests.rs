use std::collections::HashSet;

use scraper::Selector;

use super::*;

#[test]
fn what_a_refusal_says() {
    let messages: Vec<ConnectorError> =
        [Refusal::Bytes, Refusal::Depth, Refusal::Nodes, Refusal::Attributes, Refusal::Time].map(Into::into).into();
    assert!(messages.iter().all(|error| error.code == SyncErrorCode::RetailerChanged));
    assert_eq!(messages.iter().map(|error| &error.message).collect::<HashSet<_>>().len(), messages.len());
    assert!(messages[1].message.contains("nested more deeply than any page of a shop"), "{}", messages[1].message);
    assert_eq!(messages.iter().filter(|error| error.transient).count(), 1, "a slow machine may pass");
}

#[tokio::test]
async fn pages_are_read_on_threads_of_their_own() {
    let here = std::thread::current().id();
    let shop = Reader::new("Shop");
    let title = shop.read("<title>Shop</title>".to_owned(), move |page| {
        assert_ne!(std::thread::current().id(), here);
        let title = Selector::parse("title").unwrap();
        Ok(page.select(&title).next().map(|title| title.text().collect::<String>()))
    });
    assert_eq!(title.await.unwrap().as_deref(), Some("Shop"));
    let panicking = shop.read(String::new(), |_| -> Result<(), ConnectorError> { panic!("on purpose") });
    assert_eq!(panicking.await.unwrap_err().code, SyncErrorCode::InternalError);
    let bomb = shop.read("<div>".repeat(1000), |_| Ok(()));
    assert_eq!(bomb.await.unwrap_err().code, SyncErrorCode::RetailerChanged);
}

#[tokio::test]
async fn no_more_pages_are_parsed_at_once_than_the_bound_allows_and_a_caller_that_leaves_frees_its_place() {
    let permits = PARSERS.acquire_many(u32::try_from(PARSERS.available_permits()).unwrap()).await.unwrap();
    let (started, mut reads) = tokio::sync::mpsc::unbounded_channel();
    let read = |what| {
        let started = started.clone();
        let send = move |_: &Html| {
            started.send(what).unwrap();
            Ok(())
        };
        tokio::spawn(async move { Reader::new("Shop").read(String::new(), send).await })
    };
    let (waiting, next) = (read("gone"), read("next"));
    drop(started);
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    assert!(reads.try_recv().is_err());
    drop(permits);
    next.await.unwrap().unwrap();
    assert_eq!((reads.recv().await, reads.recv().await), (Some("next"), None));
}

#[tokio::test]
async fn a_page_that_takes_too_long_to_read_frees_its_place_and_stops_its_own_retailer_alone() {
    let mut slow = Reader { max_reading: Duration::ZERO, ..Reader::new("Slow shop") };
    let (end, ended) = std::sync::mpsc::channel::<()>();
    let cut = slow.read(String::new(), move |_| Ok(ended.recv().unwrap_err())).await.unwrap_err();
    assert!(cut.transient && cut.message.contains("takes too long to read"), "{}", cut.message);
    assert!(PAGES_CUT_OFF.as_ref().unwrap().get() >= 1 && slow.has_warned.load(Ordering::Relaxed));
    Reader::new("Other shop").read(String::new(), |_| Ok(())).await.unwrap();
    let refused = slow.read(String::new(), |_| -> Result<(), _> { panic!("not read") }).await.unwrap_err();
    assert_eq!(refused.message, cut.message);
    slow.max_reading = MAX_READING;
    drop(end);
    while slow.left.lock().unwrap().iter().any(|(thread, _)| thread.strong_count() > 0) {
        tokio::task::yield_now().await;
    }
    slow.read(String::new(), |_| Ok(())).await.unwrap();
}
