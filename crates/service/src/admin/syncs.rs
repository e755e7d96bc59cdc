//! Syncs of all users: which are not over, and what they wait for; ending one, and starting one again.

use super::{Admin, AdminError, Listed, OperatedSync, Retried};

impl Admin<'_> {
    /// Syncs of all users.
    /// Fails if the store fails, or has no session with that id.
    pub async fn syncs(&self, which: Listed<'_>) -> Result<Vec<OperatedSync>, AdminError> {
        let found = self.store.operated_syncs(which, self.clock.now()).await?;
        match which {
            Listed::Session(id) if found.is_empty() => Err(AdminError::NoSession(id.to_owned())),
            _ => Ok(found),
        }
    }

    /// Ends the syncs of a session that are not over, and says how many there were. What they have stored stays.
    /// Fails if there is no such session, or the store fails.
    pub async fn cancel(&self, batch_id: &str) -> Result<u64, AdminError> {
        self.syncs(Listed::Session(batch_id)).await?;
        Ok(self.store.cancel_session(batch_id, self.by()).await?)
    }

    /// Makes the syncs of a session that are not over due at once, and starts those that failed again.
    /// Fails if there is no such session, or the store fails.
    pub async fn retry(&self, batch_id: &str) -> Result<Retried, AdminError> {
        self.syncs(Listed::Session(batch_id)).await?;
        Ok(self.store.retry_session(batch_id, self.by()).await?)
    }
}
