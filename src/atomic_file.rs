//! Files that appear whole or not at all, and stay after a power cut: written beside their place, put on the disk, moved
//! there; then the folder is put on the disk, too, since a move changes the folder alone.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::Path;

use rustix::fs::{Access, OFlags, access};
use tempfile::NamedTempFile;

/// Replaces a file with one that is private to the user.
///
/// # Errors
/// If it cannot be written; the previous file is unchanged.
pub(crate) fn replace_private(path: &Path, contents: &[u8]) -> io::Result<()> {
    // Made with mode 600 by the library.
    let mut file = NamedTempFile::new_in(folder(path))?;
    file.write_all(contents)?;
    place(file, path)
}

/// Replaces a file with one that keeps its permissions and, as far as the system allows, its owner; a new file is private to
/// the user.
///
/// # Errors
/// If it cannot be written; the previous file is unchanged.
pub(crate) fn replace_alike(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(folder(path))?;
    file.write_all(contents)?;
    if let Ok(metadata) = std::fs::metadata(path) {
        // The service may run as another user than its operator.
        let _ = fchown(file.as_file(), Some(metadata.uid()), Some(metadata.gid()));
        file.as_file().set_permissions(metadata.permissions())?;
    }
    place(file, path)
}

/// Puts a file that was written beside its place there.
///
/// # Errors
/// If it cannot be written; the previous file is unchanged.
pub(crate) fn place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|why| why.error)?;
    sync_folder(path)
}

/// Puts the folder of a file on the disk: until then, a power cut undoes a move into it.
///
/// # Errors
/// If the disk fails. A system or a folder that does not allow it is no error.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let Ok(folder) = File::open(folder(path)) else { return Ok(()) };
    match folder.sync_all() {
        Err(why) if matches!(why.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        synced => synced,
    }
}

/// The folder that a file is in.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// The permissions for a file that replaces this one: a private file stays private. `None`: this file does not exist.
///
/// # Errors
/// If it may not be written: then it may not be replaced either, as with `>`.
fn mode_of(path: &Path) -> io::Result<Option<u32>> {
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(None) };
    if !metadata.is_file() {
        return Ok(None);
    }
    access(path, Access::WRITE_OK)?;
    Ok(Some(metadata.permissions().mode() & 0o777))
}

/// Opens a file to be written, which gets the permissions of the one that it is to replace, else those that the user's mask
/// leaves.
pub(crate) fn open_like(options: &mut std::fs::OpenOptions, path: &Path, replaces: &Path) -> io::Result<File> {
    let mode = mode_of(replaces)?;
    // At no time are there more permissions than in the end.
    options.mode(mode.map_or(0o666, |mode| mode & 0o600));
    // A link that another user has put there leads elsewhere.
    options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    let file = options.open(path)?;
    if let Some(mode) = mode {
        file.set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_private_stays_private_and_links_are_not_followed() {
        let folder = tempfile::tempdir().expect("folder");
        let (old, new, link) = (folder.path().join("old"), folder.path().join("new"), folder.path().join("link"));
        std::fs::write(&old, "").expect("write");
        let mut options = File::options();
        options.append(true).create(true);
        for mode in [0o600, 0o640, 0o644, 0o200] {
            std::fs::set_permissions(&old, std::fs::Permissions::from_mode(mode)).expect("chmod");
            let file = open_like(&mut options, &new, &old).expect("file");
            assert_eq!(file.metadata().expect("metadata").permissions().mode() & 0o777, mode);
        }
        std::os::unix::fs::symlink(&old, &link).expect("link");
        assert!(open_like(&mut options, &link, &old).is_err());
        replace_private(&old, b"whole").expect("written");
        assert_eq!(std::fs::read(&old).expect("read"), b"whole");
        assert_eq!(std::fs::metadata(&old).expect("metadata").permissions().mode() & 0o777, 0o600);
    }
}
