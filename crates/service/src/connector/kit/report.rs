//! What a finished scan has proven, and which checks failed.

use serde::{Deserialize, Serialize};

use super::check::{Failure, REMEDY};
use super::due::DueOrders;
use super::list_proof::EndOfList;
use super::list_reading::ListReading;

/// Orders whose failed check is kept.
const NAMED: usize = 5;

/// The orders that failed a check.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::connector) struct KeptBack {
    count: usize,
    /// The first of them, and why.
    first: Vec<(String, Failure)>,
}

impl KeptBack {
    pub(in crate::connector) fn add(&mut self, number: String, failure: Failure) {
        self.count += 1;
        if self.first.len() < NAMED {
            self.first.push((number, failure));
        }
    }

    pub(in crate::connector) const fn count(&self) -> usize {
        self.count
    }

    /// The first of them, and why.
    pub(in crate::connector) fn first(&self) -> &[(String, Failure)] {
        &self.first
    }

    /// Why the first of them failed, each cause once.
    fn causes(&self) -> Vec<String> {
        let mut causes: Vec<(&Failure, Vec<&str>)> = Vec::new();
        for (number, failure) in &self.first {
            match causes.iter_mut().find(|(known, _)| *known == failure) {
                Some((_, numbers)) => numbers.push(number),
                None => causes.push((failure, vec![number])),
            }
        }
        let cause = |(failure, numbers): (&Failure, Vec<&str>)| match numbers.as_slice() {
            [only] => failure.of_order(only),
            several => {
                let Failure { check, found } = failure;
                format!("The check \"{check}\" failed for {} orders ({}): {found}", several.len(), several.join(", "))
            }
        };
        causes.into_iter().map(cause).collect()
    }
}

/// What a finished scan has proven.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanReport {
    listed_all: bool,
    end_not_proven: bool,
    incomplete: Option<String>,
    found: Vec<String>,
}

impl ScanReport {
    /// Only a list that is proven to be whole says that orders which it lacks are gone; that a recipe says that it has one page is no
    /// proof. There is no report without the choice of the orders to read, because that makes sure that the list is this customer's.
    pub(super) fn new(list: &ListReading, end: EndOfList, _due: &DueOrders, kept_back: &KeptBack) -> Self {
        let has_proof = end.proof(list.has_count()).is_some() && !list.is_end_doubtful();
        Self {
            listed_all: list.is_proven() && has_proof,
            end_not_proven: !has_proof && !end.is_accepted(),
            ..Self::of_failures(list.failure(), kept_back)
        }
    }

    /// Of a list that has no place for some orders, so that nothing is missing because the list lacks it.
    pub(in crate::connector) fn of_part(list: Option<&Failure>, end_not_proven: bool, kept_back: &KeptBack) -> Self {
        Self { end_not_proven, ..Self::of_failures(list, kept_back) }
    }

    fn of_failures(list: Option<&Failure>, kept_back: &KeptBack) -> Self {
        let unproven =
            list.map(|failure| format!("{failure} The orders that were read are stored; others may be missing."));
        let first = kept_back.first.first().map(|(number, failure)| {
            let first = failure.of_order(number);
            let orders = match kept_back.count {
                1 => "1 order was kept back".to_owned(),
                count => format!("{count} orders were kept back"),
            };
            format!("{first} {orders}; what is stored of them stays as it is.")
        });
        let failures: Vec<String> = unproven.into_iter().chain(first).collect();
        let incomplete = (!failures.is_empty()).then(|| format!("{} {REMEDY}", failures.join(" ")));
        let found = list.map(Failure::to_string).into_iter().chain(kept_back.causes()).collect();
        Self { listed_all: false, end_not_proven: false, incomplete, found }
    }

    /// The report of a retailer that exists only in this program.
    pub(crate) const fn invented(listed_all: bool, incomplete: Option<String>) -> Self {
        Self { listed_all, end_not_proven: false, incomplete, found: Vec::new() }
    }

    /// Whether the list of orders is known to be complete: a stored order that was not listed is gone from the retailer.
    pub(crate) const fn listed_all(&self) -> bool {
        self.listed_all
    }

    /// Whether nothing proves the end of the list, and the operator does not accept that.
    pub(crate) const fn end_not_proven(&self) -> bool {
        self.end_not_proven
    }

    /// The checks that failed, of the list and of the first orders, without what a sync does about them.
    pub(crate) fn found(&self) -> &[String] {
        &self.found
    }

    /// A hard check that failed: the part ends in `retailer_incomplete` with this message. It names the check, the first order
    /// and how many orders were kept back.
    pub(crate) fn incomplete(&self) -> Option<&str> {
        self.incomplete.as_deref()
    }
}
