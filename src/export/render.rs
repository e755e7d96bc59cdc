//! The last step of an export whose form cannot be appended to, as that of a compressed one, a workbook or several files:
//! its items were spooled as received ([`super::checkpoint`]), and are now read back into files beside their places, which
//! are put there when all of them are whole. The same spool always makes the same bytes, however often it was
//! interrupted before.

use std::path::{Path, PathBuf};

use tokio::sync::mpsc;

use super::Sink;
use super::checkpoint::{self, PartFile};
use super::format::FileFormat;
use super::row::Row;
use super::split::{Piece, Split};
use super::spool::Spool;
use super::target::{self, Existing, FileTarget, Finished};
use crate::context::Context;
use crate::errors::{Error, Hint, Result, codes};

/// Files that are written at once: the spool is read once for so many whose rows stand among each other.
const OPEN: usize = 8;

/// Makes the files of a spool of so many rows, and puts them where they belong. Returns how many they are.
pub(crate) async fn render(
    context: &Context,
    form: &FileFormat,
    part: &PartFile,
    rows: u64,
    existing: Existing,
) -> Result<usize> {
    let (said, mut heard) = mpsc::channel(1);
    let (spool, path) = (Spool::new(part.spool()?)?, part.path().to_owned());
    let work = RenderTask { form: form.clone(), path, existing, said, written: 0 };
    let thread = tokio::task::spawn_blocking(move || work.run(spool));
    let mut progress = context.output.progress();
    while let Some(written) = heard.recv().await {
        progress.count("Export", &format!("all items are here; written: {written} of {rows}"));
    }
    drop(progress);
    let mut finished =
        thread.await.map_err(|why| Error::of(&codes::command::FAULT, format!("A thread failed: {why}.")))??;
    let count = finished.len();
    // What is written into may fail: no file is replaced before that.
    finished.sort_by_key(|one| !one.is_for_stream());
    for one in finished {
        one.put(context.deadline).await?;
    }
    Ok(count)
}

/// What the thread does.
struct RenderTask {
    form: FileFormat,
    path: PathBuf,
    existing: Existing,
    /// Receives how many rows are written; it has no receiver if the command is interrupted.
    said: mpsc::Sender<u64>,
    written: u64,
}

/// A file that is being written.
struct Open {
    file: FileTarget,
    sink: Box<dyn Sink>,
}

impl RenderTask {
    fn run(mut self, mut spool: Spool) -> Result<Vec<Finished>> {
        let Some(by) = self.form.split() else {
            self.existing.check(&self.path)?;
            let whole = Piece { path: self.path.clone(), range: 0..spool.length() };
            return self.write(&mut spool, &[whole], 0, |_| Some(0));
        };
        let split = Split::find(&mut spool, (by, self.form.zone()), &self.path.clone(), || self.count(0))?;
        if let Some(folder) = split.pieces().iter().find(|piece| piece.path.is_dir()) {
            return Err(Error::usage(format!("{} is a folder.", folder.path.display()))
                .hint("Give another name with --out, or move it away."));
        }
        let needs_files = self.form.needs_files();
        if let Some(pipe) = split.pieces().iter().find(|piece| needs_files && target::is_stream(&piece.path)) {
            let message = format!(
                "{} is a pipe or a device: what its reader has not read yet would count as exported.",
                pipe.path.display()
            );
            return Err(Error::usage(message).hint([
                Hint::say("Move it away"),
                Hint::say("If all that is written to it counts as exported: --assume-read"),
            ]));
        }
        split.pieces().iter().try_for_each(|piece| self.existing.check(&piece.path))?;
        let mut finished = Vec::with_capacity(split.pieces().len());
        for (number, pieces) in split.pieces().chunks(OPEN).enumerate() {
            finished.extend(self.write(&mut spool, pieces, number * OPEN, |row| split.of(row))?);
        }
        Ok(finished)
    }

    /// Writes pieces, of which the first has this number; `number_of` tells that of a row's piece.
    fn write(
        &mut self,
        spool: &mut Spool,
        pieces: &[Piece],
        first: usize,
        number_of: impl Fn(&Row<'_>) -> Option<usize>,
    ) -> Result<Vec<Finished>> {
        let begin = pieces.iter().map(|piece| piece.range.start).min().unwrap_or_default();
        let end = pieces.iter().map(|piece| piece.range.end).max().unwrap_or_default();
        let open = |(index, piece): (usize, &Piece)| self.open(&piece.path, first + index);
        let mut files = pieces.iter().enumerate().map(open).collect::<Result<Vec<Open>>>()?;
        spool.pages(begin..end, |page| {
            let mut sorted: Vec<Vec<Row<'_>>> = files.iter().map(|_| Vec::new()).collect();
            for (_, row) in page {
                let index = number_of(&row).and_then(|number| number.checked_sub(first));
                if let Some(rows) = index.and_then(|index| sorted.get_mut(index)) {
                    rows.push(row);
                }
            }
            for (Open { sink, .. }, rows) in files.iter_mut().zip(&sorted).filter(|(_, rows)| !rows.is_empty()) {
                sink.rows(rows)?;
            }
            self.count(sorted.iter().map(Vec::len).sum())
        })?;
        let finish = |Open { file, mut sink }: Open| {
            sink.end()?;
            drop(sink);
            file.finish()
        };
        files.into_iter().map(finish).collect()
    }

    fn open(&self, path: &Path, number: usize) -> Result<Open> {
        let file = FileTarget::create_as(path, checkpoint::rendering(&self.path, number))?;
        let mut sink = self.form.sink(file.writer()?, target::write_error)?;
        sink.begin()?;
        Ok(Open { file, sink })
    }

    fn count(&mut self, rows: usize) -> Result<()> {
        self.written += rows as u64;
        self.said.blocking_send(self.written).map_err(|_| Error::interrupted())
    }
}
