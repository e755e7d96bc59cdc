//! Which orders a sync reads: those that are new, not settled, or changed in the list, and some settled ones, because settled
//! orders change, too (a refund, a corrected price).
//!
//! Before any is read, the list has to be this customer's: it has to show at least one of the stored orders.

use std::collections::HashMap;

use ordersync_api::SyncErrorCode;
use serde::{Deserialize, Serialize};

use super::check::{Check, Failure};
use super::list_reading::ListReading;
use super::listed::ListedOrder;
use crate::connector::ConnectorError;
use crate::connector::known::{KnownOrders, Overlap};

/// How many settled orders are read again at every sync.
#[derive(Debug, Clone, Copy)]
pub(in crate::connector) struct Reread {
    /// The newest.
    pub(in crate::connector) newest: u32,
    /// Of the others, those that were read longest ago.
    pub(in crate::connector) oldest: u32,
}

/// The orders to read in this sync.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct DueOrders {
    /// Settled orders, by their numbers.
    again: Vec<String>,
    all: bool,
}

impl DueOrders {
    /// Compares the list with the stored orders, before anything is stored, and chooses the settled orders to read again.
    /// `reread`: `None` for every order, settled and unchanged ones included. `other_account`: the credentials were replaced
    /// by those of another user name.
    /// Fails if the list may be another customer's: `account_mismatch` for another account, otherwise the failed check.
    pub(super) async fn choose(
        known: &dyn KnownOrders,
        list: &ListReading,
        reread: Option<Reread>,
        other_account: bool,
    ) -> Result<Self, ConnectorError> {
        let numbers: Vec<String> = list.numbers().map(str::to_owned).collect();
        if known.overlap(&numbers).await? == Overlap::Disjoint {
            check_account(known, list, other_account).await?;
        }
        let Some(Reread { newest, oldest }) = reread else { return Ok(Self { again: Vec::new(), all: true }) };
        let stored = known.fingerprints(&numbers).await?;
        let mut settled: Vec<&ListedOrder> =
            list.orders().iter().filter(|order| is_unchanged(order, &stored)).collect();
        settled.sort_by_key(|order| std::cmp::Reverse(order.placed_at));
        let mut again: Vec<String> = settled.iter().take(count(newest)).map(|order| order.number.clone()).collect();
        if oldest > 0 {
            let unread = known.longest_unread(newest.saturating_add(oldest)).await?;
            let others: Vec<String> =
                unread.into_iter().filter(|number| !again.contains(number)).take(count(oldest)).collect();
            again.extend(others);
        }
        Ok(Self { again, all: false })
    }

    /// Whether the order is to be read. `stored`: the fingerprints of the orders that are stored and settled.
    pub(super) fn includes(&self, order: &ListedOrder, stored: &HashMap<String, String>) -> bool {
        self.all || !is_unchanged(order, stored) || self.again.contains(&order.number)
    }

    /// Whether the pages of the order's products are to be read, too. What they show of an order that is stored and settled is
    /// not read again: it belongs to the time of the order.
    pub(super) fn includes_products(&self, order: &ListedOrder, stored: &HashMap<String, String>) -> bool {
        self.all
            || stored.get(&order.number).is_none_or(|fingerprint| *fingerprint != order.fingerprint_with_products())
    }
}

/// Whether the store has the order as the list shows it now. Only orders that were settled are stored with a fingerprint.
fn is_unchanged(order: &ListedOrder, stored: &HashMap<String, String>) -> bool {
    stored.get(&order.number).is_some_and(|fingerprint| is_of(fingerprint, order))
}

fn is_of(fingerprint: &str, order: &ListedOrder) -> bool {
    fingerprint == order.fingerprint() || fingerprint == order.fingerprint_with_products()
}

/// None of the stored orders is listed: the list may be another customer's.
async fn check_account(known: &dyn KnownOrders, list: &ListReading, other_account: bool) -> Result<(), ConnectorError> {
    if let Some(failure) = list.failure() {
        return Err(failure.error());
    }
    if other_account {
        return Err(ConnectorError::new(SyncErrorCode::AccountMismatch));
    }
    if list.numbers().next().is_none() {
        let found = "the list shows no orders, although some are stored.";
        return Err(Failure::new(Check::OwnOrders, found).error());
    }
    // Orders that got new numbers have their old figures; settled ones are compared.
    let stored = known.fingerprints(&known.longest_unread(1000).await?).await?;
    let same = |order: &ListedOrder| stored.values().any(|fingerprint| is_of(fingerprint, order));
    if stored.is_empty() || list.orders().iter().any(same) {
        return Ok(());
    }
    let found = "the list shows none of the stored orders; it may be another customer's.";
    Err(Failure::new(Check::OwnOrders, found).error())
}

fn count(orders: u32) -> usize {
    usize::try_from(orders).unwrap_or(usize::MAX)
}
