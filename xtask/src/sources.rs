//! The Rust files of a folder, for tests that read them.

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust file below a folder.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut left) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(place) = left.pop() {
        for entry in fs::read_dir(&place).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                left.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                found.push(entry);
            }
        }
    }
    found
}
