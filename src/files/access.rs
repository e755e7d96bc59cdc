//! What of the command's own files this user may not read or write, and the command that mends it.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::errors::{Error, Hint};
use crate::shell;

/// What this user may not read and write: the folder of a file, in which new ones are made, or the files whose names begin
/// with the file's and end like these.
pub(crate) fn closed(file: &Path, ends: &[&str]) -> Option<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = ends.iter().map(|end| {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        (PathBuf::from(name), Access::READ_OK | Access::WRITE_OK)
    });
    let all = Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK;
    let mut places = std::iter::once((folder.to_owned(), all)).chain(files);
    let is_closed = |place: &Path, wanted| matches!(access(place, wanted), Err(Errno::ACCESS | Errno::ROFS));
    places.find(|(place, wanted)| is_closed(place, *wanted)).map(|(place, _)| place)
}

/// Whether the file system of the place takes no writes.
pub(crate) fn is_read_only(place: &Path) -> bool {
    access(place, Access::WRITE_OK) == Err(Errno::ROFS)
}

/// What to do about a file or folder that belongs to somebody else, or is closed to its owner.
pub(crate) fn make_it_yours(path: &Path) -> Hint {
    let mode = if path.is_dir() { "u+rwx" } else { "600" };
    let path = shell::quoted(&path.display().to_string());
    Hint::run("Make it yours", format!("sudo chown \"$(id -un)\" {path} && chmod {mode} {path}"))
}

/// The error of reading or writing one of the command's own files, with what to do if it is closed to this user.
pub(crate) fn explained(error: Error, file: &Path) -> Error {
    match closed(file, &[""]) {
        Some(place) => error.hint(make_it_yours(&place)),
        None => error,
    }
}
