//! What orders cost in the end: the amounts of their lines and their adjustments, less what was paid back.
//!
//! A line that was cancelled, returned, refunded or not paid is in no amount. If something was paid back for it, or for its order, that
//! is set against what was charged: the line costs the rest, and a refund of more lowers the sum. An order with a line of unknown amount counts with its total, less
//! what was paid back, or not at all: a part of what it cost is never shown as the whole. Each line of an order repeats the
//! adjustments of the order, and lines of one order may be anywhere in the list, but have one date: memory holds an entry for each
//! order that has adjustments or a line of unknown amount, and for those of the date that is read.

use std::collections::HashMap;
use std::sync::Arc;

use ordersync_api::charged::Amount;
use ordersync_api::{Adjustment, AdjustmentType, Open};
use rust_decimal::Decimal;

use super::line::{Contribution, number, text, too_large};
use super::money;
use crate::client::row::{Column, Row};
use crate::errors::Result;
use crate::output::human::{counted, items};

/// The orders, and what is not known of them.
#[derive(Debug, Default)]
pub(super) struct Net {
    orders: HashMap<String, Order>,
    /// Orders of the date that is being read, whose lines are all that they cost so far.
    plain: HashMap<String, Order>,
    date: Option<String>,
    /// Line items whose adjustments are not known.
    unknown: u64,
    /// Adjustments in another currency than their line.
    foreign: u64,
    /// Orders that are in no sum.
    left_out: u64,
    /// Orders that do not add up to their totals.
    differing: u64,
}

/// An order, while its lines are read.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) currency: String,
    /// Its name in each grouping; empty if its lines have several.
    pub(super) names: Vec<Arc<str>>,
    /// Its lines, together if their groups and currency are the same.
    pub(super) lines: Vec<LineGroup>,
    beside: Beside,
    sums: Sums,
    /// The total, if it is what all lines and adjustments cost, even if the amount of a line is unknown.
    whole: Option<Decimal>,
    lacking: Lacking,
    /// What its lines cost, of those that were not undone.
    kept: Decimal,
    has_kept: bool,
    /// The cost of the undone lines for which no refund of their own is shown.
    undone: Decimal,
    /// The sum of refunds for lines of unknown amount.
    back_of_unknown: Decimal,
}

/// Lines of an order in the same groups and currency.
#[derive(Debug)]
pub(super) struct LineGroup {
    pub(super) currency: String,
    pub(super) names: Vec<Arc<str>>,
    /// The cost of its lines of known amount, without adjustments of the order; `None` if it has no such line.
    pub(super) net: Option<Decimal>,
}

/// The lines of an order whose amount is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lacking {
    Nothing,
    /// Lines that were undone, which cost nothing unless something was paid back.
    Undone,
    /// Others.
    Kept,
}

/// The total of an order, and the sums to compare it with: of the lines, and of the adjustments that are part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sums {
    /// `None` if an amount is unknown.
    pub(super) lines: Option<Decimal>,
    /// Lines that were not undone. A total may be without those that were cancelled before they were charged.
    kept: Decimal,
    /// `None` if one is unknown.
    pub(super) figures: Option<Decimal>,
    pub(super) total: Option<Decimal>,
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
    /// The orders that a line item of another date completes: each costs what its lines cost.
    pub(super) fn complete_before(&mut self, row: &Row<'_>) -> Vec<Order> {
        let date = text(row, Column::OrderDate);
        if self.date.as_deref() == date {
            return Vec::new();
        }
        self.date = date.map(str::to_owned);
        let complete: Vec<Order> = self.plain.drain().map(|(_, order)| order).collect();
        self.differing += complete.iter().map(|order| u64::from(order.sums.differ())).sum::<u64>();
        complete
    }

    /// Takes a line item in. `names`: of its groups.
    pub(super) fn add(&mut self, row: &Row<'_>, part: &Contribution<'_>, names: &[Arc<str>]) -> Result<()> {
        let read = |column| read(row, column, part.currency);
        let (of_line, of_order) = (read(Column::LineAdjustments)?, read(Column::OrderAdjustments)?);
        self.unknown += u64::from(of_line.is_none() || of_order.is_none());
        let key = key(row);
        let known = self.orders.remove(&key).or_else(|| self.plain.remove(&key));
        let mut order = known.map_or_else(|| Order::new(row, part.currency, names, of_order.as_ref()), Ok)?;
        order.sums.add(part, of_line.as_ref()).ok_or_else(|| too_large("an order"))?;
        let (of_line, of_order) = (of_line.unwrap_or_default(), of_order.unwrap_or_default());
        self.foreign += of_line.foreign;
        if order.beside == Beside::default() {
            order.beside = of_order;
            self.foreign += of_order.foreign;
        }
        order.add(row, part, of_line, names)?;
        let is_plain = order.beside == Beside::default() && order.lacking == Lacking::Nothing;
        let orders = if is_plain { &mut self.plain } else { &mut self.orders };
        orders.insert(key, order);
        Ok(())
    }

    /// The orders, each with what it costs beside its lines of known amount: `None` if what it costs is not known.
    pub(super) fn settle(&mut self) -> impl Iterator<Item = Result<(Order, Option<Decimal>)>> {
        let Self { orders, plain, left_out, differing, .. } = self;
        orders.drain().chain(plain.drain()).map(|(_, order)| {
            let rest = order.rest()?;
            *left_out += u64::from(rest.is_none());
            *differing += u64::from(order.sums.differ());
            Ok((order, rest))
        })
    }

    /// How many orders are in memory.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.orders.len() + self.plain.len()
    }

    /// How many orders do not add up to their totals: each costs what its lines and adjustments are.
    pub(super) fn differing(&self) -> Option<String> {
        let (do_not, their) = if self.differing == 1 { ("does not", "its total") } else { ("do not", "their totals") };
        let orders = counted(self.differing, "order");
        (self.differing > 0).then(|| {
            format!("{orders} {do_not} add up to {their}, so that the net amounts may differ from what was charged")
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
        let are = if self.left_out == 1 { "is" } else { "are" };
        let left_out = (self.left_out > 0).then(|| {
            format!(
                "{} {are} left out of the net amounts: an item's amount is not known, and the order's total cannot replace it.",
                counted(self.left_out, "order")
            )
        });
        let all: Vec<String> = left_out.into_iter().chain(unknown).chain(foreign).collect();
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

impl Sums {
    pub(super) fn new(total: Option<Decimal>, beside: Option<&Beside>) -> Self {
        Self { lines: Some(Decimal::ZERO), kept: Decimal::ZERO, figures: beside.and_then(Beside::known), total }
    }

    /// Takes a line in. `None` if a sum would have to be rounded.
    pub(super) fn add(&mut self, part: &Contribution<'_>, of_line: Option<&Beside>) -> Option<()> {
        self.lines = match (self.lines, part.amount.known()) {
            (Some(sum), Some(amount)) => {
                if !part.is_undone {
                    self.kept = money::sum(self.kept, amount)?;
                }
                Some(money::sum(sum, amount)?)
            }
            _ => None,
        };
        self.figures = match (self.figures, of_line.and_then(Beside::known)) {
            (Some(sum), Some(more)) => Some(money::sum(sum, more)?),
            _ => None,
        };
        Some(())
    }

    /// By how much the total is more than lines and figures; `None` if one of them is not known.
    pub(super) fn difference(self) -> Option<Decimal> {
        let apart = |lines: Decimal| money::sum(self.total?, -money::sum(lines, self.figures?)?).map(money::tidy);
        let all = self.lines.and_then(apart)?;
        // What was cancelled may be in the total, or not.
        let adds_up = [Some(all), apart(self.kept)].into_iter().flatten().any(|one| one.is_zero());
        Some(if adds_up { Decimal::ZERO } else { all })
    }

    fn differ(self) -> bool {
        self.difference().is_some_and(|difference| !difference.is_zero())
    }
}

impl Order {
    fn new(row: &Row<'_>, currency: &str, names: &[Arc<str>], beside: Option<&Beside>) -> Result<Self> {
        let total = number(row, Column::OrderTotal)?;
        // Without an order number, it is not known which other lines the total is of.
        let is_of_this = !currency.is_empty() && text(row, Column::OrderId).is_some();
        Ok(Self {
            currency: currency.to_owned(),
            names: names.to_vec(),
            lines: Vec::new(),
            beside: Beside::default(),
            sums: Sums::new(total, beside),
            whole: total.filter(|_| is_of_this),
            lacking: Lacking::Nothing,
            kept: Decimal::ZERO,
            has_kept: false,
            undone: Decimal::ZERO,
            back_of_unknown: Decimal::ZERO,
        })
    }

    fn add(&mut self, row: &Row<'_>, part: &Contribution<'_>, beside: Beside, names: &[Arc<str>]) -> Result<()> {
        self.has_kept |= !part.is_undone;
        if part.currency != self.currency || part.currency.is_empty() {
            self.sums.lines = None;
        }
        // What was undone or paid back as a line may be in a total or not.
        let is_plain = match part.amount {
            Amount::Known(amount) => amount >= Decimal::ZERO,
            Amount::Unknown => true,
            Amount::WithoutCurrency(_) | Amount::UnclearSign(_) => false,
        };
        let is_of_whole = is_plain && !part.is_undone && part.currency == self.currency;
        if !is_of_whole || number(row, Column::OrderTotal)? != self.whole {
            self.whole = None;
        }
        let net = match part.amount.known() {
            Some(amount) => Some(self.add_known(part, amount, beside)?),
            None => {
                let is_free = part.is_undone && beside.back.is_zero() && !matches!(part.amount, Amount::UnclearSign(_));
                self.lacking = self.lacking.max(if is_free { Lacking::Undone } else { Lacking::Kept });
                self.back_of_unknown = plus(self.back_of_unknown, beside.back)?;
                None
            }
        };
        for (own, name) in self.names.iter_mut().zip(names) {
            if *own != *name {
                *own = "".into();
            }
        }
        match self.lines.iter_mut().find(|own| own.currency == part.currency && own.names == names) {
            None => self.lines.push(LineGroup { currency: part.currency.to_owned(), names: names.to_vec(), net }),
            Some(own) => {
                own.net = match (own.net, net) {
                    (Some(sum), Some(net)) => Some(plus(sum, net)?),
                    (sum, net) => sum.or(net),
                };
            }
        }
        Ok(())
    }

    /// Takes a line of known amount in, and returns what it costs by itself.
    fn add_known(&mut self, part: &Contribution<'_>, amount: Decimal, beside: Beside) -> Result<Decimal> {
        let cost = plus(amount, beside.added)?;
        let rest = plus(cost, -beside.back)?;
        let is_free = part.is_undone && beside.back.is_zero();
        // The total of the order has only amounts in its own currency.
        if part.currency == self.currency {
            if is_free {
                self.undone = plus(self.undone, rest.max(Decimal::ZERO))?;
            } else {
                self.kept = plus(self.kept, cost)?;
            }
        }
        Ok(if is_free { rest.min(Decimal::ZERO) } else { rest })
    }

    /// The cost of the order without its lines of known amount; `None` if the cost of the order is not known.
    fn rest(&self) -> Result<Option<Decimal>> {
        let Beside { added, back, .. } = self.beside;
        let lacks = self.lacking == Lacking::Kept || self.lacking == Lacking::Undone && !back.is_zero();
        if lacks {
            let Some(whole) = self.whole else { return Ok(None) };
            let rest = plus(whole, -self.kept)?;
            // The line of unknown amount would have cost less than nothing.
            if plus(rest, -added)? < Decimal::ZERO {
                return Ok(None);
            }
            return plus(rest, -plus(back, self.back_of_unknown)?).map(Some);
        }
        if back.is_zero() {
            // Shipping was not charged either if nothing was.
            return Ok(Some(if self.has_kept { added } else { Decimal::ZERO }));
        }
        // What was cancelled before it was charged is not in the total, and nothing was paid back for it.
        let charged = match self.sums.total {
            Some(total) => plus(total, -plus(self.kept, added)?)?.clamp(Decimal::ZERO, self.undone),
            None => self.undone,
        };
        plus(added, plus(charged, -back)?).map(Some)
    }
}

/// The adjustments in a column. `None`: they are not known.
pub(super) fn adjustments(row: &Row<'_>, column: Column) -> Result<Option<Vec<Adjustment>>> {
    let read = |list| serde_json::from_str(list).map_err(|why| row.unreadable(column, &why.to_string()));
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
