//! What orders cost in the end: the amounts of their lines and their adjustments, less what was paid back.
//!
//! A line that was cancelled, returned, refunded or not paid is in no amount. What was paid back for it, or for its order, is set
//! against it first, and lowers the sum only by the rest. Each line of an order repeats the adjustments of the order, and
//! lines of one order may be anywhere in the list: memory holds an entry for each order that has such adjustments.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use ordersync_api::{Adjustment, AdjustmentType, Open};
use rust_decimal::Decimal;

use super::line::{Contribution, number, text, too_large, unreadable};
use super::money;
use crate::client::row::{Column, Row};
use crate::errors::Result;
use crate::output::human::items;

/// The orders whose adjustments are known, and what is not known.
#[derive(Debug, Default)]
pub(super) struct Net {
    orders: HashMap<String, Order>,
    /// Line items whose adjustments are not known.
    unknown: u64,
    /// Adjustments in another currency than their line.
    foreign: u64,
}

/// An order that has adjustments.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) currency: String,
    /// Its name in each grouping; empty if its lines have several.
    pub(super) names: Vec<Arc<str>>,
    beside: Beside,
    total: Option<Decimal>,
    /// What its lines cost, of those that were not undone.
    kept: Decimal,
    has_kept: bool,
    /// What the others would have cost, less what was paid back for each.
    undone: Decimal,
}

/// The adjustments of a line or an order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Beside {
    /// Shipping, taxes, fees, discounts and so on.
    added: Decimal,
    /// Refunds and returns, as a positive amount.
    back: Decimal,
    foreign: u64,
}

impl Net {
    /// Takes a line item in, and says what it costs by itself. `names`: of its groups.
    pub(super) fn add(&mut self, row: &Row<'_>, part: &Contribution<'_>, names: &[Arc<str>]) -> Result<Decimal> {
        let read = |column| read(row, column, part.currency);
        let (of_line, of_order) = (read(Column::LineAdjustments)?, read(Column::OrderAdjustments)?);
        self.unknown += u64::from(of_line.is_none() || of_order.is_none());
        let (of_line, of_order) = (of_line.unwrap_or_default(), of_order.unwrap_or_default());
        self.foreign += of_line.foreign;
        let cost = part.amount.known().map(|amount| plus(amount, of_line.added)).transpose()?;
        let rest = cost.map(|cost| plus(cost, -of_line.back)).transpose()?.unwrap_or_default();
        if of_order != Beside::default() {
            let order = match self.orders.entry(key(row)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    self.foreign += of_order.foreign;
                    new.insert(Order::new(row, part.currency, of_order, names)?)
                }
            };
            order.add(part, cost.unwrap_or_default(), rest, names)?;
        }
        Ok(if part.is_undone { rest.min(Decimal::ZERO) } else { rest })
    }

    /// The orders, each with what it costs beside its lines.
    pub(super) fn settle(&mut self) -> impl Iterator<Item = (Order, Option<Decimal>)> {
        self.orders.drain().map(|(_, order)| {
            let rest = order.rest();
            (order, rest)
        })
    }

    /// What is not part of the sums.
    pub(super) fn text(&self) -> Option<String> {
        let unknown = match self.unknown {
            0 => None,
            1 => Some("1 item counts without adjustments, as they are not known.".to_owned()),
            count => Some(format!("{} count without adjustments, as they are not known.", items(count))),
        };
        let foreign = match self.foreign {
            0 => None,
            1 => Some("1 adjustment is left out, as it is in another currency than its order.".to_owned()),
            count => {
                Some(format!("{count} adjustments are left out, as they are in another currency than their order."))
            }
        };
        let all: Vec<String> = unknown.into_iter().chain(foreign).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }
}

impl Beside {
    /// The sums of adjustments in a currency.
    pub(super) fn of(list: &[Adjustment], currency: &str) -> Result<Self> {
        let mut sum = Self::default();
        for one in list.iter().filter(|one| !one.included) {
            match &one.kind {
                Open::Known(AdjustmentType::Payment) => {}
                _ if one.currency.as_ref().is_some_and(|own| own != currency) => sum.foreign += 1,
                Open::Known(AdjustmentType::Refund | AdjustmentType::Return) => sum.back = plus(sum.back, -one.amount)?,
                _ => sum.added = plus(sum.added, one.amount)?,
            }
        }
        Ok(sum)
    }

    /// What is added to the lines; `None` if a part of it is in another currency.
    pub(super) fn known(&self) -> Option<Decimal> {
        (self.foreign == 0).then_some(self.added)
    }
}

impl Order {
    fn new(row: &Row<'_>, currency: &str, beside: Beside, names: &[Arc<str>]) -> Result<Self> {
        let total = number(row, Column::OrderTotal)?;
        let (currency, names) = (currency.to_owned(), names.to_vec());
        let (kept, undone) = (Decimal::ZERO, Decimal::ZERO);
        Ok(Self { currency, names, beside, total, kept, has_kept: false, undone })
    }

    /// `cost`: what the line costs; `rest`: less what was paid back for it.
    fn add(&mut self, part: &Contribution<'_>, cost: Decimal, rest: Decimal, names: &[Arc<str>]) -> Result<()> {
        self.has_kept |= !part.is_undone;
        // The total of the order has only amounts in its own currency.
        if part.currency == self.currency {
            if part.is_undone {
                self.undone = plus(self.undone, rest.max(Decimal::ZERO))?;
            } else {
                self.kept = plus(self.kept, cost)?;
            }
        }
        for (own, name) in self.names.iter_mut().zip(names) {
            if *own != *name {
                *own = "".into();
            }
        }
        Ok(())
    }

    /// What it costs beside its lines; `None` if that would have to be rounded.
    fn rest(&self) -> Option<Decimal> {
        let Beside { added, back, .. } = self.beside;
        if back.is_zero() {
            // Shipping was not charged either if nothing was.
            return Some(if self.has_kept { added } else { Decimal::ZERO });
        }
        // What was cancelled before it was charged is not in the total, and nothing was paid back for it.
        let charged = match self.total {
            Some(total) => money::sum(total, -money::sum(self.kept, added)?)?.clamp(Decimal::ZERO, self.undone),
            None => self.undone,
        };
        money::sum(added, -money::sum(back, -charged)?.max(Decimal::ZERO))
    }
}

/// The adjustments in a column. `None`: they are not known.
pub(super) fn adjustments(row: &Row<'_>, column: Column) -> Result<Option<Vec<Adjustment>>> {
    let read = |list| serde_json::from_str(list).map_err(|why| unreadable(row, column, &why.to_string()));
    text(row, column).map(read).transpose()
}

/// The sums of the adjustments in a column. `None`: they are not known.
pub(super) fn read(row: &Row<'_>, column: Column, currency: &str) -> Result<Option<Beside>> {
    adjustments(row, column)?.map(|list| Beside::of(&list, currency)).transpose()
}

/// The order of a line; of a line without an order number, the line itself.
pub(super) fn key(row: &Row<'_>) -> String {
    let of = text(row, Column::ConnectionId).or(text(row, Column::RetailerId)).unwrap_or("");
    match (text(row, Column::OrderId), text(row, Column::Id)) {
        (Some(order), _) => format!("{of}\n{order}"),
        (None, id) => id.unwrap_or("").to_owned(),
    }
}

fn plus(a: Decimal, b: Decimal) -> Result<Decimal> {
    money::sum(a, b).ok_or_else(|| too_large("an order"))
}
