//! The last step of an export whose form cannot be appended to, as that of a compressed one or a workbook: its items were spooled as
//! they came ([`super::part`]), and are now read back into a file beside its place, which is put there when it is whole.
//! The same spool always makes the same bytes, whatever was broken off before.

use std::path::PathBuf;

use tokio::sync::mpsc;

use super::Sink as _;
use super::form::Form;
use super::part::{self, Part};
use super::row::Row;
use super::spool::Spool;
use super::target::{self, FileTarget, Finished};
use crate::codes;
use crate::context::Context;
use crate::error::{Error, Result};

/// Makes the file of a spool of so many rows, and puts it where it belongs.
///
/// # Errors
/// Where it cannot be written, or an item does not fit the form.
pub async fn render(context: &Context, form: &Form, part: &Part, rows: u64) -> Result<()> {
    let (said, mut heard) = mpsc::channel(1);
    let (spool, work) =
        (Spool::new(part.spool()?)?, Work { form: form.clone(), path: part.path().to_owned(), said, written: 0 });
    let thread = tokio::task::spawn_blocking(move || work.run(spool));
    let mut progress = context.output.progress();
    while let Some(written) = heard.recv().await {
        progress.count("Export", &format!("all items are here; written: {written} of {rows}"));
    }
    drop(progress);
    let finished =
        thread.await.map_err(|why| Error::of(&codes::command::FAULT, format!("A thread failed: {why}.")))??;
    finished.place()
}

/// What the thread does.
struct Work {
    form: Form,
    path: PathBuf,
    /// Told how many rows are written; nobody listens where the command is broken off.
    said: mpsc::Sender<u64>,
    written: u64,
}

impl Work {
    fn run(mut self, mut spool: Spool) -> Result<Finished> {
        let file = FileTarget::create_as(&self.path, part::rendering(&self.path, 0))?;
        let mut sink = self.form.sink(file.writer()?, target::write_error)?;
        sink.begin()?;
        spool.pages(0..spool.length(), |page| {
            let rows: Vec<Row<'_>> = page.into_iter().map(|(_, row)| row).collect();
            sink.rows(&rows)?;
            self.count(rows.len())
        })?;
        sink.end()?;
        drop(sink);
        file.finish()
    }

    fn count(&mut self, rows: usize) -> Result<()> {
        self.written += rows as u64;
        self.said.blocking_send(self.written).map_err(|_| Error::interrupted())
    }
}
