//! Orders one by one, and whether the amounts of each add up to its total.
//!
//! Lines of one order may be anywhere in the list, so that memory holds an entry for each order.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ordersync_api::exact;
use rust_decimal::Decimal;
use serde::Serialize;

use super::line::{Contribution, NONE, number, text, too_large};
use super::money;
use super::net::{self, Beside, Sums};
use super::totals::day;
use crate::client::row::{Column, Row};
use crate::errors::Result;
use crate::output::amount::money as shown;
use crate::output::table::{self, Table};
use crate::time_zone::TimeZone;

/// An order, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Order {
    order_id: Option<String>,
    retailer_name: Option<String>,
    order_date: Option<String>,
    /// ISO 4217; `None` if it is unknown, or its lines have several.
    currency: Option<String>,
    /// Line items.
    items: u64,
    /// The sum of the lines. `None` if an amount is unknown or the lines have several currencies.
    #[serde(with = "exact::option")]
    lines: Option<Decimal>,
    /// Shipping, taxes and fees, less discounts. `None` if one is unknown or the lines have several currencies.
    #[serde(with = "exact::option")]
    figures: Option<Decimal>,
    #[serde(with = "exact::option")]
    order_total: Option<Decimal>,
    /// By how much the total is more than lines and figures; `None` if one of them is not known.
    #[serde(with = "exact::option")]
    difference: Option<Decimal>,
    #[serde(skip)]
    sums: Sums,
}

/// The orders of a stream of line items.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    known: HashMap<String, Order>,
}

/// How many orders do not add up, and of how many it is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    all: usize,
    differ: usize,
    unknown: usize,
}

impl Orders {
    /// Takes a line item in, which has its adjustments. Fails if a sum would have to be rounded.
    pub(crate) fn add(&mut self, row: &Row<'_>) -> Result<()> {
        let part = Contribution::read(row)?;
        let of_line = net::read(row, Column::LineAdjustments, part.currency)?;
        let order = match self.known.entry(net::key(row)) {
            Entry::Occupied(known) => {
                let order = known.into_mut();
                if order.currency.as_deref() != Some(part.currency) {
                    order.currency = None;
                }
                order
            }
            Entry::Vacant(new) => {
                let of_order = net::read(row, Column::OrderAdjustments, part.currency)?;
                new.insert(Order::new(row, part.currency, of_order.as_ref())?)
            }
        };
        order.items += 1;
        order.sums.add(&part, of_line.as_ref()).ok_or_else(|| too_large("an order"))
    }

    /// The orders, the newest first; on request only those that do not add up.
    pub(crate) fn settle(self, only_differing: bool) -> (Vec<Order>, Verdict) {
        let mut orders: Vec<Order> = self.known.into_values().map(Order::settled).collect();
        let differs = |order: &Order| order.difference.is_some_and(|difference| !difference.is_zero());
        let verdict = Verdict {
            all: orders.len(),
            differ: orders.iter().filter(|order| differs(order)).count(),
            unknown: orders.iter().filter(|order| order.difference.is_none()).count(),
        };
        if only_differing {
            orders.retain(differs);
        }
        let key = |order: &Order| (order.retailer_name.clone(), order.order_id.clone());
        orders.sort_by(|a, b| b.order_date.cmp(&a.order_date).then_with(|| key(a).cmp(&key(b))));
        (orders, verdict)
    }
}

impl Order {
    fn new(row: &Row<'_>, currency: &str, beside: Option<&Beside>) -> Result<Self> {
        let own = |column| text(row, column).map(str::to_owned);
        let total = number(row, Column::OrderTotal)?;
        Ok(Self {
            order_id: own(Column::OrderId),
            retailer_name: own(Column::RetailerName).or_else(|| own(Column::RetailerId)),
            order_date: own(Column::OrderDate),
            currency: (!currency.is_empty()).then(|| currency.to_owned()),
            items: 0,
            lines: None,
            figures: None,
            order_total: total,
            difference: None,
            sums: Sums::new(total, beside),
        })
    }

    /// With its sums and the difference, once all of its lines are known.
    fn settled(self) -> Self {
        if self.currency.is_none() {
            return self;
        }
        let [lines, figures] = [self.sums.lines, self.sums.figures].map(|sum| sum.map(money::tidy));
        Self { lines, figures, difference: self.sums.difference(), ..self }
    }
}

impl Verdict {
    pub(crate) const fn is_empty(self) -> bool {
        self.all == 0
    }

    /// Whether every order is known to add up.
    pub(crate) const fn is_good(self) -> bool {
        self.differ == 0 && self.unknown == 0
    }

    /// "2 of 45 orders do not add up. 3 orders cannot be checked: …"
    pub(crate) fn text(self) -> String {
        let mut text = match (self.differ, self.all - self.unknown) {
            (0, 0) => "No order can be checked".to_owned(),
            (0, 1) => "1 order adds up".to_owned(),
            (0, checked) => format!("{checked} orders add up"),
            (1, _) => format!("1 of {} does not add up", orders(self.all)),
            (differ, _) => format!("{differ} of {} do not add up", orders(self.all)),
        };
        text.push('.');
        if self.unknown > 0 {
            text.push_str(&format!(
                " {} cannot be checked: the total, an amount or the figures beside the lines are not known.",
                orders(self.unknown)
            ));
        }
        text
    }
}

/// "3 orders".
pub(super) fn orders(count: usize) -> String {
    if count == 1 { "1 order".to_owned() } else { format!("{count} orders") }
}

/// A row for each order.
pub(crate) fn table(orders: &[Order], zone: TimeZone) -> Table {
    let mut table = Table::new(&[
        table::Column::text("ORDER"),
        table::Column::text("DATE"),
        table::Column::text("RETAILER"),
        table::Column::number("ITEMS"),
        table::Column::amount("LINES"),
        table::Column::amount("FIGURES"),
        table::Column::amount("TOTAL"),
        table::Column::amount("DIFFERENCE"),
    ])
    .titled(1, zone.heading("DATE"));
    for order in orders {
        let money = |amount: Option<&Decimal>| shown(amount, order.currency.as_deref());
        table.row([
            order.order_id.clone().unwrap_or_else(|| NONE.to_owned()),
            order.order_date.as_deref().and_then(|date| day(date, zone)).map(|day| day.to_string()).unwrap_or_default(),
            order.retailer_name.clone().unwrap_or_default(),
            order.items.to_string(),
            money(order.lines.as_ref()),
            money(order.figures.as_ref()),
            money(order.order_total.as_ref()),
            money(order.difference.filter(|difference| !difference.is_zero()).as_ref()),
        ]);
    }
    table
}
