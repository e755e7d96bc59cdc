use std::collections::HashMap;

use async_trait::async_trait;
use ordersync_api::SyncErrorCode;

use super::super::due::{DueOrders, Reread};
use super::super::list_reading::ListReading;
use super::list::{Shop, row};
use crate::connector::{ConnectorError, KnownOrders, Overlap};

/// The stored orders: their numbers and fingerprints, the one that was read longest ago first.
#[derive(Default)]
pub(super) struct Stored(Vec<(u32, String)>);

impl Stored {
    /// These orders, as lists show them.
    fn of(numbers: &[u32]) -> Self {
        Self(numbers.iter().map(|number| (*number, row(*number).fingerprint())).collect())
    }
}

#[async_trait]
impl KnownOrders for Stored {
    async fn fingerprints(&self, order_ids: &[String]) -> Result<HashMap<String, String>, ConnectorError> {
        let all = self.0.iter().map(|(number, fingerprint)| (number.to_string(), fingerprint.clone()));
        Ok(all.filter(|(number, _)| order_ids.contains(number)).collect())
    }

    async fn longest_unread(&self, limit: u32) -> Result<Vec<String>, ConnectorError> {
        Ok(self.0.iter().take(limit as usize).map(|(number, _)| number.to_string()).collect())
    }

    async fn overlap(&self, order_ids: &[String]) -> Result<Overlap, ConnectorError> {
        Ok(if self.0.is_empty() {
            Overlap::NothingStored
        } else if self.0.iter().any(|(number, _)| order_ids.contains(&number.to_string())) {
            Overlap::Shared
        } else {
            Overlap::Disjoint
        })
    }
}

const TWO: Reread = Reread { newest: 1, oldest: 1, all: false };

pub(super) async fn due(stored: &Stored, list: &ListReading) -> Result<DueOrders, ConnectorError> {
    DueOrders::choose(stored, list, TWO, false).await
}

#[tokio::test]
async fn new_and_changed_orders_are_due_and_of_the_settled_ones_the_newest_and_the_one_read_longest_ago() {
    let list = Shop::of(&[&[9, 8, 7, 6, 5]]).read_plainly().0;
    let mut stored = Stored::of(&[7, 6, 5, 8]);
    stored.0[1].1.push('x');
    let fingerprints = stored.fingerprints(&["8", "7", "6", "5"].map(str::to_owned)).await.unwrap();
    let numbers = |due: &DueOrders| {
        let due = list.orders().iter().filter(|order| due.includes(order, &fingerprints));
        due.map(|order| order.number.clone()).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&due(&stored, &list).await.unwrap()), ["9", "8", "7", "6"], "new, newest, oldest read, changed");
    let all = DueOrders::choose(&stored, &list, Reread { all: true, ..TWO }, false).await.unwrap();
    assert_eq!(numbers(&all).len(), 5);
    let none = DueOrders::choose(&stored, &list, Reread { newest: 0, oldest: 0, all: false }, false).await.unwrap();
    assert_eq!(numbers(&none), ["9", "6"]);
}

#[tokio::test]
async fn a_list_with_none_of_the_stored_orders_may_be_another_customers() {
    let list = Shop::of(&[&[9, 8]]).read_plainly().0;
    let empty = Shop::of(&[]).read_plainly().0;
    let stored = Stored::of(&[3, 2]);
    for list in [&list, &empty] {
        let error = due(&stored, list).await.unwrap_err();
        assert_eq!(error.code, SyncErrorCode::RetailerIncomplete);
        assert!(error.message.contains("orders of this customer"), "{error}");
        let other = DueOrders::choose(&stored, list, TWO, true).await.unwrap_err();
        assert_eq!(other.code, SyncErrorCode::AccountMismatch);
        assert!(due(&Stored::default(), list).await.is_ok(), "the first sync");
    }
    let renumbered = Stored(vec![(3, row(9).fingerprint())]);
    assert!(due(&renumbered, &list).await.is_ok(), "an order with the same figures got another number");
}
