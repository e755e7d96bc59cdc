//! The files as they should be, compared with those that are there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

/// Contents by path, relative to the root of the repository.
#[derive(Default)]
pub(crate) struct Files(BTreeMap<PathBuf, String>);

/// What is not as it should be.
pub(crate) enum Difference {
    Missing(PathBuf, String),
    Stale(PathBuf, String),
    LeftOver(PathBuf),
}

impl Files {
    pub(crate) fn add(&mut self, path: impl Into<PathBuf>, content: String) {
        self.0.insert(path.into(), content);
    }

    /// What was made.
    #[cfg(test)]
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.0.iter().map(|(path, content)| (path.as_path(), content.as_str()))
    }

    /// The differences; in the folders that are `owned`, a file that nothing made is one.
    pub(crate) fn differences(self, root: &Path, owned: &[&str]) -> Result<Vec<Difference>, String> {
        let mut differences = Vec::new();
        for folder in owned {
            let Ok(entries) = fs::read_dir(root.join(folder)) else { continue };
            for entry in entries {
                let name = entry.map_err(|why| format!("cannot list {folder}: {why}"))?.file_name();
                let path = Path::new(folder).join(name);
                if !self.0.contains_key(&path) {
                    differences.push(Difference::LeftOver(path));
                }
            }
        }
        for (path, content) in self.0 {
            match fs::read_to_string(root.join(&path)) {
                Ok(found) if found == content => {}
                Ok(_) => differences.push(Difference::Stale(path, content)),
                Err(_) => differences.push(Difference::Missing(path, content)),
            }
        }
        Ok(differences)
    }
}

impl Difference {
    /// Makes the file as it should be.
    pub(crate) fn mend(&self, root: &Path) -> Result<(), String> {
        let done = match self {
            Self::LeftOver(path) => fs::remove_file(root.join(path)),
            Self::Missing(path, content) | Self::Stale(path, content) => {
                let path = root.join(path);
                path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, content))
            }
        };
        done.map_err(|why| format!("{self}: {why}"))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path, _) => write!(f, "missing: {}", path.display()),
            Self::Stale(path, _) => write!(f, "stale: {}", path.display()),
            Self::LeftOver(path) => write!(f, "left over: {}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_and_mended() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs::create_dir(root.join("man")).unwrap();
        for (name, content) in [("same", "1"), ("stale", "old"), ("left", "over")] {
            fs::write(root.join("man").join(name), content).unwrap();
        }
        let wanted = || {
            let mut files = Files::default();
            for (path, content) in [("man/same", "1"), ("man/stale", "2"), ("new/missing", "3")] {
                files.add(path, content.to_owned());
            }
            files.differences(root, &["man"]).unwrap()
        };
        let told: Vec<String> = wanted().iter().map(ToString::to_string).collect();
        assert_eq!(told, ["left over: man/left", "stale: man/stale", "missing: new/missing"]);
        for difference in wanted() {
            difference.mend(root).unwrap();
        }
        assert!(wanted().is_empty());
        assert!(!root.join("man/left").exists());
    }
}
