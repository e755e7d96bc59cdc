//! What was spent in a year and in the year before, by month and by category.
//!
//! The rules are those of `ordersync orders summary`: exact, a sum for each currency, without lines that were cancelled,
//! returned, refunded or not paid, and with a count of the lines that are in no sum.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::str::FromStr as _;

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveTime, Utc};
use ordersync_api::charged::{Amount, is_undone, sum};
use ordersync_api::order::ShipmentStatus;
use rust_decimal::Decimal;

use crate::store::StoreError;
use crate::store::orders::own::{Cursor, OwnOrders, Period, PlacedLine};

/// A year and the year before.
pub(in crate::web) type Pair = [Decimal; 2];

/// What was spent in one currency.
#[derive(Debug, Default)]
pub(in crate::web) struct Spent {
    pub(in crate::web) months: [Pair; 12],
    pub(in crate::web) categories: HashMap<String, Pair>,
    pub(in crate::web) whole: Pair,
    /// Lines that are in the sums.
    pub(in crate::web) lines: [u64; 2],
    /// Lines that were cancelled, returned, refunded or not paid.
    pub(in crate::web) undone: [u64; 2],
    /// Whether a sum would have to be rounded: then none is right.
    pub(in crate::web) is_too_large: bool,
}

/// What was spent, by currency, and what is in no sum.
#[derive(Debug, Default)]
pub(in crate::web) struct Spending {
    pub(in crate::web) currencies: BTreeMap<String, Spent>,
    pub(in crate::web) without_amount: u64,
    pub(in crate::web) without_currency: u64,
    pub(in crate::web) unclear_sign: u64,
    /// Lines of orders without a date, of any year.
    pub(in crate::web) undated: u64,
}

/// The year of the newest order of these connections.
pub(super) async fn newest_year(own: &mut OwnOrders, connections: &[i64]) -> Result<Option<i32>, StoreError> {
    let mut year = None;
    let all = Cursor::new(connections, Period::default(), None);
    own.each_line(all, |line| {
        year = day(line.sort_key()).map(|day| day.year());
        ControlFlow::Break(())
    })
    .await?;
    Ok(year)
}

/// Sums up a year and the year before.
pub(super) async fn spending(own: &mut OwnOrders, connections: &[i64], year: i32) -> Result<Spending, StoreError> {
    let mut spending = Spending::default();
    let start = |year| NaiveDate::from_ymd_opt(year, 1, 1).map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let period = Period { start: start(year - 1), end: start(year + 1) };
    own.each_line(Cursor::new(connections, period, None), |line| {
        spending.add(line, year);
        ControlFlow::Continue(())
    })
    .await?;
    own.each_line(Cursor::undated(connections), |_| {
        spending.undated += 1;
        ControlFlow::Continue(())
    })
    .await?;
    Ok(spending)
}

fn day(sort_key: i64) -> Option<DateTime<Utc>> {
    sort_key.checked_neg().and_then(DateTime::from_timestamp_micros).filter(|at| at.year() < 10_000)
}

impl Spending {
    fn add(&mut self, line: &PlacedLine<'_>, year: i32) {
        let Some(day) = day(line.sort_key()) else { return };
        let column = usize::from(day.year() != year);
        let facts = &line.4;
        let currency = facts.currency.as_deref().map(str::trim).unwrap_or_default();
        let Some(amount) = facts.charged() else {
            self.currencies.entry(currency.to_owned()).or_default().is_too_large = true;
            return;
        };
        let amount = match amount {
            Amount::Known(amount) | Amount::UnclearSign(amount) if currency.is_empty() => {
                Amount::WithoutCurrency(amount)
            }
            amount => amount,
        };
        let status = facts.shipment_status.as_deref().and_then(|word| ShipmentStatus::from_str(word).ok());
        let is_undone = is_undone(status, amount);
        let amount = match amount {
            Amount::Known(amount) => amount,
            Amount::Unknown => return self.without_amount += 1,
            Amount::WithoutCurrency(_) => return self.without_currency += 1,
            Amount::UnclearSign(_) => return self.unclear_sign += 1,
        };
        if !self.currencies.contains_key(currency) {
            self.currencies.insert(currency.to_owned(), Spent::default());
        }
        let Some(spent) = self.currencies.get_mut(currency) else { return };
        if is_undone {
            spent.undone[column] += 1;
            return;
        }
        spent.lines[column] += 1;
        let category = facts.category.as_deref().map(str::trim).unwrap_or_default();
        if !spent.categories.contains_key(category) {
            spent.categories.insert(category.to_owned(), Pair::default());
        }
        let month = day.month0() as usize;
        let sums = [Some(&mut spent.whole), spent.months.get_mut(month), spent.categories.get_mut(category)];
        for pair in sums.into_iter().flatten() {
            match sum(pair[column], amount) {
                Some(sum) => pair[column] = sum,
                None => spent.is_too_large = true,
            }
        }
    }
}
