//! Files that hold secrets: private to the user, or not read at all.

use std::io::{ErrorKind, Read, Write as _};
use std::path::Path;

use zeroize::Zeroizing;

use super::atomic;
use crate::errors::{Error, Hint, Result};
use crate::shell;

/// More than any file of secrets has.
const MAX: u64 = 64 * 1024;

/// Reads a file that must be private to the user.
pub(crate) fn read(path: &Path) -> Result<Zeroizing<String>> {
    read_up_to(path, MAX)
}

/// The same for a file of at most this many bytes.
pub(crate) fn read_up_to(path: &Path, max: u64) -> Result<Zeroizing<String>> {
    let file = std::fs::File::open(path).map_err(|why| Error::file("read", path, &why))?;
    check_private(&file, path)?;
    text_up_to(file, &path.display().to_string(), max)
}

/// Reads a small text from anywhere; `name` is for messages.
pub(crate) fn read_text(source: impl Read, name: &str) -> Result<Zeroizing<String>> {
    text_up_to(source, name, MAX)
}

fn text_up_to(source: impl Read, name: &str, max: u64) -> Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::new());
    let read = source.take(max + 1).read_to_string(&mut text);
    match read {
        Ok(length) if length as u64 > max => Err(Error::usage(format!("{name} is larger than {max} bytes."))),
        Ok(_) => Ok(text),
        Err(why) => Err(Error::usage(format!("Cannot read {name}: {why}.")).or_reading(why.kind())),
    }
}

fn check_private(file: &std::fs::File, path: &Path) -> Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    // Of the opened file, so that nobody can exchange it between the check and the reading.
    let metadata = file.metadata().map_err(|why| Error::file("read", path, &why))?;
    if metadata.is_file() && metadata.mode() & 0o077 != 0 {
        let (path, word) = (path.display(), shell::quoted(&path.display().to_string()));
        return Err(Error::usage(format!("{path} can be read by others, so it is not used.")).hint([
            Hint::run("Make it private to you", format!("chmod 600 {word}")),
            Hint::say("If others have had access to this machine, change the password too."),
        ]));
    }
    Ok(())
}

/// Reads the file, or creates it with `contents` if there is none. Of two that make it at once, one wins and both get
/// the winner's.
pub(crate) fn read_or_create(
    path: &Path,
    contents: impl FnOnce() -> Result<Zeroizing<String>>,
) -> Result<Zeroizing<String>> {
    if path.exists() {
        return read(path);
    }
    let failed = |why: std::io::Error| Error::file("write", path, &why);
    // Made with mode 600 by the library.
    let mut file = tempfile::NamedTempFile::new_in(atomic::folder(path)).map_err(failed)?;
    let contents = contents()?;
    file.write_all(contents.as_bytes()).map_err(failed)?;
    if atomic::place_new(file, path).map_err(failed)? { Ok(contents) } else { read(path) }
}

/// Waits for the lock on a file, which is made if it is missing; released when the file is dropped, and by the system when the
/// process ends. Some network file systems have no locks: there, nothing is locked.
pub(crate) fn lock(path: &Path) -> Result<std::fs::File> {
    let open = std::fs::File::options().create(true).truncate(false).write(true).open(path);
    let file = open.map_err(|why| Error::file("lock", path, &why))?;
    while file.lock().is_err_and(|why| why.kind() == ErrorKind::Interrupted) {}
    Ok(file)
}

/// Creates a folder that is private to the user, if there is none.
pub(crate) fn create_private_folder(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|why| Error::file("make the folder", path, &why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_to_make_a_file_wins() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("key");
        let make = |text: &str| read_or_create(&path, || Ok(Zeroizing::new(text.to_owned()))).expect("file");
        assert_eq!(*make("one"), "one");
        assert_eq!(*make("two"), "one");
    }

    #[test]
    fn a_file_that_others_can_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("c.json");
        std::fs::write(&path, "{}").expect("write");
        for (mode, accepted) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o644, false)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("chmod");
            assert_eq!(read(&path).is_ok(), accepted, "{mode:o}");
        }
        let hint = read(&path).expect_err("refused").advice().to_string();
        assert!(hint.contains(&format!("chmod 600 {}", path.display())), "{hint}");
    }
}
