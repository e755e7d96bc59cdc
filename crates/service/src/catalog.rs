//! The catalog of retailers: the sandbox's simulated ones and the operator's own. It can be replaced while the service
//! runs.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use ordersync_api::Retailer;
use tokio::time::Instant;

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
    /// The retailers that syncs began with, by the id of the sync's part.
    held: Mutex<HashMap<String, (Arc<Entry>, Instant)>>,
}

/// No sync lasts longer, so that what one began with is not needed any more.
const HELD: Duration = Duration::from_hours(24);

/// Two retailers claim the same number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("retailer id {0} is taken already: give this retailer another one")]
pub struct DuplicateRetailer(pub i64);

impl Catalog {
    /// Adds a retailer.
    /// Fails if its number is already taken.
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
    pub(crate) fn get(&self, retailer_id: i64) -> Option<Arc<Entry>> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner).get(&retailer_id).cloned()
    }

    /// All of them, in the order of their numbers.
    pub(crate) fn list(&self) -> Vec<Retailer> {
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        entries.values().map(|entry| entry.retailer.clone()).collect()
    }

    /// The retailer of a sync that goes on: the one that it began with on this node, even if it was replaced or removed since.
    pub(crate) fn of_sync(&self, part_id: &str, retailer_id: i64) -> Option<Arc<Entry>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((entry, _)) = held.get(part_id) {
            return Some(Arc::clone(entry));
        }
        let entry = self.get(retailer_id)?;
        held.retain(|_, (_, since)| since.elapsed() < HELD);
        held.insert(part_id.to_owned(), (Arc::clone(&entry), Instant::now()));
        Some(entry)
    }

    /// A sync has ended.
    pub(crate) fn release(&self, part_id: &str) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(part_id);
    }

    /// Replaces the retailers with those of another catalog. A sync that has begun keeps its retailer.
    pub(crate) fn replace(&self, other: Self) {
        let entries = other.entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        *self.entries.write().unwrap_or_else(PoisonError::into_inner) = entries;
    }
}
