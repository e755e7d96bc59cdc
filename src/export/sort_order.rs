//! The order in which a service lists line items: newest first, undated ones last, and within a moment by id. Ids may be
//! texts or numbers and may rise or fall; which of these holds is learnt from the rows themselves, and a list that fits
//! none is noticed.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

pub(crate) use crate::client::page::{Key, Place, micros};

/// How ids may follow each other within a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Ids {
    Text,
    Numbers,
    TextFalling,
    NumbersFalling,
}

/// What the rows that were read so far leave possible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Order {
    ids: Vec<Ids>,
}

impl Default for Order {
    fn default() -> Self {
        Self { ids: vec![Ids::Text, Ids::Numbers, Ids::TextFalling, Ids::NumbersFalling] }
    }
}

impl Order {
    /// Learns that `next` follows `place` in the list. Says whether they can follow each other in any order known here.
    pub(crate) fn learn(&mut self, place: Place<'_>, next: Place<'_>) -> bool {
        match dates(place, next) {
            Ordering::Less => true,
            Ordering::Greater => false,
            Ordering::Equal => {
                self.ids.retain(|ids| ids.compare(place.id, next.id) == Ordering::Less);
                !self.ids.is_empty()
            }
        }
    }

    /// Which of two is further up.
    pub(crate) fn compare(&self, one: Place<'_>, other: Place<'_>) -> Ordering {
        dates(one, other).then_with(|| self.ids.first().map_or(Ordering::Equal, |ids| ids.compare(one.id, other.id)))
    }
}

fn dates(one: Place<'_>, other: Place<'_>) -> Ordering {
    // None is the least, and comes last.
    other.date.cmp(&one.date)
}

impl Ids {
    fn compare(self, one: &str, other: &str) -> Ordering {
        match self {
            Self::Text => one.cmp(other),
            Self::Numbers => number(one).cmp(&number(other)).then_with(|| one.cmp(other)),
            Self::TextFalling => other.cmp(one),
            Self::NumbersFalling => number(other).cmp(&number(one)).then_with(|| other.cmp(one)),
        }
    }
}

/// A number of any length compares by its length, then its digits.
fn number(id: &str) -> (usize, &str) {
    let digits = id.trim_start_matches('0');
    (digits.len(), digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_learnt_and_others_are_noticed() {
        let fits = |rows: &[(Option<i64>, &str)]| {
            let places: Vec<Place<'_>> = rows.iter().map(|(date, id)| Place { date: *date, id }).collect();
            let mut order = Order::default();
            places.windows(2).all(|pair| order.learn(pair[0], pair[1]))
        };
        assert!(fits(&[(Some(9), "b"), (Some(9), "c"), (Some(3), "a"), (None, "a"), (None, "b")]));
        assert!(fits(&[(Some(9), "9"), (Some(9), "10"), (Some(9), "011"), (Some(3), "1")]));
        assert!(fits(&[(Some(9), "10"), (Some(9), "9"), (Some(3), "1")]));
        assert!(!fits(&[(Some(3), "a"), (Some(9), "b")]));
        assert!(!fits(&[(None, "a"), (Some(9), "b")]));
        assert!(!fits(&[(Some(9), "a"), (Some(9), "c"), (Some(9), "b")]));
        assert!(!fits(&[(Some(9), "a"), (Some(9), "a")]));
    }
}
