//! The folders of the command's files.

use std::path::{Path, PathBuf};

use directories::ProjectDirs;

use crate::env::{self, Environment};
use crate::errors::{Error, Result};

/// The command's folders. Each is created when the first file is written into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folders {
    /// `config.toml`, `retailers.toml`.
    pub config: PathBuf,
    /// The stores of the local profile and of `serve`, and their keys.
    pub data: PathBuf,
    /// Files that can be recreated, such as the candidates of completions.
    pub cache: PathBuf,
}

impl Folders {
    /// All folders below one.
    pub(crate) fn below(home: &Path) -> Self {
        Self { config: home.join("config"), data: home.join("data"), cache: home.join("cache") }
    }

    /// The store of the built-in service.
    pub(crate) fn store(&self) -> PathBuf {
        self.data.join("service.sqlite3")
    }

    /// `config`, `data` and `cache` below `ORDERSYNC_HOME`, or the platform's own folders.
    pub(crate) fn find(environment: &Environment) -> Result<Self> {
        if let Some(home) = environment.path(&env::HOME) {
            let home = std::path::absolute(home).map_err(|why| Error::file("use", home, &why))?;
            return Ok(Self::below(&home));
        }
        let of_your_own = || format!("Set {} to a folder of your own.", env::HOME.name);
        let found = ProjectDirs::from("", "", "ordersync")
            .ok_or_else(|| Error::usage("You have no home folder to keep files in.").hint(of_your_own()))?;
        let folders = Self {
            config: found.config_dir().to_owned(),
            data: found.data_local_dir().to_owned(),
            cache: found.cache_dir().to_owned(),
        };
        // A relative one would be another in each folder that a command is run in.
        if let Some(relative) = [&folders.config, &folders.data].into_iter().find(|folder| folder.is_relative()) {
            let message =
                format!("The folder for your files, {}, is relative: HOME has to be absolute.", relative.display());
            return Err(Error::usage(message).hint(of_your_own()));
        }
        Ok(folders)
    }
}
