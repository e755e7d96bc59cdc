//! An order as a list shows it, which is what its own page has to agree with, and what a page of the list shows.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::check::Failure;
use super::currency::Currency;
use super::money::Money;
use super::placed::Placed;

/// An order, as the list shows it. Kept in the state, so in the shortest form that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Kept", into = "Kept")]
pub(in crate::connector) struct ListedOrder {
    pub(in crate::connector) number: String,
    /// Path of the order's page; in JSON, the key of its request, or the page of the list that has it.
    pub(in crate::connector) path: String,
    pub(in crate::connector) placed_at: Placed,
    pub(in crate::connector) total: Money,
    /// The total less refunds, as the list shows it; `None` if the list shows no refund.
    pub(in crate::connector) left: Option<Decimal>,
    /// In the shop's own words; `None`: the list does not show it.
    pub(in crate::connector) status: Option<String>,
    /// How many items it has, as the platform [counts](super::shows::Counted) them; `None`: the list does not say.
    pub(in crate::connector) items: Option<Decimal>,
    /// Changes with the order, if the list has all of it.
    pub(in crate::connector) content: Option<String>,
}

/// A row of a list that names an order.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::connector) struct NamedRow {
    pub(in crate::connector) number: String,
    /// Path of the order's page.
    pub(in crate::connector) path: String,
    /// What it shows of it; why it cannot be read for certain, which keeps this order back and no other.
    pub(in crate::connector) shown: Result<ListedOrder, Failure>,
}

/// The orders that rows show, and those of which no more than the number can be read for certain.
pub(in crate::connector) fn parted(rows: Vec<NamedRow>) -> (Vec<ListedOrder>, Vec<(String, Failure)>) {
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    for NamedRow { number, shown, .. } in rows {
        match shown {
            Ok(order) => read.push(order),
            Err(failure) => unread.push((number, failure)),
        }
    }
    (read, unread)
}

/// What a page of the list shows.
#[derive(Debug, Default)]
pub(in crate::connector) struct OrderList {
    pub(in crate::connector) rows: Vec<ListedOrder>,
    /// Orders of which no more than the number can be read for certain, and why: they are kept back.
    pub(in crate::connector) unread: Vec<(String, Failure)>,
    /// The highest page number that the page links to or states.
    pub(in crate::connector) pages: u32,
    /// How many orders the list says that it has in all.
    pub(in crate::connector) stated_orders: Option<u32>,
    /// Whether the page links to a next one; `None`: the platform has no such link.
    pub(in crate::connector) has_next: Option<bool>,
    /// Whether the list can be filtered by date.
    pub(in crate::connector) has_filter: bool,
}

impl OrderList {
    /// How many orders it shows.
    pub(super) const fn len(&self) -> usize {
        self.rows.len() + self.unread.len()
    }

    /// The numbers of all orders that it shows, those that can be read first.
    pub(super) fn numbers(&self) -> impl Iterator<Item = &str> {
        let rows = self.rows.iter().map(|row| row.number.as_str());
        rows.chain(self.unread.iter().map(|(number, _)| number.as_str()))
    }
}

/// Number, path, seconds since 1970, total, currency, items, status, total less refunds, content.
type Kept = (String, String, i64, String, String, Option<String>, Option<String>, Option<String>, Option<String>);

/// The state of a sync does not hold what was put there.
#[derive(Debug, thiserror::Error)]
#[error("no order of a list")]
pub(in crate::connector) struct NotKept;

impl TryFrom<Kept> for ListedOrder {
    type Error = NotKept;

    fn try_from(kept: Kept) -> Result<Self, Self::Error> {
        let (number, path, placed_at, total, currency, items, status, left, content) = kept;
        let placed_at = Placed::kept(placed_at).ok_or(NotKept)?;
        let currency = Currency::from_code(&currency).ok_or(NotKept)?;
        let total = Money::kept(total.parse().map_err(|_| NotKept)?, currency);
        let decimal = |text: Option<String>| text.map(|text| text.parse().map_err(|_| NotKept)).transpose();
        Ok(Self { number, path, placed_at, total, left: decimal(left)?, status, items: decimal(items)?, content })
    }
}

impl From<ListedOrder> for Kept {
    fn from(order: ListedOrder) -> Self {
        let ListedOrder { number, path, placed_at, total, left, status, items, content } = order;
        let (amount, currency) = (total.amount().to_string(), total.currency().code().to_owned());
        let text = |decimal: Option<Decimal>| decimal.map(|decimal| decimal.to_string());
        (number, path, placed_at.seconds(), amount, currency, text(items), status, text(left), content)
    }
}

impl ListedOrder {
    /// Changes with anything that the list shows of the order, and with what connectors make of it (`1`).
    pub(in crate::connector) fn fingerprint(&self) -> String {
        let (amount, currency) = (self.total.amount(), self.total.currency().code());
        let items = self.items.map(|items| items.to_string()).unwrap_or_default();
        let left = self.left.map(|left| format!("|left {left}")).unwrap_or_default();
        let status = self.status.as_ref().map(|status| format!("|status {status}")).unwrap_or_default();
        let content = self.content.as_ref().map(|content| format!("|content {content}")).unwrap_or_default();
        format!("1|{}|{items}|{amount}|{currency}{left}{status}{content}", self.placed_at.seconds())
    }

    /// The same of an order that is stored with everything that other pages show of its products, and without a mark of them.
    pub(super) fn fingerprint_with_products(&self) -> String {
        self.fingerprint() + "|p"
    }
}
