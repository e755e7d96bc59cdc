//! Where an export goes. A file appears whole or not at all: it is written beside its place and moved there at the end.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::{NamedTempFile, TempPath};

use crate::atomic_file::{folder, open_like, sync_folder};
use crate::codes;
use crate::error::{Error, Result};

/// How often a pipe without a reader is tried.
const LOOK: Duration = Duration::from_millis(50);

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
            return Err(Error::usage(format!("{} is a folder.", path.display())).hint("Give a file with --out."));
        }
        // What a link leads to is replaced, not the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".ordersync-").suffix(".part");
        let open = |beside: &Path| open_like(File::options().write(true).create_new(true), beside, &path);
        let file = builder.make_in(folder(&path), open).map_err(|why| Error::file("write", &path, &why))?;
        Ok(Self { path, file })
    }

    /// The same, but the caller names the temporary file, so that it can find it again if the command was killed.
    pub(crate) fn create_as(path: &Path, beside: PathBuf) -> Result<Self> {
        let failed = |why: &std::io::Error| Error::file("write", path, why);
        // Not written into: it may be a link by now.
        let _ = std::fs::remove_file(&beside);
        let file =
            open_like(File::options().write(true).create_new(true), &beside, path).map_err(|why| failed(&why))?;
        let beside = TempPath::try_from_path(beside).map_err(|why| failed(&why))?;
        Ok(Self { path: path.to_owned(), file: NamedTempFile::from_parts(file, beside) })
    }

    /// Writes into it. What is written has to be flushed before [`FileTarget::commit`].
    pub(crate) fn writer(&self) -> Result<BufWriter<File>> {
        let file = self.file.as_file().try_clone().map_err(|why| Error::file("write", &self.path, &why))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Puts the file where it belongs.
    ///
    /// # Errors
    ///
    /// If it cannot be written; the previous file is unchanged.
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
    /// Puts it where it belongs.
    ///
    /// # Errors
    ///
    /// If it cannot be written; the previous file is unchanged.
    pub(crate) fn place(self) -> Result<()> {
        let failed = |why: &std::io::Error| Error::file("write", &self.path, why);
        self.beside.persist(&self.path).map_err(|why| failed(&why.error))?;
        sync_folder(&self.path).map_err(|why| failed(&why))
    }
}

/// A failure to write an export's file.
#[must_use]
pub(crate) fn write_error(why: &std::io::Error) -> Error {
    Error::io(&codes::command::FILE, "The export cannot be written", why)
}

/// Whether the path is something that is not replaced but written into: a pipe, a device.
#[must_use]
pub(crate) fn is_stream(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Standard output, if it leads into a file.
#[must_use]
pub(crate) fn stdout_file() -> Option<File> {
    #[cfg(unix)]
    let handle = std::os::fd::AsFd::as_fd(&std::io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let handle = std::os::windows::io::AsHandle::as_handle(&std::io::stdout()).try_clone_to_owned();
    let file = File::from(handle.ok()?);
    file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
}

/// Opens a pipe or device. A named pipe opens when somebody reads from it; that is waited for until `deadline`.
///
/// # Errors
/// If it cannot be opened, or has no reader in time.
pub(crate) async fn open_stream(path: &Path, deadline: Option<Instant>) -> Result<File> {
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
#[cfg(unix)]
fn open_now(path: &Path) -> std::io::Result<Option<File>> {
    use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};

    use rustix::fs::{OFlags, fcntl_setfl};
    use rustix::io::Errno;

    let mut options = File::options();
    options.write(true);
    if !std::fs::metadata(path)?.file_type().is_fifo() {
        return options.open(path).map(Some);
    }
    let at_once = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    match options.custom_flags(at_once).open(path) {
        Ok(file) => {
            // From now on, a pipe that is full is waited for.
            fcntl_setfl(&file, OFlags::empty())?;
            Ok(Some(file))
        }
        Err(why) if Errno::from_io_error(&why) == Some(Errno::NXIO) => Ok(None),
        Err(why) => Err(why),
    }
}

#[cfg(not(unix))]
fn open_now(path: &Path) -> std::io::Result<Option<File>> {
    File::options().write(true).open(path).map(Some)
}
