use std::time::Duration;

use async_trait::async_trait;
use chrono::DateTime;
use ordersync_api::seal::Credentials;
use ordersync_api::{Open, ShipmentStatus};

use super::super::check::{Check, Failure};
use super::super::checked_order::ProductFacts;
use super::super::due::Reread;
use super::super::list_reading::{ListPage, Paging, Wanted};
use super::super::listed::ListedOrder;
use super::super::order_proof::{ProvenLine, ProvenOrder};
use super::super::scan::{OrderPage, Scan, Scanned, Shop as Scanning};
use super::super::shows::Shows;
use super::super::turn::{Renewals, Turn};
use super::due::Stored;
use super::list::Shop;
use super::orders::{SHOWS, one_line};
use crate::connector::egress::CookieJar;
use crate::connector::sent::SentHere;
use crate::connector::{ConnectorError, ScanReport, StepContext};

/// Orders below 10 have a page that agrees with the list, 10 has none, and the others one that cannot be read.
#[async_trait]
impl Scanning for Shop {
    type Kept = Vec<String>;

    fn shows(&self) -> Shows {
        SHOWS
    }

    fn reread(&self) -> Reread {
        Reread { newest: 0, oldest: 0 }
    }

    fn status(&self, _: &str) -> Open<ShipmentStatus> {
        Open::Known(ShipmentStatus::Completed)
    }

    async fn list_page(&self, _: &mut Turn<'_, '_>, wanted: &Wanted) -> Result<Option<ListPage>, ConnectorError> {
        Ok(Some(ListPage::Shown(self.shown(wanted.number), self.page(&self.first(), wanted.number))))
    }

    async fn order_page(
        &self,
        _: &mut Turn<'_, '_>,
        _: &mut Self::Kept,
        listed: &ListedOrder,
    ) -> Result<Option<OrderPage>, ConnectorError> {
        Ok(Some(match listed.number.parse::<u32>().unwrap() {
            ..10 => OrderPage::Shown(one_line("£1.00")),
            10 => OrderPage::Absent,
            _ => OrderPage::Failed(Failure::new(Check::Lines, "unreadable.")),
        }))
    }

    /// The shop ends the sign-in before it shows the first product.
    async fn read_products(
        &self,
        _: &mut Turn<'_, '_>,
        kept: &mut Vec<String>,
        order: &ProvenOrder,
    ) -> Result<Option<()>, ConnectorError> {
        kept.push(order.listed().number.clone());
        Ok((kept.len() > 1).then_some(()))
    }

    fn product<'k>(&self, _: &'k Vec<String>, _: &ProvenLine, _: usize) -> ProductFacts<'k> {
        ProductFacts::Unlinked
    }
}

/// What the steps of a whole scan came to: the orders that were read, in their order, those that were kept back, and the
/// report. Between two steps there is nothing but the state's bytes.
async fn scan(shop: &Shop, stored: &Stored, full: bool) -> (Vec<String>, Vec<String>, ScanReport, usize) {
    let credentials = Credentials::default();
    let context = StepContext {
        now: DateTime::from_timestamp(1_795_000_000, 0).unwrap(),
        attempt: 0,
        connection_id: "c-1",
        credentials: &credentials,
        session: None,
        known: stored,
        sent_forms: &SentHere::default(),
        shared_queue: None,
        full,
        other_account: false,
        sample: None,
        invented: None,
        until: tokio::time::Instant::now() + Duration::from_secs(600),
    };
    let (mut cookies, mut renewals) = (CookieJar::default(), Renewals::default());
    let mut state = serde_json::to_vec(&Scan::<Vec<String>>::new(shop.first())).unwrap();
    let (mut read, mut kept_back, mut signed_out) = (Vec::new(), Vec::new(), 0);
    for _ in 0..100 {
        let mut scan: Scan<Vec<String>> = serde_json::from_slice(&state).unwrap();
        let mut has_read = false;
        let mut turn =
            Turn { context: &context, cookies: &mut cookies, renewals: &mut renewals, has_read: &mut has_read };
        match scan.step(shop, &mut turn).await.unwrap() {
            None => signed_out += 1,
            Some(Scanned::List) => {}
            Some(Scanned::Orders(page)) => {
                read.extend(page.orders.iter().map(|order| order.order_id.clone()));
                kept_back.extend(page.kept_back.into_iter().map(|order| order.order_id));
            }
            Some(Scanned::Whole(report)) => return (read, kept_back, report, signed_out),
        }
        state = serde_json::to_vec(&scan).unwrap();
    }
    panic!("the scan does not come to an end");
}

#[tokio::test]
async fn a_scan_reads_every_order_that_is_due_and_ends_with_a_report() {
    let shop = Shop::of(&[&[9, 8], &[7]]);
    let (read, kept_back, report, signed_out) = scan(&shop, &Stored::default(), false).await;
    assert_eq!((read, kept_back, signed_out), (["9", "8", "7"].map(str::to_owned).to_vec(), vec![], 1));
    assert_eq!((report.listed_all(), report.incomplete()), (true, None));

    let stored = Stored::of(&[8]);
    assert_eq!(scan(&shop, &stored, false).await.0, ["9", "7"], "8 is as it was stored");
    assert_eq!(scan(&shop, &stored, true).await.0, ["9", "8", "7"]);
}

#[tokio::test]
async fn orders_that_fail_are_kept_back_after_a_second_look_and_the_report_says_so() {
    let (read, kept_back, report, _) = scan(&Shop::of(&[&[11, 10], &[9, 8]]), &Stored::default(), false).await;
    assert_eq!((read, kept_back), (vec!["9".to_owned(), "8".to_owned()], vec!["11".to_owned(), "10".to_owned()]));
    assert!(report.listed_all(), "the list itself is proven");
    let message = report.incomplete().unwrap();
    assert!(message.contains("\"lines of the order\" failed for order 11: unreadable. 2 orders"), "{message}");
}
