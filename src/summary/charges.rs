//! Charges one by one: payments, and what gift cards and rewards paid, as the retailer shows them.
//!
//! Nothing is inferred: an order that shows no charge has none, and is counted. A refund is no charge, as it does not say to
//! which method it went.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use ordersync_api::{Adjustment, AdjustmentType, exact};
use rust_decimal::Decimal;
use serde::Serialize;

use super::line::{Contribution, NOT_KNOWN, number, text, too_large};
use super::net::{self, Beside};
use super::totals::day;
use super::{money, orders};
use crate::client::row::{Column, Row};
use crate::errors::Result;
use crate::output::amount::money as shown;
use crate::output::table::{self, Table};
use crate::time_zone::TimeZone;

/// A charge, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Charge {
    /// `None` if the retailer shows no date of its own for it.
    charge_date: Option<String>,
    order_date: Option<String>,
    retailer_name: Option<String>,
    order_id: Option<String>,
    /// The retailer's label. Gift cards and rewards are called by their kind: the label of a gift card has its number.
    pub(super) method: Option<String>,
    #[serde(with = "exact::required")]
    pub(super) amount: Decimal,
    /// ISO 4217.
    pub(super) currency: Option<String>,
}

/// The orders of a stream of line items, with their charges.
#[derive(Debug, Default)]
pub(crate) struct Charges {
    pub(super) orders: HashMap<String, Order>,
}

/// An order, and what was charged for it.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) charges: Vec<Charge>,
    /// `None` if it is unknown, or its lines have several.
    pub(super) currency: Option<String>,
    total: Option<Decimal>,
    /// What its lines and adjustments come to, without what was cancelled or not paid. `None` if a part of it is not known.
    computed: Option<Decimal>,
    /// The gift cards and rewards that its total is without.
    taken_off: Decimal,
    /// Tips that are no part of its total, but may be in the charges.
    tips: Decimal,
    has_refund: bool,
    /// Whether any of its lines was not cancelled, and may have been paid.
    is_paid: bool,
}

/// How the charges of an order compare to what it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// It shows none.
    None,
    Equal,
    /// By so much.
    Less(Decimal),
    More,
    /// Its total is not known, or is in another currency.
    Unknown,
}

impl Charges {
    /// Takes a line item in, which has its adjustments. Fails if a sum would have to be rounded.
    pub(crate) fn add(&mut self, row: &Row<'_>) -> Result<()> {
        let part = Contribution::read(row)?;
        // Each line of an order repeats the adjustments of the order.
        let order = match self.orders.entry(net::key(row)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Order::new(row, &part)?),
        };
        order.add(row, &part)
    }

    pub(crate) fn has_no_orders(&self) -> bool {
        self.orders.is_empty()
    }

    /// Of how many orders the charges are not known, or are not what the orders cost.
    pub(crate) fn notes(&self) -> Vec<String> {
        let count = |is: &dyn Fn(&Order) -> bool| self.orders.values().filter(|order| is(order)).count();
        let lacking = count(&|order| order.charges.is_empty());
        let refunded = count(&|order| order.charges.is_empty() && order.has_refund);
        let differing = count(&|order| matches!(order.reach(), Reach::Less(_) | Reach::More));
        let unknown = count(&|order| order.reach() == Reach::Unknown);
        let their = |count: usize| if count == 1 { "its total" } else { "their totals" };
        let mut notes = Vec::new();
        if lacking > 0 {
            let show = if lacking == 1 { "shows" } else { "show" };
            let refunded = match (refunded, lacking) {
                (0, _) => String::new(),
                (_, 1) => ", but a refund".to_owned(),
                (refunded, _) => format!(", {refunded} of them a refund"),
            };
            notes.push(format!("{} {show} no charge{refunded}.", orders::orders(lacking)));
        }
        if differing > 0 {
            let (orders, their) = (orders::orders(differing), their(differing));
            notes.push(format!("The charges of {orders} do not add up to {their}."));
        }
        if unknown > 0 {
            let (orders, their) = (orders::orders(unknown), their(unknown));
            notes.push(format!("The charges of {orders} cannot be compared to {their}."));
        }
        notes
    }

    /// Whether an order shows a refund.
    pub(crate) fn has_refunds(&self) -> bool {
        self.orders.values().any(|order| order.has_refund)
    }

    /// The charges, the newest first, those without any date last.
    pub(crate) fn settle(self) -> Vec<Charge> {
        let mut all: Vec<Charge> = self.orders.into_values().flat_map(|order| order.charges).collect();
        let key = |charge: &Charge| (charge.retailer_name.clone(), charge.order_id.clone());
        all.sort_by(|a, b| b.date().cmp(&a.date()).then_with(|| key(a).cmp(&key(b))));
        all
    }
}

impl Order {
    fn new(row: &Row<'_>, part: &Contribution<'_>) -> Result<Self> {
        let mut order = Self {
            charges: Vec::new(),
            currency: Some(part.currency.to_owned()).filter(|code| !code.is_empty()),
            total: number(row, Column::OrderTotal)?,
            computed: Some(Decimal::ZERO),
            taken_off: Decimal::ZERO,
            tips: Decimal::ZERO,
            has_refund: false,
            is_paid: false,
        };
        let beside = order.take(row, Column::OrderAdjustments, part.currency)?;
        order.computed = beside.and_then(|beside| beside.known());
        Ok(order)
    }

    fn add(&mut self, row: &Row<'_>, part: &Contribution<'_>) -> Result<()> {
        let beside = self.take(row, Column::LineAdjustments, part.currency)?;
        if self.currency.as_deref() != Some(part.currency) {
            self.currency = None;
        }
        if part.is_unpaid {
            return Ok(());
        }
        self.is_paid = true;
        self.computed = match (self.computed, part.amount.known(), beside.and_then(|beside| beside.known())) {
            (Some(sum), Some(amount), Some(more)) => Some(plus(plus(sum, amount)?, more)?),
            _ => None,
        };
        Ok(())
    }

    /// The adjustments in a column, of which payments become charges. `None`: they are not known.
    fn take(&mut self, row: &Row<'_>, column: Column, currency: &str) -> Result<Option<Beside>> {
        let Some(list) = net::adjustments(row, column)? else { return Ok(None) };
        let beside = Beside::of(&list, currency)?;
        for one in list {
            let of = |amount, kind| Charge::new(row, &one, amount, kind);
            match one.kind.known() {
                Some(AdjustmentType::Payment) => self.charges.push(of(one.amount, None)),
                Some(kind @ (AdjustmentType::GiftCard | AdjustmentType::Reward)) => {
                    let name = if *kind == AdjustmentType::GiftCard { "Gift card" } else { "Rewards" };
                    // One that adds to the total was bought.
                    if one.included && !one.amount.is_zero() || one.amount < Decimal::ZERO {
                        self.charges.push(of(one.amount.abs(), Some(name)));
                    }
                    if !one.included && one.amount < Decimal::ZERO {
                        self.taken_off = plus(self.taken_off, -one.amount)?;
                    }
                }
                Some(AdjustmentType::Tip) if one.included => self.tips = plus(self.tips, one.amount)?,
                Some(AdjustmentType::Refund | AdjustmentType::Return) => self.has_refund = true,
                _ => {}
            }
        }
        Ok(Some(beside))
    }

    /// What was to be paid, with gift cards and rewards. `None`: it is not known.
    pub(super) fn cost(&self) -> Option<Decimal> {
        if !self.is_paid && self.charges.is_empty() {
            return Some(Decimal::ZERO);
        }
        money::sum(self.total.or(self.computed)?, self.taken_off)
    }

    pub(super) fn reach(&self) -> Reach {
        if self.charges.is_empty() {
            return Reach::None;
        }
        self.compared().unwrap_or(Reach::Unknown)
    }

    fn compared(&self) -> Option<Reach> {
        let mut charged = Decimal::ZERO;
        for charge in &self.charges {
            (charge.currency.is_some() && charge.currency == self.currency).then_some(())?;
            charged = money::sum(charged, charge.amount)?;
        }
        let cost = self.cost()?;
        // A total may have what was cancelled before it was charged.
        let costs = [self.total, self.computed].into_iter().flatten();
        let costs = costs.filter_map(|cost| money::sum(cost, self.taken_off));
        let is_equal = |cost: Decimal| charged == cost || Some(charged) == money::sum(cost, self.tips);
        Some(match () {
            () if costs.into_iter().any(is_equal) => Reach::Equal,
            () if charged < cost => Reach::Less(money::sum(cost, -charged)?),
            () => Reach::More,
        })
    }
}

impl Charge {
    fn new(row: &Row<'_>, shown: &Adjustment, amount: Decimal, kind: Option<&'static str>) -> Self {
        let own = |column| text(row, column).map(str::to_owned);
        let label = shown.text.as_deref().map(str::trim).filter(|label| !label.is_empty());
        Self {
            charge_date: shown.date.as_ref().map(ToString::to_string),
            order_date: own(Column::OrderDate),
            retailer_name: own(Column::RetailerName).or_else(|| own(Column::RetailerId)),
            order_id: own(Column::OrderId),
            method: kind.or(label).map(str::to_owned),
            amount,
            currency: shown.currency.clone().or_else(|| own(Column::Currency)),
        }
    }

    /// Its date, or else the order's.
    fn date(&self) -> Option<&str> {
        self.charge_date.as_deref().or(self.order_date.as_deref())
    }
}

fn plus(a: Decimal, b: Decimal) -> Result<Decimal> {
    money::sum(a, b).ok_or_else(|| too_large("an order"))
}

/// The sum of all charges in each currency. An amount without a currency is in none.
pub(crate) fn sums(charges: &[Charge]) -> Result<BTreeMap<&str, Decimal>> {
    let mut sums = BTreeMap::new();
    for charge in charges {
        let Some(currency) = charge.currency.as_deref() else { continue };
        let sum = sums.entry(currency).or_insert(Decimal::ZERO);
        *sum = money::sum(*sum, charge.amount).ok_or_else(|| too_large("all charges"))?;
    }
    Ok(sums)
}

/// A row for each charge, and one for each sum. Without a date of any charge, there is no column for it.
pub(crate) fn table(charges: &[Charge], sums: &BTreeMap<&str, Decimal>, zone: TimeZone) -> Table {
    let has_dates = charges.iter().any(|charge| charge.charge_date.is_some());
    let columns = [
        table::Column::text("CHARGED"),
        table::Column::text("ORDERED"),
        table::Column::text("RETAILER"),
        table::Column::text("ORDER"),
        table::Column::text("METHOD"),
        table::Column::amount("AMOUNT"),
    ];
    let first = usize::from(!has_dates);
    let mut table = Table::new(&columns[first..]).titled(1 - first, zone.heading("ORDERED"));
    if has_dates {
        table = table.titled(0, zone.heading("CHARGED"));
    }
    let day = |date: &Option<String>| {
        date.as_deref().and_then(|date| day(date, zone)).map(|day| day.to_string()).unwrap_or_default()
    };
    for charge in charges {
        let cells = [
            day(&charge.charge_date),
            day(&charge.order_date),
            charge.retailer_name.clone().unwrap_or_default(),
            charge.order_id.clone().unwrap_or_default(),
            charge.method.clone().unwrap_or_else(|| NOT_KNOWN.to_owned()),
            shown(Some(&charge.amount), charge.currency.as_deref()),
        ];
        table.row(&cells[first..]);
    }
    for (currency, sum) in sums {
        let sum = shown(Some(&money::tidy(*sum)), Some(currency));
        let cells = ["Total", "", "", "", "", sum.as_str()];
        let cells = cells.iter().enumerate().filter(|(index, _)| has_dates || *index != 1);
        table.row(cells.map(|(_, cell)| (*cell).to_owned()).collect::<Vec<_>>());
    }
    table
}
