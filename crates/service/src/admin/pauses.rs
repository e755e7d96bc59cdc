//! Pausing a retailer, for all users.

use super::{Admin, AdminError, OperatedRetailer};

impl Admin<'_> {
    /// Retailers that somebody has connected, or that are paused.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn retailers(&self) -> Result<Vec<OperatedRetailer>, AdminError> {
        Ok(self.store.operated_retailers().await?)
    }

    /// Lets the syncs of a retailer wait until it is resumed. False: they do already.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn pause(&self, retailer_id: i64, reason: &str) -> Result<bool, AdminError> {
        Ok(self.store.pause_retailer(retailer_id, reason, self.by()).await?)
    }

    /// Lets the syncs of a retailer go on. False: it is not paused.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn resume(&self, retailer_id: i64) -> Result<bool, AdminError> {
        Ok(self.store.resume_retailer(retailer_id, self.by()).await?)
    }
}
