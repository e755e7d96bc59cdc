//! The catalog of retailers: the sandbox's simulated ones and the operator's own. It can be replaced while the service
//! runs.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use ordersync_api::Retailer;

use crate::connector::Connector;

/// A retailer with the connector that signs in and reads there.
pub(crate) struct Entry {
    /// The retailer as the catalog lists it.
    pub retailer: Retailer,
    /// The connector that syncs it.
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
    /// If its number is already taken.
    pub(crate) fn add(&mut self, retailer: Retailer, connector: Arc<dyn Connector>) -> Result<(), DuplicateRetailer> {
        let id = retailer.retailer_id;
        let entries = self.entries.get_mut().unwrap_or_else(PoisonError::into_inner);
        if entries.contains_key(&id) {
            return Err(DuplicateRetailer(id));
        }
        entries.insert(id, Arc::new(Entry { retailer, connector }));
        Ok(())
    }

    /// The retailer with that number.
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

    /// Replaces the retailers with those of another catalog. A sync step that has already begun keeps its retailer.
    pub(crate) fn replace(&self, other: Self) {
        let entries = other.entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        *self.entries.write().unwrap_or_else(PoisonError::into_inner) = entries;
    }
}
