//! The catalog of retailers: the sandbox's simulated ones and the operator's own. It can be exchanged while the service runs.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use ordersync_api::Retailer;

use crate::connector::Connector;

/// A retailer with what signs in and reads there.
pub(crate) struct Entry {
    /// As it is listed.
    pub retailer: Retailer,
    /// As it is synced.
    pub connector: Arc<dyn Connector>,
}

/// All retailers, by number.
#[derive(Default)]
pub(crate) struct Catalog {
    entries: RwLock<BTreeMap<i64, Arc<Entry>>>,
}

/// Two retailers claim the same number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("retailer id {0} is taken already: give this retailer another one")]
pub struct DuplicateRetailer(pub i64);

impl Catalog {
    /// Adds a retailer.
    ///
    /// # Errors
    /// If its number is taken.
    pub(crate) fn add(&mut self, retailer: Retailer, connector: Arc<dyn Connector>) -> Result<(), DuplicateRetailer> {
        let id = retailer.retailer_id;
        let entries = self.entries.get_mut().unwrap_or_else(PoisonError::into_inner);
        if entries.contains_key(&id) {
            return Err(DuplicateRetailer(id));
        }
        entries.insert(id, Arc::new(Entry { retailer, connector }));
        Ok(())
    }

    /// The retailer of that number.
    #[must_use]
    pub(crate) fn get(&self, retailer_id: i64) -> Option<Arc<Entry>> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner).get(&retailer_id).cloned()
    }

    /// All of them, in the order of their numbers.
    #[must_use]
    pub(crate) fn list(&self) -> Vec<Retailer> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.values().map(|entry| entry.retailer.clone()).collect()
    }

    /// Puts the retailers of another catalog in the place of these. A step of a sync that has begun ends as it began.
    pub(crate) fn replace(&self, other: Self) {
        let entries = other.entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        *self.entries.write().unwrap_or_else(PoisonError::into_inner) = entries;
    }
}
