//! A file that only the user can read. It is replaced whole, so that no reader ever gets half of it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::{Store, StoreError};
use crate::errors::Error;
use crate::files::{access, atomic, private};

pub(super) struct FileStore(PathBuf);

impl FileStore {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    fn closed(&self, error: Error) -> StoreError {
        StoreError::File(access::explained(error, &self.0))
    }
}

impl Store for FileStore {
    fn load(&self) -> Result<Option<Zeroizing<String>>, StoreError> {
        match self.0.try_exists() {
            Ok(false) => Ok(None),
            // An unreadable sign-in is an error, not a missing one.
            _ => private::read(&self.0).map(Some).map_err(|error| self.closed(error)),
        }
    }

    fn save(&self, text: &str) -> Result<(), StoreError> {
        let folder = self.0.parent().unwrap_or_else(|| Path::new("."));
        private::create_private_folder(folder).map_err(|error| self.closed(error))?;
        atomic::replace_private(&self.0, text.as_bytes())
            .map_err(|why| self.closed(Error::file("write", &self.0, &why)))
    }

    fn delete(&self) -> Result<(), StoreError> {
        match std::fs::remove_file(&self.0) {
            Err(why) if why.kind() != ErrorKind::NotFound => Err(self.closed(Error::file("delete", &self.0, &why))),
            _ => Ok(()),
        }
    }
}
