//! The groups and their sums.
//!
//! Every line item counts in `items`. Its amount ([`super::line`]) goes to `amount`, or to `undoneAmount` if it was
//! cancelled, returned, refunded or not paid; if it is unknown, it goes to neither, and the item counts in `unsummedItems`. On
//! request, `net` has what the orders cost in the end ([`super::net`]). The
//! number of orders is not reported: line items of one order may be anywhere in the list, and remembering every order
//! would take unbounded memory.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::{Datelike as _, NaiveDate};
use ordersync_api::{Timestamp, exact};
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};

use super::line::{Contribution, LeftOut, NONE, OtherStatuses, text, too_large};
use super::money;
use super::net::{LineGroup, Net, Order};
use crate::client::row::{Column, Row};
use crate::errors::Result;
use crate::names::composed;
use crate::summary::grouping::Grouping;
use crate::time_zone::TimeZone;

/// What is known of some line items in one currency.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Line items.
    pub items: u64,
    /// How many were bought, of those that were not undone.
    pub quantity: Decimal,
    /// What they cost, of those that were not undone.
    pub amount: Decimal,
    /// Line items that were cancelled, returned, refunded or not paid.
    pub undone_items: u64,
    /// What they would have cost.
    pub undone_amount: Decimal,
    /// Line items whose amount is in no sum.
    pub unsummed_items: u64,
    /// What was paid in the end, if that is asked for; `None` if there is no order to sum.
    pub net: Option<Decimal>,
    /// Orders with lines in it that are not in `net`.
    pub unsummed_orders: u64,
}

/// A group, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Group {
    /// `2026-03`, the retailer's name, the category, the brand; `None` where the line items have none.
    pub group: Option<String>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// See [`Sum`]; so are the following.
    pub items: u64,
    #[serde(with = "exact::option")]
    quantity: Option<Decimal>,
    /// `None` if there is no known amount to sum.
    #[serde(with = "exact::option")]
    pub amount: Option<Decimal>,
    /// See [`Sum`].
    pub undone_items: u64,
    #[serde(with = "exact::option")]
    pub undone_amount: Option<Decimal>,
    /// See [`Sum`].
    pub unsummed_items: u64,
    /// `None` if it was not asked for, `Some(None)` if there is no known amount to sum.
    #[serde(serialize_with = "exact_or_null", skip_serializing_if = "Option::is_none")]
    pub net: Option<Option<Decimal>>,
    /// `None` if `net` was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsummed_orders: Option<u64>,
}

#[allow(clippy::ref_option, reason = "serde gives a reference to the field")]
fn exact_or_null<S: Serializer>(net: &Option<Option<Decimal>>, serializer: S) -> Result<S::Ok, S::Error> {
    exact::option::serialize(&net.flatten(), serializer)
}

/// The groups of one grouping: by the group's name, then by currency; what is not known is an empty text.
#[derive(Debug)]
struct Groups {
    by: Grouping,
    sums: HashMap<Arc<str>, Vec<(String, Sum)>>,
}

/// The sums of a stream of line items.
#[derive(Debug)]
pub(crate) struct Totals {
    groupings: Vec<Groups>,
    whole: Vec<(String, Sum)>,
    left_out: LeftOut,
    other_statuses: OtherStatuses,
    net: Option<Net>,
    zone: TimeZone,
    days: Option<(NaiveDate, NaiveDate)>,
}

impl Totals {
    /// Sums in these groupings; days and months are those of a zone.
    pub(crate) fn new(groupings: &[Grouping], zone: TimeZone) -> Self {
        let groupings = groupings.iter().map(|by| Groups { by: *by, sums: HashMap::new() }).collect();
        Self {
            groupings,
            whole: Vec::new(),
            left_out: LeftOut::default(),
            other_statuses: OtherStatuses::default(),
            net: None,
            zone,
            days: None,
        }
    }

    /// Sums up what was paid in the end, too: the line items have to have their adjustments.
    pub(crate) fn with_net(self) -> Self {
        Self { net: Some(Net::default()), ..self }
    }

    /// Takes a line item in. Fails if a sum would have to be rounded.
    pub(crate) fn add(&mut self, row: &Row<'_>) -> Result<()> {
        let day = row.text(Column::OrderDate).and_then(|text| day(text, self.zone));
        if let Some(day) = day {
            let (first, last) = self.days.unwrap_or((day, day));
            self.days = Some((first.min(day), last.max(day)));
        }
        let part = Contribution::read(row)?;
        self.left_out.add(&part).ok_or_else(|| too_large("what is left out"))?;
        self.other_statuses.add(&part);
        let names: Vec<Arc<str>> = self.groupings.iter().map(|groups| groups.name(row, day)).collect();
        if let Some(net) = &mut self.net {
            let complete = net.complete_before(row);
            net.add(row, &part, &names)?;
            for order in &complete {
                self.add_net(order, Decimal::ZERO)?;
            }
        }
        self.each(part.currency, &names, |sum| part.add_to(sum))
    }

    /// After the last line item: adds what the orders cost in the end. Fails if a sum would have to be rounded.
    pub(crate) fn settle(&mut self) -> Result<()> {
        let Some(mut net) = self.net.take() else { return Ok(()) };
        for settled in net.settle() {
            let (order, rest) = settled?;
            let Some(rest) = rest else {
                self.leave_out(&order.lines);
                continue;
            };
            self.add_net(&order, rest)?;
        }
        self.net = Some(net);
        Ok(())
    }

    /// Adds what an order costs: its lines, and `rest` beside them.
    fn add_net(&mut self, order: &Order, rest: Decimal) -> Result<()> {
        let is_lines_alone = rest.is_zero() && order.lines.iter().any(|lines| lines.net.is_some());
        let rest = (!is_lines_alone).then_some((&order.currency, &order.names, rest));
        let lines = order.lines.iter().filter_map(|lines| Some((&lines.currency, &lines.names, lines.net?)));
        for (currency, names, net) in lines.chain(rest) {
            self.each(currency, names, |sum| {
                sum.net = Some(money::sum(sum.net.unwrap_or_default(), net)?);
                Some(())
            })?;
        }
        Ok(())
    }

    /// Counts an order that is in no net amount, once in each sum that has a line of it.
    fn leave_out(&mut self, lines: &[LineGroup]) {
        let currencies: HashSet<&str> = lines.iter().map(|lines| lines.currency.as_str()).collect();
        for currency in currencies {
            in_currency(&mut self.whole, currency).unsummed_orders += 1;
        }
        for (at, groups) in self.groupings.iter_mut().enumerate() {
            let own: HashSet<_> =
                lines.iter().filter_map(|lines| Some((lines.names.get(at)?, &lines.currency))).collect();
            for (name, currency) in own {
                let sums = groups.sums.entry(Arc::clone(name)).or_default();
                in_currency(sums, currency).unsummed_orders += 1;
            }
        }
    }

    /// Changes the sum of all line items and those of the groups with these names.
    fn each(
        &mut self,
        currency: &str,
        names: &[Arc<str>],
        mut change: impl FnMut(&mut Sum) -> Option<()>,
    ) -> Result<()> {
        change(in_currency(&mut self.whole, currency)).ok_or_else(|| too_large("all line items"))?;
        for (groups, name) in self.groupings.iter_mut().zip(names) {
            let sums = groups.sums.entry(Arc::clone(name)).or_default();
            change(in_currency(sums, currency)).ok_or_else(|| too_large(name))?;
        }
        Ok(())
    }

    /// The groups of a grouping: the currency with the most line items first; in it months as they follow one another,
    /// then what has none; anything else by its amount, the largest first.
    pub(crate) fn groups(&self, by: Grouping) -> Vec<Group> {
        let Some(groups) = self.groupings.iter().find(|groups| groups.by == by) else { return Vec::new() };
        let mut rows: Vec<Group> = groups
            .sums
            .iter()
            .flat_map(|(name, sums)| sums.iter().map(move |(currency, sum)| self.group(name, currency, sum)))
            .collect();
        let ranks: HashMap<Option<String>, usize> =
            self.whole().into_iter().enumerate().map(|(rank, whole)| (whole.currency, rank)).collect();
        let rank = |group: &Group| ranks.get(&group.currency).copied();
        rows.sort_by(|a, b| {
            let within = match by {
                Grouping::Month => std::cmp::Ordering::Equal,
                _ => b.amount.cmp(&a.amount),
            };
            let last = a.group.is_none().cmp(&b.group.is_none());
            rank(a).cmp(&rank(b)).then(within).then(last).then_with(|| a.group.cmp(&b.group))
        });
        rows
    }

    /// All line items, a group for each currency, the one with the most first, that without one last.
    pub(crate) fn whole(&self) -> Vec<Group> {
        let mut whole: Vec<Group> = self.whole.iter().map(|(currency, sum)| self.group("", currency, sum)).collect();
        whole.sort_by(|a, b| {
            (a.currency.is_none().cmp(&b.currency.is_none()))
                .then(b.items.cmp(&a.items))
                .then_with(|| a.currency.cmp(&b.currency))
        });
        whole
    }

    fn group(&self, name: &str, currency: &str, sum: &Sum) -> Group {
        let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let nothing_known = sum.items == sum.unsummed_items;
        Group {
            group: known(name),
            currency: known(currency),
            items: sum.items,
            quantity: Some(sum.quantity.normalize()),
            amount: (!nothing_known).then(|| money::tidy(sum.amount)),
            undone_items: sum.undone_items,
            undone_amount: (!nothing_known).then(|| money::tidy(sum.undone_amount)),
            unsummed_items: sum.unsummed_items,
            net: self.net.is_some().then(|| sum.net.map(money::tidy)),
            unsummed_orders: self.net.is_some().then_some(sum.unsummed_orders),
        }
    }

    /// How many line items there are.
    pub(crate) fn items(&self) -> u64 {
        self.whole.iter().map(|(_, sum)| sum.items).sum()
    }

    /// How many are in no sum, why, and how much they are, if any are.
    pub(crate) fn left_out(&self) -> Option<String> {
        self.left_out.text()
    }

    /// How many count as spent although their status is not known, if any do.
    pub(crate) fn other_statuses(&self) -> Option<String> {
        self.other_statuses.text()
    }

    /// What the net amounts lack, if anything.
    pub(crate) fn net_lacks(&self) -> Option<String> {
        self.net.as_ref().and_then(Net::text)
    }

    /// How many orders cost another amount than their totals, if any do.
    pub(crate) fn net_differs(&self) -> Option<String> {
        self.net.as_ref().and_then(Net::differing)
    }

    /// Of its days and months.
    pub(crate) const fn zone(&self) -> TimeZone {
        self.zone
    }

    /// The first and the last day on which something was ordered.
    pub(crate) const fn days(&self) -> Option<(NaiveDate, NaiveDate)> {
        self.days
    }
}

impl Contribution<'_> {
    /// `None` if a sum would have to be rounded.
    fn add_to(&self, sum: &mut Sum) -> Option<()> {
        sum.items += 1;
        sum.undone_items += u64::from(self.is_undone);
        let known = self.amount.known();
        sum.unsummed_items += u64::from(known.is_none());
        let amount = known.unwrap_or_default();
        if self.is_undone {
            sum.undone_amount = money::sum(sum.undone_amount, amount)?;
        } else {
            sum.amount = money::sum(sum.amount, amount)?;
            sum.quantity = money::sum(sum.quantity, self.quantity.unwrap_or_default())?;
        }
        Some(())
    }
}

impl Group {
    /// Its name for people.
    pub(crate) fn name(&self) -> &str {
        self.group.as_deref().unwrap_or(NONE)
    }
}

impl Groups {
    /// The name of a line item's group.
    fn name(&self, row: &Row<'_>, day: Option<NaiveDate>) -> Arc<str> {
        let month;
        let name = match self.by {
            Grouping::Month => {
                month = day.map(|day| format!("{:04}-{:02}", day.year(), day.month())).unwrap_or_default();
                &month
            }
            Grouping::Retailer => text(row, Column::RetailerName).or(text(row, Column::RetailerId)).unwrap_or(""),
            Grouping::Category => text(row, Column::Category).unwrap_or(""),
            Grouping::Brand => text(row, Column::BrandName).unwrap_or(""),
            Grouping::Order | Grouping::Payment => text(row, Column::OrderId).unwrap_or(""),
        };
        let name = composed(name);
        self.sums.get_key_value(&*name).map_or_else(|| name.into(), |(known, _)| Arc::clone(known))
    }
}

/// The sum for a currency; there are few of them.
fn in_currency<'a>(sums: &'a mut Vec<(String, Sum)>, currency: &str) -> &'a mut Sum {
    let at = sums.iter().position(|(known, _)| known == currency).unwrap_or_else(|| {
        sums.push((currency.to_owned(), Sum::default()));
        sums.len() - 1
    });
    &mut sums[at].1
}

/// The day of an order, as lists show it.
pub(super) fn day(text: &str, zone: TimeZone) -> Option<NaiveDate> {
    match text.parse::<Timestamp>() {
        Ok(at) => Some(zone.day(at.0)),
        Err(_) => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(by: Grouping, rows: &[&str]) -> Result<Totals> {
        let mut totals = Totals::new(&[by], TimeZone::UTC);
        for row in rows {
            totals.add(&Row::read(row).expect("json"))?;
        }
        Ok(totals)
    }

    fn written(by: Grouping, rows: &[&str]) -> Vec<String> {
        let groups = totals(by, rows).expect("sums").groups(by);
        groups.iter().map(|group| serde_json::to_string(group).expect("json")).collect()
    }

    #[test]
    fn what_is_undone_or_not_known_is_counted_and_not_summed() {
        let rows = written(
            Grouping::Brand,
            &[
                r#"{"id":1,"brandName":"A","price":0.10,"quantity":3,"currency":"EUR"}"#,
                r#"{"id":2,"brandName":"A","price":"0.20","quantity":"1.0","currency":"EUR","shipmentStatus":"on its way"}"#,
                r#"{"id":3,"brandName":"A","price":5.00,"quantity":2,"currency":"EUR","shipmentStatus":"returned"}"#,
                r#"{"id":4,"brandName":"A","price":null,"quantity":1,"currency":"EUR"}"#,
                r#"{"id":5,"brandName":" ","price":1,"quantity":1}"#,
            ],
        );
        assert_eq!(
            rows,
            [
                r#"{"group":"A","currency":"EUR","items":4,"quantity":5,"amount":0.50,"undoneItems":1,"undoneAmount":10.00,"unsummedItems":1}"#,
                r#"{"group":null,"currency":null,"items":1,"quantity":1,"amount":null,"undoneItems":0,"undoneAmount":null,"unsummedItems":1}"#,
            ]
        );
    }

    #[test]
    fn words_for_a_status_that_are_not_known_are_named() {
        let row =
            |status: &str| format!(r#"{{"id":1,"price":1,"quantity":1,"currency":"EUR","shipmentStatus":{status}}}"#);
        let said = |statuses: &[&str]| {
            let rows: Vec<String> = statuses.iter().map(|status| row(status)).collect();
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            totals(Grouping::Brand, &rows).expect("sums").other_statuses()
        };
        assert_eq!(said(&["null", r#""""#, r#""canceled""#, r#""Delivered""#]), None);
        assert_eq!(
            said(&[r#""Storniert""#, r#""returned""#]).as_deref(),
            Some("1 item counts as spent, with a status that is not known: “Storniert”.")
        );
        assert_eq!(
            said(&[r#""e""#, r#""d""#, r#""c""#, r#""b""#, r#""e""#, r#""a""#]).as_deref(),
            Some("6 items count as spent, with a status that is not known: “a”, “b”, “c”, “d”, and others.")
        );
    }

    #[test]
    fn an_order_whose_lines_are_all_it_costs_is_let_go_when_another_date_begins() {
        let row = |order: &str, date: &str, price: &str| {
            format!(
                r#"{{"id":1,"orderId":"{order}","orderDate":"{date}","price":{price},"quantity":1,"currency":"EUR","orderTotal":9,"lineAdjustments":[],"orderAdjustments":[]}}"#
            )
        };
        let mut totals = Totals::new(&[Grouping::Month], TimeZone::UTC).with_net();
        let rows = [
            row("A", "2026-03-02", "3"),
            row("B", "2026-03-02", "9"),
            // With this line, order A costs its total.
            row("A", "2026-03-02", "null"),
            row("B", "2026-03-01", "1"),
            row("C", "2026-03-01", "1"),
        ];
        let held: Vec<usize> = rows
            .iter()
            .map(|row| {
                totals.add(&Row::read(row).expect("json")).expect("a sum");
                totals.net.as_ref().expect("net amounts").held()
            })
            .collect();
        assert_eq!(held, [1, 2, 2, 2, 3]);
        totals.settle().expect("sums");
        assert_eq!(totals.whole()[0].net, Some(Some(Decimal::from(20))));
    }

    #[test]
    fn currencies_are_never_added_to_one_another() {
        let rows = [
            r#"{"id":1,"category":"Dog","price":1,"quantity":1,"currency":"USD"}"#,
            r#"{"id":2,"category":"Cat","price":3,"quantity":1,"currency":"USD"}"#,
            r#"{"id":3,"category":"Dog","price":900,"quantity":1,"currency":"JPY"}"#,
        ];
        let totals = totals(Grouping::Category, &rows).expect("sums");
        let seen: Vec<_> = totals
            .groups(Grouping::Category)
            .iter()
            .map(|group| format!("{} {} {:?}", group.name(), group.currency.as_deref().unwrap_or(NONE), group.amount))
            .collect();
        assert_eq!(seen, ["Cat USD Some(3)", "Dog USD Some(1)", "Dog JPY Some(900)"]);
        assert_eq!(totals.whole().iter().map(|whole| whole.items).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn a_midnight_in_utc_is_a_day_and_months_follow_one_another() {
        let row = |date: &str| format!(r#"{{"id":1,"orderDate":"{date}","price":1,"quantity":1,"currency":"EUR"}}"#);
        let rows = [row("2026-03-01T00:00:00Z"), row("2025-12-15T12:00:00Z"), row("2026-02-28"), row("soon")];
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let totals = totals(Grouping::Month, &rows).expect("sums");
        let groups = totals.groups(Grouping::Month);
        assert_eq!(groups.iter().map(Group::name).collect::<Vec<_>>(), ["2025-12", "2026-02", "2026-03", NONE]);
        let (first, last) = totals.days().expect("days");
        assert_eq!((first.to_string(), last.to_string()), ("2025-12-15".to_owned(), "2026-03-01".to_owned()));
    }

    #[test]
    fn a_sum_that_would_be_rounded_and_a_price_that_cannot_be_read_are_errors() {
        let row = r#"{"id":1,"price":79228162514264337593543950335,"quantity":1,"currency":"EUR"}"#;
        let error = totals(Grouping::Brand, &[row, row]).expect_err("too large");
        assert!(error.message().contains("more digits than can be summed exactly"), "{error}");
        let row = r#"{"id":"item_7","price":"12,50","quantity":1,"currency":"EUR"}"#;
        let error = totals(Grouping::Brand, &[row]).expect_err("no decimal");
        assert!(error.message().contains("item_7") && error.message().contains("price"), "{error}");
    }
}
