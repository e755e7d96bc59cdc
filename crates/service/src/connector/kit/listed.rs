//! An order as a list shows it, which is what its own page has to agree with, and what a page of the list shows.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::currency::Currency;
use super::money::Money;

/// An order, as the list shows it. Kept in the state, so in the shortest form that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Kept", into = "Kept")]
pub(in crate::connector) struct ListedOrder {
    pub(in crate::connector) number: String,
    /// Path of the order's page.
    pub(in crate::connector) path: String,
    /// Seconds since 1970, UTC.
    pub(in crate::connector) placed_at: i64,
    pub(in crate::connector) total: Money,
    /// The sum of the quantities.
    pub(in crate::connector) items: Decimal,
}

/// What a page of the list shows.
#[derive(Debug, Default)]
pub(in crate::connector) struct OrderList {
    pub(in crate::connector) rows: Vec<ListedOrder>,
    /// The highest page number that the page links to or states.
    pub(in crate::connector) pages: u32,
    /// How many orders the list says that it has in all.
    pub(in crate::connector) stated_orders: Option<u32>,
    /// Whether the list can be filtered by date.
    pub(in crate::connector) has_filter: bool,
}

type Kept = (String, String, i64, String, String, String);

/// The state of a sync does not hold what was put there.
#[derive(Debug, thiserror::Error)]
#[error("no order of a list")]
pub(in crate::connector) struct NotKept;

impl TryFrom<Kept> for ListedOrder {
    type Error = NotKept;

    fn try_from((number, path, placed_at, total, currency, items): Kept) -> Result<Self, Self::Error> {
        let currency = Currency::from_code(&currency).ok_or(NotKept)?;
        let total = Money::kept(total.parse().map_err(|_| NotKept)?, currency);
        Ok(Self { number, path, placed_at, total, items: items.parse().map_err(|_| NotKept)? })
    }
}

impl From<ListedOrder> for Kept {
    fn from(order: ListedOrder) -> Self {
        let ListedOrder { number, path, placed_at, total, items } = order;
        (number, path, placed_at, total.amount().to_string(), total.currency().code().to_owned(), items.to_string())
    }
}

impl ListedOrder {
    /// Changes with anything that the list shows of the order, and with what connectors make of it (`1`).
    pub(in crate::connector) fn fingerprint(&self) -> String {
        let (amount, currency) = (self.total.amount(), self.total.currency().code());
        format!("1|{}|{}|{amount}|{currency}", self.placed_at, self.items)
    }
}
