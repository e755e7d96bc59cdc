//! What the store knows about the completeness of connections, from one sync to the next.

use chrono::{DateTime, TimeDelta, Utc};
use ordersync_api::order::Mismatch;
use ordersync_api::{
    Completeness, ConnectionStatus, Extra, IncompleteReason, ListCompleteness, SyncErrorCode, SyncStatus, Timestamp,
};

use super::caller;
use super::ingest::{Shop, line, order, page_of};
use crate::connector::{Page, RetailerOrder};
use crate::store::accounts::connections::{Window, set_status};
use crate::store::db::query;
use crate::store::orders::list::{ListFormat, OrderFilter};
use crate::store::syncs::finish::{End, Leftover};
use crate::store::syncs::lease::Held;

use IncompleteReason::{ConnectionInvalid, EndNotProven, NeverCompleted, OrdersKeptBack, SyncFailed};

const FAILED_EARLY: End<'static> = End::Failed(SyncErrorCode::RetailerUnavailable, "");
const INCOMPLETE: End<'static> = End::Failed(SyncErrorCode::RetailerIncomplete, "");

/// A page whose only orders are kept back.
fn kept_back(order_ids: &[&str]) -> Page {
    Page { kept_back: super::ingest::kept_back(order_ids), ..Page::default() }
}

fn fine() -> Page {
    page_of([order("1", vec![line("Tea", 500)])])
}

impl Shop {
    /// A sync of these pages that ends so. Returns when.
    async fn sync_to(&mut self, pages: &[Page], listed_all: bool, end: End<'_>) -> DateTime<Utc> {
        let mut claim = self.begin().await;
        for page in pages {
            self.page(&claim, page).await;
        }
        if listed_all {
            assert_eq!(self.store.mark_missing(&claim, &self.clock()).await.unwrap(), Held::Yes);
        }
        if end == End::Completed {
            query("UPDATE retailer_sessions SET sync_status = 'processing' WHERE id = $1")
                .bind(&claim.id)
                .execute(&self.store.writer)
                .await
                .unwrap();
            claim.status = SyncStatus::Processing;
        }
        let leftover = Leftover { listed_all, ..Leftover::default() };
        assert_eq!(self.store.finish(&claim, &self.clock(), end, leftover).await.unwrap(), Held::Yes);
        self.now()
    }

    /// As a sync notes it that has read the list.
    async fn set_unproven(&self, is_unproven: bool) {
        let change = query("UPDATE connections SET end_not_proven = $1 WHERE id = 'c1'").bind(is_unproven);
        change.execute(&self.store.writer).await.unwrap();
    }

    /// What is known of the connection that is synced. The document and the header of the list agree on it.
    async fn known(&self) -> Completeness {
        for (retailer_id, connections) in [(None, 3), (Some(1), 1), (Some(9), 0)] {
            let document = self.store.completeness(&caller(), retailer_id).await.unwrap();
            assert_eq!(document.connections.len(), connections);
            let incomplete = document.connections.iter().filter(|one| !one.completeness.complete).count();
            assert_eq!(document.complete, incomplete == 0);
            let (filter, window) =
                (OrderFilter { retailer_id, ..OrderFilter::default() }, Window { limit: 1, offset: 0 });
            for form in [ListFormat::Json, ListFormat::Csv] {
                let page = self.store.order_page(&caller(), &filter, window, form).await.unwrap();
                assert_eq!(page.incomplete, incomplete, "{document:?}");
            }
        }
        self.document().await.connections.into_iter().next().unwrap().completeness
    }

    async fn document(&self) -> ListCompleteness {
        self.store.completeness(&caller(), None).await.unwrap()
    }
}

fn reasons(completeness: &Completeness) -> Vec<IncompleteReason> {
    completeness.reasons.iter().map(|reason| *reason.reason.known().unwrap()).collect()
}

/// The numbers of the orders that are kept back, and why.
fn orders(completeness: &Completeness) -> Vec<(&str, &str)> {
    let listed = completeness.reasons.iter().flat_map(|reason| &reason.orders);
    listed.map(|order| (order.order_id.as_str(), order.reason.as_str())).collect()
}

fn since(completeness: &Completeness) -> Option<DateTime<Utc>> {
    Some(completeness.incomplete_since.as_ref()?.known()?.0)
}

#[tokio::test]
async fn every_reason_stays_known_until_a_sync_completes() {
    let mut shop = Shop::new().await;
    let fresh = shop.known().await;
    assert_eq!((reasons(&fresh), since(&fresh)), (vec![NeverCompleted], Some(DateTime::UNIX_EPOCH)));

    // The first sync fails: since the connection was made.
    let at = shop.sync_to(&[fine()], false, FAILED_EARLY).await;
    let failed = shop.known().await;
    assert_eq!((reasons(&failed), since(&failed)), (vec![SyncFailed, NeverCompleted], Some(DateTime::UNIX_EPOCH)));
    let reason = &failed.reasons[0];
    assert_eq!(reason.code.as_deref(), Some("retailer_unavailable"));
    assert_eq!((reason.at.clone(), reason.batch_id.clone()), (Some(Timestamp(at).into()), Some("batch1".into())));
    assert_eq!(
        reason.message,
        "The last sync did not complete (retailer_unavailable); any of its orders may be missing."
    );

    let complete = Completeness { complete: true, incomplete_since: None, reasons: Vec::new(), extra: Extra::new() };
    let last = shop.sync_to(&[fine()], true, End::Completed).await;
    assert_eq!(shop.known().await, complete);

    // An order is kept back; a sync that fails before it reads orders, and the loss of the sessions, change nothing of that.
    let first = shop.sync_to(&[fine(), kept_back(&["9"])], true, INCOMPLETE).await;
    let kept = shop.known().await;
    assert_eq!((reasons(&kept), since(&kept)), (vec![OrdersKeptBack, SyncFailed], Some(first)));
    assert_eq!(orders(&kept), [("9", "The check of 9 failed.")]);
    assert_eq!(kept.reasons[0].orders_kept_back, Some(1));
    assert_eq!(kept.reasons[0].message, "1 order failed a check and is missing or out of date: 9.");
    let timed_out = shop.sync_to(&[], false, End::TimedOut(SyncErrorCode::RetailerTimeout)).await;
    query("DELETE FROM sessions").execute(&shop.store.writer).await.unwrap();
    let still = shop.known().await;
    assert_eq!((reasons(&still), since(&still)), (vec![OrdersKeptBack, SyncFailed], Some(first)));
    assert_eq!(orders(&still), orders(&kept));
    assert_eq!(still.reasons[1].at, Some(Timestamp(timed_out).into()));
    let message =
        "The last sync did not complete (retailer_timeout); orders and changes since the last complete sync (";
    assert_eq!(still.reasons[1].message, format!("{message}{}) may be missing.", last.format("%Y-%m-%dT%H:%M:%SZ")));

    // The sign-in is refused; it is repaired, and the order still fails; then all is well.
    shop.sync_to(&[], false, End::Failed(SyncErrorCode::CredentialsRefused, "")).await;
    let invalid = shop.known().await;
    let all = vec![ConnectionInvalid, OrdersKeptBack, SyncFailed];
    assert_eq!((reasons(&invalid), since(&invalid)), (all, Some(first)));
    assert_eq!(invalid.reasons[0].code.as_deref(), Some("credentials_refused"));
    for status in [ConnectionStatus::Pending, ConnectionStatus::Valid] {
        let mut tx = shop.store.write().await.unwrap();
        set_status(&mut tx, "c1", status, None).await.unwrap();
        tx.commit().await.unwrap();
    }
    assert_eq!(reasons(&shop.known().await), [OrdersKeptBack, SyncFailed]);
    shop.sync_to(&[kept_back(&["9"])], true, INCOMPLETE).await;
    assert_eq!(since(&shop.known().await), Some(first));
    shop.sync_to(&[fine(), page_of([order("9", vec![line("Salt", 100)])])], true, End::Completed).await;
    assert_eq!(shop.known().await, complete);

    // Broken without a sync.
    shop.store.break_connection("u", "c1", shop.now() + TimeDelta::hours(1)).await.unwrap();
    let broken = shop.known().await;
    assert_eq!((reasons(&broken), since(&broken)), (vec![ConnectionInvalid], Some(shop.now() + TimeDelta::hours(1))));
    assert_eq!(broken.reasons[0].code.as_deref(), Some("retailer_session_expired"));
}

#[tokio::test]
async fn a_list_whose_end_nothing_proves_is_never_complete_until_it_is_proven_or_that_is_accepted() {
    let mut shop = Shop::new().await;
    shop.set_unproven(true).await;
    assert_eq!(reasons(&shop.known().await), [NeverCompleted]);
    shop.sync_to(&[fine()], false, FAILED_EARLY).await;
    shop.sync_to(&[fine()], false, End::Completed).await;
    let known = shop.known().await;
    assert_eq!((reasons(&known), since(&known)), (vec![EndNotProven], Some(DateTime::UNIX_EPOCH)));
    shop.sync_to(&[fine()], false, FAILED_EARLY).await;
    assert_eq!(reasons(&shop.known().await), [SyncFailed, EndNotProven]);
    shop.set_unproven(false).await;
    shop.sync_to(&[fine()], true, End::Completed).await;
    assert!(shop.known().await.complete);

    // The list loses its proof: it is not complete since that was seen.
    shop.set_unproven(true).await;
    let first = shop.sync_to(&[fine()], false, End::Completed).await;
    shop.sync_to(&[fine()], false, End::Completed).await;
    let known = shop.known().await;
    assert_eq!((reasons(&known), since(&known)), (vec![EndNotProven], Some(first)));
}

#[tokio::test]
async fn an_order_is_kept_back_no_longer_once_it_passes_or_is_gone() {
    let mut shop = Shop::new().await;
    shop.sync_to(&[kept_back(&["1", "2", "3"])], true, INCOMPLETE).await;
    // One passes, and the sync fails before it comes to the others.
    shop.sync_to(&[fine()], false, FAILED_EARLY).await;
    let left = shop.known().await;
    assert_eq!(orders(&left).iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["2", "3"]);
    // Another one fails beside them, in a list that is not known to be whole.
    shop.sync_to(&[fine(), kept_back(&["2", "4"])], false, INCOMPLETE).await;
    assert_eq!(orders(&shop.known().await).iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["2", "3", "4"]);
    // In one that is, the retailer does not list those that were not seen any more.
    shop.sync_to(&[fine(), kept_back(&["4"])], true, INCOMPLETE).await;
    assert_eq!(orders(&shop.known().await).iter().map(|(id, _)| *id).collect::<Vec<_>>(), ["4"]);
}

#[tokio::test]
async fn twenty_orders_are_listed_and_all_are_counted() {
    let mut shop = Shop::new().await;
    let ids: Vec<String> = (100..125).map(|id| id.to_string()).collect();
    shop.sync_to(&[kept_back(&ids.iter().map(String::as_str).collect::<Vec<_>>())], true, INCOMPLETE).await;
    let known = shop.known().await;
    let reason = &known.reasons[0];
    assert_eq!((reason.orders_kept_back, reason.orders.len()), (Some(25), ordersync_api::completeness::LISTED_ORDERS));
    assert_eq!(reason.message, "25 orders failed a check and are missing or out of date: 100, 101, 102 and 22 more.");
}

#[tokio::test]
async fn orders_whose_figures_do_not_agree_are_counted_where_they_are_listed() {
    let mut shop = Shop::new().await;
    let counted = async |shop: &Shop, retailer_id| {
        let (filter, window) = (OrderFilter { retailer_id, ..OrderFilter::default() }, Window { limit: 1, offset: 0 });
        let page = shop.store.order_page(&caller(), &filter, window, ListFormat::Csv).await.unwrap();
        let document = shop.store.completeness(&caller(), retailer_id).await.unwrap();
        let orders: u64 = document.connections.iter().map(|connection| connection.orders_with_mismatch).sum();
        (page.mismatched, orders)
    };
    let marked = |number: &str| RetailerOrder {
        mismatch: vec![Mismatch { check: "order_total".to_owned(), shown: None, computed: None }],
        ..order(number, vec![line("Tea", 500), line("Cup", 300)])
    };
    shop.sync(vec![order("1", vec![line("Tea", 500)]), marked("2"), marked("3")]).await;
    assert_eq!((counted(&shop, None).await, counted(&shop, Some(2)).await), ((1, 2), (0, 0)));
    shop.sync(vec![order("2", vec![line("Tea", 500)]), marked("3")]).await;
    assert_eq!(counted(&shop, Some(1)).await, (1, 1));
    shop.sync(vec![order("3", vec![line("Tea", 500)])]).await;
    assert_eq!(counted(&shop, Some(1)).await, (0, 0));
}
