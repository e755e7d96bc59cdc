//! A file that only the user can read. It is replaced whole, so that nobody ever reads half of it.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::{Store, Trouble};
use crate::error::Error;
use crate::secret_file;

pub(super) struct FileStore(PathBuf);

impl FileStore {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Store for FileStore {
    fn load(&self) -> Result<Option<Zeroizing<String>>, Trouble> {
        if !self.0.exists() {
            return Ok(None);
        }
        secret_file::read(&self.0).map(Some).map_err(Trouble::File)
    }

    fn save(&self, text: &str) -> Result<(), Trouble> {
        let folder = self.0.parent().unwrap_or_else(|| Path::new("."));
        secret_file::create_private_folder(folder).map_err(Trouble::File)?;
        let write = || {
            // Made with mode 600 by the library.
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.0).map_err(|why| why.error).map(|_| ())
        };
        write().map_err(|why| Trouble::File(Error::file("write", &self.0, &why)))
    }

    fn delete(&self) -> Result<(), Trouble> {
        match std::fs::remove_file(&self.0) {
            Err(why) if why.kind() != ErrorKind::NotFound => Err(Trouble::File(Error::file("delete", &self.0, &why))),
            _ => Ok(()),
        }
    }
}
