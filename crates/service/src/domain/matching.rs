//! Matches the lines of an order as read to the stored lines.
//!
//! Lines are paired in four steps, each among the lines that the previous steps left over. Of lines that are equal in
//! all but their key, any one may be paired, in the order of the page. In step 4, lines at different places are paired
//! only if they fit each other and no other line. An unpaired stored line is removed, and an unpaired line that was
//! read is new.
//!
//! 1. Lines whose keys differ only in a number ("Tea", the second time) are paired if title, quantity and money are
//!    equal, first at the same place, then anywhere: so lines with one title do not take each other's id when they
//!    move.
//! 2. Lines with the same key are paired.
//! 3. Lines that are equal in all but their key are paired.
//! 4. Lines that differ in only one of title, SKU and money and have the same quantity are paired: first those at the
//!    same place, if the number of lines is unchanged and all lines paired so far are at the same place as before, then
//!    those that fit no other line.

use std::collections::HashMap;

use rust_decimal::Decimal;

use super::line::{is_numbered, normalised};
use crate::domain::order::LineItem;

/// Orders with more lines are paired by their keys alone.
const MOST_LINES: usize = 4_096;
/// The most pairs of leftover lines that are compared in one order.
const MOST_PAIRS: usize = 1 << 20;

/// The properties of a line that matter for matching.
#[derive(Debug, Clone)]
pub(crate) struct Candidate<'a> {
    /// The digest of the parts that its id was made from.
    pub key: &'a str,
    title: Option<String>,
    sku: Option<&'a str>,
    quantity: Option<Decimal>,
    unit_price: Option<Decimal>,
    line_total: Option<Decimal>,
    /// Whether the key says only which occurrence of its title or SKU it is.
    numbered: bool,
}

impl<'a> Candidate<'a> {
    /// A line that was read.
    pub(crate) fn read(key: &'a str, item: &'a LineItem) -> Self {
        let numbered = is_numbered(item);
        let money = (item.unit_price, item.line_total);
        Self { numbered, ..Self::stored(key, item.title.as_deref(), item.sku.as_deref(), item.quantity, money) }
    }

    /// A line that is stored. `money` is its unit price and its line total.
    pub(crate) fn stored(
        key: &'a str,
        title: Option<&str>,
        sku: Option<&'a str>,
        quantity: Option<Decimal>,
        money: (Option<Decimal>, Option<Decimal>),
    ) -> Self {
        let plain = |value: Option<Decimal>| value.map(|value| value.normalize());
        Self {
            key,
            title: title.map(normalised),
            sku,
            quantity: plain(quantity),
            unit_price: plain(money.0),
            line_total: plain(money.1),
            numbered: false,
        }
    }

    /// The properties that distinguish it from most others.
    fn body(&self) -> (Option<&str>, Option<Decimal>, Option<Decimal>) {
        (self.title.as_deref(), self.quantity, self.unit_price)
    }

    /// Whether they are equal in all but their key. Line total and SKU are compared only if both lines have them.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        self.body() == other.body()
            && !contradict(self.line_total, other.line_total)
            && !contradict(self.sku, other.sku)
    }

    /// Whether both have the same unit price, or the same line total.
    fn same_money(&self, other: &Self) -> bool {
        let same = |one: Option<Decimal>, other: Option<Decimal>| one.is_some() && one == other;
        same(self.unit_price, other.unit_price) || same(self.line_total, other.line_total)
    }

    /// Whether the quantity is equal, and at most one of title, SKU and money differs. With `proven`, unknown money
    /// counts as different.
    fn resembles(&self, other: &Self, proven: bool) -> bool {
        let title = self.title != other.title;
        let sku = contradict(self.sku, other.sku);
        let money = contradict(self.unit_price, other.unit_price) || contradict(self.line_total, other.line_total);
        let money = money || (proven && !self.same_money(other));
        self.quantity == other.quantity && u8::from(title) + u8::from(sku) + u8::from(money) <= 1
    }
}

/// Whether both are known and differ.
fn contradict<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one != other)
}

/// For each line that was read, the stored line that it matches. Both are in the order of the page.
pub(crate) fn pair(stored: &[Candidate<'_>], read: &[Candidate<'_>]) -> Vec<Option<usize>> {
    let mut pairs = Pairs { stored, read, of_read: vec![None; read.len()], is_taken: vec![false; stored.len()] };
    let is_small = stored.len().max(read.len()) <= MOST_LINES;
    if is_small {
        pairs.at_the_same_place();
        pairs.with_equal_bodies(|line| line.numbered);
    }
    pairs.with_equal_keys();
    if is_small {
        pairs.with_equal_bodies(|_| true);
        pairs.corrected();
    }
    pairs.of_read
}

struct Pairs<'a> {
    stored: &'a [Candidate<'a>],
    read: &'a [Candidate<'a>],
    of_read: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl Pairs<'_> {
    fn make(&mut self, stored: usize, read: usize) {
        self.of_read[read] = Some(stored);
        self.is_taken[stored] = true;
    }

    fn unread(&self) -> Vec<usize> {
        (0..self.stored.len()).filter(|&index| !self.is_taken[index]).collect()
    }

    fn unpaired(&self) -> Vec<usize> {
        (0..self.read.len()).filter(|&index| self.of_read[index].is_none()).collect()
    }

    fn at_the_same_place(&mut self) {
        if self.stored.len() != self.read.len() {
            return;
        }
        for index in 0..self.read.len() {
            if self.read[index].numbered && self.read[index].equals(&self.stored[index]) {
                self.make(index, index);
            }
        }
    }

    /// Pairs lines that are equal in all but their key: first those with the same key, then in the order of the page.
    fn with_equal_bodies(&mut self, which: impl Fn(&Candidate<'_>) -> bool) {
        let (stored_lines, read_lines) = (self.stored, self.read);
        let mut by_body = HashMap::<_, Vec<usize>>::new();
        for stored in self.unread() {
            by_body.entry(stored_lines[stored].body()).or_default().push(stored);
        }
        let unpaired: Vec<usize> = self.unpaired().into_iter().filter(|&read| which(&read_lines[read])).collect();
        for same_key in [true, false] {
            for &read in &unpaired {
                let line = &read_lines[read];
                if self.of_read[read].is_some() {
                    continue;
                }
                let Some(equal) = by_body.get_mut(&line.body()) else { continue };
                let fits = |stored: &usize| {
                    line.equals(&stored_lines[*stored]) && (!same_key || line.key == stored_lines[*stored].key)
                };
                if let Some(place) = equal.iter().position(fits) {
                    let stored = equal.remove(place);
                    self.make(stored, read);
                }
            }
        }
    }

    fn with_equal_keys(&mut self) {
        let stored_lines = self.stored;
        let by_key: HashMap<&str, usize> =
            self.unread().into_iter().map(|stored| (stored_lines[stored].key, stored)).collect();
        for read in self.unpaired() {
            if let Some(&stored) = by_key.get(self.read[read].key) {
                self.make(stored, read);
            }
        }
    }

    fn corrected(&mut self) {
        let stands_as_it_stood = self.stored.len() == self.read.len()
            && self.of_read.iter().enumerate().all(|(read, stored)| stored.is_none_or(|stored| stored == read));
        if stands_as_it_stood {
            for index in self.unpaired() {
                if self.read[index].resembles(&self.stored[index], false) {
                    self.make(index, index);
                }
            }
        }
        let (unread, unpaired) = (self.unread(), self.unpaired());
        if unread.len().saturating_mul(unpaired.len()) > MOST_PAIRS {
            return;
        }
        let mut fitting = Vec::new();
        let mut fits_of_stored = HashMap::<usize, u32>::new();
        for &read in &unpaired {
            let fits = unread.iter().filter(|&&stored| self.read[read].resembles(&self.stored[stored], true));
            let fits: Vec<usize> = fits.copied().collect();
            for &stored in &fits {
                *fits_of_stored.entry(stored).or_default() += 1;
            }
            if let [only] = fits[..] {
                fitting.push((only, read));
            }
        }
        for (stored, read) in fitting {
            if fits_of_stored.get(&stored) == Some(&1) {
                self.make(stored, read);
            }
        }
    }
}

#[cfg(test)]
mod tests;
