//! Files of the operator's that are read whole: regular ones, up to a size.

use std::fs::File;
use std::io::{Error, Read as _, Result};
use std::path::Path;

/// Reads a text.
/// Fails if it cannot be read, is no regular file (a pipe would be waited for, and a device may never end), is larger
/// than `most` bytes, or not UTF-8.
pub fn read(path: &Path, most: u64) -> Result<String> {
    // Before it is opened: opening a pipe waits as well.
    refuse_other(path.metadata()?.is_file())?;
    let file = File::open(path)?;
    refuse_other(file.metadata()?.is_file())?;
    let mut text = String::new();
    if file.take(most + 1).read_to_string(&mut text)? as u64 > most {
        return Err(Error::other(format!("it has more than {} KiB", most / 1024)));
    }
    Ok(text)
}

fn refuse_other(is_file: bool) -> Result<()> {
    if is_file { Ok(()) } else { Err(Error::other("it is not a regular file")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), "12345");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "it has more than 0 KiB");
        std::fs::write(&path, [0xff]).unwrap();
        assert!(read(&path, 5).is_err() && read(&folder.path().join("none"), 5).is_err());
        assert_eq!(read(folder.path(), 5).unwrap_err().to_string(), "it is not a regular file");
        assert_eq!(read(Path::new("/dev/zero"), 5).unwrap_err().to_string(), "it is not a regular file");
    }
}
