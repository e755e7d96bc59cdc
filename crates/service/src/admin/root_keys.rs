//! Root keys: which ones the store needs, sealing under a new one, and doing without an old one.

use super::{Admin, AdminError, Resealed, RootKey};
use crate::keys::Keys;

impl Admin<'_> {
    /// The root keys of the store, the current one first, with how many values each seals.
    pub async fn root_keys(&self) -> Result<Vec<RootKey>, AdminError> {
        Ok(self.store.root_keys().await?)
    }

    /// Seals everything under the first key that is sealed under another. The service may be running; it has to know all of the
    /// keys, and to seal with the first. After an interruption, it continues where it was. `progress` gets how many values were
    /// sealed so far.
    /// Fails if the service does not seal with the first key, a key is missing, or the store fails.
    pub async fn rotate_keys(&self, keys: &Keys, progress: impl FnMut(u64)) -> Result<Resealed, AdminError> {
        Ok(self.store.reseal(keys, self.by(), progress).await??)
    }

    /// Takes a key from those that the service needs to start.
    /// Fails if something needs it still, or the store fails.
    pub async fn retire_key(&self, fingerprint: &str) -> Result<(), AdminError> {
        Ok(self.store.retire_root_key(fingerprint, self.by()).await??)
    }
}
