//! The store as a whole: a copy of it, and whether it is sound.

use std::path::Path;

use super::{Admin, AdminError};
pub use crate::store::operator::copy::{
    Compared, Content, Copied, CopyError, RowName, Step as CopyStep, copy as copy_store,
};
pub use crate::store::schema::migrate::{Migrated, MigrationStep, migrate as migrate_store};

impl Admin<'_> {
    /// Writes a copy of the store as it is at one moment into an empty file. The service may be running.
    /// Fails if the store or the file fails.
    pub async fn back_up(&self, to: &Path) -> Result<(), AdminError> {
        if self.store.is_in_postgres() {
            return Err(AdminError::OwnBackups);
        }
        Ok(self.store.back_up(to, self.by()).await?)
    }

    /// Everything that is wrong in the store; empty if it is sound.
    pub async fn problems(&self) -> Result<Vec<String>, AdminError> {
        Ok(self.store.problems().await?)
    }
}
