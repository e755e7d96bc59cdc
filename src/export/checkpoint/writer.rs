//! Writes down how far an export has come.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{CheckpointData, ExportIdentity, NEW_NOTES, NotesState, VERSION, beside, locked_state, tail};
use crate::errors::{Error, Result};
use crate::export::plan::PlanState;
use crate::files::atomic::open_like;

/// How often the state is kept at most: each time waits for the disk.
const PACE: Duration = Duration::from_millis(200);

/// Keeps how far an export has come.
#[derive(Debug)]
pub(crate) struct CheckpointWriter {
    pub(super) path: PathBuf,
    pub(super) part: PathBuf,
    pub(super) notes: PathBuf,
    pub(super) file: File,
    pub(super) what: ExportIdentity,
    pub(super) noted: Arc<Mutex<NotesState>>,
    pub(super) last: Instant,
}

impl CheckpointWriter {
    /// After a page whose rows end at `bytes`. Not every page is kept: the disk is waited for.
    pub(crate) fn page(&mut self, state: &PlanState, bytes: u64) -> Result<()> {
        let is_kept = locked_state(&self.noted).is_kept;
        if is_kept && self.last.elapsed() < PACE { Ok(()) } else { self.write(state, bytes) }
    }

    /// Keeps it now.
    pub(crate) fn write(&mut self, state: &PlanState, bytes: u64) -> Result<()> {
        self.put(state, bytes, false).map_err(|why| Error::file("write", &self.path, &why))?;
        self.last = Instant::now();
        Ok(())
    }

    /// Keeps it, and with `whole`, that nothing is to come any more.
    pub(super) fn put(&self, state: &PlanState, bytes: u64, whole: bool) -> std::io::Result<()> {
        let mut noted = locked_state(&self.noted);
        if noted.is_closed {
            return Ok(());
        }
        self.file.sync_data()?;
        let tail = tail(&self.part, bytes)?;
        let saved =
            CheckpointData { version: VERSION, what: self.what.clone(), bytes, tail, whole, state: state.clone() };
        // One name, since one command writes at a time: what a killed one leaves, the next one writes over.
        let new = beside(&self.notes, NEW_NOTES);
        let mut options = File::options();
        let mut file = open_like(options.write(true).create(true).truncate(true), &new, &self.path)?;
        file.write_all(&serde_json::to_vec(&saved)?)?;
        file.sync_data()?;
        // The folder is not put on the disk: after a power cut, older notes are as good.
        std::fs::rename(&new, &self.notes)?;
        noted.is_kept = state.rows > 0;
        Ok(())
    }
}
