//! Line items picked out of a list while its pages are read, so that every service can be searched and sorted. Memory holds
//! what is picked and no more: as many as `--limit`, or if they are sorted, [`MOST_SORTED`] at most.

use std::cmp::Ordering;
use std::str::FromStr as _;

use ordersync_api::order::ShipmentStatus;
use rust_decimal::Decimal;

use crate::cli::orders::{Sort, SortBy};
use crate::errors::{Error, Hint, Result};
use crate::export::Sink;
use crate::export::row::{Column, Row};
use crate::export::sort_order;
use crate::names::fold;

/// The status of an item whose order the retailer no longer lists, whatever its goods were last.
pub(super) const MISSING: &str = "missing";
/// More items than this are not sorted here.
const MOST_SORTED: usize = 100_000;

/// Which items are wanted; the texts are folded.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    search: Option<String>,
    status: Option<String>,
    undelivered: bool,
}

impl Wanted {
    pub(super) fn new(search: Option<&str>, status: Option<&str>, undelivered: bool) -> Self {
        let folded = |text: Option<&str>| text.map(|text| fold(text.trim()));
        Self { search: folded(search), status: folded(status), undelivered }
    }

    fn fits(&self, row: &Row<'_>) -> bool {
        self.status.as_deref().is_none_or(|status| has_status(row, status))
            && (!self.undelivered || is_undelivered(row) != Some(false))
            && self.search.as_deref().is_none_or(|text| has_text(row, text))
    }
}

fn has_status(row: &Row<'_>, status: &str) -> bool {
    match row.text(Column::MissingSince) {
        Some(_) => status == MISSING,
        None => row.text(Column::ShipmentStatus).is_some_and(|text| fold(text) == status),
    }
}

/// Whether the goods are still to come; `None`: the retailer shows no status. A word that is not known may mean anything.
fn is_undelivered(row: &Row<'_>) -> Option<bool> {
    if row.text(Column::MissingSince).is_some() {
        return Some(false);
    }
    let status = row.text(Column::ShipmentStatus)?.parse::<ShipmentStatus>();
    Some(status.map_or(true, |status| !status.is_settled() && !status.is_undone()))
}

fn has_text(row: &Row<'_>, text: &str) -> bool {
    [Column::ItemName, Column::BrandName, Column::RetailerName, Column::OrderId]
        .into_iter()
        .filter_map(|column| row.text(column))
        .any(|value| fold(value).contains(text))
}

/// Takes the items that are wanted.
#[derive(Debug)]
pub(super) struct Picking {
    wanted: Wanted,
    sort: Option<Sort>,
    skip: u64,
    limit: usize,
    picked: Vec<Picked>,
    currencies: Currencies,
}

#[derive(Debug)]
struct Picked {
    key: Option<SortValue>,
    json: String,
}

/// What items are sorted by; those of one list are all of one kind.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SortValue {
    Date(i64),
    Amount(Decimal),
    Name(String),
}

/// Whether amounts of several currencies were compared.
#[derive(Debug, Default)]
struct Currencies {
    first: Option<String>,
    several: bool,
}

/// What was picked.
#[derive(Debug)]
pub(super) struct PickedItems {
    /// The items that are shown, as JSON.
    pub(super) items: Vec<String>,
    /// How many match in all, if all were read.
    pub(super) total: Option<u64>,
    /// Whether amounts of several currencies were compared.
    pub(super) mixes_currencies: bool,
}

impl Picking {
    /// Picks `limit` items after the first `skip`.
    pub(super) fn new(wanted: Wanted, sort: Option<Sort>, skip: u64, limit: u32) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self { wanted, sort, skip, limit, picked: Vec::new(), currencies: Currencies::default() }
    }

    pub(super) fn found(mut self) -> PickedItems {
        let mixes_currencies = self.currencies.several;
        let Some(sort) = self.sort else {
            return PickedItems {
                total: None,
                items: self.picked.into_iter().map(|one| one.json).collect(),
                mixes_currencies,
            };
        };
        self.picked.sort_by(|one, other| compare(one.key.as_ref(), other.key.as_ref(), sort.descending));
        let total = Some(self.picked.len() as u64);
        let skip = usize::try_from(self.skip).unwrap_or(usize::MAX);
        let items = self.picked.into_iter().skip(skip).take(self.limit).map(|one| one.json).collect();
        PickedItems { total, items, mixes_currencies }
    }

    fn take(&mut self, row: &Row<'_>) -> Result<()> {
        let key = match self.sort {
            Some(_) if self.picked.len() == MOST_SORTED => return Err(too_many()),
            Some(sort) => {
                if matches!(sort.by, SortBy::Price | SortBy::Total) {
                    self.currencies.note(row.text(Column::Currency));
                }
                key(row, sort.by)
            }
            None if self.skip > 0 => {
                self.skip -= 1;
                return Ok(());
            }
            None if self.picked.len() == self.limit => return Ok(()),
            None => None,
        };
        self.picked.push(Picked { key, json: row.document().into_owned() });
        Ok(())
    }
}

impl Sink for Picking {
    fn rows(&mut self, rows: &[Row<'_>]) -> Result<()> {
        rows.iter()
            .filter(|row| self.wanted.fits(row))
            .collect::<Vec<_>>()
            .into_iter()
            .try_for_each(|row| self.take(row))
    }

    fn is_full(&self) -> bool {
        self.sort.is_none() && self.picked.len() == self.limit
    }
}

impl Currencies {
    fn note(&mut self, currency: Option<&str>) {
        match (&self.first, currency) {
            (_, None) => {}
            (None, Some(currency)) => self.first = Some(currency.to_owned()),
            (Some(first), Some(currency)) => self.several |= first != currency,
        }
    }
}

/// What an item is sorted by; none if it lacks that, or has something else in its place.
fn key(row: &Row<'_>, by: SortBy) -> Option<SortValue> {
    let amount = |column| {
        let text = row.text(column)?;
        Decimal::from_str(text).or_else(|_| Decimal::from_scientific(text)).ok().map(SortValue::Amount)
    };
    match by {
        SortBy::Date => row.text(Column::OrderDate).and_then(sort_order::micros).map(SortValue::Date),
        SortBy::Price => amount(Column::Price),
        SortBy::Total => amount(Column::OrderTotal),
        SortBy::Item => row.text(Column::ItemName).map(|name| SortValue::Name(fold(name))),
        SortBy::Retailer => row.text(Column::RetailerName).map(|name| SortValue::Name(fold(name))),
    }
}

/// Items that have nothing to be sorted by are last, in either direction.
fn compare(one: Option<&SortValue>, other: Option<&SortValue>, descending: bool) -> Ordering {
    match (one, other) {
        (Some(one), Some(other)) if descending => other.cmp(one),
        (Some(one), Some(other)) => one.cmp(other),
        _ => one.is_none().cmp(&other.is_none()),
    }
}

fn too_many() -> Error {
    Error::usage(format!("More than {MOST_SORTED} line items match: too many to sort here.")).hint([
        Hint::say("Narrow the list: --since, --until, --retailer, --search, --status"),
        Hint::run("Or sort all of them in a file", "ordersync orders export --out orders.csv"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(picking: &mut Picking, items: &[&str]) -> Result<()> {
        let rows: Vec<Row<'_>> = items.iter().map(|item| Row::read(item).expect("a row")).collect();
        picking.rows(&rows)
    }

    fn found(mut picking: Picking, items: &[&str]) -> Vec<String> {
        picked(&mut picking, items).expect("few");
        let id = |item: &String| Row::read(item).expect("a row").text(Column::Id).expect("an id").to_owned();
        picking.found().items.iter().map(id).collect()
    }

    const ITEMS: [&str; 4] = [
        r#"{"id":"a","itemName":"Crème brûlée","price":9,"shipmentStatus":"delivered","orderId":"X-1","currency":"EUR"}"#,
        r#"{"id":"b","itemName":"apple","brandName":"KÖRNER","price":"10.50","shipmentStatus":"Delivered","missingSince":"2026-01-01T00:00:00Z"}"#,
        r#"{"id":"c","itemName":null,"retailerName":"Komadori Shōten","price":null,"shipmentStatus":"DELIVERED","currency":"JPY"}"#,
        r#"{"id":"d","itemName":"Zebra","price":1e1,"shipmentStatus":"shipped","orderDate":"2026-01-01T00:00:00Z"}"#,
    ];

    #[test]
    fn a_text_is_found_in_item_brand_retailer_and_order_number_whatever_case_and_accents() {
        let search = |text: &str| found(Picking::new(Wanted::new(Some(text), None, false), None, 0, 9), &ITEMS);
        assert_eq!(search("creme BRULEE"), ["a"]);
        assert_eq!(search("korner"), ["b"]);
        assert_eq!(search("shoten"), ["c"]);
        assert_eq!(search("x-1"), ["a"]);
        assert!(search("nothing").is_empty());
    }

    #[test]
    fn a_status_is_the_one_that_is_shown() {
        let status = |text: &str| found(Picking::new(Wanted::new(None, Some(text), false), None, 0, 9), &ITEMS);
        assert_eq!(status("delivered"), ["a", "c"]);
        assert_eq!(status("Missing"), ["b"]);
    }

    #[test]
    fn what_is_not_known_to_be_delivered_is_undelivered() {
        let of = |status: &str| format!(r#"{{"id":"{status}","shipmentStatus":"{status}"}}"#);
        let statuses =
            ["pending", "unpaid", "processing", "shipped", "delivered", "completed", "cancelled", "at the depot"];
        let items: Vec<String> = statuses.into_iter().map(of).chain([r#"{"id":"none"}"#.to_owned()]).collect();
        let items: Vec<&str> = items.iter().map(String::as_str).chain([ITEMS[1]]).collect();
        let undelivered = found(Picking::new(Wanted::new(None, None, true), None, 0, 20), &items);
        assert_eq!(undelivered, ["pending", "processing", "shipped", "at the depot", "none"]);
    }

    #[test]
    fn amounts_are_compared_as_numbers_and_what_has_none_is_last() {
        let sort = |text: &str| {
            let sort = Some(text.parse().expect("a sort"));
            found(Picking::new(Wanted::default(), sort, 0, 9), &ITEMS)
        };
        assert_eq!(sort("price"), ["a", "d", "b", "c"]);
        assert_eq!(sort("-price"), ["b", "d", "a", "c"]);
        assert_eq!(sort("item"), ["b", "a", "d", "c"]);
        assert_eq!(sort("-date"), ["d", "a", "b", "c"]);
        // Items that are equal in this stay as the service lists them.
        assert_eq!(sort("total"), ["a", "b", "c", "d"]);
    }

    #[test]
    fn no_more_is_taken_than_wanted_and_not_too_much_is_sorted() {
        let mut picking = Picking::new(Wanted::default(), None, 1, 2);
        picked(&mut picking, &ITEMS[..2]).expect("few");
        assert!(!picking.is_full());
        picked(&mut picking, &ITEMS[2..]).expect("few");
        assert!(picking.is_full());
        assert_eq!(picking.found().items.len(), 2);
        let mut picking = Picking::new(Wanted::default(), Some("price".parse().expect("a sort")), 0, 1);
        let thousand = vec![ITEMS[0]; 1000];
        for _ in 0..100 {
            picked(&mut picking, &thousand).expect("not too many yet");
        }
        let error = picked(&mut picking, &ITEMS[..1]).expect_err("one too many");
        assert!(error.hint_text().is_some_and(|hint| hint.contains("--since")));
    }
}
