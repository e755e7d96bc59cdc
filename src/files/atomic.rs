//! Files that appear whole or not at all, and stay after a power cut: written beside their place, put on the disk, moved
//! there; then the folder is put on the disk, too, since a move changes the folder alone.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, OFlags, access};
use rustix::io::Errno;
use tempfile::{NamedTempFile, TempPath};

/// As many links as the system follows.
pub(crate) const MOST_LINKS: u8 = 40;

/// Replaces a file with one that is private to the user. If that fails, the previous file is unchanged.
pub(crate) fn replace_private(path: &Path, contents: &[u8]) -> io::Result<()> {
    // Made with mode 600 by the library.
    let mut file = NamedTempFile::new_in(folder(path))?;
    file.write_all(contents)?;
    place(file, path)
}

/// Replaces a file with one that keeps its permissions and, as far as the system allows, its owner; a new file is
/// private to the user. If that fails, the previous file is unchanged.
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

/// Replaces a private file whose loss in a power cut does not matter, since it can be made again: faster.
pub(crate) fn replace_recoverable(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(folder(path))?;
    file.write_all(contents)?;
    file.persist(path).map(drop).map_err(|why| why.error)
}

/// Puts a file that was written beside its place there. If that fails, the previous file is unchanged.
pub(crate) fn place(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    place_synced(file.into_temp_path(), path)
}

/// Puts a file there that is on the disk already. If that fails, the previous file is unchanged.
pub(crate) fn place_synced(file: TempPath, path: &Path) -> io::Result<()> {
    file.persist(path).map_err(|why| why.error)?;
    sync_folder(path)
}

/// Puts a file there unless there is one; whether it did.
pub(crate) fn place_new(file: NamedTempFile, path: &Path) -> io::Result<bool> {
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Ok(_) => sync_folder(path).map(|()| true),
        Err(lost) if lost.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(lost) => Err(lost.error),
    }
}

/// Puts the folder of a file on the disk: until then, a power cut undoes a move into it. A system or a folder that does
/// not allow it is no error.
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

/// The file that a path leads to, over links, even if it does not exist yet: it is replaced, not the link. Refuses links
/// that go in a circle, and one that another user may have put there: it belongs to somebody else, and lies in a folder
/// in which everybody may make files. The system refuses to write over such a link, too, but not to follow it by hand.
pub(crate) fn led_to(path: &Path) -> io::Result<PathBuf> {
    if let Some(link) = planted(path, 0) {
        let message = format!("the link {} belongs to another user, who decides where it leads", link.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Ok(whole) = path.canonicalize() {
            return Ok(whole);
        }
        match path.read_link() {
            Ok(target) => path = folder(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(Errno::LOOP.into())
}

/// The first link of a path that another user may have put there.
fn planted(path: &Path, links: u8) -> Option<PathBuf> {
    /// In such a folder nobody removes the files of others, and the group, or everybody, may make some.
    const STICKY: u32 = 0o1000;
    const SHARED: u32 = 0o022;

    for part in path.ancestors().collect::<Vec<_>>().into_iter().rev() {
        let Ok(link) = part.symlink_metadata() else { continue };
        if !link.is_symlink() || links > MOST_LINKS {
            continue;
        }
        let Ok(around) = folder(part).metadata() else { continue };
        let is_shared = around.mode() & STICKY != 0 && around.mode() & SHARED != 0;
        let is_own = link.uid() == rustix::process::geteuid().as_raw() || link.uid() == around.uid();
        if is_shared && !is_own {
            return Some(part.to_owned());
        }
        let target = folder(part).join(part.read_link().ok()?);
        if let Some(link) = planted(&target, links + 1) {
            return Some(link);
        }
    }
    None
}

/// The permissions for a file that replaces this one: a private file stays private. `None`: this file does not exist.
/// Fails if it may not be written: then it may not be replaced either, as with `>`.
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

    #[test]
    fn a_link_that_another_user_put_into_a_shared_folder_leads_nowhere() {
        let folder = tempfile::tempdir().expect("folder");
        let (target, shared) = (folder.path().join("precious"), folder.path().join("shared"));
        std::fs::write(&target, "").expect("write");
        std::fs::create_dir(&shared).expect("folder");
        let links = ["own", "planted", "over"].map(|name| shared.join(name));
        std::os::unix::fs::symlink(&target, &links[0]).expect("link");
        std::os::unix::fs::symlink(&target, &links[1]).expect("link");
        std::os::unix::fs::symlink("planted", &links[2]).expect("link");
        let whole = target.canonicalize().expect("path");
        let leads = |link: &Path| led_to(link).is_ok_and(|path| path == whole);
        // Only root gives files away.
        if std::os::unix::fs::lchown(&links[1], Some(65534), None).is_err() {
            return;
        }
        for (mode, planted) in [(0o755, true), (0o1755, true), (0o777, true), (0o1777, false), (0o1775, false)] {
            std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(mode)).expect("chmod");
            let led = [leads(&links[0]), leads(&links[1]), leads(&links[2])];
            assert_eq!(led, [true, planted, planted], "{mode:o}");
        }
        let why = led_to(&links[2]).expect_err("planted").to_string();
        assert!(why.contains("planted belongs to another user"), "{why}");
        assert_eq!(led_to(&shared.join("new")).expect("a new file"), shared.join("new"));
    }
}
