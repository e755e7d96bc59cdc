//! What was charged in each way, and what orders cost beyond the charges that they show.

use std::collections::{HashMap, HashSet};

use ordersync_api::exact;
use rust_decimal::Decimal;
use serde::Serialize;

use super::charges::{Charges, Order, Reach};
use super::line::{NOT_KNOWN, too_large};
use super::money;
use super::orders::orders;
use crate::errors::Result;
use crate::names::composed;
use crate::output::amount::money as shown;
use crate::output::table::{Column, Table};

/// The orders that were paid in a way, as they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Payment {
    /// The label of the charge; `None` if it is not known.
    group: Option<String>,
    /// ISO 4217.
    currency: Option<String>,
    /// Orders, of which one that was paid in several ways is in several groups.
    orders: u64,
    /// `None` if there is no known amount to sum.
    #[serde(with = "exact::option")]
    amount: Option<Decimal>,
    /// Orders whose amount is in no sum.
    unsummed_orders: u64,
}

/// The groups, and all orders of each currency.
#[derive(Debug, Default)]
pub(crate) struct Payments {
    pub(crate) groups: Vec<Payment>,
    whole: Vec<Payment>,
}

impl Payments {
    /// Groups charges by their method. Fails if a sum would have to be rounded.
    pub(crate) fn of(charges: &Charges) -> Result<Self> {
        // By the label, in any case and form of its letters, and the currency.
        let mut groups: HashMap<(Option<String>, Option<&str>), Payment> = HashMap::new();
        let mut whole: HashMap<Option<&str>, Payment> = HashMap::new();
        for order in charges.orders.values() {
            let mut seen = HashSet::new();
            let mut currencies = HashSet::new();
            for Part { method, currency, amount } in split(order) {
                let key = (method.map(|method| composed(method).to_lowercase()), currency);
                let group = groups.entry(key.clone()).or_default();
                // Of several spellings, always the same one.
                if group.group.as_deref() < method {
                    group.group = method.map(str::to_owned);
                }
                let added = group.add(currency, amount, seen.insert(key));
                added.ok_or_else(|| too_large(method.unwrap_or(NOT_KNOWN)))?;
                let added = whole.entry(currency).or_default().add(currency, amount, currencies.insert(currency));
                added.ok_or_else(|| too_large("all orders"))?;
            }
        }
        let mut whole: Vec<Payment> = whole.into_values().map(Payment::tidy).collect();
        whole.sort_by(|a, b| {
            let is_last = a.currency.is_none().cmp(&b.currency.is_none());
            is_last.then(b.orders.cmp(&a.orders)).then_with(|| a.currency.cmp(&b.currency))
        });
        let rank = |group: &Payment| whole.iter().position(|whole| whole.currency == group.currency);
        let mut groups: Vec<Payment> = groups.into_values().map(Payment::tidy).collect();
        groups.sort_by(|a, b| {
            let is_last = a.group.is_none().cmp(&b.group.is_none());
            rank(a).cmp(&rank(b)).then(b.amount.cmp(&a.amount)).then(is_last).then_with(|| a.group.cmp(&b.group))
        });
        Ok(Self { groups, whole })
    }

    /// What is not part of the sums, if anything.
    pub(crate) fn lacks(&self) -> Option<String> {
        let unsummed = self.groups.iter().map(|group| group.unsummed_orders).sum::<u64>();
        let count = usize::try_from(unsummed).unwrap_or(usize::MAX);
        let (are, their) = if count == 1 { ("is", "its") } else { ("are", "their") };
        (count > 0).then(|| format!("{} {are} counted, not summed: {their} total is not known.", orders(count)))
    }

    /// A row for each group and for the whole of each currency.
    pub(crate) fn table(&self) -> Table {
        let has_unsummed = self.groups.iter().any(|group| group.unsummed_orders > 0);
        let mut columns = vec![Column::text("PAYMENT"), Column::number("ORDERS"), Column::amount("AMOUNT")];
        if has_unsummed {
            columns.push(Column::number("NOT SUMMED").optional(0));
        }
        let mut table = Table::new(&columns);
        let named = self.groups.iter().map(|group| (group.group.as_deref().unwrap_or(NOT_KNOWN), group));
        for (name, group) in named.chain(self.whole.iter().map(|whole| ("Total", whole))) {
            let amount = shown(group.amount.as_ref(), group.currency.as_deref());
            let mut cells = vec![name.to_owned(), group.orders.to_string(), amount];
            if has_unsummed {
                cells.push(
                    Some(group.unsummed_orders)
                        .filter(|count| *count > 0)
                        .map_or_else(String::new, |count| count.to_string()),
                );
            }
            table.row(cells);
        }
        table
    }
}

impl Payment {
    /// Takes a part of an order in. `is_first`: of the order. `None` if a sum would have to be rounded.
    fn add(&mut self, currency: Option<&str>, amount: Option<Decimal>, is_first: bool) -> Option<()> {
        self.currency = currency.map(str::to_owned);
        self.orders += u64::from(is_first);
        self.unsummed_orders += u64::from(is_first && amount.is_none());
        self.amount = match (self.amount, amount) {
            (Some(sum), Some(amount)) => Some(money::sum(sum, amount)?),
            (sum, amount) => sum.or(amount),
        };
        Some(())
    }

    fn tidy(self) -> Self {
        Self { amount: self.amount.map(money::tidy), ..self }
    }
}

/// What was charged for an order in one way. What is not known is `None`.
struct Part<'a> {
    method: Option<&'a str>,
    currency: Option<&'a str>,
    amount: Option<Decimal>,
}

fn split(order: &Order) -> impl Iterator<Item = Part<'_>> {
    let part = |method, currency: Option<_>, amount| Part { method, currency, amount: currency.and(amount) };
    let charges = order.charges.iter();
    let charges =
        charges.map(move |charge| part(charge.method.as_deref(), charge.currency.as_deref(), Some(charge.amount)));
    let rest = match order.reach() {
        Reach::None => Some(order.cost()),
        Reach::Less(rest) => Some(Some(rest)),
        Reach::Equal | Reach::More | Reach::Unknown => None,
    };
    charges.chain(rest.map(|rest| part(None, order.currency.as_deref(), rest)))
}
