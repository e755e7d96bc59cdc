//! `SHA256SUMS`, as `sha256sum --check` reads it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{file_name, list, read, write};

const NAME: &str = "SHA256SUMS";

/// Writes the sums of all files in the folder; the paths of these and of the sums.
pub(super) fn write_all(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut paths = list(folder)?;
    paths.retain(|path| file_name(path) != NAME);
    let mut sums = String::new();
    for path in &paths {
        for byte in Sha256::digest(read(path)?) {
            let _ = write!(sums, "{byte:02x}");
        }
        let _ = writeln!(sums, "  {}", file_name(path));
    }
    paths.push(folder.join(NAME));
    write(&folder.join(NAME), sums)?;
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn sums_are_sorted_by_name_and_leave_themselves_out() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("b"), "abc").unwrap();
        fs::write(folder.join("a"), "").unwrap();
        for _ in 0..2 {
            let paths = write_all(folder).unwrap();
            assert_eq!(paths, [folder.join("a"), folder.join("b"), folder.join(NAME)]);
            // The sums of the empty text and of "abc", as FIPS 180 has them.
            let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n\
                            ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n";
            assert_eq!(fs::read_to_string(folder.join(NAME)).unwrap(), expected);
        }
    }
}
