//! A file that is being exported: `FILE.part` beside its place, and `FILE.part.json`, which says how much of it can be
//! relied on. What the second records is on the disk before it is recorded, so after any end of the command the export
//! can go on from there. The file itself appears whole or not at all. If its format cannot be appended to, `FILE.part`
//! is a spool ([`super::render`]).

use std::fs::{File, TryLockError};
use std::io::{BufWriter, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use ordersync_api::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::list_version::ListChange;
use super::plan::PlanState;
use super::selection::Selection;
use super::target::Existing;
use crate::client::Incomplete;
use crate::errors::{Error, Result};
use crate::files::atomic::{folder, led_to, open_like, sync_folder};
pub(crate) use writer::CheckpointWriter;

/// So much before the end is compared when an export resumes.
const TAIL: u64 = 1 << 16;

/// What is exported: an export is resumed with the same only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExportIdentity {
    /// Which items.
    #[serde(flatten)]
    pub selection: Selection,
    pub form: String,
    /// Whether what is not complete is refused: then all of it has to have been read so.
    #[serde(default)]
    pub complete: bool,
}

/// What to do with an earlier export that was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnExisting {
    /// Resume it if it is the same export, was interrupted lately, and its list is known to be unchanged; else start over.
    Auto,
    /// Resume it, however old it is.
    Resume,
    /// Discard it.
    Restart,
}

/// An export that was interrupted longer ago is resumed only if the user says so.
const LATELY: Duration = Duration::from_secs(3600);

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CheckpointData {
    version: u32,
    what: ExportIdentity,
    bytes: u64,
    tail: String,
    /// Whether nothing is to come any more: a spool, and the files that are made of it are not all there.
    #[serde(default)]
    whole: bool,
    state: PlanState,
}

/// A file that is being exported.
#[derive(Debug)]
pub(crate) struct PartFile {
    path: PathBuf,
    part: PathBuf,
    notes: PathBuf,
    file: File,
    what: ExportIdentity,
    on_existing: OnExisting,
    earlier: Option<CheckpointData>,
    /// Why an earlier export was discarded.
    discarded: Option<String>,
    noted: Arc<Mutex<NotesState>>,
}

/// The state of the notes. Held while they are written, so that nobody decides meanwhile whether there are any.
#[derive(Debug, Default)]
struct NotesState {
    /// Whether there is something to resume.
    is_kept: bool,
    /// Whether none may be written any more.
    is_closed: bool,
}

fn locked_state(noted: &Mutex<NotesState>) -> MutexGuard<'_, NotesState> {
    noted.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PartFile {
    /// Begins to write what is to be at `path`, or resumes it.
    pub(crate) fn open(path: &Path, what: ExportIdentity, on_existing: OnExisting) -> Result<Self> {
        if path.is_dir() {
            return Err(Error::usage(format!("{} is a folder.", path.display())).hint("Give a file with --out."));
        }
        let path = led_to(path).map_err(|why| Error::file("write", path, &why))?;
        let (part, notes) = (beside(&path, ".part"), beside(&path, ".part.json"));
        let file = locked(&part, &path)?;
        // An empty one is of a command that was killed before it came to anything, whatever the notes say.
        let is_there = file.metadata().is_ok_and(|metadata| metadata.len() > 0);
        let noted = std::fs::read(&notes).ok().filter(|_| is_there);
        let earlier = noted.as_deref().and_then(|text| serde_json::from_slice::<CheckpointData>(text).ok());
        let earlier = earlier.filter(CheckpointData::is_possible);
        if is_there && earlier.is_none() && on_existing != OnExisting::Restart {
            return Err(Error::usage(format!("{} exists already, and is no export to resume.", part.display()))
                .hint("Move it away, or overwrite it: the same command with --restart"));
        }
        let earlier = earlier.filter(|earlier| earlier.state.rows > 0 && on_existing != OnExisting::Restart);
        let noted = Arc::new(Mutex::new(NotesState { is_kept: earlier.is_some(), is_closed: false }));
        let mut this = Self { path, part, notes, file, what, on_existing, earlier, discarded: None, noted };
        this.remove_renderings();
        match this.take_up() {
            Ok(true) => {}
            Ok(false) => this.start_over()?,
            Err(why) if on_existing == OnExisting::Auto => {
                this.discarded = Some(why.message().to_owned());
                this.start_over()?;
            }
            Err(why) => return Err(why),
        }
        Ok(this)
    }

    /// Discards what there is.
    pub(crate) fn start_over(&mut self) -> Result<()> {
        self.earlier = None;
        self.noted().is_kept = false;
        self.file.set_len(0).map_err(|why| Error::file("write", &self.path, &why))?;
        self.checkpoint_writer()?.write(&PlanState::default(), 0)
    }

    /// Why an earlier export was discarded, if one was that could perhaps have been resumed.
    pub(crate) fn discarded(&self) -> Option<&str> {
        self.discarded.as_deref()
    }

    /// Resumes the earlier export; `false`: there is none.
    fn take_up(&self) -> Result<bool> {
        let Some(earlier) = &self.earlier else { return Ok(false) };
        earlier.fits(&self.what, &self.path)?;
        let age =
            std::fs::metadata(&self.notes).and_then(|notes| notes.modified()).map(|time| SystemTime::elapsed(&time));
        let is_automatic = self.is_resumed_unasked();
        if is_automatic && !matches!(age, Ok(Ok(age)) if age < LATELY) {
            let path = self.path.display();
            let message = format!("An export of {path} stopped at {}, more than an hour ago.", earlier.state.come());
            return Err(Error::usage(message));
        }
        if is_automatic && earlier.state.version.is_none() {
            ListChange::Unknown.require_none()?;
        }
        self.cut_off(earlier).map(|()| true)
    }

    /// Cuts off what was written after the state was saved.
    fn cut_off(&self, earlier: &CheckpointData) -> Result<()> {
        let failed = |why: std::io::Error| Error::file("read", &self.part, &why);
        let length = self.file.metadata().map_err(failed)?.len();
        if length < earlier.bytes || tail(&self.part, earlier.bytes).map_err(failed)? != earlier.tail {
            return Err(Error::usage(format!("{} is not as the interrupted export left it.", self.part.display()))
                .hint("Start anew: the same command with --restart"));
        }
        self.file.set_len(earlier.bytes).map_err(failed)
    }

    /// True if an earlier export is resumed though the user did not ask for that.
    pub(crate) fn is_resumed_unasked(&self) -> bool {
        self.earlier.is_some() && self.on_existing == OnExisting::Auto
    }

    /// Where the export resumes, and after how many bytes.
    pub(crate) fn earlier(&self) -> Option<(PlanState, u64)> {
        self.earlier.as_ref().map(|earlier| (earlier.state.clone(), earlier.bytes))
    }

    /// What an earlier command has spooled, where that is all.
    pub(crate) fn whole(&self) -> Option<&PlanState> {
        self.earlier.as_ref().filter(|earlier| earlier.whole).map(|earlier| &earlier.state)
    }

    /// Where the file is to be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is something to resume.
    pub(crate) fn is_kept(&self) -> bool {
        self.noted().is_kept
    }

    /// Answers [`Self::is_kept`] when the export has ended.
    pub(crate) fn kept(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let noted = Arc::clone(&self.noted);
        move || locked_state(&noted).is_kept
    }

    fn noted(&self) -> MutexGuard<'_, NotesState> {
        locked_state(&self.noted)
    }

    /// Writes into it.
    pub(crate) fn writer(&self) -> Result<BufWriter<File>> {
        let file = self.file.try_clone().map_err(|why| Error::file("write", &self.path, &why))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Keeps how far it has come.
    pub(crate) fn checkpoint_writer(&self) -> Result<CheckpointWriter> {
        let file = self.file.try_clone().map_err(|why| Error::file("write", &self.path, &why))?;
        Ok(CheckpointWriter {
            path: self.path.clone(),
            part: self.part.clone(),
            notes: self.notes.clone(),
            file,
            what: self.what.clone(),
            noted: Arc::clone(&self.noted),
            last: Instant::now(),
        })
    }

    /// Saves that these rows are all: the rest of the work needs nothing but the spool.
    pub(crate) fn close(&self, rows: u64, incomplete: Incomplete, version: Option<String>) -> Result<()> {
        let failed = |why: std::io::Error| Error::file("write", &self.path, &why);
        let bytes = self.file.metadata().map_err(failed)?.len();
        let state = PlanState { rows, total: Some(rows), incomplete, version, ..PlanState::default() };
        self.checkpoint_writer()?.put(&state, bytes, true).map_err(failed)
    }

    /// Reads the spool. There can be one reader.
    pub(crate) fn spool(&self) -> Result<File> {
        // Where locks bind, none but this handle may read.
        self.file.try_clone().map_err(|why| Error::file("read", &self.part, &why))
    }

    fn remove_renderings(&self) {
        let Some(name) = self.path.file_name() else { return };
        let prefix = format!("{}{RENDERING}", name.to_string_lossy());
        let Ok(entries) = std::fs::read_dir(folder(&self.path)) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix(&prefix));
            if number.is_some_and(|number| number.parse::<usize>().is_ok()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }

    /// Forgets the spool: it is needed no more, or of no use.
    pub(crate) fn discard(self) {
        self.noted().is_kept = false;
    }

    /// Puts the file where it belongs. If that fails, or a file is there that has to be kept, that file is unchanged.
    pub(crate) fn commit(self, existing: Existing) -> Result<()> {
        if let Err(why) = existing.check(&self.path) {
            self.discard();
            return Err(why);
        }
        let failed = |why: std::io::Error| Error::file("write", &self.path, &why);
        self.file.sync_all().map_err(failed)?;
        std::fs::rename(&self.part, &self.path).map_err(failed)?;
        // Notes without a part belong to no export.
        let mut noted = self.noted();
        noted.is_kept = true;
        self.remove_notes(&mut noted);
        drop(noted);
        sync_folder(&self.path).map_err(failed)
    }

    fn remove_notes(&self, noted: &mut NotesState) {
        // The thread that writes may still be at it when the command is interrupted.
        noted.is_closed = true;
        let _ = std::fs::remove_file(&self.notes);
        let _ = std::fs::remove_file(beside(&self.notes, NEW_NOTES));
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        let mut noted = self.noted();
        if !noted.is_kept {
            let _ = std::fs::remove_file(&self.part);
            self.remove_notes(&mut noted);
        }
    }
}

/// No file and no list is as long.
const LONGEST: u64 = 1 << 53;

impl CheckpointData {
    /// Whether this can be of an export: a file can hold anything.
    fn is_possible(&self) -> bool {
        [self.bytes, self.state.rows, self.state.offset].iter().all(|number| *number < LONGEST)
    }

    fn fits(&self, what: &ExportIdentity, path: &Path) -> Result<()> {
        if self.version != VERSION {
            return Err(Error::usage(format!("Another version began the export of {}.", path.display()))
                .hint("Start anew: the same command with --restart"));
        }
        let (was, is) = (&self.what, what);
        let other_form = || (was.form != is.form).then(|| format!("form: {}, not {}", was.form, is.form));
        let other_rule = || (was.complete != is.complete).then(|| "--require-complete: one was with it".to_owned());
        match was.selection.difference(&is.selection).or_else(other_form).or_else(other_rule) {
            None => Ok(()),
            Some(difference) => {
                let message = format!("The interrupted export of {} had another {difference}.", path.display());
                Err(Error::usage(message)
                    .hint("Resume it with the flags that it had, or start over: the same command with --restart"))
            }
        }
    }
}

const VERSION: u32 = 1;
/// How often a file is opened again that was moved away meanwhile.
const MOST_OPENINGS: u32 = 10;
/// What the name of notes ends with that are being written.
const NEW_NOTES: &str = ".new";
/// Joins the name of the file and the number of a [`rendering`].
const RENDERING: &str = ".part.out";

fn tail(part: &Path, bytes: u64) -> std::io::Result<String> {
    let mut file = File::open(part)?;
    file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL)))?;
    let mut text = Vec::new();
    file.take(bytes.min(TAIL)).read_to_end(&mut text)?;
    Ok(hex::encode(&Sha256::digest(&text)))
}

/// Where to write what is made of the spool of the export to `path`, until it is whole: the next command removes it where
/// this one is killed.
pub(super) fn rendering(path: &Path, number: usize) -> PathBuf {
    beside(path, &format!("{RENDERING}{number}"))
}

/// Opens a file to append to it, locked; it has the permissions of the one that it is to replace.
fn locked(part: &Path, path: &Path) -> Result<File> {
    let failed = |why: &std::io::Error| Error::file("write", path, why);
    let busy = || {
        Error::usage(format!("Another export is writing {}.", path.display()))
            .hint("Wait for it to end, or give another file with --out.")
    };
    for _ in 0..MOST_OPENINGS {
        let mut options = File::options();
        let file = open_like(options.read(true).append(true).create(true), part, path).map_err(|why| failed(&why))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(busy()),
            // If the system has no locks, nothing is locked.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // Another export may have put the file in its place before it was locked here: that one is not to be changed.
        if is_at(&file, part) {
            return Ok(file);
        }
    }
    Err(busy())
}

fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(opened), Ok(there)) => (opened.dev(), opened.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(test)]
mod tests;
mod writer;
