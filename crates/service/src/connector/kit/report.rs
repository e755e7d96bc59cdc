//! What a finished scan has proven, and which checks failed.

use serde::{Deserialize, Serialize};

use super::check::{Failure, REMEDY};
use super::due::DueOrders;
use super::list_reading::ListReading;

/// The orders that failed a check.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(in crate::connector) struct KeptBack {
    count: usize,
    /// The first of them, and why.
    first: Option<(String, Failure)>,
}

impl KeptBack {
    pub(in crate::connector) fn add(&mut self, number: String, failure: Failure) {
        self.count += 1;
        self.first.get_or_insert((number, failure));
    }

    pub(in crate::connector) const fn count(&self) -> usize {
        self.count
    }
}

/// What a finished scan has proven.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanReport {
    listed_all: bool,
    incomplete: Option<String>,
}

impl ScanReport {
    /// Only a list that is proven to be whole says that orders which it lacks are gone. There is no report without the choice of
    /// the orders to read, because that makes sure that the list is this customer's.
    pub(in crate::connector) fn new(list: &ListReading, _due: &DueOrders, kept_back: &KeptBack) -> Self {
        let listed_all = list.is_proven();
        let unproven = list
            .failure()
            .map(|failure| format!("{failure} The orders that were read are stored; others may be missing."));
        let first = kept_back.first.as_ref().map(|(number, Failure { check, found })| {
            let orders = match kept_back.count {
                1 => "1 order was kept back".to_owned(),
                count => format!("{count} orders were kept back"),
            };
            format!(
                "The check \"{check}\" failed for order {number}: {found} {orders}; what is stored of them stays as it is."
            )
        });
        let failures: Vec<String> = unproven.into_iter().chain(first).collect();
        let incomplete = (!failures.is_empty()).then(|| format!("{} {REMEDY}", failures.join(" ")));
        Self { listed_all, incomplete }
    }

    /// The report of a retailer that exists only in this program.
    pub(crate) const fn invented(listed_all: bool, incomplete: Option<String>) -> Self {
        Self { listed_all, incomplete }
    }

    /// Whether the list of orders is known to be complete: a stored order that was not listed is gone from the retailer.
    pub(crate) const fn listed_all(&self) -> bool {
        self.listed_all
    }

    /// A hard check that failed: the part ends in `retailer_incomplete` with this message. It names the check, the first order
    /// and how many orders were kept back.
    pub(crate) fn incomplete(&self) -> Option<&str> {
        self.incomplete.as_deref()
    }
}
