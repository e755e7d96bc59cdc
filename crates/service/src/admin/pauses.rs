//! Pausing a retailer, for all users, and noting changes of the file of retailers.

use super::{Admin, AdminError, OperatedRetailer, Paused};
use crate::store::accounts::audit::{Action, Entry};

impl Admin<'_> {
    /// Retailers that somebody has connected, or that are paused.
    pub async fn retailers(&self) -> Result<Vec<OperatedRetailer>, AdminError> {
        Ok(self.store.operated_retailers().await?)
    }

    /// Notes in the audit log that a shop was added to the file of retailers, which is no part of the store.
    pub async fn note_added(&self, retailer_id: i64) -> Result<(), AdminError> {
        self.note(Action::RetailerAdd, retailer_id).await
    }

    /// Notes in the audit log that a shop was removed from the file of retailers.
    pub async fn note_removed(&self, retailer_id: i64) -> Result<(), AdminError> {
        self.note(Action::RetailerRemove, retailer_id).await
    }

    async fn note(&self, action: Action, retailer_id: i64) -> Result<(), AdminError> {
        let target = retailer_id.to_string();
        Ok(self.store.audit(&Entry { target: Some(&target), ..self.by().did(action) }).await?)
    }

    /// Lets the syncs of a retailer wait until it is resumed.
    pub async fn pause(&self, retailer_id: i64, reason: &str) -> Result<Paused, AdminError> {
        Ok(self.store.pause_retailer(retailer_id, reason, self.by()).await?)
    }

    /// Lets the syncs of a retailer go on. False: it is not paused.
    pub async fn resume(&self, retailer_id: i64) -> Result<bool, AdminError> {
        Ok(self.store.resume_retailer(retailer_id, self.by()).await?)
    }
}
