//! A file that is being exported: `FILE.part` beside its place, and `FILE.part.json`, which says how much of it can be
//! relied on. What the second says is on the disk before it is said, so after any end of the command the export can go on
//! from there. The file itself appears whole or not at all. Where its form cannot be appended to, `FILE.part` is a spool
//! ([`super::render`]).

use std::fs::{File, TryLockError};
use std::io::{BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::plan::State;
use super::selection::Selection;
use crate::error::{Error, Result};

/// How often the state is kept at most: each time waits for the disk.
const PACE: Duration = Duration::from_millis(200);
/// So much before the end is compared when an export goes on.
const TAIL: u64 = 1 << 16;

/// What is exported: an export goes on with the same only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct What {
    /// Which items.
    #[serde(flatten)]
    pub selection: Selection,
    /// In which form.
    pub form: String,
}

/// What to do where an earlier export was broken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftover {
    /// Say so.
    Tell,
    /// Go on with it.
    Resume,
    /// Forget it.
    Restart,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Saved {
    version: u32,
    what: What,
    bytes: u64,
    tail: String,
    /// Whether nothing is to come any more: a spool, and the files that are made of it are not all there.
    #[serde(default)]
    whole: bool,
    state: State,
}

/// A file that is being exported.
#[derive(Debug)]
pub struct Part {
    path: PathBuf,
    part: PathBuf,
    notes: PathBuf,
    file: File,
    what: What,
    earlier: Option<Saved>,
    /// Whether there is something to go on with.
    kept: Arc<AtomicBool>,
}

impl Part {
    /// Begins to write what is to be at `path`, or goes on with it.
    ///
    /// # Errors
    /// Where nothing can be written there, or an earlier export stands in the way.
    pub fn open(path: &Path, what: What, leftover: Leftover) -> Result<Self> {
        if path.is_dir() {
            return Err(Error::usage(format!("{} is a folder.", path.display())).hint("Give a file with --out."));
        }
        // What a link leads to is replaced, not the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (part, notes) = (beside(&path, ".part"), beside(&path, ".part.json"));
        let failed = |why: &std::io::Error| Error::file("write", &path, why);
        // An empty one is of a command that was killed before it came to anything, whatever the notes say.
        let is_there = std::fs::metadata(&part).is_ok_and(|metadata| metadata.len() > 0);
        let noted = std::fs::read(&notes).ok().filter(|_| is_there);
        let earlier = noted.as_deref().and_then(|text| serde_json::from_slice::<Saved>(text).ok());
        if is_there && earlier.is_none() && leftover != Leftover::Restart {
            return Err(Error::usage(format!("{} is there already, and no export to go on with.", part.display()))
                .hint("Move it away, or overwrite it: the same command with --restart"));
        }
        let earlier = earlier.filter(|earlier| earlier.state.rows > 0 && leftover != Leftover::Restart);
        if let Some(earlier) = &earlier {
            if leftover == Leftover::Tell {
                return Err(Error::usage(format!(
                    "An export of {} stopped at {}.",
                    path.display(),
                    earlier.state.come()
                ))
                .hint("Go on: the same command with --resume\nStart anew: the same command with --restart"));
            }
            earlier.fits(&what, &path)?;
        }
        let file = File::options().read(true).append(true).create(true).open(&part).map_err(|why| failed(&why))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(Error::usage(format!("Another export is writing {}.", path.display()))
                    .hint("Wait for it to end, or give another file with --out."));
            }
            // Where the system has no locks, nothing is locked.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let kept = Arc::new(AtomicBool::new(earlier.is_some()));
        let this = Self { path, part, notes, file, what, earlier, kept };
        this.remove_renderings();
        match &this.earlier {
            Some(earlier) => this.take_up(earlier)?,
            None => {
                let write = |why| Error::file("write", &this.path, &why);
                this.file.set_len(0).map_err(write)?;
                this.keeper()?.write(&State::default(), 0)?;
            }
        }
        Ok(this)
    }

    /// Cuts off what was written after the state was kept.
    fn take_up(&self, earlier: &Saved) -> Result<()> {
        let failed = |why: std::io::Error| Error::file("read", &self.part, &why);
        let length = self.file.metadata().map_err(failed)?.len();
        if length < earlier.bytes || tail(&self.part, earlier.bytes).map_err(failed)? != earlier.tail {
            return Err(Error::usage(format!("{} is not as the export left it.", self.part.display()))
                .hint("Start anew: the same command with --restart"));
        }
        self.file.set_len(earlier.bytes).map_err(failed)
    }

    /// Where the export goes on, and after how many bytes.
    #[must_use]
    pub fn earlier(&self) -> Option<(State, u64)> {
        self.earlier.as_ref().map(|earlier| (earlier.state.clone(), earlier.bytes))
    }

    /// How many rows an earlier command has spooled, where these are all of them.
    #[must_use]
    pub fn whole(&self) -> Option<u64> {
        self.earlier.as_ref().filter(|earlier| earlier.whole).map(|earlier| earlier.state.rows)
    }

    /// Where the file is to be.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is something to go on with.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.kept.load(Ordering::SeqCst)
    }

    /// Writes into it.
    ///
    /// # Errors
    /// Where the system allows no more open files.
    pub fn writer(&self) -> Result<BufWriter<File>> {
        let file = self.file.try_clone().map_err(|why| Error::file("write", &self.path, &why))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Keeps how far it has come.
    ///
    /// # Errors
    /// Where the system allows no more open files.
    pub fn keeper(&self) -> Result<Keeper> {
        let file = self.file.try_clone().map_err(|why| Error::file("write", &self.path, &why))?;
        Ok(Keeper {
            path: self.path.clone(),
            part: self.part.clone(),
            notes: self.notes.clone(),
            file,
            what: self.what.clone(),
            kept: Arc::clone(&self.kept),
            last: Instant::now(),
        })
    }

    /// Keeps that these rows are all: what is left to do needs nothing but the spool.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn close(&self, rows: u64) -> Result<()> {
        let failed = |why: std::io::Error| Error::file("write", &self.path, &why);
        let bytes = self.file.metadata().map_err(failed)?.len();
        let state = State { rows, total: Some(rows), ..State::default() };
        self.keeper()?.put(&state, bytes, true).map_err(failed)?;
        self.kept.store(rows > 0, Ordering::SeqCst);
        Ok(())
    }

    /// Reads the spool. There can be one reader.
    ///
    /// # Errors
    /// Where the system allows no more open files.
    pub fn spool(&self) -> Result<File> {
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
    pub fn discard(self) {
        self.kept.store(false, Ordering::SeqCst);
    }

    /// Puts the file where it belongs.
    ///
    /// # Errors
    /// Where it cannot be written; what was there before is still there.
    pub fn commit(self) -> Result<()> {
        let failed = |why: std::io::Error| Error::file("write", &self.path, &why);
        self.file.sync_all().map_err(failed)?;
        std::fs::rename(&self.part, &self.path).map_err(failed)?;
        // Notes without a part are nobody's.
        self.kept.store(true, Ordering::SeqCst);
        self.remove_notes();
        Ok(())
    }

    fn remove_notes(&self) {
        let _ = std::fs::remove_file(&self.notes);
        let _ = std::fs::remove_file(beside(&self.notes, NEW_NOTES));
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.is_kept() {
            let _ = std::fs::remove_file(&self.part);
            self.remove_notes();
        }
    }
}

impl Saved {
    fn fits(&self, what: &What, path: &Path) -> Result<()> {
        if self.version != VERSION {
            return Err(Error::usage(format!("Another version began the export of {}.", path.display()))
                .hint("Start anew: the same command with --restart"));
        }
        let (was, is) = (&self.what, what);
        let other_form = || (was.form != is.form).then(|| format!("form: {}, not {}", was.form, is.form));
        match was.selection.difference(&is.selection).or_else(other_form) {
            None => Ok(()),
            Some(difference) => {
                let message = format!("The export of {} that stopped had another {difference}.", path.display());
                Err(Error::usage(message)
                    .hint("Go on with the flags that it had, or start anew: the same command with --restart"))
            }
        }
    }
}

const VERSION: u32 = 1;
/// What the name of notes ends with that are being written.
const NEW_NOTES: &str = ".new";
/// What stands between the name of the file and the number of a [`rendering`].
const RENDERING: &str = ".part.out";

/// Keeps how far an export has come.
#[derive(Debug)]
pub struct Keeper {
    path: PathBuf,
    part: PathBuf,
    notes: PathBuf,
    file: File,
    what: What,
    kept: Arc<AtomicBool>,
    last: Instant,
}

impl Keeper {
    /// After a page whose rows end at `bytes`. Not every page is kept: the disk is waited for.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn page(&mut self, state: &State, bytes: u64) -> Result<()> {
        if self.kept.load(Ordering::SeqCst) && self.last.elapsed() < PACE {
            return Ok(());
        }
        self.write(state, bytes)
    }

    /// Keeps it now.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&mut self, state: &State, bytes: u64) -> Result<()> {
        self.put(state, bytes, false).map_err(|why| Error::file("write", &self.path, &why))?;
        if state.rows > 0 {
            self.kept.store(true, Ordering::SeqCst);
        }
        self.last = Instant::now();
        Ok(())
    }

    fn put(&self, state: &State, bytes: u64, whole: bool) -> std::io::Result<()> {
        self.file.sync_data()?;
        let tail = tail(&self.part, bytes)?;
        let saved = Saved { version: VERSION, what: self.what.clone(), bytes, tail, whole, state: state.clone() };
        // One name, since one command writes at a time: what a killed one leaves, the next one writes over.
        let new = beside(&self.notes, NEW_NOTES);
        let mut file = File::create(&new)?;
        file.write_all(&serde_json::to_vec(&saved)?)?;
        file.sync_data()?;
        std::fs::rename(&new, &self.notes)
    }
}

fn tail(part: &Path, bytes: u64) -> std::io::Result<String> {
    let mut file = File::open(part)?;
    file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL)))?;
    let mut text = Vec::new();
    file.take(bytes.min(TAIL)).read_to_end(&mut text)?;
    Ok(Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Where to write what is made of the spool of the export to `path`, until it is whole: the next command removes it where
/// this one is killed.
pub(super) fn rendering(path: &Path, number: usize) -> PathBuf {
    beside(path, &format!("{RENDERING}{number}"))
}

/// The folder that a file is in.
pub(super) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
