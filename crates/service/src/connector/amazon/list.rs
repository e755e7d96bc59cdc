//! The list of orders, year by year: each year has to show as many orders as it counts.

use ordersync_api::hex;
use ordersync_import::fetched::HistoryPage;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::connector::ConnectorError;
use crate::connector::kit::check::{Check, Failure};

/// An order of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Listed {
    pub(super) number: String,
    /// Where its details are, as the list says.
    pub(super) details: Option<String>,
    /// Of all that the list shows of it.
    pub(super) digest: String,
    /// The page of the list that it is on.
    pub(super) year: u16,
    pub(super) start: u32,
}

/// How far the list was read.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct List {
    /// Those that are not read to their end, the newest first.
    pub(super) years: Vec<u16>,
    /// The orders before the next page of the year.
    pub(super) start: u32,
    /// Whether the year is read again, because its orders moved meanwhile.
    is_again: bool,
    pages: u32,
    pub(super) orders: Vec<Listed>,
    /// The check that shows that the list is not whole.
    pub(super) failure: Option<Failure>,
    /// Whether a year does not say how many orders it has.
    pub(super) is_uncounted: bool,
}

impl List {
    /// The year that is read next.
    pub(super) fn year(&self) -> Option<u16> {
        self.years.first().copied()
    }

    /// Takes up a page of the year.
    /// Fails if it is of another period.
    pub(super) fn take(&mut self, year: u16, page: &HistoryPage, max_pages: u32) -> Result<(), ConnectorError> {
        if page.period.as_deref() != Some(&*format!("year-{year}")) {
            let found = format!("the list was asked for the year {year}, and shows another period.");
            return Err(Failure::new(Check::ListPage, found).error());
        }
        let before = self.orders.len();
        for order in &page.orders {
            if self.of_year(year).any(|known| known.number == order.number) {
                continue;
            }
            self.orders.push(Listed {
                number: order.number.clone(),
                details: order.details.clone(),
                digest: digest(&order.text),
                year,
                start: self.start,
            });
        }
        self.pages += 1;
        let is_new = self.orders.len() > before;
        self.start += u32::try_from(page.orders.len()).unwrap_or(u32::MAX);
        self.is_uncounted |= page.count.is_none();
        let is_over = match page.count {
            _ if page.orders.is_empty() => true,
            Some(count) => u64::from(self.start) >= count,
            None => !is_new,
        };
        if is_over {
            self.end_year(year, page.count);
        } else if self.pages >= max_pages {
            let found = format!("the list has more than {max_pages} pages: the operator can raise max_pages.");
            self.failure.get_or_insert(Failure::new(Check::NumberOfPages, found));
            self.years.clear();
        }
        Ok(())
    }

    fn end_year(&mut self, year: u16, count: Option<u64>) {
        let shown = self.of_year(year).count() as u64;
        self.start = 0;
        match count.filter(|count| *count != shown) {
            // An order that is placed meanwhile moves the others.
            Some(_) if !self.is_again => {
                self.is_again = true;
                return;
            }
            Some(count) => {
                let found = format!("the list of {year} counts {count} orders, and shows {shown}.");
                self.failure.get_or_insert(Failure::new(Check::EndOfList, found));
            }
            None => {}
        }
        self.is_again = false;
        self.years.remove(0);
    }

    fn of_year(&self, year: u16) -> impl Iterator<Item = &Listed> {
        self.orders.iter().rev().take_while(move |order| order.year == year)
    }
}

/// Half of a SHA-256: it only has to change with the text.
pub(super) fn digest(text: &str) -> String {
    hex::encode(&Sha256::digest(text)[..16])
}
