//! Where an export goes. A file appears whole or not at all: it is written beside its place and moved there at the end.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use tempfile::{NamedTempFile, TempPath};

use crate::errors::{Error, Result, codes};
use crate::files::atomic::{MOST_LINKS, folder, led_to, open_like, place_synced};
use crate::output;

/// How often a pipe without a reader is tried.
const LOOK: Duration = Duration::from_millis(50);

/// What becomes of a file that is where an export is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    Replaced,
    /// It may hold changes that nobody has taken yet, and that no later export holds.
    Kept,
}

impl Existing {
    /// Fails if a file is there that has to be kept. An empty one holds nothing.
    pub(crate) fn check(self, path: &Path) -> Result<()> {
        if self == Self::Replaced || !std::fs::metadata(path).is_ok_and(|there| there.len() > 0) {
            return Ok(());
        }
        let message = format!(
            "{} exists already, and changes that are new since then would replace it. Nothing was exported; the next \
             export of this name holds them.",
            path.display()
        );
        Err(Error::of(&codes::command::CHANGES_NOT_TAKEN, message))
    }
}

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct FileTarget {
    path: PathBuf,
    file: NamedTempFile,
}

impl FileTarget {
    /// Begins to write what is to be at `path`.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if path.is_dir() {
            return Err(Error::usage(format!("{} is a folder.", path.display())).hint("Name a file."));
        }
        let path = led_to(path).map_err(|why| Error::file("write", path, &why))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".ordersync-").suffix(".part");
        let open = |beside: &Path| open_like(File::options().write(true).create_new(true), beside, &path);
        let file = builder.make_in(folder(&path), open).map_err(|why| Error::file("write", &path, &why))?;
        Ok(Self { path, file })
    }

    /// Creates the temporary file under a name that the caller chooses, so that it can find it again if the command was
    /// killed. What is written into, such as a pipe, gets it at the end.
    pub(crate) fn create_as(path: &Path, beside: PathBuf) -> Result<Self> {
        let failed = |why: &std::io::Error| Error::file("write", path, why);
        let target = led_to(path).map_err(|why| failed(&why))?;
        let is_elsewhere =
            !is_stream(path) && folder(&target).canonicalize().ok() != folder(&beside).canonicalize().ok();
        if is_elsewhere {
            return Self::create(&target);
        }
        let path = if is_stream(path) { path.to_owned() } else { target };
        // Not written into: it may be a link by now.
        let _ = std::fs::remove_file(&beside);
        let file =
            open_like(File::options().write(true).create_new(true), &beside, &path).map_err(|why| failed(&why))?;
        let beside = TempPath::try_from_path(beside).map_err(|why| failed(&why))?;
        Ok(Self { path, file: NamedTempFile::from_parts(file, beside) })
    }

    /// Writes into it. What is written has to be flushed before [`FileTarget::commit`].
    pub(crate) fn writer(&self) -> Result<BufWriter<File>> {
        let file = self.file.as_file().try_clone().map_err(|why| Error::file("write", &self.path, &why))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Puts the file where it belongs. If that fails, the previous file is unchanged.
    pub(crate) fn commit(self) -> Result<()> {
        self.finish()?.place()
    }

    /// Waits until it is on the disk, and closes it.
    pub(crate) fn finish(self) -> Result<Finished> {
        self.file.as_file().sync_all().map_err(|why| Error::file("write", &self.path, &why))?;
        Ok(Finished { path: self.path, beside: self.file.into_temp_path() })
    }
}

/// A file that is whole, and not yet in its place.
#[derive(Debug)]
pub(crate) struct Finished {
    path: PathBuf,
    beside: TempPath,
}

impl Finished {
    /// Puts it where it belongs. If that fails, the previous file is unchanged.
    pub(crate) async fn put(self, deadline: Option<Instant>) -> Result<()> {
        if !self.is_for_stream() {
            return self.place();
        }
        let mut stream = open_stream(&self.path, deadline).await?;
        let mut whole = File::open(&self.beside).map_err(|why| Error::file("read", &self.beside, &why))?;
        std::io::copy(&mut whole, &mut stream).map(drop).map_err(|why| write_error(&why))
    }

    /// Whether it is written into what is there.
    pub(crate) fn is_for_stream(&self) -> bool {
        is_stream(&self.path)
    }

    fn place(self) -> Result<()> {
        place_synced(self.beside, &self.path).map_err(|why| Error::file("write", &self.path, &why))
    }
}

/// A failure to write an export's file.
pub(crate) fn write_error(why: &std::io::Error) -> Error {
    Error::io(&codes::command::FILE, "The export cannot be written", why)
}

/// Where something goes that is made whole before it is in its place.
#[derive(Debug)]
pub(crate) enum Destination {
    Stream(File),
    File(FileTarget),
}

impl Destination {
    /// Opens the place of `path`.
    pub(crate) async fn open(path: &Path, deadline: Option<Instant>) -> Result<Self> {
        if is_stream(path) {
            return open_stream(path, deadline).await.map(Self::Stream);
        }
        FileTarget::create(path).map(Self::File)
    }

    /// Writes all of it. If that fails, the previous file is unchanged.
    pub(crate) fn write(self, contents: &[u8]) -> Result<()> {
        let put =
            |to: &mut dyn Write| to.write_all(contents).and_then(|()| to.flush()).map_err(|why| write_error(&why));
        match self {
            Self::Stream(mut stream) => put(&mut stream),
            Self::File(file) => {
                put(&mut file.writer()?)?;
                file.commit()
            }
        }
    }
}

/// Whether the path is something that is not replaced but written into: a pipe, a device, what a process has open.
pub(crate) fn is_stream(path: &Path) -> bool {
    opened_by_process(path).is_some()
        || std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Whether the path is standard output, by whatever name: `-`, `/dev/stdout`, `/proc/self/fd/1`.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-") || opened_by_process(path).is_some_and(|open| own_number(&open) == Some(STDOUT))
}

const STDOUT: i32 = 1;

/// The entry among the open files of a process that the path names, or that links lead to: `/proc/PID/fd/N`, on macOS
/// `/dev/fd/N`. Linux shows such an entry as a link to a file. A user who names it wants to write where the process writes, and
/// not to replace that file.
fn opened_by_process(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let folder = folder(&path).canonicalize().ok()?;
        let place = folder.join(path.file_name()?);
        if folder == Path::new("/dev/fd") || folder.starts_with("/proc") && folder.ends_with("fd") {
            return Some(place);
        }
        path = folder.join(std::fs::read_link(&place).ok()?);
    }
    None
}

/// The number of an entry that [`opened_by_process`] found, if it is of this process.
fn own_number(open: &Path) -> Option<i32> {
    let own = Path::new("/proc").join(std::process::id().to_string());
    let is_own = open.starts_with("/dev/fd") || open.starts_with(own);
    open.file_name().filter(|_| is_own)?.to_str()?.parse().ok()
}

/// A second handle on what this process has open by that number, which shares its position: what others write there before
/// and after stays.
#[cfg(target_os = "linux")]
fn duplicate(number: i32) -> std::io::Result<File> {
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    Ok(File::from(pidfd_getfd(this, number, PidfdGetfdFlags::empty())?))
}

#[cfg(not(target_os = "linux"))]
fn duplicate(number: i32) -> std::io::Result<File> {
    // Opening does that here.
    File::options().write(true).open(Path::new("/dev/fd").join(number.to_string()))
}

/// Standard output, if it leads into a file.
pub(crate) fn stdout_file() -> Option<File> {
    let file = File::from(std::io::stdout().as_fd().try_clone_to_owned().ok()?);
    file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
}

/// Opens a pipe or device. A named pipe opens when somebody reads from it; that is waited for until `deadline`. Fails
/// if it has no reader in time.
pub(crate) async fn open_stream(path: &Path, deadline: Option<Instant>) -> Result<File> {
    led_to(path).map_err(|why| Error::file("write", path, &why))?;
    let number = opened_by_process(path).as_deref().and_then(own_number);
    if number == Some(STDOUT) {
        output::stdout()?;
    }
    if let Some(file) = number.and_then(|number| duplicate(number).ok()) {
        return Ok(file);
    }
    loop {
        match open_now(path) {
            Ok(Some(file)) => return Ok(file),
            Ok(None) if deadline.is_some_and(|deadline| deadline <= Instant::now()) => {
                let message = format!("Nothing reads from {} within --timeout.", path.display());
                return Err(Error::of(&codes::command::TIME_UP, message)
                    .hint("Start the program that reads from the pipe, or give it more time with --timeout."));
            }
            Ok(None) => tokio::time::sleep(LOOK).await,
            Err(why) => return Err(Error::file("write", path, &why)),
        }
    }
}

/// `None`: the pipe has no reader. The system would wait for one, and neither Ctrl-C nor `--timeout` could end that.
fn open_now(path: &Path) -> std::io::Result<Option<File>> {
    let mut options = File::options();
    let kind = std::fs::metadata(path)?.file_type();
    if !kind.is_fifo() {
        // A file that another process has open: what is in it stays.
        return options.write(true).append(kind.is_file()).open(path).map(Some);
    }
    let at_once = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    match options.write(true).custom_flags(at_once).open(path) {
        Ok(file) => {
            // From now on, a pipe that is full is waited for.
            fcntl_setfl(&file, OFlags::empty())?;
            Ok(Some(file))
        }
        Err(why) if Errno::from_io_error(&why) == Some(Errno::NXIO) => Ok(None),
        Err(why) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_has_open_is_found_behind_links() {
        let folder = tempfile::tempdir().expect("folder");
        let (link, second, file) =
            (folder.path().join("link"), folder.path().join("second"), folder.path().join("file"));
        std::os::unix::fs::symlink("/dev/stdout", &link).expect("link");
        std::os::unix::fs::symlink("link", &second).expect("link");
        std::fs::write(&file, "").expect("file");
        for path in ["/dev/stdout", "/dev/fd/1", "-"].map(Path::new).into_iter().chain([&*link, &*second]) {
            assert!(is_stdout(path), "{}", path.display());
        }
        assert!(is_stream(Path::new("/dev/fd/2")) && !is_stdout(Path::new("/dev/fd/2")));
        let round = folder.path().join("round");
        std::os::unix::fs::symlink(&round, &round).expect("link");
        for path in [&*file, folder.path(), &*round, Path::new("/dev/null"), Path::new(".."), Path::new("")] {
            assert_eq!(opened_by_process(path), None, "{}", path.display());
        }
    }
}
