//! The retailers that this service knows: the sandbox's simulated ones and the operator's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordersync_api::Retailer;

use crate::connector::Connector;

/// A retailer with what signs in and reads there.
pub struct Entry {
    /// As it is listed.
    pub retailer: Retailer,
    /// As it is synced.
    pub connector: Arc<dyn Connector>,
}

/// All retailers, by number.
#[derive(Default)]
pub struct Catalog {
    entries: BTreeMap<i64, Entry>,
}

/// Two retailers claim the same number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("retailer id {0} is taken already: give this retailer another one")]
pub struct DuplicateRetailer(pub i64);

impl Catalog {
    /// Adds a retailer.
    ///
    /// # Errors
    /// Where its number is taken.
    pub fn add(&mut self, retailer: Retailer, connector: Arc<dyn Connector>) -> Result<(), DuplicateRetailer> {
        let id = retailer.retailer_id;
        if self.entries.contains_key(&id) {
            return Err(DuplicateRetailer(id));
        }
        self.entries.insert(id, Entry { retailer, connector });
        Ok(())
    }

    /// The retailer of that number.
    #[must_use]
    pub fn get(&self, retailer_id: i64) -> Option<&Entry> {
        self.entries.get(&retailer_id)
    }

    /// All of them, in the order of their numbers.
    pub fn list(&self) -> impl Iterator<Item = &Retailer> {
        self.entries.values().map(|entry| &entry.retailer)
    }
}
